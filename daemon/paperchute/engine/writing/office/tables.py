"""Tables: column widths, alignments and spans as a word processor wants them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import Block, Cell, Line, Table
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.leading import leading_of, size_of, within
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.paragraphs import align_of, goes_on
from paperchute.engine.writing.office.parts import Align, CellPicture, GridCell, GridRow, TablePart
from paperchute.engine.writing.office.runs import Run, runs_of, text_of


@dataclass(frozen=True, slots=True)
class TablePartSettings:
    """How a printed table is made one of a word processor. Lengths are points.

    Chosen by eye on the tables of the samples where nothing else is said. Measured on 42 sample documents: 30 % less or
    more changes none of them where no figure is given, save for what is a size itself.
    """

    cell_margin: float = 2.0
    """Between a cell's edge and its text, at the left and at the right: less than Word's 5.4, as print is tighter."""

    most_margin: float = 8.0
    """Between the rules of a table and its text, left and right: what is more is an indent. Word has 5.4."""

    right_rest: float = 0.4
    """Of the space left of a text that stands at the right: at its right, at most. From 0.4 to 0.52 the same; 1 of 42
    documents changes at 0.34."""


TABLE_PARTS = TablePartSettings()
_WIDER = 1 + TYPOGRAPHY.same_size
"""Times its printed width: what a text may take in a similar font, and a word of letters wider than its line's."""


def table_part(block: Block, edges: tuple[float, float], *, printed: bool = False) -> TablePart:
    """A table block as rows. edges: of the column it stands in. printed: keep line ends in cells as printed."""
    table = block.table
    assert table is not None
    box = block.quad.box
    lines = column_edges(table, box)
    table = _printed_over(table, lines)
    aligns = [_column_align(table, column, lines) for column in range(table.columns)]
    margins, indents = _insets(table, aligns, lines)
    widths = _roomy([b - a for a, b in itertools.pairwise(lines)], table, margins, edges[1] - edges[0])
    indents = _fitting(indents, table, widths, margins)
    tops = _row_tops(table, box)
    size = _usual_size(table)
    rooms = _rooms(table)
    places = {(cell.row, cell.column): cell for cell in table.cells}
    covered = {
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
        if (row, column) != (cell.row, cell.column)
    }
    rows = []
    for row in range(table.rows):
        cells = []
        for column in range(table.columns):
            cell = places.get((row, column))
            if cell is not None:
                own = replace(cell, lines=_broken(cell.lines, rooms.get((column, cell.column_span), 0.0)))
                made = _grid_cell(own, aligns, lines, printed, size)
                inset = indents[column] if made.column_span == 1 and made.align == aligns[column] else (0.0, 0.0)
                made = replace(made, indent=inset[0], end=inset[1])
                cells.append(_hung(made, cell, tops[row], tops[min(row + cell.row_span, table.rows)], table.bordered))
            elif (row, column) not in covered:
                cells.append(GridCell(column, ()))
        begun = [cell for cell in table.cells if cell.row == row]
        height = max(tops[row + 1] - tops[row], 0.0)
        rows.append(GridRow(tuple(cells), height, bool(begun) and all(cell.header for cell in begun)))
    align = align_of(box, *edges)
    indent = lines[0] - edges[0] if align == "left" else 0.0
    return TablePart(tuple(_heads_first(rows)), widths, table.bordered, indent, align, margins=margins)


def _row_tops(table: Table, box: Box) -> list[float]:
    """Return where each row begins, and where the last one ends: at its rules, or above its letters."""
    tops: list[float] = []
    first = leading_of(next((cell.lines for cell in table.cells if cell.lines), ()))
    for row in range(table.rows):
        own = [_extent(cell, table.bordered).top for cell in table.cells if cell.row == row]
        own = (
            own
            if table.bordered
            else [_extent(c, False).top for c in table.cells if c.row == row and (c.lines or c.pictures)] or own
        )
        top = min(own, default=tops[-1] if tops else box.top) - (0.0 if table.bordered else first.above)
        tops.append(max(top, tops[-1]) if tops else top)
    return [*tops, max(box.bottom + (0.0 if table.bordered else first.below), tops[-1] if tops else box.bottom)]


