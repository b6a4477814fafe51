"""Columns of a page, found again from its blocks: which stretches of the reading order stand in how many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import Block
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.measures import MEASURES


@dataclass(frozen=True, slots=True)
class StretchSettings:
    """What the printed lines of a page say of its columns.

    Chosen by eye on the samples that are printed in two columns; labels in a row and the cells of tables are what must
    not become columns. Measured on 42 sample documents, ten of them with columns: 30 % less or more changes none of
    them where no figure is given.
    """

    fewest_lines: int = 5
    """Lines of a column: fewer side by side are labels."""


STRETCHES = StretchSettings()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Blocks that follow each other in the same columns; `columns` are their left and right edges."""

    columns: tuple[tuple[float, float], ...]
    blocks: tuple[Block, ...]

    @property
    def gap(self) -> float:
        """The space between columns, 0 for a single one."""
        if len(self.columns) < 2:
            return 0.0
        return max(0.0, min(b[0] - a[1] for a, b in zip(self.columns, self.columns[1:], strict=False)))

    def edges(self, box: Box) -> tuple[float, float]:
        """The edges of the column that holds `box`."""
        x = box.center[0]
        return min(self.columns, key=lambda c: 0.0 if c[0] <= x <= c[1] else min(abs(c[0] - x), abs(c[1] - x)))


def stretches(blocks: Sequence[Block], area: Box) -> list[Stretch]:
    """The blocks of a page's flow, in their order, cut where the number of columns changes. area: that of the text."""
    result: list[Stretch] = []
    for part in _strips(blocks):
        for stretch in _stretches(part, area):
            if result and result[-1].columns == stretch.columns:
                result[-1] = Stretch(stretch.columns, (*result[-1].blocks, *stretch.blocks))
            else:
                result.append(stretch)
    return result


def _strips(blocks: Sequence[Block]) -> list[list[Block]]:
    """The blocks cut where all that follows stands under all before it: there other columns may begin."""
    tops = [block.quad.box.top for block in blocks]
    below = list(accumulate(reversed(tops), min))[::-1]
    found: list[list[Block]] = []
    bottom = -math.inf
    for block, top in zip(blocks, below, strict=True):
        if not found or top >= bottom - MEASURES.least:
            found.append([])
        found[-1].append(block)
        bottom = max(bottom, block.quad.box.bottom)
    return found


def _stretches(blocks: Sequence[Block], area: Box) -> list[Stretch]:
    lines = [_Line(box, number) for number, block in enumerate(blocks) for box in _line_boxes(block)]
    columns = _columns(lines, area.left, area.right, 0)
    whole = ((area.left, area.right),)
    if len(columns) < 2:
        return [Stretch(whole, tuple(blocks))] if blocks else []
    found: list[tuple[bool, list[Block]]] = []
    for block in blocks:
        inside = any(_holds(edges, block.quad.box) for edges in columns)
        if found and found[-1][0] == inside:
            found[-1][1].append(block)
        else:
            found.append((inside, [block]))
    for (inside, group), (_, after) in pairwise(found):
        while inside and len(group) > 1:  # what stands under all columns belongs to what follows
            lowest = max(group, key=lambda block: block.quad.box.top)
            if not all(_is_below(lowest, block) for block in group if block is not lowest):
                break
            group.remove(lowest)
            after.insert(0, lowest)
    result: list[Stretch] = []
    for inside, group in found:
        edges = columns if inside and _beside(group, columns) else whole
        if result and result[-1].columns == edges:
            result[-1] = Stretch(edges, (*result[-1].blocks, *group))
        else:
            result.append(Stretch(edges, tuple(group)))
    return result


def in_columns(stretch: Stretch, columns: tuple[tuple[float, float], ...]) -> Stretch:
    """The stretch in the columns of the text before it, where all of it stands in these: of the last one, perhaps."""
    if len(stretch.columns) > 1 or not all(
        any(_holds(edges, block.quad.box) for edges in columns) for block in stretch.blocks
    ):
        return stretch
    return Stretch(columns, stretch.blocks)


