"""Office files and texts: what document-parsing and document-extract read beside PDFs and pictures."""

from __future__ import annotations

import datetime
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docx
import openpyxl
import PIL.Image
import pptx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pptx.util import Inches

from paperchute.contract import kind_of
from paperchute.engine.checks.reading import check_extraction, check_parsing, check_reading
from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block, Page
from paperchute.engine.operations import document_extract, document_parsing
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Refused, Source, Work

LINE = "The survey of the northern harbours showed that most quays had been rebuilt in brick."


@contextmanager
def _work(path: Path, operation: str = "document-parsing", **parameters: Any) -> Iterator[Work]:
    folder = path.with_name("out")
    folder.mkdir(exist_ok=True)
    stored = folder / "0"  # without a suffix, as the files of a task are
    stored.write_bytes(path.read_bytes())
    yield Work(operation, (Source("file", stored, path.name, kind_of(path)),), parameters, folder)


def pages_of(path: Path) -> list[Page]:
    with _work(path) as work:
        check_parsing(work)
        with document_of(work) as document:
            return list(document.pages)


def blocks_of(path: Path) -> list[Block]:
    return [block for page in pages_of(path) for block in page.blocks if block.kind != "number"]


def cells(block: Block) -> dict[tuple[int, int], str]:
    assert block.table is not None
    return {(c.row, c.column): flowed_text(c.lines) for c in block.table.cells}


def _picture() -> io.BytesIO:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (120, 80), "red").save(buffer, "png")
    buffer.seek(0)
    return buffer


