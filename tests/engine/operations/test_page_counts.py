"""How many pages an operation counts for the API key that asked for it."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest

from paperchute.contract import Value
from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.engine.work import Source, Work

_THREE = '<p style="page-break-after: always">one</p><p style="page-break-after: always">two</p><p>three</p>'


def _source(folder: Path, pages: int) -> Source:
    path = folder / f"{pages}.pdf"
    with pikepdf.new() as pdf:
        for _ in range(pages):
            pdf.add_blank_page()
        pdf.save(path)
    return Source("file", path, path.name, "pdf")


@pytest.mark.parametrize(
    ("operation", "sizes", "parameters", "pages"),
    [
        ("pdf-merge", (2, 3), {}, 5),
        ("pdf-merge", (2, 3), {"filePageRanges": ["1", "2-3"]}, 3),
        ("pdf-insert", (2,), {"actionType": "BLANK", "index": 1, "width": 100, "height": 100, "count": 4}, 6),
        ("pdf-encrypt", (7,), {"userPassword": "p", "ownerPassword": "o"}, 7),
        ("pdf-to-markdown", (9,), {"enableOcr": False}, 9),
        ("pdf-to-markdown", (9,), {"enableOcr": False, "pageRanges": "2-5"}, 4),
        ("html-to-pdf", (), {}, 3),
    ],
)
def test_what_an_operation_reads_or_makes_is_counted(
    operation: str, sizes: tuple[int, ...], parameters: dict[str, Value], pages: int, tmp_path: Path
) -> None:
    sources = [_source(tmp_path, size) for size in sizes]
    if not sizes:
        page = tmp_path / "page.html"
        page.write_text(f"<!doctype html>{_THREE}")
        sources = [Source("file", page, "page.html", "html")]
    folder = tmp_path / "work"
    folder.mkdir()
    report.listen(None)
    implementation(operation).run(Work(operation, tuple(sources), parameters, folder))
    assert report.handled() == pages
    report.listen(None)
    assert report.handled() == 1, "the next task begins anew"
