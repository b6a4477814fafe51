"""Whether what stands on both sides of a gutter are columns, each read by itself, or cells of common rows."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.blocks import Placed
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.lists import marker_of
from paperchute.engine.reading.layout.marks import FIRST_WIDE, Word
from paperchute.engine.reading.layout.running_text import texts
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class SideSettings:
    """What tells columns from cells. Distances are shares of the font size where nothing else is said.

    Fixed on printed Markdown in two columns, on pages that TeX set in one to three columns, and on scans of tables that
    reach over a gutter.
    """

    narrowest: float = 0.12
    """Of the whole width: narrower sides are margin notes or line numbers, not columns. `eu-012` changes at 0.1."""

    same_baseline: float = 0.2
    """Between baselines of one row, which cells have and columns have by chance. A payment form changes at 0.25."""

    more_gaps: int = 5
    """One gap between so many lines may be wider, over a heading or a formula. A safety sheet changes at 4, where so
    many lines make a text."""


SIDES = SideSettings()


_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?")
_NUMBER = re.compile(r"^(\d{1,3})[.) ]")


@dataclass(slots=True)
class Piece:
    """Something with a place on the page: a line, a table, a picture, or the blocks of a text that is turned.

    order: where the page's content has it, -1 where that tells nothing. running: whether it is a line of running text.
    alone: whether it is known to make no row of a table with the pieces around it. line: the content when it is text.
    """

    box: Box
    content: TextLine | FoundTable | Placed | list[Placed]
    order: int = -1
    running: bool = False
    alone: bool = False
    line: TextLine | None = field(init=False)

    def __post_init__(self) -> None:
        self.line = self.content if isinstance(self.content, TextLine) else None

    @property
    def core(self) -> tuple[float, float]:
        """Left and right end of what is surely in its own column."""
        left, _, right, _ = self.box
        overhang = TYPOGRAPHY.hardly * (right - left) if isinstance(self.content, FoundTable) else 0.0
        return left + overhang, right - overhang


def pieces_of(lines: Sequence[TextLine], words: Sequence[Word]) -> list[Piece]:
    """Lines with their places in the page's content, which recognised words have none in.

    words: all of the page, as its content has them.
    """
    order = dict(zip(map(id, words), itertools.count(), strict=False))
    return [
        Piece(line.box, line, order.get(id(line.words[0]), -1) if line.words[0].confidence == 1 else -1)
        for line in lines
    ]


def are_columns(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Decide whether both sides are columns of their own rather than cells of common rows."""
    sides = [left, right]
    boxes = [hull(p.box for p in side) for side in sides]
    common = min(b.bottom for b in boxes) - max(b.top for b in boxes)
    lines = [[p.line for p in side if p.line] for side in sides]
    if common <= 0:
        return False
    if _is_beside_text(left, right) or _is_beside_text(right, left):
        return True
    if min(b.width for b in boxes) < SIDES.narrowest * (boxes[1].right - boxes[0].left):
        return False
    if any(len(own) < TYPOGRAPHY.several and len(own) == len(side) for own, side in zip(lines, sides, strict=True)):
        return False
    if any(_is_filled(side, box) for side, box in zip(sides, boxes, strict=True)):
        return True
    if all(_is_prose(side, box) for side, box in zip(sides, boxes, strict=True)):
        return not _are_rows(*lines) or _are_written_apart(*sides)
    if _are_lists(*lines) or _are_written_apart(*sides):
        return True
    few, many = sorted(lines, key=len)
    return (
        level_share(few, many) < TYPOGRAPHY.half
        and common > TYPOGRAPHY.half * min(b.height for b in boxes)
        and len(few) >= 2 * TYPOGRAPHY.several
    )


