"""Tables whose cells are not drawn: the grid comes from how words align."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from statistics import median

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.bands import Band, Column, bands_of, columns_of
from paperchute.engine.reading.layout.grid import FoundCell, FoundTable, head_rows, trimmed
from paperchute.engine.reading.layout.records import Rule, Word

_FEWEST_ROWS = 3
_MOST_BANDS = 1_000
_LEADERS = re.compile(r"(?:\.\s?){5,}|_{5,}")
_MARKER = re.compile(r"^(?:[•◦▪▫‣·●○■□–—*\-o§➢✓]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])$")


def table_between(rules: Sequence[Rule], words: Sequence[Word]) -> FoundTable | None:
    """The table that horizontal rules of one width show, without vertical ones; None when it is none.

    words: those between the uppermost and the lowest rule and, above and below, those that may be its outer rows.
    """
    bands = bands_of(words)
    ys = [rule.y1 for rule in rules]
    inner = [band for band in bands if ys[0] < (band.top + band.bottom) / 2 < ys[-1]]
    if not inner or len(inner) > _MOST_BANDS:
        return None
    columns = columns_of(inner, 0.3, 0.6, 0.3)
    if len(columns) < 2:
        return None
    first, last = bands.index(inner[0]), bands.index(inner[-1]) + 1
    if first and _fits(bands[first - 1], columns) and ys[0] - bands[first - 1].bottom < 1.5 * bands[first - 1].size:
        first -= 1
    if last < len(bands) and _fits(bands[last], columns) and bands[last].top - ys[-1] < 1.5 * bands[last].size:
        last += 1
    table = _assembled(bands[first:last], columns, ys)
    return table if table.rows >= 2 and table.columns >= 2 and _filled_share(table) >= 0.35 else None


def aligned_tables(words: Sequence[Word]) -> list[FoundTable]:
    """Tables among the words of a column; only where alignment is strong evidence."""
    bands = bands_of(words)
    found = []
    start = 0
    while start < len(bands):
        end = _run_end(bands, start)
        rows = sum(len(band.chunks(1.0)) > 1 for band in bands[start:end])
        if rows >= _FEWEST_ROWS or (
            rows == end - start == 2 and _is_bold(bands[start]) and not _is_bold(bands[start + 1])
        ):
            table = _from_run(bands[start:end])
            if table is not None:
                found.append(table)
        start = max(end, start + 1)
    return found


def _from_run(bands: Sequence[Band]) -> FoundTable | None:
    columns = columns_of(bands, 0.3, 0.8, 0.5)
    if len(columns) < 2:
        return None
    table = _assembled(bands, columns, [])
    if table.rows < 2 or table.columns < 2 or _filled_share(table) < 0.5:
        return None
    first = [w.text for c in table.cells if c.column == 0 for w in c.words]
    if sum(bool(_MARKER.match(text)) for text in first) > 0.4 * len(first):
        return None
    lengths = sorted(len(c.words) for c in table.cells)
    if lengths[len(lengths) // 2] > 9 or sum(c.column_span > 1 for c in table.cells) > 0.25 * len(table.cells):
        return None
    table.confidence = 0.8
    return table


def _run_end(bands: Sequence[Band], start: int) -> int:
    """The end of the run of table-like bands from `start`; up to two lone ones inside belong to it when more follow."""
    end = start
    lone = 0
    steps: list[float] = []
    for n in range(start, min(len(bands), start + _MOST_BANDS)):
        band = bands[n]
        if n > start:
            step = band.top - bands[n - 1].bottom
            if step > max(3.2 * band.size, 0.0) or (len(steps) > 2 and step > 2.5 * max(steps) + band.size):
                break
            steps.append(step)
        text = " ".join(w.text for w in sorted(band.words, key=lambda w: w.left))
        if _LEADERS.search(text) or all(w.font.mono for w in band.words):
            break
        if len(band.chunks(1.0)) > 1:
            end, lone = n + 1, 0
        elif n == start or lone == 2:
            break
        else:
            lone += 1
    return end


def _fits(band: Band, columns: Sequence[Column]) -> bool:
    """Whether a band's chunks stand in the columns, two at least."""
    places = [_columns_under(chunk, columns) for chunk in band.chunks(0.6)]
    return len(places) > 1 and all(len(place) == 1 for place in places) and len({p[0] for p in places}) == len(places)


def _columns_under(chunk: Sequence[Word], columns: Sequence[Column]) -> list[int]:
    left, right = min(w.left for w in chunk), max(w.right for w in chunk)
    over = [n for n, (low, high) in enumerate(columns) if min(right, high) - max(left, low) > 1.0]
    return over or [min(range(len(columns)), key=lambda n: abs(sum(columns[n]) - left - right))]


