"""Recognised pages through the layout that all readers share."""

from __future__ import annotations

from dataclasses import replace

from paperchute.engine.document.model import Page
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.plain import plain_blocks
from paperchute.engine.reading.ocr.figures import cut_from
from paperchute.engine.reading.ocr.marks import SeenPage
from paperchute.engine.reading.pdf.reader import Options


def seen_layout(page: SeenPage, layout: PageLayout, options: Options) -> Page:
    """A recognised page as a page of the model, its pictures filled in."""
    marks = page.marks
    laid = layout.blocks(marks) if options.layout else plain_blocks(marks, layout.norms.hyphens)
    blocks = []
    for item in laid:
        block = item.block
        if item.picture is not None:
            if options.looks and options.backgrounds:  # the backdrop has it
                continue
            block = replace(block, image=page.images[item.picture])
        elif block.kind == "formula" and options.formulas and page.sheet is not None:
            a_point = page.sheet.width / marks.width
            block = replace(block, image=cut_from(page.sheet, block.quad.box.grown(3.0), a_point))
        blocks.append(block)
    return Page(marks.number, marks.width, marks.height, marks.angle, tuple(blocks), backdrop=page.backdrop)
