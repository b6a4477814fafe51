"""HTML to PDF by PlutoBook, with our own fetcher between it and the world."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import plutoprint

from paperchute.engine.fonts import use_carried_fonts
from paperchute.engine.html.controls import on_paper
from paperchute.engine.html.encoding import storable
from paperchute.engine.html.fetch import NO_BASE, Page
from paperchute.engine.html.formulas import with_formulas
from paperchute.engine.html.frames import tell_frames
from paperchute.engine.html.nesting import FLAT, PLAIN_BLOCKS, flattened
from paperchute.engine.html.pictures import Pixels
from paperchute.engine.html.postprocess import finish
from paperchute.engine.html.preprocess import marked
from paperchute.engine.html.repeats import without_repeats
from paperchute.engine.html.resources import NO_PICTURE, Fetcher, plain_sources_in
from paperchute.engine.html.spans import within_rows
from paperchute.engine.html.style_sheets import styles_of, tell_styles
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
    document = marked(with_formulas(printable(page.html)))
    fetcher = Fetcher(policy, page.files, Pixels())
    with _laid_out(document.html, page, fetcher, paper or Paper()) as book:
        # A letter stays in memory; a file costs as much time as to lay it out.
        few = book.get_page_count() <= _FEW_PAGES
        with io.BytesIO() if few else output.with_name(output.name + ".layout").open("w+b") as laid_out:
            _write(book, laid_out, fetcher)
            finish(laid_out, output, document)
    tell_styles([*styles_of(page.html), *fetcher.styles])


def render_plain(page: Page, output: Path, fetcher: Fetcher) -> None:
    """Write the PDF of a page that is `printable`, as it is laid out: for those who look where on it things stand.

    Its links are whatever the page has, and glyphs mean what their fonts say. Raises Refused as `render` does.
    """
    with _laid_out(page.html, page, fetcher, Paper()) as book, output.open("wb") as file:
        _write(book, file, fetcher)


def printable(html: str) -> str:
    """The document as it is laid out. Raises Refused 02209 for more than can be."""
    if len(html) > _MOST_CHARACTERS:
        raise Refused(
            "02209", _("the HTML has more than {millions} million characters", millions=_MOST_CHARACTERS >> 20)
        )
    return on_paper(plain_sources_in(storable(html)))


@contextmanager
def _laid_out(html: str, page: Page, fetcher: Fetcher, paper: Paper) -> Iterator[plutoprint.Book]:
    """The pages of `html`; once they are written, warnings say what was left out of them."""
    html, base = fetcher.pixels.inline(html), page.base or NO_BASE
    try:
        yield _book(flattened(within_rows(without_repeats(html)), base, fetcher.style_sheet), base, fetcher, paper)
        fetcher.left_out.update((f"data:{kind}", NO_PICTURE) for kind in fetcher.pixels.undrawn)
        fetcher.tell()
        tell_frames(page.html)
    except plutoprint.Error as error:
        raise Refused("02210", _("the document could not be laid out")) from error


def _write(book: plutoprint.Book, output: BinaryIO, fetcher: Fetcher) -> None:
    book.write_to_pdf_stream(output)
    if fetcher.refusal is not None:
        raise fetcher.refusal


def _book(html: str, base: str, fetcher: Fetcher, paper: Paper) -> plutoprint.Book:
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
    book.load_html(html, base_url=base, user_style=PLAIN_BLOCKS if FLAT in html else "")
    return book
