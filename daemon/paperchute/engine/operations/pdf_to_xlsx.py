"""pdf-to-xlsx: the tables of a PDF, or all its content, as a workbook (docs/contract.md#operations).

- excelAllContent 0 leaves everything but tables out; without any table the record fails with 190007.
- excelWorksheetOption: see `writing/xlsx/writer.py`. Tables that a page end broke are one, save with a sheet a page.
- isContainImg and isContainAnnot matter where all content is asked for; annotations over a table's cells are their
  comments in either case.
- enableAiLayout 0 finds no tables: all text stands line by line.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from paperchute.engine.document.model import Page
from paperchute.engine.reading.source import document_of, stem_of
from paperchute.engine.work import Refused, Work
from paperchute.engine.writing.xlsx.writer import WorkbookWriter, per_of
from paperchute.language import _


def run(work: Work) -> list[Path]:
    """The workbook, or one for each page that has something for it.

    Raises Refused: 190007 no table where only tables are wanted, 02201, 120002, 02207, 110001.
    """
    stem = stem_of(work)
    with document_of(work) as document:
        if not work.flag("isOutputDocumentPerPage"):
            outputs = _written(work, stem, document.pages, document.facts.language)
        else:
            digits = len(str(document.facts.page_count))
            outputs = [
                path
                for page in document.pages
                for path in _written(work, f"{stem}-{page.number:0{digits}}", [page], document.facts.language)
            ]
    if not outputs:
        raise Refused("190007", _("There is no table on these pages."))
    return list(dict.fromkeys(outputs))


def _written(work: Work, name: str, pages: Iterable[Page], language: str) -> list[Path]:
    """The workbook, or nothing where it would hold no table and only tables are wanted."""
    everything = bool(work.parameters.get("excelAllContent", True))
    path, scratch = work.folder / f"{name}.xlsx", work.folder / "xlsx-scratch"
    writer = WorkbookWriter(path, scratch, per_of(work.text("excelWorksheetOption")), everything, language)
    written = writer.write(pages)
    for column in writer.unclear:
        work.warn(_("{column}. It stays text: check it before you add it up.", column=column))
    shutil.rmtree(scratch)
    if written or everything:
        return [path]
    path.unlink()
    return []
