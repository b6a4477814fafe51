"""Tables whose cells are not drawn: the grid comes from how words align."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.grid import FoundCell, FoundTable, head_rows, trimmed
from paperchute.engine.reading.layout.lines import TextLine, gap_chunks, rows, segments
from paperchute.engine.reading.layout.records import Rule, Word

_CELL_GAP = 0.8  # of the font size, between neighbouring cells of a table that rules announce
_WIDE_GAP = 1.15  # the same where nothing but alignment speaks for a table
_FEWEST_ROWS = 3
_MOST_ROWS = 600
_LEADERS = re.compile(r"(?:\.\s?){5,}|_{5,}")
_MARKER = re.compile(r"^(?:[•◦▪▫‣·●○■□–—*\-o§➢✓]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])$")

Chunk = list[Word]


def table_between(rules: Sequence[Rule], words: Sequence[Word]) -> FoundTable | None:
    """The table between horizontal rules of one width, top to bottom, that has no vertical ones; None when it is none."""
    lines = rows(segments(words))
    if len(lines) < 2 or len(lines) > _MOST_ROWS:
        return None
    grid = _grid(lines, _CELL_GAP)
    if grid is None:
        return None
    columns, placed = grid
    inner = [r.y1 for r in rules]
    table = _assembled(columns, placed, _row_starts(placed, inner), bordered=False)
    if table.rows < 2 or table.columns < 2 or not _dense(table, 0.4):
        return None
    if not table.heads:
        table.heads = sum(
            1 for c in table.cells if c.column == 0 and len(inner) > 2 and c.box.top < inner[1] - 1 and c.row == 0
        )
    return table


def aligned_tables(lines: Sequence[TextLine]) -> list[tuple[int, int, FoundTable]]:
    """Tables among the joined lines of a column, as (first, last + 1, table); only where alignment is strong evidence."""
    found = []
    start = 0
    while start < len(lines):
        end = _run_end(lines, start)
        if end - start >= _FEWEST_ROWS:
            table = _from_run(lines[start:end])
            if table is not None:
                found.append((start, end, table))
        start = max(end, start + 1)
    return found


def _from_run(lines: Sequence[TextLine]) -> FoundTable | None:
    grid = _grid(lines, _WIDE_GAP * 0.75)
    if grid is None:
        return None
    columns, placed = grid
    table = _assembled(columns, placed, _row_starts(placed, []), bordered=False)
    if table.rows < _FEWEST_ROWS or table.columns < 2 or not _dense(table, 0.6):
        return None
    first = [" ".join(w.text for w in c.words) for c in table.cells if c.column == 0 and c.words]
    if sum(bool(_MARKER.match(text)) for text in first) > 0.5 * len(first):
        return None
    words = sorted(len(c.words) for c in table.cells if c.words)
    if words[len(words) // 2] > 8:
        return None
    table.confidence = 0.8
    return table


def _run_end(lines: Sequence[TextLine], start: int) -> int:
    """The end of the run of table-like lines from `start`; a lone line inside belongs to the run when more follow."""
    end = start
    lone = 0
    for n in range(start, min(len(lines), start + _MOST_ROWS)):
        line = lines[n]
        if n > start and line.top - lines[n - 1].bottom > 2.2 * line.size:
            break
        if _LEADERS.search(line.text) or line.mono:
            break
        if len(_cells_of(line, _WIDE_GAP)) >= 2:
            end, lone = n + 1, 0
        elif n == start:
            break
        else:
            lone += 1
            if lone > 2:
                break
    return end


def _cells_of(line: TextLine, gap: float) -> list[Chunk]:
    return gap_chunks(line, gap * line.size)


def _grid(
    lines: Sequence[TextLine], gap: float
) -> tuple[list[tuple[float, float]], list[list[tuple[int, int, Chunk]]]] | None:
    """Columns as (left, right), and for each line its chunks as (column, column span, words); None without columns."""
    chunked = [_cells_of(line, gap) for line in lines]
    size = median(line.size for line in lines)
    spans = [[(min(w.left for w in c), max(w.right for w in c)) for c in chunks] for chunks in chunked]
    multi = [s for s in spans if len(s) > 1]
    if len(multi) < 2:
        return None
    columns = _columns(multi, 0.35 * size)
    if len(columns) < 2:
        return None
    placed = []
    crossing = 0
    for chunks, extents in zip(chunked, spans, strict=True):
        row: list[tuple[int, int, Chunk]] = []
        for chunk, (left, right) in zip(chunks, extents, strict=True):
            over = [
                n
                for n, (low, high) in enumerate(columns)
                if min(right, high) - max(left, low) > 0.12 * min(right - left, high - low)
            ]
            if not over:
                over = [min(range(len(columns)), key=lambda n: abs(sum(columns[n]) - left - right))]
            if row and over[0] <= row[-1][0] + row[-1][1] - 1:
                row[-1] = (row[-1][0], max(row[-1][1], over[-1] - row[-1][0] + 1), row[-1][2] + chunk)
            else:
                row.append((over[0], over[-1] - over[0] + 1, chunk))
            crossing += len(over) > 1
        placed.append(row)
    if crossing > 0.25 * sum(map(len, placed)):
        return None
    return columns, placed


def _columns(multi: Sequence[Sequence[tuple[float, float]]], narrowest: float) -> list[tuple[float, float]]:
    """The x ranges that cells fill, parted by strips that hardly any row crosses."""
    events: list[tuple[float, int]] = []
    for extents in multi:
        for left, right in extents:
            events += [(left, 1), (right, -1)]
    events.sort()
    allowed = len(multi) // 12
    columns: list[tuple[float, float]] = []
    depth = 0
    start = None
    for x, change in events:
        depth += change
        if depth > allowed and start is None:
            start = x
        elif depth <= allowed and start is not None:
            if columns and start - columns[-1][1] < narrowest:
                columns[-1] = (columns[-1][0], x)
            else:
                columns.append((start, x))
            start = None
    return columns


def _row_starts(placed: Sequence[Sequence[tuple[int, int, Chunk]]], inner: Sequence[float]) -> list[bool]:
    """For each printed line whether a table row starts with it; else it goes on with the row above."""
    tops = [min(w.top for _, _, chunk in row for w in chunk) for row in placed]
    bottoms = [max(w.bottom for _, _, chunk in row for w in chunk) for row in placed]
    starts = [True] * len(placed)
    gaps = [tops[n] - bottoms[n - 1] for n in range(1, len(placed))]
    close, far = (min(gaps), max(gaps)) if gaps else (0.0, 0.0)
    size = median(b - t for t, b in zip(tops, bottoms, strict=True))
    two_kinds = far - close > 0.25 * size
    bands = [sum(y < (t + b) / 2 for y in inner) for t, b in zip(tops, bottoms, strict=True)]
    parted = len(set(bands)) > 0.45 * len(placed) and len(set(bands)) >= 3
    for n in range(1, len(placed)):
        if bands[n] != bands[n - 1]:
            continue
        if parted:
            starts[n] = False
        elif two_kinds:
            starts[n] = gaps[n - 1] > close + 0.4 * (far - close)
        else:
            starts[n] = placed[n][0][0] == 0 or (len(placed[n]) > 1 and len(placed[n]) >= len(placed[n - 1]))
    return starts


def _assembled(
    columns: Sequence[tuple[float, float]],
    placed: Sequence[Sequence[tuple[int, int, Chunk]]],
    starts: Sequence[bool],
    bordered: bool,
) -> FoundTable:
    cells: dict[tuple[int, int], FoundCell] = {}
    row = -1
    for line, begins in zip(placed, starts, strict=True):
        row += begins
        for column, span, chunk in line:
            cell = next(
                (
                    c
                    for c in (cells.get((row, k)) for k in range(column, -1, -1))
                    if c and c.column + c.column_span > column
                ),
                None,
            )
            box = hull(w.box for w in chunk)
            if cell is None:
                span = next((k for k in range(1, span) if (row, column + k) in cells), span)
                cells[row, column] = FoundCell(row, column, 1, span, box, list(chunk))
            else:
                cell.words += chunk
                cell.box = hull([cell.box, box])
    whole = hull(c.box for c in cells.values())
    table = FoundTable(whole, row + 1, len(columns), list(cells.values()), bordered)
    table = trimmed(table)
    table.heads = head_rows(table)
    return table


def _dense(table: FoundTable, share: float) -> bool:
    """Whether enough of the grid is filled for the alignment to be meant."""
    filled = sum(c.column_span for c in table.cells if c.words)
    return filled >= share * table.rows * table.columns


def rule_stacks(horizontal: Sequence[Rule], taken: Sequence[Box]) -> list[list[Rule]]:
    """Horizontal rules of one width under each other, outside the boxes in `taken`: the signs of a table without walls."""
    stacks: list[list[Rule]] = []
    for rule in sorted(horizontal, key=lambda r: r.y1):
        if rule.x2 - rule.x1 < 40 or any(box.grown(4).holds((rule.x1 + rule.x2) / 2, rule.y1) for box in taken):
            continue
        for stack in stacks:
            if abs(stack[-1].x1 - rule.x1) < 6 and abs(stack[-1].x2 - rule.x2) < 6:
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    return [stack for stack in stacks if len(stack) >= 2]
