"""scan: what a scanner gives, made a document (docs/contract.md#our-own-operations). A picture is made a PDF first.

- collate: fronts, then backs from the last to the first, as a feeder for one side gives them, are brought into order.
- upright: pages that lie or stand on their heads are turned, by /Rotate alone, where surely read text shows it.
- straight: the picture of a page that is askew by more than half a degree is turned back, and the text with it.
- blankPages: pages with neither text nor ink come out in a document beside the result, untouched. A document that is
  all blank stays whole. Of pages that may be blank a person is asked, whose answer is removePages.
- crop: a page is cut to its sheet, by its CropBox alone, where the bed around it is surely one. No picture changes.
- edges: dark edges and punch holes are painted over with the paper around them.
- background: as magic-color. level: as pdf-compress. searchable: as pdf-to-editable.

No page is lost or in two places: what came in is held against what comes out, for every call. A page that is broken
stays as it is, which is warned of, and the others are done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pikepdf

from paperchute.contract import Value, told_of_pages
from paperchute.contract.questions import NONE, PageAsked, Question
from paperchute.engine.checks.pages import all_deleted
from paperchute.engine.imaging.recoding import LEVELS
from paperchute.engine.imaging.scans import (
    clean_page,
    drawn_pictures,
    paint_edges,
    sheet_of,
    state_of_pictures,
    straighten,
)
from paperchute.engine.pdf.assembly import Joiner
from paperchute.engine.pdf.compression import recode_pictures
from paperchute.engine.pdf.damage import damaged_pages
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import lock, lock_for, protection_of
from paperchute.engine.pdf.textlayer.account import TextAccount
from paperchute.engine.pdf.textlayer.content import strip
from paperchute.engine.pdf.textlayer.layer import lay_read
from paperchute.engine.printing.bundle import with_pdfs
from paperchute.engine.reading.ocr.blank_pages import BlankPages, blank_pages
from paperchute.engine.reading.ocr.options import AUTO, LAYER_DEFAULTS, OcrOptions
from paperchute.engine.reading.ocr.text_layers import EditableReader, ReadPage
from paperchute.engine.reading.pdf.document import OpenPdf, opened
from paperchute.engine.reading.pdf.view import Matrix
from paperchute.engine.reading.source import options_of
from paperchute.engine.report import counted
from paperchute.engine.work import Refused, Work, chosen_pages, file_name, output_name
from paperchute.language import _

_SWITCHES = ("upright", "straight", "searchable")
_DEFAULTS: dict[str, Value] = {**dict.fromkeys(_SWITCHES, 1), "blankPages": "remove", "transparentText": 1}
Corners = list[tuple[float, float]]
"""Of a sheet, in its page's user space."""

_LEAST_SKEW = 0.5  # degrees
_LEAST_READ = 12  # letters that must surely be read before a page is turned by them


def run(work: Work) -> list[Path]:
    """The document, and one of the pages that were taken out where there are any.

    Raises Refused 02201, 120002, 02207, 110001 where fronts and backs are not equally many or pages to remove are not
    there, 110002 where no page would stay, 190005 where no page can be read, and for pictures as `with_pdfs`.
    """
    work = with_pdfs(replace(work, parameters={**LAYER_DEFAULTS, **_DEFAULTS, **work.parameters}))
    source, password = work.sources[0], work.text("password")
    output, bare, worked = (
        work.folder / output_name(work, "pdf", source.name),
        work.folder / "bare",
        work.folder / "new",
    )
    with open_pdf(source.path, source.name, password) as pdf:
        how = lock_for([protection_of(pdf, source.name, password)], work.protection)
        count = len(pdf.pages)
        order = _collated(count, source.name) if work.flag("collate") else list(range(count))
        removed = _removed(work, order)
        _write(pdf, source.name, order, bare)
    account = TextAccount()
    with opened(bare, source.name, "") as document, open_pdf(bare, source.name) as pdf:
        damaged = _damaged(document, pdf)
        found = _blank_pages(work, document, pdf, damaged)
        if removed is not None:
            _remove(work, found, removed, count)
        kept = [index for index in range(count) if index not in found.blank]
        reader = _read(work, document, kept, damaged)
        _tell_of_doubtful(work, found.unsure, reader, order, kept)
        _improve(work, pdf, reader, kept, account)
        pdf.remove_unreferenced_resources()
        pdf.save(worked)
    parts = {output: kept}
    with open_pdf(worked, source.name) as pdf:
        _write(pdf, source.name, kept, output)
    if found.blank:
        beside = work.folder / file_name(_("{name} (blank pages)", name=output.stem), "pdf")
        parts[beside] = found.blank
        with open_pdf(bare, source.name) as pdf:
            _write(pdf, source.name, found.blank, beside)
        _tell_of_blank(work, found.blank, removed or set(), beside.name)
    _check_pages(parts, count)
    account.settle(bare, "", output, kept)
    for path in (bare, worked):
        path.unlink()
    lock(list(parts), how)
    return list(parts)


