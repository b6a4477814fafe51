"""What a document says, as Markdown: headings and paragraphs in order, tables, formulas apart."""

from __future__ import annotations

import html
from collections.abc import Iterable

from benchmarks.sets.documents import (
    Beside,
    Block,
    Code,
    Figure,
    Formula,
    Heading,
    Listing,
    Paragraph,
    References,
    Table,
    plain,
)


def markdown(blocks: Iterable[Block]) -> str:
    """The blocks in their order; headings as they are given, so what a layout adds must stand in them already."""
    return "\n\n".join(part for block in blocks for part in _parts(block) if part) + "\n"


def table(block: Table) -> str:
    """A pipe table, or HTML where cells span."""
    if any(cell.columns > 1 or cell.rows > 1 for row in block.rows for cell in row):
        rows = ("".join(_cell(cell.text, cell.columns, cell.rows) for cell in row) for row in block.rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    lines = ["| " + " | ".join(cell.text.replace("|", "\\|") for cell in row) + " |" for row in block.rows]
    empty = "|" + "  |" * block.columns
    head = lines[:1] if block.heads else [empty]
    return "\n".join([*head, "|" + " --- |" * block.columns, *lines[len(head) if block.heads else 0 :]])


def _cell(text: str, columns: int, rows: int) -> str:
    wide = f' colspan="{columns}"' if columns > 1 else ""
    tall = f' rowspan="{rows}"' if rows > 1 else ""
    return f"<td{wide}{tall}>{html.escape(text, quote=False)}</td>"


def _parts(block: Block) -> list[str]:
    match block:
        case Heading():
            return [f"{'#' * block.level} {block.text}"]
        case Paragraph():
            return [f"{block.lead} {plain(block.runs)}".strip()]
        case Listing():
            return ["\n".join(f"{f'{n}.' if block.ordered else '-'} {item}" for n, item in enumerate(block.items, 1))]
        case Table():
            return [block.caption, table(block)]
        case Beside():
            return [table(each) for each in block.tables]
        case Formula():
            return [f"$$\n{block.source}\n$$"]
        case Figure():
            return [block.caption]
        case Code():
            return [block.caption, "```\n" + "\n".join(block.lines) + "\n```"]
        case References():
            return [f"# {block.heading}" if block.heading else "", *block.entries]
