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
from paperchute.engine.extraction.answer import Watched, contradicts, named_field, printed_text
from paperchute.engine.extraction.finder import findings
from paperchute.engine.extraction.findings import Findings
from paperchute.engine.extraction.measures import BOUNDS, LENGTHS, PLACES
from paperchute.engine.extraction.schema import Schema, Wanted
from paperchute.engine.writing.parsed import pos_of

_PAIR = re.compile(r"(?P<label>[^\s:：][^:：]{0,60}?)\s*[:：]\s*(?P<value>\S.*?)(?=\s+[^\s:：][^:：\d]{1,40}[:：]\s|$)")
_ALONE = re.compile(r"(?P<label>\S[^:：]{0,60}?)\s*[:：]$")


@dataclass(frozen=True, slots=True)
class FieldSettings:
    """What is taken for a label, its value and a table's head. Distances are shares of the label's height.

    Chosen by eye on invoices and forms where nothing else is said. Measured on 20 sample documents, each asked for nine
    fields and two tables, and for all it shows: 15 % less or more changes none of them where no figure is given.
    """

    near_label: float = 0.84
    """How alike a printed label is to the name that is asked for: one letter in four misread or other is too much. 1 of
    20 documents changes at 0.71, 3 at 0.97."""

    near_head: float = 0.8
    """The same of a column's head: those beside it, which must fit too, make up for what each lacks."""

    part: float = 0.6
    """Of the longer of a name and a label: so much of it the other must be to count as part of it. 1 of 20 documents
    changes at 0.51, 1 at 0.69."""

    part_likeness: tuple[float, float] = (0.7, 0.3)
    """How likely a part is what is wanted: at least, and more by its share, so that the whole name is certain. 1
    of 20 documents changes with 15 % less."""

    alone_likeness: float = 0.8
    """How likely the text beside a line that holds just the name is its value: less than any label with a colon."""

    head_rows: int = 3
    """Rows of a table, from its first, that may be its head: a title above it, and heads in two rows."""

    longest_label: int = 60
    """Characters of a label in a form; more are a sentence."""

    touching: float = 1.0
    """Points by which a value may overlap its label: letters reach out of their boxes."""

    furthest_right: float = 25.0
    """From a label to a value at its right: across most of a page."""

    raised: float = 0.3
    """By which a value below its label may reach into its line."""

    furthest_below: float = 1.8
    """From a label's bottom to the top of a value below it: with a line left empty, and no more. 1 of 20 documents
    changes at 2.07."""


FIELDS = FieldSettings()


@dataclass(frozen=True, slots=True)
class Pair:
    """A label as it is printed and its value, with the place of the value."""

    label: str
    value: str
    quad: Quad


def pairs(blocks: Sequence[Block]) -> list[Pair]:
    """Return what the blocks of a page show as labels with values, in reading order, each label once."""
    lines = list(_lines(blocks))[: BOUNDS.values]
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
    if likely is not None and likely[0] >= FIELDS.near_label:
        return likely
    lines = list(_lines(blocks))[: BOUNDS.values]
    names = [(likeness(wanted, line.text.strip().rstrip(":：")), line) for line in lines]
    for _, line in sorted((item for item in names if item[0] >= FIELDS.near_label), key=lambda item: -item[0]):
        value = _beside(line, lines)
        if value is not None:
            return FIELDS.alone_likeness, Pair(wanted.name, value.text.strip(), value.quad)
    return None


def likeness(wanted: Wanted, label: str) -> float:
    """Return how much a printed label is what is wanted, from 0 to 1."""
    if len(label) > BOUNDS.places:
        return 0.0
    plain = _plain(label)
    names = [name for name in (_plain(wanted.name), _plain(wanted.hint)) if name]
    if not plain or not names:
        return 0.0
    if plain in names:
        return 1.0
    least = LENGTHS.letters
    shorter = [name for name in names if min(len(name), len(plain)) >= least and (name in plain or plain in name)]
    part = max((min(len(n), len(plain)) / max(len(n), len(plain)) for n in shorter), default=0.0)
    base, more = FIELDS.part_likeness
    return max(*(_alike(name, plain) for name in names), base + more * part if part > FIELDS.part else 0.0)


def _alike(name: str, plain: str) -> float:
    matcher = difflib.SequenceMatcher(None, name, plain)
    return matcher.ratio() if matcher.real_quick_ratio() >= FIELDS.near_label else 0.0