def _hung(made: GridCell, cell: Cell, top: float, bottom: float, bordered: bool) -> GridCell:
    """The cell with its text as high in it as it was printed."""
    contents = _contents(cell)
    if not contents:
        return made
    box = hull(contents)
    leading = within(made.leading, box.top - top) if len(cell.lines) == 1 and not cell.pictures else made.leading
    above, below = box.top - leading.above - top, bottom - box.bottom - leading.below
    if bordered and abs(above - below) <= MEASURES.letter:
        return replace(made, leading=leading, hangs="center")
    if bordered and below < above:
        return replace(made, leading=leading, hangs="bottom")
    return replace(made, leading=leading, hangs="top", before=max(above, 0.0))


def _contents(cell: Cell) -> list[Box]:
    return [*(line.quad.box for line in cell.lines), *(one.quad.box for one in cell.pictures)]


def _insets(
    table: Table, aligns: Sequence[Align], edges: Sequence[float]
) -> tuple[tuple[float, float], list[tuple[float, float]]]:
    """The margins of all cells of a table, and what the text of each column stands further in at either side."""
    starts: dict[int, float] = {}
    ends: dict[int, float] = {}
    for column, align in enumerate(aligns):
        boxes = [
            hull(found)
            for cell in table.cells
            if cell.column == column and cell.column_span == 1 and (found := _contents(cell))
        ]
        if boxes and align == "left":
            starts[column] = max(median(box.left for box in boxes) - edges[column], 0.0)
        elif boxes and align == "right":
            ends[column] = max(edges[column + 1] - median(box.right for box in boxes), 0.0)
    usual, most = TABLE_PARTS.cell_margin, TABLE_PARTS.most_margin
    left = min([*starts.values(), most]) if starts and table.bordered else usual
    right = min([*ends.values(), most]) if ends and table.bordered else usual
    free = [
        edges[cell.column + 1] - edges[cell.column] - _WIDER * max(line.quad.box.width for line in cell.lines)
        for cell in table.cells
        if cell.column_span == 1 and cell.lines
    ]
    least = max(min(free, default=0.0) / 2, min(usual, left, right))  # what the fullest column leaves beside its text
    left, right = min(left, least), min(right, least)
    indents = [
        (max(starts.get(column, left) - left, 0.0), max(ends.get(column, right) - right, 0.0))
        for column in range(table.columns)
    ]
    return (left, right), indents


def _fitting(
    indents: Sequence[tuple[float, float]], table: Table, widths: Sequence[float], margins: tuple[float, float]
) -> list[tuple[float, float]]:
    """The indents of columns, in so far as they leave room for the longest line."""
    found = []
    for column, (start, end) in enumerate(indents):
        longest = max(
            (box.width for c in table.cells if c.column == column and c.column_span == 1 for box in _contents(c)),
            default=0.0,
        )
        room = max(widths[column] - sum(margins) - _WIDER * longest, 0.0)
        found.append((min(start, room), min(end, room)))
    return found


def column_edges(table: Table, box: Box) -> list[float]:
    """The x of the lines between columns, outer ones included: in the middle of the space that cells leave free."""
    starts: list[list[float]] = [[] for _ in range(table.columns)]
    ends: list[list[float]] = [[] for _ in range(table.columns)]
    for cell in table.cells:
        area = _extent(cell, table.bordered)
        starts[cell.column].append(area.left)
        ends[min(cell.column + cell.column_span, table.columns) - 1].append(area.right)
    beside = 0.0 if table.bordered else TABLE_PARTS.cell_margin
    edges = [box.left - beside]
    for column in range(1, table.columns):
        end, start = max(ends[column - 1], default=None), min(starts[column], default=None)
        if end is not None and start is not None:
            edge = (end + start) / 2 if end <= start else start
        else:
            edge = start if start is not None else end if end is not None else edges[-1]
        edges.append(edge)
    edges.append(box.right + beside)
    return _rising(edges, box)


def _rising(edges: list[float], box: Box) -> list[float]:
    """Edges in order, no column narrower than a letter; evenly spaced when the cells contradict each other."""
    columns = len(edges) - 1
    if any(b - a < MEASURES.least for a, b in itertools.pairwise(edges)):
        step = max(box.width / columns, MEASURES.line)
        return [box.left + n * step for n in range(columns + 1)]
    result = [edges[0]]
    for edge in edges[1:]:
        result.append(max(edge, result[-1] + MEASURES.line))
    return result


