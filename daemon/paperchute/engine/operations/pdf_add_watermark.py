"""pdf-add-watermark: text or a picture over or under the pages of a PDF (docs/pages.md#marks)."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium

from paperchute.contract import told_of_pages
from paperchute.engine.html.marks import LAID_SIZE, write_text_mark
from paperchute.engine.pdf.catalog import claims_of, drop_claims
from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.pdf.watermarks import Mark, Marking, Placing, mark_of_page, mark_of_picture
from paperchute.engine.work import Source, Work, chosen_pages
from paperchute.language import _

_ACROSS = {"left": 0.0, "center": 0.5, "right": 1.0}
_DOWN = {"top": 0.0, "center": 0.5, "bottom": 1.0}
_OF_TEXT = ("text", "fontSize", "fontColor")
_OF_TILES = ("horizontalSpacing", "verticalSpacing")
_LARGEST_SIZE = 48.0
"""Points of letters that are as large as the page takes."""


def run(work: Work) -> list[Path]:
    """The document with the mark. Raises Refused 02201, 120002, 02207, 110001, 03000, 02210, and of a picture 02209."""
    _say_without_effect(work)
    document, *pictures = sorted(work.sources, key=lambda source: source.part != "file")

    def put(pdf: pikepdf.Pdf) -> None:
        indices = list(dict.fromkeys(chosen_pages(work.text("pages"), len(pdf.pages), document.name)))
        marking = Marking(pdf, _mark(work, pdf, pictures), _placing(work), under=work.text("layer") == "under")
        before = _seen(work, pdf, indices) if marking.under else []
        marking.add(indices)
        if claims := claims_of(pdf):  # PDF/A-1 knows neither layers nor transparency
            drop_claims(pdf, claims)
        if marking.cut:
            work.warn(_("The mark is cut off on {pages}.", pages=told_of_pages(n + 1 for n in marking.cut)))
        if marking.under:
            pairs = zip(indices, before, _seen(work, pdf, indices), strict=True)
            if covered := [index + 1 for index, plain, marked in pairs if plain == marked]:
                work.warn(_("What the page shows hides the mark on {pages}.", pages=told_of_pages(covered)))

    return rewrite(replace(work, sources=(document,)), put)


def _mark(work: Work, pdf: pikepdf.Pdf, pictures: list[Source]) -> Mark:
    if work.text("type") == "image":
        (picture,) = pictures
        return mark_of_picture(pdf, picture.path, picture.name)
    laid_out = work.folder / "mark.tmp"
    write_text_mark(work.text("text"), work.text("fontColor") or "#000000", laid_out)
    return mark_of_page(pdf, laid_out)


def _placing(work: Work) -> Placing:
    is_text = work.text("type") == "text"
    wanted = work.number("fontSize")
    gaps = work.number("horizontalSpacing"), work.number("verticalSpacing")
    return Placing(
        scale=wanted / LAID_SIZE if is_text and wanted else None,
        largest=_LARGEST_SIZE / LAID_SIZE if is_text else 1.0,
        opacity=work.number("opacity", 1.0),
        rotation=work.number("rotation"),
        across=_ACROSS[work.text("horizalign") or "center"],
        down=_DOWN[work.text("vertalign") or "center"],
        offset=(work.number("horizOffset"), work.number("vertOffset")),
        tiles=gaps if work.flag("fullScreen") else None,
    )


def _say_without_effect(work: Work) -> None:
    """Warn of parameters that mean nothing beside the others, which some clients always send."""
    idle = [*(_OF_TEXT if work.text("type") == "image" else ()), *(() if work.flag("fullScreen") else _OF_TILES)]
    given = [name for name in idle if work.text(name) not in ("", "0.0")]
    if work.text("type") == "text" and any(source.part == "imageFile" for source in work.sources):
        given.append("imageFile")
    if given:
        work.warn(_("{names} have no effect with the other parameters of this call.", names=", ".join(given)))


def _seen(work: Work, pdf: pikepdf.Pdf, indices: list[int]) -> list[bytes]:
    """How pages look, small."""
    path = work.folder / "seen.tmp"
    pdf.save(path)
    document = pdfium.PdfDocument(path)
    try:
        shown = (document[index].render(scale=0.5) for index in indices)
        return [hashlib.sha256(bitmap.to_numpy().tobytes()).digest() for bitmap in shown]
    finally:
        document.close()
        path.unlink()
