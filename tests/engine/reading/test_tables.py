"""Tables without drawn cells: where they begin and end, their rows and columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block
from paperchute.engine.reading.layout.marks import Font, Word
from tests.engine.reading.candidates import found_by
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import LOREM, blocks, printed

WIDE = "td,th{padding:3px 20px;text-align:left}"


def grids(path: Path) -> list[list[list[str]]]:
    return [grid(block) for block in blocks(path) if block.table is not None]


def grid(block: Block) -> list[list[str]]:
    assert block.table is not None
    rows = [[""] * block.table.columns for _ in range(block.table.rows)]
    for cell in block.table.cells:
        rows[cell.row][cell.column] = flowed_text(cell.lines)
    return rows


def html_table(rows: list[list[str]], head: bool = True) -> str:
    tags = ["th" if head and not n else "td" for n in range(len(rows))]
    lines = ("".join(f"<{t}>{cell}</{t}>" for cell in row) for t, row in zip(tags, rows, strict=True))
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


PORTS = [["Port", "Ships", "Crew"], ["Kiel", "11", "77"], ["Bergen", "12", "84"], ["Turku", "13", "91"]]


def test_cells_centred_beside_taller_ones_do_not_part_rows(tmp_path: Path) -> None:
    rows = [
        ["Role", "Lead", "Shadow"],
        ["Events", "Anna Berg<br>Ole Hansen", "Mia"],
        ["Food", "Jon", "Eva Lund<br>Per Dahl"],
        ["Rooms<br>and halls", "Tor", "Liv"],
    ]
    path = printed(tmp_path / "a.pdf", html_table(rows), "td,th{padding:8px 20px;vertical-align:middle}")
    assert grids(path) == [[[cell.replace("<br>", " ") for cell in row] for row in rows]]


def test_two_tables_with_a_heading_between_stay_two(tmp_path: Path) -> None:
    html = f"<p>{LOREM}</p>{html_table(PORTS)}<h3>The next year</h3><p>Seats: 5</p>{html_table(PORTS)}"
    assert grids(printed(tmp_path / "a.pdf", html, WIDE)) == [PORTS, PORTS]


def test_numbers_under_each_other_are_rows_however_tight(tmp_path: Path) -> None:
    rows = [["Year", "Income", "Cost"], *([str(1990 + n), f"{n * 37 % 90},5", ""] for n in range(9))]
    rows[4][2], rows[7][2] = "12", "9"
    path = printed(tmp_path / "a.pdf", html_table(rows), "td,th{padding:0 24px;line-height:1} th{padding-bottom:9px}")
    assert grids(path) == [rows]


def test_a_column_with_few_entries_is_a_column(tmp_path: Path) -> None:
    rows = [["Port", "Ships", "Note"], *([f"Port{n}", str(n * 11), "closed" if n in (3, 9) else ""] for n in range(14))]
    assert grids(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{html_table(rows)}", WIDE)) == [rows]


def test_a_table_at_the_very_top_of_a_page_is_no_running_head(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", html_table(PORTS), f"{WIDE} @page{{margin:20pt}}")
    assert grids(path) == [PORTS]


def test_a_bold_head_set_close_belongs_to_its_rows(tmp_path: Path) -> None:
    rows = [["Region total", "Payment method", "Crane"], ["Visby", "17", "31"], ["Aarhus", "28", "34"]]
    css = "td,th{padding:2px 3px;text-align:left}"
    assert grids(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{html_table(rows)}<p>{LOREM}</p>", css)) == [rows]


@pytest.mark.parametrize("html", [f"<p>{LOREM * 3}</p>", f"<ol><li>{LOREM}</li><li>{LOREM}</li></ol>"])
def test_text_is_no_table(tmp_path: Path, html: str) -> None:
    assert grids(printed(tmp_path / "a.pdf", html, "p{text-align:justify}")) == []


@st.composite
def cell_texts(draw: st.DrawFn) -> list[list[str]]:
    columns = draw(st.integers(2, 6))
    cell = st.text("abcdefgh", min_size=1, max_size=8)
    return draw(st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=3, max_size=12))


@given(cell_texts(), st.floats(6, 16), st.floats(1.2, 3.0))
def test_a_full_grid_of_words_is_found_as_it_is(rows: list[list[str]], size: float, leading: float) -> None:
    """Whatever the size and the distance of rows: words in columns two font sizes apart at least."""
    pitch = 7 * size
    words = [
        Word(
            text=text,
            left=50 + c * pitch,
            top=50 + r * size * leading - 0.78 * size,
            right=50 + c * pitch + 0.6 * size * len(text),
            bottom=50 + r * size * leading + 0.22 * size,
            baseline=50 + r * size * leading,
            size=size,
            font=Font(),
        )
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    ]
    (table,) = found_by("alignment", words)
    assert (table.rows, table.columns) == (len(rows), len(rows[0]))
    assert {(c.row, c.column): c.words[0].text for c in table.cells} == {
        (r, c): text for r, row in enumerate(rows) for c, text in enumerate(row)
    }


def test_an_unruled_table_goes_on_on_the_next_page(tmp_path: Path) -> None:
    rows = [["Port", "Ships", "Crew"], *([f"Port{n}", str(n * 11), str(n * 77)] for n in range(24))]
    table = html_table(rows).replace("<table><tr>", "<table><thead><tr>", 1).replace("</tr>", "</tr></thead>", 1)
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{table}", f"{WIDE} @page{{size:400pt 400pt;margin:50pt}}")
    found = [block for block in blocks(path) if block.table is not None]
    assert [block.continues for block in found] == [False] + [True] * (len(found) - 1)
    assert len(found) > 1


def test_tables_that_reach_over_the_gutter_stay_in_their_columns(tmp_path: Path) -> None:
    head = ["Name", "Used for", "Said of it"]
    wide = html_table([head, *([f"item {n}", "plain work", "holds together"] for n in range(9))])
    long = html_table([head, *([f"thing {n}", "plain work", "holds well"] for n in range(20))])
    html = f"<div style='left:0'><p>{LOREM * 2}</p>{wide}</div><div style='left:256pt'>{long}<p>{LOREM * 2}</p></div>"
    css = (
        "div{position:absolute;top:0;width:240pt} p{margin:8pt 0}"
        "table{border-collapse:collapse;width:262pt}td,th{border-bottom:1px solid;text-align:left}"
        "td:last-child{text-align:right}"
    )
    path = printed(tmp_path / "a.pdf", html, css)
    first, second = grids(path)
    assert first[1][0] == "item 0"
    assert second[1][0] == "thing 0"
    assert [block.kind for block in blocks(path)] == ["text", "table", "table", "text"]


def test_what_stands_under_a_letters_rule_is_no_part_of_the_table_below(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{item}</td><td>6{n}</td><td>7.9{n}</td></tr>" for n, item in enumerate(("Crate", "Lid")))
    html = (
        "<div style='border-bottom:2px solid'>Harbour &amp; Finch Ltd</div><h1>Invoice 2026-1187</h1>"
        "<p>21 November 2026, to be paid within 30 days at the latest</p><p>Brød Bakery<br>8000 Aarhus</p>"
        f"<table><tr><th>Item</th><th>Pieces</th><th>Amount</th></tr>{rows}</table>"
    )
    css = "table{border-collapse:collapse;width:100%} td,th{border-bottom:1px solid;padding:4px;text-align:left}"
    found = blocks(printed(tmp_path / "a.pdf", html, css))
    assert [block.kind for block in found][-1] == "table"
    assert grid(found[-1])[0][0] == "Item"
    assert "Invoice 2026-1187" in [block.text for block in found]


def _striped(sheet: Sheet, rows: list[list[list[str]]], xs: list[float]) -> None:
    """A table in which only every other row has its columns drawn; each cell is a list of lines."""
    y = 100.0
    for n, row in enumerate(rows):
        bottom = y + 14 * max(map(len, row)) + 6
        sheet.grid([xs[0], xs[-1]] if n % 2 else xs, [y, bottom])
        for x, lines in zip(xs, row, strict=False):
            for k, line in enumerate(lines):
                sheet.put(line, x + 3, y + 12 + 14 * k, 10)
        y = bottom


def test_columns_that_only_every_other_row_draws_are_those_of_all(tmp_path: Path) -> None:
    full = ["Storms of the north", "close the harbour", "for weeks"]  # reaches nearly to the next column
    rows = [
        [["Risk"], ["Effect"], ["Measure"]],
        [["Late ice"], full, ["Brick quays are built", "where timber was"]],
        [["Fire"], ["Sheds burn"], ["Watches at night"]],
        [["Silt"], full[:2], ["Dredging each", "spring and autumn"]],
        [["Rust"], ["Cranes stop"], ["Paint"]],
    ]
    sheet = Sheet()
    _striped(sheet, rows, [60, 130, 222, 340])
    assert grids(sheet.save(tmp_path / "a.pdf")) == [[[" ".join(cell) for cell in row] for row in rows]]


def test_a_sentence_over_all_columns_of_a_drawn_grid_stays_one_cell(tmp_path: Path) -> None:
    rows = [
        [["Risk"], ["Effect"], ["Measure"]],
        [["What follows was agreed upon in the meeting of March", "and holds until the next one, with all changes"]],
        [["Fire"], ["Sheds burn"], ["Watches at night"]],
    ]
    sheet = Sheet()
    _striped(sheet, rows, [60, 130, 222, 340])
    [block] = [b for b in blocks(sheet.save(tmp_path / "a.pdf")) if b.table is not None]
    assert block.table is not None
    spans = [cell.column_span for cell in block.table.cells if cell.row == 1]
    assert spans == [3]


def test_a_label_that_wraps_at_the_end_of_the_page_stays_with_its_row(tmp_path: Path) -> None:
    rows = [
        ("Revenue of the year", "10,400"),
        ("Other operating", "(3,711"),
        ("income", ""),
        ("Cost of sales", "(2,415"),
        ("Net result before", "88,120"),
        ("all taxes", ""),
    ]
    sheet = Sheet()
    for n, (label, figure) in enumerate(rows):
        sheet.put(label, 72, 100 + 13.8 * n, bold=True)
        for x in (230, 330):
            sheet.put(figure.replace("(", r"\("), x + 5.5 * (6 - len(figure)), 100 + 13.8 * n)
            if figure.startswith("("):
                sheet.put(r"\)", x + 45, 100 + 13.8 * n)
    assert grids(sheet.save(tmp_path / "a.pdf")) == [
        [
            ["Revenue of the year", "10,400", "10,400"],
            ["Other operating income", "(3,711)", "(3,711)"],
            ["Cost of sales", "(2,415)", "(2,415)"],
            ["Net result before all taxes", "88,120", "88,120"],
        ]
    ]


def test_wrapped_tasks_are_one_cell_each_down_to_the_last(tmp_path: Path) -> None:
    """Minutes: no figures, and hardly more between rows than between the lines of a task."""
    rows = [
        ["Action", "Who", "When"],
        ["The harbour office asks both yards for a price by letter before the next meeting", "Ada Ek", "12 May"],
        ["All berths are measured again, as the old chart leaves out the northern pier", "Jon Lie", "3 June"],
        ["Nobody pays for the crane until the report of the inspector has been heard", "Ada Ek", "9 June"],
    ]
    css = "td,th{padding:0.75pt 12pt 0.75pt 0;vertical-align:top;text-align:left} td:first-child{width:200pt}"
    html = f"<p>Minutes of the board</p>{html_table(rows)}"
    assert grids(printed(tmp_path / "a.pdf", html, css)) == [rows]


def _framed(sheet: Sheet, label: str, bold: bool) -> None:
    """A grid of four columns; the last three have one head cell, with a label over what stands in the columns."""
    xs, ys = [60.0, 140.0, 220.0, 300.0, 380.0], [100.0, 130.0, 148.0, 166.0]
    sheet.grid(xs, ys[1:])
    for x in (xs[0], xs[1], xs[-1]):
        sheet.line(x, ys[0], x, ys[1])
    sheet.line(xs[0], ys[0], xs[-1], ys[0])
    sheet.put("State", 64, 125, 9)
    sheet.put(label, 260 - 2.2 * len(label), 110, 9, bold=bold)
    for row, texts in enumerate((["Long", "Short", "Other"], ["18,870", "2,303", "7"], ["4,144", "932", "0"])):
        for x, text in zip(xs[1:], texts, strict=False):
            sheet.put(text, x + 30, 125 + 18 * row, 9)
    for row, text in enumerate(["Ohio", "Utah"], 1):
        sheet.put(text, 64, 125 + 18 * row, 9)


@pytest.mark.parametrize(
    ("label", "bold"), [("Returned and disposed of", False), ("Returned and disposed of", True), ("Pawned", True)]
)
def test_a_label_over_columns_in_one_drawn_cell_is_a_row_of_its_own(tmp_path: Path, label: str, bold: bool) -> None:
    sheet = Sheet()
    _framed(sheet, label, bold)
    (table,) = [block.table for block in blocks(sheet.save(tmp_path / "a.pdf")) if block.table is not None]
    cells = {(c.row, c.column, c.row_span, c.column_span): flowed_text(c.lines) for c in table.cells}
    heads = {(0, 0, 2, 1): "State", (0, 1, 1, 3): label, (1, 1, 1, 1): "Long", (1, 2, 1, 1): "Short"}
    assert cells.items() >= heads.items()
    assert [cells[2, n, 1, 1] for n in range(4)] == ["Ohio", "18,870", "2,303", "7"]


def test_a_word_over_one_column_of_a_drawn_cell_is_no_label_of_all(tmp_path: Path) -> None:
    sheet = Sheet()
    _framed(sheet, "Very", False)
    (found,) = grids(sheet.save(tmp_path / "a.pdf"))
    assert found[0] == ["State", "Long", "Very Short", "Other"]


def test_a_row_of_sums_below_the_last_rule_that_the_walls_reach_over_is_of_the_table(tmp_path: Path) -> None:
    rows = [["", "Count", "Share"], ["Kept", "344", "75.2"], ["Sold", "114", "24.8"], ["Total", "458", "100.0"]]
    xs, ys = [80.0, 250.0, 350.0, 450.0], [100.0, 115.0, 130.0, 145.0]
    sheet = Sheet()
    for x in xs:
        sheet.line(x, ys[0], x, ys[-1] + 15)
    for y in ys:
        sheet.line(xs[0], y, xs[-1], y)
    for row, texts in enumerate(rows):
        for x, text in zip(xs, texts, strict=False):
            sheet.put(text, x + 5, ys[0] + 11 + 15 * row, 9)
    assert grids(sheet.save(tmp_path / "a.pdf")) == [rows]


def test_a_name_in_display_type_over_small_lines_is_no_table(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.line(60, 60, 540, 60)
    for x, text in ((60, "Number 12"), (280, "Founded 1890"), (470, "Price 2.50")):
        sheet.put(text, x, 74, 8)
    sheet.put("The", 70, 110, 30)
    sheet.put("Harbour", 220, 110, 30)
    sheet.put("Times", 430, 110, 30)
    sheet.line(60, 120, 540, 120)
    for number in range(12):
        sheet.put(
            "The quick survey of the northern harbours showed that most of the older quays", 60, 150 + 13 * number
        )
    assert grids(sheet.save(tmp_path / "a.pdf")) == []


def _priced(tmp_path: Path, rows: list[tuple[str, str, str]]) -> list[list[str]]:
    """Rows of a description, a price and a discount, with no wall between the last two."""
    sheet = Sheet()
    sheet.grid([60, 220, 340], [100 + 20 * n for n in range(len(rows) + 1)])
    for row, (first, price, discount) in enumerate(rows):
        sheet.put(first, 64, 114 + 20 * row, 9)
        sheet.put(price, 270 - 5 * len(price), 114 + 20 * row, 9)
        sheet.put(discount, 335 - 5 * len(discount), 114 + 20 * row, 9)
    (found,) = grids(sheet.save(tmp_path / "a.pdf"))
    return found


def test_columns_that_no_wall_parts_are_two_where_head_and_rows_show_it(tmp_path: Path) -> None:
    rows = [("Goods", "Price", "Off"), ("Nougat", "4,55", "10%"), ("Biscuits", "3,20", ""), ("Oil", "19,80", "5%")]
    assert _priced(tmp_path, rows) == [list(row) for row in rows]


def test_they_stay_one_under_one_head(tmp_path: Path) -> None:
    found = _priced(tmp_path, [("Goods", "Price", ""), ("Nougat", "4,55", "10%"), ("Biscuits", "3,20", "")])
    assert [len(row) for row in found] == [2, 2, 2]


def _tall_rows(head: str, words: int, css: str = "") -> str:
    """A table of which every page has one row, as text programs break it."""
    columns = "".join(f"<col style='width: {width}pt'>" for width in (40, 200, 60))
    rows = [
        f"<tr><td>{number}</td><td style='height: 350pt'>{' '.join(LOREM.split() * 9)[: 6 * words]}</td>"
        f"<td>{7 * number},00</td></tr>"
        for number in range(1, 5)
    ]
    tables = (f"<table>{columns}{head if not number else ''}{row}</table>" for number, row in enumerate(rows))
    return f"<style>{_TALL}{css}</style>{''.join(tables)}"


_TALL = (
    "@page { size: 400pt 500pt; margin: 40pt } td, th { border: 1px solid; vertical-align: top; padding: 4pt }"
    "table { border-collapse: collapse; width: 300pt; table-layout: fixed; break-after: page }"
)


@pytest.mark.parametrize("words", [12, 90, 170])
def test_one_tall_row_a_page_goes_on_with_the_table(tmp_path: Path, words: int) -> None:
    head = "<tr><th>No</th><th>What</th><th>Price</th></tr>"
    found = blocks(printed(tmp_path / "a.pdf", _tall_rows(head, words)))
    assert [block.kind for block in found] == ["table"] * 4
    assert [block.continues for block in found] == [False, True, True, True]
    firsts = [table[-1][0] for table in grids(tmp_path / "a.pdf")]
    assert firsts == ["1", "2", "3", "4"]


def test_a_box_of_other_columns_than_those_of_the_page_before_is_no_table(tmp_path: Path) -> None:
    head = "<tr><th>No</th><th>What</th><th>Price</th></tr>"
    boxed = _tall_rows(head, 90).replace("<td>14,00</td>", "")
    found = blocks(printed(tmp_path / "a.pdf", boxed, "table:nth-of-type(2) { width: 240pt }"))
    assert [block.kind for block in found][:2] == ["table", "text"]
