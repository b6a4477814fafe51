"""Word documents (DOCX) as HTML: headings, lists, tables, pictures, links, footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import docx
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from lxml import etree

from paperchute.engine.reading.office.markup import Cell, page, picture, table

_DEEPEST = 20  # tables and text boxes, or styles, inside of each other: a bound on work on hostile files
_NESTED = re.compile(r"list (?:bullet|number) ([2-5])", re.IGNORECASE)
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_EMU = 12_700  # to a point
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NOTES = ("footnote", "endnote")
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_EXTENT = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}extent"


def document_html(path: Path) -> str:
    """The document's body, then its footnotes and endnotes."""
    try:
        document = docx.Document(str(path))
    except PackageNotFoundError as error:
        raise ValueError("no document") from error
    writer = _Writer(document, _notes(document))
    body = writer.blocks(document.element.body, 0)
    return page(body + writer.notes(), document.core_properties.title or "")


@dataclass(slots=True)
class _Writer:
    document: Any
    noted: dict[str, str]
    _counts: dict[tuple[int, int], int] = field(default_factory=dict)
    _formats: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    _noted: list[str] = field(default_factory=list)

    def blocks(self, container: Any, depth: int) -> str:
        """The paragraphs and tables of a body, cell or text box."""
        if depth > _DEEPEST:
            return ""
        made, open_lists = "", 0
        for element in _children(container):
            if element.tag == qn("w:tbl"):
                made += "</ul>" * open_lists + self._table(element, depth)
                open_lists = 0
                continue
            paragraph = Paragraph(element, self.document)
            content = self._inline(element, paragraph)
            boxes = "".join(self.blocks(box, depth + 1) for box in _boxes(element))
            level = _heading(paragraph)
            item = None if level else self._item(paragraph)
            if item is None:
                made += "</ul>" * open_lists
                open_lists = 0
                tag = f"h{level}" if level else "p"
                made += f"<{tag}>{content}</{tag}>" if content.strip() else ""
            else:
                nested, kind = item
                made += "<ul>" * (nested + 1 - open_lists) + "</ul>" * (open_lists - nested - 1)
                open_lists = nested + 1
                made += f"<li{kind}>{content}</li>"
            made += boxes
        return made + "</ul>" * open_lists

    def notes(self) -> str:
        """The notes referred to so far."""
        lines = (f"<p><sup>{number}</sup> {self.noted[note]}</p>" for number, note in enumerate(self._noted, start=1))
        return "".join(lines)

    def _inline(self, element: Any, paragraph: Paragraph) -> str:
        made = ""
        for run in element.iter(qn("w:r"), f"{_MATH}oMath"):
            if _within(run, element, (qn("w:txbxContent"), _FALLBACK)):
                continue
            if run.tag == f"{_MATH}oMath":
                made += escape(_formula(run))
                continue
            text = self._run(run, Run(run, paragraph))
            link = next((a for a in run.iterancestors(qn("w:hyperlink"))), None)
            relation = self.document.part.rels.get(link.get(qn("r:id"), "")) if link is not None else None
            if relation is not None and relation.is_external and text:
                text = f'<a href="{escape(relation.target_ref)}">{text}</a>'
            made += text
        return made

    def _run(self, element: Any, run: Run) -> str:
        if run.font.hidden:
            return ""
        text = "".join(self._part(part) for part in element)
        looks = (
            (run.bold, "b"),
            (run.italic, "i"),
            (run.font.strike, "s"),
            (run.font.superscript, "sup"),
            (run.font.subscript, "sub"),
        )
        for on, tag in looks:
            text = f"<{tag}>{text}</{tag}>" if on and text.strip() else text
        return text

    def _part(self, part: Any) -> str:
        match etree.QName(part).localname if isinstance(part.tag, str) else "":
            case "t":
                return escape(part.text or "")
            case "tab":
                return " &emsp;"
            case "noBreakHyphen":
                return "\u2011"
            case "br" | "cr":
                pages = part.get(qn("w:type")) == "page"
                return '<span style="break-before:page"></span>' if pages else "<br>"
            case "footnoteReference" | "endnoteReference" as kind:
                note = kind.removesuffix("Reference") + part.get(qn("w:id"), "")
                if note not in self.noted:
                    return ""
                self._noted.append(note)
                return f"<sup>{len(self._noted)}</sup>"
            case "drawing" | "pict" | "AlternateContent":
                return "".join(self._pictures(part))
        return ""

    def _pictures(self, drawing: Any) -> Iterator[str]:
        extent = next(drawing.iter(_EXTENT), None)
        width = int(extent.get("cx", "0")) / _EMU if extent is not None else 0.0
        for blip in drawing.iter(_BLIP):
            part = self.document.part.related_parts.get(blip.get(qn("r:embed"), ""))
            if part is not None:
                yield picture(part.blob, part.content_type, width)

    def _table(self, element: Any, depth: int) -> str:
        rows: list[list[list[Any]]] = []  # [content, column, columns, rows]
        above: dict[int, list[Any]] = {}
        heads = 0
        for row in element.iter(qn("w:tr")):
            if next(row.iterancestors(qn("w:tbl"))) is not element:
                continue
            column, cells = 0, []
            for cell in row.iter(qn("w:tc")):
                if next(cell.iterancestors(qn("w:tr"))) is not row:
                    continue
                columns = min(_number(cell, "w:gridSpan", 1), 200)
                merge = next(cell.iterfind(f"{qn('w:tcPr')}/{qn('w:vMerge')}"), None)
                if merge is not None and merge.get(qn("w:val")) != "restart" and column in above:
                    above[column][3] += 1
                else:
                    made = [self.blocks(cell, depth + 1), column, columns, 1]
                    cells.append(made)
                    above[column] = made
                column += columns
            is_head = next(row.iterfind(f"{qn('w:trPr')}/{qn('w:tblHeader')}"), None) is not None
            heads += is_head and heads == len(rows)
            rows.append(cells)
        return table(([Cell(c[0], c[2], c[3]) for c in cells] for cells in rows), heads)

    def _item(self, paragraph: Paragraph) -> tuple[int, str] | None:
        """How deep a list item is nested, and its counting as attributes; None for what is none."""
        number, level = _numbering(paragraph)
        if number and (number, level) not in self._formats:
            self._formats[number, level] = _format(self.document, number, level)
        form, start = self._formats.get((number, level), ("", 1))
        if not form or form == "none":
            return None
        styled = _NESTED.fullmatch(getattr(paragraph.style, "name", None) or "")
        # These styles are lists of their own, each at its first level.
        nested = int(styled[1]) - 1 if styled and level == 0 else level
        if form == "bullet":
            return nested, ""
        count = self._counts[number, level] = self._counts.get((number, level), start - 1) + 1
        for deeper in range(level + 1, 9):
            self._counts.pop((number, deeper), None)
        return nested, f' style="list-style-type:{_CSS.get(form, "decimal")}" value="{count}"'


