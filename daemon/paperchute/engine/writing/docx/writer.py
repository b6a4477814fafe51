"""A document of the model as a Word file.

Flow: paragraphs, headings, lists, tables and footnotes of Word's own, in sections with the source's page sizes,
margins, columns, headers and footers; text reflows. Box: every block stands in a text box at its place on a page of the
source's size, line ends and divided words as printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from docx.opc.constants import RELATIONSHIP_TYPE as RT

from paperchute.engine.document.model import Facts, Page, Style
from paperchute.engine.writing.docx.body import Body
from paperchute.engine.writing.docx.boxes import Boxes
from paperchute.engine.writing.docx.inline import Inline
from paperchute.engine.writing.docx.numbering import Numbering
from paperchute.engine.writing.docx.package import add_footnotes, empty_document, set_content, settings
from paperchute.engine.writing.docx.styles import sheet
from paperchute.engine.writing.office.flow import Flow
from paperchute.engine.writing.office.looks import Looks
from paperchute.engine.writing.office.parts import Section
from paperchute.engine.writing.office.sizes import fitted
from paperchute.engine.writing.office.styles import StyleBook
from paperchute.engine.writing.office.unseen import with_seen_words


def write_docx(facts: Facts, pages: Iterable[Page], path: Path, *, boxed: bool) -> Path:
    """Write the pages, and return the path. boxed: keep every block at its place. Raises OSError."""
    walk = iter(pages)
    first = next(walk, None)
    looks = Looks.of(facts, first)
    flow = Flow(facts.page_count, looks)
    inline = Inline(empty_document(facts.title), flow.notes.found)
    styles = StyleBook(Style(size=looks.size, font=looks.family))
    numbering = Numbering()
    sheets = (with_seen_words(fitted(page)) for page in (chain([first], walk) if first is not None else ()))
    even = False
    if boxed:
        boxes = Boxes(inline, styles, looks.family)
        for page, last in _with_last(sheets):
            boxes.page(page, last=last)
    else:
        body = Body(inline, styles, numbering, looks.pitch)
        for part in flow.parts(sheets):
            even = even or (isinstance(part, Section) and part.even is not None)
            body.add(part)
        body.finish()
    document = inline.document
    notes = flow.notes.found
    if notes:
        add_footnotes(inline, notes, styles.note)
    set_content(document, RT.STYLES, sheet(styles, looks.pitch))
    set_content(document, RT.NUMBERING, numbering.content())
    set_content(document, RT.SETTINGS, settings(even=even, notes=bool(notes)))
    document.save(str(path))
    return path


def _with_last(pages: Iterable[Page]) -> Iterator[tuple[Page, bool]]:
    before: Page | None = None
    for page in pages:
        if before is not None:
            yield before, False
        before = page
    if before is not None:
        yield before, True
