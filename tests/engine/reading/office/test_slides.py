"""Slides: what people see on them is in the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls
from pptx.oxml.xmlchemy import serialize_for_reading
from pptx.util import Inches

from tests.engine.reading.office.parsing import parsed, rewritten, words


def deck_of(*texts: str) -> tuple[Any, Any]:
    """A deck of one blank slide, with a text box for each text."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for number, text in enumerate(texts):
        slide.shapes.add_textbox(Inches(1), Inches(1 + number), Inches(4), Inches(1)).text_frame.text = text
    return deck, slide


def test_fields_and_line_ends_are_text(tmp_path: Path) -> None:
    deck, slide = deck_of("dated ")
    paragraph = slide.shapes[0].text_frame.paragraphs[0]
    field = '<a:fld {} id="{{1}}" type="datetime"><a:rPr/><a:t>17 May 2024</a:t></a:fld>'
    paragraph._p.append(parse_xml(field.format(nsdecls("a"))))
    paragraph.add_line_break()
    paragraph.add_run().text = "Leith"
    deck.save(str(tmp_path / "a.pptx"))
    assert words(parsed(tmp_path / "a.pptx").text) == "dated 17 May 2024 Leith"


def test_fonts_of_signs_are_read_as_they_show(tmp_path: Path) -> None:
    """Slides have one font for letters, and another for what lies beyond, such as an arrow that was typed as ->."""
    deck, slide = deck_of("")
    paragraph = slide.shapes[0].text_frame.paragraphs[0]
    for text, kind, font in (
        ("5 ", "latin", "Arial"), ("m", "latin", "Symbol"), ("g ", "sym", "Symbol"), ("à", "sym", "Wingdings"),
        (" à la carte \uf06d", "latin", "Arial"), ("\uf06d", "sym", "Symbol"),
    ):  # fmt: skip
        run = paragraph.add_run()
        run.text = text
        run._r.get_or_add_rPr().append(parse_xml(f'<a:{kind} {nsdecls("a")} typeface="{font}"/>'))
    deck.save(str(tmp_path / "a.pptx"))
    assert words(parsed(tmp_path / "a.pptx").text) == "5 μg → à la carte mμ"


def test_a_group_is_read_where_it_stands(tmp_path: Path) -> None:
    deck, slide = deck_of("first", "second", "third")
    group = slide.shapes.add_group_shape([slide.shapes[1]])
    group.shapes.add_textbox(0, Inches(50), Inches(4), Inches(1)).text_frame.text = "within"
    group.shapes[0].top = Inches(40)  # places inside of a group are its own
    for point in group._element.grpSpPr.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}off"):
        point.set("y", str(Inches(1.5)))
    deck.save(str(tmp_path / "a.pptx"))
    assert words(parsed(tmp_path / "a.pptx").text) == "first second within third"


def test_shapes_of_newer_programs_are_read(tmp_path: Path) -> None:
    deck, slide = deck_of("old", "newer")
    shape = slide.shapes[1]._element
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    alternative = parse_xml(f'<mc:AlternateContent xmlns:mc="{space}"><mc:Choice Requires="a"/></mc:AlternateContent>')
    shape.getparent().replace(shape, alternative)
    alternative[0].append(shape)
    deck.save(str(tmp_path / "a.pptx"))
    assert words(parsed(tmp_path / "a.pptx").text) == "old newer"


def test_charts_are_tables_of_what_they_show(tmp_path: Path) -> None:
    deck, slide = deck_of()
    data = CategoryChartData(number_format="0.0")
    data.categories = ["Leith", "Kiel"]
    data.add_series("Ships", (11, 12.5))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, 0, 0, Inches(4), Inches(3), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Ships in port"
    deck.save(str(tmp_path / "a.pptx"))
    found = parsed(tmp_path / "a.pptx")
    assert words(found.text) == "Ships in port Ships Leith 11.0 Kiel 12.5"
    assert found.warnings == []


