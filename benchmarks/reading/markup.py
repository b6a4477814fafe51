"""Markdown taken apart: its tables, its headings, its plain text."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

from benchmarks.reading.trees import Node

TABLE = re.compile(r"<table\b.*?</table\s*>", re.IGNORECASE | re.DOTALL)
_SPACE = re.compile(r"\s+")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_LEADERS = re.compile(r"(?:\\?\. ?){5,}|…{2,}")
_BREAK = re.compile(r"<br\s*/?>")
_RULE = re.compile(r":?-+:?")


def squeezed(text: str) -> str:
    """White space collapsed."""
    return _SPACE.sub(" ", text).strip()


def with_html_tables(markdown: str) -> str:
    """Every pipe table rewritten as an HTML table, so that both notations count the same."""
    lines = markdown.splitlines()
    result: list[str] = []
    at, fenced = 0, False
    while at < len(lines):
        fenced ^= bool(_FENCE.match(lines[at]))
        head = [] if fenced else _pipe_cells(lines[at])
        rule = _pipe_cells(lines[at + 1]) if head and at + 1 < len(lines) else []
        if not rule or not all(_RULE.fullmatch(cell.replace(" ", "")) for cell in rule):
            result.append(lines[at])
            at += 1
            continue
        rows = [head]
        at += 2
        while at < len(lines) and (cells := _pipe_cells(lines[at])):
            rows.append(cells)
            at += 1
        width = max(len(head), len(rule))
        if not any(rows[0]) and len(rows) > 1:  # Markdown demands a head; an empty one says nothing
            rows.pop(0)
        result.append(f"<table>{''.join(_html_row(row, width) for row in rows)}</table>")
    return "\n".join(result)


def tables(markdown: str) -> list[Node]:
    """The HTML tables as trees table > tr > td, heads as body cells, nested tables as text."""
    found: list[Node] = []
    for fragment in TABLE.findall(markdown):
        reader = _TableReader()
        reader.feed(fragment)
        found += [table for table in reader.tables if table.children]
    for table in found:
        for row in table.children:
            for cell in row.children:
                cell.text = squeezed(cell.text)
    return found


def grid(table: Node) -> dict[tuple[int, int], tuple[int, str]]:
    """A table's places by (row, column): the number of the cell that covers each, and its text."""
    places: dict[tuple[int, int], tuple[int, str]] = {}
    number = 0
    for r, row in enumerate(table.children):
        c = 0
        for cell in row.children:
            while (r, c) in places:
                c += 1
            number += 1
            for i in range(cell.span[1]):
                for j in range(cell.span[0]):
                    places[r + i, c + j] = number, cell.text
            c += cell.span[0]
    return places


def headings(markdown: str) -> tuple[Node, list[str]]:
    """The document as a flat tree of headings and what stands between them, and the headings' texts without markup."""
    root = Node("document")
    texts: list[str] = []
    here, pending, fenced = root, list[str](), False

    def flush() -> None:
        text = squeezed(" ".join(pending))
        pending.clear()
        if text:
            here.children.append(Node("content", text=text))

    for line in markdown.splitlines():
        fenced ^= bool(_FENCE.match(line))
        match = None if fenced else _HEADING.match(line)
        if match and match[2]:
            flush()
            here = Node("heading", text=squeezed(match[2]))
            root.children.append(here)
            texts.append(without_marks(match[2]))
        else:
            pending.append(line)
    flush()
    return root, texts


def without_marks(text: str) -> str:
    """Inline markup removed: emphasis, code, links, tags, escapes."""
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", " ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\\([^\w\s])", r"\1", re.sub(r"[*_`~]+", "", text))
    return squeezed(html.unescape(re.sub(r"<[^>\s][^>]*>", " ", text)))


def neutral(markdown: str) -> str:
    """Only headings, lists, paragraphs and tables; readers differ in what else they mark.

    Emphasis, code, links, pictures, raised letters, breaks of lines and escapes become their words; formulas set apart
    are left out, as no two readers write one alike, and so are the points that lead to a figure.
    """
    text = _FORMULA.sub("\n", with_html_tables(_BREAK.sub(" ", markdown)))
    lines = (line for line in text.splitlines() if not _FENCE.match(line))
    text = "\n".join(re.sub(r"^(\s*)[*+•]\s+", r"\1- ", line) for line in lines)
    text = _LEADERS.sub(" ", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<!--.*?-->", " ", text, flags=re.DOTALL)
    text = re.sub(r"(?<!\!)\[([^\]\n]+)\]\([^)\s]*\)", r"\1", text)
    text = re.sub(r"</?(?:sup|sub|b|i|em|strong|u|code|p|span)\b[^>]*>", "", text)
    text = re.sub(r"(?<!\\)(?:\*+|`+|~~)|(?<![\w\\])_+(?=\S)|(?<=[^\s\\])_+(?!\w)", "", text)
    return re.sub(r"\\([^\w\s])", r"\1", text).replace("&amp;", "&").replace("&nbsp;", " ")


def plain(markdown: str) -> str:
    """The words alone, in small letters."""
    lines = (line for line in markdown.splitlines() if not _FENCE.match(line))
    return without_marks("\n".join(re.sub(r"^\s*(#{1,6}\s+|>+\s?|[-*+•]\s+)", "", line) for line in lines)).lower()


def _pipe_cells(line: str) -> list[str]:
    body = line.strip()
    if "|" not in body:
        return []
    body = body[1:] if body.startswith("|") else body
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", body)]


def _html_row(cells: list[str], width: int) -> str:
    filled = (cells + [""] * width)[:width]
    return "<tr>" + "".join(f"<td>{html.escape(cell, quote=False)}</td>" for cell in filled) + "</tr>"


class _TableReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[Node] = []
        self._depth = 0
        self._row: Node | None = None
        self._cell: Node | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.tables.append(Node("table"))
                self._row = self._cell = None
        elif self._depth != 1:
            return
        elif tag == "tr":
            self._open_row()
        elif tag in ("td", "th"):
            row = self._row or self._open_row()
            spans = dict(attrs)
            self._cell = Node("td", (_span(spans.get("colspan")), _span(spans.get("rowspan"))))
            row.children.append(self._cell)
        elif tag == "br" and self._cell is not None:
            self._cell.text += " "

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._depth = max(0, self._depth - 1)
        if self._depth > 1:
            return
        if tag in ("table", "tr"):
            self._row = self._cell = None
        elif tag in ("td", "th") and self._depth == 1:
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._depth and self._cell is not None:
            self._cell.text += data

    def _open_row(self) -> Node:
        self._row, self._cell = Node("tr"), None
        self.tables[-1].children.append(self._row)
        return self._row


def _span(value: str | None) -> int:
    return max(int(value), 1) if value and value.strip().isdigit() else 1
