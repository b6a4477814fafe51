"""Pages as they were printed: every block in a text box at its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import IO

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Page
from paperchute.engine.writing.office.printed import PrintedBlock, PrintedLine, printed_block, unturned
from paperchute.engine.writing.office.styles import StyleBook
from paperchute.engine.writing.office.tables import table_part
from paperchute.engine.writing.rtf.body import SMALL, alignment, section_start, table
from paperchute.engine.writing.rtf.text import Text, placed, text_box, twips


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
        start = f"\\pard\\plain\\sl-{max(twips(line.height), 20)}\\slmult0"
        start += f"\\tx{twips(line.tab)}" if line.tab else ""
        start += f"\\li{twips(line.indent)}\\lin{twips(line.indent)}" if line.indent >= 0.5 else ""
        start += alignment(printed.align, line.rtl)
        return f"{start} {self.text.runs(line.runs, self.styles.body, line.stretch)}\\par\n"
