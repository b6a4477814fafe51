"""Bar charts: areas that stand on one line, of one width and of different lengths, with hardly a word in them.

Areas of tables are different: the cells of a row are equally high and hold words; bars inside cells stand in rows with
further columns beside them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.marks import PageMarks, Rule, Word
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class ChartSettings:
    """Which areas are the bars of a chart.

    Lengths are points where nothing else is said. Fixed on printed charts, and on shaded cells and bars in tables,
    which stay tables.
    """

    axis: float = 30.0
    """From the bars to the names under them, and to the numbers of their axis. `eu-016` and `eu-019` change at 22."""


CHARTS = ChartSettings()


class _Bar(NamedTuple):
    """An area as a bar: its extent along the line it stands on, its foot and its tip, and the area itself."""

    low: float
    high: float
    foot: float
    tip: float
    box: Box


def bar_charts(marks: PageMarks) -> list[Box]:
    """The places of groups of bars, each with the names of its bars, which stand at their feet, and its legend."""
    areas = [d.box for d in marks.drawings[: BOUNDS.lines] if not d.strokes and min(d.box.width, d.box.height) > 0]
    if len(areas) < TYPOGRAPHY.several or len(marks.words) > BOUNDS.marks:
        return []
    words = marks.words
    standing = [_Bar(box.left, box.right, box.bottom, box.top, box) for box in areas]
    lying = [_Bar(box.top, box.bottom, box.left, box.right, box) for box in areas]
    upright = [word for word in words if word.angle == 0]
    found = []
    for group in _groups(standing, upright):
        box = hull(bar.box for bar in group)
        found.append(hull([box, *(word.box for word in _below(box, group, words))]))
    for group in _groups(lying, upright):
        box = hull(bar.box for bar in group)
        if _has_axis(box, marks.rules, upright) and not _in_table(group, box, marks.rules, upright):
            found.append(hull([box, *(word.box for word in _before(box, group, upright))]))
    return found


def with_legend(box: Box, marks: PageMarks) -> Box:
    """A chart with the samples of its legend, in colour or as lines, and the words beside each."""
    if len(marks.words) > BOUNDS.marks:
        return box
    drawings = marks.drawings[: BOUNDS.lines]
    samples = [d.box for d in drawings if not d.strokes and _is_sample(d.box)] + [
        b for b in marks.dots if _is_sample(b)
    ]
    lines = [d.box for d in drawings if d.strokes] + [Box(*rule[:4]) for rule in marks.rules if rule.horizontal]
    samples += [b for b in lines if TYPOGRAPHY.sign[0] <= b.width <= TYPOGRAPHY.figure_side and b.height <= b.width]
    return hull([box, *_legend(box, samples, [word for word in marks.words if word.angle == 0])])


def _is_sample(area: Box) -> bool:
    return TYPOGRAPHY.sign[0] <= min(area.width, area.height) and area.width <= TYPOGRAPHY.sign[1]


def _groups(bars: Iterable[_Bar], words: Sequence[Word]) -> list[list[_Bar]]:
    """Bars that make a chart."""
    feet: list[list[_Bar]] = []
    for bar in sorted(bars, key=lambda bar: bar.foot):
        if feet and bar.foot - feet[-1][-1].foot <= TYPOGRAPHY.rounding:
            feet[-1].append(bar)
        else:
            feet.append([bar])
    return [
        run
        for group in feet
        if len(group) >= TYPOGRAPHY.several
        for run in _runs(group)
        if _is_chart(run, words) and sum(_is_row_of_cells(run, other) for other in feet) < TYPOGRAPHY.pair
    ]


def _is_row_of_cells(bars: Sequence[_Bar], others: Sequence[_Bar]) -> bool:
    """Tell whether areas as wide as bars, at the same places, are equally high: then both shade the rows of a table."""
    same = [
        other
        for bar in bars
        for other in others
        if max(abs(bar.low - other.low), abs(bar.high - other.high)) <= TYPOGRAPHY.rounding
    ]
    lengths = [abs(other.tip - other.foot) for other in same]
    return len(same) >= len(bars) and max(lengths) - min(lengths) < TYPOGRAPHY.rounding


def _runs(bars: Sequence[_Bar]) -> list[list[_Bar]]:
    """Bars on one line, of about one width, in runs without a wide gap; the shorter of two at one place is left out."""
    usual = median(bar.high - bar.low for bar in bars)
    alike = [bar for bar in bars if abs(bar.high - bar.low - usual) <= TYPOGRAPHY.fifth * usual]
    runs: list[list[_Bar]] = []
    for bar in sorted(alike, key=lambda bar: (bar.low, -abs(bar.tip - bar.foot))):
        last = runs[-1][-1] if runs else None
        if last is not None and bar.low < last.high - TYPOGRAPHY.half * usual:
            continue
        if last is not None and bar.low - last.high <= TYPOGRAPHY.few * usual:
            runs[-1].append(bar)
        else:
            runs.append([bar])
    return [run for run in runs if len(run) >= TYPOGRAPHY.several]


def _is_chart(bars: Sequence[_Bar], words: Sequence[Word]) -> bool:
    box = hull(bar.box for bar in bars)
    lengths = [abs(bar.tip - bar.foot) for bar in bars]
    if min(box.width, box.height) < TYPOGRAPHY.figure_side or max(lengths) - min(lengths) < TYPOGRAPHY.tenth * max(
        lengths
    ):
        return False
    near = [(word, word.box.center) for word in words if box.holds(*word.box.center)]
    inside = [[word for word, center in near if bar.box.holds(*center)] for bar in bars]
    named = sum(any(not is_value(word) for word in own) for own in inside)
    return named <= TYPOGRAPHY.half * len(bars) and max(map(len, inside)) <= TYPOGRAPHY.several


def is_value(word: Word) -> bool:
    """Decide whether a word is a number at an axis or in a bar."""
    return any(letter.isdigit() for letter in word.text) and len(word.text) <= TYPOGRAPHY.phrase


def _has_axis(box: Box, rules: Sequence[Rule], words: Sequence[Word]) -> bool:
    """Decide whether lying bars stand on a rule, or a row of numbers stands along them, below or above."""
    if any(
        not (rule.horizontal or rule.edge)
        and abs(rule.x1 - box.left) < 2
        and rule.y1 <= box.top
        and rule.y2 >= box.bottom
        for rule in rules
    ):
        return True
    rows: dict[int, int] = {}
    for word in words:
        x, y = word.box.center
        beside = box.bottom < y < box.bottom + CHARTS.axis or box.top - CHARTS.axis < y < box.top
        if beside and box.left - CHARTS.axis < x < box.right + 2 * CHARTS.axis and is_value(word):
            row = round(word.baseline)
            rows[row] = rows.get(row, 0) + 1
    return max(rows.values(), default=0) >= TYPOGRAPHY.several


def _in_table(bars: Sequence[_Bar], box: Box, rules: Sequence[Rule], words: Sequence[Word]) -> bool:
    """Decide whether lying bars stand in the rows of a table: rules part the rows, or columns of words stand beside."""
    between = {
        round(rule.y1)
        for rule in rules
        if rule.horizontal
        and not rule.edge
        and box.top < rule.y1 < box.bottom
        and rule.x1 < box.left - TYPOGRAPHY.label_reach
    }
    if len(between) >= 2:
        return True
    lefts: list[float] = []
    columns = 0
    for bar in bars:
        row = [word for word in words if bar.low <= word.box.center[1] <= bar.high]
        before = sorted((word for word in row if word.right <= bar.foot + 2), key=lambda word: word.left)
        after = [word for word in row if word.left >= max(bar.tip, bar.foot) + TYPOGRAPHY.em * word.size]
        after.sort(key=lambda word: word.left)
        lefts += [min(word.left for word in after)] if after else []
        columns += any(
            b.left - a.right > TYPOGRAPHY.em * b.size for side in (before, after) for a, b in itertools.pairwise(side)
        )
    aligned = max((sum(abs(x - y) < 2 for y in lefts) for x in lefts), default=0)
    return columns >= TYPOGRAPHY.half * len(bars) or aligned >= TYPOGRAPHY.several


def _below(box: Box, bars: Sequence[_Bar], words: Sequence[Word]) -> list[Word]:
    """The words right under standing bars, where most bars have one: their names, in a few short lines."""
    near = Box(box.left - CHARTS.axis / 2, box.bottom, box.right + CHARTS.axis / 2, box.bottom + CHARTS.axis)
    found = [
        word for word in words if near.holds(*word.box.center) and word.left > near.left and word.right < near.right
    ]
    width = median(bar.high - bar.low for bar in bars)
    named = sum(any(bar.low - width / 2 < w.box.center[0] < bar.high + width / 2 for w in found) for bar in bars)
    few = len(found) <= TYPOGRAPHY.several * len(bars)
    return found if named >= TYPOGRAPHY.half * len(bars) and few and _are_names(found, bars, words) else []


def _are_names(found: Sequence[Word], bars: Sequence[_Bar], words: Sequence[Word]) -> bool:
    """Tell whether the words under bars stand apart from bar to bar as names do, and are no piece of a text's line."""
    lines: dict[int, list[Word]] = {}
    for word in found:
        if word.angle == 0:
            lines.setdefault(round(word.baseline), []).append(word)
    own = {id(word) for word in found}
    gaps = []
    for level, line in lines.items():
        line.sort(key=lambda word: word.left)
        for a, b in itertools.pairwise(line):
            if _nearest(a, bars) != _nearest(b, bars):
                gaps.append(_gap(a, b) > TYPOGRAPHY.wide_space)
        rest = [word for word in words if word.angle == 0 and round(word.baseline) == level and id(word) not in own]
        if any(min(abs(_gap(word, line[0])), abs(_gap(line[-1], word))) <= TYPOGRAPHY.wide_space for word in rest):
            return False
    return not lines or sum(gaps) > 0.5 * len(gaps)  # without lines they are turned, as long names are


