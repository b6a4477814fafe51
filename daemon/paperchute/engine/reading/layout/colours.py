"""Colours: what words stand on, and the lines drawn under and through them."""

from __future__ import annotations

from collections.abc import Iterable

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import UNSEEN
from paperchute.engine.reading.layout.marks import Ground, Ink, PageMarks, Rule, Word, joined_rules

_MOST_GROUND = 0.6
"""The share of a page beyond which an area is the page's own ground."""
_MOST_GROUNDS = 5_000
_MOST_WORDS = 40_000
_MOST_IN_ROW = 300
_ROW = 20.0
_UNDER = (0.01, 0.24)
_THROUGH = (-0.42, -0.18)
"""Of the font size, from the baseline down: where lines under and through words lie."""
_END = 0.4
"""Of the font size: how far such a line may end from the end of its words."""
_LEAST_CONTRAST = 1.6
_COVERED = 0.85

GroundRows = dict[int, list[Ground]]


def add_inks(marks: PageMarks) -> None:
    """Tell the words their grounds and lines, and keep the grounds for the cells of tables.

    A colour that could not be read on what is known to be behind it is dropped, since that may be a picture, and so is
    what hides words: they are laid over a scan to be found.
    """
    if len(marks.words) > _MOST_WORDS:
        return
    most = _MOST_GROUND * marks.width * marks.height
    areas = [d for d in marks.drawings[:_MOST_GROUNDS] if d.fill and not d.strokes and d.box.area < most]
    marks.grounds = [Ground(area.box, area.fill) for area in areas]
    grounds = by_rows(marks.grounds)
    under, through = _drawn_lines(marks)
    for word in marks.words:
        color = word.ink.color if word.ink is not None else ""
        ground = _ground(word, grounds)
        if color == UNSEEN or (color and _contrast(color, ground or "#ffffff") < _LEAST_CONTRAST):
            color = ""
        ink = Ink(color, ground, id(word) in under, id(word) in through)
        word.ink = ink if ink != Ink() else None


def shade(box: Box, rows: GroundRows) -> str:
    """The colour of the area that a table's cell lies on, the last one painted; empty for none."""
    least = _COVERED * max(box.area, 1.0)
    near = rows.get(int(box.center[1] // _ROW), [])
    return next((ground.color for ground in reversed(near) if ground.box.overlap(box) >= least), "")


def by_rows(grounds: Iterable[Ground]) -> GroundRows:
    """Grounds by the strips of the page that they reach into, some hundreds in each."""
    rows: GroundRows = {}
    for ground in grounds:
        for row in range(int(ground.box.top // _ROW), int(ground.box.bottom // _ROW) + 1):
            found = rows.setdefault(row, [])
            if len(found) < _MOST_IN_ROW:
                found.append(ground)
    return rows


def _ground(word: Word, rows: GroundRows) -> str:
    """The colour behind the middle of a word, from end to end."""
    inset = min(1.0, (word.right - word.left) / 4)
    y = (word.top + word.bottom) / 2
    for box, color in reversed(rows.get(int(y // _ROW), [])):
        if box.left <= word.left + inset and word.right - inset <= box.right and box.top <= y <= box.bottom:
            return color
    return ""


def _drawn_lines(marks: PageMarks) -> tuple[set[int], set[int]]:
    """The ids of the words that a line is drawn under, and through."""
    flat, _ = joined_rules(rule for rule in marks.rules if rule.horizontal and not rule.edge)
    rows: dict[int, list[Rule]] = {}
    for rule in flat:
        found = rows.setdefault(int(rule.y1 // _ROW), [])
        if len(found) < _MOST_IN_ROW:
            found.append(rule)
    under: dict[Rule, list[Word]] = {}
    through: dict[Rule, list[Word]] = {}
    for word in marks.words:
        if word.angle != 0:
            continue
        row = int(word.baseline // _ROW)
        for rule in (rule for near in (row - 1, row, row + 1) for rule in rows.get(near, ())):
            place = (rule.y1 - word.baseline) / max(word.size, 1.0)
            slack = 0.15 * word.size
            if rule.x1 <= word.left + slack and rule.x2 >= word.right - slack:
                if _UNDER[0] <= place <= _UNDER[1]:
                    under.setdefault(rule, []).append(word)
                elif _THROUGH[0] <= place <= _THROUGH[1]:
                    through.setdefault(rule, []).append(word)
    return _fitting(under), _fitting(through)


def _fitting(lines: dict[Rule, list[Word]]) -> set[int]:
    """The words of those lines that end where their words do; others are rules of tables, or between texts."""
    return {
        id(word)
        for rule, words in lines.items()
        if min(word.left for word in words) - rule.x1 <= _END * words[0].size
        and rule.x2 - max(word.right for word in words) <= _END * words[0].size
        for word in words
    }


def _contrast(one: str, other: str) -> float:
    """The ratio of the luminances of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
