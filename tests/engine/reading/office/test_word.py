"""Word documents: what people see on their pages is in the result."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.section import WD_SECTION
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from tests.engine.reading.office.parsing import parsed, rewritten, words

_LEVELS = (("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"))


def numbered(*levels: tuple[str, str], texts: list[tuple[int, str]], style: str = "Normal", more: str = "") -> Any:
    """A document whose paragraphs (level, text) belong to one list."""
    made = docx.Document()
    root = made.part.numbering_part.element
    own = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (form, text) in enumerate(levels)
    )
    root.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="90">{own}</w:abstractNum>'))
    for number, override in ((90, ""), (91, more)):
        root.append(
            parse_xml(f'<w:num {nsdecls("w")} w:numId="{number}"><w:abstractNumId w:val="90"/>{override}</w:num>')
        )
    for level, text in texts:
        paragraph = made.add_paragraph(text.lstrip("*"), style=style)
        number = 91 if text.startswith("*") else 90
        paragraph._p.get_or_add_pPr().append(
            parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')
        )
    return made


def test_paragraphs_have_the_numbers_that_word_prints(tmp_path: Path) -> None:
    texts = [(0, "Scope"), (1, "Goods"), (2, "bricks"), (2, "timber"), (1, "Services"), (2, "masonry"), (0, "Price")]
    numbered(*_LEVELS, texts=texts).save(str(tmp_path / "a.docx"))
    said = words(parsed(tmp_path / "a.docx").text.replace("- ", ""))
    for item in ("1. Scope", "1.1 Goods", "(a) bricks", "(b) timber", "1.2 Services", "(a) masonry", "2. Price"):
        assert item in said


def test_headings_keep_their_numbers(tmp_path: Path) -> None:
    made = numbered(("upperRoman", "Article %1"), texts=[(0, "Scope"), (0, "Price")], style="Heading 1")
    for paragraph in list(made.paragraphs):
        paragraph._p.addnext(made.add_paragraph("The quays of the old harbour are of brick.")._p)
    made.save(str(tmp_path / "a.docx"))
    found = parsed(tmp_path / "a.docx").text
    assert "# Article I Scope\n" in found
    assert "# Article II Price\n" in found


def test_what_counts_in_the_text_numbers_no_lines(tmp_path: Path) -> None:
    made = docx.Document()
    for number in range(100, 160):
        made.add_paragraph(f"quay {number}")
    made.save(str(tmp_path / "a.docx"))
    assert "quay 159" in parsed(tmp_path / "a.docx").text


def test_lists_of_one_kind_go_on_unless_they_say_otherwise(tmp_path: Path) -> None:
    texts = [(0, "one"), (0, "two"), (0, "*three"), (0, "*four")]
    numbered(("decimal", "No. %1"), texts=texts).save(str(tmp_path / "a.docx"))
    assert "No. 4 four" in words(parsed(tmp_path / "a.docx").text)
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'
    numbered(("decimal", "No. %1"), texts=texts, more=override).save(str(tmp_path / "b.docx"))
    assert "No. 7 three" in (said := words(parsed(tmp_path / "b.docx").text))
    assert "No. 8 four" in said


def test_a_style_of_its_own_counts(tmp_path: Path) -> None:
    made = numbered(("decimal", "§ %1"), texts=[])
    style = made.styles.add_style("Clause", 1)
    style.element.get_or_add_pPr().append(parse_xml(f'<w:numPr {nsdecls("w")}><w:numId w:val="90"/></w:numPr>'))
    based = made.styles.add_style("Clause of the buyer", 1)
    based.base_style = style
    made.add_paragraph("Goods", style="Clause")
    made.add_paragraph("Price", style="Clause of the buyer")
    made.save(str(tmp_path / "a.docx"))
    assert "§ 2 Price" in words(parsed(tmp_path / "a.docx").text)


def test_heads_and_feet_are_read_once_where_their_section_begins_and_ends(tmp_path: Path) -> None:
    made = docx.Document()
    made.sections[0].different_first_page_header_footer = True
    made.sections[0].first_page_header.paragraphs[0].text = "Harbour office, Leith"
    made.sections[0].header.paragraphs[0].text = "Survey of quays"
    made.sections[0].footer.paragraphs[0].text = "Bank: 12345678"
    made.sections[0].even_page_header.paragraphs[0].text = "not on any page"
    made.add_paragraph("brick")
    made.add_section(WD_SECTION.NEW_PAGE)
    made.sections[1].header.is_linked_to_previous = False
    made.sections[1].header.paragraphs[0].text = "Annex"
    made.sections[1].footer.is_linked_to_previous = False
    made.sections[1].footer.paragraphs[0].text = "Bank: 12345678"
    made.add_paragraph("timber")
    made.save(str(tmp_path / "a.docx"))
    found = parsed(tmp_path / "a.docx")
    assert words(found.text) == "Harbour office, Leith Survey of quays brick Bank: 12345678 Annex timber"
    assert (found.warnings, found.notes) == ([], [])


def test_what_only_counts_pages_is_no_foot(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("brick")
    field = f'<w:fldSimple {nsdecls("w")} w:instr="PAGE"><w:r><w:t>12</w:t></w:r></w:fldSimple>'
    made.sections[0].footer.paragraphs[0]._p.append(parse_xml(field))
    made.save(str(tmp_path / "a.docx"))
    assert words(parsed(tmp_path / "a.docx").text) == "brick"


def run_of(*pieces: str) -> Any:
    """A document with a paragraph of runs as they stand in the file."""
    made = docx.Document()
    space = (
        'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    )
    body = "".join(f"<w:r><w:t xml:space='preserve'>{p}</w:t></w:r>" if "<" not in p else p for p in pieces)
    made.element.body.insert(0, parse_xml(f"<w:p {nsdecls('w')} {space}>{body}</w:p>"))
    return made


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', "☑"),
        ('<w:r><w:sym w:font="Symbol" w:char="F06D"/></w:r>', "μ"),
        ('<w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>m \uf067</w:t></w:r>', "μ γ"),
        ('<w:r><w:rPr><w:rFonts w:ascii="Arial"/></w:rPr><w:t>m</w:t></w:r>', "m"),
        ('<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>'
         '</w:ffData></w:fldChar></w:r>', "☒"),
        ('<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData>'
         '</w:fldChar></w:r>', "☐"),
        ('<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/>'
         '<w:listEntry w:val="yes"/></w:ddList></w:ffData></w:fldChar></w:r>', "yes"),
        ('<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>', "DRAFT"),
        ('<w:r><w:t>a</w:t><w:ptab w:relativeTo="margin" w:alignment="right" w:leader="none"/><w:t>b</w:t></w:r>',
         "a b"),
        ('<w:moveFrom w:id="1" w:author="a"><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:moveTo w:id="2" w:author="a">'
         '<w:r><w:t>here</w:t></w:r></w:moveTo>', "here"),
    ],
)  # fmt: skip
def test_signs_fields_and_moves(piece: str, shown: str, tmp_path: Path) -> None:
    run_of("from ", piece, " to").save(str(tmp_path / "a.docx"))
    assert words(parsed(tmp_path / "a.docx").text) == f"from {shown} to"


def test_hidden_and_deleted_text_is_told(tmp_path: Path) -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>nobody sees it</w:t></w:r>"
    gone = '<w:del w:id="1" w:author="a"><w:r><w:delText>nothing of it</w:delText></w:r></w:del>'
    run_of("brick", hidden, gone).save(str(tmp_path / "a.docx"))
    found = parsed(tmp_path / "a.docx")
    assert words(found.text) == "brick"
    assert found.notes == ["Left out of a.docx: hidden text, deleted text."]


def test_paragraphs_within_other_marks_are_read(tmp_path: Path) -> None:
    made = docx.Document()
    inner = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    made.element.body.insert(
        0, parse_xml(f'<w:customXml {nsdecls("w")} w:element="a">{inner.format("brick")}</w:customXml>')
    )
    made.element.body.insert(1, parse_xml(f'<w:altChunk {nsdecls("w", "r")} r:id="rId99"/>'))
    made.save(str(tmp_path / "a.docx"))
    found = parsed(tmp_path / "a.docx")
    assert words(found.text) == "brick"
    assert found.warnings == ["a.docx has documents of another format in its text, which are not read."]


def test_rows_that_begin_further_right_stay_there(tmp_path: Path) -> None:
    made = docx.Document()
    grid = made.add_table(2, 3, style="Table Grid")
    for cell, text in zip(grid._cells, ("Port", "In", "Out", "", "11", "12"), strict=True):
        cell.text = text
    row = grid.rows[1]._tr
    row.remove(row.tc_lst[0])
    row.get_or_add_trPr().append(parse_xml(f'<w:gridBefore {nsdecls("w")} w:val="1"/>'))
    made.save(str(tmp_path / "a.docx"))
    assert "<td></td><td>11</td><td>12</td>" in parsed(tmp_path / "a.docx").text.replace("\n", "")


def test_thousands_of_styles_cost_no_time(tmp_path: Path) -> None:
    made = docx.Document()
    style = '<w:style {} w:type="paragraph" w:styleId="s{}"><w:name w:val="s{}"/></w:style>'
    for number in range(2_000):
        made.styles.element.append(parse_xml(style.format(nsdecls("w"), number, number)))
    for number in range(300):
        made.add_paragraph(f"quay {number}")._p.get_or_add_pPr().append(
            parse_xml(f'<w:pStyle {nsdecls("w")} w:val="s1999"/>')
        )
    made.save(str(tmp_path / "a.docx"))
    began = time.process_time()
    assert "quay 299" in parsed(tmp_path / "a.docx").text
    assert time.process_time() - began < 8


def test_templates_and_files_with_macros_are_read(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("brick")
    made.save(str(tmp_path / "a.docx"))
    plain = b"vnd.openxmlformats-officedocument.wordprocessingml.document.main"
    rewritten(tmp_path / "a.docx", lambda _, content: content.replace(plain, b"vnd.ms-word.document.macroEnabled.main"))
    assert words(parsed(tmp_path / "a.docx").text) == "brick"


def test_strict_files_are_read(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_heading("Survey", 1)
    made.add_paragraph("brick")
    made.save(str(tmp_path / "a.docx"))

    def strict(_: str, content: bytes) -> bytes:
        for room in (b"wordprocessingml", b"officeDocument", b"drawingml"):
            old, new = (b"http://schemas.openxmlformats.org/%s/2006/", b"http://purl.oclc.org/ooxml/%s/")
            content = content.replace(old % room, new % room)
        return content

    rewritten(tmp_path / "a.docx", strict)
    assert parsed(tmp_path / "a.docx").text.strip() == "# Survey\n\nbrick"


def test_a_part_that_is_missing_is_told_and_the_rest_read(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("brick")
    made.sections[0].header.paragraphs[0].text = "Harbour office"
    made.save(str(tmp_path / "a.docx"))
    rewritten(tmp_path / "a.docx", lambda name, content: None if name == "word/header1.xml" else content)
    found = parsed(tmp_path / "a.docx")
    assert words(found.text) == "brick"
    assert found.warnings == ["a.docx is incomplete. Missing, with all that they held: word/header1.xml."]
