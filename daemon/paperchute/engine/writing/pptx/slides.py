"""What stands on a slide: text boxes, tables and pictures where the page has them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.slide import Slide
from pptx.util import Pt

from paperchute.engine.document.flow import HYPHENS
from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Image, Page
from paperchute.engine.writing.office.fonts import MONO, family, narrowing, text_width
from paperchute.engine.writing.office.printed import PrintedBlock, PrintedLine, printed_block, unturned
from paperchute.engine.writing.office.runs import Run, clean, runs_of
from paperchute.engine.writing.office.tables import TABLE_PARTS, table_part

_ALIGNS: Final = {
    "left": PP_ALIGN.LEFT,
    "center": PP_ALIGN.CENTER,
    "right": PP_ALIGN.RIGHT,
    "both": PP_ALIGN.JUSTIFY,
}
_TURNS: Final = {90: "vert", 270: "vert270"}  # `ST_TextVerticalType` (ECMA-376 part 1, 20.1.10.83)
_PLAIN, _RULED = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}", "{5940675A-B579-460E-94D1-54222C63F5DA}"
"""Styles of tables that PowerPoint has built in: without anything, and with lines around each cell."""
_RAISED: Final = {"super": "30000", "sub": "-25000"}  # thousandths of a per cent of the size, as PowerPoint has them
_SPARE: Final = 1.03
"""Times its width, for a block whose lines reflow: in another font they are up to so much longer, and seldom more."""


@dataclass(frozen=True, slots=True)
class Slides:
    """Writes slides. usual: the font family of text whose own is unknown. boxed: each printed line for itself."""

    usual: str
    boxed: bool

    def add(self, slide: Slide, page: Page) -> None:
        """Put all that is on a page on an empty slide."""
        shapes: Any = slide.shapes
        shapes.turbo_add_enabled = True  # else each new shape looks through all others
        if page.backdrop is not None:  # holds all that is drawn, pictures behind the text and rules of tables too
            _add_picture(shapes, page.backdrop, Box(0, 0, page.width, page.height))
        for block in sorted(page.blocks, key=lambda block: not block.background):
            for part in unturned(block):
                self._block(shapes, part, page)
        if page.notes:
            said = (": ".join(part for part in (clean(note.author), clean(note.text)) if part) for note in page.notes)
            notes = slide.notes_slide.notes_text_frame
            if notes is not None:
                notes.text = "\n".join(said)

    def _block(self, shapes: Any, block: Block, page: Page) -> None:
        if block.background and page.backdrop is not None:
            return
        if block.image is not None:
            _add_picture(shapes, block.image, block.quad.box, block.text)
        elif block.table is not None:
            self._table(shapes, block, ruled=page.backdrop is None)
        elif (printed := printed_block(block, self.usual)) is not None:
            self._text(shapes, printed, block, page)

    def _text(self, shapes: Any, printed: PrintedBlock, block: Block, page: Page) -> None:
        flows = not (self.boxed or printed.angle or printed.stacked or block.kind in ("code", "formula"))
        flows = flows and len(printed.lines) > 1
        lines = _reflowed(block, printed, self.usual) if flows else printed.lines
        box = printed.roomy(page.width)
        if flows:  # the first line, too, is as high as from one to the next
            box = _wider(printed.box, page.width)
            box = box._replace(top=box.top - max(lines[0].height - printed.lines[0].height, 0))
        frame = _add_box(shapes, box)
        frame.word_wrap = flows
        if turn := "eaVert" if printed.stacked else _TURNS.get(printed.angle, ""):
            frame._bodyPr.set("vert", turn)
        for number, line in enumerate(lines):
            paragraph: Any = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
            _write(paragraph, line.runs, self.usual, line.stretch)
            paragraph.alignment = PP_ALIGN.RIGHT if line.rtl and printed.align == "left" else _ALIGNS[printed.align]
            paragraph.line_spacing = Pt(round(line.height, 1))
            properties = paragraph._p.get_or_add_pPr()
            if line.rtl:
                properties.set("rtl", "1")
            if start := max(line.tab, line.indent):
                properties.set("marR" if line.rtl else "marL", str(Pt(start)))
                properties.set("indent", str(Pt(line.indent - start)))

    def _table(self, shapes: Any, block: Block, *, ruled: bool) -> None:
        box = block.quad.box
        part = table_part(block, (box.left, box.right), printed=self.boxed)
        rows, columns = len(part.rows), len(part.widths)
        if not rows or not columns:
            return
        frame = shapes.add_table(
            rows, columns, Pt(box.left), Pt(box.top), Pt(max(box.width, 1)), Pt(max(box.height, 1))
        )
        table = frame.table
        table._tbl.tblPr.find("{*}tableStyleId").text = _RULED if ruled and part.bordered else _PLAIN
        table.first_row = any(row.header for row in part.rows)
        table.horz_banding = False
        for column, width in zip(table.columns, part.widths, strict=True):
            column.width = Pt(width)
        known = sum(row.height for row in part.rows)
        unknown = sum(not row.height for row in part.rows)
        share = max(box.height - known, 0) / unknown if unknown else 0
        for number, row in enumerate(part.rows):
            table.rows[number].height = Pt(row.height or share)
            for one in row.cells:
                cell = table.cell(number, one.column)
                last = min(number + one.row_span, rows) - 1, min(one.column + one.column_span, columns) - 1
                if last != (number, one.column):
                    cell.merge(table.cell(*last))
                _fill(cell, one.runs, self.usual, shade=one.shade)
                paragraph = cell.text_frame.paragraphs[0]
                paragraph.alignment = _ALIGNS[one.align]
                if one.rtl:
                    paragraph._p.get_or_add_pPr().set("rtl", "1")


def _wider(box: Box, width: float) -> Box:
    return box._replace(right=min(box.left + box.width * _SPARE, max(width, box.right)))


def _reflowed(block: Block, printed: PrintedBlock, usual: str) -> Sequence[PrintedLine]:
    """The paragraphs of a block, with the height of its lines."""
    stretch = narrowing(block.all_lines, printed.box.width, usual)
    heights = sorted(line.height for line in printed.lines[1:])
    height = heights[len(heights) // 2]
    if not block.items:
        whole = replace(printed.lines[0], runs=_of(block, printed), height=height, stretch=stretch)
        if printed.align != "left" or printed.lines[0].rtl:
            return [replace(whole, indent=0.0)]
        rest = min(line.indent for line in printed.lines[1:])
        if whole.indent > rest:  # a first line that is set in stands so by its tab, as a paragraph's indent would
            return [replace(whole, tab=rest)] if rest else [whole]
        return [replace(whole, indent=rest)]
    return [replace(line, height=height, stretch=stretch) for line in _items(block, printed)]


def _of(block: Block, printed: PrintedBlock) -> tuple[Run, ...]:
    usual = {run.style.font for line in printed.lines for run in line.runs}
    only = next(iter(usual)) if len(usual) == 1 else ""
    runs = runs_of(block.lines)
    return tuple(replace(run, style=replace(run.style, font=only)) for run in runs) if only else runs


def _items(block: Block, printed: PrintedBlock) -> list[PrintedLine]:
    """The lines of list items, each item's joined to one as its lines follow each other."""
    ends = [line.ends for item in block.items for line in item.lines]
    known = len(ends) == len(printed.lines)
    items: list[PrintedLine] = []
    for number, line in enumerate(printed.lines):
        if line.tab or not items:
            items.append(line)
            continue
        *others, last = items[-1].runs
        match ends[number - 1] if known else "soft":
            case "soft":
                last = replace(last, text=last.text.rstrip() + " ")
            case "hard":  # the break goes, as the item flows; behind a word's own hyphen no space takes its place
                text = last.text.rstrip()
                is_word = text.endswith(tuple(HYPHENS)) and text[-2:-1].isalnum()
                last = replace(last, text=text if is_word else text + " ")
            case "hyphen":
                last = replace(last, text=last.text.rstrip().rstrip(HYPHENS))
        items[-1] = replace(items[-1], runs=(*others, last, *line.runs))
    return items


