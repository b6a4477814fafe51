"""The numbers of lines in the margin, as court papers and manuscripts have them, or between columns, as patents do."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from statistics import median

from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY

_ENDS: tuple[Callable[[Word], float], ...] = (
    attrgetter("right"),
    attrgetter("left"),
    lambda word: word.box.center[0],
)


def take_line_numbers(marks: PageMarks) -> None:
    """Move the line numbers of a page from its words to `line_numbers`."""
    numbers = [
        word
        for word in marks.words
        if word.text.isdecimal()  # which few are
        and len(word.text) <= TYPOGRAPHY.few
        and word.angle == 0
        and not word.glued
        and not word.font.mono
    ]
    columns = sorted((column for end in _ENDS for column in _columns(numbers, end)), key=len, reverse=True)
    for column in columns[: BOUNDS.tried]:
        if _number_lines(column, marks.words):
            taken = set(map(id, column))
            marks.line_numbers = column
            marks.words = [word for word in marks.words if id(word) not in taken]
            return


def _columns(numbers: Sequence[Word], end: Callable[[Word], float]) -> Iterator[list[Word]]:
    """Numbers that end, or have their middles, under each other and count up, top to bottom."""
    found: list[list[Word]] = []
    for word in sorted(numbers, key=end):
        if not found or end(word) - end(found[-1][-1]) > TYPOGRAPHY.frame:
            found.append([])
        found[-1].append(word)
    for column in found:
        column.sort(key=attrgetter("baseline"))
        if len(column) >= (TYPOGRAPHY.several if _step(column) > 1 else TYPOGRAPHY.few) and _step(column):
            yield column


def _step(column: Sequence[Word]) -> int:
    """By how much numbers go up, line by line; 0 where it is not always the same."""
    steps = Counter(int(below.text) - int(above.text) for above, below in itertools.pairwise(column))
    step, often = steps.most_common(1)[0] if steps else (0, 0)
    counts = step in (1, 2, 5, 10) and often >= TYPOGRAPHY.nearly_all * steps.total() and min(steps) > 0
    return step if counts else 0


def _number_lines(column: Sequence[Word], words: Sequence[Word]) -> bool:
    """Tell if numbers are those of lines: on each side of them where words are, these stand in as many lines as told.

    They are running text, where the numbers are those of all lines or stand between columns.
    """
    own = set(map(id, column))
    others = [word for word in words if id(word) not in own and word.angle == 0]
    left, right = min(word.left for word in column), max(word.right for word in column)
    sides = [[word for word in others if word.right <= left], [word for word in others if word.left >= right]]
    hardly = TYPOGRAPHY.hardly * len(others)
    levels = {round(number.baseline) for number in column}
    texts = [
        side
        for side in sides
        if len(side) > hardly or sum(round(word.baseline) in levels for word in side) >= TYPOGRAPHY.half * len(column)
    ]
    if not texts or len(others) - sum(map(len, sides)) > hardly:
        return False
    running = len(texts) > 1 or _step(column) == 1
    return (len(texts) == 1 or _step(column) > 1) and all(_are_counted(column, side, running) for side in texts)


def _are_counted(column: Sequence[Word], side: Sequence[Word], running: bool) -> bool:
    """Decide whether lines beside numbers are as far apart as these say. running: whether they must be a text's."""
    firsts: list[Word] = []
    for word in sorted(side, key=attrgetter("baseline")):
        if not firsts or word.baseline - firsts[-1].baseline > TYPOGRAPHY.half_em * word.size:
            firsts.append(word)
        elif word.left < firsts[-1].left:
            firsts[-1] = word
    steps = [below.baseline - above.baseline for above, below in itertools.pairwise(firsts)]
    small = sum(first.text[0].islower() for first in firsts)
    if not steps or (running and small < TYPOGRAPHY.third * len(firsts)):
        return False
    told = median(
        (below.baseline - above.baseline) / (int(below.text) - int(above.text) or 1)
        for above, below in itertools.pairwise(column)
    )
    low, high = sorted((told, median(steps)))
    return high < TYPOGRAPHY.plainly_larger * low
