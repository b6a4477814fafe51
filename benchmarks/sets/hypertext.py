"""Blocks as a page of HTML, tables in several looks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from benchmarks.sets.documents import (
    Beside,
    Block,
    Cell,
    Code,
    Heading,
    Listing,
    Paragraph,
    Table,
)

_SIGNED = re.compile(r"(\$ )?(\(?[\d,.]+)(\)? ?%|\))?")

LOOKS = ("bare", "rules", "lines", "grid", "bands")
_RULES = {
    "bare": "",
    "rules": "thead tr:last-child > * {border-bottom: 1px solid #000} tr.sum td + td {border-top: 1px solid #000}",
    "lines": "tr > * {border-bottom: 1px solid #999}",
    "grid": "tr > * {border: 1px solid #444}",
    "bands": "thead tr > * {background: #345; color: #fff} tbody tr:nth-child(even) > * {background: #e4e9f0}",
}


@dataclass(frozen=True, slots=True)
class Style:
    """How a page looks."""

    look: str = "lines"
    family: str = "serif"
    size: float = 10
    wide: bool = False
    """Tables take the whole width."""
    columns: int = 1
    justified: bool = False
    margin: int = 20
    centred: bool = False
    """Headings stand in the middle."""


def style(chance: Random, look: str = "") -> Style:
    """One by chance."""
    return Style(
        look or chance.choice(LOOKS),
        chance.choice(("serif", "sans-serif", "DejaVu Sans", "DejaVu Serif", "Liberation Sans", "Liberation Serif")),
        chance.choice((9, 10, 11, 12)),
        chance.random() < 0.5,
        1,
        chance.random() < 0.4,
        chance.choice((15, 20, 25)),
        chance.random() < 0.2,
    )


def page(blocks: Iterable[Block], look: Style, language: str, title: str = "", extra: str = "") -> str:
    """The whole page. `extra` is further CSS."""
    parts = [part for block in blocks for part in _parts(block)]
    if look.columns > 1:  # the first heading goes across
        parts = [parts[0], '<div class="flow">', *parts[1:], "</div>"]
    body = "\n".join(parts)
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_css(look)}{extra}</style></head><body>{body}</body></html>"
    )


def with_signs_apart(table: Table) -> Table:
    """Each column of figures as three: the sign before, the figure, what closes it."""
    rows: list[tuple[Cell, ...]] = []
    for number, row in enumerate(table.rows):
        made: list[Cell] = []
        for column, cell in enumerate(row):
            if column == 0:
                made.append(cell)
            elif number < table.heads:
                made.append(replace(cell, columns=3, align="center"))
            else:
                found = _SIGNED.fullmatch(cell.text)
                parts = [(part or "").strip() for part in found.groups()] if found else ["", cell.text, ""]
                made += [replace(cell, text=part) for part in parts]
        rows.append(tuple(made))
    return Table(tuple(rows), table.heads, table.caption, table.aligns[0] + "lrl" * (table.columns - 1))


def _css(look: Style) -> str:
    space = "2px 8px" if look.look != "bare" else "1px 10px"
    return (
        f"@page {{size: A4; margin: {look.margin}mm}}"
        f"body {{font-family: {look.family}; font-size: {look.size}pt; margin: 0}}"
        f"p {{text-align: {'justify' if look.justified else 'left'}; line-height: 1.35}}"
        f"table {{border-collapse: collapse; margin: 8pt 0;{' width: 100%;' if look.wide else ''}}}"
        f"td, th {{padding: {space}; vertical-align: top; text-align: left; font-weight: normal}} {_RULES[look.look]}"
        "tr {page-break-inside: avoid} caption {text-align: left; padding-bottom: 3pt}"
        f"h1, h2, h3 {{break-after: avoid; break-inside: avoid;{' text-align: center' if look.centred else ''}}}"
        "pre {background: #f2f2f2; padding: 6pt; font-size: 85%; white-space: pre-wrap}"
        "td.sign {padding-left: 0; padding-right: 0} td.first {padding-left: 10pt} .beside {display: flex; gap: 20mm}"
        ".flow table {width: 100%; font-size: 80%} .flow th, .flow td {white-space: normal !important}"
        f".flow {{column-count: {look.columns}; column-gap: 8mm}}"
    )


def _parts(block: Block) -> list[str]:
    match block:
        case Heading():
            return [f"<h{block.level}>{html.escape(block.text)}</h{block.level}>"]
        case Paragraph():
            lead = f"<b>{html.escape(block.lead)}</b> " if block.lead else ""
            return [f"<p>{lead}{''.join(_run(run.kind, run.text) for run in block.runs if run.kind != 'note')}</p>"]
        case Listing():
            name = "ol" if block.ordered else "ul"
            return [f"<{name}>{''.join(f'<li>{html.escape(item)}</li>' for item in block.items)}</{name}>"]
        case Table():
            return [f"<p>{html.escape(block.caption)}</p>" if block.caption else "", table(block)]
        case Beside():
            return [f'<div class="beside">{"".join(map(table, block.tables))}</div>']
        case Code():
            return [f"<pre>{html.escape(chr(10).join(block.lines))}</pre>"]
        case _:
            raise TypeError(f"{type(block).__name__} cannot stand in a page of HTML")


def _run(kind: str, words: str) -> str:
    tag = {"emphasis": "em", "strong": "strong"}.get(kind)
    return f"<{tag}>{html.escape(words)}</{tag}>" if tag else html.escape(words)


def table(block: Table) -> str:
    """The table alone."""
    signs = "lrl" in block.aligns
    rows = []
    covered: dict[int, int] = {}
    for number, row in enumerate(block.rows):
        parts = []
        column = 0
        for cell in row:
            while covered.get(column, 0):
                covered[column] -= 1
                column += 1
            parts.append(_cell(cell, block, column, number < block.heads, signs))
            for at in range(column, column + cell.columns) if cell.rows > 1 else ():
                covered[at] = cell.rows - 1
            column += cell.columns
        while covered.get(column, 0):
            covered[column] -= 1
            column += 1
        name = ' class="sum"' if row[0].bold and number >= block.heads and len(row) > 1 else ""
        rows.append(f"<tr{name}>{''.join(parts)}</tr>")
    head = f"<thead>{''.join(rows[: block.heads])}</thead>" if block.heads else ""
    return f"<table>{head}<tbody>{''.join(rows[block.heads :])}</tbody></table>"


def _cell(cell: Cell, block: Table, column: int, head: bool, signs: bool) -> str:
    tag = "th" if head else "td"
    align = cell.align or {"r": "right", "c": "center"}.get(block.aligns[column], "left")
    css = [f"text-align: {align}"] if align != "left" else []
    css += ["font-weight: bold"] if cell.bold else []
    css += [f"padding-left: {cell.indent * 14 + 8}pt"] if cell.indent else []
    css += [f"width: {block.widths[column]}mm"] if block.widths and block.widths[column] else []
    css += ["white-space: nowrap"] if column and not (block.widths and block.widths[column]) else []
    first = " first" if column % 3 == 1 else ""
    name = f' class="sign{first}"' if signs and column and not head else ""
    spans = (f' colspan="{cell.columns}"' if cell.columns > 1 else "") + (
        f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
    )
    shown = f' style="{"; ".join(css)}"' if css else ""
    return f"<{tag}{name}{spans}{shown}>{html.escape(cell.text)}</{tag}>"
