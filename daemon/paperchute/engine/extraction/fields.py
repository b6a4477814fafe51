"""Fields and tables found on a page, and how the contract has them: `Page-1`, `Page-2` ... each with its fields."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Line, Page, Table
from paperchute.engine.extraction.schema import Schema, Wanted
from paperchute.engine.writing.parsed import pos_of

_PAIR = re.compile(r"(?P<label>[^\s:：][^:：]{0,60}?)\s*[:：]\s*(?P<value>\S.*?)(?=\s+[^\s:：][^:：\d]{1,40}[:：]\s|$)")
_ALONE = re.compile(r"(?P<label>\S[^:：]{0,60}?)\s*[:：]$")
_NEAR_LABEL = 0.84
_MOST_LINES = 3_000
_LONGEST_LINE = 1_000  # characters
_LONGEST_LABEL = 100


@dataclass(frozen=True, slots=True)
class Pair:
    """A label as it is printed and its value, with the place of the value."""

    label: str
    value: str
    quad: Quad


def pairs(blocks: Sequence[Block]) -> list[Pair]:
    """What the blocks of a page show as labels with values, in reading order, each label once."""
    lines = list(_lines(blocks))[:_MOST_LINES]
    found: dict[str, Pair] = {}
    for pair in _all(blocks, lines):
        found.setdefault(pair.label, pair)
    return list(found.values())


def best(wanted: Wanted, known: Sequence[Pair], blocks: Sequence[Block]) -> tuple[float, Pair] | None:
    """The pair that a wanted field most likely means, with how likely from 0 to 1; None for none.

    Where no label says so, a line or cell with just the field's name counts, its value being what stands right of it,
    or below.
    """
    scored = [(likeness(wanted, pair.label), pair) for pair in known]
    likely = max(scored, key=lambda item: item[0], default=None)
    if likely is not None and likely[0] >= _NEAR_LABEL:
        return likely
    lines = list(_lines(blocks))[:_MOST_LINES]
    names = [(likeness(wanted, line.text.strip().rstrip(":：")), line) for line in lines]
    for _, line in sorted((item for item in names if item[0] >= _NEAR_LABEL), key=lambda item: -item[0]):
        value = _beside(line, lines)
        if value is not None:
            return 0.8, Pair(wanted.name, value.text.strip(), value.quad)
    return None


def likeness(wanted: Wanted, label: str) -> float:
    """How much a printed label is what is wanted, from 0 to 1."""
    if len(label) > _LONGEST_LABEL:
        return 0.0
    plain = _plain(label)
    names = [name for name in (_plain(wanted.name), _plain(wanted.hint)) if name]
    if not plain or not names:
        return 0.0
    if plain in names:
        return 1.0
    shorter = [name for name in names if min(len(name), len(plain)) >= 4 and (name in plain or plain in name)]
    part = max((min(len(n), len(plain)) / max(len(n), len(plain)) for n in shorter), default=0.0)
    return max(*(_alike(name, plain) for name in names), 0.7 + 0.3 * part if part > 0.6 else 0.0)


def _alike(name: str, plain: str) -> float:
    matcher = difflib.SequenceMatcher(None, name, plain)
    return matcher.ratio() if matcher.real_quick_ratio() >= _NEAR_LABEL else 0.0


def is_form(table: Table) -> bool:
    """Whether a table is a form: labels in every other column, no head of its own."""
    if table.columns not in (2, 4) or any(cell.header for cell in table.cells) or table.rows < 2:
        return False
    labels = [flowed_text(c.lines).strip() for c in table.cells if c.column % 2 == 0]
    named = [label for label in labels if label]
    return bool(named) and all(len(label) <= 60 and any(map(str.isalpha, label)) for label in named)


def _all(blocks: Sequence[Block], lines: Sequence[Line]) -> Iterator[Pair]:
    for block in blocks:
        if block.table is not None:
            if is_form(block.table):
                yield from _form(block.table)
            continue
        for line in _lines([block]):
            text = line.text.strip()
            if len(text) > _LONGEST_LINE:
                continue
            alone = _ALONE.fullmatch(text)
            if alone and _is_label(alone["label"]):
                value = _beside(line, lines)
                if value is not None:
                    yield Pair(alone["label"], value.text.strip(), value.quad)
                continue
            for match in _PAIR.finditer(text):
                if _is_label(match["label"]):
                    yield Pair(match["label"].strip(), match["value"].strip(), line.quad)


def _is_label(text: str) -> bool:
    """`Total` is one, `at 12` of 12:30 is none, nor is a sentence or an address."""
    text = text.strip()
    return (
        any(map(str.isalpha, text)) and not text[-1].isdigit() and len(text.split()) <= 6 and "//" not in text
        and text.lower() not in ("http", "https", "mailto")
    )  # fmt: skip


def _form(table: Table) -> Iterator[Pair]:
    places = {(cell.row, cell.column): cell for cell in table.cells}
    for row in range(table.rows):
        for column in range(0, table.columns, 2):
            label, value = places.get((row, column)), places.get((row, column + 1))
            name = flowed_text(label.lines).strip().rstrip(":：").strip() if label is not None else ""
            if name and value is not None and (text := flowed_text(value.lines).strip()):
                yield Pair(name, text, value.quad)


def _lines(blocks: Iterable[Block]) -> Iterator[Line]:
    for block in blocks:
        yield from block.lines
        for item in block.items:
            yield from item.lines
        if block.table is not None:
            for cell in block.table.cells:
                text = flowed_text(cell.lines)
                if text.strip():
                    yield Line(cell.quad, (*(span for line in cell.lines for span in line.spans),))


def _beside(line: Line, lines: Sequence[Line]) -> Line | None:
    """What stands right of a line, else right below it."""
    box = line.quad.box
    height = max(box.height, 1.0)
    right = [other for other in lines if other is not line and _is_right(box, other.quad.box, height)]
    if right:
        return min(right, key=lambda other: other.quad.box.left)
    below = [other for other in lines if other is not line and _is_below(box, other.quad.box, height)]
    return min(below, key=lambda other: other.quad.box.top, default=None)


def _is_right(box: Box, other: Box, height: float) -> bool:
    common = min(box.bottom, other.bottom) - max(box.top, other.top)
    return common > 0.5 * min(height, other.height) and box.right - 1 <= other.left <= box.right + 25 * height


def _is_below(box: Box, other: Box, height: float) -> bool:
    common = min(box.right, other.right) - max(box.left, other.left)
    return common > 0 and box.bottom - 0.3 * height <= other.top <= box.bottom + 1.8 * height


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


Rows = list[list[str]]
_NEAR_HEAD = 0.8
_HEAD_ROWS = 3


def rows_of(table: Table) -> Rows:
    """The texts of a table's grid; a cell over several places stands in the first."""
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = " ".join(flowed_text(cell.lines).split())
    return grid


