"""Which pages of a stack are the first of their documents, by what each page says; each with the reasons.

Page numbers alone prove it: a document that counts to its end, and one that begins behind it. All else is proposed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from paperchute.engine.document.model import Page
from paperchute.engine.extraction.addresses import blocks_of, is_window
from paperchute.engine.extraction.days import days_in
from paperchute.engine.extraction.findings import Evidence
from paperchute.engine.extraction.kinds import titled
from paperchute.engine.extraction.measures import BOUNDS, PLACES
from paperchute.engine.extraction.numbering import number_of
from paperchute.engine.extraction.page_numbers import Numbering, PageNumber, numbering_of
from paperchute.engine.extraction.parties import parties
from paperchute.engine.extraction.printed import Sheet, sheet_of
from paperchute.engine.extraction.vocabulary import language_of, plain
from paperchute.engine.words import one_of
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class WeightSettings:
    """How much something speaks for a first page, or against one.

    Fixed on the half of `benchmarks.stacks` that one may look into.
    """

    proof: float = 5.0
    """It says that it is the first of so many. Against it: its number is not 1, or more follow the page before."""

    strong: float = 3.0
    """So much is proposed: it counts anew, or behind the last page of so many. Against it: a paragraph goes on."""

    clear: float = 2.0
    """An address in the window of an envelope, another sender or number. Against it: the same number."""

    usual: float = 1.5
    """A title that names a kind, a salutation, a heading in large type."""

    weak: float = 1.0
    """The page before is not full or ends a letter; a sender whom nobody named, another size of paper."""

    hint: float = 0.75
    """A date in its upper part, which running heads have too; another head and foot. Against it: a line of the same."""


@dataclass(frozen=True, slots=True)
class FirstPageSettings:
    """What a page shows that speaks for or against it."""

    fewest_letters: int = 6
    """Of a line of head or foot: fewer are a page's number with its word."""

    full: float = 0.72
    """Of the height of a page: a text that goes on reaches further down."""

    hardly: float = 0.98
    """Times another size of type: type that is no smaller, as it is measured."""

    same_size: float = 0.04
    """Of a side: by so much sheets of one size differ when they are scanned."""


WEIGHTS = WeightSettings()
FIRST_PAGES = FirstPageSettings()

