"""The numbers of lines in the margin, as court papers and manuscripts have them, or between columns, as patents do."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import median

from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class LineNumberSettings:
    """What tells a column of line numbers from a list, a table and page numbers.

    Fixed on pages of LaTeX's lineno and on court papers drawn for it: numbered lists and tables must stay as they are.
    """

    between: float = 1.6
    """Lines of text from the first number to the last for each that they count: more are those of a table's numbered
    rows; court papers set quotations in half of the distance."""


LINE_NUMBERS = LineNumberSettings()


def take_line_numbers(marks: PageMarks) -> None:
    """Move the line numbers of a page from its words to `line_numbers`."""
    found = _line_numbers(marks.words)
    if found:
        taken = set(map(id, found))
        marks.line_numbers = found
        marks.words = [word for word in marks.words if id(word) not in taken]


def _line_numbers(words: Sequence[Word]) -> list[Word]:
    numbers = [
        word
        for word in words
        if word.text.isdecimal()  # which few are
        and len(word.text) <= TYPOGRAPHY.few
        and word.angle == 0
        and not word.glued
        and not word.font.mono
    ]
    if len(numbers) < TYPOGRAPHY.several:
        return []
    for edge in (max, min):  # of the numbers in the left margin, then in the right one
        for column in _columns(numbers, edge is max):
            if _counts(column) and _is_in_margin(column, words, edge is max) and _numbers_lines(column, words):
                return column
    return _between_columns(numbers, words)


def _between_columns(numbers: Sequence[Word], words: Sequence[Word]) -> list[Word]:
    """The numbers of every fifth line or so between two columns of running text."""
    for column in _columns_inside(numbers):
        own = set(map(id, column))
        others = [word for word in words if id(word) not in own and word.angle == 0]
        left, right = min(word.left for word in column), max(word.right for word in column)
        sides = [[w for w in others if w.right <= left], [w for w in others if w.left >= right]]
        crossing = len(others) - len(sides[0]) - len(sides[1])
        if (
            crossing <= TYPOGRAPHY.hardly * len(others)
            and _counts(column)
            and int(column[1].text) > int(column[0].text) + 1
            and all(_runs_beside(column, side) for side in sides)
        ):
            return column
    return []


def _columns_inside(numbers: Iterable[Word]) -> list[list[Word]]:
    """The columns of numbers by their middles, each top to bottom; the longest first."""
    found: list[list[Word]] = []
    middle = float("-inf")
    for word in sorted(numbers, key=lambda word: word.box.center[0]):
        if word.box.center[0] - middle > TYPOGRAPHY.frame:
            found.append([])
        found[-1].append(word)
        middle = word.box.center[0]
    long = [sorted(own, key=attrgetter("baseline")) for own in found if len(own) >= TYPOGRAPHY.several]
    return sorted(long, key=len, reverse=True)


def _runs_beside(column: Sequence[Word], side: Sequence[Word]) -> bool:
    """Tell if words are running text, as far apart as the numbers say: lines without words and headings count too."""
    firsts: list[Word] = []
    for word in sorted(side, key=attrgetter("baseline")):
        if not firsts or word.baseline - firsts[-1].baseline > TYPOGRAPHY.half_em * word.size:
            firsts.append(word)
        elif word.left < firsts[-1].left:
            firsts[-1] = word
    steps = [below.baseline - above.baseline for above, below in itertools.pairwise(firsts)]
    small = sum(first.text[0].islower() for first in firsts)
    if not steps or small < TYPOGRAPHY.third * len(firsts):
        return False
    pitch = median(steps)
    even = sum(
        abs(below.baseline - above.baseline - pitch * (int(below.text) - int(above.text))) < pitch
        for above, below in itertools.pairwise(column)
    )
    return even >= TYPOGRAPHY.nearly_all * (len(column) - 1)


def _columns(numbers: Iterable[Word], left: bool) -> list[list[Word]]:
    """The outermost columns of numbers, by their right and by their left ends, top to bottom; the longest first."""
    found = []
    for end in (attrgetter("right"), attrgetter("left")):
        ordered = sorted(numbers, key=end, reverse=not left)
        column = ordered[:1]
        for word in ordered[1:]:
            if abs(end(word) - end(column[-1])) > TYPOGRAPHY.frame:
                break
            column.append(word)
        if len(column) >= TYPOGRAPHY.several:
            found.append(sorted(column, key=attrgetter("baseline")))
    return sorted(found, key=len, reverse=True)


def _is_in_margin(column: Sequence[Word], words: Sequence[Word], left: bool) -> bool:
    """Decide whether nearly all other words stand on one side of a column."""
    own = set(map(id, column))
    others = [word for word in words if id(word) not in own and word.angle == 0]
    if left:
        edge = max(word.right for word in column)
        reaching = sum(word.left < edge for word in others)
    else:
        edge = min(word.left for word in column)
        reaching = sum(word.right > edge for word in others)
    return reaching <= TYPOGRAPHY.hardly * len(others)


def _counts(column: Sequence[Word]) -> bool:
    """Decide whether numbers go up by the same step, line by line."""
    steps = Counter(int(below.text) - int(above.text) for above, below in itertools.pairwise(column))
    step, often = steps.most_common(1)[0]
    return step in (1, 2, 5, 10) and often >= TYPOGRAPHY.nearly_all * steps.total() and min(steps) > 0


def _numbers_lines(column: Sequence[Word], words: Sequence[Word]) -> bool:
    """Tell whether the numbers are those of lines: running text stands beside them, or they say how many there are."""
    own = set(map(id, column))
    others = sorted((w for w in words if id(w) not in own and w.angle == 0), key=attrgetter("baseline"))
    return (len(column) >= TYPOGRAPHY.few and _number_text(column, others)) or _count_lines(column, others)


def _count_lines(column: Sequence[Word], others: Sequence[Word]) -> bool:
    """Decide whether from each number to the next there are as many lines as they say, more than one."""
    baselines: list[float] = []
    for word in others:
        if not baselines or word.baseline - baselines[-1] > TYPOGRAPHY.half_em * word.size:
            baselines.append(word.baseline)
    places = [bisect_right(baselines, number.baseline + TYPOGRAPHY.half_em * number.size) for number in column]
    said = [int(below.text) - int(above.text) for above, below in itertools.pairwise(column)]
    lines = [below - above for above, below in itertools.pairwise(places)]
    counted = sum(1 < a <= b < TYPOGRAPHY.plainly_larger * a for a, b in zip(said, lines, strict=True))
    return counted >= TYPOGRAPHY.nearly_all * (len(column) - 1)


def _number_text(column: Sequence[Word], others: Sequence[Word]) -> bool:
    """Decide whether lines of running text stand beside the numbers."""
    baselines = [word.baseline for word in others]
    firsts = []
    for number in column:
        reach = TYPOGRAPHY.half_em * number.size
        start, end = bisect_left(baselines, number.baseline - reach), bisect_right(baselines, number.baseline + reach)
        if start < end:
            firsts.append(min(others[start:end], key=attrgetter("left")))
    small = sum(first.text[0].islower() for first in firsts)
    if not firsts or small < TYPOGRAPHY.third * len(firsts):
        return False
    edge = min(first.left for first in firsts) + TYPOGRAPHY.em * column[0].size
    first, last = column[0], column[-1]
    low, high = (number.baseline + side * TYPOGRAPHY.half_em * number.size for number, side in ((first, -1), (last, 1)))
    lines = [word.baseline for word in others if word.left <= edge and low <= word.baseline <= high]
    reach = TYPOGRAPHY.half_em * first.size
    count = 1 + sum(below - above > reach for above, below in itertools.pairwise(lines))
    return count <= LINE_NUMBERS.between * (int(last.text) - int(first.text) + 1)
