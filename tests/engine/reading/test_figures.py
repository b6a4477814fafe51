"""Drawn figures: one picture with its labels; what only looks like one stays what it is."""

from __future__ import annotations

import io
from pathlib import Path

import PIL.Image
import pytest

from paperchute.engine import ledger
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.survey import Survey
from paperchute.engine.reading.pdf.document import opened, opened_page
from paperchute.engine.reading.pdf.reader import Options, read_marks
from paperchute.engine.reading.pdf.styles import Fonts
from tests.engine.reading.printing import LOREM, blocks, markdown, picture, printed
from tests.pixels import pixels

_AXES = '<path d="M40 10V170H300" fill="none" stroke="black"/>'
_CURVE = "".join(f"L{40 + 8 * n} {170 - 150 * (1 - 0.93**n):.1f}" for n in range(1, 32))
_NUMBERS = "".join(f'<text x="14" y="{174 - 40 * n}" font-size="9">{n * 20}</text>' for n in range(4))
_YEARS = "".join(f'<text x="{60 + 60 * n}" y="184" font-size="9">{2020 + n}</text>' for n in range(4))
CHART = (
    f'<svg width="320" height="190">{_AXES}<path d="M40 170{_CURVE}" fill="none" stroke="red"/>{_NUMBERS}{_YEARS}'
    '<text x="200" y="60" font-size="9">tonnes a year</text></svg>'
)
_PIE = (
    '<svg width="200" height="120"><circle cx="100" cy="60" r="50" fill="#eee"/><path d="M100 60L150 60A50 50 0 0 1 '
    '75 103Z" fill="teal"/><path d="M100 60L75 103A50 50 0 0 1 60 30Z" fill="orange"/></svg>'
)


def test_a_chart_is_one_picture_with_its_labels_between_its_texts(tmp_path: Path) -> None:
    path = printed(
        tmp_path / "a.pdf", f"<p>{LOREM}</p><div>{CHART}</div><p>Figure 1. Catches by year.</p><p>{LOREM}</p>"
    )
    found = blocks(path)
    assert [block.kind for block in found] == ["text", "image", "text", "text"]
    chart = found[1]
    assert chart.image is not None
    assert {"2020", "2023", "60", "tonnes"} <= set(chart.text.split())
    assert found[2].text == "Figure 1. Catches by year."
    picture = PIL.Image.open(io.BytesIO(chart.image.data))
    assert any(red > 200 and green < 60 for red, green, _ in pixels(picture))
    text = markdown(path, tmp_path / "out")
    assert "tonnes a year" in text.split("![")[1].split("]")[0]


def test_the_marks_of_a_page_with_a_chart_stay_as_they_are(tmp_path: Path) -> None:
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><div>{CHART}</div><p>{LOREM}</p>")
    with opened(path, path.name, "") as pdf, opened_page(pdf, 0) as page:
        marks, _ = read_marks(pdf, page, 0, Fonts())
    once, again = (PageLayout(Survey().norms()).blocks(marks) for _ in range(2))
    assert once == again
    assert "tonnes" in [word.text for word in marks.words]


def test_words_that_run_upwards_in_a_chart_are_among_its_labels_and_in_the_ledger(tmp_path: Path) -> None:
    upwards = '<text x="60" y="150" font-size="9" transform="rotate(-90 60 150)">share of households</text></svg>'
    path = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><div>{CHART.replace('</svg>', upwards)}</div><p>{LOREM}</p>")
    with ledger.kept() as book:
        chart = blocks(path)[1]
    assert chart.kind == "image"
    assert "share of households" in [line.text for line in chart.lines]
    assert book.counts()["shown"] == 2 * len(LOREM.split()) + len(" ".join(line.text for line in chart.lines).split())
    assert book.counts()["unaccounted"] == 0