def plain_tables(blocks: Sequence[Block]) -> list[tuple[Block, Rows]]:
    """The tables that are no forms, in reading order, their heads as first rows."""
    return [(b, rows_of(b.table)) for b in blocks if b.table is not None and not is_form(b.table)]


def wanted_table(headers: Sequence[Wanted], blocks: Sequence[Block]) -> tuple[float, Block, Rows] | None:
    """The table whose head fits best; None where no table has half of the headers.

    The share of the headers it has, its block, and its rows with the wanted columns in the wanted order, their names as
    first row.
    """
    found: tuple[float, Block, Rows] | None = None
    for block in blocks:
        if block.table is None:
            continue
        grid = rows_of(block.table)
        for number, row in enumerate(grid[:_HEAD_ROWS]):
            places = _places(headers, row)
            share = sum(place is not None for place in places) / len(headers)
            if share >= 0.5 and (found is None or share > found[0]):
                body = [["" if p is None else cells[p] for p in places] for cells in grid[number + 1 :]]
                found = share, block, [[header.name for header in headers], *(cells for cells in body if any(cells))]
    return found


def _places(headers: Sequence[Wanted], row: Sequence[str]) -> list[int | None]:
    """The column of each header; none is taken twice."""
    places: list[int | None] = []
    for header in headers:
        scored = [(likeness(header, text), -n) for n, text in enumerate(row) if n not in places]
        likely = max(scored, default=(0.0, 0))
        places.append(-likely[1] if likely[0] >= _NEAR_HEAD else None)
    return places


Fields = dict[str, Any]


def page_by_page(pages: Iterable[Page], schema: Schema, grounded: bool) -> Iterator[tuple[str, Fields]]:
    """Each page for itself. What a schema asks for and a page has not is empty there."""
    for page in pages:
        if schema.automatic:
            yield f"Page-{page.number}", _everything(page, grounded)
            continue
        known = pairs(page.blocks)
        fields: Fields = {}
        for key in schema.keys:
            hit = best(key, known, page.blocks)
            fields[key.name] = _value(hit[1], page.number, grounded) if hit is not None else ""
        for name, headers in schema.tables:
            table = wanted_table(headers, page.blocks)
            fields[name] = _table(table[1], table[2], page.number, grounded) if table is not None else []
        yield f"Page-{page.number}", fields


def over_all_pages(pages: Iterable[Page], schema: Schema, grounded: bool) -> Iterator[tuple[str, Fields]]:
    """Each field and table once, on the page where it is found most clearly.

    What is found nowhere is empty on the first.
    """
    if schema.automatic:
        yield from page_by_page(pages, schema, grounded)
        return
    hits: dict[str, tuple[float, int, Any]] = {}
    numbers: list[int] = []
    for page in pages:
        numbers.append(page.number)
        known = pairs(page.blocks)
        for key in schema.keys:
            hit = best(key, known, page.blocks)
            if hit is not None and hit[0] > hits.get(key.name, (0.0,))[0]:
                hits[key.name] = hit[0], page.number, _value(hit[1], page.number, grounded)
        for name, headers in schema.tables:
            table = wanted_table(headers, page.blocks)
            if table is not None and table[0] > hits.get(name, (0.0,))[0]:
                hits[name] = table[0], page.number, _table(table[1], table[2], page.number, grounded)
    nowhere = (0.0, numbers[0] if numbers else 1)
    for number in dict.fromkeys(numbers):
        fields: Fields = {}
        for names, empty in (([key.name for key in schema.keys], ""), ([name for name, _ in schema.tables], [])):
            for name in names:
                _, where, value = hits.get(name, (*nowhere, empty))
                if where == number:
                    fields[name] = value
        yield f"Page-{number}", fields


def _everything(page: Page, grounded: bool) -> Fields:
    fields = {pair.label: _value(pair, page.number, grounded) for pair in pairs(page.blocks)}
    for number, (block, rows) in enumerate(plain_tables(page.blocks), 1):
        fields[f"Table_{number}"] = _table(block, rows, page.number, grounded)
    return fields


def _value(pair: Pair, page: int, grounded: bool) -> Any:
    return _grounded(pair.value, page, pair.quad) if grounded else pair.value


def _table(block: Block, rows: Rows, page: int, grounded: bool) -> Any:
    return _grounded(rows, page, block.quad) if grounded else rows


def _grounded(value: Any, page: int, quad: Quad) -> Fields:
    return {"value": value, "page": page, "bboxes": [list(pos_of(quad))]}