def _holds(edges: tuple[float, float], box: Box) -> bool:
    left, right = edges
    return left - MEASURES.letter <= box.left and box.right <= right + MEASURES.letter


def _is_below(block: Block, other: Block) -> bool:
    return block.quad.box.top >= other.quad.box.bottom - MEASURES.least


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text. number: of its block in the reading order."""

    box: Box
    number: int


def _columns(lines: Sequence[_Line], left: float, right: float, depth: int) -> tuple[tuple[float, float], ...]:
    """The column edges between `left` and `right`, by an upright gutter that hardly any line crosses."""
    whole = ((left, right),)
    width = right - left
    narrow = [line for line in lines if line.box.width < TYPOGRAPHY.most * width]
    fewest = max(2 * STRETCHES.fewest_lines, TYPOGRAPHY.half * len(lines))
    if depth >= TYPOGRAPHY.pair or len(narrow) < fewest:
        return whole
    side = TYPOGRAPHY.fifth * width
    best: tuple[int, float, float, float] | None = None
    for line in narrow:
        x = line.box.left - MEASURES.rounding
        if not left + side < x < right - side:
            continue
        before = [line for line in narrow if line.box.right < x]
        after = [line for line in narrow if line.box.left > x]
        if min(len(before), len(after)) < STRETCHES.fewest_lines:
            continue
        crossing = _crossing(narrow, before, after)
        if crossing > TYPOGRAPHY.hardly * len(narrow):
            continue
        end, start = max(line.box.right for line in before), min(line.box.left for line in after)
        if not _stand_beside(before, after):
            continue
        if not _read_apart(before, after) and not (_fill(before, end - left) and _fill(after, right - start)):
            continue
        rating = (-crossing, start - end, end, start)
        if best is None or rating > best:
            best = rating
    if best is None:
        return whole
    _, _, end, start = best
    return (
        *_columns([line for line in narrow if line.box.right <= end], left, end, depth + 1),
        *_columns([line for line in narrow if line.box.left >= start], start, right, depth + 1),
    )


def _crossing(lines: Sequence[_Line], before: Sequence[_Line], after: Sequence[_Line]) -> int:
    """How many lines lie across a gutter, between the upper and the lower end of its sides: not a title above both."""
    sides = hull([line.box for line in (*before, *after)])
    return sum(sides.top < line.box.center[1] < sides.bottom for line in lines) - len(before) - len(after)


def _stand_beside(before: Sequence[_Line], after: Sequence[_Line]) -> bool:
    a, b = hull([line.box for line in before]), hull([line.box for line in after])
    common = min(a.bottom, b.bottom) - max(a.top, b.top)
    return common > TYPOGRAPHY.half * min(a.height, b.height)


def _read_apart(before: Sequence[_Line], after: Sequence[_Line]) -> bool:
    """Decide whether the reading order ends with one side before it goes up again to the other.

    Then these are columns, however short their lines are.
    """
    return max(line.number for line in before) < min(line.number for line in after)


def _fill(lines: Sequence[_Line], width: float) -> bool:
    """Decide whether most lines fill their column: short ones in a row are labels or a table's cells, not text."""
    return median(line.box.width for line in lines) > TYPOGRAPHY.half * width


def _beside(blocks: Sequence[Block], columns: Sequence[tuple[float, float]]) -> bool:
    """Decide whether the blocks use more than one of the columns."""
    return len({min(range(len(columns)), key=lambda n: abs(columns[n][0] - b.quad.box.left)) for b in blocks}) > 1


def _line_boxes(block: Block) -> list[Box]:
    """The lines of a block; the rows of a table are as wide as all of it."""
    if block.kind in ("code", "formula", "aside_text", "footnote"):
        return []
    if block.table is not None:
        left, _, right, _ = block.quad.box
        rows: dict[int, list[Box]] = {}
        for cell in block.table.cells:
            rows.setdefault(cell.row, []).append(cell.quad.box)
        return [hull(boxes)._replace(left=left, right=right) for boxes in rows.values()]
    return [line.quad.box for line in block.all_lines if line.quad.box.width > 0]
