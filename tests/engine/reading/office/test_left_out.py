"""What office files say and their pages here do not show: read, or told."""

from __future__ import annotations

from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from openpyxl.comments import Comment
from pptx.util import Inches

from tests.engine.reading.office.parsing import parsed

_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def test_formulas_of_word_are_text(tmp_path: Path) -> None:
    made = docx.Document()
    half = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    formula = f"<m:oMath><m:r><m:t>y=</m:t></m:r>{half}</m:oMath>"
    made.element.body.insert(
        0,
        parse_xml(
            f'<w:p xmlns:w="{_MAIN}" xmlns:m="{_MATH}"><w:r><w:t xml:space="preserve">with </w:t></w:r>{formula}</w:p>'
        ),
    )
    made.save(str(tmp_path / "a.docx"))
    assert "with y=a/2" in parsed(tmp_path / "a.docx")[0]


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_notes_of_word_stand_at_the_end(kind: str, tmp_path: Path) -> None:
    made = docx.Document()
    run = made.add_paragraph("Brick").add_run()
    run._r.append(parse_xml(f'<w:{kind}Reference xmlns:w="{_MAIN}" w:id="2"/>'))
    text = f'<w:{kind} w:id="2"><w:p><w:r><w:t>fired in Leith</w:t></w:r></w:p></w:{kind}>'
    notes = f'<w:{kind}s xmlns:w="{_MAIN}">{text}</w:{kind}s>'.encode()
    part = Part(PackURI(f"/word/{kind}s.xml"), "application/xml", notes, made.part.package)
    made.part.relate_to(part, f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}s")
    made.save(str(tmp_path / "a.docx"))
    assert "fired in Leith" in parsed(tmp_path / "a.docx")[0]


def test_notes_of_slides_are_told(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_textbox(0, 0, Inches(4), Inches(1)).text_frame.text = "brick"
    frame = slide.notes_slide.notes_text_frame
    assert frame is not None
    frame.text = "say it slowly"
    deck.save(str(tmp_path / "a.pptx"))
    assert parsed(tmp_path / "a.pptx")[1:3] == ([], ["Left out of a.pptx: speaker notes."])


def test_comments_and_hidden_sheets_are_told(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet["A1"] = 7
    sheet["A1"].comment = Comment("check this", "a")
    book.create_sheet("Old").sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    assert parsed(tmp_path / "a.xlsx")[1:3] == ([], ["Left out of a.xlsx: comments, hidden sheets."])


def test_of_plain_files_nothing_is_said(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("brick")
    made.save(str(tmp_path / "a.docx"))
    assert parsed(tmp_path / "a.docx")[1:3] == ([], [])


def test_rows_of_word_that_were_taken_out_leave_no_empty_ones(tmp_path: Path) -> None:
    made = docx.Document()
    grid = made.add_table(3, 1)
    for row, text in zip(grid.rows, ("brick", "gone", "wood"), strict=True):
        row.cells[0].text = text
    grid.rows[1]._tr.get_or_add_trPr().append(parse_xml(f'<w:del xmlns:w="{_MAIN}" w:id="1" w:author="a"/>'))
    made.save(str(tmp_path / "a.docx"))
    found = parsed(tmp_path / "a.docx")
    assert "<td>brick</td></tr><tr><td>wood</td>" in found.text.replace("\n", "")
    assert found.notes == ["Left out of a.docx: deleted text."]
