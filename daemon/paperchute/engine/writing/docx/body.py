"""Parts of the flow as paragraphs, tables and sections of a Word document (ECMA-376 part 1, 17)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from lxml.etree import _Element

from paperchute.engine.document.model import Style
from paperchute.engine.writing.docx.cells import cell_content, line_spacing
from paperchute.engine.writing.docx.inline import Inline, run_properties, stretch
from paperchute.engine.writing.docx.layout import bordered, initial_paragraph, layout_table
from paperchute.engine.writing.docx.styles import Numbering, style_name
from paperchute.engine.writing.docx.xml import element, flag, shading, twips
from paperchute.engine.writing.office.fonts import SINGLE
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import (
    BehindPart,
    FlowPart,
    GridCell,
    GridRow,
    LayoutPart,
    MarginRow,
    Margins,
    Paragraph,
    PicturePart,
    Place,
    Section,
    Stop,
    TablePart,
)
from paperchute.engine.writing.office.runs import Run
from paperchute.engine.writing.office.styles import StyleBook

_SIDES = ("top", "left", "bottom", "right", "insideH", "insideV")


def table(part: TablePart, inline: Inline, look: Style) -> _Element:
    """`w:tbl`. look: of running text."""
    widths = [twips(width) for width in part.widths]
    properties = [element("w:tblW", {"w:w": sum(widths), "w:type": "dxa"})]
    if part.align != "left":
        properties.append(element("w:jc", {"w:val": "center" if part.align == "center" else "right"}))
    elif abs(part.indent) >= MEASURES.least:
        properties.append(element("w:tblInd", {"w:w": twips(part.indent), "w:type": "dxa"}))
    if part.bordered:
        line = {"w:val": "single", "w:sz": 4, "w:space": 0, "w:color": "auto"}
        properties.append(element("w:tblBorders", None, *(element(f"w:{side}", dict(line)) for side in _SIDES)))
    properties.append(element("w:tblLayout", {"w:type": "fixed"}))
    sides = zip(("left", "right"), part.margins, strict=True)
    edges = [element(f"w:{side}", {"w:w": twips(margin), "w:type": "dxa"}) for side, margin in sides]
    properties.append(element("w:tblCellMar", None, *edges))
    grid = element("w:tblGrid", None, *(element("w:gridCol", {"w:w": width}) for width in widths))
    rows = []
    open_cells: dict[int, tuple[GridCell, int]] = {}  # by first column: a cell from above and the rows it still covers
    for row in part.rows:
        rows.append(_row(row, widths, open_cells, inline, look))
    return element("w:tbl", None, element("w:tblPr", None, *properties), grid, *rows)


def _row(
    row: GridRow, widths: list[int], open_cells: dict[int, tuple[GridCell, int]], inline: Inline, look: Style
) -> _Element:
    cells: dict[int, _Element] = {}
    for column, (cell, left) in list(open_cells.items()):
        cells[column] = _cell(cell, widths, cell_content(replace(cell, runs=(), pictures=()), inline, look), "continue")
        if left > 1:
            open_cells[column] = (cell, left - 1)
        else:
            del open_cells[column]
    for cell in row.cells:
        content = cell_content(cell, inline, look)
        cells[cell.column] = _cell(cell, widths, content, "restart" if cell.row_span > 1 else "")
        if cell.row_span > 1:
            open_cells[cell.column] = (cell, cell.row_span - 1)
    properties = [element("w:cantSplit")]
    if row.height:
        properties.append(element("w:trHeight", {"w:val": twips(row.height), "w:hRule": "atLeast"}))
    properties += flag("w:tblHeader", row.header)
    return element("w:tr", None, element("w:trPr", None, *properties), *(cells[column] for column in sorted(cells)))


def _cell(cell: GridCell, widths: list[int], content: list[_Element], merge: str) -> _Element:
    properties = [element("w:tcW", {"w:w": sum(widths[cell.column : cell.column + cell.column_span]), "w:type": "dxa"})]
    if cell.column_span > 1:
        properties.append(element("w:gridSpan", {"w:val": cell.column_span}))
    if merge:
        properties.append(element("w:vMerge", {"w:val": "restart"} if merge == "restart" else {}))
    if cell.shade:
        properties.append(shading(cell.shade))
    properties.append(element("w:vAlign", {"w:val": cell.hangs}))
    return element("w:tc", None, element("w:tcPr", None, *properties), *content)


def _stop(stop: Stop) -> _Element:
    leader = {"w:leader": "underscore"} if stop.leader else {}
    return element("w:tab", {"w:val": stop.align, **leader, "w:pos": twips(stop.place)})


_ALIGN = {"left": "left", "center": "center", "right": "right", "both": "both"}


@dataclass(slots=True)
class Body:
    """Writes parts to the end of the document's body. Call `finish` after the last one."""

    inline: Inline
    styles: StyleBook
    numbering: Numbering
    _section: _Element | None = None
    _behind: list[_Element] = field(default_factory=list)
    _breaks: bool = False
    _room: tuple[float, float] = (0.0, 0.0)
    _has_margins: bool = False
    _story: list[_Element] | None = None

    @property
    def _body(self) -> Any:
        return self.inline.document.element.body

    def add(self, part: FlowPart | Section) -> None:
        """One more part."""
        if isinstance(part, Section):
            self._end_section(part)
            return
        if self._story is None:
            self._begin_section()
        match part:
            case BehindPart():
                self._behind.append(self.inline.placed(part.image, part.box, behind=True))
                self._breaks = self._breaks or part.new_page
            case Paragraph():
                if part.initial:
                    self._append(initial_paragraph(part, self.inline, self.styles.look_of(part), self._new_page(part)))
                    part = replace(part, runs=part.runs[1:], new_page=False, place=replace(part.place, before=0.0))
                self._append(self.paragraph(part))
            case PicturePart():
                self._append(self._picture(part))
            case TablePart():
                self._table(part)
            case LayoutPart():
                self._layout(part)

    def finish(self) -> None:
        """The end of the document: the last section's properties stand in the body itself."""
        if self._behind:
            self._append(small_paragraph(self._taken(False)))
        body = self._body
        if len(body) == 0 or body[-1].tag.endswith("}tbl"):
            self._append(small_paragraph())
        if self._section is not None:
            body.append(self._section)

    def paragraph(self, part: Paragraph) -> _Element:
        """A paragraph; what waits behind it goes into it."""
        name, look = style_name(part), self.styles.look_of(part)
        properties: list[_Element] = [] if name == "Normal" else [element("w:pStyle", {"w:val": name})]
        new_page = part.new_page or self._breaks
        anchored = self._taken(True)
        properties += flag("w:pageBreakBefore", new_page)
        place = part.place
        content: list[_Element] = []
        mark: list[_Element] = []  # the look of the item's marker
        if part.marker is not None:
            if part.marker.series:
                number = self.numbering.number(part.marker, part.level)
                level = element("w:ilvl", {"w:val": part.level})
                properties.append(element("w:numPr", None, level, element("w:numId", {"w:val": number})))
                mark = run_properties(Run("", part.mark), look)
            else:
                style = part.runs[0].style if part.runs else Style()
                content += self.inline.runs([_literal(part.marker.pattern, style)], look)
        properties += bordered("w:pBdr", part.sides)
        if part.shade:
            properties.append(shading(part.shade))
        if part.stops:
            properties.append(element("w:tabs", None, *map(_stop, part.stops)))
        properties += flag("w:bidi", part.rtl)
        properties += _placing(place, numbered=part.marker is not None)
        properties += mark
        content += self.inline.runs(part.runs, look)
        stretch(content, part.stretch)
        return element("w:p", None, *_wrapped(properties), *anchored, *self.inline.comments(part.comments, content))

    def _new_page(self, part: Paragraph) -> bool:
        breaks, self._breaks = self._breaks, False
        return part.new_page or breaks

    def _picture(self, part: PicturePart) -> _Element:
        width, height = part.width, part.height
        picture = self.inline.picture(part.image, width, height, words=part.words)
        properties = [*flag("w:pageBreakBefore", part.new_page or self._breaks)]
        anchored = self._taken(True)
        properties.append(_room_for_picture(part.before))
        if part.align != "left":
            properties.append(element("w:jc", {"w:val": part.align}))
        properties.append(_small_mark())
        return element("w:p", None, *_wrapped(properties), *anchored, *self.inline.comments(part.comments, [picture]))

    def _layout(self, part: LayoutPart) -> None:
        self._room_for_table(part)
        outer, self._story = self._story, []
        made = []
        for cell in part.cells:
            self._story = []
            for one in cell.parts:
                self.add(one)
            if not self._story or self._story[-1].tag.endswith("}tbl"):
                self._story.append(small_paragraph())
            made.append(self._story)
        self._story = outer
        self._append(layout_table(part, made))

    def _table(self, part: TablePart) -> None:
        self._room_for_table(part)
        self._append(table(part, self.inline, self.styles.body))

    def _room_for_table(self, part: TablePart | LayoutPart) -> None:
        body = self._body if self._story is None else self._story
        before = body[-1] if len(body) else None
        text = before is not None and before.tag.endswith("}p") and before.find(".//{*}sectPr") is None
        if self._behind or self._breaks or part.new_page or part.comments or (not text and (len(body) or part.before)):
            content = self.inline.comments(part.comments, self._taken(part.new_page))
            self._append(small_paragraph(content, part.before, new_page=part.new_page))
        elif before is not None:
            _leave_after(before, part.before)

    def _taken(self, new_page: bool) -> list[_Element]:
        """The pictures that wait for a paragraph to hold them; `new_page` clears the page break they asked for."""
        taken, self._behind = self._behind, []
        if new_page:
            self._breaks = False
        return taken

    def _append(self, made: _Element) -> None:
        (self._body if self._story is None else self._story).append(made)

    def _end_section(self, section: Section) -> None:
        self._begin_section()
        if self._behind:
            self._append(small_paragraph(self._taken(True)))
        self._section = self._properties(section)

    def _begin_section(self) -> None:
        """Close the section before, if one ended: its properties go into its last paragraph."""
        properties, self._section = self._section, None
        if properties is None:
            return
        body = self._body
        last = body[-1] if len(body) else None
        if last is None or not last.tag.endswith("}p") or last.find(".//{*}sectPr") is not None:
            last = small_paragraph()
            self._append(last)
        holder = last.find("{*}pPr")
        if holder is None:
            holder = element("w:pPr")
            last.insert(0, holder)
        holder.append(properties)

    def _properties(self, section: Section) -> _Element:
        """`w:sectPr` in the order of its schema (ECMA-376 part 1, 17.6.17)."""
        text = section.width - section.left - section.right
        references: list[_Element] = []
        margins = (section.margins, section.first, section.even)
        self._has_margins = self._has_margins or any(known not in (None, Margins()) for known in margins)
        if self._has_margins:  # a section without references would take those of the section before
            made = {"default": self._margin_parts(section.margins, text)}
            made["even"] = made["default"] if section.even is None else self._margin_parts(section.even, text)
            if section.first is not None:
                made["first"] = self._margin_parts(section.first, text)
            references = [
                element(f"w:{tag}Reference", {"w:type": kind, "r:id": relation})
                for kind, parts in made.items()
                for tag, relation in parts
            ]
        size: dict[str, object] = {"w:w": twips(section.width), "w:h": twips(section.height)}
        if section.width > section.height:
            size["w:orient"] = "landscape"
        edges = ("top", section.top), ("right", section.right), ("bottom", section.bottom), ("left", section.left)
        around: dict[str, object] = {f"w:{side}": twips(width) for side, width in edges}
        header, footer = section.distances
        around |= {"w:header": twips(header), "w:footer": twips(footer)}
        number: dict[str, object] = {"w:fmt": section.format} if section.format != "decimal" else {}
        if section.number:
            number["w:start"] = section.number
        columns: dict[str, object] = {"w:space": twips(section.gap or MEASURES.half_inch)}
        if section.columns > 1:
            columns |= {"w:num": section.columns}
        return element(
            "w:sectPr",
            None,
            *references,
            element("w:type", {"w:val": "nextPage" if section.new_page else "continuous"}),
            element("w:pgSz", size),
            element("w:pgMar", {**around, "w:gutter": 0}),
            *([element("w:pgNumType", number)] if number else []),
            element("w:cols", columns),
            *flag("w:titlePg", section.first is not None),
        )

    def _margin_parts(self, margins: Margins, width: float) -> list[tuple[str, str]]:
        """New header and footer parts: what each is and the id of its relation. width: of the text."""
        found = []
        for tag, rows in (("header", margins.head), ("footer", margins.foot)):
            document: Any = self.inline.document.part
            part, relation = document.add_header_part() if tag == "header" else document.add_footer_part()
            story = part.element
            for child in list(story):
                story.remove(child)
            story.extend([self._margin_row(row, tag, width, part) for row in rows] or [element("w:p")])
            found.append((tag, relation))
        return found

    def _margin_row(self, row: MarginRow, tag: str, width: float, part: Any) -> _Element:
        """One line of a header: its left, middle and right at tab stops."""
        stops = element(
            "w:tabs",
            None,
            element("w:tab", {"w:val": "center", "w:pos": twips(width / 2)}),
            element("w:tab", {"w:val": "right", "w:pos": twips(width)}),
        )
        content: list[_Element] = []
        at = 0
        for piece in row:
            stop = ("left", "center", "right").index(piece.slot)
            content += [element("w:r", None, element("w:tab")) for _ in range(stop - at)]
            at = max(at, stop)
            if piece.image is not None:
                content.append(self.inline.picture(piece.image, piece.width, piece.height, part))
            content += self.inline.runs(piece.runs, self.styles.body, part)
        properties = [element("w:pStyle", {"w:val": tag.capitalize()}), stops]
        if any(piece.image is not None for piece in row):
            properties.append(_room_for_picture())
        elif spacing := next((found for piece in row if (found := line_spacing(piece.leading))), None):
            properties.append(element("w:spacing", spacing))
        return element("w:p", None, element("w:pPr", None, *properties), *content)


