"""What a document asks of lists and pages: done, or named in a warning."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest

from paperchute.engine import report
from paperchute.engine.html.style_sheets import tell_styles
from tests.engine.html.pages import rendered

ITEMS = "<li>gold<li>silver<li>bronze"


def numbers(path: Path) -> list[str]:
    """The numbers of the list's items, down the page."""
    with pypdfium2.PdfDocument(path) as document:
        text = document[0].get_textpage().get_text_bounded()
    return [word.rstrip(".") for word in text.split() if word[0].isdigit()]


@pytest.mark.parametrize(
    ("html", "right"),
    [
        (f"<ol reversed>{ITEMS}</ol>", ["3", "2", "1"]),
        (f"<ol reversed start=10>{ITEMS}</ol>", ["10", "9", "8"]),
        (f"<ol reversed><li>a<ul><li>x<li>y</ul><li value=9>b{ITEMS}", ["5", "9", "8", "7", "6"]),
        (f"<ol reversed><li>a<ol reversed>{ITEMS}</ol><li>b</ol>", ["2", "3", "2", "1", "1"]),
        (f"<ol start=4>{ITEMS}</ol>", ["4", "5", "6"]),
    ],
)
def test_lists_that_count_down_do(tmp_path: Path, html: str, right: list[str]) -> None:
    assert numbers(rendered(tmp_path, html)) == right


@pytest.mark.parametrize(
    ("css", "missed"),
    [
        ("p::after { content: counter(page) }", "counter(page)"),
        ("td::after { content: 'of ' counters(pages, '.') }", "counter(page)"),
        ("h1 { string-set: title content() }", "string-set"),
        ("a::after { content: target-counter(attr(href), page) }", "target-counter()"),
        ("@page { size: A4 } @page :first { size: A6 }", "size"),
        ("@page wide { size: A4 landscape }", "size"),
        ("@page { size: A4; @bottom-center { content: counter(page) ' of ' counter(pages) } }", ""),
        ("@page { size: A6 } @page :first { size: A6; margin: 0 }", ""),
        ("/* string-set: no */ li::before { content: counter(item) } p { font-size: 9pt }", ""),
        ("body { counter-reset: page } p::after { content: counter(page) }", ""),
    ],
)
def test_what_is_not_laid_out_is_said(css: str, missed: str) -> None:
    with report.collected() as warnings:
        tell_styles([css])
    assert [warning.rpartition(": ")[2].rstrip(".") for warning in warnings] == ([missed] if missed else [])


def test_a_page_with_such_a_style_ends_with_a_warning(tmp_path: Path) -> None:
    with report.collected() as warnings:
        rendered(tmp_path, "<style>h1 { string-set: title content() }</style><h1>Title</h1>")
    assert len(warnings) == 1
    assert "string-set" in warnings[0]
