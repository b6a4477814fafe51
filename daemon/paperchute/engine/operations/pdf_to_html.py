"""pdf-to-html: a PDF as HTML (docs/contract.md#operations).

- pageLayoutMode e_Flow is text that reflows, with headings, lists, tables, footnotes and links; what a page end broke
  is put together. e_Box keeps pages: each printed line stands where it stood, over the page's drawing.
- htmlOption: e_SinglePage one file that holds its pictures; e_SinglePageWithBookmark the same with the outline beside
  it; e_MultiPage a file a page with the pictures in images/; e_MultiPageWithBookmark these with the outline in
  index.html and the way from page to page.
- isOutputDocumentPerPage 1 makes a document of its own of each page.
- isContainImg 0 leaves pictures out. isContainAnnot: annotations stand after their page's text; in e_Box where they
  are.
- containPageBackgroundImage matters only when OCR is on: a scan's own picture stays behind the words found on it, or
  not. Without OCR e_Box always has the page's drawing, and e_Flow, which has no pages, none; nor has it any of pages
  that automatic recognition left alone.
- formulaToImage 1 puts displayed formulas in as pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from paperchute.engine.document.model import Facts, Page
from paperchute.engine.reading.source import document_of, stem_of
from paperchute.engine.work import Work
from paperchute.engine.writing.html.writer import HtmlWriter


def run(work: Work) -> list[Path]:
    """The HTML files, then their images. Raises Refused: 02201, 120002, 02207, 110001."""
    stem = stem_of(work)
    boxed = work.text("pageLayoutMode") == "e_Box"
    with document_of(work, looks=boxed, inks=not boxed) as document:
        pages = document.pages if boxed or work.flag("enableOcr") else _without_backgrounds(document.pages)
        if not work.flag("isOutputDocumentPerPage"):
            return _written(work, stem, document.facts, pages)
        outputs: list[Path] = []
        digits = len(str(document.facts.page_count))
        for page in pages:
            own = tuple(mark for mark in document.facts.outline if mark.page == page.number)
            facts = replace(document.facts, outline=own)
            outputs += _written(work, f"{stem}-{page.number:0{digits}}", facts, [page])
    return list(dict.fromkeys(outputs))


def _written(work: Work, name: str, facts: Facts, pages: Iterable[Page]) -> list[Path]:
    option = work.text("htmlOption")
    boxed = work.text("pageLayoutMode") == "e_Box"
    writer = HtmlWriter(work.folder, name, facts, boxed, marked=option.endswith("WithBookmark"))
    many = option.startswith("e_MultiPage") and not work.flag("isOutputDocumentPerPage")
    return writer.write_many(pages) if many else writer.write_one(pages)


def _without_backgrounds(pages: Iterable[Page]) -> Iterator[Page]:
    for page in pages:
        blocks = tuple(block for block in page.blocks if page.recognised or not block.background)
        yield replace(page, blocks=blocks)