def _room_for_picture(before: float = 0.0) -> _Element:
    """The spacing of a line with a picture: in the document's own, where that is narrow, its upper edge is cut off."""
    above = {"w:before": twips(before)} if before >= MEASURES.least else {}
    return element("w:spacing", {**above, "w:line": SINGLE, "w:lineRule": "auto"})


def _small_mark() -> _Element:
    """The end of a paragraph that is no text, which takes next to no room."""
    return element("w:rPr", None, element("w:sz", {"w:val": 2}))


def small_paragraph(content: list[_Element] | None = None, before: float = 0.0, *, new_page: bool = False) -> _Element:
    """A paragraph of one point, for what needs a paragraph without being one. before: the space above."""
    height = twips(MEASURES.least)
    above = twips(max(before - MEASURES.least, 0.0))
    spacing = element("w:spacing", {"w:before": above, "w:after": 0, "w:line": height, "w:lineRule": "exact"})
    properties = [*flag("w:pageBreakBefore", new_page), spacing, _small_mark()]
    return element("w:p", None, element("w:pPr", None, *properties), *(content or []))


def _leave_after(paragraph: _Element, space: float) -> None:
    """Leave space below a paragraph: a table has none of its own above it."""
    if space < MEASURES.least:
        return
    holder = paragraph.find("{*}pPr")
    if holder is None:
        holder = element("w:pPr")
        paragraph.insert(0, holder)
    spacing = holder.find("{*}spacing")
    if spacing is None:
        spacing = element("w:spacing")
        later = next((child for child in holder if child.tag.rsplit("}", 1)[1] in _AFTER_SPACING), None)
        holder.append(spacing) if later is None else later.addprevious(spacing)
    spacing.set(spacing.tag.replace("}spacing", "}after"), str(twips(space)))


