"""Where the pieces of a document stand once it is printed, and what of them is seen."""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import plutoprint
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import PlacedWord
from paperchute.engine.html.fetch import Page
from paperchute.engine.html.pictures import Pixels
from paperchute.engine.html.render import render_plain
from paperchute.engine.html.resources import Fetcher
from paperchute.engine.reading.layout.marks import Word, placed_words
from paperchute.engine.reading.office.content import SCHEME
from paperchute.engine.reading.pdf.document import OpenPdf, opened_page
from paperchute.engine.reading.pdf.reader import read_marks
from paperchute.engine.reading.pdf.spelling import UNREADABLE
from paperchute.engine.reading.pdf.styles import Fonts
from paperchute.engine.work import FetchPolicy

Floats = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]

_MOST_OPENED = 200  # pages: PDFium keeps what it has read of each until the file is closed
_LONGEST_ADDRESS = 64  # bytes of a piece's link
_MOST_WORDS = 40_000  # of a page that are looked for among its pieces: a bound on time


class Place(NamedTuple):
    """A line of a piece, or a picture. page: from 0."""

    page: int
    box: Box


class Addition(NamedTuple):
    """Words that the document does not say and its style sheets print: before or behind a piece, or by themselves.

    after: the piece above that they stand below, -1 for none. glued: no space stands between.
    """

    text: str
    place: Place
    before: int = -1
    behind: int = -1
    after: int = -1
    glued: bool = False


@dataclass(slots=True)
class Sheet:
    """A printed page: its size in points, its words where they were asked for; unseen, hidden, unreadable as `Page`."""

    width: float
    height: float
    words: tuple[PlacedWord, ...] = ()
    unseen: int = 0
    hidden: int = 0
    unreadable: bool = False


@dataclass(slots=True)
class Places:
    """Where pieces stand. looks: bold and italic of those that were looked at. additions: what nothing states.

    unseen: pieces that are printed and seen by nobody, as in the colour of the paper. beyond: those that would be seen
    on a wider page. drawings: those whose words are drawn, at places of their own.
    """

    sheets: list[Sheet] = field(default_factory=list)
    of: dict[int, list[Place]] = field(default_factory=lambda: defaultdict(list))
    looks: dict[int, tuple[bool, bool]] = field(default_factory=dict)
    unseen: set[int] = field(default_factory=set)
    beyond: set[int] = field(default_factory=set)
    drawings: set[int] = field(default_factory=set)
    additions: list[Addition] = field(default_factory=list)

    @property
    def filled(self) -> set[int]:
        """The pages, from 0, on which a piece is."""
        return {place.page for found in self.of.values() for place in found}


class KeepingFetcher(Fetcher):
    """Keeps the pictures that it gives out, by address."""

    def __init__(self, page: Page, policy: FetchPolicy) -> None:
        """policy: what may be fetched for the page."""
        super().__init__(policy, page.files, Pixels())
        self.kept: dict[str, bytes] = {}

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        """Called by PlutoBook."""
        found = super().fetch_url(url)
        if found.get_mime_type().startswith("image/"):
            self.kept[url] = bytes(found.get_content())
        return found


def print_page(page: Page, fetcher: KeepingFetcher, path: Path) -> Places:
    """Print a page whose pieces are links to `path`; where these are. Raises Refused as `render` does."""
    render_plain(page, path, fetcher)
    places = Places()
    document = OpenPdf(path)
    try:
        count = len(document)
        for index in range(count):
            if index % _MOST_OPENED == _MOST_OPENED - 1:
                document.close()
                document = OpenPdf(path)
            with opened_page(document, index) as printed:
                places.sheets.append(Sheet(*printed.get_size()))
                for piece, box in _links(document, printed, places.sheets[-1].height):
                    places.of[piece].append(Place(index, box))
    finally:
        document.close()
    return places


def find_beyond(places: Places, page: Page, fetcher: KeepingFetcher, path: Path) -> None:
    """Print a page once more, much smaller: what is there now and was not before lies beside the paper.

    In a browser one scrolls there. What is hidden is on neither print.
    """
    small = page.html.replace("</body>", f"{_SMALL}</body>")
    places.beyond = set(print_page(replace(page, html=small), fetcher, path).of) - set(places.of)


_SMALL = "<style>body{transform:scale(.05)!important;transform-origin:0 0!important}</style>"


def _links(document: pdfium.PdfDocument, page: pdfium.PdfPage, height: float) -> list[tuple[int, Box]]:
    """The pieces on a page with the boxes of their lines."""
    found = []
    position, link = ctypes.c_int(0), pdfium_c.FPDF_LINK()
    quad, address = pdfium_c.FS_QUADPOINTSF(), ctypes.create_string_buffer(_LONGEST_ADDRESS)
    while pdfium_c.FPDFLink_Enumerate(page, ctypes.byref(position), ctypes.byref(link)):
        action = pdfium_c.FPDFLink_GetAction(link)
        pdfium_c.FPDFAction_GetURIPath(document, action, address, _LONGEST_ADDRESS)
        scheme, _, number = address.value.decode("latin-1").rpartition(":")
        if scheme + ":" == SCHEME and number.isdecimal() and pdfium_c.FPDFLink_GetQuadPoints(link, 0, quad):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            found.append((int(number), Box(min(xs), height - max(ys), max(xs), height - min(ys))))
    return found


