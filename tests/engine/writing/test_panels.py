"""What is drawn around text and what stands side by side, in Word and RTF."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Facts, Page, Shape
from paperchute.engine.operations import implementation
from paperchute.engine.reading.pdf.rings import sides_of_ring
from paperchute.engine.work import Source, Work
from paperchute.engine.writing.office.drawn import Arranged
from paperchute.engine.writing.office.flow import Flow
from paperchute.engine.writing.office.panels import arranged
from paperchute.engine.writing.office.parts import FlowPart, LayoutPart, Paragraph, Section, TablePart
from paperchute.engine.writing.office.ruling import ruled
from paperchute.engine.writing.office.styles import Looks
from tests.engine.reading.printing import LOREM, printed
from tests.engine.writing.models import block, line, page

NO_MARGINS = "@page{margin:0} body{margin:0}"


def at(left: int, top: int, width: int, content: str, style: str = "") -> str:
    return f"<div style='position:absolute;left:{left}pt;top:{top}pt;width:{width}pt;{style}'>{content}</div>"


def converted(operation: str, source: Path) -> Path:
    work = Work(operation, (Source("file", source, source.name, "pdf"),), {}, source.parent)
    return implementation(operation).run(work)[0]


def word(source: Path) -> str:
    with zipfile.ZipFile(converted("pdf-to-docx", source)) as parts:
        return parts.read("word/document.xml").decode()


def parts(*pages: Page) -> list[FlowPart | Section]:
    return list(Flow(len(pages), Looks.of(Facts(len(pages)), pages[0])).parts(pages))


def drawn(on: Page, *shapes: Shape) -> Page:
    return replace(on, shapes=shapes)


def words_of(found: list[FlowPart | Section]) -> list[str]:
    said: list[str] = []
    for part in found:
        if isinstance(part, Paragraph):
            said += "".join(run.text for run in part.runs).split()
        elif isinstance(part, LayoutPart):
            said += words_of([one for cell in part.cells for one in cell.parts])
        elif isinstance(part, TablePart):
            said += [w for row in part.rows for cell in row.cells for run in cell.runs for w in run.text.split()]
    return said


@pytest.mark.parametrize("left", [True, False])
def test_a_side_bar_is_a_cell_in_its_colour(left: bool, tmp_path: Path) -> None:
    bar, text = (0, 220) if left else (395, 40)
    side = at(
        bar,
        0,
        176,
        "<b>CONTACT</b><br>12 Mill Lane<br>Fairbrook<br>020 1234",
        "background:#1f4e79;height:800pt;color:white;padding:12pt",
    )
    found = word(printed(tmp_path / "a.pdf", side + at(text, 60, 330, f"<p>{LOREM}</p>" * 4), NO_MARGINS))
    (row,) = re.findall(r"<w:tr>.*?</w:tr>", found)
    cells = re.findall(r"<w:tc>.*?</w:tc>", row)
    (shaded,) = [cell for cell in cells if 'w:fill="1F4E79"' in cell]
    assert "Mill Lane" in shaded
    assert LOREM[:20] not in shaded
    assert "w:shd" not in re.sub(r"<w:tcPr>.*?</w:tcPr>", "", shaded)


def test_a_panel_around_one_paragraph_is_its_frame(tmp_path: Path) -> None:
    note = f"<p style='border:1pt solid #2b5d34;padding:8pt'>{LOREM}</p>"
    found = word(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{note}<p>{LOREM}</p>"))
    (frame,) = re.findall(r"<w:pBdr>.*?</w:pBdr>", found)
    assert re.findall(r"<w:(top|left|bottom|right) [^>]*w:color=\"2B5D34\"", frame) == [
        "top",
        "left",
        "bottom",
        "right",
    ]
    assert "<w:shd" not in found  # the text does not stand on the colour of the frame


def test_a_rule_under_a_heading_is_its_border(tmp_path: Path) -> None:
    heading = "<h2 style='border-bottom:1pt solid #7a1f2b'>Quays</h2>"
    source = printed(tmp_path / "a.pdf", f"{heading}<p>{LOREM}</p>" * 2)
    assert len(re.findall(r"<w:pBdr><w:bottom [^>]*7A1F2B[^>]*/></w:pBdr>", word(source))) == 2
    assert converted("pdf-to-rtf", source).read_text("ascii").count("\\brdrb\\brdrs") == 2


def test_rules_beside_and_under_words_are_lines_to_write_on(tmp_path: Path) -> None:
    rules = [
        at(x, y, width, "", "border-top:1pt solid black")
        for x, y, width in ((110, 112, 150), (350, 112, 180), (40, 160, 490), (40, 185, 490), (40, 210, 490))
    ]
    said = at(40, 100, 60, "Surname") + at(280, 100, 70, "First name") + at(40, 130, 300, "Remarks:")
    source = printed(tmp_path / "a.pdf", said + "".join(rules) + at(40, 240, 490, LOREM), NO_MARGINS)
    paragraphs = re.findall(r"<w:p>.*?</w:p>", word(source))
    led = [paragraph for paragraph in paragraphs if 'w:leader="underscore"' in paragraph]
    assert len(led) == 4
    assert re.findall(r"<w:t [^>]*>(.*?)</w:t>|(<w:tab/>)", led[0]) == [
        ("Surname ", ""),
        ("", "<w:tab/>"),
        ("", "<w:tab/>"),
        ("First name ", ""),
        ("", "<w:tab/>"),
    ]
    assert converted("pdf-to-rtf", source).read_text("ascii").count("\\tlul") == 5


def test_a_line_under_words_is_none_to_write_on(tmp_path: Path) -> None:
    found = word(printed(tmp_path / "a.pdf", f"<p>{LOREM} <u>twelve posts</u> {LOREM}</p>"))
    assert "w:pBdr" not in found
    assert "w:leader" not in found


def test_a_dropped_initial_stays_one(tmp_path: Path) -> None:
    style = "float:left;font-size:40pt;line-height:34pt;padding-right:4pt"
    source = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><p><span style='{style}'>W</span>ith care {LOREM * 3}</p>")
    found = word(source)
    (frame,) = re.findall(r"<w:p><w:pPr>(?:(?!</w:pPr>).)*<w:framePr [^>]*w:dropCap=\"drop\".*?</w:p>", found)
    assert re.findall(r"<w:t [^>]*>(.*?)</w:t>", frame) == ["W"]
    assert "ith care" in found


def test_parts_in_a_row_keep_their_lines_and_sides() -> None:
    """An address at the left and one at the right, over text of the whole width."""
    left = block(
        *(line(text, 100 + 12 * n, 72, 160 - 9 * n) for n, text in enumerate(("Ada Kessler", "Mill Lane", "Ryde")))
    )
    right = block(
        *(line(text, 100 + 12 * n, 440, 523 - 9 * n) for n, text in enumerate(("Jonas Ek", "Park Road", "York")))
    )
    text = block(*(line("text " * 20, 160 + 12 * n, 72, 523) for n in range(4)))
    layout, after = (part for part in parts(page(left, right, text)) if not isinstance(part, Section))
    assert isinstance(layout, LayoutPart)
    said = [words_of([part]) for cell in layout.cells for part in cell.parts]
    assert said == [["Ada", "Kessler", "Mill", "Lane", "Ryde"], ["Jonas", "Ek", "Park", "Road", "York"]]
    assert all(
        "\n" in "".join(run.text for run in part.runs)
        for cell in layout.cells
        for part in cell.parts
        if isinstance(part, Paragraph)
    )
    assert isinstance(after, Paragraph)


def test_columns_of_one_text_are_no_cells() -> None:
    sides = [block(*(line("and goes on", 100 + 12 * n, x, x + 210) for n in range(20))) for x in (72, 312)]
    assert not any(isinstance(part, LayoutPart) for part in parts(page(*sides)))


TEXTS = st.lists(
    st.tuples(st.integers(40, 400), st.integers(60, 640), st.integers(20, 160), st.integers(1, 4)), max_size=9
)
SHAPES = st.lists(
    st.tuples(st.integers(20, 420), st.integers(40, 700), st.sampled_from([0, 1, 40, 300]), st.integers(0, 300)),
    max_size=9,
)


def sheet_of(
    texts: list[tuple[int, int, int, int]], shapes: list[tuple[int, int, int, int]], number: Iterator[int]
) -> Page:
    """A page of text and drawings by their places, each word with a number of its own; its first block goes on."""
    blocks = [
        block(
            *(line(f"w{next(number)} w{next(number)}", top + 12 * n, left, left + width) for n in range(lines)),
            continues=place == 0,
        )
        for place, (left, top, width, lines) in enumerate(texts)
    ]
    figures = [
        Shape(Box(left, top, left + width, top + height), "#dde6ee" if height > 3 and width > 3 else "#000000")
        for left, top, height, width in shapes
    ]
    return drawn(page(*blocks), *figures)


@settings(max_examples=60, deadline=None)
@given(TEXTS, SHAPES)
def test_every_word_stays_once_and_in_its_order(
    texts: list[tuple[int, int, int, int]], shapes: list[tuple[int, int, int, int]]
) -> None:
    """Whatever is drawn, and wherever the text stands."""
    sheet = sheet_of(texts, shapes, iter(range(1000)))
    wanted = [word for one in sheet.blocks for word in one.text.split()]
    assert [word for one in arranged(ruled(sheet.blocks, sheet), sheet) for word in _said(one)] == wanted
    assert sorted(words_of(parts(sheet))) == sorted(wanted)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TEXTS, SHAPES), min_size=2, max_size=3))
def test_every_word_stays_where_text_goes_on_over_pages(
    pages: list[tuple[list[tuple[int, int, int, int]], list[tuple[int, int, int, int]]]],
) -> None:
    """Whatever the page before ends with: a rule, a panel, things side by side."""
    number = iter(range(1000))
    sheets = [sheet_of(texts, shapes, number) for texts, shapes in pages]
    wanted = [word for sheet in sheets for one in sheet.blocks for word in one.text.split()]
    assert sorted(words_of(parts(*sheets))) == sorted(wanted)


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(Box(72, 740, 200, 741), id="rule to write on"),
        pytest.param(Box(72, 740, 520, 741), id="rule that parts texts"),
        pytest.param(Box(60, 600, 560, 690), id="panel"),
    ],
)
def test_a_paragraph_does_not_go_on_in_what_is_drawn(shape: Box) -> None:
    first = block(line("It is told", 620), line("and goes on", 632)), block(line("beside", 650), line("it", 662))
    rest = block(line("to its", 72), line("end", 84), continues=True)
    sheets = drawn(page(*first), Shape(shape, "#dde6ee")), page(rest, number=2)
    assert words_of(parts(*sheets)) == ["It", "is", "told", "and", "goes", "on", "beside", "it", "to", "its", "end"]


def _said(one: Block) -> list[str]:
    areas = one.areas if isinstance(one, Arranged) else ()
    return [*one.text.split(), *(word for area in areas for inner in area.blocks for word in _said(inner))]


def test_only_the_sides_of_a_ring_are_painted() -> None:
    def rectangle(left: float, top: float, right: float, bottom: float) -> tuple[list[tuple[float, float]], bool]:
        return [(left, top), (right, top), (right, bottom), (left, bottom)], False

    sides = sides_of_ring([rectangle(0, 0, 100, 50), rectangle(4, 0, 100, 50)])
    assert sides == [rectangle(0, 0, 4, 50)]
    assert len(sides_of_ring([rectangle(1, 1, 99, 49), rectangle(0, 0, 100, 50)]) or []) == 4
    assert sides_of_ring([rectangle(0, 0, 100, 50), rectangle(40, 20, 60, 30)]) is None
    assert sides_of_ring([rectangle(0, 0, 100, 50), rectangle(50, 20, 160, 30)]) is None
