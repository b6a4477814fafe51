"""Text whose print was narrower than the font it is set in: lines stay lines in Word and RTF files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import docx
import pytest
from docx.oxml.ns import qn

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Facts, Line, ListItem, Page, Span, Style
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.office.fonts import SANS, narrowing, text_width
from paperchute.engine.writing.rtf.writer import write_rtf

RECOGNISED = Style(size=20.0)
TITLE = "PROPOSED BUDGET"
NATURAL = text_width(TITLE, RECOGNISED, SANS)


def printed(text: str, top: float, width: float, style: Style = RECOGNISED) -> Line:
    return Line(Quad.of(Box(100, top, 100 + width, top + 20)), (Span(text, style),))


def paragraph(*lines: Line) -> Block:
    box = Box(100, lines[0].quad.box.top, max(line.quad.box.right for line in lines), lines[-1].quad.box.bottom)
    return Block("text", Quad.of(box), tuple(lines))


def scales(path: Path, blocks: Sequence[Block]) -> list[int]:
    """Per cent that the letters of each run are wide."""
    write_docx(Facts(1, "", 10), iter([Page(1, 595.0, 842.0, blocks=tuple(blocks))]), path, boxed=False)
    found = docx.Document(str(path)).element.body.iter(qn("w:r"))
    return [int(width.get(qn("w:val"))) if (width := run.find(f".//{qn('w:w')}")) is not None else 100 for run in found]


def test_a_line_that_stood_alone_stays_one(tmp_path: Path) -> None:
    (scale,) = scales(tmp_path / "a.docx", [paragraph(printed(TITLE, 100, 0.8 * NATURAL))])
    assert 76 <= scale <= 80


def test_a_paragraph_takes_no_more_lines(tmp_path: Path) -> None:
    lines = [printed(TITLE, 100 + 24 * row, 0.9 * NATURAL) for row in range(4)]
    (scale,) = scales(tmp_path / "a.docx", [paragraph(*lines)])
    assert 87 <= scale <= 90


def test_an_item_stays_one_line(tmp_path: Path) -> None:
    line = printed(TITLE, 100, 0.85 * NATURAL)
    item = ListItem(0, "-", False, Quad.of(Box(90, 100, line.quad.box.right, 120)), (line,))
    block = Block("list", item.quad, items=(item,))
    assert 75 <= min(scales(tmp_path / "a.docx", [block])) <= 85


def test_rtf_says_the_same(tmp_path: Path) -> None:
    page = Page(1, 595.0, 842.0, blocks=(paragraph(printed(TITLE, 100, 0.8 * NATURAL)),))
    write_rtf(Facts(1, "", 10), iter([page]), tmp_path / "a.rtf", boxed=False)
    (scale,) = re.findall(r"\\charscalex(\d+)", (tmp_path / "a.rtf").read_text("latin-1"))
    assert 76 <= int(scale) <= 80


@pytest.mark.parametrize(
    ("lines", "room"),
    [
        ([printed(TITLE, 100, NATURAL)], NATURAL),
        ([printed(TITLE, 100, 0.8 * NATURAL)], 1.5 * NATURAL),
        ([printed(TITLE, 100, 1.2 * NATURAL), printed(TITLE, 124, 1.2 * NATURAL)], NATURAL),
        ([printed(TITLE, 100, 0.8 * NATURAL, Style(size=20.0, font="Garamond"))], 0.8 * NATURAL),
        ([printed("عنوان", 100, 10)], 10),
        ([printed("", 100, 10)], 10),
        ([], 10),
    ],
)
def test_what_fits_or_is_not_known_stays_as_it_is(lines: list[Line], room: float) -> None:
    assert narrowing(lines, room, SANS) == 100


def test_letters_are_never_narrower_than_can_be_read() -> None:
    assert narrowing([printed(TITLE, 100, 5)], 5, SANS) == 70
