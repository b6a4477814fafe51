"""Where paragraphs, tables and pages of Word and RTF files stand, beside where they were printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import docx
import pytest
from docx.enum.text import WD_TAB_ALIGNMENT
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Cell, Facts, Gap, Line, Page, Table
from paperchute.engine.operations import implementation
from paperchute.engine.work import Source, Work
from paperchute.engine.writing.office.columns import stretches
from paperchute.engine.writing.office.flow import Flow
from paperchute.engine.writing.office.leading import leading_of
from paperchute.engine.writing.office.parts import (
    FlowPart,
    Leading,
    Paragraph,
    PicturePart,
    Section,
    TablePart,
)
from paperchute.engine.writing.office.styles import Looks
from tests.engine.reading.printing import LOREM, printed
from tests.engine.writing.models import PLAIN, block, items, line, page, picture, table


def parts(*pages: Page) -> list[FlowPart | Section]:
    return list(Flow(len(pages), Looks.of(Facts(len(pages), "", 10), None)).parts(pages))


def paragraph(top: float, count: int, pitch: float) -> Block:
    """Lines of a column that all reach its right edge."""
    return block(*(line("word " * 20, top + pitch * n) for n in range(count)))


def tops(found: list[FlowPart | Section], lines: list[int]) -> list[float]:
    """Where a word processor puts the first letters of each part. lines: how many each has; 0 for no paragraph."""
    (section,) = (part for part in found if isinstance(part, Section))
    at, result = section.top, []
    for part, count in zip([part for part in found if not isinstance(part, Section)], lines, strict=True):
        if isinstance(part, Paragraph):
            leading = part.place.leading
            result.append(at + part.place.before + leading.above)
            at += part.place.before + count * leading.height
        elif isinstance(part, TablePart):
            result.append(at + part.before)
            at += part.before + sum(row.height for row in part.rows)
        elif isinstance(part, PicturePart):
            result.append(at + part.before)
            at += part.before + part.height
    return result


@given(
    st.lists(st.tuples(st.floats(3, 150), st.integers(1, 4), st.sampled_from((10.5, 12.0, 13.8, 20.0))), max_size=6),
    st.floats(20, 200),
)
def test_each_paragraph_stands_where_it_was_printed(gaps: list[tuple[float, int, float]], start: float) -> None:
    blocks, at = [paragraph(start, 3, 12)], start + 34
    for gap, count, pitch in gaps:
        blocks.append(paragraph(at + gap + pitch - 10, count, pitch))  # room for a line of its own pitch
        at = blocks[-1].quad.box.bottom
    made = tops(parts(page(*blocks, height=3000)), [len(one.lines) for one in blocks])
    assert made == pytest.approx([one.quad.box.top for one in blocks], abs=1.0)


def test_tables_and_pictures_stand_where_they_were_printed() -> None:
    blocks = [
        paragraph(100, 2, 12),
        table([["Port", "Ships"], ["Narvik", "31"]]),
        picture(box=Box(72, 290, 172, 350)),
        paragraph(400, 2, 12),
    ]
    found = tops(parts(page(*blocks)), [2, 0, 0, 2])
    assert found == pytest.approx([100, 200, 290, 400], abs=1.0)


def test_items_stand_where_they_were_printed_however_far_apart() -> None:
    listed = items((0, "1.", "first"), (0, "2.", "second"), (0, "3.", "third"))
    moved = []
    for number, item in enumerate(listed.items):
        place = Quad.of(Box(80, 160 + 40 * number, 520, 170 + 40 * number))
        marker = Quad.of(Box(80, 153 + 40 * number, 520, 170 + 40 * number))  # a sign that stands higher than its text
        moved.append(replace(item, quad=marker, lines=(replace(item.lines[0], quad=place),)))
    whole = replace(listed, quad=Quad.of(Box(80, 153, 520, 250)), items=tuple(moved))
    found = tops(parts(page(paragraph(100, 2, 12), whole)), [2, 1, 1, 1])
    assert found[1:] == pytest.approx([160, 200, 240], abs=1.0)


@pytest.mark.parametrize(("pitch", "exact"), [(10.4, True), (11.5, True), (12.0, False), (20.0, False)])
def test_lines_closer_than_their_font_has_them_are_exact(pitch: float, exact: bool) -> None:
    leading = leading_of(paragraph(100, 3, pitch).lines)
    assert leading.height == pytest.approx(pitch)
    assert leading.exact == exact


def test_a_line_with_larger_letters_is_never_cut() -> None:
    large = line("LARGE", 111, style=replace(PLAIN, size=16))
    assert not leading_of([*paragraph(100, 2, 11).lines, large, line("small", 122)]).exact


def test_text_without_a_size_has_its_styles_leading() -> None:
    assert leading_of([line("recognised", style=replace(PLAIN, size=0))]) == Leading()


def unruled(*rows: tuple[tuple[str, float, float], ...], top: float = 200, step: float = 30) -> Block:
    """A table without rules: the text of each cell, where it begins and where it ends."""
    cells = []
    for r, row in enumerate(rows):
        for c, (text, left, right) in enumerate(row):
            made = line(text, top + step * r, left, right)
            cells.append(Cell(r, c, made.quad, (made,)))
    bottom = top + step * (len(rows) - 1) + 10
    box = Box(min(cell.quad.box.left for cell in cells), top, max(cell.quad.box.right for cell in cells), bottom)
    return Block("table", Quad.of(box), table=Table(len(rows), len(rows[0]), tuple(cells), bordered=False))


def test_rows_without_rules_keep_their_distance_and_columns_their_place() -> None:
    made = unruled(
        (("Port", 72, 100), ("Ships", 300, 330), ("Price", 480, 510)),
        (("Narvik", 72, 110), ("31 of them", 300, 355), ("1.00", 490, 510)),
        (("Bergen", 72, 112), ("4", 300, 306), ("12.00", 485, 510)),
    )
    (found,) = (part for part in parts(page(made)) if isinstance(part, TablePart))
    (section,) = (part for part in parts(page(made)) if isinstance(part, Section))
    assert [row.height for row in found.rows[:2]] == pytest.approx([30, 30])
    left, right = found.margins
    starts = [section.left + found.indent + sum(found.widths[:n]) for n in range(4)]
    first, second, third = found.rows[1].cells
    assert starts[0] + left + first.indent == pytest.approx(72, abs=1)
    assert starts[1] + left + second.indent == pytest.approx(300, abs=1)
    assert third.align == "right"
    assert starts[3] - right - third.end == pytest.approx(510, abs=1)


@pytest.mark.parametrize(
    ("offset", "hangs", "before"), [(3.0, "top", 1.4), (25.0, "center", 0.0), (47.0, "bottom", 0.0)]
)
def test_text_hangs_in_its_cell_as_it_was_printed(offset: float, hangs: str, before: float) -> None:
    box = Box(72, 100, 300, 160)
    cells = (Cell(0, 0, Quad.of(box), (line("text", 100 + offset, 76, 200),)),)
    made = Block("table", Quad.of(box), table=Table(1, 1, cells, bordered=True))
    (found,) = (part for part in parts(page(made)) if isinstance(part, TablePart))
    (cell,) = found.rows[0].cells
    assert (found.rows[0].height, cell.hangs) == (60, hangs)
    assert cell.before == pytest.approx(before, abs=0.1)


def begins(*pages: Page) -> list[bool]:
    """Of the first paragraph of each page, whether it is said to begin one."""
    found, new = [], True
    for part in parts(*pages):
        if isinstance(part, Section):
            new = True
        elif isinstance(part, Paragraph) and "".join(run.text for run in part.runs).startswith("first"):
            found.append(new or part.new_page)
            new = False
    return found


@pytest.mark.parametrize(
    ("bottom", "size", "meant"),
    [
        (700.0, (595.0, 842.0), True),  # four more lines would have fitted
        (748.0, (595.0, 842.0), False),  # full, but for a line
        (748.0, (960.0, 770.0), True),  # a slide
    ],
)
def test_a_page_ends_where_its_source_did_wherever_more_would_have_fitted(
    bottom: float, size: tuple[float, float], meant: bool
) -> None:
    first = block(line("first", 72), line("and more of it", 84))
    made = [
        page(first, block(line("last " * 9, bottom)), number=n, width=size[0], height=size[1])
        for n, bottom in enumerate((760.0, bottom, 760.0), 1)
    ]
    assert begins(*made) == [True, False or size[0] > size[1], meant]


def test_text_that_begins_lower_on_two_pages_has_a_section_of_its_own() -> None:
    title = page(block(line("first", 40)), paragraph(300, 2, 12))
    later = [page(paragraph(90, 4, 12), paragraph(300, 2, 12), number=n) for n in (2, 3)]
    sections = [part for part in parts(title, *later) if isinstance(part, Section)]
    assert [round(section.top) for section in sections] == [38, 88]


def test_no_line_takes_a_word_that_did_not_fit_in_print() -> None:
    text = block(line("word " * 20, 100, 72, 516), line("I went on and on and on", 112, 72, 290), line("on", 124))
    (section,) = (part for part in parts(page(text)) if isinstance(part, Section))
    word = 290 - 72
    assert 520 <= 595 - section.right < 520 + (2 / 23) * word


def test_a_paragraph_beside_wider_ones_keeps_its_lines_too() -> None:
    narrow = block(line("word " * 18, 100, 72, 480), line("I stay below", 112, 72, 130))
    first, _ = (part for part in parts(page(narrow, paragraph(160, 3, 12))) if isinstance(part, Paragraph))
    assert 520 - first.place.end < 480 + 2 / 12 * 58
    assert 520 - first.place.end > 480


def tabbed(text: str, at: int, left: float, right: float, top: float = 100, end: float = 520) -> Line:
    return replace(line(text, top, 72, end), gaps=(Gap(at, left, right),))


def test_a_part_at_the_right_has_a_right_tab_and_the_next_line_is_no_part_of_it() -> None:
    firm = tabbed("Quay Ltd 2002 - 2010", 8, 120, 440)
    text = block(firm, line("Head of the office", 112, 72, 160))
    first, second, _ = (part for part in parts(page(text, paragraph(160, 3, 12))) if isinstance(part, Paragraph))
    assert "".join(run.text for run in first.runs) == "Quay Ltd\t2002 - 2010"
    assert [(round(stop.place), stop.align) for stop in first.stops] == [(520 - 72, "right")]
    assert "".join(run.text for run in second.runs) == "Head of the office"


def test_lines_to_sign_on_stand_at_their_places() -> None:
    signed = tabbed("Place, date Signature", 11, 130, 300, end=350)
    first, _ = (part for part in parts(page(block(signed), paragraph(160, 3, 12))) if isinstance(part, Paragraph))
    assert [(round(stop.place), stop.align) for stop in first.stops] == [(300 - 72, "left")]


def test_a_title_over_both_columns_does_not_hide_them() -> None:
    sides = [[block(line("word " * 9, 140 + 12 * row, left, left + 210)) for row in range(9)] for left in (60, 320)]
    title = block(line("The Harbour Post", 100, 200, 400))
    issue = block(line("Issue 12", 120, 270, 330))
    found = stretches([title, issue, *sides[0], *sides[1]], Box(60, 100, 530, 260))
    assert [len(stretch.columns) for stretch in found] == [1, 2]


def test_the_last_page_of_columns_may_have_text_in_one_only() -> None:
    sides = [[block(line("word " * 9, 72 + 12 * row, left, left + 210)) for row in range(57)] for left in (60, 320)]
    rest = block(line("and its " * 5, 72, 60, 270), line("end.", 84, 60, 80))
    found = parts(page(*sides[0], *sides[1]), page(rest, number=2))
    assert [part.columns for part in found if isinstance(part, Section)] == [2]
    last = [part for part in found if isinstance(part, Paragraph)][-1]
    assert last.place.end < 10


def head(text: str, number: int) -> Page:
    return page(block(line(text, 30), kind="header"), paragraph(72, 57, 12), number=number)


def test_a_first_page_with_a_head_of_its_own_parts_no_section() -> None:
    found = parts(*(head(text, n) for n, text in enumerate(["Title", "Report", "Report", "Report"], 1)))
    (section,) = (part for part in found if isinstance(part, Section))
    assert section.first is not None
    assert [row[0].runs[0].text for row in (*section.first.head, *section.margins.head)] == ["Title", "Report"]


def test_heads_stand_where_they_were_printed() -> None:
    made = page(block(line("Head", 50), kind="header"), paragraph(100, 3, 12))
    (section,) = (part for part in parts(made) if isinstance(part, Section))
    (row,) = section.margins.head
    assert section.distances[0] + row[0].leading.above == pytest.approx(50, abs=0.5)


def test_wide_spaces_of_a_page_are_tabs_in_word(tmp_path: Path) -> None:
    css = "@page {margin: 60pt} .r {float: right} p {margin: 0}"
    text = "<p>Quay Ltd <span class='r'>2002 - 2010</span></p><p>Head of the office</p><h2>A heading</h2>"
    pdf = printed(tmp_path / "a.pdf", text + f"<p style='margin-top: 30pt'>{LOREM}</p>" * 4, css)
    work = Work("pdf-to-docx", (Source("file", pdf, pdf.name, "pdf"),), {}, tmp_path)
    document = docx.Document(str(implementation("pdf-to-docx").run(work)[0]))
    first, second, *_ = document.paragraphs
    assert (first.text, second.text) == ("Quay Ltd\t2002 - 2010", "Head of the office")
    (stop,) = first.paragraph_format.tab_stops
    assert stop.alignment == WD_TAB_ALIGNMENT.RIGHT
    section = document.sections[0]
    edges = (section.page_width, section.left_margin, section.right_margin, stop.position)
    width, left, right, place = (edge.pt if edge is not None else 0.0 for edge in edges)
    assert place == pytest.approx(width - left - right, abs=8)


def test_a_column_may_hold_nothing_but_a_table() -> None:
    rows = [[("Harbour", 60, 120), ("quays of the harbour", 160, 265)] for _ in range(12)]
    made = unruled(*map(tuple, rows), top=100, step=20)
    text = [
        block(line("word " * 9, 100 + 24 * row, 320, 530), line("so", 112 + 24 * row, 320, 340)) for row in range(9)
    ]
    (stretch,) = stretches([made, *text], Box(60, 100, 530, 330))
    assert len(stretch.columns) == 2


def test_the_text_after_an_empty_page_begins_another() -> None:
    found = parts(page(), page(block(line("first", 72)), number=2), page(paragraph(72, 3, 12), number=3))
    breaks = [isinstance(part, Section) or part.new_page for part in found]
    assert breaks[:2] in ([False, True], [True, True])