_PAUSES = ",!:，：！"
_ANNEX = re.compile(rf"{one_of('annex')}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FirstPage:
    """A 0-based page that may begin a document, and why, in words. is_sure: page numbers prove it."""

    index: int
    reasons: tuple[str, ...]
    is_sure: bool = False


@dataclass(frozen=True, slots=True)
class _Traits:
    """What a page shows. frame: the lines of its head and foot, without their figures."""

    index: int
    size: tuple[float, float]
    numbering: Numbering
    window: bool
    dated: bool
    kind: str
    greeted: bool
    sender: str
    number: str
    frame: frozenset[str]
    goes_on: bool
    is_annex: bool
    title: str
    """The letters of what stands in its upper part in large type, empty where nothing does."""
    type_size: float
    largest: float
    reaches: float
    """How far down its text does, as a share of its height, feet apart."""
    closed: bool

    @property
    def page(self) -> PageNumber | None:
        return self.numbering.one


@dataclass(slots=True)
class _Reasons:
    """What speaks for a page, and how much all of it weighs."""

    weight: float = 0.0
    told: list[str] = field(default_factory=list)

    def add(self, weight: float, told: str = "") -> None:
        self.weight += weight
        if told:
            self.told.append(told)


def first_pages(pages: Iterable[Page]) -> list[FirstPage]:
    """Find the first pages of all documents behind the first one. The pages must have been read with their words.

    A page without words begins nothing: it is the back of the one before, or belongs to it.
    """
    known: list[_Traits | None] = []
    for index, page in enumerate(pages):
        sheet = sheet_of(page)
        known.append(_traits(index, page, sheet) if sheet.rows else None)
    return list(_judged(known))


def _judged(known: Sequence[_Traits | None]) -> Iterator[FirstPage]:
    written = [one for one in known if one is not None]
    sender = number = ""
    for place, one in enumerate(written):
        found = None
        if place:
            reasons = _reasons(written[place - 1], one, sender, number)
            if reasons.weight >= WEIGHTS.strong:
                found = FirstPage(one.index, tuple(reasons.told), _is_proved(written, place))
                yield found
        if found is not None or not place:
            sender, number = one.sender, one.number
        sender, number = sender or one.sender, number or one.number


def _reasons(before: _Traits, one: _Traits, sender: str, number: str) -> _Reasons:
    """Weigh what a page shows. sender, number: what the document says of itself that it may belong to."""
    found = _Reasons()
    _by_numbers(before, one, found)
    if one.window:
        found.add(WEIGHTS.clear, _("an address as in the window of an envelope"))
    if one.kind:
        found.add(WEIGHTS.usual, _("a title: {kind}", kind=one.kind))
    if one.greeted:
        found.add(WEIGHTS.usual, _("a salutation"))
    if one.title not in ("", before.title) and one.type_size >= FIRST_PAGES.hardly * before.largest:
        found.add(WEIGHTS.usual, _("a heading in large type"))
    if before.closed:
        found.add(WEIGHTS.weak, _("a letter ends before it"))
    if before.reaches < FIRST_PAGES.full:
        found.add(WEIGHTS.weak, _("the page before is not full"))
    if one.sender and sender and plain(one.sender) != plain(sender):
        found.add(
            WEIGHTS.clear,
            _("from {sender}, and what is before it from {other}", sender=one.sender, other=sender),
        )
    elif one.sender and not sender:
        found.add(WEIGHTS.weak, _("a letterhead: {sender}", sender=one.sender))
    if one.number and number:
        if plain(one.number) != plain(number):
            found.add(WEIGHTS.clear, _("another number: {number}", number=one.number))
        else:
            found.add(-WEIGHTS.clear)
    if one.dated:
        found.add(WEIGHTS.hint, _("a date in its upper part"))
    if not _is_alike(before.size, one.size):
        found.add(WEIGHTS.weak, _("another size of paper"))
    if before.frame and one.frame:
        if before.frame & one.frame:
            found.add(-WEIGHTS.hint)
        else:
            found.add(WEIGHTS.hint, _("another head and foot"))
    if one.is_annex:
        found.add(-2 * WEIGHTS.proof)
    if one.goes_on:
        found.add(-WEIGHTS.strong)
    return found


def _by_numbers(before: _Traits, one: _Traits, found: _Reasons) -> None:
    page, last = one.page, before.page
    if page is not None and page.is_first:
        if page.count:
            found.add(WEIGHTS.proof, _("page 1 of {count}", count=page.count))
        else:
            found.add(WEIGHTS.strong, _("page number 1"))
    elif page is not None:
        found.add(-WEIGHTS.proof)
    if last is not None and last.count:
        if last.is_last:
            found.add(WEIGHTS.strong, _("page {count} of {count} before it", count=last.count))
        elif page is None or not page.is_first:
            found.add(-WEIGHTS.proof)


def _is_proved(written: Sequence[_Traits], place: int) -> bool:
    """Decide whether page numbers prove a first page: n of n before it, all of them there, and then 1 of m.

    What follows must count on, and neither page may bear another number. An annex that counts by itself is none.
    """
    one, before = written[place], written[place - 1]
    page, last = one.page, before.page
    if page is None or last is None or one.is_annex or one.numbering.is_disputed or before.numbering.is_disputed:
        return False
    if not (page.is_first and page.count and last.is_last and last.count <= BOUNDS.values):
        return False
    earlier = written[max(place - last.count, 0) : place]
    return _counts(earlier, last.count) and _counts(written[place : place + page.count], page.count)


def _counts(run: Sequence[_Traits], count: int) -> bool:
    """Decide whether pages follow each other in the stack and bear 1 to `count` of as many."""
    wanted = [(run[0].index + step, step + 1, count) for step in range(count)] if run else []
    return [(o.index, o.page.number, o.page.count) for o in run if o.page is not None] == wanted


# ---------- what a page shows ----------


def _traits(index: int, page: Page, sheet: Sheet) -> _Traits:
    pieces = list(sheet.pieces())
    named = [label for piece in pieces for label in piece.labels]
    language = language_of([token.key for piece in pieces for token in piece.tokens], named)
    kind = titled([sheet])
    named_by = [*kind.evidence, *(place for one in kind.candidates for place in one.evidence)]
    titles = [place for place in named_by if isinstance(place, Evidence)]
    blocks = list(blocks_of(sheet))
    sender, _recipient = parties([sheet], kind.value, language)
    upper = PLACES.upper * sheet.height
    usual = sheet.usual_size
    top = max((piece for piece in pieces if piece.box.bottom < upper), key=lambda piece: piece.size, default=None)
    head, foot = (share * sheet.height for share in PLACES.frame)
    inner = [piece for piece in pieces if piece.box.bottom >= head and piece.box.top <= foot]
    return _Traits(
        index,
        (page.width, page.height),
        numbering_of(sheet),
        any(is_window(block, sheet, on_right) for block in blocks for on_right in (False, True)),
        any(True for piece in pieces if piece.box.bottom < upper for _day in days_in(piece)),
        titles[0].words if titles else "",
        any(p.begins_as("greeting") and p.text[-1] in _PAUSES for p in pieces if p.box.bottom < upper),
        sender.value or "",
        number_of([sheet], kind.value).value or "",
        _frame(sheet, usual),
        _goes_on(page),
        any(_ANNEX.match(piece.text) for piece in pieces if piece.box.bottom < upper),
        _letters(top.text) if top is not None and top.size >= PLACES.larger * usual else "",
        top.size if top is not None else 0.0,
        max((piece.size for piece in pieces), default=0.0),
        max((piece.box.bottom / sheet.height for piece in inner), default=0.0),
        any(piece.begins_as("closing") for piece in pieces),
    )


def _frame(sheet: Sheet, usual: float) -> frozenset[str]:
    """The lines of head and foot in no larger type than most words, by their letters."""
    top, bottom = (share * sheet.height for share in PLACES.frame)
    lines = (row.whole for row in sheet.rows if row.whole.box.bottom < top or row.whole.box.top > bottom)
    letters = (_letters(line.text) for line in lines if FIRST_PAGES.hardly * line.size <= usual)
    return frozenset(text for text in letters if len(text) >= FIRST_PAGES.fewest_letters)


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))


def _goes_on(page: Page) -> bool:
    """Decide whether its first block goes on with one of the page before."""
    flow = [block for block in page.blocks if block.kind in ("text", "table", "list", "paragraph_title", "doc_title")]
    return bool(flow) and flow[0].continues


def _is_alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= FIRST_PAGES.same_size * max(a, b) for a, b in zip(one, other, strict=True))