def _placed(band: Band, columns: Sequence[Column]) -> list[tuple[int, int, list[Word]]]:
    """A band's words by column: (column, column span, words). Text that runs across a strip spans its columns."""
    result: list[tuple[int, int, list[Word]]] = []
    for word in sorted(band.words, key=lambda w: w.left):
        under = _columns_under([word], columns)
        first, last = under[0], under[-1]
        if result:
            column, span, words = result[-1]
            gap = word.left - max(w.right for w in words)
            strip = columns[first][0] - columns[first - 1][1] if first else 0.0
            runs_on = first <= column + span - 1 or (
                gap < 0.4 * band.size and gap < 0.8 * strip and first == column + span
            )
            if runs_on:
                result[-1] = (column, max(column + span - 1, last) - column + 1, [*words, word])
                continue
        result.append((first, last - first + 1, [word]))
    return result


def _assembled(bands: Sequence[Band], columns: Sequence[Column], ys: Sequence[float]) -> FoundTable:
    placed = [_placed(band, columns) for band in bands]
    starts = _row_starts(bands, placed, ys)
    cells: dict[tuple[int, int], FoundCell] = {}
    row = -1
    for line, begins in zip(placed, starts, strict=True):
        row += begins
        for column, span, words in line:
            cell = next((c for k in range(column, -1, -1) if (c := cells.get((row, k)))), None)
            if cell is not None and cell.column + cell.column_span > column:
                cell.words += words
            else:
                span = next((k for k in range(1, span) if (row, column + k) in cells), span)
                cells[row, column] = FoundCell(row, column, 1, span, hull(w.box for w in words), list(words))
    for cell in cells.values():
        cell.box = hull(w.box for w in cell.words)
    whole = hull(c.box for c in cells.values())
    table = trimmed(FoundTable(whole, row + 1, len(columns), list(cells.values()), bordered=False))
    table.heads = head_rows(table)
    return table


def _row_starts(
    bands: Sequence[Band], placed: Sequence[Sequence[tuple[int, int, list[Word]]]], ys: Sequence[float]
) -> list[bool]:
    """For each band whether a table row starts with it; else it goes on with the row above."""
    sections = [sum(y < (band.top + band.bottom) / 2 for y in ys) for band in bands]
    members: dict[int, list[int]] = {}
    for n, section in enumerate(sections):
        members.setdefault(section, []).append(n)
    many = [numbers for numbers in members.values() if len(numbers) > 1]
    single = sum(_is_one_row([placed[n] for n in numbers]) for numbers in many)
    if len(members) >= _FEWEST_ROWS and (not many or single > 0.5 * len(many)):
        return [n == 0 or sections[n] != sections[n - 1] for n in range(len(bands))]
    starts = [True] * len(bands)
    gaps = [b.top - a.bottom for a, b in itertools.pairwise(bands)]
    inside = [gap for n, gap in enumerate(gaps) if sections[n] == sections[n + 1]]
    close, far = (min(inside), max(inside)) if inside else (0.0, 0.0)
    size = median(band.size for band in bands)
    for n in range(1, len(bands)):
        if sections[n] != sections[n - 1]:
            continue
        if far - close > 0.3 * size:
            starts[n] = gaps[n - 1] > close + 0.35 * (far - close)
        else:
            starts[n] = placed[n][0][0] == 0 or len(placed[n]) >= max(2, len(placed[n - 1]))
    return starts


def _is_one_row(lines: Sequence[Sequence[tuple[int, int, list[Word]]]]) -> bool:
    """Whether bands between two rules are one wrapped row: half its columns have far fewer lines than the fullest."""
    counts: dict[int, int] = {}
    for line in lines:
        for column, _, _ in line:
            counts[column] = counts.get(column, 0) + 1
    ordered = sorted(counts.values())
    return len(ordered) > 1 and ordered[(len(ordered) - 1) // 2] <= 0.6 * ordered[-1]


def _filled_share(table: FoundTable) -> float:
    return sum(c.column_span for c in table.cells if c.words) / (table.rows * table.columns)


def _is_bold(band: Band) -> bool:
    return all(w.font.bold for w in band.words)


def rule_stacks(horizontal: Sequence[Rule], taken: Sequence[Box]) -> list[list[Rule]]:
    """Horizontal rules of one width under each other, outside the boxes in `taken`: signs of a table without walls."""
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
