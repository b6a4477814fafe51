"""What office files state: numbers of lists and slides, formulas, readings, contents lists, pictures."""

from __future__ import annotations

import datetime
import io
from pathlib import Path

import docx
import openpyxl
import PIL.Image
import pptx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl.drawing.image import Image as SheetImage
from pptx.oxml import parse_xml as parse_slide_xml
from pptx.oxml.ns import nsdecls as slide_decls
from pptx.util import Inches

from paperchute.engine.reading.office.number_formats import shown
from tests.engine.reading.office.parsing import parsed, words
from tests.engine.reading.office.test_word import numbered


def levels_with(document: object, level: int, more: str) -> None:
    """Add properties to a level of the list that `numbered` made."""
    root = document.part.numbering_part.element  # type: ignore[attr-defined]
    for found in root.iter("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}lvl"):
        abstract = found.getparent().get("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}abstractNumId")
        if abstract == "90" and found.get(f"{{{found.nsmap['w']}}}ilvl") == str(level):
            found.insert(2, parse_xml(f"<w:{more} {nsdecls('w')}/>"))


@pytest.mark.parametrize(
    ("restart", "expected"), [("1", ["(a)", "(b)", "(a)"]), ("2", ["(a)", "(a)", "(a)"]), ("0", ["(a)", "(b)", "(c)"])]
)
def test_a_level_begins_anew_behind_the_level_that_it_names(restart: str, expected: list[str], tmp_path: Path) -> None:
    texts = [(0, "A"), (1, "s"), (2, "x"), (1, "s"), (2, "x"), (0, "B"), (1, "s"), (2, "x")]
    made = numbered(
        ("upperRoman", "Article %1"), ("decimalZero", "Section %1.%2"), ("lowerLetter", "(%3)"), texts=texts
    )
    levels_with(made, 2, f'lvlRestart w:val="{restart}"')
    levels_with(made, 1, "isLgl")
    made.save(str(tmp_path / "a.docx"))
    said = words(parsed(tmp_path / "a.docx").text)
    assert [word for word in said.split() if word.startswith("(")] == expected
    assert "Section 1.01 s" in said
    assert "Section 2.01 s" in said


def test_bullets_keep_their_signs(tmp_path: Path) -> None:
    numbered(("bullet", "✓"), texts=[(0, "done")]).save(str(tmp_path / "a.docx"))
    assert '"text": "✓ done"' in parsed(tmp_path / "a.docx").record


def test_readings_of_word_stand_behind_their_text(tmp_path: Path) -> None:
    made = docx.Document()
    run = "<w:r><w:t>{}</w:t></w:r>"
    ruby = f"<w:ruby><w:rt>{run.format('とうきょう')}</w:rt><w:rubyBase>{run.format('東京')}</w:rubyBase></w:ruby>"
    made.element.body.insert(0, parse_xml(f"<w:p {nsdecls('w')}><w:r>{ruby}</w:r>{run.format('タワー')}</w:p>"))
    made.save(str(tmp_path / "a.docx"))
    assert parsed(tmp_path / "a.docx").text == "東京(とうきょう)タワー\n"


def test_a_displayed_formula_of_word_is_latex(tmp_path: Path) -> None:
    space = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    half = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    made = docx.Document()
    made.element.body.insert(
        0, parse_xml(f"<w:p {nsdecls('w')} {space}><m:oMathPara><m:oMath>{half}</m:oMath></m:oMathPara></w:p>")
    )
    made.save(str(tmp_path / "a.docx"))
    assert parsed(tmp_path / "a.docx").text == "$$\n\\frac{a}{2}\n$$\n"


def test_a_contents_list_keeps_its_tabs_and_lines(tmp_path: Path) -> None:
    made = docx.Document()
    made.styles.add_style("toc 1", 1)
    for text in ("1 Scope\t3", "2 Goods\t5", "3 Price\t12"):
        made.add_paragraph(text, "toc 1")
    made.add_paragraph("Text.")
    made.save(str(tmp_path / "a.docx"))
    assert parsed(tmp_path / "a.docx").text == "1 Scope\t3  \n2 Goods\t5  \n3 Price\t12\n\nText.\n"


