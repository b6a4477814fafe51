"""Running text: printed lines that were broken because the next word did not fit, as cells of a table are not."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import FIRST_WIDE, Word
from paperchute.engine.reading.layout.paragraphs import PARAGRAPHS
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


def running_lines(lines: Iterable[TextLine]) -> set[int]:
    """The ids of the lines that are running text: each was broken because the next word did not fit, or follows one."""
    return {number for text in _wordy_texts(lines) for number in _running(text)}


def running_and_last(lines: Iterable[TextLine]) -> tuple[set[int], dict[int, TextLine]]:
    """The ids of the running lines; and by the id of each text's last one, which may be short, the line above it."""
    running: set[int] = set()
    last: dict[int, TextLine] = {}
    for text in _wordy_texts(lines):
        running |= _running(text)
        if id(text[-1]) in running:
            last[id(text[-1])] = text[-2]
    return running, last


def _wordy_texts(lines: Iterable[TextLine]) -> list[list[TextLine]]:
    return [text for text in texts(lines) if len(text) > 1 and is_wordy(text)]


def is_running(lines: Sequence[TextLine]) -> bool:
    """Decide whether nearly all lines are running text, so that they are no table even between rules."""
    return len(running_lines(lines)) >= TYPOGRAPHY.nearly_all * len(lines)


def in_columns(lines: Sequence[TextLine], left: float, right: float) -> bool:
    """Decide whether most of what stands from `left` to `right` is running text in the two columns of a page."""
    low, high = TYPOGRAPHY.third * (right - left), TYPOGRAPHY.most * (right - left)
    own = [line for line in _wide_lines(lines, low) if line.right - line.left <= high]
    middle = (left + right) / 2
    sides = sum(line.right <= middle for line in own), sum(line.left >= middle for line in own)
    return min(sides) >= TYPOGRAPHY.few and _share(own, lines) >= TYPOGRAPHY.half


def has_column(lines: Sequence[TextLine], left: float, right: float) -> bool:
    """Decide whether a good part of what stands from `left` to `right` is running text in a column, as beside notes."""
    own = _wide_lines(lines, TYPOGRAPHY.third * (right - left))
    return len(own) >= TYPOGRAPHY.few and _share(own, lines) >= TYPOGRAPHY.third


def _wide_lines(lines: Sequence[TextLine], width: float) -> list[TextLine]:
    running = running_lines(lines)
    return [line for line in lines if id(line) in running and line.right - line.left >= width]


def _share(part: Sequence[TextLine], lines: Sequence[TextLine]) -> float:
    return sum(line.chars for line in part) / max(sum(line.chars for line in lines), 1)


def texts(lines: Iterable[TextLine]) -> list[list[TextLine]]:
    """Lines of one size right under each other."""
    found: list[list[TextLine]] = []
    still_open: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.baseline):
        reach = line.baseline - TYPOGRAPHY.next_line * line.size
        still_open = [text for text in still_open[-BOUNDS.beside :] if text[-1].baseline >= reach]
        over = still_open[0] if still_open else None
        if len(still_open) > 1:
            over = _widest_above(still_open, line)
        if over is not None and _is_under(over[-1], line):
            over.append(line)
        else:
            found.append([line])
            still_open.append(found[-1])
    return found


def _widest_above(still_open: Sequence[list[TextLine]], line: TextLine) -> list[TextLine]:
    """The text whose last line has the most width in common with a line.

    Asked for each line of a page, where `_common` with its `min` and `max` would take most of the time.
    """
    over, most = still_open[0], -math.inf
    left, right = line.left, line.right
    for text in still_open:
        last = text[-1]
        common = (last.right if last.right < right else right) - (last.left if last.left > left else left)
        if common > most:
            over, most = text, common
    return over


def is_wordy(lines: Sequence[TextLine]) -> bool:
    """Decide whether half of the lines have as many words and letters as running text has."""
    if 2 * sum(line.words[0].text >= FIRST_WIDE for line in lines) > len(lines):
        return _middle([line.chars for line in lines]) >= TYPOGRAPHY.phrase
    lengths = [sum(not word.glued for word in line.words) for line in lines]
    return _middle(lengths) >= TYPOGRAPHY.several and _middle([line.chars for line in lines]) >= TYPOGRAPHY.cell_chars


def _running(text: Sequence[TextLine]) -> set[int]:
    ends = sorted(line.left if line.rtl else -line.right for line in text)
    edge = ends[len(ends) - 1 - math.ceil(TYPOGRAPHY.nearly_all * (len(ends) - 1))]
    found = set()
    goes_on = 0
    for above, below in itertools.pairwise(text):
        left_over = (above.left if above.rtl else -above.right) - edge
        if left_over < _first_width(below.words[0]) + PARAGRAPHS.fits * above.size:
            found |= {id(above), id(below)}
            first = below.words[0].text[0]
            goes_on += not (first.isupper() or first.isdigit())
    return found if goes_on >= TYPOGRAPHY.third * (len(text) - 1) else set()


def _first_width(word: Word) -> float:
    """Of what could have stood on the line above: a word, or a letter where words are not parted."""
    return word.size if word.text >= FIRST_WIDE else word.right - word.left


def _is_under(above: TextLine, line: TextLine) -> bool:
    step = line.baseline - above.baseline
    return (
        _common(above, line) >= TYPOGRAPHY.half * min(above.right - above.left, line.right - line.left)
        and TYPOGRAPHY.wide_space * line.size < step <= TYPOGRAPHY.next_line * line.size
        and abs(above.size - line.size) < TYPOGRAPHY.same_size * line.size
    )


def _common(above: TextLine, line: TextLine) -> float:
    return min(above.right, line.right) - max(above.left, line.left)


def _middle(numbers: Iterable[int]) -> int:
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2]
