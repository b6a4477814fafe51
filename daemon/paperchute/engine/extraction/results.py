"""What was found, as the contract has it: `Page-1`, `Page-2` ... each with its fields, tables as lists of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from paperchute.engine.document.geometry import Quad
from paperchute.engine.document.model import Block, Page
from paperchute.engine.extraction.fields import Pair, Rows, best, pairs, plain_tables, wanted_table
from paperchute.engine.extraction.schema import Schema
from paperchute.engine.writing.parsed import pos_of

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
    """Each field and table once, on the page where it is found most clearly; what is found nowhere is empty on the
    first."""
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
