"""What pages do not hold though somebody expects it of them: text, and formulas where they were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.contract import told_of_pages
from paperchute.engine.document.model import Block, Page
from paperchute.engine.reading.ocr.options import ocr_options
from paperchute.engine.work import Work
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class OmissionSettings:
    """What a page is said to lack."""

    mostly: float = 0.5
    """Of a page's area: a picture that covers more of it is taken for a scan; printed photographs are mostly
    smaller."""


OMISSIONS = OmissionSettings()


def watched(pages: Iterator[Page], work: Work) -> Iterator[Page]:
    """The pages as they are; once all were walked, `work.warn` is told what they lack."""
    silent: list[int] = []
    scans: list[int] = []
    bare: list[int] = []
    recognised: list[int] = []
    count = 0
    for page in pages:
        count += 1
        if page.recognised:
            recognised.append(page.number)
        if not any(map(_has_text, page.blocks)):
            silent.append(page.number)
            if _is_picture(page):
                scans.append(page.number)
        if not any(block.kind == "formula" for block in page.blocks):
            bare.append(page.number)
        yield page
    if count == 0:
        work.warn(_("{name} has no pages.", name=work.sources[0].name))
    if recognised:
        work.note(_("Text was recognised on {pages}.", pages=told_of_pages(recognised)))
    _tell_of_text(work, silent if len(silent) == count else scans, scans)
    if work.flag("formulaToImage"):
        tell_of_formulas(work, bare)


def tell_of_formulas(work: Work, bare: Sequence[int]) -> None:
    """Formulas are to be pictures, and on these pages there are none that are recognised as such."""
    if bare:
        work.warn(_("No formula was recognised on {pages}. The text there stays text.", pages=told_of_pages(bare)))


def _tell_of_text(work: Work, silent: Sequence[int], scans: Sequence[int]) -> None:
    if not silent:
        return
    if ocr_options(work) is not None:
        work.warn(_("No text was recognised on {pages}.", pages=told_of_pages(silent)))
    elif work.operation.startswith("img-"):
        return  # there the contract's default asks for the picture alone
    elif scans:
        work.warn(_("No text was found on {pages}. If this is a scan, set enableOcr = 1.", pages=told_of_pages(silent)))
    else:
        work.warn(_("No text was found on {pages}.", pages=told_of_pages(silent)))


def _has_text(block: Block) -> bool:
    lines = [*block.lines, *(line for item in block.items for line in item.lines)]
    if block.table is not None:
        lines += [line for cell in block.table.cells for line in cell.lines]
    return any(line.text.strip() for line in lines)


def _is_picture(page: Page) -> bool:
    if page.backdrop is not None:
        return True
    area = page.width * page.height
    boxes = (block.quad.box for block in page.blocks if block.image is not None)
    return any(box.width * box.height > OMISSIONS.mostly * area for box in boxes)