def test_diagrams_are_read_and_what_cannot_be_is_told(tmp_path: Path) -> None:
    deck, slide = deck_of("brick")
    main, room = (
        "http://schemas.openxmlformats.org/drawingml/2006/main",
        "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    )
    points = "".join(
        f'<dgm:pt type="{kind}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for kind, text in (("node", "Plan"), ("parTrans", "unseen"), ("node", "Build"))
    )
    data = f'<dgm:dataModel xmlns:dgm="{room}" xmlns:a="{main}"><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>'
    part = Part(PackURI("/ppt/diagrams/data1.xml"), "application/xml", slide.part.package, data.encode())
    relation = slide.part.relate_to(
        part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
    )
    frame = (
        f'<p:graphicFrame {nsdecls("p", "a", "r")}><p:nvGraphicFramePr><p:cNvPr id="{{}}" name="d"/>'
        "<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>"
        '<p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic>'
        f'<a:graphicData uri="{room}"><dgm:relIds xmlns:dgm="{room}" r:dm="{{}}"/></a:graphicData></a:graphic>'
        f"</p:graphicFrame>"
    )
    slide.shapes._spTree.append(parse_xml(frame.format(90, relation)))
    deck.save(str(tmp_path / "a.pptx"))
    found = parsed(tmp_path / "a.pptx")
    assert words(found.text) == "Plan Build brick"
    assert found.warnings == []
    slide.shapes._spTree.append(parse_xml(frame.format(91, "rId99")))
    deck.save(str(tmp_path / "b.pptx"))
    (warning,) = parsed(tmp_path / "b.pptx").warnings
    assert "which are not read" in warning


def test_what_layouts_print_is_said_once(tmp_path: Path) -> None:
    deck, slide = deck_of("brick")
    deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, 9, 9).text_frame.text = "timber"
    source = slide.shapes[0]._element
    printed = parse_xml(serialize_for_reading(source).replace("brick", "Harbour office"))
    deck.slide_layouts[6].shapes._spTree.append(printed)
    aside = parse_xml(serialize_for_reading(source).replace("brick", "a hint to authors beside the slide"))
    deck.slide_layouts[6].shapes._spTree.append(aside)
    deck.slide_layouts[6].shapes[-1].left = deck.slide_width
    deck.save(str(tmp_path / "a.pptx"))
    assert words(parsed(tmp_path / "a.pptx").text) == "brick Harbour office timber"


def test_hidden_slides_are_told(tmp_path: Path) -> None:
    deck, slide = deck_of("brick")
    slide._element.set("show", "0")
    deck.save(str(tmp_path / "a.pptx"))
    found = parsed(tmp_path / "a.pptx")
    assert (words(found.text), found.notes) == ("brick", ["Hidden in a.pptx, and in the result: slide 1."])


def test_a_picture_that_is_elsewhere_spoils_nothing(tmp_path: Path) -> None:
    deck, slide = deck_of("brick")
    picture = (
        f'<p:pic {nsdecls("p", "a", "r")}><p:nvPicPr><p:cNvPr id="90" name="p"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>'
        f'<p:blipFill><a:blip r:link="rId98"/></p:blipFill><p:spPr/></p:pic>'
    )
    slide.shapes._spTree.append(parse_xml(picture))
    slide.shapes[0].text_frame.paragraphs[0].runs[0]._r.get_or_add_rPr().append(
        parse_xml(f'<a:hlinkClick {nsdecls("a", "r")} r:id=""/>')
    )
    deck.save(str(tmp_path / "a.pptx"))
    found = parsed(tmp_path / "a.pptx")
    assert (words(found.text), found.notes) == ("brick", ["1 picture of a.pptx does not lie in the file."])


@pytest.mark.parametrize("kind", ["slideshow", "template"])
def test_shows_and_templates_are_read(kind: str, tmp_path: Path) -> None:
    deck, _ = deck_of("brick")
    deck.save(str(tmp_path / "a.pptx"))
    plain, other = b"presentationml.presentation.main", f"presentationml.{kind}.main".encode()
    rewritten(tmp_path / "a.pptx", lambda _, content: content.replace(plain, other))
    assert words(parsed(tmp_path / "a.pptx").text) == "brick"
