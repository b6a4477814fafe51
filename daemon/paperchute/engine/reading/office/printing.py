"""Office files and texts as PDFs."""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.html.encoding import decode
from paperchute.engine.html.fetch import Page, page_from
from paperchute.engine.html.render import render
from paperchute.engine.reading.office.archive import opened_safely
from paperchute.engine.reading.office.sheets import workbook_html
from paperchute.engine.reading.office.slides import slides_html
from paperchute.engine.reading.office.texts import csv_html, markdown_html, text_html
from paperchute.engine.reading.office.word import document_html
from paperchute.engine.work import Source, Work


def printed(source: Source, kind: str, work: Work) -> Path:
    """The file as a PDF in the work's folder. Raises Refused: 02207 damaged, 02209 too large, 100105 too many pages."""
    target = work.folder / "printed.pdf"
    render(_page(source, kind), target, work.fetch)
    return target


def _page(source: Source, kind: str) -> Page:
    if kind == "html":
        return page_from(source.path.read_bytes())
    if kind in ("txt", "md", "csv"):
        text = decode(source.path.read_bytes())
        return Page({"txt": text_html, "md": markdown_html, "csv": csv_html}[kind](text))
    with opened_safely(source.path, source.name):
        if kind == "xlsx":
            return Page(workbook_html(source.path, source.name))
        return Page(document_html(source.path) if kind == "docx" else slides_html(source.path))
