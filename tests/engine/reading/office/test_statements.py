"""What HTML states is in the result as it is stated: tables, paragraphs, formulas, readings, what is hidden."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from paperchute.contract import kind_of
from paperchute.engine import report
from paperchute.engine.operations import document_extract
from paperchute.engine.reading.office.content import content_of
from paperchute.engine.reading.office.counting import markers_of
from paperchute.engine.work import Source, Work
from tests.engine.reading.office.parsing import Parsed, parsed, words


def of_html(html: str, folder: Path) -> Parsed:
    (folder / "a.html").write_text(html, "utf-8")
    return parsed(folder / "a.html")


def rows_of(found: Parsed) -> list[list[str]]:
    """The cells of all tables, row by row."""
    root = etree.HTML(found.text)
    return [["".join(map(str, cell.itertext())) for cell in row] for row in root.iter("tr")]


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("<tr><td>Name<td>Price<tr><td>Box<td>7.90<tr><td>Lid<td>", [["Name", "Price"], ["Box", "7.90"], ["Lid", ""]]),
        ("<tr><td style='text-align:right'>1<td>two words<tr><td>22<td>x", [["1", "two words"], ["22", "x"]]),
        ("<tr><td rowspan=2>A<td>b<tr><td>c<tr><td colspan=2>d", [["A", "b"], ["c"], ["d"]]),
        ("<tfoot><tr><td>sum<tbody><tr><td>one", [["one"], ["sum"]]),
        ("<tr><td>a<td style='display:none'>x<td>b<tr><td>c<td style='display:none'>y<td>d", [["a", "b"], ["c", "d"]]),
        ("<tr><td>a<td><table><tr><td>1<td>2<tr><td>3<td>4</table><td>b", [["a", "1", "2", "b"], ["3", "4"]]),
        ("<tr><td>a<td>b<table><tr><td>1<td>2</table>", [["a", "b"], ["1", "2"]]),
    ],
)
def test_a_table_without_rules_is_the_table_that_is_stated(table: str, rows: list[list[str]], tmp_path: Path) -> None:
    assert rows_of(of_html(f"<p>Before.</p><table>{table}</table>", tmp_path)) == rows


def test_short_paragraphs_stay_apart_and_line_ends_stay(tmp_path: Path) -> None:
    found = of_html("<p>one<p>two<div>three<div>four</div>five</div><p>six<br>seven", tmp_path)
    assert found.text == "one\n\ntwo\n\nthree\n\nfour\n\nfive\n\nsix  \nseven\n"


@pytest.mark.parametrize(
    ("math", "text"),
    [
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"),
        ("<mn>3</mn><mfrac><mn>1</mn><mn>4</mn></mfrac>", "3 1/4"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", r"(a+b)/2"),
        ("<semantics><mn>7</mn><annotation>seven</annotation></semantics>", "7"),
        ("<mrow><mn>2</mn><mspace width=1em/><mn>7.50</mn></mrow>", "2 7.50"),
        ("<mfrac><mphantom><mn>0</mn></mphantom><mn>7</mn></mfrac>", "/7"),
        ("<msubsup><mi>x</mi><none/><mn>2</mn></msubsup>", "x^2"),
        ("<mmultiscripts><mi>C</mi><mn>2</mn><none/><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", r"\_6^14C_2"),
        ("<mtext>at <b>most</b> seven</mtext>", "at most seven"),
        ("<apply><divide/><cn>1</cn><cn>2</cn></apply>", "divide(1, 2)"),
        ("<mstack><mn>12</mn><mn>15</mn></mstack>", "12; 15"),
    ],
)
def test_a_formula_says_what_it_draws(math: str, text: str, tmp_path: Path) -> None:
    assert of_html(f"<p>with <math>{math}</math> there", tmp_path).text == f"with {text} there\n"


def test_a_formula_with_a_prefix_says_what_it_draws(tmp_path: Path) -> None:
    half = "<m:math><m:mfrac><m:mn>1</m:mn><m:mn>2</m:mn></m:mfrac></m:math>"
    assert of_html(f"<p>with {half} there", tmp_path).text == "with 1/2 there\n"


def test_figures_below_the_deepest_that_is_kept_stay_apart(tmp_path: Path) -> None:
    deep = "<mrow>" * 70 + "<mn>1</mn><mn>2</mn>" + "</mrow>" * 70
    assert of_html(f"<p>with <math>{deep}</math> there", tmp_path).text == "with 1 2 there\n"


def test_nuclides_are_latex(tmp_path: Path) -> None:
    carbon = "<mmultiscripts><mi>C</mi><none/><none/><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>"
    assert of_html(f"<math display=block>{carbon}</math>", tmp_path).text == "$$\n{}_{6}^{14}C\n$$\n"


def test_a_formula_by_itself_is_latex(tmp_path: Path) -> None:
    found = of_html("<math display=block><msqrt><mfrac><mi>α</mi><mn>2</mn></mfrac></msqrt></math>", tmp_path)
    assert found.text == "$$\n\\sqrt{\\frac{\\alpha }{2}}\n$$\n"


def test_readings_stand_behind_their_text(tmp_path: Path) -> None:
    found = of_html("<p><ruby>東<rp>(</rp><rt>とう</rt>京<rt>きょう</rt></ruby>タワー", tmp_path)
    assert found.text == "東京(とうきょう)タワー\n"


def test_lists_have_their_own_numbers(tmp_path: Path) -> None:
    lists = "<ol start=3><li>c<li value=9>i</ol><p>-</p><ol type=a reversed><li>b<li>a</ol><p>-</p>"
    rules = ".x{list-style:none;counter-reset:n}.x li{counter-increment:n}.x li::before{content:'§' counter(n)}"
    found = of_html(f"<style>{rules}</style>{lists}<ul class=x><li>one<li>two</ul>", tmp_path)
    said = json.loads(found.record)["result"]["pages"][0]["content"]
    lines = [line for part in said for line in part["text"].split("\n")]
    assert lines == ["3. c", "9. i", "-", "b. b", "a. a", "-", "§1 one", "§2 two"]


def test_signs_that_style_sheets_print_are_read(tmp_path: Path) -> None:
    style = "<style>.a::before{content:'$'}.b::after{content:' EUR'}.c::before{content:'Note: '}</style>"
    found = of_html(
        f"{style}<p>pays <span class=a>12.50</span> now<p class=b>7.90<p class=c>all<p>x<b>y</b>z", tmp_path
    )
    assert found.text.replace("*", "") == "pays $12.50 now\n\n7.90 EUR\n\nNote: all\n\nxyz\n"


def test_letters_of_html_go_on_as_browsers_have_them() -> None:
    assert markers_of("ol", {"type": "a", "start": "26"}, ["", ""], 0) == ["z.", "aa."]
    assert markers_of("ul", {}, [""], 1) == ["◦"]


def test_what_is_hidden_is_left_out_and_told(tmp_path: Path) -> None:
    style = "<style>.no{display:none}.away{position:absolute;left:-9999px}nav a{display:none}</style>"
    hidden = "<p class=no>one</p><p style='visibility:hidden'>two</p><p class=away>three</p><template>four</template>"
    found = of_html(f"{style}<nav>shown</nav>{hidden}<script>var five</script><p>seen</p>", tmp_path)
    assert found.text == "shown\n\nseen\n"
    assert found.notes == ["Left out of a.html: hidden text."]


def test_what_is_beside_the_paper_is_read(tmp_path: Path) -> None:
    cells = "".join(f"<td style='white-space:nowrap'>column number {number}</td>" for number in range(80))
    found = of_html(f"<table><tr>{cells}</tr></table>", tmp_path)
    assert rows_of(found) == [[f"column number {number}" for number in range(80)]]
    assert found.notes == []


def test_no_words_in_the_colour_of_the_paper_are_taken_for_values(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<p>Invoice number: 4711<p>Total: 119.00 EUR<p style='color:#fff'>Total: 999.00 EUR", "utf-8"
    )
    path, folder = tmp_path / "a.html", tmp_path / "out"
    folder.mkdir()
    parameters = {"mode": "layout", "extractFields": json.dumps({"keys": ["Total"]})}
    work = Work("document-extract", (Source("file", path, path.name, kind_of(path)),), parameters, folder)
    with report.collected() as warnings:
        (found,) = document_extract.run(work)
    assert "119.00" in (said := found.read_text("utf-8"))
    assert "999" not in said
    assert any("invisible words" in warning for warning in warnings)


def test_a_table_over_pages_is_one_and_its_parts_are_on_their_pages(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>row {number}<td>{number}" for number in range(120))
    html = f"<table><thead><tr><th>Name<th>No</thead>{rows}</table><p>end"
    found = of_html(html, tmp_path)
    assert len(rows_of(found)) == 121
    assert found.text.count("<table>") == 1
    assert found.warnings == []
    pages = json.loads(found.record)["result"]["pages"]
    assert len(pages) > 1
    assert pages[0]["structured"][0]["rows"] == 121


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 50_000 + "quay",
        "<table><tr><td>" * 2_000 + "quay",
        "<table>" + "<td colspan=1000 rowspan=60000>x" * 1_000 + "</table>quay",
        "<math>" + "<mfrac><mi>a</mi>" * 3_000 + "</math>quay",
        "<ruby>" * 5_000 + "<rt>y</rt>quay",
    ],
)
def test_hostile_nesting_costs_no_words(html: str, tmp_path: Path) -> None:
    began = time.process_time()
    assert "quay" in of_html(html, tmp_path).text
    assert time.process_time() - began < 60


_WORDS = st.text("abcxyzäß", min_size=1, max_size=6)
_TAGS = st.sampled_from(
    ["p", "div", "b", "li", "ul", "ol", "td", "tr", "table", "h2", "span", "pre", "ruby", "rt", "q"]
)


@settings(deadline=None)
@example(["<ruby>", "<rt>", "a", "<p>", "a"])
@given(st.lists(st.one_of(_WORDS, _TAGS.map("<{}>".format), _TAGS.map("</{}>".format)), max_size=40))
def test_every_word_is_a_piece_and_every_piece_in_a_part(pieces: list[str]) -> None:
    content = content_of(" ".join(pieces))
    waiting, found = list(content.parts), []
    while waiting:
        part = waiting.pop()
        found += [run for run in part.runs if run.piece >= 0]
        if part.table is not None:
            waiting += [inner for _, row in part.table.rows for cell in row for inner in cell.parts]
    assert {run.piece for run in found} == set(range(content.count))
    said = words(content.printed.split("<style>")[0])
    assert sorted(said.split()) == sorted(" ".join(run.text for run in found).split()) or "rt" in str(pieces)
