"""Tables of figures without walls: statements and results, as reports print them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.reading.layout.marks import Font, Word
from paperchute.engine.reading.layout.tables.amounts import is_figure, with_whole_figures, without_leaders
from paperchute.engine.reading.layout.tables.bands import bands_of
from tests.engine.reading.candidates import found_by
from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import LOREM, blocks, markdown, printed
from tests.engine.reading.sheets import Said, written
from tests.engine.reading.test_tables import grid, grids, html_table

TEXT = f"<p>{LOREM}</p>"


def words(*texts: tuple[str, float], size: float = 10) -> list[Word]:
    """Words of one line at these places, letters half as wide as high."""
    return [Word(text, left, 90, left + 0.5 * size * len(text), 102, 100, size, Font()) for text, left in texts]


@pytest.mark.parametrize(
    ("printed_words", "told"),
    [
        ([("Cash", 0), ("$", 200), ("178", 260), ("$", 280), ("141", 340)], ["Cash", "$ 178", "$ 141"]),
        ([("Loss", 0), ("(2,415", 200), (")", 232)], ["Loss", "(2,415 )"]),
        ([("Share", 0), ("12.5", 200), ("%", 224), ("3.1", 300), ("%", 319)], ["Share", "12.5 %", "3.1 %"]),
        ([("Mean", 0), ("1.2", 100), ("±", 118), ("0.4", 126)], ["Mean", "1.2 ± 0.4"]),
        ([("Sum", 0), ("1", 100), ("234", 107), ("567", 124)], ["Sum", "1 234 567"]),
        ([("Row", 0), ("100", 100), ("200", 140)], ["Row", "100", "200"]),
        ([("Preis", 0), ("3,50", 100), ("€", 123)], ["Preis", "3,50 €"]),
        ([("Net", 0), ("34.20", 100), ("-", 160), ("82.49", 168)], ["Net", "34.20", "- 82.49"]),
        ([("Net", 0), ("-", 100), ("82.49", 160)], ["Net", "-", "82.49"]),
        ([("Net", 0), ("-", 100), ("-", 160), ("82.49", 168)], ["Net", "-", "- 82.49"]),
        ([("Years", 0), ("10", 100), ("-", 113), ("20", 121)], ["Years", "10", "-", "20"]),
    ],
)
def test_parts_of_a_figure_that_stand_apart_are_one(printed_words: list[tuple[str, float]], told: list[str]) -> None:
    bands, parts = with_whole_figures(bands_of(words(*printed_words)))
    whole = [word for band in bands for word in band.ordered]
    assert [word.text for word in whole] == told
    assert sum(len(parts.get(id(word), [word])) for word in whole) == len(printed_words)


@pytest.mark.parametrize(
    "text",
    ["178", "(55,952)", "—", "$ 178", "−2.754**", "12:30", "1 234,50", "3.5 ± 0.1", "7%", "1'234.50"],
)
def test_figures(text: str) -> None:
    assert is_figure(text)


@pytest.mark.parametrize("text", ["- 9,184.72", "− 9.00", "9,184.72-", "1.234,56 S", "12.00 CR", "12.00DR", "1,200-"])
def test_negative_figures_of_banks_and_tills(text: str) -> None:
    assert is_figure(text)


@pytest.mark.parametrize("text", ["Q1", "1.", "a.", "Cash", "3rd quarter", "$", "10-", "7 S", "- a"])
def test_what_is_no_figure(text: str) -> None:
    assert not is_figure(text)


def test_leaders_are_no_words_and_an_omission_is_none() -> None:
    line = words(("Cash", 0), (".", 30), (".", 36), (".", 42), (".", 48), ("...", 60), ("12", 200), ("...", 300))
    assert [word.text for word in without_leaders(line)] == ["Cash", "12", "..."]


STATEMENT = [
    ["", "2025", "2024"],
    ["Current assets:", "", ""],
    ["Cash and equivalents", "$ 8,589", "$ 7,280"],
    ["Accounts receivable", "23,065", "9,999"],
    ["Total current assets", "$ 31,654", "$ 17,279"],
    ["Loss on lease obligations", "(1,519)", "—"],
]


def statement(css: str = "") -> str:
    """A statement whose currency signs and closing brackets have columns of their own."""
    lines = []
    for label, *figures in STATEMENT:
        cells = f"<td>{label}</td>"
        for figure in figures:
            sign, number = figure.split(" ") if " " in figure else ("", figure)
            bracket = ")" if number.endswith(")") else ""
            cells += f"<td class=s>{sign}</td><td class=n>{number.removesuffix(')')}</td><td>{bracket}</td>"
        lines.append(f"<tr>{cells}</tr>")
    style = (
        f"<style>table{{width:100%}} .n{{text-align:right}} .s{{padding-left:30px}} td{{padding:2px 0}} {css}</style>"
    )
    return f"{TEXT}{style}<table>{''.join(lines)}</table>{TEXT}"


@pytest.mark.parametrize("css", ["", "tr:nth-child(even){background:#cef}", "tr:nth-child(5) .n{border-top:1px solid}"])
def test_a_statement_is_one_table_with_its_labels(tmp_path: Path, css: str) -> None:
    """Found as columns of text, one year a table, before; stripes were taken for the bars of a chart."""
    (found,) = grids(printed(tmp_path / "a.pdf", statement(css)))
    assert [[cell.replace(" )", ")") for cell in row] for row in found] == STATEMENT


def test_a_head_over_all_years_spans_them_and_a_unit_too(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{name}</td><td>{n},178</td><td>{n},141</td></tr>" for n, name in enumerate("abc", 1))
    html = (
        f"{TEXT}<table><tr><td></td><td colspan=2 style='text-align:center'>Year ended June 30</td></tr>"
        f"<tr><td></td><td>2025</td><td>2024</td></tr>"
        f"<tr><td></td><td colspan=2 style='text-align:center'>(in millions)</td></tr>{rows}</table>"
    )
    css = "td{padding:2px 30px;text-align:right} td:first-child{text-align:left}"
    (block,) = [block for block in blocks(printed(tmp_path / "a.pdf", html, css)) if block.table]
    assert block.table is not None
    spans = {flowed_text(cell.lines): cell.column_span for cell in block.table.cells if cell.header}
    assert spans == {"Year ended June 30": 2, "2025": 1, "2024": 1, "(in millions)": 2}


def test_errors_stand_in_rows_under_their_coefficients(tmp_path: Path) -> None:
    rows = [["", "(1)", "(2)"]]
    for name in ("Age", "Income", "Region"):
        rows += [[name, "0.412**", "−0.037"], ["", "(0.120)", "(0.044)"]]
    css = "td,th{padding:1px 30px;text-align:center}"
    assert grids(printed(tmp_path / "a.pdf", f"{TEXT}{html_table(rows, head=False)}{TEXT}", css)) == [rows]


def test_a_wrapped_label_is_one_beside_its_figures(tmp_path: Path) -> None:
    label = "Cost of goods sold including the amortisation of acquired developments"
    rows = [["Item", "2025", "2024"], *([f"{label} {n}", f"{n},500", f"{n},400"] for n in range(1, 5))]
    css = "td{padding:6px 20px;vertical-align:%s} td:first-child{width:180px} th{text-align:left}"
    for align in ("top", "middle", "bottom"):
        html = f"{TEXT}{html_table(rows)}{TEXT}"
        assert grids(printed(tmp_path / f"{align}.pdf", html, css % align)) == [rows]


def test_two_tables_of_figures_side_by_side_stay_two(tmp_path: Path) -> None:
    left = [["Port", "Ships"], *([f"Port {n}", str(n * 111)] for n in range(1, 7))]
    right = [["Year", "Crew"], *([f"Year {n}", str(n * 77)] for n in range(1, 11))]
    html = "".join(
        f"<div style='position:absolute;top:0;left:{x}px'>{html_table(rows)}</div>"
        for x, rows in ((0, left), (330, right))
    )
    assert grids(printed(tmp_path / "a.pdf", html, "td,th{padding:2px 20px;text-align:left}")) == [left, right]


def test_a_figure_at_the_end_of_leaders_is_in_no_cell_with_another_row(tmp_path: Path) -> None:
    """Leaders of different lengths: the figure of a short one stands in the column of the labels."""
    sheet = Sheet()
    rows = [
        ("storm Oslo k15", 36, 63),
        ("winter the k16", 5, 20),
        ("which brick from k17", 0, 191),
        ("net pilot k18", 7, 82),
    ]
    rows += [("was k19", 13, 32), ("paid to k20", 5, 5), ("salt and k21", 9, 77)]
    for n, (label, dots, figure) in enumerate(rows):
        y = 100 + 14 * n
        sheet.put(label, 60, y, 10)
        if dots:
            sheet.put(" ".join("." * dots), 300, y, 10)
            sheet.put(str(figure), 520, y, 10)
        else:
            sheet.put(f"............... {figure}", 165, y, 10)
    for block in blocks(sheet.save(tmp_path / "a.pdf")):
        cells = block.table.cells if block.table is not None else ()
        for text in [flowed_text(cell.lines) for cell in cells] or [block.text]:
            assert "191" not in text or not {"k16", "k18", "20"} & set(text.split())


def test_sums_with_leaders_are_a_table_and_contents_are_none(tmp_path: Path) -> None:
    sums = "".join(
        f"<tr><td>{name} {'. ' * 12}</td><td>{figure}</td></tr>"
        for name, figure in (("Wages", "9,310"), ("Rent", "1,200"), ("Fuel", "880"), ("Sum", "11,390"))
    )
    found = grids(printed(tmp_path / "a.pdf", f"<table>{sums}</table>", "td{padding:1px 9px}"))
    assert found == [[["Wages", "9,310"], ["Rent", "1,200"], ["Fuel", "880"], ["Sum", "11,390"]]]
    contents = sums.replace("9,310", "1").replace("1,200", "4").replace("11,390", "19").replace("880", "9")
    assert grids(printed(tmp_path / "b.pdf", f"<table>{contents}</table>", "td{padding:1px 9px}")) == []


def test_cells_of_several_lines_beside_labels_are_a_table_of_text(tmp_path: Path) -> None:
    rows = [["Risk", "Effect", "Measure"]]
    rows += [[name, f"{LOREM[:90].strip()} {name}", f"{LOREM[4:70].strip().capitalize()} {name}"] for name in "ABCD"]
    css = "td,th{padding:0 12px 0 0;vertical-align:top;text-align:left} td{width:150px}"
    assert grids(printed(tmp_path / "a.pdf", f"{TEXT}{html_table(rows)}{TEXT}", css)) == [rows]


@pytest.mark.parametrize("count", [2, 3])
def test_columns_of_a_newspaper_are_no_table(tmp_path: Path, count: int) -> None:
    html = f"<div style='column-count:{count};column-rule:1px solid'>{TEXT * 9}</div>"
    assert grids(printed(tmp_path / "a.pdf", html)) == []


def test_an_invoice_head_is_no_part_of_its_table(tmp_path: Path) -> None:
    rows = [["No", "Item", "Qty", "Amount"], *([str(n), f"Item {n}", str(n + 2), f"{n * 31}.50"] for n in range(1, 5))]
    html = (
        "<div>Northern Harbour Ltd<br>Quay Street 4</div>"
        f"<div style='margin-left:300px'>Invoice number: 4711<br>Date: 4 May 2025</div><br>{html_table(rows)}"
    )
    path = printed(tmp_path / "a.pdf", html, "td,th{padding:3px 20px;text-align:left}")
    assert grids(path) == [rows]


label = st.lists(
    st.sampled_from(["cash", "rent", "lease", "wages", "fuel", "stock", "trade", "quay"]), min_size=1, max_size=3
)
amount = st.integers(1, 999_999).flatmap(lambda n: st.sampled_from([f"{n:,}", f"({n:,})", f"{n / 100:,.2f}"]))


@st.composite
def accounts(draw: st.DrawFn) -> list[list[str]]:
    """Rows of labels and figures of any number, head first."""
    count = draw(st.integers(2, 5))
    body = draw(st.lists(st.tuples(label, st.lists(amount, min_size=count, max_size=count)), min_size=3, max_size=12))
    head = ["Account", *(str(2025 - n) for n in range(count))]
    return [head, *([f"{' '.join(name).capitalize()} {n}", *own] for n, (name, own) in enumerate(body))]


BY_CHANCE = [
    *(f"Cash {n}" for n in range(7)),
    "Wages rent cash 7",
    "Wages rent cash 8",
    "Fuel wages 9",
    "Quay stock 10",
]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example([["Account", "2025", "2024"], *([name, "1", "1"] for name in BY_CHANCE)], 0, 9, "right", False)
@given(accounts(), st.integers(0, 4), st.integers(9, 30), st.sampled_from(["right", "left", "center"]), st.booleans())
def test_any_account_is_read_back_cell_by_cell(
    tmp_path: Path, rows: list[list[str]], above: int, beside: int, align: str, striped: bool
) -> None:
    css = (
        f"table{{border-collapse:collapse}} td,th{{padding:{above}px {beside}px;text-align:{align};white-space:nowrap}}"
        "td:first-child,th:first-child{text-align:left}" + ("tr:nth-child(odd) td{background:#dde}" if striped else "")
    )
    found = [b for b in blocks(printed(tmp_path / "a.pdf", f"{TEXT}{html_table(rows)}{TEXT}", css)) if b.table]
    assert [grid(block) for block in found] == [rows]
    assert all(0.5 < block.confidence <= 1 for block in found)


INVOICE = [
    ["Item", "No.", "Price", "Total"],
    ["LED panel 60 x 60", "19", "£279.95", "£5,319.05"],
    ["Mortar, ready mixed", "11", "£204.75", "£2,252.25"],
    ["Junction box", "17", "£76.38", "£1,298.46"],
    ["", "", "Net", "£8,869.76"],
    ["", "", "VAT 20 %", "£1,773.95"],
    ["", "", "Total", "£10,643.71"],
]


def test_sums_whose_labels_stand_under_the_prices_part_no_table(tmp_path: Path) -> None:
    css = "table{width:100%} td,th{text-align:right} td:first-child,th:first-child{text-align:left}"
    html = f"<p>Invoice 77</p>{html_table(INVOICE)}<p>IBAN: DE89 3704 0044 0532 0130 00</p>"
    assert grids(printed(tmp_path / "a.pdf", html, css)) == [INVOICE]


def _line(number: int, places: tuple[float, ...]) -> list[Word]:
    y = 100 + 14.0 * number
    return [
        Word(text, x, y - 10, x + 5 * len(text), y + 2, y, 10, Font())
        for text, x in [("Label", 40.0), *((f"{n}{number:02}.00", x) for n, x in enumerate(places, 1))]
    ]


@given(st.lists(st.sampled_from([(), (200.0,), (300.0,), (200.0, 300.0), (120.0, 400.0)]), min_size=4, max_size=24))
@example([(300.0,)] * 5 + [(200.0,)] + [(200.0, 300.0)] * 5)
def test_no_word_stands_in_two_tables(places: list[tuple[float, ...]]) -> None:
    seen = [word for number, line in enumerate(places) for word in _line(number, line)]
    told = [word for table in found_by("figures", seen) for cell in table.cells for word in cell.words]
    assert len({id(word) for word in told}) == len(told)


@pytest.mark.parametrize("sign", ["{}-", "- {}", "– {}", "{} CR"])
def test_lines_with_negative_figures_alone_are_rows(sign: str, tmp_path: Path) -> None:
    """They went into the row above, two amounts in one cell."""
    rows = [*[("Quay", "10.00", "20.00")] * 3, ("brick", sign.format("3.50"), sign.format("4.25"))] * 2
    said = [
        Said(text, x, 100 + 14 * n) for n, row in enumerate(rows) for text, x in zip(row, (72, 250, 350), strict=True)
    ]
    (table,) = grids(written(tmp_path / "a.pdf", [said]))
    assert table == [list(row) for row in rows]


def test_a_foot_under_its_own_rule_is_no_row_of_the_table_far_above(tmp_path: Path) -> None:
    sheet = Sheet()
    jobs = ("Assistant", "Team lead", "Consultant", "Engineer", "Trainee", "Clerk")
    for y in (90, 200, 750):
        sheet.line(60, y, 540, y)
    for n, job in enumerate(jobs):
        sheet.put(job, 60, 104 + 18 * n, 10)
        sheet.put(f"{100 + n}.50", 300, 104 + 18 * n, 10)
        sheet.put(f"{700 + n}.50", 500, 104 + 18 * n, 10)
    for n, (name, bank, court) in enumerate((("Marsh", "Hansa Bank", "Leeds"), ("Mill Road", "IBAN", "HRB 12"))):
        for text, x in ((name, 60), (bank, 300), (court, 500)):
            sheet.put(text, x, 762 + 10 * n, 7)
    (table, *_) = grids(sheet.save(tmp_path / "a.pdf"))
    assert [row[0] for row in table] == list(jobs)


def test_a_head_set_left_over_figures_set_right_heads_the_lines_of_the_first_description(tmp_path: Path) -> None:
    texts = ("A lamp for desks of every height, with a clamp and a cable", "Paper", "A chair that turns and has wheels")
    rows = "".join(
        f"<tr><td>A-{n}</td><td style='width:30mm'>{text}</td><td>box of ten</td><td class=r>{n}39.50</td></tr>"
        for n, text in enumerate(texts * 2, start=1)
    )
    head = "<tr><th>Item</th><th>Description</th><th>Unit</th><th style='width:20mm'>Price</th></tr>"
    css = "td,th{vertical-align:middle;text-align:left;padding:4px 30px 4px 0} td.r{text-align:right}"
    made = markdown(printed(tmp_path / "a.pdf", f"<table>{head}{rows}</table>", css), tmp_path / "out").replace("*", "")
    assert made.startswith("| Item | Description | Unit | Price |")
    assert f"| A-1 | {texts[0]} | box of ten | 139.50 |" in made
