"""The text of a Word paragraph as HTML: its runs with their fields, signs, links, pictures and formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

from docx.oxml.ns import qn
from lxml import etree

from paperchute.engine.reading.office.drawings import chart_html, diagram_html
from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import picture
from paperchute.engine.reading.symbol_fonts import PRIVATE, in_font, symbols_of
from paperchute.language import N_

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
BOX = qn("w:txbxContent")
_EMU = 12_700  # to a point
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_EXTENT = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}extent"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_VML = "{urn:schemas-microsoft-com:vml}"


@dataclass(slots=True)
class Runs:
    """Writes paragraphs of one part after the other.

    part: whose relationships the text refers to. noted: the text of notes, by kind and id. referred: those that were
    referred to so far, in order. left: what is not written.
    """

    part: Any
    noted: dict[str, str]
    left: LeftOut
    referred: list[str] = field(default_factory=list)

    def html(self, paragraph: Any) -> str:
        """What stands in a paragraph, without its text boxes."""
        made = ""
        for run in paragraph.iter(qn("w:r"), f"{_MATH}oMath"):
            if _within(run, paragraph, (BOX, FALLBACK)):
                continue
            if _within(run, paragraph, (qn("w:moveFrom"), qn("w:del"))):
                self.left.aside(N_("deleted text"))
                continue
            if run.tag == f"{_MATH}oMath":
                made += escape(_formula(run))
                continue
            text = self._run(run)
            link = next((a for a in run.iterancestors(qn("w:hyperlink"))), None)
            relation = self.part.rels.get(link.get(qn("r:id"), "")) if link is not None else None
            if relation is not None and relation.is_external and text:
                text = f'<a href="{escape(relation.target_ref)}">{text}</a>'
            made += text
        return made

    def _run(self, element: Any) -> str:
        look = element.find(qn("w:rPr"))
        if _is_on(look, "w:vanish"):
            if any((text.text or "").strip() for text in element.iterfind(qn("w:t"))):
                self.left.aside(N_("hidden text"))
            return ""
        fonts = look.find(qn("w:rFonts")) if look is not None else None
        font = fonts.get(qn("w:ascii"), "") if fonts is not None else ""
        text = "".join(self._piece(piece, font) for piece in element)
        raised = _attribute(look, "w:vertAlign")
        looks = (
            (_is_on(look, "w:b"), "b"),
            (_is_on(look, "w:i"), "i"),
            (_is_on(look, "w:strike"), "s"),
            (raised == "superscript", "sup"),
            (raised == "subscript", "sub"),
        )
        for on, tag in looks:
            text = f"<{tag}>{text}</{tag}>" if on and text.strip() else text
        return text

    def _piece(self, piece: Any, font: str) -> str:
        match etree.QName(piece).localname if isinstance(piece.tag, str) else "":
            case "t":
                return escape(in_font(piece.text or "", font))
            case "tab" | "ptab":
                return " &emsp;"
            case "noBreakHyphen":
                return "\u2011"
            case "br" | "cr":
                pages = piece.get(qn("w:type")) == "page"
                return '<span style="break-before:page"></span>' if pages else "<br>"
            case "sym":
                return self._symbol(piece)
            case "fldChar":
                return _form_field(piece)
            case "footnoteReference" | "endnoteReference" as kind:
                note = kind.removesuffix("Reference") + piece.get(qn("w:id"), "")
                if note not in self.noted:
                    return ""
                self.referred.append(note)
                return f"<sup>{len(self.referred)}</sup>"
            case "drawing" | "pict" | "object" | "AlternateContent":
                return "".join(self._drawn(piece))
        return ""

    def _symbol(self, piece: Any) -> str:
        """A sign that is named by its code in a font; those of symbol fonts lie from U+F000 on."""
        code = piece.get(qn("w:char"), "")
        number = int(code, 16) if 0 < len(code) <= 6 and all(c in "0123456789abcdefABCDEF" for c in code) else 0
        known = symbols_of(piece.get(qn("w:font"), ""))
        if number - PRIVATE in known or number in known:
            return known.get(number - PRIVATE) or known[number]
        if 0x20 <= number < 0xE000:
            return escape(chr(number))
        self.left.aside(N_("signs of symbol fonts"))
        return ""

    def _drawn(self, drawing: Any) -> Iterator[str]:
        """Pictures, charts, diagrams and ornamental writing."""
        extent = next(drawing.iter(_EXTENT), None)
        width = _number(extent.get("cx", "0")) / _EMU if extent is not None else 0.0
        for element in drawing.iter(_BLIP, _CHART, _DIAGRAM, f"{_VML}imagedata", f"{_VML}textpath"):
            if _within(element, drawing, (FALLBACK, BOX)):
                continue
            if element.tag == f"{_VML}textpath":
                yield f" {escape(element.get('string', ''))} "
            elif element.tag == _CHART:
                yield self._laid_out(element.get(qn("r:id"), ""), chart_html)
            elif element.tag == _DIAGRAM:
                yield self._laid_out(element.get(qn("r:dm"), ""), diagram_html)
            else:
                part = self.part.related_parts.get(element.get(qn("r:embed")) or element.get(qn("r:id")) or "")
                if part is not None:
                    yield picture(part.blob, part.content_type, width)

    def _laid_out(self, relation: str, html: Callable[[bytes], str]) -> str:
        part = self.part.related_parts.get(relation)
        made = html(part.blob) if part is not None else ""
        if not made:
            self.left.unread_drawing()
        return made


def boxes_of(paragraph: Any) -> list[Any]:
    """The text boxes in a paragraph, not those inside of others or of what stands in for old programs."""
    return [box for box in paragraph.iter(BOX) if not _within(box, paragraph, (BOX, FALLBACK))]


def _within(element: Any, outer: Any, tags: tuple[str, ...]) -> bool:
    """Whether an element is inside one of `tags`, itself within `outer`."""
    for ancestor in element.iterancestors():
        if ancestor is outer:
            return False
        if ancestor.tag in tags:
            return True
    return False


def _is_on(look: Any, tag: str) -> bool:
    """Whether a run's own properties switch something on (ECMA-376, 17.17.4)."""
    found = look.find(qn(tag)) if look is not None else None
    return found is not None and found.get(qn("w:val")) not in ("0", "false", "off")


