"""Tables in Hebrew and Arabic begin with the column at the right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paperchute.engine.operations import pdf_to_html, pdf_to_markdown
from paperchute.engine.work import Source, Work
from tests.engine.reading.printing import printed

_ROWS = (
    ("תודות", "2022", "2023"),
    ("תחנות הרכבת", "612", "38.0"),
    ("המדידות", "605", "31.5"),
    ("הסקרים", "816", "57.9"),
)


def _pdf(path: Path, rows: tuple[tuple[str, ...], ...], side: str) -> Path:
    cells = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in row) + "</tr>" for row in rows)
    table = f"<table>{cells}</table>"
    return printed(path, f'<div dir="{side}">{table}</div>', "td {border: 1px solid black; padding: 4pt 12pt}")


@pytest.mark.parametrize("side", ["rtl", "ltr"])
def test_markdown_has_the_columns_as_they_are_read(tmp_path: Path, side: str) -> None:
    rows = _ROWS if side == "rtl" else (("Town", "2022", "2023"), ("Celle", "612", "38.0"), ("Bern", "605", "31.5"))
    pdf = _pdf(tmp_path / "a.pdf", rows, side)
    made = pdf_to_markdown.run(Work("pdf-to-markdown", (Source("file", pdf, pdf.name, "pdf"),), {}, tmp_path))
    lines = [line for line in made[0].read_text("utf-8").splitlines() if line.startswith("|") and "---" not in line]
    assert [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines] == list(rows)


def test_html_shows_the_first_column_at_the_right_as_the_page_does(tmp_path: Path) -> None:
    pdf = _pdf(tmp_path / "a.pdf", _ROWS, "rtl")
    made = pdf_to_html.run(
        Work("pdf-to-html", (Source("file", pdf, pdf.name, "pdf"),), {"pageLayoutMode": "e_Flow"}, tmp_path)
    )
    page = made[0].read_text("utf-8")
    assert 'dir="rtl"' in page
    rows = [re.sub(r"<[^>]+>", "|", row) for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)]
    assert [tuple(part for part in row.split("|") if part.strip()) for row in rows] == list(_ROWS)
