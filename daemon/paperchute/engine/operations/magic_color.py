"""magic-color: shadows and the paper's tint go, ink gets dark, colours and photographs stay.

See docs/contract.md#open-questions.

- What comes out has the format of what went in: a picture its size in pixels, resolution, profile and metadata; a PDF
  its text, links and everything else, only the pictures of scanned pages being replaced. HEIC comes out as JPEG.
- pageRanges: pages of a PDF or of a TIFF file; the others do not come out. isOutputDocumentPerPage 1 gives a file each.
- password opens a locked PDF; the result is locked as it was, unless `protection` says otherwise.
- enableOcr lays the recognised text of a PDF's cleaned pages over them invisibly, as pdf-to-editable does by default;
  ocrRecognitionLang and ocrOption say how and where. A picture cannot hold text, so it is refused with one.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine import report
from paperchute.engine.imaging.decoder import count_frames
from paperchute.engine.imaging.picture_files import clean_file, clean_frames
from paperchute.engine.imaging.scans import clean_scans
from paperchute.engine.pdf.assembly import Joiner
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.pages import page_names, parted
from paperchute.engine.pdf.protection import lock, lock_for, protection_of
from paperchute.engine.pdf.sanitize import make_passable
from paperchute.engine.reading.ocr.options import ocr_options
from paperchute.engine.work import Source, Work, chosen_pages, output_name

_EXTENSIONS = {"jpg": ("jpg", "jpeg"), "tiff": ("tiff", "tif")}


def run(work: Work) -> list[Path]:
    """The cleaned file, or one for each page.

    Raises Refused: 02201, 120002, 02207 for PDFs; 02209, 100105, 02003 and 190010 for pictures; 110001 for pages that
    are not there.
    """
    source = work.sources[0]
    return _pdf(work, source) if source.kind == "pdf" else _picture(work, source)


def _pdf(work: Work, source: Source) -> list[Path]:
    output = work.folder / output_name(work, "pdf")
    with open_pdf(source.path, source.name, work.text("password")) as pdf:
        how = lock_for([protection_of(pdf, source.name, work.text("password"))], work.protection)
        chosen = chosen_pages(work.text("pageRanges"), len(pdf.pages), source.name)
        report.handles(len(chosen))
        if chosen != list(range(len(pdf.pages))):
            joiner = Joiner()
            taken = joiner.take(pdf, chosen, source.name)
            joiner.save(output, taken.pages, taken.shown)
        else:
            make_passable(pdf, source.name)
            pdf.save(output)
    whole = output.with_suffix(".whole")
    with open_pdf(output, source.name) as pdf:
        clean_scans(pdf, source.name)
        pdf.save(whole)
    whole.replace(output)
    if (ocr := ocr_options(work)) is not None:
        # Recognition needs large libraries, which a worker that never recognises does not load.
        from paperchute.engine.pdf.textlayer.layer import lay_text_over

        lay_text_over(work, ocr, output)
    outputs = parted(output, chosen) if work.flag("isOutputDocumentPerPage") else [output]
    lock(outputs, how)
    return outputs


def _picture(work: Work, source: Source) -> list[Path]:
    """A file for all chosen pages, or one for each."""
    output = work.folder / output_name(work, _extension(source))
    count = count_frames(source.path, source.name)
    chosen = chosen_pages(work.text("pageRanges"), count, source.name)
    report.handles(len(chosen))
    if work.flag("isOutputDocumentPerPage") and count > 1:
        targets = page_names(output, chosen)
        clean_frames(source.path, source.name, chosen, targets)
        return list(dict.fromkeys(targets))
    return [clean_file(source.path, source.name, output, chosen)]


def _extension(source: Source) -> str:
    """The extension the file came with, where it is one of those of the kind that comes out."""
    given = source.name.rpartition(".")[2].lower()
    kind = "jpg" if source.kind == "heic" else source.kind
    known = _EXTENSIONS.get(kind, (kind,))
    return given if given in known else known[0]
