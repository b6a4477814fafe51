"""Colours of text and of what is behind it, lines under and through it: read where they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.engine.document.flow import flowed, flowed_text
from paperchute.engine.document.model import Style
from paperchute.engine.reading.pdf.reader import Options
from tests.engine.reading.printing import LOREM, blocks, printed

INKS = Options(inks=True)


def _styles(tmp_path: Path, html: str, css: str = "", options: Options = INKS) -> dict[str, Style]:
    """The look of each run of the first block that has words."""
    found = blocks(printed(tmp_path / "a.pdf", html, css), options)
    return {span.text.strip(): span.style for span in flowed(found[0].lines)}


def test_words_have_their_colours(tmp_path: Path) -> None:
    found = _styles(tmp_path, f'<p>{LOREM}<span style="color:#c00000">red words</span> in <b>the text</b>.</p>')
    assert found["red words"].color == "#c00000"
    assert found["the text"].color == ""


def test_colours_may_change_within_a_word(tmp_path: Path) -> None:
    found = _styles(
        tmp_path, '<p>A <span style="color:#c00000">red</span><span style="color:#0000c0">blue</span> word.</p>'
    )
    assert (found["red"].color, found["blue"].color) == ("#c00000", "#0000c0")


def test_marked_words_have_their_ground(tmp_path: Path) -> None:
    found = _styles(tmp_path, f'<p>{LOREM}<span style="background:#ffff00">marked words</span> in the text.</p>')
    assert found["marked words"].ground == "#ffff00"
    assert {style.ground for text, style in found.items() if text != "marked words"} == {""}


def test_white_words_stay_white_only_where_that_can_be_read(tmp_path: Path) -> None:
    css = ".dark{background:#203040;color:white}.bare{color:white}"
    found = _styles(
        tmp_path, '<p><span class="dark">on dark ground</span> and <span class="bare">on none</span></p>', css
    )
    assert found["on dark ground"].color == "#ffffff"
    assert "#ffffff" not in {style.color for text, style in found.items() if "none" in text}


@pytest.mark.parametrize(("line", "underline", "strike"), [("underline", True, False), ("line-through", False, True)])
def test_lines_under_and_through_words(tmp_path: Path, line: str, underline: bool, strike: bool) -> None:
    html = f'<p>{LOREM}<span style="text-decoration:{line}">these four words are</span> in the text. {LOREM}</p>'
    found = _styles(tmp_path, html)
    assert (found["these four words are"].underline, found["these four words are"].strike) == (underline, strike)
    assert sum(style.underline or style.strike for style in found.values()) == 1


def test_the_rules_of_a_table_underline_nothing(tmp_path: Path) -> None:
    css = "table{border-collapse:collapse;width:100%}td{border-bottom:1pt solid;padding:0 8pt;line-height:1}"
    rows = "".join(f"<tr><td>Berth {n}</td><td>{n * 7}</td></tr>" for n in range(5))
    (block,) = blocks(printed(tmp_path / "a.pdf", f"<table>{rows}</table>", css), INKS)
    assert block.table is not None
    assert not any(s.style.underline for c in block.table.cells for line in c.lines for s in line.spans)


def test_cells_have_their_shades(tmp_path: Path) -> None:
    """Empty ones too; the words in them do not repeat it."""
    css = (
        "table{border-collapse:collapse}td,th{border:1pt solid #000;padding:4pt 9pt}th{background:#203040;color:white}"
    )
    rows = "<tr><th>Port</th><th>Ships</th></tr><tr><td style='background:#ffe0a0'>Kiel</td><td>11</td></tr>"
    rows += "<tr><td>Oslo</td><td style='background:#ffe0a0'></td></tr>"
    (block,) = blocks(printed(tmp_path / "a.pdf", f"<table>{rows}</table>", css), INKS)
    assert block.table is not None
    shades = {(c.row, c.column): c.shade for c in block.table.cells}
    assert shades == {
        (0, 0): "#203040", (0, 1): "#203040", (1, 0): "#ffe0a0", (1, 1): "", (2, 0): "", (2, 1): "#ffe0a0",
    }  # fmt: skip
    head = next(cell for cell in block.table.cells if flowed_text(cell.lines) == "Port")
    assert (head.lines[0].spans[0].style.color, head.lines[0].spans[0].style.ground) == ("#ffffff", "")


def test_nothing_of_that_unless_asked_for(tmp_path: Path) -> None:
    html = '<p>A <span style="color:#c00000;background:#ff0;text-decoration:underline">red</span> word.</p>'
    assert set(_styles(tmp_path, html, options=Options())) == {"A red word."}


def test_boxes_have_words_in_their_own_colours(tmp_path: Path) -> None:
    found = _styles(
        tmp_path, '<p>A <span style="color:#c00000">red</span> word in black.</p>', options=Options(looks=True)
    )
    assert found["red"].color == "#c00000"
    assert found["word in black."].color == ""
