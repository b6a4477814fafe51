"""Word documents (DOCX) as HTML: headings, lists, tables, pictures, links, notes, heads and feet of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import docx
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from lxml import etree

from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import Cell, page, table
from paperchute.engine.reading.office.numbering import Numbering, Styles
from paperchute.engine.reading.office.runs import Runs, boxes_of
from paperchute.language import N_

_DEEPEST = 20  # tables and text boxes inside of each other: a bound on work on hostile files
_MOST_COLUMNS = 200  # that a cell covers: likewise
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ENTRY = "<!--entry--></p>"
"""Ends an entry of a table of contents: those that follow each other are lines of one paragraph."""
_NOTES = ("footnote", "endnote")
_ALTERNATIVE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_AROUND = (
    *(qn("w:sdt"), qn("w:sdtContent"), qn("w:customXml"), qn("w:ins"), qn("w:moveTo")),
    *(f"{_ALTERNATIVE}AlternateContent", f"{_ALTERNATIVE}Choice"),
)
"""What paragraphs and tables may stand in without being changed by it."""


def document_html(path: Path, left: LeftOut) -> str:
    """The sections of the document, each between the heads and feet that it begins, then footnotes and endnotes."""
    try:
        document = docx.Document(str(path))
    except PackageNotFoundError as error:
        raise ValueError("no document") from error
    styles = Styles(document)
    writer = _Writer(styles, Numbering(document, styles), Runs(document.part, _notes(document), left), left)
    margins = _Margins(document)
    made = ""
    for blocks, properties in _sections(document.element.body):
        made += margins.html("header", properties, writer)
        made += writer.blocks(blocks, 0)
        made += margins.html("footer", properties, writer)
    return page(made + writer.notes(), document.core_properties.title or "")


@dataclass(slots=True)
class _Writer:
    styles: Styles
    numbering: Numbering
    runs: Runs
    left: LeftOut

    def blocks(self, container: Iterable[Any], depth: int) -> str:
        """The paragraphs and tables of a body, cell or text box."""
        if depth > _DEEPEST:
            words = "".join(text.text or "" for element in container for text in element.iter(qn("w:t")))
            return f"<p>{escape(words)}</p>"
        made, open_lists = "", 0
        for element in self._children(container):
            if element.tag == qn("w:tbl"):
                made += "</ul>" * open_lists + self._table(element, depth)
                open_lists = 0
                continue
            mark = self.numbering.mark(element)
            content = self.runs.html(element)
            if self.styles.is_contents(element) and mark is None:
                made += "</ul>" * open_lists
                open_lists = 0
                made = made.removesuffix("</p>") + "<br>" if made.endswith(_ENTRY) else f"{made}<p>"
                made += f"{content}{_ENTRY}"
                continue
            level = self.styles.heading(element)
            if level or mark is None or not mark.text:
                made += "</ul>" * open_lists
                open_lists = 0
                tag = f"h{level}" if level else "p"
                if content.strip() and mark is not None and mark.text:
                    content = f"{escape(mark.text)} {content}"
                made += f"<{tag}>{content}</{tag}>" if content.strip() else ""
            else:
                # Some styles are lists of their own, each at its first level.
                nested = mark.level or self.styles.nested(element)
                made += "<ul>" * (nested + 1 - open_lists) + "</ul>" * (open_lists - nested - 1)
                open_lists = nested + 1
                made += f'<li data-marker="{escape(mark.text)}">{content}</li>'
            made += "".join(self.blocks(box, depth + 1) for box in boxes_of(element))
        return made + "</ul>" * open_lists

    def notes(self) -> str:
        """The notes referred to so far."""
        numbered = self.runs.referred.items()
        return "".join(f"<p><sup>{number}</sup> {self.runs.noted[note]}</p>" for note, number in numbered)

    def _children(self, container: Iterable[Any]) -> Iterator[Any]:
        """Paragraphs and tables, those in content controls and the like too."""
        for child in container:
            if child.tag in (qn("w:p"), qn("w:tbl")):
                yield child
            elif child.tag in _AROUND:
                yield from self._children(child)
            elif child.tag == qn("w:altChunk"):
                self.left.embedded()

    def _table(self, element: Any, depth: int) -> str:
        rows: list[list[list[Any]]] = []  # [content, columns, rows]
        above: dict[int, list[Any]] = {}
        heads = 0
        for row in element.iter(qn("w:tr")):
            if next(row.iterancestors(qn("w:tbl"))) is not element:
                continue
            if row.find(f"{qn('w:trPr')}/{qn('w:del')}") is not None:
                self.left.aside(N_("deleted text"))
                continue
            before = min(_number(row, "w:trPr", "w:gridBefore", 0), _MOST_COLUMNS)
            column, cells = before, [["", before, 1]] if before else []
            for cell in row.iter(qn("w:tc")):
                if next(cell.iterancestors(qn("w:tr"))) is not row:
                    continue
                columns = min(max(_number(cell, "w:tcPr", "w:gridSpan", 1), 1), _MOST_COLUMNS)
                merge = next(cell.iterfind(f"{qn('w:tcPr')}/{qn('w:vMerge')}"), None)
                if merge is not None and merge.get(qn("w:val")) != "restart" and column in above:
                    above[column][2] += 1
                else:
                    made = [self.blocks(cell, depth + 1), columns, 1]
                    cells.append(made)
                    above[column] = made
                column += columns
            is_head = next(row.iterfind(f"{qn('w:trPr')}/{qn('w:tblHeader')}"), None) is not None
            heads += is_head and heads == len(rows)
            rows.append(cells)
        return table(([Cell(*cell) for cell in cells] for cells in rows), heads)


@dataclass(slots=True)
class _Margins:
    """Heads and feet, each of which is written once, where the first section that has it begins or ends."""

    document: Any
    _parts: set[str] = field(default_factory=set)
    _said: set[str] = field(default_factory=set)

    def html(self, kind: str, properties: Any, writer: _Writer) -> str:
        """Those that a section names and its pages show. kind: header or footer."""
        if properties is None:
            return ""
        shown = {"default"}
        if _is_on(properties.find(qn("w:titlePg"))):
            shown.add("first")
        if _is_on(self.document.settings.element.find(qn("w:evenAndOddHeaders"))):
            shown.add("even")
        made = ""
        named = [e for e in properties.iterfind(qn(f"w:{kind}Reference")) if e.get(qn("w:type"), "default") in shown]
        for reference in sorted(named, key=lambda e: e.get(qn("w:type")) != "first"):
            part = self.document.part.related_parts.get(reference.get(qn("r:id"), ""))
            if part is None or str(part.partname) in self._parts:
                continue
            self._parts.add(str(part.partname))
            writer.runs.part, own = part, writer.runs.part
            text = writer.blocks(_element(part), 0)
            writer.runs.part = own
            if text not in self._said and not _is_page_number(text, part):
                self._said.add(text)
                made += text
        return made


def _is_page_number(text: str, part: Any) -> bool:
    """Decide whether a head or foot says nothing but what a field counts."""
    if "<img" in text or any(sign.isalpha() for sign in re.sub("<[^<>]*>", " ", text)):
        return False
    return text == "" or next(_element(part).iter(qn("w:instrText"), qn("w:fldSimple")), None) is not None


def _sections(body: Any) -> Iterator[tuple[list[Any], Any]]:
    """The blocks of each section with its properties, which stand at its end (ECMA-376, 17.6)."""
    blocks: list[Any] = []
    for child in body:
        properties = next(child.iter(qn("w:sectPr")), None)
        if child.tag != qn("w:sectPr"):
            blocks.append(child)
        if properties is not None:
            yield blocks, properties
            blocks = []
    if blocks:
        yield blocks, None


_SAFELY = etree.XMLParser(resolve_entities=False, no_network=True)


def _element(part: Any) -> Any:
    """The root of a part; python-docx has parsed some."""
    found = getattr(part, "element", None)
    return etree.fromstring(part.blob, _SAFELY) if found is None else found


def _is_on(element: Any) -> bool:
    return element is not None and element.get(qn("w:val")) not in ("0", "false", "off")


def _number(element: Any, properties: str, tag: str, absent: int) -> int:
    found = next(element.iterfind(f"{qn(properties)}/{qn(tag)}"), None)
    value = found.get(qn("w:val"), "") if found is not None else ""
    return int(value) if value.isdigit() and len(value) < 9 else absent


def _notes(document: Any) -> dict[str, str]:
    """The words of footnotes and endnotes by their kinds and numbers."""
    found = {}
    for kind in _NOTES:
        part = next((r.target_part for r in document.part.rels.values() if r.reltype == f"{_RELATED}/{kind}s"), None)
        if part is None:
            continue
        for note in _element(part).iterfind(qn(f"w:{kind}")):
            if note.get(qn("w:type"), "normal") == "normal":
                texts = ("".join(t.text or "" for t in p.iter(qn("w:t"))) for p in note.iter(qn("w:p")))
                found[kind + note.get(qn("w:id"), "")] = escape(" ".join(texts)).strip()
    return found
