"""PDFium takes each path for UTF-8, and elsewhere would open another file, or say that there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw
import pytest

from paperchute.app.pdf_files import open_pdf
from paperchute.engine.reading.pdf.document import OpenPdf
from tests.journeys.documents import write_pdf


@pytest.mark.parametrize("opened", [open_pdf, OpenPdf])
def test_pdfium_is_given_no_path_where_paths_are_no_utf_8(
    opened: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pdf(tmp_path / "Müller.pdf", "Dear reader")
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "iso8859-1")  # as by LANG=de_DE, where it is installed
    monkeypatch.delattr(pypdfium2.raw, "FPDF_LoadDocument")
    document = opened(tmp_path / "Müller.pdf")
    assert len(document) == 1
    document.close()
    (tmp_path / "Müller.pdf").write_bytes(b"%PDF-1.7 and no more")
    with pytest.raises(pypdfium2.PdfiumError):
        opened(tmp_path / "Müller.pdf")