def parts_numbers(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Tell whether the left side ends in the numbers of the right one's clauses, so that both sides meet elsewhere."""
    numbers = [piece for piece in left if piece.line and _CLAUSE.fullmatch(piece.line.text)]
    if len(numbers) < TYPOGRAPHY.several or len(numbers) == len(left):
        return False
    among = {id(piece) for piece in numbers}
    edge = max(piece.box.right for piece in left if id(piece) not in among)
    own = [piece.line for piece in numbers if piece.line and piece.box.left >= edge]
    return len(own) >= TYPOGRAPHY.several and 2 * _count_level(own, [p.line for p in right if p.line]) > len(own)


def rows_of_text(left: Sequence[Piece], right: Sequence[Piece]) -> list[tuple[list[Piece], list[Piece]]]:
    """Both sides parted into the rows of a table of running text without rules, as of a contract in two languages.

    Empty where they are none. Each cell is read to its end before the next.
    """
    sides = [left, right]
    lines = [[piece.line for piece in side if piece.line] for side in sides]
    if not all(_is_prose(side, hull(piece.box for piece in side)) for side in sides) or not _are_rows(*lines):
        return []
    first, second = (_starts(side) for side in lines)
    return _at_tops([line.top for line in first if _count_level([line], second)], left, right)


def rows_with_labels(left: Sequence[Piece], right: Sequence[Piece]) -> list[tuple[list[Piece], list[Piece]]]:
    """Both sides parted into labels, or headings in the margin, and the text that each has to its right.

    Empty where they are none, and where all labels are one line of the text's size: each then begins its text's first
    line, as the names in a play do.
    """
    labels = sorted((piece.line for piece in left if piece.line), key=lambda line: line.baseline)
    text = [piece.line for piece in right if piece.line]
    boxes = [hull(piece.box for piece in side) for side in (left, right)]
    if len(labels) < len(left) or boxes[0].width > TYPOGRAPHY.most * boxes[1].width or not _is_prose(right, boxes[1]):
        return []
    firsts = _starts(text)
    beside = [next((first for first in firsts if _are_level(label, first)), None) for label in labels]
    heads = [number for number, first in enumerate(beside) if first is not None]
    lengths = [end - start for start, end in itertools.pairwise([*heads, len(labels)])]
    if len(heads) < TYPOGRAPHY.pair or max(lengths) > TYPOGRAPHY.few:
        return []
    if any(sum(map(str.isalpha, labels[number].text)) < TYPOGRAPHY.several for number in heads):
        return []
    begun = {id(labels[number]) for number in heads}
    if any(id(line) not in begun for line in _starts(labels)):
        return []
    size = median([line.size for line in text])
    if max(lengths) == 1 and any(labels[number].size < TYPOGRAPHY.larger * size for number in heads):
        return []
    tops = [min(label.top, first.top) for label, first in zip(labels, beside, strict=True) if first is not None]
    return _at_tops(tops, left, right)


def _are_level(label: TextLine, first: TextLine) -> bool:
    return abs(label.baseline - first.baseline) < TYPOGRAPHY.half_em * label.size


def _at_tops(
    tops: Sequence[float], left: Sequence[Piece], right: Sequence[Piece]
) -> list[tuple[list[Piece], list[Piece]]]:
    """Both sides parted where rows begin."""
    rows: list[tuple[list[Piece], list[Piece]]] = [([], []) for _ in range(len(tops) + 1)]
    for number, side in enumerate((left, right)):
        for piece in side:
            rows[bisect_right(tops, piece.box.center[1])][number].append(piece)
    return [row for row in rows if any(row)]


def stacked(left: Sequence[Piece], right: Sequence[Piece]) -> list[tuple[list[Piece], list[Piece]]]:
    """Both sides parted where they begin anew at one height under headings of one look, as rows of boxes do.

    Also over and under short texts beside each other where only one side goes on, as that of a letter does under its
    address and reference.
    """
    parts: list[tuple[list[Piece], list[Piece]]] = [([], [])]
    bottom = 0.0
    both = [(piece, 0) for piece in left] + [(piece, 1) for piece in right]
    both.sort(key=lambda entry: entry[0].box.top)
    for number, (piece, side) in enumerate(both):
        line = piece.line
        if line is not None and any(parts[-1]) and line.top - bottom > TYPOGRAPHY.tab * line.size:
            twin = next((other for other, at in both[number:] if at != side), None)
            if twin is None or not all(parts[-1]):
                apart = not any(above.running for own in parts[-1] for above in own)
            else:
                heads = (piece, twin) if side == 0 else (twin, piece)
                apart = _are_heads(piece, twin) and _read_across(parts[-1][1], *heads)
            if apart:
                parts.append(([], []))
        parts[-1][side].append(piece)
        bottom = max(bottom, piece.box.bottom)
    return parts


def _are_heads(piece: Piece, other: Piece) -> bool:
    line, twin = piece.line, other.line
    return (
        line is not None
        and twin is not None
        and line.bold
        and twin.bold
        and line.size == twin.size
        and abs(line.baseline - twin.baseline) < SIDES.same_baseline * line.size
    )


def _read_across(above: Sequence[Piece], left: Piece, right: Piece) -> bool:
    """Decide whether a row of boxes is read before the next: their numbers tell, else the order in the page's content.

    above: what stands over the right one.
    """
    numbers = [_NUMBER.match(piece.line.text) for piece in (left, right) if piece.line]
    first, second = (int(number[1]) if number else 0 for number in numbers)
    if first and second:
        return second == first + 1
    return max(piece.order for piece in above) <= left.order


def _is_beside_text(text: Sequence[Piece], other: Sequence[Piece]) -> bool:
    """Decide whether one side is surely a column of text, and the other goes on beside it as no cells of rows do."""
    running = [piece for piece in text if piece.running]
    if len(running) < TYPOGRAPHY.few or _chars(running) < TYPOGRAPHY.most * _chars(text):
        return False
    lines = sorted((piece.line for piece in other if piece.line), key=lambda line: line.baseline)
    if not lines or len(lines) < len(other) or not any(c.isalpha() for line in lines for c in line.text):
        return False
    wide = sum(
        below.baseline - above.baseline > TYPOGRAPHY.next_line * max(above.size, below.size)
        for above, below in itertools.pairwise(lines)
    )
    if wide * SIDES.more_gaps > len(lines):
        return False
    first = min((piece.line for piece in running if piece.line), key=lambda line: line.baseline)
    begins = abs(lines[0].baseline - first.baseline) < TYPOGRAPHY.next_line * first.size
    wordy = all(len(line.words) >= TYPOGRAPHY.pair for line in lines[:-1])
    return wordy and (len(lines) >= TYPOGRAPHY.several or (begins and len(lines[0].words) >= TYPOGRAPHY.pair))


def _chars(pieces: Iterable[Piece]) -> int:
    return sum(piece.line.chars for piece in pieces if piece.line)


def _is_filled(side: Sequence[Piece], box: Box) -> bool:
    """Tell whether a side has no lines, or tables and pictures fill most of it, so that its few lines tell nothing."""
    other = [piece.box.height for piece in side if piece.line is None]
    return len(other) == len(side) or sum(other) > TYPOGRAPHY.half * box.height


def _is_prose(side: Sequence[Piece], box: Box) -> bool:
    """Decide whether a side is running text, perhaps in columns again; or most of its lines are long and fill it."""
    lines = [piece.line for piece in side if piece.line]
    if len(lines) < TYPOGRAPHY.several:
        return False
    running = [piece for piece in side if piece.running]
    if len(running) >= TYPOGRAPHY.several and _chars(running) >= TYPOGRAPHY.half * _chars(side):
        return True
    widths = sorted(line.right - line.left for line in lines)
    chars = sorted(line.chars for line in lines)
    wide = 2 * sum(line.words[0].text >= FIRST_WIDE for line in lines) > len(lines)
    return widths[len(widths) // 2] > TYPOGRAPHY.half * box.width and chars[len(chars) // 2] >= (
        TYPOGRAPHY.phrase if wide else TYPOGRAPHY.cell_chars
    )


def _are_rows(left: Sequence[TextLine], right: Sequence[TextLine]) -> bool:
    """Tell whether paragraphs on both sides begin beside each other again and again, as cells with several lines do."""
    starts = [_starts(side) for side in (left, right)]
    few, many = sorted(starts, key=len)
    if len(few) < TYPOGRAPHY.several:
        return False
    return _count_level(few, many) >= TYPOGRAPHY.nearly_all * len(many)


def _starts(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines that stand further below the one above than lines of a paragraph do; the first as well."""
    found: list[TextLine] = []
    for text in texts(lines):
        steps = [below.baseline - above.baseline for above, below in itertools.pairwise(text)]
        usual = min(steps, default=0.0)
        found.append(text[0])
        found += [
            line for line, step in zip(text[1:], steps, strict=True) if step > usual + TYPOGRAPHY.fifth * line.size
        ]
    return found


def _are_lists(left: Sequence[TextLine], right: Sequence[TextLine]) -> bool:
    """Decide whether both sides begin with a list, whose markers no row of a table has twice."""
    sides = [sorted(side, key=lambda line: line.baseline) for side in (left, right)]
    return all(sum(marker is not None and marker.sure for marker in map(marker_of, side)) >= 2 for side in sides)


def _are_written_apart(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    """Decide whether the page's content has one side before the other, line by line right under each other.

    Tables are written row by row, and their rows are further apart.
    """
    for side in (left, right):
        lines = sorted((piece.line for piece in side if piece.line), key=lambda line: line.baseline)
        if len(lines) < len(side) or any(piece.order < 0 for piece in side):
            return False
        lengths = sorted(sum(map(_is_word, line.words)) for line in lines)
        labels = sum(line.words[-1].text.endswith(":") for line in lines)
        tight = sum(
            below.baseline - above.baseline < TYPOGRAPHY.next_line * above.size
            for above, below in itertools.pairwise(lines)
        )
        if lengths[len(lengths) // 2] < TYPOGRAPHY.pair or 2 * max(labels, len(lines) - 1 - tight) > len(lines):
            return False
    first, second = sorted(([piece.order for piece in side] for side in (left, right)), key=min)
    return max(first) < min(second)


def _is_word(word: Word) -> bool:
    return not word.font.math and sum(map(str.isalnum, word.text)) > 1


def level_share(few: Sequence[TextLine], many: Sequence[TextLine]) -> float:
    """The share of a few lines that have one of many beside them on their baseline."""
    return _count_level(few, many) / len(few) if few else 0.0


def _count_level(few: Sequence[TextLine], many: Sequence[TextLine]) -> int:
    """Return how many of a few lines have one of many beside them."""
    heights = sorted(line.baseline for line in many)
    count = 0
    for line in few:
        above = bisect_left(heights, line.baseline)
        nearest = heights[max(above - 1, 0) : above + 1]
        count += any(abs(line.baseline - height) < SIDES.same_baseline * line.size for height in nearest)
    return count
