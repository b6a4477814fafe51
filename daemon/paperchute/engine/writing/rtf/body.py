"""Parts of the flow as RTF paragraphs, lists, tables and sections, and pages as they were printed."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from typing import IO, Final

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Page, Style
from paperchute.engine.writing.office.lists import all_levels
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import (
    Align,
    BehindPart,
    FlowPart,
    GridCell,
    GridRow,
    LayoutPart,
    Leading,
    MarginRow,
    Margins,
    Marker,
    Paragraph,
    PicturePart,
    Place,
    Section,
    TablePart,
)
from paperchute.engine.writing.office.printed import PrintedBlock, PrintedLine, printed_block, unturned
from paperchute.engine.writing.office.runs import Run
from paperchute.engine.writing.office.styles import StyleBook, level_of
from paperchute.engine.writing.office.tables import table_part
from paperchute.engine.writing.rtf.layout import bordered, flat_parts, layout_row
from paperchute.engine.writing.rtf.text import TITLE, Text, escaped, picture, placed, text_box, twips

_STOPS = {"left": "", "right": "\\tqr"}
_ROW_ALIGN = {"left": "", "center": "\\trqc", "right": "\\trqr", "both": ""}
_BORDERS = "".join(f"\\clbrdr{side}\\brdrs\\brdrw10" for side in "tlbr")


def table(part: TablePart, text: Text, look: Style, place: str = "") -> str:
    """Rows one after the other. look: of running text. place: control words for a fixed place on the page."""
    rows = []
    open_cells: dict[int, tuple[GridCell, int]] = {}  # by first column: a cell from above and the rows it still covers
    for row in part.rows:
        rows.append(_row(row, part, open_cells, text, look, place))
    return "".join(rows)


def alignment(align: Align, rtl: bool = False) -> str:
    """Control words of an alignment. RTF's left is the left hand's, so right-to-left text starts at its right."""
    if rtl:
        return "\\rtlpar" + {"left": "\\qr", "center": "\\qc", "right": "\\ql", "both": "\\qj"}[align]
    return {"left": "\\ql", "center": "\\qc", "right": "\\qr", "both": "\\qj"}[align]


def line_spacing(leading: Leading) -> str:
    r"""`\sl` of a paragraph: points at least, exact ones negative; nothing where nothing tells it."""
    if not leading.height:
        return ""
    return f"\\sl{'-' if leading.exact else ''}{twips(leading.height)}\\slmult0"


def space_above(points: float) -> str:
    r"""`\sb` of a paragraph; nothing for less than can be seen."""
    return f"\\sb{twips(points)}" if points >= MEASURES.least else ""


def side_indents(left: float, right: float) -> str:
    r"""`\li` and `\ri` of a paragraph; nothing for less than can be seen."""
    found = f"\\li{twips(left)}\\lin{twips(left)}" if left >= MEASURES.least else ""
    return found + (f"\\ri{twips(right)}\\rin{twips(right)}" if abs(right) >= MEASURES.least else "")


def _row(
    row: GridRow,
    part: TablePart,
    open_cells: dict[int, tuple[GridCell, int]],
    text: Text,
    look: Style,
    place: str,
) -> str:
    cells: dict[int, tuple[GridCell, str]] = {}
    for column, (cell, left) in list(open_cells.items()):
        cells[column] = cell, "\\clvmrg"
        if left > 1:
            open_cells[column] = (cell, left - 1)
        else:
            del open_cells[column]
    for cell in row.cells:
        cells[cell.column] = cell, "\\clvmgf" if cell.row_span > 1 else ""
        if cell.row_span > 1:
            open_cells[cell.column] = (cell, cell.row_span - 1)
    left, right = map(twips, part.margins)
    head = f"\\trowd\\trgaph{left}\\trleft{twips(part.indent)}{_ROW_ALIGN[part.align]}\\trkeep{place}"
    head += f"\\trpaddl{left}\\trpaddr{right}\\trpaddfl3\\trpaddfr3"
    head += "\\trhdr" if row.header else ""
    head += f"\\trrh{twips(row.height)}" if row.height else ""
    content = ""
    for column in sorted(cells):
        cell, merge = cells[column]
        edge = part.indent + sum(part.widths[: cell.column + cell.column_span])
        shade = f"\\clcbpat{text.color(cell.shade)}" if cell.shade else ""
        head += f"{merge}\\clvertal{cell.hangs[0]}{_BORDERS if part.bordered else ''}{shade}\\cellx{twips(edge)}"
        content += _content(replace(cell, runs=(), pictures=()) if merge == "\\clvmrg" else cell, text, look)
    return f"{head}\n{content}\\row\n"


def _content(cell: GridCell, text: Text, look: Style) -> str:
    """The paragraphs of a cell, up to its end."""
    beside = any(one.place in ("before", "behind") for one in cell.pictures)
    spacing = line_spacing(replace(cell.leading, exact=False) if beside else cell.leading)
    own = _pictures(cell, "before") + text.runs(cell.runs, look) + _pictures(cell, "behind")
    over, under = (
        [("", one.align, picture(one.image, one.width, one.height)) for one in cell.pictures if one.place == place]
        for place in ("over", "under")
    )
    paragraphs = [*over, *([(spacing, cell.align, own)] if own or not cell.pictures else []), *under]
    made = []
    for number, (lines, align, content) in enumerate(paragraphs):
        above = "" if number else space_above(cell.before)
        sides = side_indents(cell.indent, cell.end)
        made.append(f"\\pard\\plain\\intbl{alignment(align, cell.rtl)}{lines}{above}{sides} {content}")
    return "\\par\n".join(made) + "\\cell\n"


def _pictures(cell: GridCell, place: str) -> str:
    return "".join(picture(one.image, one.width, one.height) for one in cell.pictures if one.place == place)


_NUMBER: Final = re.compile(r"%(\d)")
_LEVELS: Final = 9
"""Of a list (RTF 1.9.1, section "List Table")."""
_FORMATS: Final = {
    "decimal": 0,
    "upperRoman": 1,
    "lowerRoman": 2,
    "upperLetter": 3,
    "lowerLetter": 4,
    "bullet": 23,
}  # `\levelnfc`, section "List Table"
BULLETS: Final = {"\uf0b7": "•", "\uf0a7": "▪", "o": "○", "*": "•"}


@dataclass(slots=True)
class Lists:
    """Gathers the series of a document."""

    _series: dict[int, dict[int, Marker]] = field(default_factory=dict)

    def number(self, marker: Marker, level: int) -> int:
        r"""The number (`\ls`) that items of the marker's list point to."""
        self._series.setdefault(marker.series, {}).setdefault(level, marker)
        return marker.series

    def tables(self) -> str:
        """The list table and the override table; empty without lists."""
        if not self._series:
            return ""
        lists = "".join(
            f"{{\\list\\listtemplateid{number}"
            + ("" if len(levels) > 1 else "\\listhybrid")
            + "".join(_level(place, marker) for place, marker in enumerate(all_levels(levels, _LEVELS)))
            + f"\\listid{number}}}\n"
            for number, levels in self._series.items()
        )
        overrides = "".join(
            f"{{\\listoverride\\listid{number}\\listoverridecount0\\ls{number}}}\n" for number in self._series
        )
        return f"{{\\*\\listtable\n{lists}}}\n{{\\*\\listoverridetable\n{overrides}}}\n"