def _printed_over(table: Table, lines: Sequence[float]) -> Table:
    """The table with cells whose text was printed over empty neighbours to their right as wide as their text."""
    covering = {
        (row, column): cell
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    }
    grown: dict[int, int] = {}
    gone: set[int] = set()
    for cell in table.cells:
        right = max((line.quad.box.right for line in cell.lines), default=0.0)
        end = cell.column + cell.column_span
        while end < table.columns and right > lines[end] + MEASURES.letter:
            beside = [covering.get((row, end)) for row in range(cell.row, cell.row + cell.row_span)]
            if any(o is not None and (o.lines or o.pictures or o.row_span > 1 or o.column_span > 1) for o in beside):
                break
            gone |= {id(other) for other in beside}
            end += 1
        grown[id(cell)] = end - cell.column
    cells = tuple(replace(cell, column_span=grown[id(cell)]) for cell in table.cells if id(cell) not in gone)
    return replace(table, cells=cells)


def _roomy(widths: list[float], table: Table, margins: tuple[float, float], room: float) -> tuple[float, ...]:
    """Widths in which every printed line fits between the cell's margins, taken from the columns with room to spare.

    room: of the column of text in which the table stands. It grows no further than this, where lines were printed out
    of their cells.
    """
    needs = [MEASURES.line] * table.columns
    for cell in table.cells:
        if cell.column_span == 1:
            longest = max((line.quad.box.width for line in cell.lines), default=0.0)
            widest = max((one.quad.box.width for one in cell.pictures), default=0.0)
            needs[cell.column] = max(
                needs[cell.column],
                (1 + TYPOGRAPHY.hardly) * longest + sum(margins) + MEASURES.least,
                widest + sum(margins),
            )
    short = sum(max(need - width, 0.0) for need, width in zip(needs, widths, strict=True))
    spare = sum(max(width - need, 0.0) for need, width in zip(needs, widths, strict=True))
    share = min(1.0, short / spare) if spare > 0 else 0.0
    more = spare + max(room - sum(widths), 0.0)
    given = min(1.0, more / short) if short > 0 else 0.0
    return tuple(
        width + given * (need - width) if width < need else width - share * (width - need)
        for need, width in zip(needs, widths, strict=True)
    )


def _heads_first(rows: list[GridRow]) -> list[GridRow]:
    """Only rows from the first on can be repeated as heads; header cells further down are plain rows."""
    result, heads = [], True
    for row in rows:
        heads = heads and row.header
        result.append(GridRow(row.cells, row.height, heads))
    if heads:  # nothing but heads: none of them is one
        result = [GridRow(row.cells, row.height, False) for row in result]
    return result


def _grid_cell(cell: Cell, aligns: list[Align], edges: list[float], printed: bool, size: float) -> GridCell:
    runs = tuple(_evened(run, size) for run in _runs(cell.lines, printed))
    align = aligns[cell.column]
    own = _own_align(cell, edges[cell.column], edges[cell.column + cell.column_span])
    if cell.column_span > 1 or (cell.header and own == "center"):
        align = own
    rtl = is_rtl(text_of(runs))
    if rtl and align != "center":
        align = "right" if align == "left" else "left"
    made = GridCell(cell.column, runs, cell.column_span, cell.row_span, align, rtl, leading_of(cell.lines), cell.shade)
    sides = edges[cell.column], edges[cell.column + cell.column_span]
    pictures = sorted(cell.pictures, key=lambda one: one.quad.box.top)
    return replace(made, pictures=tuple(_cell_picture(one, cell.lines, *sides) for one in pictures))


def _cell_picture(picture: Block, lines: Sequence[Line], left: float, right: float) -> CellPicture:
    assert picture.image is not None
    box, words = picture.quad.box, " ".join(flowed_text(picture.lines).split())
    place: Literal["over", "before", "behind", "under"] = "over"
    if lines:
        text = hull(line.quad.box for line in lines)
        if box.right <= text.left or box.left >= text.right:
            place = "before" if box.right <= text.left else "behind"
        elif box.center[1] > text.center[1]:
            place = "under"
    return CellPicture(picture.image, box.width, box.height, words, place, _box_align(box, left, right))


def _rooms(table: Table) -> dict[tuple[int, int], float]:
    """How long a line can be in cells, by their first column and how many they span: as the longest that is there."""
    found: dict[tuple[int, int], float] = {}
    for cell in table.cells:
        place = (cell.column, cell.column_span)
        found[place] = max([found.get(place, 0.0), *(line.quad.box.width for line in cell.lines)])
    return found