def is_form(table: Table) -> bool:
    """Decide whether a table is a form: labels in every other column, no head of its own."""
    if table.columns not in (2, 4) or any(cell.header for cell in table.cells) or table.rows < 2:
        return False
    labels = [flowed_text(c.lines).strip() for c in table.cells if c.column % 2 == 0]
    named = [label for label in labels if label]
    return bool(named) and all(len(label) <= FIELDS.longest_label and any(map(str.isalpha, label)) for label in named)


def _all(blocks: Sequence[Block], lines: Sequence[Line]) -> Iterator[Pair]:
    for block in blocks:
        if block.table is not None:
            if is_form(block.table):
                yield from _form(block.table)
            continue
        for line in _lines([block]):
            text = line.text.strip()
            if len(text) > BOUNDS.lines:
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
        any(map(str.isalpha, text)) and not text[-1].isdigit() and "//" not in text
        and len(text.split()) <= LENGTHS.phrase
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
    """Return what stands right of a line, else right below it."""
    box = line.quad.box
    height = max(box.height, 1.0)
    right = [other for other in lines if other is not line and _is_right(box, other.quad.box, height)]
    if right:
        return min(right, key=lambda other: other.quad.box.left)
    below = [other for other in lines if other is not line and _is_below(box, other.quad.box, height)]
    return min(below, key=lambda other: other.quad.box.top, default=None)


def _is_right(box: Box, other: Box, height: float) -> bool:
    common = min(box.bottom, other.bottom) - max(box.top, other.top)
    if common <= PLACES.level * min(height, other.height):
        return False
    return box.right - FIELDS.touching <= other.left <= box.right + FIELDS.furthest_right * height


def _is_below(box: Box, other: Box, height: float) -> bool:
    common = min(box.right, other.right) - max(box.left, other.left)
    highest, lowest = box.bottom - FIELDS.raised * height, box.bottom + FIELDS.furthest_below * height
    return common > 0 and highest <= other.top <= lowest


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


Rows = list[list[str]]


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
        for number, row in enumerate(grid[: FIELDS.head_rows]):
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
        places.append(-likely[1] if likely[0] >= FIELDS.near_head else None)
    return places


Fields = dict[str, Any]


def page_by_page(pages: Iterable[Page], schema: Schema, grounded: bool) -> Iterator[tuple[str, Fields]]:
    """Each page for itself. What a schema asks for and a page has not is empty there."""
    for page in pages:
        if schema.automatic:
            yield f"Page-{page.number}", _everything(page, grounded)
            continue
        known = pairs(page.blocks)
        own = findings([page]) if any(map(named_field, schema.keys)) else Findings()
        fields: Fields = {}
        for key in schema.keys:
            hit = _hit(key, known, page, own)
            fields[key.name] = _value(hit[1], page.number, grounded) if hit is not None else ""
        for name, headers in schema.tables:
            table = wanted_table(headers, page.blocks)
            fields[name] = _table(table[1], table[2], page.number, grounded) if table is not None else []
        yield f"Page-{page.number}", fields


def _hit(wanted: Wanted, known: Sequence[Pair], page: Page, own: Findings) -> tuple[float, Pair] | None:
    """Return what the page says of itself, for a field that documents have; else, and for others, what a label says."""
    name = named_field(wanted)
    sure = printed_text(own, name) if name else None
    if sure is not None:
        return 1.0, Pair(wanted.name, sure[0], Quad.of(sure[1].box))
    return None if name and contradicts(own, name) else best(wanted, known, page.blocks)


def over_all_pages(
    pages: Iterable[Page], schema: Schema, grounded: bool, watched: Watched
) -> Iterator[tuple[str, Fields]]:
    """Each field and table once, on the page where it is found most clearly. watched: what saw the pages pass.

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
    _tell_own(schema, watched, hits, grounded)
    nowhere = (0.0, numbers[0] if numbers else 1)
    for number in dict.fromkeys(numbers):
        fields: Fields = {}
        for names, empty in (([key.name for key in schema.keys], ""), ([name for name, _ in schema.tables], [])):
            for name in names:
                _, where, value = hits.get(name, (*nowhere, empty))
                if where == number:
                    fields[name] = value
        yield f"Page-{number}", fields


def _tell_own(schema: Schema, watched: Watched, hits: dict[str, tuple[float, int, Any]], grounded: bool) -> None:
    """What the document says of itself takes the place of what labels say."""
    named = [(key.name, name) for key in schema.keys if (name := named_field(key))]
    own = watched.findings() if named else Findings()
    for key, name in named:
        sure = printed_text(own, name)
        if sure is not None:
            text, where = sure
            value = _value(Pair(key, text, Quad.of(where.box)), where.page, grounded)
            hits[key] = 1.0, where.page, value
        elif contradicts(own, name):
            hits.pop(key, None)


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