def test_a_word_document_keeps_headings_lists_tables_and_pictures(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_heading("Harbour survey", 1)
    made.add_paragraph(LINE)
    made.add_heading("Quays", 2)
    for text, style in (("brick", "List Bullet"), ("of the north", "List Bullet 2"), ("timber", "List Bullet")):
        made.add_paragraph(text, style)
    for text in ("first", "second"):
        made.add_paragraph(text, "List Number")
    grid = made.add_table(3, 3, "Table Grid")
    for row, texts in enumerate((("Port", "Ships", ""), ("Kiel", "11", "4"), ("Oslo", "", "7"))):
        for column, text in enumerate(texts):
            grid.cell(row, column).text = text
    grid.cell(0, 1).merge(grid.cell(0, 2))
    made.add_paragraph("After the table.")
    made.add_picture(_picture())
    made.save(str(tmp_path / "a.docx"))
    found = blocks_of(tmp_path / "a.docx")
    assert [(b.kind, b.level) for b in found] == [
        ("doc_title", 1), ("text", 0), ("paragraph_title", 2), ("list", 0), ("table", 0), ("text", 0), ("image", 0),
    ]  # fmt: skip
    assert [(i.level, flowed_text(i.lines)) for i in found[3].items] == [
        (0, "brick"), (1, "of the north"), (0, "timber"), (0, "first"), (0, "second"),
    ]  # fmt: skip
    assert [i.marker for i in found[3].items[-2:]] == ["1.", "2."]
    table = found[4].table
    assert table is not None
    assert [c.column_span for c in table.cells if c.row == 0] == [1, 2]
    assert cells(found[4])[2, 2] == "7"


def test_links_footnotes_and_deleted_words_of_a_word_document(tmp_path: Path) -> None:
    made = docx.Document()
    paragraph = made.add_paragraph("See ")
    link = OxmlElement("w:hyperlink")
    link.set(
        qn("r:id"),
        made.part.relate_to("https://example.org/survey", RELATIONSHIP_TYPE.HYPERLINK, True),
    )
    run = OxmlElement("w:r")
    text = OxmlElement("w:t")
    text.text = "the site"
    run.append(text)
    link.append(run)
    paragraph._p.append(link)
    gone = OxmlElement("w:del")
    struck = OxmlElement("w:r")
    words = OxmlElement("w:delText")
    words.text = "nothing of this"
    struck.append(words)
    gone.append(struck)
    paragraph._p.append(gone)
    paragraph.add_run(" of the harbour office.")
    made.save(str(tmp_path / "a.docx"))
    (block,) = blocks_of(tmp_path / "a.docx")
    assert block.text == "See the site of the harbour office."
    assert [span.link for span in block.lines[0].spans if "site" in span.text] == ["https://example.org/survey"]


def test_a_workbook_has_a_page_and_a_table_for_each_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    first = book.worksheets[0]
    first.title = "Ships"
    for row in (("Port", "In", None), ("Kiel", 11, 0.25), ("Oslo", datetime.date(2024, 5, 6), 12.5)):
        first.append(row)
    first["C2"].number_format = "0%"
    first.merge_cells("B1:C1")
    second = book.create_sheet("Cranes")
    second.append([f"Column {n}" for n in range(14)])
    second.append(list(range(14)))
    book.create_sheet("Hidden").sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    one, two = pages_of(tmp_path / "a.xlsx")
    assert [one.blocks[0].text, two.blocks[0].text] == ["Ships", "Cranes"]
    assert cells(one.blocks[1]) == {
        (0, 0): "Port", (0, 1): "In", (1, 0): "Kiel", (1, 1): "11", (1, 2): "25%",
        (2, 0): "Oslo", (2, 1): "2024-05-06", (2, 2): "12.5",
    }  # fmt: skip
    assert two.blocks[1].table is not None
    assert two.blocks[1].table.columns == 14


def test_slides_have_pages_titles_points_and_tables(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Harbour survey"
    body = slide.placeholders[1].text_frame
    body.text = "Quays of brick"
    for text, level in (("in the north", 1), ("Quays of timber", 0)):
        point = body.add_paragraph()
        point.text, point.level = text, level
    other = deck.slides.add_slide(deck.slide_layouts[5])
    other.shapes.title.text = "Figures"
    grid = other.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(5), Inches(1)).table
    for row, texts in enumerate((("Port", "Ships"), ("Kiel", "11"))):
        for column, text in enumerate(texts):
            grid.cell(row, column).text = text
    other.shapes.add_picture(_picture(), Inches(1), Inches(4))
    deck.save(str(tmp_path / "a.pptx"))
    one, two = pages_of(tmp_path / "a.pptx")
    assert one.blocks[0].text == "Harbour survey"
    assert one.blocks[0].level == 1
    assert [(i.level, flowed_text(i.lines)) for i in one.blocks[1].items] == [
        (0, "Quays of brick"), (1, "in the north"), (0, "Quays of timber"),
    ]  # fmt: skip
    assert [block.kind for block in two.blocks][1:] == ["table", "image"]
    assert cells(two.blocks[1])[1, 1] == "11"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.md",
            "# Harbour survey\n\nMost *quays* are of \\<b>brick\\</b>.\n\n| Port | Ships |\n|---|---|\n| Kiel | 11 |\n",
        ),
        (
            "a.html",
            "<h1>Harbour survey</h1><p>Most <i>quays</i> are of &lt;b&gt;brick&lt;/b&gt;.</p>"
            "<table border=1><tr><td>Port<td>Ships<tr><td>Kiel<td>11</table>",
        ),
    ],
)
def test_markdown_and_html(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    head, text, table = blocks_of(tmp_path / name)
    assert (head.text, head.level) == ("Harbour survey", 1)
    assert text.text == "Most quays are of <b>brick</b>."
    assert cells(table)[1, 0] == "Kiel"


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_csv_is_one_table(tmp_path: Path, sign: str) -> None:
    rows = [["Port", "Ships", "Remark"], ["Kiel", "11", 'of "brick"'], ["Oslo", "", "a & b"]]
    lines = [sign.join('"' + value.replace('"', '""') + '"' for value in row) for row in rows]
    (tmp_path / "a.csv").write_text("\n".join(lines), "utf-8-sig")
    (block,) = blocks_of(tmp_path / "a.csv")
    assert {k: v for k, v in cells(block).items() if v} == {
        (r, c): value for r, row in enumerate(rows) for c, value in enumerate(row) if value
    }


def test_plain_text_keeps_its_paragraphs(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{LINE}\n\n<script>alert(1)</script> is text & stays.\n", "utf-8")
    assert [block.text for block in blocks_of(tmp_path / "a.txt")] == [
        LINE,
        "<script>alert(1)</script> is text & stays.",
    ]


def test_the_result_says_what_it_was_made_of_and_selects_pages(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for name in ("One", "Two", "Three"):
        book.create_sheet(name).append([name, "x"])
    book.remove(book["Sheet"])
    book.save(tmp_path / "a.xlsx")
    with _work(tmp_path / "a.xlsx", pageRanges="2") as work:
        (result, *_) = document_parsing.run(work)
    parsed = json.loads(result.read_text("utf-8"))
    assert parsed["file_type"] == "XLSX"
    assert parsed["result"]["total_page_number"] == 3
    assert [page["page_id"] for page in parsed["result"]["pages"]] == [2]
    assert "Two" in parsed["result"]["markdown"]


def test_fields_are_found_in_an_office_file(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("Invoice number: 4711")
    made.save(str(tmp_path / "a.docx"))
    schema = json.dumps({"keys": ["Invoice number"]})
    with _work(tmp_path / "a.docx", "document-extract", extractFields=schema) as work:
        check_extraction(work)
        (found,) = document_extract.run(work)
    assert "4711" in found.read_text("utf-8")


@pytest.mark.parametrize("name", ["a.doc", "a.xls", "a.ppt"])
def test_old_office_files_are_refused_with_advice(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096))
    with _work(tmp_path / name) as work:
        source = Source("file", work.sources[0].path, name, name[2:])
        with pytest.raises(Refused, match=rf"Save it as \.{name[2:]}x first") as refused:
            check_parsing(Work(work.operation, (source,), {}, work.folder))
    assert refused.value.code == "02002"


def test_operations_on_pdfs_take_no_office_files(tmp_path: Path) -> None:
    docx.Document().save(str(tmp_path / "a.docx"))
    with _work(tmp_path / "a.docx", "pdf-to-markdown") as work, pytest.raises(Refused, match="not docx"):
        check_reading(work)


@pytest.mark.parametrize("kind", ["docx", "xlsx", "pptx"])
def test_a_damaged_office_file_is_told(tmp_path: Path, kind: str) -> None:
    folder = {"docx": "word", "xlsx": "xl", "pptx": "ppt"}[kind]
    with zipfile.ZipFile(tmp_path / f"a.{kind}", "w") as archive:
        archive.writestr(f"{folder}/nothing.xml", "<nothing")
        archive.writestr("[Content_Types].xml", "<Types")
    with pytest.raises(Refused, match="damaged") as refused:
        pages_of(tmp_path / f"a.{kind}")
    assert refused.value.code == "02207"


def test_what_unpacks_to_far_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("word/document.xml", "w") as part,
    ):
        for _ in range(420):
            part.write(bytes(1 << 20))
    with pytest.raises(Refused) as refused:
        pages_of(tmp_path / "a.docx")
    assert refused.value.code == "02209"


def test_what_stands_at_the_top_of_every_slide_is_no_running_head(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    for _ in range(4):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = "Agenda"
    deck.save(str(tmp_path / "a.pptx"))
    assert [(block.text, block.level) for block in blocks_of(tmp_path / "a.pptx")] == [("Agenda", 1)] * 4
