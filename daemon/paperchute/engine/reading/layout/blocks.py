"""Paragraphs, tables and pictures to blocks of the model."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Literal

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, Cell, Line, ListItem, Span, Style, Table
from paperchute.engine.reading.layout.grid import FoundTable
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.paragraphs import Paragraph
from paperchute.engine.reading.layout.records import Word

_DIVIDED = re.compile(r"[^\W\d_]-$")


def lines_of(lines: Sequence[TextLine], hard: frozenset[int] = frozenset(), skip: int = 0) -> tuple[Line, ...]:
    """Model lines. `hard`: numbers of lines whose end is meant; `skip`: words of the first line left out."""
    result = []
    for number, line in enumerate(lines):
        words = line.words[skip:] if number == 0 else line.words
        follows = lines[number + 1] if number + 1 < len(lines) else None
        ends = "hard" if number in hard else _end(line, follows)
        result.append(Line(Quad.of(line.box), spans_of(words), ends))
    return tuple(result)


def spans_of(words: Sequence[Word]) -> tuple[Span, ...]:
    """Words as spans; words of one look make one span, spaces in it."""
    spans: list[Span] = []
    text = ""
    look: tuple[Style, str] | None = None
    for number, word in enumerate(words):
        space = "" if number == 0 or word.glued else " "
        font = word.font
        now = Style(font.bold, font.italic, font.mono, word.size, font.name, word.script), word.link
        if look == now:
            text += space + word.text
            continue
        if look is not None:
            # The space between two looks goes to the plain side, so that emphasis and code hug their words.
            before_plain = not (look[0].mono or look[1])
            spans.append(Span(text + (space if before_plain else ""), *look))
            space = "" if before_plain else space
        text, look = space + word.text, now
    if look is not None:
        spans.append(Span(text, *look))
    return tuple(spans)


def list_item(paragraph: Paragraph, level: int) -> ListItem:
    """A paragraph with a marker as a list item."""
    marker = paragraph.marker
    assert marker is not None
    box = hull(line.box for line in paragraph.lines)
    lines = lines_of(paragraph.lines, frozenset(paragraph.hard), skip=1)
    return ListItem(level, marker.text, marker.ordered, Quad.of(box), lines)


def table_block(found: FoundTable) -> Block:
    """A found table as a block."""
    cells = tuple(
        Cell(
            row=cell.row,
            column=cell.column,
            quad=Quad.of(cell.box),
            lines=lines_of(cell.lines()),
            row_span=cell.row_span,
            column_span=cell.column_span,
            header=cell.row < found.heads,
        )
        for cell in found.cells
    )
    table = Table(found.rows, found.columns, cells, found.bordered)
    return Block("table", Quad.of(found.box), table=table, confidence=found.confidence)


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


def _end(line: TextLine, follows: TextLine | None) -> Literal["soft", "hyphen", "glued", "hard"]:
    """How the next line joins: a hyphen after a letter before a small letter divides a word; other hyphens, of
    compounds and in addresses, stay and join without a space."""
    last = line.words[-1]
    if follows is None:
        return "soft"
    if not _DIVIDED.search(last.text) or len(last.text) < 3:
        if last.text.endswith(("/", "-")) and len(last.text) > 1 and last.font.mono:
            return "glued"
        return "glued" if _joins_without_space(last.text[-1], follows.words[0].text[0]) else "soft"
    if last.font.mono or last.link:
        return "glued"
    return "hyphen" if follows.words[0].text[0].islower() and "-" not in last.text[:-1] else "glued"


def _joins_without_space(last: str, first: str) -> bool:
    """Chinese and Japanese set no space between words, so none between lines."""
    return _is_han(last) and _is_han(first)


def _is_han(character: str) -> bool:
    return "\u3000" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or "\uff00" <= character <= "\uffef"
