"""Colours: what words stand on, and the lines drawn under and through them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import UNSEEN
from paperchute.engine.reading.layout.marks import Ground, Ink, PageMarks, Rule, Word, joined_rules
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class ColourSettings:
    """Which areas and lines belong to words."""

    under: tuple[float, float] = (0.01, 0.24)
    """Of the font size, from the baseline down: where lines under words lie. Of 83 sample pages change none at 0.8
    times, none at 1.1, 1 at 1.2."""

    through: tuple[float, float] = (-0.42, -0.18)
    """Of the font size, from the baseline down: where lines through words lie."""

    least_contrast: float = 1.6
    """The ratio (WCAG 2.2) below which a colour cannot be read on what is known to be behind it, which then is
    something else."""

    covered: float = 0.85
    """The share of a cell that an area covers as its colour; its padding may be bare. `eu-023` changes at 0.8."""


COLOURS = ColourSettings()


GroundRows = dict[int, list[Ground]]


def add_inks(marks: PageMarks) -> None:
    """Tell the words their grounds and lines, and keep the grounds for the cells of tables.

    A colour that could not be read on what is known to be behind it is dropped, since that may be a picture, and so is
    what hides words: they are laid over a scan to be found.
    """
    if len(marks.words) > BOUNDS.marks:
        return
    most = TYPOGRAPHY.most * marks.width * marks.height
    areas = [d for d in marks.drawings[: BOUNDS.marks] if d.fill and not d.strokes and d.box.area < most]
    marks.grounds = [Ground(area.box, area.fill) for area in areas]
    grounds = by_rows(marks.grounds)
    under, through = _drawn_lines(marks)
    for word in marks.words:
        color = word.ink.color if word.ink is not None else ""
        ground = _ground(word, grounds)
        if color == UNSEEN or (color and contrast(color, ground or "#ffffff") < COLOURS.least_contrast):
            color = ""
        ink = Ink(color, ground, id(word) in under, id(word) in through)
        word.ink = ink if ink != Ink() else None


def shade(box: Box, rows: GroundRows) -> str:
    """The colour of the area that a table's cell lies on, the last one painted; empty for none."""
    if not rows:
        return ""
    least = COLOURS.covered * max(box.area, 1.0)
    near = rows.get(int(box.center[1] // BOUNDS.strip), [])
    return next((ground.color for ground in reversed(near) if ground.box.overlap(box) >= least), "")


def by_rows(grounds: Iterable[Ground]) -> GroundRows:
    """Grounds by the strips of the page that they reach into, some hundreds in each."""
    rows: GroundRows = {}
    for ground in grounds:
        for row in range(int(ground.box.top // BOUNDS.strip), int(ground.box.bottom // BOUNDS.strip) + 1):
            found = rows.setdefault(row, [])
            if len(found) < BOUNDS.lines:
                found.append(ground)
    return rows


def _ground(word: Word, rows: GroundRows) -> str:
    """The colour behind the middle of a word, from end to end."""
    inset = min(TYPOGRAPHY.rounding, (word.right - word.left) / 4)
    y = (word.top + word.bottom) / 2
    for box, color in reversed(rows.get(int(y // BOUNDS.strip), [])):
        if box.left <= word.left + inset and word.right - inset <= box.right and box.top <= y <= box.bottom:
            return color
    return ""


def _drawn_lines(marks: PageMarks) -> tuple[set[int], set[int]]:
    """The ids of the words that a line is drawn under, and through."""
    flat, _ = joined_rules(rule for rule in marks.rules if rule.horizontal and not rule.edge)
    rows: dict[int, list[Rule]] = {}
    for rule in flat:
        found = rows.setdefault(int(rule.y1 // BOUNDS.strip), [])
        if len(found) < BOUNDS.lines:
            found.append(rule)
    under: dict[Rule, list[Word]] = {}
    through: dict[Rule, list[Word]] = {}
    for word in marks.words:
        if word.angle != 0:
            continue
        row = int(word.baseline // BOUNDS.strip)
        for rule in (rule for near in (row - 1, row, row + 1) for rule in rows.get(near, ())):
            place = (rule.y1 - word.baseline) / max(word.size, 1.0)
            slack = TYPOGRAPHY.touching * word.size
            if rule.x1 <= word.left + slack and rule.x2 >= word.right - slack:
                if COLOURS.under[0] <= place <= COLOURS.under[1]:
                    under.setdefault(rule, []).append(word)
                elif COLOURS.through[0] <= place <= COLOURS.through[1]:
                    through.setdefault(rule, []).append(word)
    return _fitting(under), _fitting(through)


def _fitting(lines: dict[Rule, list[Word]]) -> set[int]:
    """The words of those lines that end where their words do; others are rules of tables, or between texts."""
    return {
        id(word)
        for rule, words in lines.items()
        if min(word.left for word in words) - rule.x1 <= TYPOGRAPHY.half_em * words[0].size
        and rule.x2 - max(word.right for word in words) <= TYPOGRAPHY.half_em * words[0].size
        for word in words
    }


def contrast(one: str, other: str) -> float:
    """The ratio of the luminances of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
