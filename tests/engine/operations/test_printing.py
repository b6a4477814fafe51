"""Office files and texts as PDF, by themselves and in a bundle of mixed files, in its order."""

from __future__ import annotations

import io
from pathlib import Path

import docx
import openpyxl
import PIL.Image
import pptx
import pytest

from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from tests.engine.operations.papers import done, paper, with_link, words, work


def picture() -> bytes:
    out = io.BytesIO()
    PIL.Image.new("RGB", (80, 60), "teal").save(out, "PNG")
    return out.getvalue()


def document(path: Path, word: str) -> Path:
    """A file of the kind that its name says, with a word in it; of a picture that is none of its content."""
    match path.suffix:
        case ".pdf":
            paper(path, word)
        case ".docx":
            written = docx.Document()
            written.add_heading(word, 1)
            table = written.add_table(rows=1, cols=2)
            table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Quay", "120.00"
            written.add_picture(io.BytesIO(picture()))
            written.save(str(path))
        case ".xlsx":
            book = openpyxl.Workbook()
            book.worksheets[0].append([word, 3.5])
            book.create_sheet("Second").append(["more", 7])
            book.save(path)
        case ".pptx":
            slides = pptx.Presentation()
            for text in (word, "more"):
                title = slides.slides.add_slide(slides.slide_layouts[5]).shapes.title
                assert title is not None
                title.text = text
            slides.save(str(path))
        case ".rtf":
            path.write_bytes(rb"{\rtf1\ansi {\b " + word.encode() + rb"} and \u246? more\par}")
        case ".html":
            path.write_text(f"<!doctype html><h1>{word}</h1>", "utf-8")
        case ".png":
            path.write_bytes(picture())
        case _:
            path.write_text(f"{word}\nmore", "utf-8")
    return path


KINDS = ("docx", "xlsx", "pptx", "rtf", "txt", "csv")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_becomes_pages_with_its_words(kind: str, tmp_path: Path) -> None:
    with report.collected() as warnings:
        made = done(f"{kind}-to-pdf", tmp_path, document(tmp_path / f"port.{kind}", "Leith"))
    text = " ".join(words(made))
    assert made.name == "port.pdf"
    assert "Leith" in text
    assert {"docx": "120.00", "xlsx": "more", "pptx": "more", "rtf": "ö more"}.get(kind, "more") in text
    is_laid_out = any("laid out by the engine" in text or "words alone" in text for text in warnings)
    assert is_laid_out == (kind in ("docx", "xlsx", "pptx", "rtf")), "what is not as its program has it is told"


def test_forty_mixed_files_become_one_bundle_in_order(tmp_path: Path) -> None:
    kinds = ("pdf", "docx", "png", "xlsx", "rtf", "pptx", "html", "txt", "csv", "md")
    files = [document(tmp_path / f"{n} paper.{kinds[n % 10]}", f"Word{n}") for n in range(1, 41)]
    made = done("pdf-merge", tmp_path, *files)
    whole = " ".join(words(made))
    at = [whole.index(f"Word{n}") for n in range(1, 41) if kinds[n % 10] != "png"]
    assert at == sorted(at)


def test_what_a_warning_says_is_said_of_the_file_that_it_is_about(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["=1+1"])
    book.save(tmp_path / "sums.xlsx")
    with report.collected() as warnings:
        done("pdf-merge", tmp_path, paper(tmp_path / "first.pdf", "one"), tmp_path / "sums.xlsx")
    assert any("sums.xlsx" in text and "Formulas" in text for text in warnings)
    assert not any("first.pdf" in text for text in warnings)


def test_an_office_file_is_inserted_and_links_of_the_target_stay(tmp_path: Path) -> None:
    target = with_link(paper(tmp_path / "target.pdf", "one", "two"), 0, 1)
    added = document(tmp_path / "added.docx", "Leith")
    made = done("pdf-insert", tmp_path, target, added, actionType="FROM_PDF", index=2)
    assert [text.split()[0] for text in words(made)] == ["one", "Leith", "two"]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("torn.docx", b"PK\x03\x04torn", "02207"),
        ("torn.pptx", b"PK\x05\x06" + bytes(18), "02207"),
    ],
)
def test_what_cannot_be_printed_is_refused_by_name(name: str, content: bytes, code: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    first = paper(tmp_path / "first.pdf", "one")
    with pytest.raises(Refused) as refused:
        implementation("pdf-merge").run(work("pdf-merge", tmp_path, first, tmp_path / name))
    assert refused.value.code == code
    assert name in refused.value.reason
