"""PDFs that people have dropped, open to PDFium and in nobody's way."""

from __future__ import annotations

import sys
from pathlib import Path

import pypdfium2

from paperchute.files.beneath import reading


def open_pdf(path: Path, password: str | None = None) -> pypdfium2.PdfDocument:
    """The document at `path`, to be closed. Raises pypdfium2.PdfiumError, OSError."""
    if sys.platform != "win32":
        return pypdfium2.PdfDocument(path, password)
    file = reading(path, None).detach()  # PDFium would keep others from saving, renaming and deleting it
    try:
        return pypdfium2.PdfDocument(file, password, autoclose=True)
    except BaseException:
        file.close()
        raise