def _nearest(word: Word, bars: Sequence[_Bar]) -> int:
    x = word.box.center[0]
    return min(range(len(bars)), key=lambda n: abs((bars[n].low + bars[n].high) / 2 - x))


def _gap(word: Word, after: Word) -> float:
    """From a word to the next one in its line, as a share of the font size."""
    return (after.left - word.right) / after.size


def _before(box: Box, bars: Sequence[_Bar], words: Sequence[Word]) -> list[Word]:
    """The words left of lying bars, at their height, where most bars have a few: their names."""
    found: list[Word] = []
    named = 0
    for bar in bars:
        row = sorted((w for w in words if bar.low - 1 <= w.box.center[1] <= bar.high + 1), key=lambda w: -w.right)
        name: list[Word] = []
        for word in row:
            last = name[-1].left if name else box.left
            if word.right <= box.left + 2 and last - word.right < (
                TYPOGRAPHY.several * TYPOGRAPHY.label_reach if not name else TYPOGRAPHY.wide_space * word.size
            ):
                name.append(word)
        if 0 < len(name) <= TYPOGRAPHY.few:
            named += 1
            found += name
    return found if named >= TYPOGRAPHY.half * len(bars) else []


def _legend(box: Box, areas: Sequence[Box], words: Sequence[Word]) -> list[Box]:
    """The samples of colour beside a chart and the few words right of each."""
    near = box.grown(TYPOGRAPHY.several * TYPOGRAPHY.label_reach)
    wide = TYPOGRAPHY.most * max(box.width, box.height)
    beside = Box(box.left - wide, box.top, box.right + wide, box.bottom)
    found: list[Box] = []
    for area in areas:
        if not (near.holds(*area.center) or beside.holds(*area.center)) or box.holds(*area.center):
            continue
        level = [word for word in words if word.top < area.center[1] < word.bottom and word.left >= area.right - 1]
        entry: list[Box] = []
        end = area.right
        for word in sorted(level, key=lambda word: word.left):
            if word.left - end > (TYPOGRAPHY.wide_space if entry else TYPOGRAPHY.em) * word.size:
                break
            entry.append(word.box)
            end = word.right
        if 0 < len(entry) <= TYPOGRAPHY.few:
            found += [area, *entry]
    return found
