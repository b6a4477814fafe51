"""What LibreOffice makes of our Word and RTF files, where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from benchmarks.fidelity.documents import made

from paperchute.engine.document.model import Facts, Page, Span
from paperchute.engine.operations import implementation
from paperchute.engine.work import Source, Work
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.rtf.writer import write_rtf
from tests.engine.writing.models import PLAIN, block, items, line, page, picture, table

SOFFICE = shutil.which("soffice")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")]
EXPECTED = """Report A title A claim1 3. third b) nested 4. fourth Port Ships Narvik 31 45 6.1 Sold 6.2 Mended (a) here
The note Page 1"""
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
        *(block(line(text, 400 + 14 * n, right=160)) for n, text in enumerate(("6.1 Sold", "6.2 Mended"))),
        items((0, "(a)", "here"), top=428),
        block(line([Span("1", mark), Span(" The note", PLAIN)], 760), kind="footnote"),
        block(line("Page 1", 800, 270, 320), kind="number"),
    ]
    return page(*blocks)


def convert(source: Path, folder: Path) -> None:
    """Print an office file by LibreOffice."""
    assert SOFFICE is not None
    home = f"-env:UserInstallation={(folder / 'home').as_uri()}"
    command = [SOFFICE, home, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(source)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)


def places(path: Path) -> list[list[tuple[str, float, float]]]:
    """The words of each page and where each begins."""
    found = []
    with pdfium.PdfDocument(path) as pdf:
        for page in pdf:
            text = page.get_textpage()
            said = text.get_text_range()
            words = [(match[0], match.start()) for match in re.finditer(r"\w+", said)]
            boxes = [(word, text.get_charbox(at, loose=True)) for word, at in words]
            found.append([(word, left, page.get_height() - bottom) for word, (left, bottom, _, _) in boxes])
    return found


@pytest.mark.parametrize("boxed", [False, True])
@pytest.mark.parametrize("kind", list(WRITERS))
def test_all_of_it_is_on_the_page(tmp_path: Path, kind: str, boxed: bool) -> None:
    WRITERS[kind](Facts(1, "x", 10), [sheet()], tmp_path / f"a.{kind}", boxed=boxed)
    convert(tmp_path / f"a.{kind}", tmp_path)
    with pdfium.PdfDocument(tmp_path / "a.pdf") as pdf:
        assert len(pdf) == 1
        assert [round(side) for side in pdf[0].get_size()] == [595, 842]
        words = pdf[0].get_textpage().get_text_range().split()
        pictures = [item for item in pdf[0].get_objects() if item.type == 3]
    assert sorted(set(EXPECTED.split()) - set(words)) == []
    assert len(pictures) == 1


@pytest.mark.parametrize("kind", list(WRITERS))
@pytest.mark.parametrize("number", [0, 5, 6])  # letter, slides, report
def test_words_stand_where_the_page_has_them(tmp_path: Path, kind: str, number: int) -> None:
    """Nearly all, within 12 points: a few move, as fonts and the ends of lines differ a little."""
    source = made(number).print(tmp_path / "source.pdf")
    work = Work(f"pdf-to-{kind}", (Source("file", source, source.name, "pdf"),), {}, tmp_path)
    (result,) = implementation(f"pdf-to-{kind}").run(work)
    shown = result.with_name(f"shown.{kind}")
    result.rename(shown)
    convert(shown, tmp_path)
    expected, found = places(source), places(tmp_path / "shown.pdf")
    assert len(found) == len(expected)
    hits = total = 0
    for there, here in zip(expected, found, strict=True):
        for word, x, y in there:
            total += 1
            hits += any(word == other and abs(x - left) + abs(y - top) < 12 for other, left, top in here)
    assert hits >= 0.9 * total
