"""Bar charts are pictures with their words; areas of tables are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.engine.document.model import Block
from tests.engine.reading.printing import LOREM, blocks, markdown, printed

PORTS = ["Kiel", "Oslo", "Bergen", "Riga", "Turku"]
SHIPS = [60, 110, 30, 90, 75]
CRANES = [40, 62, 100, 20, 50]


def _text(x: float, y: float, text: object) -> str:
    return f'<text x="{x}" y="{y}" font-size="9">{text}</text>'


def _rect(x: float, y: float, width: float, height: float, fill: str = "#36c") -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"/>'


def standing(*series: list[int], grid: bool = True) -> str:
    """Standing bars, side by side for several series, with a legend then."""
    drawn = '<path d="M40 20V150H380" fill="none" stroke="black"/>'
    if grid:
        lines = (f'<path d="M40 {150 - 40 * n}H380" stroke="#ccc"/>{_text(12, 154 - 40 * n, n * 20)}' for n in range(4))
        drawn = "".join(lines) + drawn
    width = 28 / len(series)
    for number, heights in enumerate(series):
        fill = ("#36c", "#c63")[number]
        drawn += "".join(_rect(52 + 64 * n + width * number, 150 - h, width, h, fill) for n, h in enumerate(heights))
        if len(series) > 1:
            drawn += _rect(120 + 100 * number, 184, 8, 8, fill) + _text(
                132 + 100 * number, 192, ("ships", "cranes")[number]
            )
    drawn += "".join(_text(52 + 64 * n, 164, port) for n, port in enumerate(PORTS))
    return f'<svg width="420" height="200">{drawn}</svg>'


def lying(axis: bool) -> str:
    """Lying bars with names, and numbers along them."""
    drawn = '<path d="M80 10V150" fill="none" stroke="black"/>'
    drawn += "".join(_rect(80, 16 + 26 * n, 2.4 * length, 18) for n, length in enumerate(SHIPS))
    drawn += "".join(_text(30, 28 + 26 * n, port) for n, port in enumerate(PORTS))
    drawn += "".join(_text(76 + 60 * n, 164, 20 * n) for n in range(5)) if axis else ""
    return f'<svg width="440" height="200">{drawn}</svg>'


def around(tmp_path: Path, html: str, css: str = "") -> Block:
    """What stands between two paragraphs; there must be nothing else."""
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><div>{html}</div><p>{LOREM}</p>", css))
    assert [found[0].kind, found[-1].kind] == ["text", "text"]
    (block,) = found[1:-1]
    return block


@pytest.mark.parametrize(
    ("chart", "words"),
    [
        (standing(SHIPS), {"0", "60", *PORTS}),
        (standing(SHIPS, grid=False), set(PORTS)),
        (standing(SHIPS, CRANES), {"20", *PORTS, "ships", "cranes"}),
        (lying(axis=True), {"0", "80", *PORTS}),
        (lying(axis=False), set(PORTS)),
    ],
    ids=["standing", "without scale", "two series and legend", "lying", "lying without scale"],
)
def test_a_bar_chart_is_one_picture_with_its_words(tmp_path: Path, chart: str, words: set[str]) -> None:
    block = around(tmp_path, chart)
    assert block.kind == "image"
    assert block.image is not None
    assert words <= set(block.text.split())


@pytest.mark.parametrize("below", [LOREM, "Ships that called. Kiel had 60 in all.", "Five ports had ships in May."])
def test_a_text_right_under_bars_without_names_stays_text(tmp_path: Path, below: str) -> None:
    bars = "".join(_rect(52 + 64 * n, 120 - height, 40, height) for n, height in enumerate(SHIPS))
    chart = f'<svg width="420" height="121" style="display: block"><path d="M40 120H380" stroke="black"/>{bars}</svg>'
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{chart}<p>{below}</p>"))
    assert [block.kind for block in found] == ["text", "image", "text"]
    assert " ".join(found[2].text.split()) == " ".join(below.split())


def test_the_words_of_a_bar_chart_are_its_alternative_text(tmp_path: Path) -> None:
    text = markdown(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{standing(SHIPS)}<p>{LOREM}</p>"), tmp_path / "out")
    assert "Bergen" in text.split("![")[1].split("]")[0]
    assert "|" not in text


def _rows(cells: str) -> str:
    return "".join(
        f"<tr><td>{port}</td><td>{cells.format(3 * SHIPS[n])}</td><td>{CRANES[n]}</td></tr>"
        for n, port in enumerate(PORTS)
    )


@pytest.mark.parametrize("rules", ["border-bottom:1px solid", "border:1px solid", ""], ids=["rows", "grid", "none"])
def test_bars_in_the_cells_of_a_table_leave_it_a_table(tmp_path: Path, rules: str) -> None:
    bar = '<div style="background:#36c;height:10pt;width:{}px"></div>'
    css = f"table{{border-collapse:collapse}}td{{padding:4pt 12pt;{rules}}}td:nth-child(2){{width:260pt}}"
    block = around(tmp_path, f"<table>{_rows(bar)}</table>", css)
    assert block.table is not None
    assert block.table.rows == len(PORTS)
    assert {line.text for cell in block.table.cells for line in cell.lines} == {*PORTS, *map(str, CRANES)}


@pytest.mark.parametrize(
    "css",
    [
        "tr:nth-child(odd){background:#ddd}",
        "td{background:#def;border:2pt solid white}",
        "td:first-child{background:#ccc}",
    ],
    ids=["rows", "cells", "column"],
)
def test_a_shaded_table_is_a_table(tmp_path: Path, css: str) -> None:
    block = around(
        tmp_path, f"<table>{_rows('{} ships')}</table>", f"table{{border-collapse:collapse}}td{{padding:4pt 12pt}}{css}"
    )
    assert block.table is not None
    assert (block.table.rows, block.table.columns) == (5, 3)


def test_empty_boxes_of_a_form_are_no_chart(tmp_path: Path) -> None:
    """All are equally high."""
    field = '<span style="display:inline-block;width:40pt;height:40pt;background:#ddd;margin-right:10pt"></span>'
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><p>{field * 5}</p><p>{LOREM}</p>"))
    assert all(block.kind == "text" for block in found)


def test_shades_of_rows_of_which_one_is_higher_in_some_columns_are_a_tables(tmp_path: Path) -> None:
    """A cell that reaches over several lines shades the others in pieces, which look like unequal bars."""
    rows = ["Consent", "Screening", "Baseline", "Biopsy", "Follow-up", "Report"]
    lefts, widths = [0, 120, 180, 240, 300], [120, 60, 60, 60, 60]
    drawn = "".join(_text(4, 18 + 30 * n, row) for n, row in enumerate(rows))
    drawn += "".join(_text(lefts[1 + n % 4] + 24, 18 + 30 * n, "X") for n in range(len(rows)))
    shades = ""
    for n in (0, 2, 4):
        for column, (x, width) in enumerate(zip(lefts, widths, strict=True)):
            above = 18 if n == 4 and column == 3 else 0  # reaches into the row above
            shades += _rect(x, 30 * n - above, width, 30 + above, "#bcd")
    found = blocks(
        printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><svg width='400' height='200'>{shades}{drawn}</svg><p>{LOREM}</p>")
    )
    assert all(block.image is None for block in found)
    (table,) = [block.table for block in found if block.table is not None]
    assert table.rows == len(rows)