def _level(place: int, marker: Marker) -> str:
    """A level of a definition; the places of its numbers count the letters before them (RTF 1.9.1, "List Levels")."""
    numbers = ""
    if marker.format == "bullet":
        sign = BULLETS.get(marker.pattern, marker.pattern)
        text, length = escaped(sign), len(sign.encode("utf-16-le")) // 2
    else:
        pieces = _NUMBER.split(marker.pattern)  # text, level, text, level, ... text
        text, length = escaped(pieces[0]), len(pieces[0])
        for level, after in zip(pieces[1::2], pieces[2::2], strict=True):
            numbers += f"\\'{length + 1:02x}"
            text += f"\\'{int(level) - 1:02x}{escaped(after)}"
            length += 1 + len(after)
    step = twips(MEASURES.quarter_inch)
    return (
        f"{{\\listlevel\\levelnfc{_FORMATS[marker.format]}\\leveljc0\\levelfollow{int(marker.spaced)}"
        f"\\levelstartat{max(marker.start, 0)}{{\\leveltext\\'{length:02x}{text};}}"
        f"{{\\levelnumbers{numbers};}}\\fi-{step}\\li{step * (place + 1)}}}"
    )


SMALL = "\\pard\\plain\\sl-20\\slmult0\\fs2 "
"""The start of a paragraph of one point, for what needs a paragraph without being one."""
_NUMBERS = {
    "decimal": "\\pgndec",
    "lowerRoman": "\\pgnlcrm",
    "upperRoman": "\\pgnucrm",
    "lowerLetter": "\\pgnlcltr",
    "upperLetter": "\\pgnucltr",
    "bullet": "\\pgndec",
}
_IN_MEMORY = 4 << 20
"""Characters that wait for their place in memory; more wait in a file."""


