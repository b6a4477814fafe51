"""What tagged PDFs say of themselves, and when it is believed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pikepdf import Dictionary

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block
from tests.engine.reading.printing import blocks
from tests.engine.reading.tagging import Tagged

LINE = "The survey of the northern harbours showed that most quays had been rebuilt"


def test_headings_are_what_the_structure_says_they_are(tmp_path: Path) -> None:
    """However they look: a plain line may be one, a bold one none."""
    paper = Tagged()
    head = paper.element("H3", paper.put("Quays and cranes", 72, 100))
    bold = paper.element("P", paper.put("In short", 72, 130, bold=True))
    text = [paper.element("P", paper.put(LINE, 72, 160 + 14 * n)) for n in range(4)]
    found = blocks(paper.save(tmp_path / "a.pdf", head, bold, *text))
    assert [(b.text, b.level) for b in found[:2]] == [("Quays and cranes", 3), ("In short", 0)]


def test_a_table_is_what_the_structure_says_it_is(tmp_path: Path) -> None:
    """Its cells stand too close for their alignment to tell."""
    paper = Tagged()
    top = paper.element(
        "TR",
        paper.element("TH", paper.put("Port", 72, 100)),
        paper.element("TH", paper.put("Ships and crew", 98, 100), ColSpan=2),
    )
    rows = [
        paper.element(
            "TR", *(paper.element("TD", paper.put(c, x, 114 + 14 * n)) for c, x in zip(row, (72, 98, 116), strict=True))
        )
        for n, row in enumerate((("Kiel", "11", "77"), ("Oslo", "12", "84")))
    ]
    table = paper.element("Table", top, paper.element("TBody", *rows))
    text = paper.element("P", paper.put(LINE, 72, 200))
    (block, _) = blocks(paper.save(tmp_path / "a.pdf", table, text))
    assert block.table is not None
    assert (block.table.rows, block.table.columns) == (3, 3)
    cells = {(c.row, c.column): (flowed_text(c.lines), c.column_span, c.header) for c in block.table.cells}
    assert cells[0, 1] == ("Ships and crew", 2, True)
    assert cells[2, 2] == ("84", 1, False)


@pytest.mark.parametrize("top", [94, 114])
def test_the_cells_of_a_tagged_table_with_rules_are_as_large_as_drawn(tmp_path: Path, top: int) -> None:
    """Also those of a head over the rules, as in a coloured bar."""
    paper = Tagged()
    rows = [
        paper.element(
            "TR",
            *(paper.element("TD", paper.put(c, x, 108 + 20 * n)) for c, x in zip(row, (80, 180), strict=True)),
        )
        for n, row in enumerate((("Port", "Ships"), ("Kiel", "11"), ("Oslo", "12"), ("Bergen", "7")))
    ]
    paper.grid([72, 172, 272], list(range(top, 175, 20)))
    text = [paper.element("P", paper.put(LINE, 72, 200 + 14 * n)) for n in range(3)]
    (block, *_) = blocks(paper.save(tmp_path / "a.pdf", paper.element("Table", *rows), *text))
    assert block.table is not None
    assert block.table.bordered
    boxes = {(cell.row, cell.column): cell.quad.box for cell in block.table.cells}
    assert (boxes[2, 1].left, boxes[2, 1].right) == pytest.approx((172, 272), abs=1)
    assert (boxes[2, 1].top, boxes[2, 1].bottom) == pytest.approx((134, 154), abs=1)
    assert (boxes[0, 0].left, boxes[0, 0].bottom) == pytest.approx((72, 114), abs=1)
    assert boxes[0, 0].top == pytest.approx(94, abs=5)


def test_a_cell_after_an_empty_one_that_is_not_tagged_stays_in_its_column(tmp_path: Path) -> None:
    """Browsers leave empty cells out of the structure."""
    paper = Tagged()
    rows = []
    for n, row in enumerate((("Kiel", "11", "77"), ("Oslo", "", "84"), ("", "", "95"), ("Riga", "13", ""))):
        cells = [(c, x) for c, x in zip(row, (72, 130, 190), strict=True) if c]
        rows.append(paper.element("TR", *(paper.element("TD", paper.put(c, x, 114 + 14 * n)) for c, x in cells)))
    (block,) = blocks(paper.save(tmp_path / "a.pdf", paper.element("Table", *rows)))
    assert block.table is not None
    found = {(c.row, c.column): flowed_text(c.lines) for c in block.table.cells}
    assert {place: text for place, text in found.items() if place[0] > 0} == {
        (1, 0): "Oslo", (1, 2): "84", (2, 2): "95", (3, 0): "Riga", (3, 1): "13",
    }  # fmt: skip


def test_a_row_that_is_tagged_out_of_order_stands_as_it_is_printed(tmp_path: Path) -> None:
    """Spreadsheets do that with cells of a format of their own, in every other row."""
    paper = Tagged()
    places = [40 + 65 * m for m in range(8)]
    printed = [[f"{'abcdefgh'[m]}{n}" for m in range(8)] for n in range(6)]
    rows = []
    for n, row in enumerate(printed):
        order = (0, 7, *range(1, 7)) if n % 2 == 0 else range(8)
        cells = [paper.element("TD", paper.put(row[m], places[m], 114 + 14 * n)) for m in order]
        rows.append(paper.element("TR", *cells))
    (block,) = blocks(paper.save(tmp_path / "a.pdf", paper.element("Table", *rows)))
    assert block.table is not None
    found = {(c.row, c.column): flowed_text(c.lines) for c in block.table.cells}
    assert found == {(n, m): text for n, row in enumerate(printed) for m, text in enumerate(row)}


def test_what_is_outside_of_the_structure_in_a_margin_is_page_furniture(tmp_path: Path) -> None:
    paper = Tagged()
    paper.artifact("Draft", 72, 30)
    text = [paper.element("P", paper.put(LINE, 72, 100 + 14 * n)) for n in range(4)]
    found = blocks(paper.save(tmp_path / "a.pdf", *text))
    assert [b.kind for b in found] == ["header", "text"]


def test_a_structure_that_misses_much_of_the_text_is_not_believed(tmp_path: Path) -> None:
    paper = Tagged()
    head = paper.element("H1", paper.put(LINE, 72, 100))
    for n in range(6):
        paper.artifact(LINE, 72, 114 + 14 * n)
    found = blocks(paper.save(tmp_path / "a.pdf", head))
    assert [(b.kind, b.level) for b in found] == [("text", 0)]


def test_a_structure_that_leaves_out_words_beside_those_in_it_is_not_believed(tmp_path: Path) -> None:
    """As Calc makes it, which puts the cells of several lines into it alone."""
    paper = Tagged()
    for text, x in (("Risk", 72), ("Effect", 170)):
        paper.artifact(text, x, 40)
    tagged = []
    for n, label in enumerate(("Cooling towers", "Upper bounds", "Supply contracts")):
        paper.artifact(label, 72, 60 + 42 * n)
        tagged += [paper.element("P", paper.put(LINE, 170, 60 + 42 * n + 14 * line)) for line in range(3)]
    found = blocks(paper.save(tmp_path / "a.pdf", *tagged))
    assert "header" not in [block.kind for block in found]


def test_a_table_whose_cells_do_not_stand_in_rows_is_not_believed(tmp_path: Path) -> None:
    paper = Tagged()
    cells = [paper.element("TD", paper.put("word", 300 - 40 * n, 300 - 40 * n)) for n in range(6)]
    rows = [paper.element("TR", *cells[n : n + 2]) for n in (0, 2, 4)]
    found = blocks(paper.save(tmp_path / "a.pdf", paper.element("Table", *rows)))
    assert all(b.table is None for b in found)


def test_a_table_that_goes_on_in_the_next_column_of_the_page_stands_in_two(tmp_path: Path) -> None:
    paper = Tagged()
    places = [(72, 700), (72, 714), (330, 100), (330, 114)]
    rows = []
    for x, y in places:
        cells = [paper.element("TD", paper.put(text, x + shift, y)) for text, shift in (("Kiel", 0), ("11", 30))]
        rows.append(paper.element("TR", *cells))
    found = [b for b in blocks(paper.save(tmp_path / "a.pdf", paper.element("Table", *rows))) if b.table is not None]
    assert [(b.table.rows, b.table.columns) for b in found if b.table] == [(2, 2), (2, 2)]


def _item(paper: Tagged, marker: str, text: str, x: float, y: float, *inside: Dictionary) -> Dictionary:
    label = [paper.element("Lbl", paper.put(marker, x, y))] if marker else []
    return paper.element("LI", *label, paper.element("LBody", paper.put(text, x + 18, y), *inside))


def _items(block: Block) -> list[tuple[int, str, str]]:
    return [(item.level, item.marker, flowed_text(item.lines)) for item in block.items]


def test_lists_are_what_the_structure_says_they_are(tmp_path: Path) -> None:
    """Their markers may be any, their levels need no indentation, and one may follow right upon another."""
    paper = Tagged()
    inner = paper.element("L", _item(paper, "Nr 1", "of brick", 72, 114), _item(paper, "Nr 2", "of timber", 72, 128))
    first = paper.element("L", _item(paper, ">>", "Quays", 72, 100, inner), _item(paper, ">>", "Cranes", 72, 142))
    second = paper.element("L", _item(paper, "a.", "Kiel", 72, 156), _item(paper, "b.", "Oslo", 72, 170))
    found = blocks(paper.save(tmp_path / "a.pdf", first, second, paper.element("P", paper.put(LINE, 72, 200))))
    assert [block.kind for block in found] == ["list", "list", "text"]
    assert _items(found[0]) == [
        (0, ">>", "Quays"),
        (1, "Nr 1", "of brick"),
        (1, "Nr 2", "of timber"),
        (0, ">>", "Cranes"),
    ]
    assert [item.ordered for item in found[0].items] == [False, True, True, False]
    assert _items(found[1]) == [(0, "a.", "Kiel"), (0, "b.", "Oslo")]


def test_a_marker_that_is_not_tagged_as_one_is_told_by_its_look(tmp_path: Path) -> None:
    """Writer does so; the marker may stand right before the text."""
    paper = Tagged()
    bodies = [
        paper.element("LBody", paper.put(marker, 72, 100 + 14 * n), paper.put(text, 84, 100 + 14 * n))
        for n, (marker, text) in enumerate((("viii.", "Kiel"), ("ix.", "Oslo"), ("x.", "Bergen")))
    ]
    tagged = paper.element("L", *(paper.element("LI", body) for body in bodies))
    (block,) = blocks(paper.save(tmp_path / "a.pdf", tagged))
    assert _items(block) == [(0, "viii.", "Kiel"), (0, "ix.", "Oslo"), (0, "x.", "Bergen")]


def test_a_further_paragraph_of_an_item_and_one_after_the_list_are_told_apart(tmp_path: Path) -> None:
    paper = Tagged()
    body = paper.element("LBody", paper.put("Quays of brick.", 90, 100), paper.element("P", paper.put(LINE, 72, 120)))
    one = paper.element("LI", paper.element("Lbl", paper.put("-", 72, 100)), body)
    two = _item(paper, "-", "Quays of timber.", 72, 140)
    after = paper.element("P", paper.put("They were rebuilt.", 90, 156))
    found = blocks(paper.save(tmp_path / "a.pdf", paper.element("L", one, two), after))
    assert _items(found[0]) == [(0, "-", f"Quays of brick.\n{LINE}"), (0, "-", "Quays of timber.")]
    assert [block.text for block in found[1:]] == ["They were rebuilt."]


@pytest.mark.parametrize(
    "markers",
    [("", "", ""), ("The survey of the", "northern harbours", "was then printed"), ("1.", "", "")],
    ids=["none", "whole phrases", "one of three"],
)
def test_what_is_tagged_as_a_list_but_looks_like_none_is_text(tmp_path: Path, markers: tuple[str, ...]) -> None:
    paper = Tagged()
    tagged = [
        paper.element(
            "LI",
            *([paper.element("Lbl", paper.put(marker, 72, 100 + 14 * n))] if marker else []),
            paper.element("LBody", paper.put("Quays and cranes", 160, 100 + 14 * n)),
        )
        for n, marker in enumerate(markers)
    ]
    found = blocks(paper.save(tmp_path / "a.pdf", paper.element("L", *tagged)))
    assert len(found) == 1 or markers[0] == "1."
    assert sum(len(block.items) for block in found) == (1 if markers[0] == "1." else 0)


def test_items_whose_markers_stand_behind_them_are_no_list(tmp_path: Path) -> None:
    """A table of contents, for one: what is tagged as a marker is the page number."""
    paper = Tagged()
    tagged = []
    for n, text in enumerate(("Quays", "Cranes", "Harbours")):
        body = paper.element("LBody", paper.put(text, 72, 100 + 14 * n))
        tagged.append(paper.element("LI", paper.element("Lbl", paper.put(str(n + 3), 140, 100 + 14 * n)), body))
    found = blocks(paper.save(tmp_path / "a.pdf", paper.element("L", *tagged)))
    assert not any(block.items for block in found)


def test_cells_that_tags_leave_out_keep_their_place(tmp_path: Path) -> None:
    """The structure gives the rows, and where figures stand gives the columns; a sign stays with its figure."""
    paper = Tagged()
    places = {"label": 72, "sign": 200, "first": 212, "second": 300}
    rows = [
        {"label": "Fees", "sign": "$", "first": "1,250", "second": "840"},
        {"label": "Rent", "second": "310"},  # no cell for the first year
        {"label": "Storm damage", "first": "77"},
        {"label": "Total", "sign": "$", "first": "1,327", "second": "1,150"},
    ]
    tagged = [
        paper.element(
            "TR", *(paper.element("TD", paper.put(text, places[at], 100 + 14 * n)) for at, text in row.items())
        )
        for n, row in enumerate(rows)
    ]
    (table,) = [b.table for b in blocks(paper.save(tmp_path / "a.pdf", paper.element("Table", *tagged))) if b.table]
    found = {(cell.row, cell.column): flowed_text(cell.lines) for cell in table.cells if cell.lines}
    assert [found.get((1, n), "") for n in range(3)] == ["Rent", "", "310"]
    assert [found.get((2, n), "") for n in range(3)] == ["Storm damage", "77", ""]
    assert found[0, 1].replace(" ", "") == "$1,250"
