"""Where a stack parts: at pages that bear a code or words that fit, and at blank pages.

A sheet has the code and nothing else, or bears PATCHT, as separator sheets do. A label's page is the first of what
follows. What shows through from the other side of a sheet belongs to that sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import hypot
from typing import Any, Literal

import numpy as np
import pikepdf
import pypdfium2 as pdfium

from paperchute.contract import told_of_pages
from paperchute.engine.document.model import Block, Page
from paperchute.engine.imaging.blank import DPI, Ink, ink_of, verdict_on
from paperchute.engine.imaging.codes import Code, payment_kind, read_codes
from paperchute.engine.imaging.scans import state_of_pictures
from paperchute.engine.pdf.damage import damaged_pages
from paperchute.engine.reading.ocr.blank_pages import has_more
from paperchute.engine.reading.ocr.options import AUTO, OcrOptions
from paperchute.engine.reading.ocr.selective import SelectiveRecogniser
from paperchute.engine.reading.pdf.document import OpenPdf, opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from paperchute.engine.report import counted
from paperchute.engine.work import Work
from paperchute.language import _
from paperchute.notation.patterns import compiled

SHEET = "PATCHT"
"""The text that separator sheets bear everywhere."""

_FINER = 2  # times the resolution at which ink is looked for: 200 dpi, at which codes of 0.25 mm are read
_MOST_PIXELS = 24_000_000
_KEPT = 2  # pages behind whose ink is still known
_BESIDE = round(5 * DPI / 25.4)  # pixels around a code: its own text in plain letters
_PALER = 0.5  # of a code's contrast: what shines through is no darker
_SAME_PLACE = 12 * DPI * _FINER / 25.4  # pixels: two sides of a sheet lie that far apart at most

Fate = Literal["sheet", "back", "first", "plain"]
"""What a page is: a separator, its back, the first of a part, or none of these."""


@dataclass(frozen=True)
class Part:
    """Pages that become a file, 0-based. code: the text of the code that they begin with."""

    pages: list[int]
    code: str = ""


@dataclass
class Division:
    """A stack's parts, and the 0-based pages that are in none of them. idle: sheets whose code names no part."""

    parts: list[Part] = field(default_factory=list)
    taken_out: list[int] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)


def at_codes(work: Work) -> Division:
    """Divide the source at the pages that bear a code whose whole text fits `separatorCode`."""
    pattern, asked = compiled(f"(?sm:{work.text('separatorCode')})"), work.text("separatorCode").casefold()

    def is_wanted(text: str) -> bool:
        kind = payment_kind(text)
        return pattern.fullmatch(text) is not None and (not kind or kind.casefold() in asked)

    def is_enough(codes: Sequence[Code]) -> bool:
        """A sheet that bears PATCHT alone may have one that says more, and is hard to read."""
        return any(is_wanted(code.text) and (code.is_matrix or not _is_sheet(code.text)) for code in codes)

    fates: list[tuple[Fate, str]] = []
    with _pages_of(work) as pages:
        before: Sequence[Code] = ()
        for index in counted(range(pages.count), pages.count):
            codes = pages.codes(index, is_enough)
            marks = [code for code in codes if is_wanted(code.text)]
            own = [mark for mark in marks if not any(_shows_through(mark, other, pages.size) for other in before)]
            fate: Fate = "plain"
            if own:
                is_sheet = work.text("separatorPage") == "remove" or any(_is_sheet(mark.text) for mark in own)
                fate = "sheet" if is_sheet or pages.is_bare(index, codes) else "first"
            elif fates and fates[-1][0] == "sheet" and pages.is_blank(index, [index - 1]):
                fate = "back"
            elif marks and fates and fates[-1][0] == "sheet":
                said = _(
                    "Page {number} may be the back of a separator sheet, but is not surely blank: it stays.",
                    number=index + 1,
                )
                work.note(said)
            fates.append((fate, _naming(own, codes)))
            before = marks
    return _divided(fates, stays=work.text("separatorPage") == "keep")


def at_blank_pages(work: Work) -> Division:
    """Divide the source where `blankPages` pages or more in a row have nothing on them."""
    least, run = work.integer("blankPages"), 0
    fates: list[tuple[Fate, str]] = []
    with _pages_of(work) as pages:
        for index in counted(range(pages.count), pages.count):
            run = run + 1 if pages.is_blank(index, [index - 1, index + 1]) else 0
            fates.append(("plain", ""))
            if run >= least:
                fates[-run:] = [("sheet", "")] * run
    return _divided(fates, stays=work.text("separatorPage") == "keep")


def at_text(work: Work) -> Division:
    """Divide the source at the pages on which `separatorText` is found; scans are recognised."""
    pattern, source = compiled(f"(?m:{work.text('separatorText')})"), work.sources[0]
    found: Fate = "sheet" if work.text("separatorPage") == "remove" else "first"
    options = Options(images=False, backgrounds=False, notes=False)
    ocr = OcrOptions(AUTO, "INVALID_CHARACTER_AND_SCAN_PAGE", automatic=True)
    with opened(source.path, source.name, work.text("password")) as document:
        pages = read_pdf(document, range(len(document)), options, SelectiveRecogniser(ocr, options)).pages
        fates = [(found if pattern.search(_text_of(page)) else "plain", "") for page in pages]
    return _divided(fates, stays=False)


# ---------- what is seen of pages ----------


