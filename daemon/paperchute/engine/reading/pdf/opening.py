"""Opening a PDF with PDFium, its refusals in the contract's codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.work import Refused


@contextmanager
def opened(path: Path, name: str, password: str) -> Iterator[pdfium.PdfDocument]:
    """The PDF at `path`, closed afterwards. `name` is what its sender calls it; `password` is empty for none.

    Raises Refused: 02201 locked and no password given, 120002 wrong password, 02207 unreadable or without pages.
    """
    # PDFium sets its last error on some failures only; this one clears a password error left by an earlier file.
    pdfium_c.FPDF_LoadMemDocument(b"", 0, None)
    try:
        document = pdfium.PdfDocument(path, password=password or None)
    except pdfium.PdfiumError as error:
        raise _refusal(error, name, password) from None
    try:
        if len(document) < 1:
            raise Refused("02207", f"{name} has no pages.", f"{name} 没有页面。")
        yield document
    finally:
        document.close()


def _refusal(error: pdfium.PdfiumError, name: str, password: str) -> Refused:
    if error.err_code != pdfium_c.FPDF_ERR_PASSWORD:
        return Refused("02207", f"{name} cannot be opened as a PDF: it is damaged or of another type.")
    if password:
        return Refused("120002", f"The password given for {name} is wrong.")
    return Refused("02201", f"{name} is locked; its open password is needed.")
