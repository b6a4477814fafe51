"""pdf-to-txt: the text of a PDF in reading order (docs/contract.md#operations).

- txtTableFormat 1 keeps the columns of tables level with spaces; 0 parts cells by tabs.
- enableAiLayout 0 reads lines straight across from top to bottom, without columns or tables.
- Running heads and feet stand once; a form feed parts the pages.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.reading.source import document_of, stem_of
from paperchute.engine.work import Work
from paperchute.engine.writing.text import write_text


def run(work: Work) -> list[Path]:
    """The text file, or one for each page. Raises Refused 02201, 120002, 02207, 110001."""
    level = work.parameters.get("txtTableFormat", 1) == 1
    with document_of(work) as document:
        if not work.flag("isOutputDocumentPerPage"):
            return [write_text(work.folder / f"{stem_of(work)}.txt", document.pages, level=level)]
        digits = len(str(document.facts.page_count))
        paths = [
            write_text(work.folder / f"{stem_of(work)}-{page.number:0{digits}}.txt", [page], level=level)
            for page in document.pages
        ]
        return list(dict.fromkeys(paths))