def look_at(places: Places, path: Path, words: bool, said: Mapping[int, str] | None) -> None:
    """Read the print at `path`: its words at their places, and how the pieces of a foreign document look.

    said: of a foreign document, what each piece says; None for our own, of which all is known.
    """
    fonts = Fonts()
    drawn = _DRAWN | {word for piece, text in (said or {}).items() if piece in places.drawings for word in text.split()}
    pieces: dict[int, list[tuple[int, Box]]] = defaultdict(list)
    for piece, found in places.of.items() if said is not None else ():
        for page, box in found:
            pieces[page].append((piece, box))
    document = OpenPdf(path)
    try:
        for index, sheet in enumerate(places.sheets):
            if index % _MOST_OPENED == _MOST_OPENED - 1:
                document.close()
                document, fonts = OpenPdf(path), Fonts()
            with opened_page(document, index) as page:
                marks, _ = read_marks(document, page, index, fonts, inks=True, seen=True)
            if words:
                sheet.words = placed_words(marks)
                sheet.unreadable = UNREADABLE in "".join([word.text for word in marks.words])
                sheet.unseen = marks.unseen
            if said is not None and not marks.angle:
                rest, covered = _assign(places, marks.words, pieces[index], said, index)
                rest = [word for word in rest if word.text not in drawn]
                if marks.unseen:
                    unseen = {piece for piece, _ in pieces[index]} - covered
                    places.unseen |= unseen
                    sheet.hidden = 0 if words else len(unseen)
                _add_rest(places, index, rest, pieces[index])
    finally:
        document.close()


def _assign(
    places: Places, words: Sequence[Word], pieces: Sequence[tuple[int, Box]], said: Mapping[int, str], index: int
) -> tuple[list[Word], set[int]]:
    """Give each piece the look of most of its letters; the words that are in none, and the pieces that have any."""
    boxes = np.array([box for _, box in pieces], dtype=float).reshape(-1, 4)
    letters: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    rest = []
    for word in words[:_MOST_WORDS]:
        x, y = word.box.center
        inside = ((boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])).nonzero()[0]
        if not len(inside):
            rest.append(word)
            continue
        piece, box = pieces[inside[-1]]
        for x, overhangs in ((word.left + 1, word.left < box.left - 1), (word.right - 1, word.right > box.right + 1)):
            if overhangs and not _is_in(boxes, x, y):
                places.additions += _glued(word, piece, said.get(piece, ""), index)
        counts = letters[piece]
        for place, is_so in enumerate((True, word.font.bold, word.font.italic)):
            counts[place] += len(word.text) * is_so
    for piece, (every, bold, italic) in letters.items():
        places.looks[piece] = 2 * bold > every, 2 * italic > every
    return rest, set(letters)


def _is_in(boxes: Floats, x: float, y: float) -> bool:
    inside = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
    return bool(inside.any())


def _glued(word: Word, piece: int, text: str, index: int) -> list[Addition]:
    """Return what a style sheet prints right beside a word of the text, such as the sign of a currency."""
    known = text.split()
    place = Place(index, word.box)
    if known and word.text != known[0] and word.text.endswith(known[0]):
        return [Addition(word.text.removesuffix(known[0]), place, before=piece, glued=True)]
    if known and word.text != known[-1] and word.text.startswith(known[-1]):
        return [Addition(word.text.removeprefix(known[-1]), place, behind=piece, glued=True)]
    return []


def _add_rest(places: Places, index: int, rest: Sequence[Word], pieces: Sequence[tuple[int, Box]]) -> None:
    """Words that style sheets print: each group of a line belongs to the piece that it stands beside."""
    groups: list[list[Word]] = []
    for word in rest:
        last = groups[-1][-1] if groups else None
        if last is not None and abs(word.baseline - last.baseline) < 1 and 0 <= word.left - last.right < word.size:
            groups[-1].append(word)
        else:
            groups.append([word])
    boxes = np.array([box for _, box in pieces], dtype=float).reshape(-1, 4)
    for group in groups:
        box = hull(word.box for word in group)
        text = "".join(("" if word.glued else " ") + word.text for word in group).strip()
        level = np.minimum(boxes[:, 3], box.bottom) - np.maximum(boxes[:, 1], box.top) > box.height / 2
        right, left = boxes[:, 0] - box.right, box.left - boxes[:, 2]
        place = Place(index, box)
        before = _nearest(right, level & (right > -1) & (right < _NEAR), pieces)
        behind = _nearest(left, level & (left > -1) & (left < _NEAR), pieces) if before < 0 else -1
        if before >= 0 or behind >= 0:
            places.additions.append(Addition(text, place, before=before, behind=behind))
        else:
            gap = box.top - boxes[:, 3]
            places.additions.append(Addition(text, place, after=_nearest(gap, gap > -box.height / 2, pieces)))


_DRAWN = frozenset("▾▸▼►")
"""What browsers draw before a summary."""
_NEAR = 40.0
"""Points between a list's marker and its text, at most: browsers indent lists by 30."""


def _nearest(gaps: Floats, wanted: Truths, pieces: Sequence[tuple[int, Box]]) -> int:
    """The piece at the smallest of the wanted gaps, -1 for none."""
    if not wanted.any():
        return -1
    return pieces[int(np.where(wanted, gaps, np.inf).argmin())][0]
