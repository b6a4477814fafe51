"""Heads, feet and page numbers of single pages; and body text that only stands at a page's edge."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reading.placing import Sheet
from tests.engine.reading.printing import LOREM, blocks, convert, printed

LINE = "The survey of the northern harbours showed that most of the older quays had been rebuilt in brick."
RIGHT = 532.7


def _page(lines: int = 40, start: float = 130) -> Sheet:
    """A page of text between 72 and RIGHT."""
    sheet = Sheet()
    for number in range(lines):
        sheet.put(LINE, 72, start + 14 * number, 10.6)
    return sheet


def _furniture(sheet: Sheet, tmp_path: Path) -> dict[str, str]:
    return {b.text: b.kind for b in blocks(sheet.save(tmp_path / "a.pdf")) if b.kind in ("header", "footer", "number")}


@pytest.mark.parametrize(
    ("texts", "y", "size"),
    [
        ({"Revision 2.4": 72, "P/N 119-036": 272, "10 June 2019": 469}, 770, 10.6),
        ({"Your ref A 12": 72, "Our ref 4711": 272, "10 June 2019": 469}, 80, 10.6),
        ({"Harbour report": 72, "Second quarter": 477}, 80, 8.5),
        ({"NETS 2015": 480}, 770, 8),
    ],
)
def test_what_no_other_page_proves_to_be_furniture_is_text(
    texts: dict[str, float], y: float, size: float, tmp_path: Path
) -> None:
    sheet = _page()
    for text, x in texts.items():
        sheet.put(text, x, y, size)
    assert _furniture(sheet, tmp_path) == {}


@pytest.mark.parametrize(("y", "rule"), [(80, 86), (770, 758)])
def test_neither_does_a_rule_beside_it(tmp_path: Path, y: float, rule: float) -> None:
    sheet = _page()
    sheet.put("Harbour office, annual report", 72, y, 10)
    sheet.line(72, rule, RIGHT, rule)
    assert _furniture(sheet, tmp_path) == {}


def test_a_bold_heading_over_a_rule_stays(tmp_path: Path) -> None:
    sheet = _page()
    sheet.put("Education and training", 72, 80, 10.6, bold=True)
    sheet.line(72, 86, RIGHT, 86)
    assert _furniture(sheet, tmp_path) == {}


def test_the_end_of_a_footnote_from_the_page_before_stays(tmp_path: Path) -> None:
    sheet = _page()
    sheet.line(72, 745, RIGHT, 745)
    sheet.put("appear to use the term consistently.", 72, 758, 8)
    assert _furniture(sheet, tmp_path) == {}


def test_a_note_under_a_ruled_table_stays(tmp_path: Path) -> None:
    sheet = _page(20)
    sheet.grid([72, 300, RIGHT], [690.0 + 18 * n for n in range(4)])
    for row in range(3):
        sheet.put(f"Berth {row}", 80, 703 + 18 * row, 10)
        sheet.put(f"{row * 7} ships", 310, 703 + 18 * row, 10)
    sheet.put("Source: harbour office", 72, 756, 9.5)
    assert _furniture(sheet, tmp_path) == {}


@pytest.mark.parametrize(
    ("texts", "y", "size"),
    [
        ({"Fairbrook Ltd - Tax no. 12/345/678": 72}, 800, 7.5),
        ({"Fairbrook Ltd": 72, "Court of Ashbourne": 250, "IBAN DE89 3704": 420}, 800, 8),  # columns of a letter's foot
        ({"Confidential": 72}, 806, 10.6),  # in the type of the text, as Word sets it
    ],
)
def test_what_stands_in_the_lower_margin_apart_from_the_text_is_a_foot(
    texts: dict[str, float], y: float, size: float, tmp_path: Path
) -> None:
    sheet = _page()
    for text, x in texts.items():
        sheet.put(text, x, y, size)
        sheet.put(f"{text} two", x, y + 1.3 * size, size)
    found = _furniture(sheet, tmp_path)
    assert set(found.values()) == {"footer"}
    (made, *_) = convert(tmp_path / "a.pdf", tmp_path / "out")
    assert all(made.read_text("utf-8").count(f"{text} two") == 1 for text in texts)  # and its words are kept


@pytest.mark.parametrize(
    ("last", "size", "bold"),
    [
        (690 + 14 * 7, 10.6, False),  # the text goes on to the edge
        (804, 8, True),  # a small heading
        (760, 8, False),  # where footnotes end
    ],
)
def test_what_may_be_text_at_the_lower_edge_is_no_foot(last: float, size: float, bold: bool, tmp_path: Path) -> None:
    sheet = _page(48 if last == 788 else 40)
    sheet.put("Harbour office, annual report", 72, last, size, bold=bold)
    assert _furniture(sheet, tmp_path) == {}


@pytest.mark.parametrize("text", ["Yours, J. Hammel", "* without cranes", "3 Ibid, p. 12"])
def test_a_last_line_that_may_be_text_stays(tmp_path: Path, text: str) -> None:
    """A signature in the size of the text, and notes."""
    sheet = _page(36)
    sheet.put(text, 72, 750, 10.6 if text.startswith("Y") else 8)
    assert _furniture(sheet, tmp_path) == {}


def test_a_lone_centred_number_is_the_page_s_however_high_it_stands(tmp_path: Path) -> None:
    sheet = _page(20, 80)
    sheet.put("62", (72 + RIGHT) / 2 - 5, 420, 10.6)
    assert _furniture(sheet, tmp_path) == {"62": "number"}


def test_a_lone_number_at_the_edge_of_a_column_stays(tmp_path: Path) -> None:
    sheet = _page(20, 80)
    sheet.put("62", RIGHT - 12, 420, 10.6)
    assert _furniture(sheet, tmp_path) == {}


@pytest.mark.parametrize(("y", "kind"), [(48, "header"), (790, "footer")])
def test_a_small_row_with_a_page_number_stands_apart_and_is_kept(y: float, kind: str, tmp_path: Path) -> None:
    sheet = _page()
    sheet.put("Published by the harbour office", 72, y, 8)
    sheet.put("17", 520, y, 8)
    assert _furniture(sheet, tmp_path) == {"Published by the harbour office": kind, "17": kind}
    (made, *_) = convert(tmp_path / "a.pdf", tmp_path / "out")
    assert f"<{kind}>17</{kind}>" in made.read_text("utf-8")


@pytest.mark.parametrize(
    ("texts", "y", "size"),
    [
        ({"Published by the harbour office": 72, "17": 520}, 700, 8),  # within the text
        ({"Net weight": 72, "17": 120}, 790, 8),
        ({"Net weight": 72, "17": 400, "18": 520}, 790, 8),
        ({"Dear Sir": 72, "17": 520}, 60, 10.6),
    ],
)
def test_a_row_with_a_number_that_may_be_text_stays(
    texts: dict[str, float], y: float, size: float, tmp_path: Path
) -> None:
    sheet = _page()
    for text, x in texts.items():
        sheet.put(text, x, y, size)
    assert _furniture(sheet, tmp_path) == {}


@pytest.mark.parametrize(
    ("letter", "rest", "elsewhere", "text"),
    [("T", "he", "the", "The quay"), ("T", "he", "it", "T he quay"), ("A", "long", "along", "A long quay")],
)
def test_a_large_initial_joins_its_word_where_the_document_has_it(
    letter: str, rest: str, elsewhere: str, text: str, tmp_path: Path
) -> None:
    sheet = Sheet()
    sheet.put(f"Harbour boats pass {elsewhere} now and then, and so does a fair amount of timber.", 72, 100, 10.6)
    sheet.put(letter, 72, 500, 24)
    sheet.put(f"{rest} quay was shut in winter, which nobody had planned or wished for.", 97, 500, 10.6)
    assert any(text in block.text for block in blocks(sheet.save(tmp_path / "a.pdf")))


@pytest.mark.parametrize(
    ("letter", "x", "text"),
    [("O", 91.0, "Over the quay"), ("O", 95.0, "O ver the quay"), ("A", 93.0, "A ver the quay")],
)
def test_a_large_initial_joins_what_it_touches(letter: str, x: float, text: str, tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.put(letter, 72, 500, 24)
    sheet.put("ver the quay a crane has stood since last winter, which nobody had planned.", x, 500, 10.6)
    assert any(text in block.text for block in blocks(sheet.save(tmp_path / "a.pdf")))


@pytest.mark.parametrize(("top", "kind"), [(800, "footer"), (500, "code")])
def test_a_foot_in_typewriter_type_is_no_code(tmp_path: Path, top: int, kind: str) -> None:
    foot = f"<p style='position:absolute;top:{top}pt;font:9pt monospace'>Form 47-B, printed 3 March 2026</p>"
    found = blocks(printed(tmp_path / "a.pdf", f"<p>{LOREM * 4}</p>{foot}", "@page{margin:0} body{margin:40pt}"))
    assert [(block.kind, block.text) for block in found if "47-B" in block.text] == [
        (kind, "Form 47-B, printed 3 March 2026")
    ]


@pytest.mark.parametrize(("foot", "kept"), [("'Page ' counter(page)", True), ("'Offer of the year'", False)])
def test_two_numbered_pages_have_heads_in_the_type_of_the_text(foot: str, kept: bool, tmp_path: Path) -> None:
    """Where nothing counts, two letters may begin alike; what stands in the margin below is a foot all the same."""
    margins = "font-size: 11pt; font-family: serif"
    css = f"@page {{margin: 72pt; @top-left {{content: 'Service agreement'; {margins}}}"
    css += f" @bottom-left {{content: {foot}; {margins}}}}} p {{margin: 0 0 9pt}}"
    pdf = printed(tmp_path / "a.pdf", f"<p>{LOREM}</p>" * 20, css)
    found = [(block.text, block.kind) for block in blocks(pdf)]
    assert [kind for text, kind in found if text == "Service agreement"] == ["header" if kept else "text"] * 2