_CSS = {
    "lowerLetter": "lower-alpha",
    "upperLetter": "upper-alpha",
    "lowerRoman": "lower-roman",
    "upperRoman": "upper-roman",
}


def _children(container: Any) -> Iterator[Any]:
    """Paragraphs and tables, those in content controls too."""
    for child in container:
        if child.tag in (qn("w:p"), qn("w:tbl")):
            yield child
        elif child.tag == qn("w:sdt"):
            for content in child.iterfind(qn("w:sdtContent")):
                yield from _children(content)


def _boxes(element: Any) -> list[Any]:
    """The text boxes in a paragraph, not those inside of others or of what stands in for old programs."""
    return [
        box for box in element.iter(qn("w:txbxContent")) if not _within(box, element, (qn("w:txbxContent"), _FALLBACK))
    ]


def _within(element: Any, outer: Any, tags: tuple[str, ...]) -> bool:
    """Whether an element is inside one of `tags`, itself within `outer`."""
    for ancestor in element.iterancestors():
        if ancestor is outer:
            return False
        if ancestor.tag in tags:
            return True
    return False


def _heading(paragraph: Paragraph) -> int:
    """The heading level that a paragraph's style or the styles it is based on give it, 0 for none."""
    style: Any = paragraph.style
    for _ in range(_DEEPEST):
        if style is None:
            return 0
        named = _HEADING.fullmatch(style.name or "")
        if named:
            return min(max(int(named[1]), 1), 6)
        if (style.name or "").lower() == "title":
            return 1
        style = style.base_style
    return 0


def _numbering(paragraph: Paragraph) -> tuple[int, int]:
    """(number of the list, level from 0) of a paragraph, its own or its style's; 0 for no list."""
    style: Any = paragraph.style
    elements = [paragraph._p.pPr, *([style.element.pPr] if style is not None else [])]
    for properties in elements:
        numbers = properties.numPr if properties is not None else None
        if numbers is not None and numbers.numId is not None:
            return numbers.numId.val, min(numbers.ilvl.val if numbers.ilvl is not None else 0, 8)
    return 0, 0


def _format(document: Any, number: int, level: int) -> tuple[str, int]:
    """The number format of a level and its first number; an empty format where it is not defined.

    ECMA-376 part 1, 17.9.17 and 17.9.25.
    """
    try:
        root = document.part.numbering_part.element
    except (KeyError, NotImplementedError):
        return "", 1
    num = next((n for n in root.iterfind(qn("w:num")) if n.get(qn("w:numId")) == str(number)), None)
    abstract = next(num.iterfind(qn("w:abstractNumId")), None) if num is not None else None
    wanted = abstract.get(qn("w:val")) if abstract is not None else None
    for definition in root.iterfind(qn("w:abstractNum")):
        if definition.get(qn("w:abstractNumId")) == wanted:
            for own in definition.iterfind(qn("w:lvl")):
                if own.get(qn("w:ilvl")) == str(level):
                    return _value(own, "w:numFmt") or "decimal", int(_value(own, "w:start") or 1)
    return "", 1


def _value(element: Any, tag: str) -> str:
    found = next(element.iterfind(qn(tag)), None)
    return str(found.get(qn("w:val"), "")) if found is not None else ""


def _number(cell: Any, tag: str, absent: int) -> int:
    found = next(cell.iterfind(f"{qn('w:tcPr')}/{qn(tag)}"), None)
    value = found.get(qn("w:val"), "") if found is not None else ""
    return max(int(value), 1) if value.isdigit() else absent


def _notes(document: Any) -> dict[str, str]:
    """The words of footnotes and endnotes by their kinds and numbers."""
    found = {}
    for kind in _NOTES:
        part = next((r.target_part for r in document.part.rels.values() if r.reltype == f"{_RELATED}/{kind}s"), None)
        if part is None:
            continue
        root = etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
        for note in root.iterfind(qn(f"w:{kind}")):
            if note.get(qn("w:type")) is None:
                text = "".join(text.text or "" for text in note.iter(qn("w:t")))
                found[kind + note.get(qn("w:id"), "")] = escape(text).strip()
    return found


def _formula(element: Any) -> str:
    """A formula in a line: its signs, fractions with a stroke (ECMA-376, 22.1)."""
    if element.tag == f"{_MATH}t":
        return element.text or ""
    parts = [_formula(part) for part in element if isinstance(part.tag, str)]
    if element.tag == f"{_MATH}f":
        return "/".join(part for part in parts if part)
    return "".join(parts)
