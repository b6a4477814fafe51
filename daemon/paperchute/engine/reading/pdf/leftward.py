"""Figures, codes and words among letters that run from right to left, as the page shows them.

PDFium gives such a line in the order of reading, and takes the signs in a figure for those between words: `(1'234.00)`
comes as `(234.00'1)`, and the bracket that closes an amount may stand a word off; `INV-2024` comes as `-2024INV`, and
the full stop behind a number stands before it. Words may come from their last letter to the first. The places of the
characters tell.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.calls import Handle


@dataclass(frozen=True, slots=True)
class LeftwardSettings:
    """What of a line is one figure. Distances are shares of the characters' height."""

    space: float = 0.12
    """Between two characters: a wider gap is a space, which is a quarter of the size in most fonts."""

    longest: int = 2_000
    """Characters of one line: a bound on work."""


LEFTWARD = LeftwardSettings()

_LETTER = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LETTERS = re.compile("[\u0590-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]{2,}")
"""Arabic numbers run to the right."""
_ARABIC = re.compile("[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
_WANTED = re.compile(r"[()\[\]{}«»]|\d.*['‘’]|['‘’].*\d|[.,:;!?%]\d|[A-Za-z]\S*\d|\d\S*[A-Za-z]", re.DOTALL)
_CLOSING = dict(zip("([{«", ")]}»", strict=True))
_MIRRORED = {**_CLOSING, **{closing: opening for opening, closing in _CLOSING.items()}}
_LOOSE = frozenset(" .,:;!?") | set(_MIRRORED)
"""What a bracket does not belong to, though it touches it."""
_LINE = re.compile(r"[^\r\n]+")
_AMOUNT = r"[-−–+]?\d[\d.,]*(?:['‘’ \u00a0\u202f]\d[\d.,]*)*[-−–%]?"
_FIGURE = re.compile(rf"(?<!\S)(?:[()]{_AMOUNT}[()]|[-−–+]?\d[\d.,]*(?:['‘’]\d[\d.,]*)+[-−–%]?)(?!\S)")
_PLAIN = re.compile(r"[\d.,]+", re.ASCII)
_CODE = re.compile(r"(?<!\S)(?P<end>[.,:;!?%]*)(?P<code>[A-Za-z0-9]+(?:[-./_:,][A-Za-z0-9]+)*)(?!\S)", re.ASCII)
"""What stands left of it is said after it: the line runs to the left."""


def is_leftward(text: str) -> bool:
    """Decide whether some of the text runs from right to left."""
    return not text.isascii() and _LETTER.search(text) is not None


def is_plain_figure(word: str) -> bool:
    """Decide whether a word surely runs to the right, whatever stands around it."""
    return _PLAIN.fullmatch(word) is not None


def as_read(page: Handle, text: str) -> tuple[str, list[int]] | None:
    """The page's text with such figures and words set right, and the place of each of its characters on the page.

    None where there is nothing to set right.
    """
    signs, places = list(text), list(range(len(text)))
    changed = False
    for line in _LINE.finditer(text):
        said = line[0]
        if len(said) <= LEFTWARD.longest and is_leftward(said) and _WANTED.search(said):
            changed |= _set_right(page, signs, places, line.start(), line.end())
    changed |= _turn_words(page, signs, places)
    return ("".join(signs), places) if changed else None


def _turn_words(page: Handle, signs: list[str], places: list[int]) -> bool:
    """Turns the words whose letters come from left to right; whether there are any.

    Browsers say of single letters in tagged text what they are (ISO 32000-1, 14.9.4), and PDFium leaves a word with
    such letters as it is written.
    """
    spans = [match.span() for match in _LETTERS.finditer("".join(signs))]
    inside = [n for start, end in spans for n in range(start, end)]
    if not inside:
        return False
    across = dict(zip(inside, calls.origins(page, [places[n] for n in inside])[:, 0].tolist(), strict=True))
    changed = False
    for start, end in spans:
        glyphs = [list(own) for _, own in itertools.groupby(range(start, end), key=across.__getitem__)]
        steps = [across[here[0]] - across[before[0]] for before, here in itertools.pairwise(glyphs)]
        if 2 * sum(step > 0 for step in steps) <= len(steps):
            continue
        order = [n for own in reversed(glyphs) for n in own]
        signs[start:end], places[start:end] = [signs[n] for n in order], [places[n] for n in order]
        changed = True
    return changed


def _set_right(page: Handle, signs: list[str], places: list[int], start: int, end: int) -> bool:
    """The same for one line; whether it was changed."""
    seen, shown = _shown(page, signs, start, end)
    order = list(range(start, end))
    fixed: dict[int, str] = {}
    for match in _FIGURE.finditer(shown):
        if match[0][0] in "()":
            fixed |= {seen[match.start()]: "(", seen[match.end() - 1]: ")"}
        fixed |= {seen[match.start() + n]: "’" for n, sign in enumerate(match[0]) if sign == "‘"}  # PDFium's mirror
        for part in re.finditer(r"\S+", match[0]):
            own = [seen[match.start() + n] for n in range(*part.span())]
            first = min(order.index(place) for place in own if signs[place].isdigit())
            before = [place for place in order[:first] if place not in own]
            order = [*before, *own, *(place for place in order[first:] if place not in own)]
    for own in _codes(seen, shown):
        first = min(order.index(place) for place in own)
        before = [place for place in order[:first] if place not in own]
        order = [*before, *own, *(place for place in order[first:] if place not in own)]
    for place, sign, own in _brackets(signs, seen, shown):
        if place not in fixed:
            fixed[place] = sign
            order.remove(place)
            ends = [order.index(other) for other in own]
            order.insert(min(ends) if sign in _CLOSING else max(ends) + 1, place)
    said = [fixed.get(place, signs[place]) for place in order]
    if said == signs[start:end]:
        return False
    signs[start:end], places[start:end] = said, order
    return True


def _brackets(signs: Sequence[str], seen: Sequence[int], shown: str) -> Iterator[tuple[int, str, list[int]]]:
    """Tell of each bracket its place, the sign that it is, and the places of the word it stands at on the page.

    Printers mirror brackets or say that they did, and neither can be seen in the text. In a line that runs to the left
    one at the right end of a word opens, but not among words that run to the right.
    """
    for at, sign in enumerate(shown):
        if sign not in _MIRRORED:
            continue
        left, right = _touching(shown, at, -1), _touching(shown, at, 1)
        word = right if left is None else left
        if word is None or (left is not None and right is not None):
            continue
        step = 1 if left is None else -1
        rightward = _is_latin(shown[word]) and _is_latin(_next_letter(shown, at, -step))
        own = []
        while 0 <= word < len(shown) and shown[word] not in _LOOSE - set(".,:"):
            own.append(seen[word])
            word += step
        opens = (left is not None) != rightward
        yield seen[at], sign if (sign in _CLOSING) == opens else _MIRRORED[sign], own


def _touching(shown: str, at: int, step: int) -> int | None:
    """Return where the word is that touches a bracket on one side, perhaps with other brackets between."""
    at += step
    while 0 <= at < len(shown) and shown[at] in _MIRRORED:
        at += step
    return at if 0 <= at < len(shown) and shown[at] not in _LOOSE else None


def _next_letter(shown: str, at: int, step: int) -> str:
    at += step
    while 0 <= at < len(shown) and not shown[at].isalnum():
        at += step
    return shown[at] if 0 <= at < len(shown) else " "


def _is_latin(sign: str) -> bool:
    return sign.isalpha() and _LETTER.match(sign) is None


def _codes(seen: Sequence[int], shown: str) -> Iterator[list[int]]:
    """The places of each code of letters and digits, and of each number with its full stop, in the order of reading.

    A per cent sign is of the number in Hebrew and stands left of it in Arabic, where it is said after it.
    """
    for match in _CODE.finditer(shown):
        end, code = match["end"], match["code"]
        if "%" in end and _ARABIC.search(shown) is None:
            continue
        mixed = any(map(str.isalpha, code)) and any(map(str.isdigit, code))
        if mixed or (end and code[0].isdigit()):
            start, middle = match.start(), match.start("code")
            yield [*seen[middle : match.end()], *reversed(seen[start:middle])]


def _shown(page: Handle, signs: Sequence[str], start: int, end: int) -> tuple[list[int], str]:
    """The characters of a line from left to right, with a space where there is a gap, and the place of each in text."""
    inked = [place for place in range(start, end) if not signs[place].isspace()]
    left, top, right, bottom = calls.loose_boxes(page, inked).T
    order = left.argsort(kind="stable").tolist()
    height = abs(top - bottom)
    between = [left[here] - right[before] for before, here in itertools.pairwise(order)]
    gaps = [math.inf, *between, math.inf]  # before each character, and behind the last
    apart = [True, *(gap > LEFTWARD.space * height[here] for gap, here in zip(between, order[1:], strict=True)), True]
    for n, at in enumerate(order):  # the letters that a font's own ones are shaped to may be narrower
        near, far = sorted((n, n + 1), key=gaps.__getitem__)
        if signs[inked[at]] in _MIRRORED and gaps[near] < min(TYPOGRAPHY.same_baseline * height[at], gaps[far] / 2):
            apart[near] = False
    seen: list[int] = []
    shown = ""
    for n, at in enumerate(order):
        if n and apart[n]:
            seen.append(-1)
            shown += " "
        seen.append(inked[at])
        shown += signs[inked[at]]
    return seen, shown
