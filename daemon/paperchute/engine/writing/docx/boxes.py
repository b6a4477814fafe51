"""Pages as they were printed: every block in a text box at its place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lxml.etree import _Element

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Page
from paperchute.engine.writing.docx.body import small_paragraph, table
from paperchute.engine.writing.docx.inline import Inline, anchor, stretch
from paperchute.engine.writing.docx.xml import element, emu, flag, twips
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.printed import PrintedBlock, PrintedLine, printed_block, unturned
from paperchute.engine.writing.office.styles import StyleBook
from paperchute.engine.writing.office.tables import table_part

_SHAPE = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"


@dataclass(slots=True)
class Boxes:
    """Writes pages; each is a section of its size with one paragraph that everything is anchored to.

    usual: the font family of text whose own is unknown.
    """

    inline: Inline
    styles: StyleBook
    usual: str

    def page(self, page: Page, *, last: bool) -> None:
        """One more page. last: no other one follows."""
        body = self.inline.document.element.body
        content: list[_Element] = []
        if page.backdrop is not None:  # holds all that is drawn, pictures behind the text and rules of tables too
            content.append(self.inline.placed(page.backdrop, Box(0, 0, page.width, page.height), behind=True))
        for block in sorted(page.blocks, key=lambda block: not block.background):
            for part in unturned(block):
                content += self._block(part, page)
        holder = small_paragraph(self.inline.comments(page.notes, content))
        body.append(holder)
        size: dict[str, object] = {"w:w": twips(page.width), "w:h": twips(page.height)}
        if page.width > page.height:
            size["w:orient"] = "landscape"
        sides = ("top", "right", "bottom", "left", "header", "footer", "gutter")
        section = element(
            "w:sectPr",
            None,
            element("w:type", {"w:val": "nextPage"}),
            element("w:pgSz", size),
            element("w:pgMar", {f"w:{side}": 0 for side in sides}),
        )
        if last:
            body.append(section)
        else:
            holder[0].append(section)

    def _block(self, block: Block, page: Page) -> list[_Element]:
        box = block.quad.box
        if block.background and page.backdrop is not None:
            return []
        if block.image is not None:
            return [self.inline.placed(block.image, box, behind=block.background)]
        if block.table is not None:
            part = replace(table_part(block, (box.left, box.right), printed=True), indent=0.0, align="left")
            part = replace(part, bordered=part.bordered and page.backdrop is None)
            return [self._shape(box, [table(part, self.inline, self.styles.body), small_paragraph()])]
        printed = printed_block(block, self.usual)
        return [] if printed is None else [self._text(printed, page)]

    def _text(self, printed: PrintedBlock, page: Page) -> _Element:
        return self._shape(
            printed.roomy(page.width), [self._line(line, printed) for line in printed.lines], _turn(printed)
        )

    def _line(self, line: PrintedLine, printed: PrintedBlock) -> _Element:
        """A printed line as a paragraph of its exact height; a tab goes to where the text after a marker stood."""
        height = max(twips(line.height), twips(MEASURES.least))
        spacing = {"w:before": 0, "w:after": 0, "w:line": height, "w:lineRule": "exact"}
        properties = [*flag("w:bidi", line.rtl), element("w:spacing", dict(spacing))]
        if line.tab:
            properties.insert(0, element("w:tabs", None, element("w:tab", {"w:val": "left", "w:pos": twips(line.tab)})))
        if line.indent >= MEASURES.least:
            properties.append(element("w:ind", {"w:left": twips(line.indent)}))
        if printed.align != "left":
            properties.append(element("w:jc", {"w:val": printed.align}))
        content = self.inline.runs(line.runs, self.styles.body)
        stretch(content, line.stretch)
        return element("w:p", None, element("w:pPr", None, *properties), *content)

    def _shape(self, box: Box, content: list[_Element], turn: str = "") -> _Element:
        """A text box without a frame; text that is longer here than in print runs on instead of wrapping."""
        number = self.inline.next_drawing()
        size = {"cx": max(emu(box.width), 1), "cy": max(emu(box.height), 1)}
        nothing = element("a:ln", None, element("a:noFill"))
        turned: dict[str, object] = {"vert": turn} if turn else {}
        graphic = element(
            "a:graphic",
            None,
            element(
                "a:graphicData",
                {"uri": _SHAPE},
                element(
                    "wps:wsp",
                    None,
                    element("wps:cNvSpPr", {"txBox": 1}),
                    element(
                        "wps:spPr",
                        None,
                        element("a:xfrm", None, element("a:off", {"x": 0, "y": 0}), element("a:ext", dict(size))),
                        element("a:prstGeom", {"prst": "rect"}, element("a:avLst")),
                        element("a:noFill"),
                        nothing,
                    ),
                    element("wps:txbx", None, element("w:txbxContent", None, *content)),
                    element(
                        "wps:bodyPr",
                        {"wrap": "none", "lIns": 0, "tIns": 0, "rIns": 0, "bIns": 0, "anchor": "t", **turned},
                        element("a:noAutofit"),
                    ),
                ),
            ),
        )
        placed = anchor(box, number, f"Text {number}", graphic, behind=False)
        choice = element("mc:Choice", {"Requires": "wps"}, element("w:drawing", None, placed))
        return element("w:r", None, element("mc:AlternateContent", None, choice))


def _turn(printed: PrintedBlock) -> str:
    """The direction of text in a shape (`ST_TextVerticalType`, ECMA-376 part 1, 20.1.10.83)."""
    if printed.stacked:
        return "eaVert"
    return {90: "vert", 270: "vert270"}.get(printed.angle, "")
