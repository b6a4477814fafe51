"""Pages whose end stands on a later page of a Word or RTF file are told, where that is sure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paperchute.engine import ledger
from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Facts, Page
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.office.room import least_lines
from paperchute.engine.writing.rtf.writer import write_rtf
from tests.engine.reading.printing import picture as red
from tests.engine.reading.printing import printed
from tests.engine.writing.models import block, line, page, picture, table
from tests.engine.writing.sample import outputs

Write = Callable[..., Path]


def _told(folder: Path, *pages: Page, write: Write = write_docx) -> list[int]:
    with ledger.kept() as book:
        write(Facts(len(pages), "A title", 10), iter(pages), folder / "a", boxed=False)
    return book.moved


def _photographs(count: int, top: float = 100) -> list[Block]:
    """Tall ones side by side: a word processor has six of them in a row, and more below each other."""
    return [picture(box=Box(72 + 55 * n, top, 122 + 55 * n, top + 200)) for n in range(count)]


def _text(top: float, *, continues: bool = False) -> Block:
    return block(*(line("word " * 18, top + 14 * n) for n in range(10)), continues=continues)


@pytest.mark.parametrize("write", [write_docx, write_rtf])
def test_a_page_that_takes_more_room_than_it_has_is_told(tmp_path: Path, write: Write) -> None:
    end = block(line("All of them in winter.", 700))
    sheet = page(*_photographs(8), *_photographs(8, 400), end)
    after = page(_text(100), number=2)
    assert _told(tmp_path, sheet, after, write=write) == [1, 2]
    assert _told(tmp_path, page(*_photographs(6), *_photographs(6, 400), end), after, write=write) == []


def test_what_is_told_says_the_page(tmp_path: Path) -> None:
    row = "".join(f"<img src='{red(40 + n)}'>" for n in range(7))
    text = f"<p>Harbour.</p><p style='break-before:page'>Ships.</p>{f'<p>{row}</p>' * 5}<p>Winter.</p>"
    pdf = printed(tmp_path / "a.pdf", text, "img {width:50pt; height:100pt; margin:4pt}")
    with ledger.kept() as book:
        outputs("pdf-to-docx", pdf, tmp_path / "out")
    told = "The end of page 2 stands on a later page of the result: what was printed takes more room there."
    assert list(book.sentences()) == [told]


def test_text_that_flows_on_over_pages_is_not_told(tmp_path: Path) -> None:
    """A table that both pages have a part of is one in the result, and ends with the second."""
    rows = [["Item", "Price"], *([f"Quay {n}", "12.50"] for n in range(28))]
    first = page(_text(50), table(rows))
    second = page(replace(table(rows), continues=True), number=2)
    assert _told(tmp_path, first, second) == []
    assert _told(tmp_path, page(_text(50), table(rows), *_photographs(8, 780)), second) == [1, 2]


def test_columns_share_what_is_in_them(tmp_path: Path) -> None:
    def column(left: float) -> list[Block]:
        return [block(*(line("word " * 8, 60 + 14 * n, left, left + 210) for n in range(50)))]

    assert _told(tmp_path, page(*column(72), *column(310)), page(_text(100), number=2)) == []


def test_lines_may_become_fewer_in_another_font() -> None:
    lines = [line("word " * 18, 100 + 14 * n, 72, 272) for n in range(10)]
    assert least_lines(lines, 200, printed=False) == 8
    assert least_lines(lines, 200, printed=True) == 10
    assert least_lines(lines[:1], 100, printed=False) == 1
    turned = [replace(one, quad=Quad.of(one.quad.box, 90)) for one in lines]
    assert least_lines(turned, 1000, printed=False) == 10
