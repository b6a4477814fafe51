"""Sizes of recognised words, each measured by itself, within one text."""

from __future__ import annotations

from paperchute.engine.document.geometry import Box, Quad
from paperchute.engine.document.model import Block, Line, Span, Style
from paperchute.engine.reading.ocr.styles import in_one_size

_QUAD = Quad.of(Box(0, 0, 100, 10))


def _sizes(*pieces: tuple[str, float]) -> list[float]:
    spans = tuple(Span(text, Style(size=size)) for text, size in pieces)
    block = in_one_size(Block("text", _QUAD, (Line(_QUAD, spans),)))
    return [span.style.size for span in block.lines[0].spans]


def test_a_text_has_one_size_however_its_words_were_measured() -> None:
    assert _sizes(("Surveyed the quays ", 10.0), ("NORTH ", 12.5), ("or so", 8.5)) == [10.0, 10.0, 10.0]
    assert _sizes(("surveyed the northern quays ", 10.0), ("*", 24.0)) == [10.0, 10.0]


def test_what_is_set_larger_on_purpose_stays_larger() -> None:
    assert _sizes(("Survey ", 24.0), ("of the northern quays", 10.0)) == [24.0, 10.0]


def test_raised_figures_keep_their_size() -> None:
    span = Span("2", Style(size=8.0, script="super"))
    block = in_one_size(Block("text", _QUAD, (Line(_QUAD, (Span("surveyed", Style(size=10.0)), span)),)))
    assert block.lines[0].spans[1] == span
