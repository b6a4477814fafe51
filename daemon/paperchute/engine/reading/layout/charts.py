"""Bar charts: areas that stand on one line, of one width and of different lengths, with hardly a word in them.

Areas of tables are different: the cells of a row are equally high and hold words; bars inside cells stand in rows with
further columns beside them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.marks import PageMarks, Rule, Word

_FEWEST = 3
_SAME = 0.7
"""Points between the feet of bars that stand on one line."""
_WIDTHS = 0.2
_LENGTHS = 0.12
"""Shares of the usual width and of the largest length, by which widths may and lengths must differ."""
_LEAST_SIDE = 36.0
_APART = 4.0
"""How many times as wide as a bar the gap to the next may be."""
_FILLED = 0.5
"""The share of bars that may have words in them which are no numbers."""
_AXIS = 30.0
_FEWEST_TICKS = 3
_ROW_RULE = 20.0
_NAMES = 45.0
"""Points from the names of lying bars to these."""
_NAME_GAP = 0.6
"""The share of the font size between two names at least; words of a text stand closer."""
_LEGEND = 60.0
_SAMPLE = (5.0, 16.0)
"""Points that samples of colour are from a chart, and their sides; the bullets of lists are smaller."""
_MOST_LEGEND_WORDS = 4
_MOST_AREAS = 1_000
_MOST_WORDS = 10_000


class _Bar(NamedTuple):
    """An area as a bar: its extent along the line it stands on, its foot and its tip, and the area itself."""

    low: float
    high: float
    foot: float
    tip: float
    box: Box


def bar_charts(marks: PageMarks) -> list[Box]:
    """The places of groups of bars, each with the names of its bars, which stand at their feet, and its legend."""
    areas = [d.box for d in marks.drawings[:_MOST_AREAS] if not d.strokes and min(d.box.width, d.box.height) > 0]
    if len(areas) < _FEWEST or len(marks.words) > _MOST_WORDS:
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
    return [hull([box, *_legend(box, [*areas, *marks.dots], upright)]) for box in found]


def _groups(bars: Iterable[_Bar], words: Sequence[Word]) -> list[list[_Bar]]:
    """Bars that make a chart."""
    feet: list[list[_Bar]] = []
    for bar in sorted(bars, key=lambda bar: bar.foot):
        if feet and bar.foot - feet[-1][-1].foot <= _SAME:
            feet[-1].append(bar)
        else:
            feet.append([bar])
    return [run for group in feet if len(group) >= _FEWEST for run in _runs(group) if _is_chart(run, words)]


def _runs(bars: Sequence[_Bar]) -> list[list[_Bar]]:
    """Bars on one line, of about one width, in runs without a wide gap; the shorter of two at one place is left out."""
    usual = median(bar.high - bar.low for bar in bars)
    alike = [bar for bar in bars if abs(bar.high - bar.low - usual) <= _WIDTHS * usual]
    runs: list[list[_Bar]] = []
    for bar in sorted(alike, key=lambda bar: (bar.low, -abs(bar.tip - bar.foot))):
        last = runs[-1][-1] if runs else None
        if last is not None and bar.low < last.high - 0.5 * usual:
            continue
        if last is not None and bar.low - last.high <= _APART * usual:
            runs[-1].append(bar)
        else:
            runs.append([bar])
    return [run for run in runs if len(run) >= _FEWEST]


def _is_chart(bars: Sequence[_Bar], words: Sequence[Word]) -> bool:
    box = hull(bar.box for bar in bars)
    lengths = [abs(bar.tip - bar.foot) for bar in bars]
    if min(box.width, box.height) < _LEAST_SIDE or max(lengths) - min(lengths) < _LENGTHS * max(lengths):
        return False
    inside = [[word for word in words if bar.box.holds(*word.box.center)] for bar in bars]
    named = sum(any(not _is_value(word) for word in own) for own in inside)
    return named <= _FILLED * len(bars) and max(map(len, inside)) <= _FEWEST


def _is_value(word: Word) -> bool:
    return any(letter.isdigit() for letter in word.text) and len(word.text) <= 8


def _has_axis(box: Box, rules: Sequence[Rule], words: Sequence[Word]) -> bool:
    """Whether lying bars stand on a rule, or a row of numbers stands along them, below or above."""
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
        beside = box.bottom < y < box.bottom + _AXIS or box.top - _AXIS < y < box.top
        if beside and box.left - _AXIS < x < box.right + 2 * _AXIS and _is_value(word):
            row = round(word.baseline)
            rows[row] = rows.get(row, 0) + 1
    return max(rows.values(), default=0) >= _FEWEST_TICKS


def _in_table(bars: Sequence[_Bar], box: Box, rules: Sequence[Rule], words: Sequence[Word]) -> bool:
    """Whether lying bars stand in the rows of a table: rules part the rows, or columns of words stand beside."""
    between = {
        round(rule.y1)
        for rule in rules
        if rule.horizontal and not rule.edge and box.top < rule.y1 < box.bottom and rule.x1 < box.left - _ROW_RULE
    }
    if len(between) >= 2:
        return True
    lefts: list[float] = []
    columns = 0
    for bar in bars:
        row = [word for word in words if bar.low <= word.box.center[1] <= bar.high]
        before = sorted((word for word in row if word.right <= bar.foot + 2), key=lambda word: word.left)
        after = [word for word in row if word.left >= max(bar.tip, bar.foot) + 1.5 * word.size]
        lefts += [min(word.left for word in after)] if after else []
        columns += any(b.left - a.right > 1.5 * b.size for a, b in itertools.pairwise(before))
    aligned = max((sum(abs(x - y) < 2 for y in lefts) for x in lefts), default=0)
    return columns >= 0.5 * len(bars) or aligned >= _FEWEST


def _below(box: Box, bars: Sequence[_Bar], words: Sequence[Word]) -> list[Word]:
    """The words right under standing bars, where most bars have one: their names, in a few short lines."""
    near = Box(box.left - _AXIS / 2, box.bottom, box.right + _AXIS / 2, box.bottom + _AXIS)
    found = [
        word for word in words if near.holds(*word.box.center) and word.left > near.left and word.right < near.right
    ]
    width = median(bar.high - bar.low for bar in bars)
    named = sum(any(bar.low - width / 2 < w.box.center[0] < bar.high + width / 2 for w in found) for bar in bars)
    return found if named >= 0.5 * len(bars) and len(found) <= 3 * len(bars) and _are_names(found, bars, words) else []


def _are_names(found: Sequence[Word], bars: Sequence[_Bar], words: Sequence[Word]) -> bool:
    """Whether the words under bars stand apart from bar to bar as names do, and are no piece of a text's line."""
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
                gaps.append(_gap(a, b) > _NAME_GAP)
        rest = [word for word in words if word.angle == 0 and round(word.baseline) == level and id(word) not in own]
        if any(min(abs(_gap(word, line[0])), abs(_gap(line[-1], word))) <= _NAME_GAP for word in rest):
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
            if word.right <= box.left + 2 and last - word.right < (_NAMES if not name else 0.8 * word.size):
                name.append(word)
        if 0 < len(name) <= _MOST_LEGEND_WORDS:
            named += 1
            found += name
    return found if named >= 0.5 * len(bars) else []


def _legend(box: Box, areas: Sequence[Box], words: Sequence[Word]) -> list[Box]:
    """The samples of colour beside a chart and the few words right of each."""
    near = box.grown(_LEGEND)
    found: list[Box] = []
    for area in areas:
        if not (near.holds(*area.center) and _SAMPLE[0] <= min(area.width, area.height) and area.width <= _SAMPLE[1]):
            continue
        level = [word for word in words if word.top < area.center[1] < word.bottom and word.left >= area.right - 1]
        entry: list[Box] = []
        end = area.right
        for word in sorted(level, key=lambda word: word.left):
            if word.left - end > (1.2 if not entry else 0.6) * word.size:
                break
            entry.append(word.box)
            end = word.right
        if 0 < len(entry) <= _MOST_LEGEND_WORDS:
            found += [area, *entry]
    return found
