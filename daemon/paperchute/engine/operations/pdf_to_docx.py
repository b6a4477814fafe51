"""pdf-to-docx: a PDF as a Word document (docs/contract.md#operations).

- pageLayoutMode e_Flow gives text that reflows: paragraphs, headings, lists, tables, footnotes, headers and footers of
  Word's own. e_Box keeps every block in a text box at its place on the page.
- enableAiLayout 0 reads lines straight across from top to bottom, without columns, headings, lists or tables.
- enableOcr recognises the pages that ocrOption names; unsaid, those that need it. containPageBackgroundImage 0 then
  leaves out what is printed behind recognised words; without recognition it has no effect.
- isContainImg 0 leaves pictures out. isContainAnnot: annotations with words become Word's comments.
- formulaToImage 1 puts displayed formulas in as pictures; formulas inside lines stay text.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.work import Work
from paperchute.engine.writing.docx.writer import write_docx
from paperchute.engine.writing.office.outputs import written


def run(work: Work) -> list[Path]:
    """The document, or one for each page. Raises Refused 02201, 120002, 02207, 110001."""
    boxed = work.text("pageLayoutMode") == "e_Box"
    return written(work, "docx", lambda facts, pages, path: write_docx(facts, pages, path, boxed=boxed), looks=boxed)
