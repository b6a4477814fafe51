"""What the reading operations share: their common parameters, and the document model of what was uploaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import PurePosixPath

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.contract import PICTURES
from paperchute.engine import expectation
from paperchute.engine.checks.reading import is_torn, kind_printed
from paperchute.engine.document.model import Document, Page
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import protection_of, say_unlocked
from paperchute.engine.reading.ocr.options import OcrOptions, ocr_options
from paperchute.engine.reading.omissions import Damage, tell_of_parts, watched
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.reader import Options, Recogniser, read_pdf
from paperchute.engine.report import counted
from paperchute.engine.work import Refused, Source, Work, chosen_pages
from paperchute.language import _


@contextmanager
def document_of(
    work: Work,
    layout: bool = True,
    looks: bool = False,
    inks: bool = False,
    words: bool = False,
    taken: int = 0,
    whole: bool = False,
) -> Iterator[Document]:
    """The document model of the `pageRanges` of the uploaded file, laid out as its pages are walked.

    Of an office file or text, what it states, on the pages that it prints to. Once all are walked, warnings
    say what they lack.

    layout: False for no analysis of the layout, as enableAiLayout 0. looks: with each page's look, inks: with the
    colours of flowing text, words: with the words at their places (`Options`).
    taken: of the files that are attached to it the operation reads so many. whole: a table, list or paragraph of an
    office file or text stands whole on the page where it begins, else each page has its part.

    Raises Refused: 02201 locked, 120002 wrong password, 02207 damaged, 110001 pages that are not there, 190005 when
    recognition fails; for pictures 02209, 100105, 02003 and 190010 (`imaging.opening`).
    """
    with _read(work, replace(options_of(work, layout, looks, inks), words=words), taken, whole) as document:
        yield replace(document, pages=_told(document, work))


def _told(document: Document, work: Work) -> Iterator[Page]:
    """The pages; `work` is told what becomes of them."""
    return expectation.watched(watched(document.pages, work, document.facts.shows), work)


@contextmanager
def _read(work: Work, options: Options, taken: int, whole: bool) -> Iterator[Document]:
    source = work.sources[0]
    ocr = ocr_options(work)
    if source.kind in PICTURES:
        yield _pictures(work, options, ocr)
        return
    check_openable(source)
    kind = kind_printed(source)
    if kind:
        options = replace(options, margins=False, line_numbers=False)
        recogniser = _recogniser(ocr, options) if ocr is not None else None
        with _office_document(work, kind, options, recogniser, whole) as document:
            yield document
        return
    damage = Damage(work)
    with opened(source.path, source.name, work.text("password"), damage.repaired) as pdf:
        _say_unlocked(work, pdf)
        tell_of_parts(work, pdf, taken)
        selected = _selected(work, len(pdf))
        damage.look_at(pdf, selected)
        if ocr is None:
            document = read_pdf(pdf, selected, options)
            document = replace(document, pages=counted(document.pages, len(selected)))
        else:  # recognition takes nearly all the time, and counts by itself
            document = read_pdf(pdf, selected, options, _recogniser(ocr, options))
        yield replace(document, pages=damage.seen(document.pages))


def _selected(work: Work, count: int) -> list[int]:
    """The 0-based pages of pageRanges. Raises Refused 110001."""
    return chosen_pages(work.text("pageRanges"), count, work.sources[0].name)


def stem_of(work: Work) -> str:
    """Return what results are named after: the uploaded file's name without its extension."""
    return PurePosixPath(work.sources[0].name).stem or "document"


def check_openable(source: Source) -> None:
    """Raises Refused for an office file that cannot be opened: 02201 where a password locks it, 02207 torn."""
    if source.kind == "encrypted":
        raise Refused(
            "02201",
            _(
                "{name} is locked with a password, and of locked files this engine opens PDFs only. Save it without a "
                "password first.",
                name=source.name,
            ),
        )
    if is_torn(source):
        raise Refused(
            "02207", _("{name} cannot be opened: it is damaged, or not what its name says.", name=source.name)
        )


def _say_unlocked(work: Work, document: pdfium.PdfDocument) -> None:
    """Warn of protection that cannot stay. A damaged file was repaired into one without, so a password counts too."""
    source, password = work.sources[0], work.text("password")
    if pdfium_c.FPDF_GetSecurityHandlerRevision(document) != -1 or password:
        with suppress(Refused), open_pdf(source.path, source.name, password) as pdf:  # PDFium opens more damaged ones
            say_unlocked(protection_of(pdf, source.name, password), work.protection)


# Recognition and office files need large libraries, which a worker that only reads PDFs never loads.
def _office_document(
    work: Work, kind: str, options: Options, recogniser: Recogniser | None, whole: bool
) -> AbstractContextManager[Document]:
    from paperchute.engine.reading.office.document import office_document

    return office_document(work, kind, options, recogniser, whole)


def _pictures(work: Work, options: Options, ocr: OcrOptions | None) -> Document:
    from paperchute.engine.imaging.decoder import count_frames
    from paperchute.engine.reading.ocr.images import PictureFile, read_pictures

    source = work.sources[0]
    chosen = _selected(work, count_frames(source.path, source.name)) if work.text("pageRanges") else None
    return read_pictures(PictureFile(source.path, source.name, source.kind), options, ocr, chosen)


def _recogniser(ocr: OcrOptions, options: Options) -> Recogniser:
    from paperchute.engine.reading.ocr.selective import SelectiveRecogniser

    return SelectiveRecogniser(ocr, options)


def options_of(work: Work, layout: bool = True, looks: bool = False, inks: bool = False) -> Options:
    """What the common parameters ask for; absent ones mean the contract's defaults (docs/contract.md#operations)."""
    return Options(
        layout=layout and bool(work.parameters.get("enableAiLayout", True)),
        images=bool(work.parameters.get("isContainImg", True)),
        backgrounds=bool(work.parameters.get("containPageBackgroundImage", True)),
        notes=bool(work.parameters.get("isContainAnnot", True)),
        formulas=work.flag("formulaToImage"),
        looks=looks,
        inks=inks,
        margins=not work.flag("isContainHeaderFooter"),
    )
