"""What the Word and RTF writers share: list series, font families, columns, page breaks, odd pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, Cell, Facts, Page, Table
from paperchute.engine.writing.office.columns import stretches
from paperchute.engine.writing.office.flow import Flow
from paperchute.engine.writing.office.fonts import family
from paperchute.engine.writing.office.lists import shown, value
from paperchute.engine.writing.office.pages import fitted
from paperchute.engine.writing.office.parts import FlowPart, LayoutPart, Marker, NumberFormat, Paragraph, Section
from paperchute.engine.writing.office.runs import text_of
from paperchute.engine.writing.office.styles import Looks
from paperchute.engine.writing.office.tables import table_part
from tests.engine.writing.models import PLAIN, block, items, line, page

FORMATS: list[NumberFormat] = ["decimal", "lowerRoman", "upperRoman"]


def markers_in(*blocks: Block) -> list[Marker]:
    return [one.marker for one in parts(page(*blocks)) if isinstance(one, Paragraph) and one.marker is not None]


def series(*markers: str) -> list[tuple[int, int, str]]:
    """Series, start and format of markers that all stand at level 0."""
    made = items(*((0, marker, "text") for marker in markers))
    return [(marker.series, marker.start, marker.format) for marker in markers_in(made)]


@pytest.mark.parametrize(
    ("markers", "found"),
    [
        (("1.", "2.", "3."), [(1, 1, "decimal")] * 3),
        (("4)", "5)", "9)"), [(1, 4, "decimal")] * 2 + [(2, 9, "decimal")]),
        (("a.", "b.", "c."), [(1, 1, "lowerLetter")] * 3),
        (("i.", "ii.", "iii."), [(1, 1, "lowerRoman")] * 3),
        (("h.", "i.", "j."), [(1, 8, "lowerLetter")] * 3),
        (("V.", "VI."), [(1, 5, "upperRoman")] * 2),
        (("c)", "d)"), [(1, 3, "lowerLetter")] * 2),
        (("1.", "2)", "3."), [(1, 1, "decimal"), (2, 2, "decimal"), (3, 3, "decimal")]),
    ],
)
def test_markers_become_series_that_count_as_printed(
    markers: tuple[str, ...], found: list[tuple[int, int, str]]
) -> None:
    assert series(*markers) == found


@given(st.integers(1, 3999), st.sampled_from(FORMATS))
def test_numbers_are_read_as_they_are_written(number: int, style: NumberFormat) -> None:
    assert value(shown(number, style), style) == number


@given(st.lists(st.text("ivxlcdmabzIVX0123456789.()[] §", max_size=6), min_size=1, max_size=6))
def test_any_marker_has_a_place(markers: list[str]) -> None:
    assert len(series(*markers)) == len(markers)


@pytest.mark.parametrize(
    ("font", "name"),
    [
        ("TimesNewRomanPS-BoldMT", "Times New Roman"),
        ("Times-Roman", "Times New Roman"),
        ("LiberationSans-BoldItalic", "Liberation Sans"),
        ("Liberation-Serif-Bold-Italic", "Liberation Serif"),
        ("DejaVuSerif-Bold", "DejaVu Serif"),
        ("Arial,Bold", "Arial"),
        ("ArialMT", "Arial"),
        ("Calibri", "Calibri"),
        ("Footlight MT Light", "Footlight MT Light"),
        ("CMR10", "Times New Roman"),
        ("cmbx12", "Times New Roman"),
        ("SFTI1095", "Times New Roman"),
        ("LMRoman10-Regular", "Times New Roman"),
        ("LMSans8-Bold", "Arial"),
        ("CMTT9", "Courier New"),
        ("NimbusRomanRegular", "Times New Roman"),
        ("NimbusSansBoldItalic", "Arial"),
        ("NimbusMonoPSBold", "Courier New"),
        ("C059Roman", "Century Schoolbook"),
        ("P052-Bold", "Palatino Linotype"),
        ("CMMI8", ""),
        ("AdvP41461E", ""),
        ("Symbol", ""),
        ("", ""),
    ],
)
def test_fonts_have_families(font: str, name: str) -> None:
    assert family(font) == name


@given(st.text(max_size=30))
def test_any_font_name_has_a_family_or_none(font: str) -> None:
    assert isinstance(family(font), str)


def parts(*pages: Page) -> list[FlowPart | Section]:
    return list(Flow(len(pages), Looks.of(Facts(len(pages), "", 10), None)).parts(pages))


def test_a_footnote_does_not_part_a_paragraph() -> None:
    first = page(block(line("It goes on", 700)), block(line("* an aside", 780), kind="footnote"))
    second = page(block(line("to its end.", 72), continues=True), number=2)
    texts = ["".join(run.text for run in part.runs) for part in parts(first, second) if isinstance(part, Paragraph)]
    assert texts == ["It goes on to its end.", "* an aside"]


def test_a_head_that_differs_on_its_side_is_said_once() -> None:
    """The third page is the first that shows what odd pages have; it goes on with the text of the second."""

    def headed(number: int, continues: bool = False) -> Page:
        head = block(line(f"Harbours, {'abc'[number - 1]}", 30, 72, 120), kind="header")
        text = block(line("It goes on", 100), line("down to the foot of the page", 800), continues=continues)
        return page(head, text, number=number)

    made = parts(headed(1), headed(2, True), headed(3, True))
    (section,) = [part for part in made if isinstance(part, Section)]
    said = [run.text for part in made if isinstance(part, Paragraph) for run in part.runs if "Harbours" in run.text]
    margins = [section.margins, *(one for one in (section.first, section.even) if one is not None)]
    said += ["".join(run.text for run in piece.runs) for one in margins for row in one.head for piece in row]
    assert sorted(said) == ["Harbours, a", "Harbours, b", "Harbours, c"]


def test_labels_in_a_row_are_no_columns() -> None:
    rows = [block(line(f"Name {n}", 100 + 12 * n, 72, 110), line("x", 100 + 12 * n, 400, 410)) for n in range(12)]
    sections = [part for part in parts(page(*rows)) if isinstance(part, Section)]
    assert [section.columns for section in sections] == [1]


def test_what_stands_at_the_middle_and_the_right_stays_there() -> None:
    full = block(line("full " * 18, 100), line("full " * 18, 112), line("less", 124, 72, 100))
    middle = block(line("in the middle", 160, 250, 342))
    right = block(line("at the right", 190, 440, 520))
    places = [part.place.align for part in parts(page(full, middle, right)) if isinstance(part, Paragraph)]
    assert places == ["both", "center", "right"]


@pytest.mark.parametrize(
    ("starts", "align"),
    [
        ((72, 75, 90, 380), "right"),
        ((72, 260), "right"),
        ((92, 72, 72, 72), "both"),  # its last line happens to be full
        ((72, 92, 92, 92), "both"),  # a hanging first line
    ],
)
def test_lines_with_ragged_starts_and_one_end_are_right_aligned(starts: tuple[int, ...], align: str) -> None:
    wide = block(line("full " * 18, 60), line("full " * 18, 72), line("less", 84, 72, 100))
    text = block(*(line("text " * 9, 110 + 12 * n, start, 520) for n, start in enumerate(starts)))
    places = [part.place.align for part in parts(page(wide, text)) if isinstance(part, Paragraph)]
    assert places == ["both", align]


def test_a_page_of_usual_size_is_not_scaled() -> None:
    made = page(block(line("a")))
    assert fitted(made) is made
    large = fitted(page(block(line("a", 1000, 720, 1440)), width=3168, height=1000))
    assert large.width == 1584
    assert large.blocks[0].quad.x1 == 360
    assert large.blocks[0].lines[0].spans[0].style.size == 5


@pytest.mark.parametrize(("read", "columns"), [("down", 2), ("across", 1)])
def test_short_lines_are_columns_where_they_are_read_one_side_after_the_other(read: str, columns: int) -> None:
    sides = [[block(line("x", 100 + 20 * row, left, left + 60)) for row in range(8)] for left in (60, 320)]
    blocks = [*sides[0], *sides[1]] if read == "down" else [one for row in zip(*sides, strict=True) for one in row]
    (stretch,) = stretches(blocks, Box(60, 100, 540, 260))
    assert len(stretch.columns) == columns
    assert stretch.blocks == tuple(blocks)


_FULL = block(line("full " * 18, 400), line("full " * 18, 412), line("less", 424, 72, 100))
ADDRESS = ("Taylor Riddel", "12 Quay Street", "Harbour Town")


def _texts_of(*blocks: Block) -> list[str]:
    found = [part for part in parts(page(*blocks)) if isinstance(part, Paragraph)]
    return ["".join(run.text for run in part.runs) for part in found]


def test_the_lines_of_an_address_stay_lines() -> None:
    address = block(*(line(text, 100 + 12 * n, 72, 160) for n, text in enumerate(ADDRESS)))
    assert _texts_of(address, _FULL)[0] == "\n".join(ADDRESS)


def test_short_lines_of_a_sentence_are_one_text() -> None:
    sentence = block(line("The quays were", 100, 72, 160), line("rebuilt in brick", 112, 72, 160))
    assert _texts_of(sentence, _FULL)[0] == "The quays were rebuilt in brick"


def _ends_of(*blocks: Block) -> list[float]:
    return [part.place.end for part in parts(page(*blocks)) if isinstance(part, Paragraph)]


def test_text_that_was_printed_narrower_with_nothing_at_its_side_stays_as_narrow() -> None:
    narrow = block(*(line("narrow and goes on", 100 + 12 * n, 72, 300) for n in range(9)))
    assert _ends_of(narrow, _FULL) == [pytest.approx(520 - 300 - 5), 0.0]
    beside = block(line("at its side", 120, 400, 480))
    assert _ends_of(narrow, beside, _FULL)[0] == 0.0


def test_text_that_a_page_end_broke_has_no_room_kept_free() -> None:
    first = page(_FULL, block(line("It goes on", 700, 72, 300), line("for two lines", 712, 72, 300)))
    second = page(block(line("and to its end.", 72, 72, 300), continues=True), number=2)
    paragraphs = [part for part in parts(first, second) if isinstance(part, Paragraph)]
    assert paragraphs[1].place.end == 0.0


def test_what_stands_at_the_side_leaves_no_gap_under_what_is_higher() -> None:
    high = block(*(line("and goes on here", 100 + 12 * n, 72, 260) for n in range(10)))
    beside = block(line("beside", 100, 400, 480))
    below = block(line("below " * 18, 222))
    found = [part for part in parts(page(high, beside, below)) if not isinstance(part, Section)]
    (after,) = [part for part in found if isinstance(part, Paragraph)]
    assert isinstance(found[0], LayoutPart)
    assert after.place.before < 10


def test_the_only_page_of_a_document_may_be_filled_to_its_end() -> None:
    (alone,) = (part for part in parts(page(_FULL)) if isinstance(part, Section))
    assert alone.bottom == 36
    first, *_ = (part for part in parts(page(_FULL), page(_FULL, number=2)) if isinstance(part, Section))
    assert first.bottom > 300


def _cells(*rows: tuple[tuple[str, float], ...]) -> Block:
    """A ruled table of cells 60 by 20 at 72, 100: the text of each, and how far it is printed to the right."""
    made = []
    for r, row in enumerate(rows):
        for c, (text, right) in enumerate(row):
            box = Box(72 + 60 * c, 100 + 20 * r, 132 + 60 * c, 120 + 20 * r)
            lines = (line(text, box.top + 5, box.left + 3, right),) if text else ()
            made.append(Cell(r, c, Quad.of(box), lines))
    whole = Box(72, 100, 72 + 60 * len(rows[0]), 100 + 20 * len(rows))
    return Block("table", Quad.of(whole), table=Table(len(rows), len(rows[0]), tuple(made), bordered=True))


def test_a_note_printed_over_empty_cells_spans_them_and_widens_no_column() -> None:
    note = (("A note on all that stands in the table below", 300.0), ("", 0.0), ("", 0.0), ("", 0.0))
    row = (("Port", 100.0), ("12", 150.0), ("4800", 210.0), ("x", 262.0))
    part = table_part(_cells(note, row), (72, 312))
    assert [(cell.column, cell.column_span) for cell in part.rows[0].cells] == [(0, 4)]
    assert part.widths == pytest.approx((60.0,) * 4)


def test_a_table_grows_no_wider_than_its_column_of_text() -> None:
    row = (("Port of the northern harbours and quays", 400.0), ("12", 150.0))
    part = table_part(_cells(row, row), (72, 212))
    assert sum(part.widths) == pytest.approx(140)
    assert [cell.column_span for cell in part.rows[0].cells] == [1, 1]


def _filled(*texts: tuple[str, float, float], header: bool = False) -> Block:
    """A ruled table of one cell a row, 200 wide at 72: each line of the first its text, right end and size."""
    lines = tuple(
        line(text, 102 + 14 * n, 76, right, replace(PLAIN, size=size)) for n, (text, right, size) in enumerate(texts)
    )
    boxes = [Box(72, 100, 272, 104 + 14 * len(lines)), Box(72, 104 + 14 * len(lines), 272, 190)]
    long = (line("Nobody has seen the harbour of that town", 170, 76, 266),)
    cells = tuple(
        Cell(row, 0, Quad.of(box), own, header=header and not row)
        for row, (box, own) in enumerate(zip(boxes, (lines, long), strict=True))
    )
    return Block("table", Quad.of(hull(boxes)), table=Table(2, 1, cells, bordered=True))


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((("Timber quay", 130, 10), ("Repaired each winter", 170, 10)), "Timber quay\nRepaired each winter"),
        (
            (("Nobody has seen the harbour of", 220, 10), ("Trondheim", 140, 10)),
            "Nobody has seen the harbour of Trondheim",
        ),
        ((("The quays of", 130, 10), ("our town", 120, 10)), "The quays of our town"),
        (
            (("Nobody has seen the harbour of", 260, 10), ("Article 77", 120, 8)),
            "Nobody has seen the harbour of\nArticle 77",
        ),
    ],
)
def test_line_ends_that_were_meant_in_a_cell_stay(texts: tuple[tuple[str, float, float], ...], said: str) -> None:
    """Where the next word had room, or is of another size; not where it begins small, as a balanced text may."""
    cell = table_part(_filled(*texts), (72, 272)).rows[0].cells[0]
    assert text_of(cell.runs) == said
    sizes = [run.style.size for run in cell.runs if run.text.strip()]
    assert sizes == sorted({size for _, _, size in texts}, reverse=True)


def test_a_head_in_the_middle_over_a_column_that_begins_left_stays_there() -> None:
    block = _cells(
        (("Port", 100.0), ("Town", 200.0)), (("Kiel and Lübeck", 128.0), ("Leith", 150.0)), (("Oslo", 90.0),) * 2
    )
    table = block.table
    assert table is not None
    head = table.cells[0]
    made = replace(head, lines=(line("Port", 105, 92, 112),), header=True)
    table = replace(table, cells=(made, *table.cells[1:]))
    rows = table_part(replace(block, table=table), (72, 192)).rows
    assert [row.cells[0].align for row in rows] == ["center", "left", "left"]