def test_without_pictures_the_labels_stay_text(tmp_path: Path) -> None:
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>{CHART}"), Options(images=False))
    assert all(block.image is None for block in found)
    words = " ".join(block.text if block.table is None else str(block.table) for block in found)
    assert "tonnes a year" in words


def test_two_charts_beside_each_other_are_two_pictures(tmp_path: Path) -> None:
    path = printed(
        tmp_path / "a.pdf", f"<p>{LOREM * 3}</p><div style='display:flex;gap:60pt'>{_PIE}{_PIE}</div><p>{LOREM}</p>"
    )
    assert [block.kind for block in blocks(path)] == ["text", "image", "image", "text"]


def test_text_in_a_box_with_round_corners_stays_text(tmp_path: Path) -> None:
    css = "div{border:1pt solid;border-radius:8pt;padding:6pt;background:#eef}"
    found = blocks(printed(tmp_path / "a.pdf", f"<div><p>{LOREM}</p></div>" * 3, css))
    assert {block.kind for block in found} == {"text"}


def test_a_wavy_ground_under_text_stays_behind_it(tmp_path: Path) -> None:
    wave = "M0 40" + "".join(f"Q{n * 20 + 10} {20 if n % 2 else 60} {n * 20 + 20} 40" for n in range(25))
    drawn = f'<path d="{wave}" fill="none" stroke="#ccc"/>'
    ground = f'<svg style="position:absolute;left:0;top:0" width="500" height="200">{drawn}</svg>'
    found = blocks(printed(tmp_path / "a.pdf", f"{ground}<p>{LOREM * 6}</p>"))
    assert any(block.kind == "text" and "northern harbours" in block.text for block in found)


