"""Drawn rows that hold several rows: a group's label, and under it entries whose figures stand side by side."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.anchors import had_no_room, text_of
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.tables.grid import FoundCell
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

Line = Sequence[Sequence[Word]]
"""A printed line's words, cell by cell of its drawn row."""


def group_lines(cells: Sequence[FoundCell], bands: Sequence[Band]) -> list[Line]:
    """The printed lines of a drawn row: of each the words of every cell, left to right."""
    lines: list[Line] = []
    for band in bands:
        inside = {id(word) for word in band.words}
        lines.append([[word for word in cell.words if id(word) in inside] for cell in cells])
    return lines


def is_group(lines: Sequence[Line]) -> bool:
    """Decide whether several lines have a label, and figures in the same columns, as entries of a group have."""
    entries = [_figured(line) for line in lines if line[0]]
    most = max((sum(first & own == first for own in entries) for first in entries if _are_several(first)), default=0)
    return most >= TYPOGRAPHY.pair


def group_starts(cells: Sequence[FoundCell], lines: Sequence[Line]) -> list[bool]:
    """With which lines of a drawn row its rows begin, where the table has groups.

    A line with figures is a row, or goes on with a label that stands alone above; without them it is a label, or the
    further line of one.
    """
    if not any(map(_figured, lines)):
        return [True] + [False] * (len(lines) - 1)
    edge = cells[0].box.right - (cells[0].words[0].left - cells[0].box.left if cells[0].words else 0.0)
    starts = [True]
    held = bool(_figured(lines[0]))
    label = lines[0][0]
    for line in lines[1:]:
        figures = bool(_figured(line))
        own_label = bool(line[0]) and not (
            (label and had_no_room(label[-1], line[0][0], edge)) or (not figures and _goes_on(line[0]))
        )
        begins = (figures and held) or own_label
        starts.append(begins)
        held = figures if begins else held or figures
        label = line[0] or label
    return starts


def _are_several(columns: set[int]) -> bool:
    return len(columns) >= TYPOGRAPHY.pair


def _figured(line: Line) -> set[int]:
    """The columns, but that of the labels, in which a line has a figure of its own: one in brackets may go on above."""
    return {n for n, words in enumerate(line) if n and words and _is_entry(words)}


def _is_entry(words: Sequence[Word]) -> bool:
    """Decide whether words are a figure with its marks: `27 (65.9)`, `<0.001 b`."""
    text = text_of(words)
    short = all(sum(c.isalpha() for c in word.text) <= TYPOGRAPHY.pair for word in words)
    return short and any(c.isdigit() for c in text) and text[0] not in "([+-−–"


def _goes_on(label: Sequence[Word]) -> bool:
    """Decide whether a label without figures goes on with the one above: a unit in brackets, or in small letters."""
    first = label[0].text[0]
    return first == "(" or first.islower()
