"""Large first letters that reach down over several lines: each is put before the first of them, where it is read."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.reading.layout.lines import TextLine, line_of
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def with_initials(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, large first letters in front of the line that they begin.

    The lines beside such a letter begin where it does: they are of the paragraph whose other lines stand under it.
    """
    result = list(lines)
    for line in lines:
        word = line.words[0]
        if not _may_be(word, line):
            continue
        rest = line.words[1:]
        others = [other for other in result if other is not line] + ([line_of(rest)] if rest else [])
        beside = sorted((other for other in others if _is_beside(other, word)), key=lambda other: other.baseline)
        if len(beside) < TYPOGRAPHY.pair:
            continue
        result = sorted(others, key=lambda other: (other.baseline, other.left))
        start = beside[0].left
        beside[0].begin_with(word)
        word.glued = False
        for other in result:
            if other is not beside[0] and _goes_on(other, word, start):
                other.left = word.left
    return result


def lines_beside_initial(lines: Sequence[TextLine]) -> int:
    """Return how many lines of a paragraph its first letter reaches down over; 0 where it is none of theirs."""
    word = lines[0].words[0]
    if (
        word.size < TYPOGRAPHY.display * lines[0].size
        or word.baseline <= lines[0].baseline + TYPOGRAPHY.em / 3 * word.size
    ):
        return 0
    return 1 + sum(line.words[0].left > word.right and line.top < word.bottom for line in lines[1:])


def _may_be(word: Word, line: TextLine) -> bool:
    letters = [character for character in word.text if character.isalpha()]
    if len(word.text) > TYPOGRAPHY.pair or len(letters) != 1 or not letters[0].isupper():
        return False
    return len(line.words) == 1 or word.size >= TYPOGRAPHY.display * line.words[1].size


def _is_beside(line: TextLine, word: Word) -> bool:
    """Decide whether a line stands right of an initial, from its top to its foot."""
    gap = line.left - word.right
    return (
        word.size >= TYPOGRAPHY.display * line.size
        and -TYPOGRAPHY.em / 3 * line.size <= gap <= TYPOGRAPHY.em * line.size
        and word.top - TYPOGRAPHY.wide_space * line.size <= line.top
        and line.baseline <= word.baseline + TYPOGRAPHY.wide_space / 2 * line.size
    )


def _goes_on(line: TextLine, word: Word, start: float) -> bool:
    """Tell if a line stands beside an initial under the first one, which began at `start`; its foot may be higher."""
    return word.top < line.top < word.bottom and abs(line.left - start) <= TYPOGRAPHY.rounding
