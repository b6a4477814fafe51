"""What each parameter of the operations that give Word, RTF and CSV does."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import pikepdf
import pytest

from paperchute.contract import Value
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused, Source, Work
from tests.engine.reading.printing import LOREM, picture, printed

THREE = "".join(f"<h1>Part {n}</h1><p>{LOREM}</p><div style='break-after:page'></div>" for n in (1, 2, 3))
CSS = "table{border-collapse:collapse} td,th{border:1px solid #000;padding:3px}"


def run(operation: str, path: Path, folder: Path, **parameters: Value) -> list[Path]:
    folder.mkdir()
    work = Work(operation, (Source("file", path, path.name, path.suffix[1:]),), parameters, folder)
    implementation(operation).check(work)
    return implementation(operation).run(work)


def words(path: Path) -> str:
    """The text of a Word file; of RTF its source."""
    if path.suffix == ".rtf":
        return path.read_text("ascii")
    return "\n".join(paragraph.text for paragraph in docx.Document(str(path)).paragraphs)


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return printed(tmp_path / "three.pdf", THREE)


@pytest.mark.parametrize("kind", ["docx", "rtf"])
def test_pages_are_chosen_and_parted(three: Path, tmp_path: Path, kind: str) -> None:
    (whole,) = run(f"pdf-to-{kind}", three, tmp_path / "whole", pageRanges="3,1")
    assert whole.name == f"three.{kind}"
    text = words(whole)
    assert text.index("Part 3") < text.index("Part 1")
    assert "Part 2" not in text
    parts = run(f"pdf-to-{kind}", three, tmp_path / "parts", isOutputDocumentPerPage=1, pageRanges="2-3")
    assert [part.name for part in parts] == [f"three-2.{kind}", f"three-3.{kind}"]
    assert "Part 3" in words(parts[1])
    with pytest.raises(Refused, match="110001"):
        run(f"pdf-to-{kind}", three, tmp_path / "none", pageRanges="9")


@pytest.mark.parametrize("operation", ["pdf-to-docx", "pdf-to-rtf", "pdf-to-csv"])
def test_the_password_opens_a_locked_file(tmp_path: Path, operation: str) -> None:
    path = printed(tmp_path / "a.pdf", "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>", CSS)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(owner="o", user="secret", R=6))
    with pytest.raises(Refused, match="02201"):
        run(operation, path, tmp_path / "no")
    assert run(operation, path, tmp_path / "out", password="secret")


@pytest.mark.parametrize(("kind", "mark"), [("docx", "wps:wsp"), ("rtf", "\\shptxt")])
def test_boxes_keep_places_and_flow_does_not(three: Path, tmp_path: Path, kind: str, mark: str) -> None:
    def source(path: Path) -> str:
        if kind == "rtf":
            return path.read_text("ascii")
        with zipfile.ZipFile(path) as package:
            return package.read("word/document.xml").decode()

    assert mark not in source(run(f"pdf-to-{kind}", three, tmp_path / "flow")[0])
    assert mark in source(run(f"pdf-to-{kind}", three, tmp_path / "box", pageLayoutMode="e_Box")[0])


def test_pictures_and_annotations_are_kept_or_left_out(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><img src='{picture()}' width=200><p>{LOREM}</p>")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[50, 700, 70, 720], Contents="Check", T="Ada"
        )
        pdf.pages[0].Annots = pdf.make_indirect(pikepdf.Array([note]))
        pdf.save(path)
    (kept,) = run("pdf-to-docx", path, tmp_path / "kept")
    (left,) = run("pdf-to-docx", path, tmp_path / "left", isContainImg=0, isContainAnnot=0)
    found = []
    for output in (kept, left):
        with zipfile.ZipFile(output) as package:
            pictures = [name for name in package.namelist() if "/media/" in name]
        found.append((len(pictures), [comment.text for comment in docx.Document(str(output)).comments]))
    assert found == [(1, ["Check"]), (0, [])]


def test_formulas_become_pictures_only_when_asked(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><p style='margin-left:80pt'>∑ α + β = ∫ γ ≤ ∞</p><p>{LOREM}</p>")
    assert "α + β" in words(run("pdf-to-docx", path, tmp_path / "text")[0])
    assert "α + β" not in words(run("pdf-to-docx", path, tmp_path / "picture", formulaToImage=1)[0])


def tables(path: Path) -> Path:
    one = "<table><tr><th>Port</th><th>Ships</th></tr><tr><td>Narvik</td><td>-3</td></tr></table>"
    two = "<table><tr><th>Name</th><th>Formula</th></tr><tr><td>x</td><td>=1+1</td></tr></table>"
    end = "<div style='break-after:page'></div>"
    return printed(path, f"<p>{LOREM}</p>{one}<p>{LOREM}</p>{two}{end}<p>{LOREM}</p>{end}{one}", CSS)


def test_csv_for_each_table_page_or_document(tmp_path: Path) -> None:
    path = tables(tmp_path / "a.pdf")
    outputs = run("pdf-to-csv", path, tmp_path / "tables")
    assert [output.name for output in outputs] == ["a-1-1.csv", "a-1-2.csv", "a-3-1.csv"]
    assert outputs[1].read_bytes() == b'Name,Formula\r\nx,"\'=1+1"\r\n'
    outputs = run("pdf-to-csv", path, tmp_path / "pages", excelWorksheetOption="e_ForPage")
    assert [output.name for output in outputs] == ["a-1.csv", "a-3.csv"]
    assert outputs[0].read_bytes() == b'Port,Ships\r\nNarvik,-3\r\n\r\nName,Formula\r\nx,"\'=1+1"\r\n'
    (output,) = run("pdf-to-csv", path, tmp_path / "document", excelWorksheetOption="e_ForDocument")
    assert output.name == "a.csv"
    assert output.read_bytes().count(b"Port,Ships") == 2
    parts = run("pdf-to-csv", path, tmp_path / "parts", excelWorksheetOption="e_ForDocument", isOutputDocumentPerPage=1)
    assert [part.name for part in parts] == ["a-1.csv", "a-3.csv"]
    (single,) = run("pdf-to-csv", path, tmp_path / "single", pageRanges="3")
    assert single.name == "a.csv"


def test_a_table_over_two_pages_is_one_but_a_file_a_page_has_its_own(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>port {n}</td><td>{n * 3}</td></tr>" for n in range(80))
    path = printed(
        tmp_path / "a.pdf",
        f"<table><thead><tr><th>Port</th><th>Ships</th></tr></thead><tbody>{rows}</tbody></table>",
        CSS,
    )
    (output,) = run("pdf-to-csv", path, tmp_path / "out")
    assert len(output.read_text().splitlines()) == 81
    outputs = run("pdf-to-csv", path, tmp_path / "pages", excelWorksheetOption="e_ForPage")
    assert len(outputs) > 1
    assert all(output.read_text().startswith("Port,Ships") for output in outputs)


def test_without_a_table_there_is_a_reason(three: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"three\.pdf") as refused:
        run("pdf-to-csv", three, tmp_path / "out")
    assert refused.value.code == "190007"
    with pytest.raises(Refused, match="enableAiLayout"):
        run("pdf-to-csv", tables(tmp_path / "a.pdf"), tmp_path / "off", enableAiLayout=0)