def _add_box(shapes: Any, box: Box) -> Any:
    """A text box without a frame, whose text begins at its edges."""
    size = Pt(max(box.width, 1)), Pt(max(box.height, 1))
    frame: Any = shapes.add_textbox(Pt(box.left), Pt(box.top), *size).text_frame
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    frame.auto_size = MSO_AUTO_SIZE.NONE
    frame.vertical_anchor = MSO_ANCHOR.TOP
    return frame


def _add_picture(shapes: Any, image: Image, box: Box, words: str = "") -> None:
    size = Pt(max(box.width, 1)), Pt(max(box.height, 1))
    picture = shapes.add_picture(io.BytesIO(image.data), Pt(box.left), Pt(box.top), *size)
    picture._element._nvXxPr.cNvPr.set("descr", clean(words))  # else the name of a file that there is not


def _fill(cell: Any, runs: tuple[Run, ...], usual: str, *, shade: str) -> None:
    cell.margin_left = cell.margin_right = Pt(TABLE_PARTS.cell_margin)
    cell.margin_top = cell.margin_bottom = 0
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    if shade:
        cell.fill.solid()
        cell.fill.fore_color.rgb = _colour(shade)
    _write(cell.text_frame.paragraphs[0], runs, usual)


def _write(paragraph: Any, runs: Sequence[Run], usual: str, stretch: int = 100) -> None:
    whole = max((run.style.size for run in runs if not run.style.script), default=0.0)
    for run in runs:
        if run.style.script and whole:  # it is made smaller by being raised or lowered
            run = replace(run, style=replace(run.style, size=whole))
        for number, text in enumerate(run.text.split("\n")):
            if number:
                paragraph.add_line_break()
            if text:
                made = paragraph.add_run()
                made.text = text
                _look(made, run, usual, stretch)
    if not any(run.text for run in runs):
        paragraph.font.size = Pt(1)  # or an empty cell would be as high as its usual letters


def _look(made: Any, run: Run, usual: str, stretch: int) -> None:
    style, font = run.style, made.font
    name = family(style.font) or (MONO if style.mono else usual)
    if name:
        font.name = name
    if style.size:
        font.size = Pt(max(round(style.size * 2) / 2, 1))
    font.bold, font.italic = style.bold or None, style.italic or None
    if style.color:
        font.color.rgb = _colour(style.color)
    properties = made._r.get_or_add_rPr()
    if style.underline:
        properties.set("u", "sng")
    if style.strike:
        properties.set("strike", "sngStrike")
    if style.script:
        properties.set("baseline", _RAISED[style.script])
    if stretch != 100 and run.text:  # letters cannot be made narrower here, but the gaps between them
        spare = text_width(run.text, style, name) * (stretch - 100) / 100 / len(run.text)
        properties.set("spc", str(round(100 * spare)))
    if run.link and not run.link.startswith("#"):
        made.hyperlink.address = run.link


def _colour(text: str) -> RGBColor:
    return RGBColor(*bytes.fromhex(text.lstrip("#")))  # type: ignore[no-untyped-call]