def test_a_ruled_table_is_no_figure(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>Berth {n}</td><td>{n * 7}</td><td>brick</td></tr>" for n in range(6))
    css = "table{border-collapse:collapse}td{border:1pt solid;padding:4pt;background:#efe}"
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><table>{rows}</table>", css))
    assert [block.kind for block in found] == ["text", "table"]


_LABELS = (("Patients enrolled", 60, 40), ("Phase one", 70, 120), ("Group A", 20, 180), ("Group B", 190, 180))


@pytest.mark.parametrize(("caption", "heads"), [("Figure 1. The trial.", False), ("It was built of brick.", True)])
def test_words_over_a_picture_with_a_caption_head_nothing(tmp_path: Path, caption: str, heads: bool) -> None:
    labels = "".join(
        f"<b style='position:absolute;left:{x}pt;top:{y}pt;font-size:14pt'>{text}</b>" for text, x, y in _LABELS
    )
    shown = f"<img src='{picture(300, 220)}' style='width:300pt;height:220pt'>"
    html = f"<div style='position:relative;line-height:0'>{shown}<div style='line-height:1'>{labels}</div></div>"
    path = printed(tmp_path / "a.pdf", f"<h2>Methods</h2><p>{LOREM}</p>{html}<p>{caption}</p><p>{LOREM * 3}</p>")
    with ledger.kept() as book:
        found = blocks(path)
    told = [block.text for block in found if block.level]
    assert (told == ["Methods"]) is not heads
    assert all(block.kind != "table" for block in found) or heads
    words = " ".join(block.text for block in found)
    assert heads or all(text in words for text, _, _ in _LABELS)
    assert book.counts()["unaccounted"] == 0


def test_without_pictures_the_words_of_a_drawing_head_nothing(tmp_path: Path) -> None:
    loud = '<text x="120" y="40" font-size="22" font-weight="bold">Catches</text></svg>'
    html = f"<h2>Results</h2><p>{LOREM * 3}</p><div>{CHART.replace('</svg>', loud)}</div><p>{LOREM}</p>"
    with ledger.kept() as book:
        found = blocks(printed(tmp_path / "a.pdf", html), Options(images=False))
    assert [block.text for block in found if block.level] == ["Results"]
    assert {"Catches", "2020", "tonnes"} <= {word for block in found for word in block.text.split()}
    assert book.counts()["unaccounted"] == 0


def _lines_chart(size: int, legend: str, scale: int = 1) -> str:
    """A line chart with a grid, the numbers of its axis, the names of its quarters, and a legend beside it."""
    grid = "".join(f'<path d="M60 {20 + 40 * n}H360" stroke="#888"/>' for n in range(5))
    numbers = "".join(
        f'<text x="52" y="{26 + 40 * n}" font-size="{size}" text-anchor="end">{scale * (40 - 10 * n)}</text>'
        for n in range(5)
    )
    names = "".join(f'<text x="{80 + 75 * n}" y="{186 + size}" font-size="{size}">Q{n + 1}</text>' for n in range(4))
    curves = "".join(
        f'<path d="M90 {90 + shift}L165 {70 + shift}L240 {105 - shift}L315 {80 + shift}L350 {95 - shift}" fill="none" '
        f'stroke="{colour}"/>'
        for shift, colour in ((0, "red"), (20, "blue"))
    )
    return f'<svg width="520" height="220">{grid}{numbers}{names}{curves}{legend}</svg>'


_ENTRIES = (("North", "red"), ("South", "blue"))
_SAMPLES = {
    "lines": "".join(
        f'<path d="M400 {80 + 24 * n}H424" stroke="{colour}"/>'
        f'<text x="428" y="{84 + 24 * n}" font-size="11">{name}</text>'
        for n, (name, colour) in enumerate(_ENTRIES)
    ),
    "squares": "".join(
        f'<rect x="400" y="{75 + 24 * n}" width="10" height="10" fill="{colour}"/>'
        f'<text x="414" y="{84 + 24 * n}" font-size="11">{name}</text>'
        for n, (name, colour) in enumerate(_ENTRIES)
    ),
}


@pytest.mark.parametrize("legend", list(_SAMPLES))
@pytest.mark.parametrize(("size", "scale"), [(9, 1), (16, 1), (9, 10_000)])
def test_a_line_chart_is_one_picture_with_its_grid_axes_and_legend(
    size: int, scale: int, legend: str, tmp_path: Path
) -> None:
    chart = _lines_chart(size, _SAMPLES[legend], scale)
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><div>{chart}</div><p>{LOREM}</p>"))
    assert [block.kind for block in found] == ["text", "image", "text"]
    numbers = {str(scale * n) for n in (0, 10, 20, 30, 40)}
    assert set(found[1].text.split()) == {*numbers, "Q1", "Q2", "Q3", "Q4", "North", "South"}


def test_the_legend_of_a_pie_may_stand_further_off(tmp_path: Path) -> None:
    legend = "".join(
        f'<rect x="210" y="{30 + 24 * n}" width="9" height="9" fill="{colour}"/>'
        f'<text x="223" y="{38 + 24 * n}" font-size="11">Q{n + 1}</text>'
        for n, colour in enumerate(("teal", "orange", "#eee"))
    )
    pie = _PIE.replace('width="200"', 'width="300"').replace("</svg>", f"{legend}</svg>")
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><div>{pie}</div><p>{LOREM}</p>"))
    assert [block.kind for block in found] == ["text", "image", "text"]
    assert found[1].text.split() == ["Q1", "Q2", "Q3"]


def test_a_drawing_in_a_cell_makes_no_chart_of_its_table(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>Harbour {n}</td><td>{1990 + n}</td><td>Brick quays</td></tr>" for n in range(4))
    drawn = f"<tr><td>Logo</td><td>{_PIE.replace('200', '120', 1)}</td><td>Both</td></tr>"
    css = "table {border-collapse: collapse; width: 100%} td {border-bottom: 1px solid black; padding: 4pt}"
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM}</p><table>{rows}{drawn}{rows}</table>", css))
    words = " ".join(block.text if block.table is None else str(block.table) for block in found if block.image is None)
    assert all(word in words for word in ("Harbour", "1993", "quays", "Logo", "Both"))
