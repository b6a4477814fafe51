"""Pictures as Word, RTF and CSV: recognised, or as they are."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import pypdfium2 as pdfium
import pytest
from PIL import Image

from paperchute.contract import Value, kind_of
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused, Source, Work
from tests.engine.reading.printing import LOREM, printed

ROWS = (("Port", "Ships"), ("Narvik", "31"), ("Bergen", "45"))
TABLE = "<table>" + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in ROWS) + "</table>"
CSS = (
    "@page{size:380pt 330pt;margin:30pt}"
    "table{border-collapse:collapse;width:300pt} td{border:1px solid #000;padding:6px} tr:first-child{font-weight:bold}"
)


def run(operation: str, path: Path, folder: Path, **parameters: Value) -> list[Path]:
    folder.mkdir()
    work = Work(operation, (Source("file", path, path.name, kind_of(path)),), parameters, folder)
    implementation(operation).check(work)
    return implementation(operation).run(work)


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scan")
    path = printed(folder / "a.pdf", f"<h1>Harbours of the north</h1><p>{LOREM}</p>{TABLE}", CSS)
    with pdfium.PdfDocument(path) as pdf:
        page = pdf[0].render(scale=150 / 72).to_pil().convert("L")
    page.save(folder / "scan.png", dpi=(150, 150))
    return folder / "scan.png"


@pytest.mark.parametrize("boxed", [False, True])
def test_a_recognised_picture_is_a_word_file(scan: Path, tmp_path: Path, boxed: bool) -> None:
    layout = "e_Box" if boxed else "e_Flow"
    (output,) = run("img-to-docx", scan, tmp_path / "out", enableOcr=1, pageLayoutMode=layout)
    assert output.name == "scan.docx"
    document = docx.Document(str(output))
    (section,) = document.sections
    assert section.page_width is not None
    assert abs(section.page_width.pt - 380) < 2
    if boxed:
        with zipfile.ZipFile(output) as package:
            assert package.read("word/document.xml").count(b"<wps:wsp") > 2
        return
    assert any("Harbours of the north" in paragraph.text for paragraph in document.paragraphs)
    assert any("older quays" in paragraph.text for paragraph in document.paragraphs)
    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows][1] == ["Narvik", "31"]


def test_a_recognised_picture_is_an_rtf_file(scan: Path, tmp_path: Path) -> None:
    (output,) = run("img-to-rtf", scan, tmp_path / "out", enableOcr=1)
    text = output.read_text("ascii")
    assert text.startswith("{\\rtf1")
    assert "Harbours of the north" in text
    assert text.count("\\row") == 3


def test_tables_of_a_picture_are_csv(scan: Path, tmp_path: Path) -> None:
    (output,) = run("img-to-csv", scan, tmp_path / "out", enableOcr=1)
    assert output.name == "scan.csv"
    assert output.read_text().splitlines() == ["Port,Ships", "Narvik,31", "Bergen,45"]


@pytest.mark.parametrize("operation", ["img-to-docx", "img-to-rtf"])
def test_without_recognition_the_page_is_the_picture(scan: Path, tmp_path: Path, operation: str) -> None:
    (output,) = run(operation, scan, tmp_path / "out", enableOcr=0)
    if operation == "img-to-rtf":
        assert output.read_text("ascii").count("\\pict") == 1
        return
    document = docx.Document(str(output))
    assert "".join(paragraph.text for paragraph in document.paragraphs) == ""
    with zipfile.ZipFile(output) as package:
        assert len([name for name in package.namelist() if "/media/" in name]) == 1


def test_csv_without_recognition_says_what_is_missing(scan: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="enableOcr") as refused:
        run("img-to-csv", scan, tmp_path / "out", enableOcr=0)
    assert refused.value.code == "190007"


@pytest.mark.parametrize("operation", ["img-to-csv", "img-to-docx", "img-to-rtf"])
def test_broken_pictures_are_refused(tmp_path: Path, operation: str) -> None:
    Image.new("RGB", (300, 400), "white").save(tmp_path / "a.jpg")
    data = (tmp_path / "a.jpg").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(data[: len(data) // 2])
    with pytest.raises(Refused, match=r"cut\.jpg") as refused:
        run(operation, tmp_path / "cut.jpg", tmp_path / "out", enableOcr=1)
    assert refused.value.code == "190010"
