"""pdf-to-editable: a PDF whose text can be searched, marked and copied (docs/contract.md#operations).

Recognised text is laid over the ink of each page that `ocrOption` has; what the page shows, its pictures and the text
it has stay as they are. Text that an earlier recognition laid in is replaced.

- transparentText 1 lays it in invisibly; what was PDF/A stays so. 0 shows it, in the ink's colour, in place of the
  ink, which is painted over; a claim to meet PDF/A is then taken out, as the fonts are not embedded.
- containPageBackgroundImage 0 takes the picture of each scanned page away, which leaves its text and, with
  isContainImg 1, the pictures on it; it needs transparentText 0, as nothing would be seen otherwise.
- isContainImg 0 takes the pictures from pages that are no scans. isContainAnnot 0 takes annotations, except links and
  form fields.
- enableAiLayout 1 gives the text in reading order (and, where all pages are scans, with tags for headings,
  paragraphs, lists and tables); 0 from top to bottom.
- pageLayoutMode e_Flow makes hyphens that divide words at the ends of lines soft, so that the words are found; e_Box
  keeps every line as it is printed.
- formulaToImage 1 leaves displayed formulas as pictures without text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pikepdf

from paperchute.engine.checks.text_layers import with_defaults
from paperchute.engine.pdf.assembly import Joiner
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.pages import parted
from paperchute.engine.pdf.protection import lock, lock_for, protection_of
from paperchute.engine.pdf.textlayer.account import TextAccount
from paperchute.engine.printing.bundle import with_pdfs
from paperchute.engine.reading.ocr.options import ocr_options
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.work import Work, chosen_pages, output_name


def run(work: Work) -> list[Path]:
    """The document, or one for each page. Raises Refused 02201, 120002, 02207, 110001, 190005, and as `with_pdfs`."""
    work = with_pdfs(with_defaults(work))
    source = work.sources[0]
    output = work.folder / output_name(work, "pdf", source.name)
    with open_pdf(source.path, source.name, work.text("password")) as pdf:
        how = lock_for([protection_of(pdf, source.name, work.text("password"))], work.protection)
        chosen = chosen_pages(work.text("pageRanges"), len(pdf.pages), source.name)
        joiner = Joiner()
        taken = joiner.take(pdf, chosen, source.name)
        bare = work.folder / "bare.tmp"
        joiner.save(bare, taken.pages, taken.shown)
    account = TextAccount()
    with open_pdf(bare, source.name) as pdf:
        _fill(work, pdf, list(pdf.pages), chosen, account)
        pdf.remove_unreferenced_resources()  # pictures that no page draws any more
        pdf.save(output)
    bare.unlink()
    account.settle(source.path, work.text("password"), output, chosen)
    outputs = parted(output, chosen) if work.flag("isOutputDocumentPerPage") else [output]
    lock(outputs, how)
    return outputs


def _fill(
    work: Work, pdf: pikepdf.Pdf, pages: Sequence[pikepdf.Page], chosen: Sequence[int], account: TextAccount
) -> None:
    """Do to the pages of the new document what the parameters ask for."""
    # Recognition needs large libraries, which a worker that never recognises does not load.
    from paperchute.engine.pdf.textlayer.content import strip
    from paperchute.engine.pdf.textlayer.layer import lay_text, without_marks

    ocr = ocr_options(work)
    scans: set[int] = set()
    if ocr is not None:
        source = work.sources[0]
        with opened(source.path, source.name, work.text("password")) as document:
            scans = lay_text(work, ocr, document, pdf, pages, chosen, account)
    if not work.flag("isContainImg"):
        for index, page in zip(chosen, pages, strict=True):
            if index not in scans:
                strip(pdf, page, hidden_text=False, images=True)
    if not work.flag("isContainAnnot"):
        without_marks(pages)
