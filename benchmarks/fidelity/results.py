"""What a Word file or a workbook says, read by python-docx and openpyxl and written as Markdown to be compared."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docx
import openpyxl

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Word:
    """A Word file. markdown: its body. items: of real lists. running: its heads and feet. pages: that it begins."""

    markdown: str
    items: tuple[str, ...]
    running: str
    pages: int


def word(path: Path) -> Word:
    """Read a Word file."""
    document = docx.Document(str(path))
    styles = {style.style_id: style.name or "" for style in document.styles}
    parts: list[str] = []
    items: list[str] = []
    body: Any = document.element.body
    for element in body:
        if element.tag == f"{_W}tbl":
            parts.append(_table(element))
        elif element.tag == f"{_W}p":
            said = _text(element)
            name = styles.get(_value(element, "pStyle"), "")
            level = 1 if name == "Title" else int(found[1]) if (found := _HEADING.match(name)) else 0
            if not said:
                continue
            if element.find(f"{_W}pPr/{_W}numPr") is not None or name.startswith("List"):
                items.append(said)
                said = f"- {said}"
            parts.append(f"{'#' * level} {said}".strip())
    running = [_text(p) for part in _margins(document) for p in part.iter(f"{_W}p")]
    breaks = [e for e in body.iter(f"{_W}br") if e.get(f"{_W}type") == "page"]
    breaks += [e for e in body.iter(f"{_W}pageBreakBefore") if e.get(f"{_W}val") not in ("0", "false")]
    sections = [e for e in body.iter(f"{_W}sectPr") if _value(e, "type", "nextPage") == "nextPage"]
    return Word("\n\n".join(parts), tuple(items), " ".join(running), len(breaks) + max(len(sections), 1))


def _margins(document: Any) -> Iterator[Any]:
    for part in document.part.package.iter_parts():
        if re.fullmatch(r"/word/(?:header|footer)\d*\.xml", str(part.partname)):
            yield part.element


def _value(element: Any, name: str, default: str = "") -> str:
    found = element.find(f"{_W}pPr/{_W}{name}")
    found = element.find(f"{_W}{name}") if found is None else found
    return str(found.get(f"{_W}val")) if found is not None else default


def _text(element: Any) -> str:
    gaps = {f"{_W}tab": " ", f"{_W}br": " ", f"{_W}noBreakHyphen": "-"}
    return " ".join("".join(e.text or "" if e.tag == f"{_W}t" else gaps.get(e.tag, "") for e in element.iter()).split())


def _table(element: Any) -> str:
    rows: list[list[tuple[int, Any, str]]] = []  # (column, cell, merge)
    for row in element.iter(f"{_W}tr"):
        column, found = 0, []
        for cell in row.findall(f"{_W}tc"):
            wide = cell.find(f"{_W}tcPr/{_W}gridSpan")
            merge = cell.find(f"{_W}tcPr/{_W}vMerge")
            kind = "" if merge is None else merge.get(f"{_W}val") or "continue"
            found.append((column, cell, kind))
            column += int(wide.get(f"{_W}val")) if wide is not None else 1
        rows.append([*found, (column, None, "")])
    made = []
    for number, row in enumerate(rows):
        cells = ""
        for (column, cell, kind), (after, _, _) in itertools.pairwise(row):
            if kind == "continue":
                continue
            tall = 1
            while (
                kind
                and number + tall < len(rows)
                and (column, "continue") in [(place, merge) for place, _, merge in rows[number + tall]]
            ):
                tall += 1
            cells += f"<td{_spans(tall, after - column)}>{html.escape(_text(cell), quote=False)}</td>"
        made.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(made)}</table>"


def _spans(rows: int, columns: int) -> str:
    tall = f' rowspan="{rows}"' if rows > 1 else ""
    wide = f' colspan="{columns}"' if columns > 1 else ""
    return wide + tall


def workbook(path: Path) -> str:
    """Read a workbook: each sheet as a table."""
    made = []
    for sheet in openpyxl.load_workbook(path, data_only=True):
        merged = {(m.min_row, m.min_col): (m.size["rows"], m.size["columns"]) for m in sheet.merged_cells.ranges}
        # By their places: the engine, where this process has loaded it, keeps openpyxl from making such cells.
        covered = {place for m in sheet.merged_cells.ranges for place in m.cells} - merged.keys()
        rows = ""
        for row in sheet.iter_rows():
            rows += "<tr>"
            for cell in row:
                if (cell.row, cell.column) in covered:
                    continue
                tall, wide = merged.get((cell.row, cell.column), (1, 1))
                rows += f"<td{_spans(tall, wide)}>{html.escape(_shown(cell.value), quote=False)}</td>"
            rows += "</tr>"
        made.append(f"<table>{rows}</table>")
    return "\n\n".join(made)


def _shown(value: object) -> str:
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)
