"""pdf-number: numbers, or a line, at the head or foot of pages; ours beyond the interface (docs/pages.md#numbers)."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Name

from paperchute.contract import contract, told_of_pages
from paperchute.engine.document.geometry import Box
from paperchute.engine.html.marks import write_lines
from paperchute.engine.pdf.catalog import claims_of, drop_claims
from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.pdf.watermarks import draw_artifact, sorted_box, view_of
from paperchute.engine.reading.pdf.view import Matrix
from paperchute.engine.work import Work, chosen_pages
from paperchute.language import _
from paperchute.notation.page_lines import filled

_ACROSS = {"left": 0.0, "center": 0.5, "right": 1.0}
_SUBTYPE = {"top": "Header", "bottom": "Footer"}


def run(work: Work) -> list[Path]:
    """The document with the lines. Raises Refused 02201, 120002, 02207, 110001, 03000, 02210."""

    def write(pdf: pikepdf.Pdf) -> None:
        count, stated = len(pdf.pages), pdf.Root.Pages.get(Name.Count)
        if stated != count:
            work.warn(_("The file has {count} pages, and says that it has {stated}.", count=count, stated=stated))
        indices = list(dict.fromkeys(chosen_pages(work.text("pages"), count, work.sources[0].name)))
        template, start = _given(work, "text"), work.integer("start", 1)
        lines = [filled(template, index + 1, count, start + nth) for nth, index in enumerate(indices)]
        laid_out, bare = work.folder / "lines.tmp", work.folder / "bare.tmp"
        pdf.save(bare)  # what could be opened in spite of some damage, and without its lock
        across, down = _given(work, "horizalign"), _given(work, "vertalign")
        write_lines(lines, float(_given(work, "fontSize")), _given(work, "fontColor"), across, laid_out)
        places = _draw(pdf, indices, laid_out, _ACROSS[across], down, float(_given(work, "margin")))
        if claims := claims_of(pdf):  # its colours need not be those that the document promises
            drop_claims(pdf, claims)
        _say_where_it_fails(work, bare, indices, places)
        bare.unlink()

    return rewrite(work, write)


def _given(work: Work, name: str) -> str:
    parameter = contract().known("pdf-number").parameter(name)
    assert parameter is not None
    return work.text(name) or str(parameter.default)


def _draw(
    pdf: pikepdf.Pdf, indices: list[int], laid_out: Path, across: float, down: str, margin: float
) -> list[tuple[Box, bool]]:
    """Draw each line on its page; where it lies in the page's user space, and whether all of it is to be seen."""
    places = []
    with pikepdf.open(laid_out) as lines:
        for index, line in zip(indices, lines.pages, strict=True):
            left, bottom, right, top = sorted_box(line.mediabox)
            page = pdf.pages[index]
            to_user, (width, height, unit) = view_of(page)
            wide, high, edge = (right - left) / unit, (top - bottom) / unit, margin / unit
            x = edge + across * (width - wide - 2 * edge)
            y = height - high - edge if down == "top" else edge
            place = to_user.after(Matrix(1 / unit, 0, 0, 1 / unit, x - left / unit, y - bottom / unit))
            draw_artifact(page, pdf.copy_foreign(line.as_form_xobject()), place, _SUBTYPE[down], under=False)
            fits = x >= 0 and y >= 0 and x + wide <= width and y + high <= height
            places.append((to_user.box(x, y, x + wide, y + high), fits))
    return places


def _say_where_it_fails(work: Work, bare: Path, indices: list[int], places: list[tuple[Box, bool]]) -> None:
    """Warn of pages that the line does not fit on, and of those that have text of their own there."""
    if cut := [index + 1 for index, (_box, fits) in zip(indices, places, strict=True) if not fits]:
        work.warn(_("The line is cut off on {pages}.", pages=told_of_pages(cut)))
    with pdfium.PdfDocument(bare) as document:
        over = [
            index + 1
            for index, (box, _fits) in zip(indices, places, strict=True)
            if document[index].get_textpage().get_text_bounded(*box).strip()
        ]
    if over:
        work.warn(_("The line lies over text on {pages}.", pages=told_of_pages(over)))
