"""Paragraphs, tables and pictures to blocks of the model."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, BlockKind, Cell, Line, ListItem, Span, Style, Table
from paperchute.engine.reading.layout.continuing import DRAWN, Laid
from paperchute.engine.reading.layout.grid import FoundTable
from paperchute.engine.reading.layout.hyphens import Hyphens
from paperchute.engine.reading.layout.inks import by_rows, shade
from paperchute.engine.reading.layout.lines import TextLine, rows, segments
from paperchute.engine.reading.layout.paragraphs import Paragraph
from paperchute.engine.reading.layout.records import Ground, PageMarks, Picture, Word

_BACKGROUND = 0.8
_DIVIDED = re.compile(r"[^\W\d_]-$")


def lines_of(
    lines: Sequence[TextLine], hyphens: Hyphens, hard: frozenset[int] = frozenset(), skip: int = 0
) -> tuple[Line, ...]:
    """Model lines. `hard`: numbers of lines whose end is meant; `skip`: words of the first line left out."""
    result = []
    for number, line in enumerate(lines):
        words = line.words[skip:] if number == 0 else line.words
        follows = lines[number + 1] if number + 1 < len(lines) else None
        ends = "hard" if number in hard else _end(line, follows, hyphens)
        box = hull(word.box for word in words) if words and number == 0 and skip else line.box
        result.append(Line(Quad.of(box, line.words[0].angle), spans_of(words), ends))
    return tuple(result)


def spans_of(words: Sequence[Word]) -> tuple[Span, ...]:
    """Words as spans; words of one look make one span, spaces in it."""
    spans: list[Span] = []
    text = ""
    look: tuple[Style, str] | None = None
    last: Word | None = None
    for number, word in enumerate(words):
        space = "" if number == 0 or word.glued else " "
        if last is not None and _alike(last, word):
            text += space + word.text
            continue
        last, font = word, word.font
        style = Style(font.bold, font.italic, font.mono, word.size, font.name, word.script, stacked=word.stacked)
        if word.ink is not None:
            style = replace(style, **word.ink._asdict())
        now = style, word.link
        if look == now:
            text += space + word.text
            continue
        if look is not None:
            # The space between two looks goes to the plain side, so that emphasis and code hug their words.
            before_plain = not (look[0].mono or look[1] or look[0].underline or look[0].strike or look[0].ground)
            spans.append(Span(text + (space if before_plain else ""), *look))
            space = "" if before_plain else space
        text, look = space + word.text, now
    if look is not None:
        spans.append(Span(text, *look))
    return tuple(spans)


def _alike(one: Word, other: Word) -> bool:
    """Whether two words plainly have the same look, which need not be worked out then."""
    return (
        one.font is other.font
        and one.size == other.size
        and one.script == other.script
        and one.link == other.link
        and one.stacked == other.stacked
        and one.ink == other.ink
    )


def list_item(paragraph: Paragraph, level: int, hyphens: Hyphens) -> ListItem:
    """A paragraph with a marker as a list item."""
    marker = paragraph.marker
    assert marker is not None
    box = hull(line.box for line in paragraph.lines)
    lines = lines_of(paragraph.lines, hyphens, frozenset(paragraph.hard), skip=marker.words)
    return ListItem(level, marker.text, marker.ordered, Quad.of(box), lines)


def table_block(found: FoundTable, hyphens: Hyphens, grounds: Sequence[Ground] = ()) -> Block:
    """A found table as a block, its cells in the colours of the areas behind them."""
    cells = []
    areas = by_rows(grounds)
    for cell in found.cells:
        behind = shade(cell.box, areas)
        cells.append(
            Cell(
                row=cell.row,
                column=cell.column,
                quad=Quad.of(cell.box),
                lines=_on(behind, lines_of(cell.lines(), hyphens)),
                row_span=cell.row_span,
                column_span=cell.column_span,
                header=cell.row < found.heads,
                shade=behind,
            )
        )
    table = Table(found.rows, found.columns, tuple(cells), found.bordered)
    return Block("table", Quad.of(found.box), table=table, confidence=found.confidence)


def _on(behind: str, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """A cell's lines, whose words need not say that they stand on its own colour."""
    if not behind:
        return lines
    return tuple(
        replace(
            line,
            spans=tuple(
                replace(span, style=replace(span.style, ground="")) if span.style.ground == behind else span
                for span in line.spans
            ),
        )
        for line in lines
    )


