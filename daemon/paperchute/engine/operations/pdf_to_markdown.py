"""pdf-to-markdown: a born-digital PDF as Markdown (docs/contract.md#operations).

- enableAiLayout 0 reads lines straight across from top to bottom, without columns, headings, lists or tables.
- pageLayoutMode e_Flow reflows paragraphs, with each running head once and no page numbers
  (isContainHeaderFooter 1 keeps all); e_Box keeps every printed line as a line of its own, and the page furniture too.
- isContainImg 0 leaves no image references. containPageBackgroundImage 0 drops pictures that lie behind a page's text;
  a page that is only a picture is content and stays.
- isContainAnnot: annotations with words become quotes after their page.
- formulaToImage 1 puts displayed formulas in as pictures; formulas inside lines stay text.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.reading.source import document_of, stem_of
from paperchute.engine.work import Work
from paperchute.engine.writing.markdown import MarkdownWriter


def run(work: Work) -> list[Path]:
    """The Markdown file (or one for each page), then its images. Raises Refused 02201, 120002, 02207, 110001."""
    stem = stem_of(work)
    boxed = work.text("pageLayoutMode") == "e_Box"
    with document_of(work) as document:
        if not work.flag("isOutputDocumentPerPage"):
            writer = MarkdownWriter(work.folder, stem, boxed)
            return [writer.write(document.pages), *writer.images]
        texts: list[Path] = []
        images: list[Path] = []
        digits = len(str(document.facts.page_count))
        for page in document.pages:
            writer = MarkdownWriter(work.folder, f"{stem}-{page.number:0{digits}}", boxed)
            texts.append(writer.write([page]))
            images += writer.images
    return [*dict.fromkeys(texts), *dict.fromkeys(images)]