def _write(pdf: pikepdf.Pdf, name: str, indices: Sequence[int], target: Path) -> None:
    joiner = Joiner()
    taken = joiner.take(pdf, indices, name)
    joiner.save(target, taken.pages, taken.shown)


def _collated(count: int, name: str) -> list[int]:
    """The order of pages whose fronts came first, and then their backs from the last to the first."""
    if count % 2:
        raise Refused(
            "110001",
            _(
                "collate: {name} has {count} pages, so there are not as many backs as fronts. Scan both sides of each"
                " sheet, blank ones too.",
                name=name,
                count=count,
            ),
        )
    return [index for front in range(count // 2) for index in (front, count - 1 - front)]


def _check_pages(parts: dict[Path, list[int]], count: int) -> None:
    """Raise RuntimeError where a page is missing or comes twice: nothing is then delivered.

    Args:
        parts: Of each result, the indices of its pages in the source.
        count: The pages of the source.
    """
    if sorted(index for indices in parts.values() for index in indices) != list(range(count)):
        raise RuntimeError(f"not each of {count} pages is in one result")
    for path, indices in parts.items():
        with pikepdf.open(path) as pdf:
            if len(pdf.pages) != len(indices):
                raise RuntimeError(f"{len(indices)} pages went into a result that has {len(pdf.pages)}")


# ---------- what the pages are ----------


def _damaged(document: OpenPdf, pdf: pikepdf.Pdf) -> set[int]:
    """The pages that do not show all that they were to, be it that a picture of theirs breaks off."""
    found = set(damaged_pages(document.plain, range(len(pdf.pages))) or ())
    return found | {index for index, page in enumerate(pdf.pages) if state_of_pictures(page) == "damaged"}


def _blank_pages(work: Work, document: OpenPdf, pdf: pikepdf.Pdf, damaged: Collection[int]) -> BlankPages:
    if work.text("blankPages") != "remove":
        return BlankPages()
    found = blank_pages(document, pdf, work.text("ocrRecognitionLang") or AUTO, damaged)
    if len(found.blank) == len(pdf.pages):
        work.warn(_("No ink was found on any page of {name}, so none was taken out.", name=work.sources[0].name))
        found.blank.clear()
    return found


def _removed(work: Work, order: Sequence[int]) -> set[int] | None:
    """The pages, in their new order, that a person wants taken out; None where nobody has said. Raises Refused."""
    if not (wanted := work.text("removePages")):
        return None
    if wanted.strip().lower() == NONE:
        return set()
    named = set(chosen_pages(wanted, len(order), work.sources[0].name))
    return {index for index, page in enumerate(order) if page in named}


def _remove(work: Work, found: BlankPages, removed: set[int], count: int) -> None:
    """Have pages go out that a person has named, and ask no more. Raises Refused where none would stay."""
    found.blank[:] = sorted({*found.blank, *removed})
    found.unsure.clear()
    if len(found.blank) == count:
        raise all_deleted(work.sources[0].name)


def _read(work: Work, document: OpenPdf, kept: Sequence[int], damaged: set[int]) -> EditableReader:
    """Recognise the pages that stay, where that is needed. Raises Refused where it fails on each of them."""
    ocr = OcrOptions(work.text("ocrRecognitionLang") or AUTO, "SCAN_PAGE")
    reader, failed = EditableReader(document, ocr, options_of(work), colours=False), set[int]()
    is_needed = any(map(work.flag, _SWITCHES))
    for index in counted(kept, len(kept)) if is_needed else ():
        try:
            reader.read(index)
        except Refused:
            failed.add(index)
            if len(failed) == len(kept):
                raise
    if damaged or failed:
        pages = told_of_pages(index + 1 for index in damaged | failed)
        work.warn(_("Damaged or cut off: {pages}. Check what is there, and scan it again.", pages=pages))
    return reader


def _tell_of_blank(work: Work, blank: Sequence[int], removed: Collection[int], name: str) -> None:
    if bare := [index + 1 for index in blank if index not in removed]:
        work.note(_("Neither text nor ink was found on {pages}: see {file}.", pages=told_of_pages(bare), file=name))
    if decided := [index + 1 for index in blank if index in removed]:
        work.note(_("Taken out as removePages says: {pages}: see {file}.", pages=told_of_pages(decided), file=name))


def _tell_of_doubtful(
    work: Work, unsure: Sequence[int], reader: EditableReader, order: Sequence[int], kept: Sequence[int]
) -> None:
    """Warn of pages without text whose ink may be none, and ask a person about them.

    order: the index in the source of each page; kept: the pages that stay until then.
    """
    reads = {index: reader.page(index) for index in unsure}
    pages = [index + 1 for index, read in reads.items() if read is None or not read.upright + read.lying]
    most = min(len(pages), len(kept) - 1)
    if most > 0 and work.text("sure") != "take":
        asked = tuple(
            PageAsked(page, _("no text, and hardly any ink, which may be writing"))
            for page in sorted(order[page - 1] + 1 for page in pages)
        )
        work.ask(Question("removePages", _("It is not sure whether these pages are blank."), len(order), most, asked))
    if pages:
        work.warn(
            _(
                "No text and hardly any ink was found on {pages}. It may be writing, so nothing was taken out.",
                pages=told_of_pages(pages),
            )
        )


# ---------- what becomes of them ----------


def _improve(work: Work, pdf: pikepdf.Pdf, reader: EditableReader, kept: Sequence[int], account: TextAccount) -> None:
    """Do to the pages that stay what was asked for."""
    pages = {index: pdf.pages[index] for index in kept}
    if work.flag("upright"):
        for index, read in _surely_read(pages, reader):
            if read.turn:
                pages[index].rotate(read.turn, relative=True)
    sheets = dict(_sheets(pages)) if work.flag("crop") else {}  # before anything of the bed is painted over
    if work.flag("edges"):
        _change_pictures(work, pages, paint_edges)
    moved = _straighten(work, pdf, pages, reader, sheets) if work.flag("straight") else {}
    if work.flag("background"):
        _change_pictures(work, pages, clean_page)
    if work.flag("searchable"):
        lay_read(work, reader, pdf, list(pages.values()), kept, account, moved)
    if work.text("level"):
        recode_pictures(pdf, LEVELS[work.text("level")])
    for index, corners in sheets.items():
        _crop(pages[index], [moved[index].at(*corner) if index in moved else corner for corner in corners])


def _sheets(pages: dict[int, pikepdf.Page]) -> Iterator[tuple[int, Corners]]:
    """The corners of the sheets that lie on larger beds, by page."""
    for index, page in pages.items():
        with suppress(Refused):  # its picture is damaged, which is told of already
            if corners := sheet_of(page, ""):
                yield index, corners


def _crop(page: pikepdf.Page, corners: Corners) -> None:
    """Show of a page what lies around a sheet, and nothing that it does not show now."""
    across, up = zip(*corners, strict=True)
    left, bottom, right, top = (float(edge) for edge in page.cropbox)
    page.cropbox = pikepdf.Array(
        [max(left, min(across)), max(bottom, min(up)), min(right, max(across)), min(top, max(up))]
    )


def _surely_read(pages: dict[int, pikepdf.Page], reader: EditableReader) -> Iterator[tuple[int, ReadPage]]:
    """Of the pages those of which enough stands upright, once they are turned, to know how they lie."""
    for index in pages:
        read = reader.page(index)
        if read is not None and read.upright >= max(_LEAST_READ, 2 * read.lying):
            yield index, read


def _straighten(
    work: Work, pdf: pikepdf.Pdf, pages: dict[int, pikepdf.Page], reader: EditableReader, sheets: dict[int, Corners]
) -> dict[int, Matrix]:
    """Turn the pictures of pages that are askew; how each moved in its page's user space."""
    uses = Counter(stream.objgen for page in pdf.pages for stream, _matrix in drawn_pictures(page))
    moved: dict[int, Matrix] = {}
    askew = []
    for index, read in _surely_read(pages, reader):
        if abs(read.skew) <= _LEAST_SKEW:
            continue
        page, matrix = pages[index], None
        if work.flag("searchable"):
            strip(pdf, page, hidden_text=True, images=False)  # it is laid in anew
        if all(uses[stream.objgen] == 1 for stream, _matrix in drawn_pictures(page)):
            matrix = _straightened(page, read.skew, sheets.get(index))
        if matrix is None:
            askew.append(index + 1)
        else:
            moved[index] = matrix
    if askew:
        work.warn(
            _(
                "Still askew: {pages}. Straightened, ink would be cut off at an edge, or what lies over the picture"
                " would no longer fit it.",
                pages=told_of_pages(askew),
            )
        )
    return moved


def _straightened(page: pikepdf.Page, degrees: float, sheet: Corners | None) -> Matrix | None:
    try:
        matrix = straighten(page, degrees, "", sheet)
    except Refused:  # its picture is damaged
        return None
    return None if matrix is None else Matrix(*matrix.shorthand)


def _change_pictures(
    work: Work, pages: dict[int, pikepdf.Page], change: Callable[[pikepdf.Page, str, set[tuple[int, int]]], object]
) -> None:
    """Have `change` done to the pictures of pages that are scans; broken ones stay, which is warned of."""
    done: set[tuple[int, int]] = set()
    broken = []
    for index, page in pages.items():
        try:
            change(page, "", done)
        except Refused:
            broken.append(index + 1)
    if broken:
        work.warn(
            _(
                "The picture on {pages} is damaged, too large or of a kind that cannot be read: its edges and"
                " background stay.",
                pages=told_of_pages(broken),
            )
        )
