"""Spaces that only a gap between two text objects shows, and letters set wide, which have none."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from paperchute.engine.document.flow import flowed_text
from tests.engine.reading.printing import blocks

_SIZE, _WIDTH, _SPACE = 10, 1000, 600
"""The font's size, and the widths of its letters and its space: to PDFium a sixth of the size is no gap beside them."""


def shown(path: Path, *parts: tuple[str, float], wide: float = 0.0) -> str:
    """What is read of parts that are text objects of their own, each so far (of the size) behind the one before."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842)).obj
    widths = Array([_SPACE, *[_WIDTH] * 94])
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.TrueType,
        BaseFont=Name.Unknown,
        FirstChar=32,
        LastChar=126,
        Widths=widths,
        Encoding=Name.WinAnsiEncoding,
    )
    page.Resources = Dictionary(Font=Dictionary(F=font))
    x, content = 72.0, []
    for text, gap in parts:
        x += gap * _SIZE
        content.append(f"BT /F {_SIZE} Tf {wide * _SIZE} Tc {x:.3f} 700 Td ({text}) Tj ET")
        x += len(text) * (_WIDTH / 1000 + wide) * _SIZE
    page.Contents = pdf.make_stream(" ".join(content).encode())
    pdf.save(path)
    return " ".join(flowed_text(block.lines) for block in blocks(path))


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([("88802", 0), ("Spielkreis", 0.16)], "88802 Spielkreis"),
        ([("88802", 0), ("Spielkreis", 0.1)], "88802Spielkreis"),
        ([("Hafen", 0), ("meister", 0.02)], "Hafenmeister"),
        ([("H", 0), ("afen", 0.16)], "Hafen"),
        ([("12", 0), ("500", 0.16)], "12500"),
    ],
)
def test_a_gap_between_text_objects_is_a_space_where_words_stand_on_both_sides(
    tmp_path: Path, parts: list[tuple[str, float]], text: str
) -> None:
    assert shown(tmp_path / "a.pdf", *parts) == text


def test_letters_set_wide_stay_a_word(tmp_path: Path) -> None:
    assert shown(tmp_path / "a.pdf", ("Hafen", 0), ("meister", 0), wide=0.16) == "Hafenmeister"
