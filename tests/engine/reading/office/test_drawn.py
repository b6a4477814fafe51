"""Charts, diagrams, ink, objects and fields of office files are read, or a warning names where they stand."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import openpyxl
import PIL.Image
import pptx
import pytest
import xlsxwriter
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl.chart import ScatterChart
from openpyxl.chart.reference import Reference
from openpyxl.chart.series_factory import SeriesFactory
from pptx.chart.data import BubbleChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml as parse_slide_xml
from pptx.util import Inches

from tests.engine.reading.office.parsing import parsed, rewritten, words

_MARKUP = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_NEWER_CHART = "http://schemas.microsoft.com/office/drawing/2014/chartex"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _picture() -> io.BytesIO:
    file = io.BytesIO()
    PIL.Image.new("RGB", (40, 30), "red").save(file, "png")
    file.seek(0)
    return file


def _chart(folder: Path, kind: XL_CHART_TYPE, data: XyChartData | BubbleChartData) -> Path:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_chart(kind, 0, 0, Inches(4), Inches(3), data)
    deck.save(str(folder / "a.pptx"))
    return folder / "a.pptx"


def test_series_with_places_of_their_own_keep_them(tmp_path: Path) -> None:
    data = XyChartData()
    for name, points in (("Leith", ((1, 10), (2, 20))), ("Kiel", ((5, 50), (7, 70)))):
        series = data.add_series(name)
        for point in points:
            series.add_data_point(*point)
    said = words(parsed(_chart(tmp_path, XL_CHART_TYPE.XY_SCATTER, data)).text)
    assert said == "Leith 1 10 2 20 Kiel 5 50 7 70"


def test_bubbles_keep_their_sizes(tmp_path: Path) -> None:
    data = BubbleChartData()
    data.add_series("Leith").add_data_point(1, 10, 330)
    assert words(parsed(_chart(tmp_path, XL_CHART_TYPE.BUBBLE, data)).text) == "Leith Leith 1 10 330"


def _word_chart(path: Path, content: str) -> Path:
    made = docx.Document()
    part = Part(PackURI("/word/charts/chart1.xml"), "application/xml", content.encode(), made.part.package)
    relation = made.part.relate_to(part, f"{_RELATIONS}/chart")
    space = nsdecls("w", "wp", "a", "r")
    graphic = f'<a:graphicData uri="{_CHART}"><c:chart xmlns:c="{_CHART}" r:id="{relation}"/></a:graphicData>'
    drawing = f"<w:drawing {space}><wp:inline><a:graphic>{graphic}</a:graphic></wp:inline></w:drawing>"
    made.add_paragraph("brick").add_run()._r.append(parse_xml(drawing))
    made.save(str(path))
    return path


def test_titles_from_cells_and_words_at_values_are_read(tmp_path: Path) -> None:
    cached = "<c:strRef><c:f>A!$A$1</c:f><c:strCache><c:pt idx='0'><c:v>{}</c:v></c:pt></c:strCache></c:strRef>"
    label = "<c:dLbl><c:idx val='0'/><c:tx><c:rich><a:p><a:r><a:t>a record</a:t></a:r></a:p></c:rich></c:tx></c:dLbl>"
    values = "<c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val>"
    series = f"<c:ser><c:tx>{cached.format('Kiel')}</c:tx><c:dLbls>{label}</c:dLbls>{values}</c:ser>"
    root = (
        f'<c:chartSpace xmlns:c="{_CHART}" {nsdecls("a", "r")}><c:chart><c:title><c:tx>{cached.format("Ships")}</c:tx>'
    )
    chart = f"{root}</c:title><c:plotArea>{series}</c:plotArea></c:chart>{{}}</c:chartSpace>"
    found = parsed(_word_chart(tmp_path / "a.docx", chart.format("")))
    assert sorted(words(found.text).split()) == sorted(["brick", "Ships", "a", "record", "Kiel", "7"])
    assert found.warnings == []
    drawn_upon = parsed(_word_chart(tmp_path / "b.docx", chart.format('<c:userShapes r:id="rId1"/>')))
    assert ["which are not read" in warning for warning in drawn_upon.warnings] == [True]


def test_a_chart_of_cells_that_are_not_read_has_its_values(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet, hidden = book.add_worksheet("Ships"), book.add_worksheet("It's hidden")
        sheet.write(0, 0, "brick")
        hidden.write_row(0, 0, ["Kiel", 4711])
        hidden.hide()
        chart = book.add_chart({"type": "bar"})
        chart.add_series({"categories": "='It''s hidden'!$A$1", "values": "='It''s hidden'!$B$1"})
        sheet.insert_chart(9, 1, chart)
    assert words(parsed(tmp_path / "a.xlsx").text) == "# Ships brick Kiel 4711"


def test_a_chart_that_keeps_nothing_of_cells_that_are_not_read_is_told(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    shown, hidden = book.worksheets[0], book.create_sheet("Data")
    shown.append(["brick"])
    hidden.append(["Kiel", 4711])
    hidden.sheet_state = "hidden"
    chart = ScatterChart()
    place = Reference(hidden, min_col=2, min_row=1, max_row=1)
    chart.series.append(SeriesFactory(place, place))
    shown.add_chart(chart, "B9")
    book.save(tmp_path / "a.xlsx")
    assert ["which are not read" in warning for warning in parsed(tmp_path / "a.xlsx").warnings] == [True]


def test_names_of_parts_that_differ_in_case_alone_are_one(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet("Ships")
        sheet.write(0, 0, "brick")
        sheet.insert_textbox(9, 1, "in port")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as given, zipfile.ZipFile(tmp_path / "b.xlsx", "w") as made:
        for name in given.namelist():
            made.writestr(name.replace("_rels/sheet1", "_rels/Sheet1"), given.read(name))
    assert words(parsed(tmp_path / "b.xlsx").text) == "# Ships brick in port"


def test_charts_alone_on_a_sheet_say_no_cell_twice(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["x", 4711])
    chart = ScatterChart()
    chart.title = "Ships in port"
    place = Reference(sheet, min_col=2, min_row=1, max_row=1)
    chart.series.append(SeriesFactory(place, place))
    book.create_chartsheet("Chart").add_chart(chart)
    book.save(tmp_path / "a.xlsx")
    said = words(parsed(tmp_path / "a.xlsx").text)
    assert "Ships in port" in said
    assert said.count("4711") == 1


def _beside(choice: str, fallback: str) -> str:
    return (
        f'<mc:AlternateContent {_MARKUP} {nsdecls("w", "wp", "a", "r")}><mc:Choice Requires="wpi">{choice}</mc:Choice>'
        f"<mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>"
    )


def _blip(relation: str) -> str:
    return f'<w:drawing><wp:inline><a:blip r:embed="{relation}"/></wp:inline></w:drawing>'


_INK = '<w14:contentPart xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" r:id="rId99"/>'


@pytest.mark.parametrize(
    ("choice", "fallback", "pictures", "told"),
    [
        (_INK, "{}", 1, 0),
        (_INK, "", 0, 1),
        (f'<cx:chart xmlns:cx="{_NEWER_CHART}" r:id="rId99"/>', "{}", 1, 1),
        (f'<cx:chart xmlns:cx="{_NEWER_CHART}" r:id="rId99"/>', "", 0, 1),
        ("{}", "{}", 1, 0),
        ('<o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="Excel.Sheet.12"/>', "", 0, 1),
    ],
)
def test_what_newer_programs_draw_in_word_is_its_picture_or_told(
    choice: str, fallback: str, pictures: int, told: int, tmp_path: Path
) -> None:
    made = docx.Document()
    run = made.add_paragraph("brick").add_run()
    relation, _image = made.part.get_or_add_image(_picture())
    run._r.append(parse_xml(_beside(choice.format(_blip(relation)), fallback.format(_blip(relation)))))
    made.save(str(tmp_path / "a.docx"))
    found = parsed(tmp_path / "a.docx")
    assert found.text.count("](images/") == pictures
    assert ["a.docx has" in warning for warning in found.warnings] == [True] * told


@pytest.mark.parametrize("has_picture", [True, False])
def test_ink_on_a_slide_is_its_picture_or_told_with_its_slide(has_picture: bool, tmp_path: Path) -> None:
    deck = pptx.Presentation()
    for text in ("brick", "wood"):
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        slide.shapes.add_textbox(0, 0, Inches(4), Inches(1)).text_frame.text = text
    shape = slide.shapes.add_picture(_picture(), 0, 0)._element
    if not has_picture:
        for blip in list(shape.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}blip")):
            blip.getparent().remove(blip)
    either = parse_slide_xml(
        f'<mc:AlternateContent {_MARKUP}><mc:Choice Requires="p14"><p:contentPart {nsdecls("r")} '
        'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" r:id="rId99"/></mc:Choice>'
        "<mc:Fallback/></mc:AlternateContent>"
    )
    either[1].append(shape)
    slide.shapes._spTree.append(either)
    deck.save(str(tmp_path / "a.pptx"))
    found = parsed(tmp_path / "a.pptx")
    assert ("](images/" in found.text) is has_picture
    assert ["slide 2" in warning for warning in found.warnings] == [True] * (not has_picture)


def _control(kind: str, label: str, more: str = "") -> str:
    return (
        f'<v:shape id="a"><v:textbox><div>{label}</div></v:textbox><x:ClientData ObjectType="{kind}">{more}'
        "</x:ClientData></v:shape>"
    )


@pytest.mark.parametrize(
    ("controls", "said", "told"),
    [
        (_control("Checkbox", "paid<br>", "<x:Checked>1</x:Checked>"), "☒ paid", 0),
        (_control("Checkbox", "sent", "<x:Checked>0</x:Checked>") + _control("Checkbox", "lost"), "☐ sent ☐ lost", 0),
        (_control("Radio", "card", "<x:Checked>1</x:Checked>") + _control("Radio", "cash"), "● card ○ cash", 0),
        (_control("Label", "Not <b>audited</b>"), "Not audited", 0),
        (_control("Note", "a comment"), "", 0),
        (_control("Drop", "", "<x:Sel>2</x:Sel>"), "", 1),
    ],
)
def test_fields_on_a_sheet_are_read_or_told(controls: str, said: str, told: int, tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet("Ships")
        sheet.write(0, 0, "brick")
        sheet.insert_button("B3", {"caption": "Go"})
    space = 'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel"'
    drawing = f"<xml {space}>{controls}</xml>".encode()
    rewritten(tmp_path / "a.xlsx", lambda name, content: drawing if name.endswith(".vml") else content)
    found = parsed(tmp_path / "a.xlsx")
    assert " ".join(words(found.text).replace("- ", "").split()) == f"# Ships brick {said}".strip()
    assert ["(Ships)" in warning for warning in found.warnings] == [True] * told
