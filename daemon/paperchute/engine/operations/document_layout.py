"""document-layout: how a document's pages are read (docs/reading.md#why-a-page-is-read-as-it-is).

NAME.why.txt says of each page which stage of laying it out (docs/architecture.md#reading-and-writing-documents) took
what, as what, and what looked like a table and was rejected, by which number. NAME.why.pdf is the source with the same
as boxes on its pages. The document is read as text that flows, as by pdf-to-markdown.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Page
from paperchute.engine.pdf.layout_drawing import LaidOut, Mark, draw_layout
from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.printing.bundle import with_pdfs
from paperchute.engine.reading.layout.trace import PageTrace, Rejected, Taken, traced
from paperchute.engine.reading.source import document_of, stem_of
from paperchute.engine.work import Refused, Work, output_name

_MOST_SAID = 60
"""Characters of a block's beginning."""
_HEAD = """{name}
What each stage of laying out a page took, and what became nothing. Boxes: left, top, right, bottom in points.
"""
_LINE = "{number:>4} {box}  {stage:<17}  {what:<40}  {said}".format


def run(work: Work) -> list[Path]:
    """The text, and the source with boxes. Raises Refused 02201, 120002, 02207, 110001, 190005, 02210."""
    name = f"{work.text('outputFileName') or stem_of(work)}.why"
    named = replace(work, parameters={**work.parameters, "outputFileName": name})
    text = work.folder / output_name(named, "txt")
    pages: list[LaidOut] = []
    with traced() as trace, document_of(work) as document, text.open("w", encoding="utf-8", newline="\n") as out:
        out.write(_HEAD.format(name=_plain(work.sources[0].name)))
        for page in document.pages:
            told = trace.pages.pop(page.number, None)
            out.writelines(f"{line.rstrip()}\n" for line in _told(page, told))
            if told is not None:
                pages.append(LaidOut(page.number - 1, page.width, page.height, page.angle, tuple(_marks(told))))
    try:
        return [text, *rewrite(with_pdfs(named), lambda pdf: draw_layout(pdf, pages))]
    except Refused as error:  # what PDFium reads in spite of its damage
        work.warn(error.reason)
        return [text]


def _told(page: Page, told: PageTrace | None) -> Iterator[str]:
    """The lines about a page."""
    yield ""
    yield f"Page {page.number}, {page.width:.0f} x {page.height:.0f}" + (f", turned by {page.angle}" * bool(page.angle))
    if told is None:
        yield "  nothing was laid out"
        return
    for number, taken in enumerate(told.taken, start=1):
        said = " ".join(word.text for word in itertools.islice(taken.words, _MOST_SAID))
        yield _LINE(number=number, box=_box(taken.box), stage=taken.stage, what=_what(taken), said=_plain(said))
    for number, one in enumerate(told.rejected, start=1):
        what = one.finder if one.finder in ("furniture", "headings") else f"table by {one.finder}"
        yield _LINE(number=f"R{number}", box=_box(one.box), stage="rejected", what=what, said=_why(one))
    missing = told.missing()
    if missing:
        yield f"  in no block: {_plain(' '.join(word.text for word in missing[:_MOST_SAID]))}"


def _marks(told: PageTrace) -> Iterator[Mark]:
    for number, taken in enumerate(told.taken, start=1):
        yield Mark(taken.box, f"{number} {taken.kind}", taken.kind)
    for number, one in enumerate(told.rejected, start=1):
        yield Mark(one.box, f"R{number} {one.finder}: {one.reason}", None)


def _what(taken: Taken) -> str:
    return f"{taken.kind} ({taken.how})" if taken.how else taken.kind


def _why(one: Rejected) -> str:
    by = one.by
    return f"{one.reason}: {by.number} {by.value:.3g}, limit {by.limit:g}" if by is not None else one.reason


def _box(box: Box) -> str:
    return " ".join(f"{side:>5.0f}" for side in box)


def _plain(text: str) -> str:
    """A text as part of a line, whatever a document has in it."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return line if len(line) <= _MOST_SAID else f"{line[: _MOST_SAID - 1]}…"
