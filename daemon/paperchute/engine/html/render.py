"""HTML to PDF by PlutoBook, with our own fetcher between it and the world."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import plutoprint

from paperchute.engine.fonts import use_carried_fonts
from paperchute.engine.html.controls import on_paper
from paperchute.engine.html.encoding import storable
from paperchute.engine.html.fetch import NO_BASE, Page
from paperchute.engine.html.frames import tell_frames
from paperchute.engine.html.postprocess import finish
from paperchute.engine.html.preprocess import Pixels, marked
from paperchute.engine.html.resources import Fetcher, plain_sources_in
from paperchute.engine.work import FetchPolicy, Refused
from paperchute.language import _

use_carried_fonts()

A4 = (595.0, 842.0)
"""Width and height in points, as docs/contract.md#pdf-generate rounds them."""

_MOST_PAGES = 20_000
_FEW_PAGES = 50
_MOST_CHARACTERS = 64 << 20
_MARGIN = 72.0  # points, of a sheet of A4; smaller sheets have less


@dataclass(frozen=True)
class Paper:
    """Page size in points, for pages whose style sheet says nothing else."""

    width: float = A4[0]
    height: float = A4[1]

    @property
    def margin(self) -> float:
        """For pages whose style sheet says nothing else: a label must not be all margin."""
        return min(_MARGIN, min(self.width, self.height) / 8)


def render(page: Page, output: Path, policy: FetchPolicy, paper: Paper | None = None) -> None:
    """Write the PDF of `page` to `output`. One of many pages leaves scratch beside it, `.layout` behind its name.

    Resources that may not or cannot be fetched are left out, and frames, which is a warning. Raises Refused: 02209 or
    100105 for more than can be laid out, 03000 for more resources than one document may have, 02210 for what cannot be.
    """
    if len(page.html) > _MOST_CHARACTERS:
        raise Refused(
            "02209", _("the HTML has more than {millions} million characters", millions=_MOST_CHARACTERS >> 20)
        )
    document = marked(on_paper(plain_sources_in(storable(page.html))))
    pixels = Pixels()
    pixels.count_inline(document.html)
    fetcher = Fetcher(policy, page.files, pixels)
    try:
        book = _laid_out(document.html, page.base or NO_BASE, fetcher, paper or Paper())
        # A letter stays in memory; a file costs as much time as to lay it out.
        few = book.get_page_count() <= _FEW_PAGES
        with io.BytesIO() if few else output.with_name(output.name + ".layout").open("w+b") as laid_out:
            book.write_to_pdf_stream(laid_out)
            if fetcher.refusal is not None:
                raise fetcher.refusal
            finish(laid_out, output, document)
        fetcher.tell()
        tell_frames(page.html)
    except plutoprint.Error as error:
        raise Refused("02210", _("the document could not be laid out")) from error


def _laid_out(html: str, base: str, fetcher: Fetcher, paper: Paper) -> plutoprint.Book:
    book = _loaded(html, base, fetcher, paper)
    sheet = _first_sheet(book)
    if sheet.margin <= 0:  # without our margins the style sheet's size shows
        sheet = _first_sheet(_loaded(html, base, fetcher, paper, margin=0.0))
    if 0 < sheet.margin < paper.margin:
        book = _loaded(html, base, fetcher, sheet)
    if book.get_page_count() == 0:
        raise Refused("02210", _("the margins leave no room on the page"))
    if book.get_page_count() > _MOST_PAGES:
        raise Refused("100105", _("the document would have more than {most} pages", most=_MOST_PAGES))
    return book


def _first_sheet(book: plutoprint.Book) -> Paper:
    """Its size; no size at all where margins leave no room for a page."""
    if book.get_page_count() == 0:
        return Paper(0.0, 0.0)
    size = book.get_page_size_at(0)
    return Paper(size.width, size.height)


def _loaded(html: str, base: str, fetcher: Fetcher, paper: Paper, margin: float | None = None) -> plutoprint.Book:
    room = paper.margin if margin is None else margin
    book = plutoprint.Book(plutoprint.PageSize(paper.width, paper.height), plutoprint.PageMargins(*[room] * 4))
    book.custom_resource_fetcher = fetcher
    book.load_html(html, base_url=base)
    return book