def _attribute(look: Any, tag: str) -> str:
    found = look.find(qn(tag)) if look is not None else None
    return str(found.get(qn("w:val"), "")) if found is not None else ""


def _number(text: str) -> int:
    return int(text) if text.isdigit() and len(text) < 12 else 0


def _form_field(begin: Any) -> str:
    """What a field of a form shows that no run of it says: a tick box, the entry of a list (ECMA-376, 17.16)."""
    data = begin.find(qn("w:ffData"))
    if data is None:
        return ""
    box = data.find(qn("w:checkBox"))
    if box is not None:
        state = "w:checked" if box.find(qn("w:checked")) is not None else "w:default"
        return "☒" if _is_on(box, state) else "☐"
    choice = data.find(qn("w:ddList"))
    if choice is None:
        return ""
    entries = [str(entry.get(qn("w:val"), "")) for entry in choice.iterfind(qn("w:listEntry"))]
    chosen = _number(_attribute(choice, "w:result") or _attribute(choice, "w:default") or "0")
    return escape(entries[chosen]) if chosen < len(entries) else ""


def _formula(element: Any) -> str:
    """A formula in a line: its signs, fractions with a stroke (ECMA-376, 22.1)."""
    if element.tag == f"{_MATH}t":
        return element.text or ""
    parts = [_formula(part) for part in element if isinstance(part.tag, str)]
    if element.tag == f"{_MATH}f":
        return "/".join(part for part in parts if part)
    return "".join(parts)
