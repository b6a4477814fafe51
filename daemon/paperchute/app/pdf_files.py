"""PDFs that people have dropped, open to PDFium and in nobody's way."""

from __future__ import annotations

import sys
from pathlib import Path

import pypdfium2

from paperchute.files.beneath import reading


def open_pdf(path: Path, password: str | None = None, root: Path | None = None) -> pypdfium2.PdfDocument:
    """The document at `path`, to be closed. root: from there on no link is followed.

    Raises pypdfium2.PdfiumError, OSError.
    """
    # PDFium would keep others from saving, renaming and deleting it on Windows, and takes each path for UTF-8.
    if root is None and sys.platform != "win32" and sys.getfilesystemencoding() == "utf-8":
        return pypdfium2.PdfDocument(path, password)
    file = reading(path, root).detach()
    try:
        return pypdfium2.PdfDocument(file, password, autoclose=True)
    except BaseException:
        file.close()
        raise