class _Pages:
    """The pages of an open document, drawn when they are looked at."""

    def __init__(self, document: OpenPdf, pdf: pikepdf.Pdf, work: Work) -> None:
        self.count = len(document)
        self.size = (1, 1)
        """Of the picture that codes were last read from, in pixels."""
        self._document, self._pdf, self._work = document, pdf, work
        self._inks: dict[int, Ink | None] = {}

    def codes(self, index: int, is_enough: Callable[[Sequence[Code]], bool]) -> list[Code]:
        """The codes on a page."""
        picture = self._drawn(index, _FINER * DPI, grayscale=True)
        if picture is None:
            return []
        self.size = picture.shape[1], picture.shape[0]
        return read_codes(picture, is_enough)

    def is_blank(self, index: int, beside: Sequence[int]) -> bool:
        """Decide whether nothing is on a page but what shines through from the pages beside it.

        A page with notes, fields or text, and any page where layers are not shown, may hold more than is seen.
        """
        ink = self._ink(index)
        others = [other for at in beside if 0 <= at < self.count and (other := self._ink(at)) is not None]
        if ink is None or verdict_on(ink, others) != "blank" or self._document.hides_layers:
            return False
        return not has_more(self._document, index, self._pdf.pages[index]) and self._is_whole(index)

    def is_bare(self, index: int, codes: Sequence[Code]) -> bool:
        """Decide whether nothing but codes, and what is printed close to them, is on a page."""
        picture = self._drawn(index, DPI)
        if picture is None:
            return False
        paper = np.percentile(picture, 90, axis=(0, 1)).astype(np.uint8)
        for left, top, right, bottom in (code.box for code in codes):
            rows = slice(max(top // _FINER - _BESIDE, 0), bottom // _FINER + _BESIDE)
            picture[rows, max(left // _FINER - _BESIDE, 0) : right // _FINER + _BESIDE] = paper
        return verdict_on(ink_of(picture), []) == "blank" and self._is_whole(index)

    def _is_whole(self, index: int) -> bool:
        """Decide whether a page shows all that it was to; one that does not is warned of, as it only looks blank."""
        if index not in self._damaged and state_of_pictures(self._pdf.pages[index]) != "damaged":
            return True
        pages = told_of_pages([index + 1])
        self._work.warn(_("Damaged or cut off: {pages}. Check what is there, and scan it again.", pages=pages))
        return False

    @cached_property
    def _damaged(self) -> frozenset[int]:
        return frozenset(damaged_pages(self._document.plain, range(self.count)) or ())

    def _ink(self, index: int) -> Ink | None:
        if index not in self._inks:
            picture = self._drawn(index, DPI)
            for old in [at for at in self._inks if at < index - _KEPT]:
                del self._inks[old]
            self._inks[index] = None if picture is None else ink_of(picture)
        return self._inks[index]

    def _drawn(self, index: int, dpi: float, *, grayscale: bool = False) -> Any:
        try:
            with closing(self._document[index]) as page:
                width, height = page.get_size()
                scale = min(dpi / 72, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
                picture = page.render(scale=scale, grayscale=grayscale, may_draw_forms=True).to_numpy()
        except (pdfium.PdfiumError, ValueError, MemoryError):
            self._work.warn(
                _("Page {number} cannot be drawn, so nothing was looked for on it: it parts nothing.", number=index + 1)
            )
            return None
        return np.ascontiguousarray(picture if grayscale else picture[:, :, :3])


@contextmanager
def _pages_of(work: Work) -> Iterator[_Pages]:
    source = work.sources[0]
    with opened(source.path, source.name, work.text("password")) as document, document.plain() as pdf:
        yield _Pages(document, pdf, work)


def _is_sheet(text: str) -> bool:
    return text.strip().upper() == SHEET


def _shows_through(mark: Code, other: Code, size: tuple[int, int]) -> bool:
    """Decide whether a code is another of the page before, seen through the paper: pale, and in its mirrored place."""
    if mark.text != other.text or mark.contrast > _PALER * other.contrast:
        return False
    (x, y), (u, v), (width, height) = mark.center, other.center, size
    return min(hypot(x + u - width, y - v), hypot(x - u, y + v - height)) < _SAME_PLACE


def _naming(marks: Sequence[Code], codes: Sequence[Code]) -> str:
    """The text of the code that names what follows: of a sheet, one beside PATCHT; empty where there is none."""
    texts = [mark.text for mark in marks]
    if any(map(_is_sheet, texts)):
        texts += [code.text for code in codes if not payment_kind(code.text)]
    return next((text for text in texts if not _is_sheet(text)), "")


def _text_of(page: Page) -> str:
    return "\n".join(text for block in page.blocks for text in _texts_of(block))


def _texts_of(block: Block) -> Iterator[str]:
    yield from (line.text for line in block.lines)
    for item in block.items:
        yield " ".join([item.marker, *(line.text for line in item.lines)]).strip()
    if block.table is not None:
        yield from (line.text for cell in block.table.cells for line in cell.lines)


# ---------- parts ----------


def _divided(fates: Sequence[tuple[Fate, str]], *, stays: bool) -> Division:
    """Divide pages by what they are, and the texts of their codes. stays: sheets begin the part behind them."""
    division, pages, code = Division(), list[int](), ""
    has_content, sheet = False, -1
    for index, (fate, text) in enumerate(fates):
        if fate in ("sheet", "first") and has_content:
            division.parts.append(Part(pages, code))
            pages, code, has_content = [], "", False
        if text:
            if sheet >= 0 and text != code:
                division.idle.append(sheet)
            sheet = index if fate == "sheet" else -1
        code = text or code
        if fate in ("plain", "first"):
            has_content, sheet = True, -1
        if fate in ("plain", "first") or stays:
            pages.append(index)
        else:
            division.taken_out.append(index)
    if sheet >= 0:
        division.idle.append(sheet)
    if pages:
        division.parts.append(Part(pages, code))
    return division