_AFTER_SPACING = ("ind", "jc", "outlineLvl", "rPr", "sectPr")
"""What follows `w:spacing` among a paragraph's properties as they are written here (ECMA-376 part 1, 17.3.1.26)."""


def _wrapped(properties: list[_Element]) -> list[_Element]:
    return [element("w:pPr", None, *properties)] if properties else []


def _placing(place: Place, *, numbered: bool = False) -> list[_Element]:
    """Spacing, indents and alignment. numbered: where none is said, the indents of a list hold."""
    found = []
    spacing: dict[str, object] = {}
    if place.before >= MEASURES.least:
        spacing["w:before"] = twips(place.before)
    spacing |= line_spacing(place.leading)
    if spacing:
        found.append(element("w:spacing", spacing))
    indent: dict[str, object] = {}
    if numbered or place.indent >= MEASURES.least:
        indent["w:left"] = twips(place.indent)
    if abs(place.end) >= MEASURES.least:
        indent["w:right"] = twips(place.end)
    if place.first >= MEASURES.least or (numbered and place.first > -MEASURES.least):
        indent["w:firstLine"] = twips(max(place.first, 0.0))
    elif place.first <= -MEASURES.least:
        indent["w:hanging"] = twips(-place.first)
    if indent:
        found.append(element("w:ind", indent))
    if place.align != "left":
        found.append(element("w:jc", {"w:val": _ALIGN[place.align]}))
    return found


def _literal(marker: str, style: Style) -> Run:
    return Run(f"{marker}\t", Style(size=style.size, font=style.font))