def scratch() -> IO[str]:
    """A file for text that is not in its place yet; small ones stay in memory."""
    return tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="ascii", newline="\n")


@dataclass(slots=True)
class Body:
    """Writes parts into `out`. RTF says what holds for a section before its text, which waits in a file of its own."""

    out: IO[str]
    text: Text
    styles: StyleBook
    lists: Lists
    even: bool = False
    _section: IO[str] = field(default_factory=scratch)
    _sections: int = 0
    _behind: str = ""
    _breaks: bool = False
    _has_margins: bool = False
    _numbered: bool = False

    def add(self, part: FlowPart | Section) -> None:
        """One more part."""
        match part:
            case Section():
                self._end_section(part)
            case BehindPart():
                self._behind += placed(part.image, part.box, behind=True)
                self._breaks = self._breaks or part.new_page
            case Paragraph():
                self._section.write(self._paragraph(part))
                self._numbered = part.marker is not None
            case PicturePart():
                self._section.write(self._picture(part))
            case LayoutPart():
                self._above_table(part)
                contents = [[self._in_cell(one) for one in flat_parts([cell])] for cell in part.cells]
                self._section.write(layout_row(part, contents, self.text) + SMALL + "\\par\n")
            case TablePart():
                self._above_table(part)
                self._section.write(table(part, self.text, self.styles.body) + SMALL + "\\par\n")

    def finish(self) -> None:
        """The end of the document: LibreOffice takes an item that is its last paragraph for one of the first level."""
        if self._numbered:
            self.out.write(f"{SMALL}\\par\n")

    def _in_cell(self, part: FlowPart) -> str:
        if isinstance(part, PicturePart):
            return self._picture(part)
        return self._paragraph(part) if isinstance(part, Paragraph) else ""

    def _picture(self, part: PicturePart) -> str:
        content = self.text.comments(part.comments, picture(part.image, part.width, part.height))
        start = f"\\pard\\plain{self._page_break(part.new_page)}{alignment(part.align)}"
        return f"{start}{space_above(part.before)} {self._taken()}{content}\\par\n"

    def _paragraph(self, part: Paragraph) -> str:
        look = self.styles.look_of(part)
        start = f"\\pard\\plain{self._page_break(part.new_page)}"
        if part.kind in ("heading", "title"):
            level = level_of(part)
            outline = f"\\outlinelevel{level - 1}" if level else ""
            start += f"\\s{level or TITLE}{outline}\\keepn\\keep"
        before = ""
        if part.marker is not None:
            sign = part.marker.pattern
            if part.marker.series:
                shown = BULLETS.get(sign, sign) if part.marker.format == "bullet" else part.marker.printed
                before = f"{{\\listtext {escaped(shown)}\\tab}}"
                start += f"\\ls{self.lists.number(part.marker, part.level)}\\ilvl{part.level}"
            else:
                style = part.runs[0].style if part.runs else Style()
                before = self.text.runs([Run(f"{sign}\t", Style(size=style.size, font=style.font))], look)
        start += self._placing(part.place, part.rtl)
        if part.marker is not None:  # where none is said, the indents of a list hold
            start += f"\\li{twips(part.place.indent)}\\lin{twips(part.place.indent)}\\fi{twips(part.place.first)}"
        start += bordered(part.sides, self.text)
        start += f"\\cbpat{self.text.color(part.shade)}" if part.shade else ""
        leaders = ("\\tlul" if stop.leader else "" for stop in part.stops)
        start += "".join(
            f"{_STOPS[stop.align]}{leader}\\tx{twips(stop.place)}"
            for stop, leader in zip(part.stops, leaders, strict=True)
        )
        start += self.text.look(Style(look.bold, look.italic), look)
        content = self.text.comments(part.comments, before + self.text.runs(part.runs, look, part.stretch))
        return f"{start} {self._taken()}{content}\\par\n"

    def _placing(self, place: Place, rtl: bool) -> str:
        """Spacing, indents and alignment."""
        least = MEASURES.least
        found = alignment(place.align, rtl) + line_spacing(place.leading)
        found += space_above(place.before)
        found += side_indents(place.indent, place.end)
        return found + (f"\\fi{twips(place.first)}" if abs(place.first) >= least else "")

    def _above_table(self, part: TablePart | LayoutPart) -> None:
        above = space_above(part.before)
        if self._behind or self._breaks or part.new_page or part.comments or above:
            start = f"{SMALL}{self._page_break(part.new_page)}{above} "
            self._section.write(f"{start}{self._taken()}{self.text.comments(part.comments, '')}\\par\n")

    def _page_break(self, new_page: bool) -> str:
        breaks, self._breaks = self._breaks or new_page, False
        return "\\pagebb" if breaks else ""

    def _taken(self) -> str:
        """The pictures that wait for a paragraph to hold them."""
        taken, self._behind = self._behind, ""
        return taken

    def _end_section(self, section: Section) -> None:
        if self._behind:
            self._section.write(f"{SMALL}{self._page_break(False)} {self._taken()}\\par\n")
        if self._sections:
            self.out.write("\\sect\n")
        self._sections += 1
        self.out.write(section_start(section.width, section.height, section, self._margins(section)))
        self._section.seek(0)
        shutil.copyfileobj(self._section, self.out)
        self._section.close()
        self._section = scratch()

    def _margins(self, section: Section) -> str:
        """Headers and footers; a section without any would take those of the section before."""
        known = (section.margins, section.first, section.even)
        self._has_margins = self._has_margins or any(margins not in (None, Margins()) for margins in known)
        if not self._has_margins:
            return ""
        width = section.width - section.left - section.right
        self.even = self.even or section.even is not None
        if section.even is None:
            found = self._groups(section.margins, "", width)
        else:
            found = self._groups(section.margins, "r", width) + self._groups(section.even, "l", width)
        if section.first is not None:
            found += "\\titlepg" + self._groups(section.first, "f", width)
        return found

    def _groups(self, margins: Margins, side: str, width: float) -> str:
        found = ""
        for name, rows in (("header", margins.head), ("footer", margins.foot)):
            content = "".join(self._margin_row(row, width) for row in rows) or "\\pard\\plain\\par"
            found += f"{{\\{name}{side} {content}}}\n"
        return found

    def _margin_row(self, row: MarginRow, width: float) -> str:
        """One line of a header: its left, middle and right at tab stops."""
        pictures = any(piece.image is not None for piece in row)
        spacing = "" if pictures else max((line_spacing(piece.leading) for piece in row), default="")
        line = f"\\pard\\plain{spacing}\\tqc\\tx{twips(width / 2)}\\tqr\\tx{twips(width)} "
        at = 0
        for piece in row:
            stop = ("left", "center", "right").index(piece.slot)
            line += "\\tab " * (stop - at)
            at = max(at, stop)
            if piece.image is not None:
                line += picture(piece.image, piece.width, piece.height)
            line += self.text.runs(piece.runs, self.styles.body)
        return line + "\\par\n"


