"""What LibreOffice makes of our Word and RTF files, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from paperchute.engine.document.model import Facts, Page, Span
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.rtf.writer import write_rtf
from tests.engine.writing.models import PLAIN, block, items, line, page, picture, table

SOFFICE = shutil.which("soffice")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")]
EXPECTED = "Report A title A claim1 3. third b) nested 4. fourth Port Ships Narvik 31 45 The note Page 1"
WRITERS = {"docx": write_docx, "rtf": write_rtf}


def sheet() -> Page:
    mark = replace(PLAIN, script="super", size=6)
    blocks = [
        block(line("Report", 30, 72, 120), kind="header"),
        block(line("A title", 60, style=replace(PLAIN, size=20, bold=True)), kind="paragraph_title", level=1),
        block(line([Span("A claim", PLAIN), Span("1", mark)], 100, right=160)),
        items((0, "3.", "third"), (1, "b)", "nested"), (0, "4.", "fourth"), top=130),
        table([["Port", "Ships"], ["Narvik", "31"], ["<", "45"]], {(1, 0): (2, 1)}),
        picture(),
        block(line([Span("1", mark), Span(" The note", PLAIN)], 760), kind="footnote"),
        block(line("Page 1", 800, 270, 320), kind="number"),
    ]
    return page(*blocks)


@pytest.mark.parametrize("boxed", [False, True])
@pytest.mark.parametrize("kind", list(WRITERS))
def test_all_of_it_is_on_the_page(tmp_path: Path, kind: str, boxed: bool) -> None:
    WRITERS[kind](Facts(1, "x", 10), [sheet()], tmp_path / f"a.{kind}", boxed=boxed)
    assert SOFFICE is not None
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    command = [
        SOFFICE,
        home,
        "--headless",
        "--convert-to",
        "pdf",
        "--outdir",
        str(tmp_path),
        str(tmp_path / f"a.{kind}"),
    ]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    with pdfium.PdfDocument(tmp_path / "a.pdf") as pdf:
        assert len(pdf) == 1
        assert [round(side) for side in pdf[0].get_size()] == [595, 842]
        words = pdf[0].get_textpage().get_text_range().split()
        pictures = [item for item in pdf[0].get_objects() if item.type == 3]
    assert sorted(set(EXPECTED.split()) - set(words)) == []
    assert len(pictures) == 1
