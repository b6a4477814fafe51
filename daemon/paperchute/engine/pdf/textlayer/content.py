"""Text to be put into a page, and content streams (ISO 32000-1, annex A): its operators, and taking text out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pikepdf
from pikepdf import Dictionary, Name, Object, Pdf

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.pdf.textlayer.glyphless import ADVANCE, Glyphless
from paperchute.engine.reading.pdf.view import Matrix

Colour = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""


@dataclass(frozen=True, slots=True)
class LayerWord:
    """A word on the upright page, in points. length: along its line; left, baseline: where it begins.

    angle: reading direction in degrees clockwise. gap: up to the next word of its line, 0 at the end. box: its ink.
    """

    text: str
    x: float
    y: float
    length: float
    size: float
    gap: float
    box: Box
    angle: int = 0
    bold: bool = False
    ink: Colour = (0.0, 0.0, 0.0)
    paper: Colour = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Passage:
    """Words that make one piece of the document: a structure type of ISO 32000-1, 14.8.4 such as P or H1.

    path: the elements around it with a number for each, such as (("Table", 0), ("TR", 2)).
    """

    tag: str
    words: list[LayerWord]
    path: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class PageLayer:
    """What goes onto one page. to_user: from points of the upright page (y downwards) to the page's user space.

    pictures: parts of the page to be drawn as pictures, where the page's own are taken away.
    """

    to_user: Matrix
    passages: list[Passage] = field(default_factory=list)
    pictures: list[tuple[Box, Image]] = field(default_factory=list)


def number(value: float) -> str:
    """A number as PDF writes it."""
    text = f"{value:.3f}".rstrip("0").rstrip(".") if math.isfinite(value) else "0"
    return "0" if text in ("-0", "") else text


def numbers(*values: float) -> str:
    """Several numbers."""
    return " ".join(map(number, values))


def text_matrix(word: LayerWord, to_user: Matrix) -> str:
    """`Tm` for a word: where it begins, letters upright in its direction.

    On a page laid in askew it stands level, its middle on its ink: poppler takes the letters of a word whose baseline
    moves by half a point for several words, so long words at 1.4 degrees are found no more.
    """
    turned = math.radians(word.angle)
    along = math.cos(turned), math.sin(turned)
    a, b = _vector(to_user, *along)
    c, d = _vector(to_user, along[1], -along[0])
    x, y = to_user.at(word.x, word.y)
    askew = math.remainder(math.degrees(math.atan2(b, a)), 90)
    half = word.length / 2
    x, y = x + a * half, y + b * half
    a, b, c, d = (value for vector in ((a, b), (c, d)) for value in _rotated(*vector, -askew))
    x, y = x - a * half, y - b * half
    return f"{numbers(a, b, c, d)} {numbers(x, y)} Tm"


def invisible_word(word: LayerWord, to_user: Matrix, font: Glyphless) -> str:
    """A word in the glyphless font, as wide as its ink, and the space behind it as wide as the gap."""
    codes = font.encode(word.text)
    if not codes:
        return ""
    natural = len(codes) // 2 * ADVANCE / 1000 * word.size
    parts = [
        text_matrix(word, to_user),
        f"/{{font}} {number(word.size)} Tf",
        f"{number(100 * word.length / natural)} Tz <{codes.hex().upper()}> Tj",
    ]
    if word.gap > 0:
        parts.append(
            f"{number(100 * word.gap / (ADVANCE / 1000 * word.size))} Tz <{font.encode(' ').hex().upper()}> Tj"
        )
    return " ".join(parts)


def rectangle(box: Box, to_user: Matrix, colour: Colour) -> str:
    """A filled rectangle of the upright page."""
    corners = ((box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom))
    points = [numbers(*to_user.at(x, y)) for x, y in corners]
    return f"{numbers(*colour)} rg {points[0]} m {points[1]} l {points[2]} l {points[3]} l h f"


def _rotated(x: float, y: float, degrees: float) -> tuple[float, float]:
    turn = math.radians(degrees)
    return x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)


def _vector(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    return matrix.a * x + matrix.c * y, matrix.b * x + matrix.d * y


_SHOWING = frozenset({"Tj", "TJ", "'", '"'})
_INVISIBLE = 3
_DEEPEST = 12


def strip(pdf: Pdf, page: pikepdf.Page, *, hidden_text: bool, images: bool) -> None:
    """Take invisible text, images or both out of a page and the forms that it draws.

    Content that cannot be read as operators stays as it is.
    """
    for owner in _owners(page.obj):
        changed = _without(owner, hidden_text=hidden_text, images=images)
        if changed is None:
            continue
        if not isinstance(owner, pikepdf.Stream):
            page.obj.Contents = pdf.make_stream(changed)
        else:
            owner.write(changed)


def _owners(page: Object) -> Iterator[Object]:
    """The page and the form XObjects below it, each once."""
    yield page
    seen: set[tuple[int, int]] = set()
    stack = [(page, 0)]
    while stack:
        owner, depth = stack.pop()
        forms = _resources(owner).get(Name.XObject)
        if not isinstance(forms, Dictionary) or depth > _DEEPEST:
            continue
        for _, form in forms.items():
            if _kind(form) == Name.Form and form.objgen not in seen:
                seen.add(form.objgen)
                yield form
                stack.append((form, depth + 1))


def _resources(owner: Object) -> Object:
    found = owner.get(Name.Resources)
    return found if isinstance(found, Dictionary) else Dictionary()


def _kind(item: Any) -> Object | None:
    return item.get(Name.Subtype) if isinstance(item, pikepdf.Stream) else None


def _without(owner: Object, *, hidden_text: bool, images: bool) -> bytes | None:
    """The content without them, None when there is nothing to take out."""
    try:
        operators = pikepdf.parse_content_stream(owner)
    except FAULTS:
        return None
    drawn = _resources(owner).get(Name.XObject)
    kept: list[Any] = []
    mode, stack = 0, [0]
    for operator in operators:
        name = str(operator.operator)
        if name == "q":
            stack.append(mode)
        elif name == "Q" and len(stack) > 1:
            mode = stack.pop()
        elif name == "Tr":
            mode = int(operator.operands[0]) if operator.operands else 0
        if hidden_text and mode == _INVISIBLE and name in _SHOWING:
            if name in ("'", '"'):
                kept.append(pikepdf.ContentStreamInstruction([], pikepdf.Operator("T*")))
            continue
        if images and (name == "INLINE IMAGE" or (name == "Do" and _is_image(drawn, operator.operands))):
            continue
        kept.append(operator)
    return pikepdf.unparse_content_stream(kept) if len(kept) < len(operators) else None


def _is_image(drawn: Object | None, operands: Any) -> bool:
    if not isinstance(drawn, Dictionary) or not operands:
        return False
    return _kind(drawn.get(operands[0])) == Name.Image