def section_start(width: float, height: float, section: Section | None, margins: str) -> str:
    r"""`\sectd` and what holds for a section. section: None for a page of boxes, which has no margins."""
    size = f"\\pgwsxn{twips(width)}\\pghsxn{twips(height)}" + ("\\lndscpsxn" if width > height else "")
    if section is None:
        return f"\\sectd\\sbkpage{size}\\marglsxn0\\margrsxn0\\margtsxn0\\margbsxn0\\headery0\\footery0\n"
    around = f"\\marglsxn{twips(section.left)}\\margrsxn{twips(section.right)}"
    around += f"\\margtsxn{twips(section.top)}\\margbsxn{twips(section.bottom)}"
    header, footer = section.distances
    around += f"\\headery{twips(header)}\\footery{twips(footer)}"
    columns = f"\\cols{section.columns}\\colsx{twips(section.gap)}" if section.columns > 1 else ""
    number = f"\\pgnstarts{section.number}\\pgnrestart" if section.number else "\\pgncont"
    start = "\\sbkpage" if section.new_page else "\\sbknone"
    return f"\\sectd{start}{size}{around}{columns}{number}{_NUMBERS[section.format]}\n{margins}"


@dataclass(slots=True)
class Boxes:
    """Writes pages, each a section of its size. usual: the font family of text whose own is unknown."""

    out: IO[str]
    text: Text
    styles: StyleBook
    usual: str
    _pages: int = 0

    def page(self, page: Page) -> None:
        """One more page: a small paragraph that everything hangs on."""
        if self._pages:
            self.out.write("\\sect\n")
        self._pages += 1
        self.out.write(section_start(page.width, page.height, None, ""))
        self.out.write(f"{SMALL}")
        if page.backdrop is not None:  # holds all that is drawn, pictures behind the text and rules of tables too
            self.out.write(placed(page.backdrop, Box(0, 0, page.width, page.height), behind=True))
        for block in sorted(page.blocks, key=lambda block: not block.background):
            for part in unturned(block):
                self.out.write(self._block(part, page))
        self.out.write(self.text.comments(page.notes, "") + "\\par\n")

    def _block(self, block: Block, page: Page) -> str:
        box = block.quad.box
        if block.background and page.backdrop is not None:
            return ""
        if block.image is not None:
            return placed(block.image, box, behind=block.background)
        if block.table is not None:
            part = replace(table_part(block, (box.left, box.right), printed=True), indent=0.0, align="left")
            part = replace(part, bordered=part.bordered and page.backdrop is None)
            return text_box(table(part, self.text, self.styles.body) + SMALL, box)
        printed = printed_block(block, self.usual)
        if printed is None:
            return ""
        content = "".join(self._line(line, printed) for line in printed.lines)
        return text_box(content, printed.roomy(page.width), angle=printed.angle, stacked=printed.stacked)

    def _line(self, line: PrintedLine, printed: PrintedBlock) -> str:
        """A printed line as a paragraph of its exact height; a tab goes to where the text after a marker stood."""
        start = f"\\pard\\plain\\sl-{max(twips(line.height), twips(MEASURES.least))}\\slmult0"
        start += f"\\tx{twips(line.tab)}" if line.tab else ""
        start += f"\\li{twips(line.indent)}\\lin{twips(line.indent)}" if line.indent >= MEASURES.least else ""
        start += alignment(printed.align, line.rtl)
        return f"{start} {self.text.runs(line.runs, self.styles.body, line.stretch)}\\par\n"