def test_tables_within_tables_stay_tables(tmp_path: Path) -> None:
    made = docx.Document()
    outer = made.add_table(1, 2)
    outer.cell(0, 0).text = "label"
    inner = outer.cell(0, 1).add_table(2, 2)
    for cell, text in zip(inner._cells, "abcd", strict=True):
        cell.text = text
    made.save(str(tmp_path / "a.docx"))
    said = parsed(tmp_path / "a.docx").text.replace("\n", "")
    assert '<td rowspan="2">label</td><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td>' in said


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (['type="arabicPeriod"', 'type="arabicPeriod"'], "1. x 2. x"),
        (['type="alphaLcParenR"', 'type="alphaLcParenBoth"'], "- a) x - (a) x"),
        (['type="arabicPeriod"', 'type="arabicPeriod" startAt="5"'], "1. x 5. x"),
        (['type="romanUcPeriod" startAt="4"', 'type="romanUcPeriod" startAt="4"'], "- IV. x - V. x"),
    ],
)
def test_slides_count_as_they_say(numbers: list[str], expected: str, tmp_path: Path) -> None:
    deck = pptx.Presentation()
    frame = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, Inches(4), Inches(1)).text_frame
    for number, scheme in enumerate(numbers):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.text = "x"
        paragraph._p.get_or_add_pPr().append(parse_slide_xml(f"<a:buAutoNum {slide_decls('a')} {scheme}/>"))
    deck.save(str(tmp_path / "a.pptx"))
    assert words(parsed(tmp_path / "a.pptx").text) == expected


def test_an_object_of_a_slide_is_its_picture_or_told(tmp_path: Path) -> None:
    picture = io.BytesIO()
    PIL.Image.new("RGB", (40, 30), "red").save(picture, "png")
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    sheet = io.BytesIO(b"not read")
    slide.shapes.add_ole_object(sheet, "Excel.Sheet.12", 0, 0, Inches(2), Inches(1), icon_file=picture)
    deck.save(str(tmp_path / "a.pptx"))
    assert "![](images/" in parsed(tmp_path / "a.pptx").text
    frame = slide.shapes[-1]._element
    for blip in list(frame.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}blip")):
        blip.getparent().remove(blip)
    deck.save(str(tmp_path / "b.pptx"))
    (warning, *_) = parsed(tmp_path / "b.pptx").warnings
    assert "which are not read" in warning


def test_a_picture_in_an_unknown_format_is_told(tmp_path: Path) -> None:
    made = docx.Document()
    picture = io.BytesIO()
    PIL.Image.new("RGB", (40, 30), "red").save(picture, "png")
    picture.seek(0)
    made.add_picture(picture)
    for part in made.part.related_parts.values():
        if part.content_type == "image/png":
            part._content_type = "image/x-emf"
    made.save(str(tmp_path / "a.docx"))
    (warning, *_) = parsed(tmp_path / "a.docx").warnings
    assert warning.startswith("1 picture of a.docx is in a format that is not read here")


def test_pictures_of_a_sheet_are_read(tmp_path: Path) -> None:
    PIL.Image.new("RGB", (40, 30), "red").save(tmp_path / "p.png")
    book = openpyxl.Workbook()
    book.worksheets[0]["A1"] = "brick"
    book.worksheets[0].add_image(SheetImage(tmp_path / "p.png"), "C3")
    book.save(tmp_path / "a.xlsx")
    assert "![](images/" in parsed(tmp_path / "a.xlsx").text


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        ("abc", "0;0;0;<@>", "<abc>"),
        ("abc", '@" pieces"', "abc pieces"),
        ("abc", "General", "abc"),
        ("abc", ";;;", "abc"),
        (datetime.time(15, 5), "h:mm AM/PM", "3:05 PM"),
        (datetime.time(0, 5), "h:mm am/pm", "12:05 AM"),
        (datetime.datetime(2026, 3, 1, 12, 0, 7), "d/m/yyyy h:mm:ss AM/PM", "2026-03-01 12:00:07 PM"),
        (datetime.timedelta(minutes=90, seconds=5), "[m]:ss", "90:05"),
        (datetime.timedelta(minutes=1), "[ss]", "60"),
        (datetime.timedelta(hours=30), "[h]:mm", "30:00:00"),
    ],
)
def test_formats_of_texts_and_times(value: object, form: str, text: str) -> None:
    assert shown(value, form) == text
