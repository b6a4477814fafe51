"""Opening a PDF with PDFium, its refusals in the contract's codes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from loguru import logger

from paperchute.engine.pdf.document import say_damaged
from paperchute.engine.pdf.protection import spellings
from paperchute.engine.reading.pdf.rebuilding import rebuilt
from paperchute.engine.work import Refused
from paperchute.language import _


@contextmanager
def opened(path: Path, name: str, password: str) -> Iterator[pdfium.PdfDocument]:
    """The PDF at `path`, closed afterwards. `name` is what its sender calls it; `password` is empty for none.

    What PDFium cannot open is repaired where that can be done; a warning says so.

    Raises Refused: 02201 locked and no password given, 120002 wrong password, 02207 unreadable or without pages.
    """
    with ExitStack() as stack:
        document, is_whole = _opened(path, name, password, stack)
        stack.enter_context(closing(document))
        if len(document) < 1:
            raise Refused("02207", _("{name} has no pages.", name=name))
        if not is_whole:
            say_damaged(name, len(document))
        yield document


@contextmanager
def opened_page(document: pdfium.PdfDocument, index: int) -> Iterator[pdfium.PdfPage]:
    """One page (0-based); raises Refused 02207 when it is damaged, as leaving it out would lose text silently."""
    try:
        page = document[index]
    except pdfium.PdfiumError:
        raise Refused(
            "02207",
            _("Page {number} is damaged and cannot be read. Use pageRanges to get the other pages.", number=index + 1),
        ) from None
    try:
        yield page
    finally:
        page.close()


def _opened(path: Path, name: str, password: str, stack: ExitStack) -> tuple[pdfium.PdfDocument, bool]:
    """(the document, whether its own list of objects could be used: else what was found was put together anew)."""
    # PDFium sets its last error on some failures only; this one clears a password error left by an earlier file.
    pdfium_c.FPDF_LoadMemDocument(b"", 0, None)
    try:
        document = _document(path, password)
        return document, bool(pdfium_c.FPDF_DocumentHasValidCrossReferenceTable(document))
    except pdfium.PdfiumError as error:
        if error.err_code == pdfium_c.FPDF_ERR_PASSWORD:
            raise _refusal(error, name, password) from None
        repaired = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "repaired.pdf"
        if not (_repaired(path, password, repaired) or rebuilt(path, repaired)):
            raise _refusal(error, name, password) from None
    try:
        return pdfium.PdfDocument(repaired), False
    except pdfium.PdfiumError as error:
        raise _refusal(error, name, password) from None


def _document(path: Path, password: str) -> pdfium.PdfDocument:
    """With the password in its spellings, else with none, as a file opens that only restricts its readers."""
    for attempt in spellings(password) if password else []:
        try:
            return pdfium.PdfDocument(path, password=attempt)
        except pdfium.PdfiumError as error:
            if error.err_code != pdfium_c.FPDF_ERR_PASSWORD:
                raise
    return pdfium.PdfDocument(path)


def _repaired(path: Path, password: str, target: Path) -> bool:
    """Whether qpdf could write a sound copy, without encryption, to `target`."""
    try:
        with pikepdf.open(path, password=password) as pdf:
            if not pdf.pages:
                return False
            pdf.save(target, encryption=False)
            logger.info("repaired: {} pages of a damaged file could be saved", len(pdf.pages))
    except (pikepdf.PdfError, ValueError, RuntimeError, RecursionError):
        return False
    return True


def _refusal(error: pdfium.PdfiumError, name: str, password: str) -> Refused:
    if error.err_code != pdfium_c.FPDF_ERR_PASSWORD:
        return Refused("02207", _("{name} cannot be opened as a PDF: it is damaged or of another type.", name=name))
    if password:
        return Refused("120002", _("The password given for {name} is wrong.", name=name))
    return Refused("02201", _("{name} is locked; its open password is needed.", name=name))