def text_block(
    kind: BlockKind, lines: Sequence[TextLine], hyphens: Hyphens, hard: frozenset[int] = frozenset(), level: int = 0
) -> Block:
    """Lines as a block; its confidence is that of its least certain word."""
    confidence = min((word.confidence for line in lines for word in line.words), default=1.0)
    quad = Quad.of(hull(line.box for line in lines), lines[0].words[0].angle)
    return Block(kind, quad, lines_of(lines, hyphens, hard), level=level, confidence=confidence)


def picture_of(picture: Picture, marks: PageMarks) -> Laid:
    """A picture's place as a block, still without its content."""
    return Laid(Block("image", Quad.of(picture.box), background=is_background(picture, marks)), picture.key)


def is_background(picture: Picture, marks: PageMarks) -> bool:
    """Whether a picture is the page's background: it covers most of a page that also has text."""
    return bool(marks.words) and picture.box.area > _BACKGROUND * marks.width * marks.height


def figure_of(box: Box, words: Sequence[Word], hyphens: Hyphens) -> Laid:
    """A drawn figure's place as a block, with the words that stand in it; its picture is still to be drawn."""
    labels = lines_of(rows(segments([word for word in words if word.angle == 0])), hyphens)
    return Laid(Block("image", Quad.of(box), labels), DRAWN)


def code_block(lines: Sequence[TextLine]) -> Block:
    """Monospaced lines as printed: indentation, inner gaps and empty lines kept."""
    wide = sorted((w.right - w.left) / len(w.text) for line in lines for w in line.words)
    step = wide[len(wide) // 2] or 1.0
    left = min(line.left for line in lines)
    leading = min((b.baseline - a.baseline for a, b in itertools.pairwise(lines)), default=0.0)
    result: list[Line] = []
    for before, line in zip([None, *lines], lines, strict=False):
        if before is not None and leading > 0:
            empty = round((line.baseline - before.baseline) / leading) - 1
            result += [Line(Quad.of(Box(left, before.bottom, left, before.bottom)), (), "hard")] * min(max(empty, 0), 3)
        result.append(Line(Quad.of(line.box), (Span(_as_typed(line, left, step), _code_style(line)),), "hard"))
    return Block("code", Quad.of(hull(line.box for line in lines)), tuple(result))


def _as_typed(line: TextLine, left: float, step: float) -> str:
    text, at = "", left
    for word in line.words:
        spaces = round((word.left - at) / step)
        text += " " * min(max(spaces, 0 if not text or word.glued else 1), 200) + word.text
        at = word.right
    return text


def _code_style(line: TextLine) -> Style:
    word = line.words[0]
    return Style(mono=True, size=word.size, font=word.font.name)


def _end(line: TextLine, follows: TextLine | None, hyphens: Hyphens) -> Literal["soft", "hyphen", "glued"]:
    """How the next line joins: a hyphen that divides a word goes; other hyphens, of compounds and in addresses, stay
    and join without a space."""
    if follows is None:
        return "soft"
    last, first = line.words[-1], follows.words[0]
    if last.font.mono or last.link:
        return "glued" if len(last.text) > 1 and last.text.endswith(("/", "-", ".", "_")) else "soft"
    if len(last.text) < 3 or not _DIVIDED.search(last.text):
        return "glued" if _joins_without_space(last.text[-1], first.text[0]) else "soft"
    return "hyphen" if first.text[0].islower() and hyphens.closes(last.text, first.text) else "glued"


def _joins_without_space(last: str, first: str) -> bool:
    """Chinese and Japanese set no space between words, so none between lines."""
    return _is_han(last) and _is_han(first)


def _is_han(character: str) -> bool:
    return "\u3000" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or "\uff00" <= character <= "\uffef"