def _broken(lines: tuple[Line, ...], room: float) -> tuple[Line, ...]:
    """The lines of a cell with the ends that are meant: the next word would have had room, or is of another size.

    A line that begins with a small word goes on with the one above, whose end may have been balanced.
    """
    if len(lines) < 2 or any(line.quad.angle for line in lines):
        return lines
    result = []
    for line, after in itertools.pairwise(lines):
        sizes = sorted((size_of((line,)), size_of((after,))))
        first = after.text.split(maxsplit=1)[:1]
        word = after.quad.box.width * len(" ".join(["", *first])) / max(len(after.text), 1)
        fits = line.quad.box.width + _WIDER * word <= room and not goes_on(after)
        other = 0 < TYPOGRAPHY.larger * sizes[0] < sizes[1]
        result.append(replace(line, ends="hard") if line.ends == "soft" and (fits or other) else line)
    return (*result, lines[-1])


def _runs(lines: Sequence[Line], printed: bool) -> Iterator[Run]:
    """The runs of a cell. Lines of another size are runs of their own, which looks alike in all else would hide."""
    pieces: list[list[Line]] = []
    for line in lines:
        if pieces and (pieces[-1][-1].ends != "hard" or size_of((line,)) == size_of((pieces[-1][-1],))):
            pieces[-1].append(line)
        else:
            pieces.append([line])
    for number, piece in enumerate(pieces, start=1):
        runs = runs_of(piece, printed=printed)
        yield from runs[:-1]
        for last in runs[-1:]:
            yield last if number == len(pieces) else replace(last, text=f"{last.text}\n")


def _usual_size(table: Table) -> float:
    """The font size of most cells, 0 when none is known."""
    sizes = [size for cell in table.cells if cell.lines and (size := size_of(cell.lines))]
    return median(sizes) if sizes else 0.0


def _evened(run: Run, size: float) -> Run:
    """Recognised text (it has no font) in the size of most cells where it seems far larger.

    Of a short word in a cell the rules around it may have been taken for part of the letters.
    """
    if run.style.font or not 0 < TYPOGRAPHY.plainly_larger * size < run.style.size:
        return run
    return replace(run, style=replace(run.style, size=size))


def _column_align(table: Table, column: int, edges: list[float]) -> Align:
    """Return what the text of a column's cells has in common: their left edges, their right ones, or their middles.

    A head may stand otherwise than the column below it; the column decides.
    """
    cells = [c for c in table.cells if c.column == column and c.column_span == 1 and c.lines]
    body = [cell for cell in cells if not cell.header] or cells
    boxes = [hull(line.quad.box for line in cell.lines) for cell in body]
    if not boxes:
        return "left"
    if len(boxes) == 1:
        return _own_align(body[0], edges[column], edges[column + 1])
    spread = {
        "left": _spread([box.left for box in boxes]),
        "right": _spread([box.right for box in boxes]),
        "center": _spread([box.center[0] for box in boxes]),
    }
    if spread["left"] <= MEASURES.rounding:
        if max(spread.values()) <= MEASURES.rounding:  # all cells equally wide: their place in the column tells
            return _own_align(body[0], edges[column], edges[column + 1])
        return "left"
    if spread["right"] <= MEASURES.rounding:
        return "right"
    return "center" if spread["center"] <= MEASURES.rounding else "left"


def _own_align(cell: Cell, left: float, right: float) -> Align:
    if not cell.lines:
        return "left"
    return _box_align(hull(line.quad.box for line in cell.lines), left, right)


def _box_align(box: Box, left: float, right: float) -> Align:
    before, after = box.left - left, right - box.right
    if before > TABLE_PARTS.most_margin and abs(before - after) < TABLE_PARTS.most_margin / 2:
        return "center"
    return "right" if before > MEASURES.line and after < TABLE_PARTS.right_rest * before else "left"


def _spread(values: list[float]) -> float:
    """Return how far values lie from their middle, the odd one out not counted."""
    middle = median(values)
    distances = sorted(abs(value - middle) for value in values)
    return distances[int(TYPOGRAPHY.nearly_all * (len(distances) - 1))]


def _extent(cell: Cell, bordered: bool) -> Box:
    return cell.quad.box if bordered or not cell.lines else hull(line.quad.box for line in cell.lines)
