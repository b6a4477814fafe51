"""The text of a Word paragraph as HTML: its runs with their fields, signs, links, pictures and formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

from docx.oxml.ns import qn
from lxml import etree

from paperchute.engine.document.formulas import markup
from paperchute.engine.reading.office.drawings import chart_html, diagram_html, has_shapes
from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import TAB, picture
from paperchute.engine.reading.office.omml import MATH, math_of
from paperchute.engine.reading.symbol_fonts import PRIVATE, in_font, symbols_of
from paperchute.language import N_

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
BOX = qn("w:txbxContent")
_EMU = 12_700  # to a point
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_EXTENT = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}extent"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_NEWER_CHART = "{http://schemas.microsoft.com/office/drawing/2014/chartex}chart"
_INK = "{http://schemas.microsoft.com/office/word/2010/wordml}contentPart"
_OBJECT = "{urn:schemas-microsoft-com:office:office}OLEObject"
_UNREAD = (_NEWER_CHART, _INK, _OBJECT)
_VML = "{urn:schemas-microsoft-com:vml}"


@dataclass(slots=True)
class Runs:
    """Writes paragraphs of one part after the other.

    part: whose relationships the text refers to. noted: the text of notes, by kind and id. referred: the numbers of
    those that were referred to so far, in order. left: what is not written.
    """

    part: Any
    noted: dict[str, str]
    left: LeftOut
    referred: dict[str, int] = field(default_factory=dict)

    def html(self, paragraph: Any) -> str:
        """Return what stands in a paragraph, without its text boxes."""
        made = ""
        for run in paragraph.iter(qn("w:r"), f"{MATH}oMath"):
            if _within(run, paragraph, (BOX, FALLBACK, qn("w:ruby"), f"{MATH}oMath")):
                continue
            if _within(run, paragraph, (qn("w:moveFrom"), qn("w:del"))):
                self.left.aside(N_("deleted text"))
                continue
            if run.tag == f"{MATH}oMath":
                made += self._formula(run, paragraph)
                continue
            text = self._run(run)
            link = next((a for a in run.iterancestors(qn("w:hyperlink"))), None)
            relation = self.part.rels.get(link.get(qn("r:id"), "")) if link is not None else None
            if relation is not None and relation.is_external and text:
                text = f'<a href="{escape(relation.target_ref)}">{text}</a>'
            made += text
        return made

    def _formula(self, element: Any, paragraph: Any) -> str:
        """A formula; one that the paragraph displays by itself is one here, too."""
        node = math_of(element)
        if not any(text.text for text in paragraph.iter(qn("w:t"))) and _within(
            element, paragraph, (f"{MATH}oMathPara",)
        ):
            node.attributes["display"] = "block"
        return markup(node)

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
                return TAB
            case "noBreakHyphen":
                return "\u2011"
            case "br" | "cr":
                pages = piece.get(qn("w:type")) == "page"
                return '<span style="break-before:page"></span>' if pages else "<br>"
            case "sym":
                return self._symbol(piece)
            case "ruby":
                base, reading = (
                    "".join(self._run(run) for run in piece.iterfind(f"{qn(part)}/{qn('w:r')}"))
                    for part in ("w:rubyBase", "w:rt")
                )
                return f"<ruby>{base}<rt>{reading}</rt></ruby>"
            case "fldChar":
                return _form_field(piece)
            case "footnoteReference" | "endnoteReference" as kind:
                note = kind.removesuffix("Reference") + piece.get(qn("w:id"), "")
                if note not in self.noted:
                    return ""
                return f"<sup>{self.referred.setdefault(note, len(self.referred) + 1)}</sup>"
            case "drawing" | "pict" | "object" | "AlternateContent":
                return self._drawing(piece)
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

    def _drawing(self, piece: Any) -> str:
        """A drawing or object; of those in formats of newer programs the picture that is there for older ones."""
        made = "".join(self._drawn(piece, (FALLBACK, BOX)))
        for element in [] if made else piece.iter(*_UNREAD):
            if not _within(element, piece, (FALLBACK,)):
                made = "".join(self._drawn(piece, (BOX,)))
                if element.tag == _OBJECT and not made:
                    self.left.embedded()
                elif element.tag != _OBJECT and (element.tag == _NEWER_CHART or not made):
                    self.left.unread_drawing()  # the picture of a newer chart says that it cannot be shown
                break
        return made

    def _drawn(self, drawing: Any, passed: tuple[str, ...]) -> Iterator[str]:
        """Pictures, charts, diagrams and ornamental writing. passed: elements that are passed over with their own."""
        extent = next(drawing.iter(_EXTENT), None)
        width = _number(extent.get("cx", "0")) / _EMU if extent is not None else 0.0
        for element in drawing.iter(_BLIP, _CHART, _DIAGRAM, f"{_VML}imagedata", f"{_VML}textpath"):
            if _within(element, drawing, passed):
                continue
            if element.tag == f"{_VML}textpath":
                yield f" {escape(element.get('string', ''))} "
            elif element.tag == _CHART:
                yield self._laid_out(element.get(qn("r:id"), ""), chart_html)
            elif element.tag == _DIAGRAM:
                yield self._laid_out(element.get(qn("r:dm"), ""), diagram_html)
            else:
                yield self._picture(element.get(qn("r:embed")) or element.get(qn("r:id")) or "", width)

    def _picture(self, relation: str, width: float) -> str:
        part = self.part.related_parts.get(relation)
        if part is None:
            self.left.lost_picture()
            return ""
        shown = picture(part.blob, part.content_type, width)
        if not shown:
            self.left.unread_picture()
        return shown

    def _laid_out(self, relation: str, html: Callable[[bytes], str]) -> str:
        part = self.part.related_parts.get(relation)
        content = part.blob if part is not None else b""
        made = html(content)
        if not made or has_shapes(content):
            self.left.unread_drawing()
        return made


def boxes_of(paragraph: Any) -> list[Any]:
    """The text boxes in a paragraph, not those inside of others or of what stands in for old programs."""
    return [box for box in paragraph.iter(BOX) if not _within(box, paragraph, (BOX, FALLBACK))]


def _within(element: Any, outer: Any, tags: tuple[str, ...]) -> bool:
    """Decide whether an element is inside one of `tags`, itself within `outer`."""
    for ancestor in element.iterancestors():
        if ancestor is outer:
            return False
        if ancestor.tag in tags:
            return True
    return False


def _is_on(look: Any, tag: str) -> bool:
    """Decide whether a run's own properties switch something on (ECMA-376, 17.17.4)."""
    found = look.find(qn(tag)) if look is not None else None
    return found is not None and found.get(qn("w:val")) not in ("0", "false", "off")


def _attribute(look: Any, tag: str) -> str:
    found = look.find(qn(tag)) if look is not None else None
    return str(found.get(qn("w:val"), "")) if found is not None else ""


def _number(text: str) -> int:
    return int(text) if text.isdigit() and len(text) < 12 else 0


def _form_field(begin: Any) -> str:
    """Return what a field of a form shows that no run of it says: a tick box, the entry of a list (ECMA-376, 17.16)."""
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
