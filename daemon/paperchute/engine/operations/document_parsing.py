"""document-parsing: a document as result.json, result.md and images/ in one ZIP (docs/contract.md#document-parsing).

- image_type base64 puts pictures into the Markdown instead of images/.
- content_filter keeps blocks of one kind: table, heading, image, formula, text (all that has words and is no table or
  formula), toc (printed tables of contents; the catalog is filled too, and is the Markdown where none is printed).
- isOutputDocumentPerPage: one folder a page, each with a result of its own.
- parse_options: see `engine/parse_options.py`. Pieces of broken tables and paragraphs stay apart, and headings keep the
  levels they were found with, unless mergeTables, concatenate_pages and relevelTitles ask for the opposite.
- Office files (docx, xlsx, pptx) and texts (html, md, csv, txt) are read from what they state, and printed for
  positions: a sheet or slide begins a page of its own, other files have pages of A4. doc, xls and ppt are refused.
- Our own key excel_base64 in parse_options fills the result's field of that name with a workbook of the tables.
- Annotations are `aside_text` with the tag `annotation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from paperchute.contract import PICTURES
from paperchute.engine.checks.reading import kind_printed
from paperchute.engine.document.flow import with_blocks, with_levels, with_merged_tables
from paperchute.engine.document.headings import is_contents
from paperchute.engine.document.model import Block, Document, Page
from paperchute.engine.parse_options import ParseOptions, parse_options
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Work
from paperchute.engine.writing.parsed import Heading, ParseWriter, catalogued
from paperchute.engine.writing.xlsx.writer import WorkbookWriter
from paperchute.language import _

_HEADINGS = {"doc_title", "paragraph_title"}
_PICTURES = {"image", "header_image", "footer_image"}
_FILTERS: dict[str, Callable[[Block], bool]] = {
    "all": lambda block: True,
    "table": lambda block: block.table is not None,
    "heading": lambda block: block.kind in _HEADINGS,
    "toc": is_contents,
    "image": lambda block: block.kind in _PICTURES,
    "formula": lambda block: block.kind == "formula",
    "text": lambda block: block.table is None and block.kind not in _PICTURES | {"formula"},
}


def run(work: Work) -> list[Path]:
    """result.json, result.md, then the images; with isOutputDocumentPerPage so for each page, in a folder of its own.

    Raises Refused: 02201, 120002, 02207, 110001.
    """
    options = parse_options(work.text("parse_options"))
    single = not work.flag("isOutputDocumentPerPage")
    whole = single and not work.text("pageRanges")  # else a page has what stands on it
    workbook = None
    if options.workbook and single:
        with document_of(work, layout=options.layout_detection, whole=whole) as document:
            workbook = _workbook(work, document.pages, work.folder, document.facts.language)
    with document_of(work, layout=options.layout_detection, whole=whole) as document:
        pages: Iterable[Page] = document.pages
        if options.relevel_titles:
            pages = with_levels(pages)
        if single:
            return _written(work, options, document, pages, work.folder, workbook)
        outputs: list[Path] = []
        digits = len(str(document.facts.page_count))
        for page in pages:
            folder = work.folder / f"page-{page.number:0{digits}}"
            folder.mkdir(exist_ok=True)
            language = document.facts.language
            workbook = _workbook(work, [page], folder, language) if options.workbook else None
            outputs += _written(work, options, document, [page], folder, workbook)
    return list(dict.fromkeys(outputs))


def _workbook(work: Work, pages: Iterable[Page], folder: Path, language: str) -> Path | None:
    """The pages' tables as a workbook, None where there is no table."""
    path = folder / "tables.xlsx"
    writer = WorkbookWriter(path, folder, everything=False, language=language)
    if not writer.write(pages):
        return None
    for column in writer.unclear:
        work.warn(_("{column}. It stays text: check it before you add it up.", column=column))
    return path


def _written(
    work: Work, options: ParseOptions, document: Document, pages: Iterable[Page], folder: Path, workbook: Path | None
) -> list[Path]:
    wanted = work.text("content_filter") or "all"
    catalog: list[Heading] = []
    if options.merge_tables:
        pages = with_merged_tables(pages)
    pages = catalogued(pages, catalog, document.facts.outline)
    writer = ParseWriter(
        folder,
        _file_type(work),
        document.facts.page_count,
        options.ignored,
        inline=work.text("image_type") == "base64",
        shape=options.shape,
        concatenate=options.concatenate_pages,
        language=document.facts.spoken,
    )
    filtered = _filtered(work, pages, wanted)
    return writer.write(filtered, catalog if options.document_tree or wanted == "toc" else None, workbook)


def _filtered(work: Work, pages: Iterable[Page], wanted: str) -> Iterator[Page]:
    """Pages with the blocks that are wanted. Once all are walked, a filter that has left nothing is told of."""
    found = wanted in ("all", "toc")  # of a contents list that is not printed, the catalog is made
    for page in with_blocks(pages, _FILTERS[wanted], notes=wanted in ("all", "text")):
        found = found or bool(page.blocks)
        yield page
    if not found:
        work.warn(_("content_filter {wanted}: there are none on these pages.", wanted=wanted))


def _file_type(work: Work) -> str:
    source = work.sources[0]
    return kind_printed(source).upper() or ("IMAGE" if source.kind in PICTURES else "PDF")
