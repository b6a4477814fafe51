"""pdf-impose: several pages on a sheet, or a booklet; ours beyond the interface (docs/pages.md#sheets)."""

from __future__ import annotations

from pathlib import Path

import pikepdf

from paperchute.contract import told_of_pages
from paperchute.engine.pdf.catalog import claims_of, drop_claims
from paperchute.engine.pdf.imposition import PAPERS, Imposing, lay_out
from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.pdf.sanitize import make_passable
from paperchute.engine.pdf.sheets import draw_fields, put_on_sheets, shown_size
from paperchute.engine.work import Work
from paperchute.language import _


def run(work: Work) -> list[Path]:
    """The document's pages on sheets. Raises Refused 02201, 120002, 02207, 03000."""
    wish = Imposing(
        is_booklet=work.text("layout") == "booklet",
        per_sheet=work.integer("pagesPerSheet", 2),
        paper=PAPERS.get(work.text("paper")),
        margin=work.number("margin"),
        gap=work.number("gap"),
        down=work.text("order") == "down",
        binding_right=work.text("binding") == "right",
    )

    def write(pdf: pikepdf.Pdf) -> None:
        layout = lay_out([shown_size(page) for page in pdf.pages], wish)
        make_passable(pdf, work.sources[0].name)  # signatures become stamps before fields become drawings
        if claims := claims_of(pdf):
            drop_claims(pdf, claims)
        _say_of_fields(work, *draw_fields(pdf))
        if pikepdf.Name.StructTreeRoot in pdf.Root:
            work.note(_("The sheets have no tags for reading aloud: they are for paper. The original has them."))
        put_on_sheets(pdf, layout, is_booklet=wish.is_booklet)

    return rewrite(work, write)


def _say_of_fields(work: Work, drawn: list[int], unsure: list[int]) -> None:
    """Warn of the pages, by their index, with fields that became drawings, and whose drawings may lack something."""
    if drawn:
        pages = told_of_pages([index + 1 for index in drawn])
        work.warn(_("The fields on {pages} became part of the sheets: nobody can fill them in any more.", pages=pages))
    if unsure:
        pages = told_of_pages([index + 1 for index in unsure])
        work.warn(_("The fields on {pages} may not show all that is filled in: check them.", pages=pages))
