"""What tagged PDFs say of themselves, and when it is believed."""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.document.flow import flowed_text
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
