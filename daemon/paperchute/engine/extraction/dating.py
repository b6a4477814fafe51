"""The day of a document and the day by which to pay."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal

from paperchute.engine.extraction.addresses import is_in_address
from paperchute.engine.extraction.amounts import amounts_in
from paperchute.engine.extraction.confidence import CONFIDENCE
from paperchute.engine.extraction.days import Day, Order, days_in
from paperchute.engine.extraction.findings import Candidate, Found, opened, sure, unsure
from paperchute.engine.extraction.heads import is_roll
from paperchute.engine.extraction.kinds import is_of, named_kinds
from paperchute.engine.extraction.lookup import (
    Named,
    below,
    beside,
    is_followed,
    is_head,
    is_list_head,
    is_listed,
    is_set_apart,
    label_over,
    named,
    under,
)
from paperchute.engine.extraction.measures import LENGTHS, PLACES
from paperchute.engine.extraction.paired import pairs_of
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.engine.extraction.vocabulary import Label, plain
from paperchute.language import N_

_SPEAKING = ("reminder", "statement", "letter")
"""Kinds of documents that list others, with dates of theirs."""

_PLACED = re.compile(
    r"(?:(?:[\w.-]+\s{1,2}){0,3}[\w.-]+,\s+)?(?:[^\W\d_]+,\s+)?"
    r"(?:(?:den|der|vom|le|du|lì|il|am|a|em|the|dated|dnia|d\.\s?d\.)[\s:]+)?"
    r"|(?:fait à\s|en\s|w\s)?[^\W\d_][\w.-]+(?:[ /-][\w.-]+){0,2}\s+(?:den|le|lì|dnia)[\s:]+",
    re.IGNORECASE,
)
"""What stands in front of a letter's date: nothing, a place or weekday with its comma, `den`, `le`.

Other words say what else the day is: `Joined 12 March 2019`, `until 31 March`.
"""
_SIGNED = re.compile(
    r"(?:(?:Ort|Place|Lieu|Lugar|Luogo|Plaats|Local)\b[^:]{0,30}:\s*)?(?:(?:Signed (?:at|in)|Fait à|Hecho en|En)\s+)?"
    r"[A-ZÀ-Þ][\w.'-]*(?:[\s/][\w.'-]+){0,3}(?:,\s*(?:den|on|le|lì|a|am|dnia|the)?|\s+(?:den|on|le|lì))\s*"
)
"""What stands in front of the day on which a contract is signed: a place, which may have a label."""
_TO = re.compile(
    r"\s*(?:[-\u2013\u2014]|to|bis|au|until|hasta|al|a|al?|t/m|do|até|and|und|et|y|e|en|i)\s*", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?:https?|file)://")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?(?!\d)(?:\s?(?:Uhr|[AP]M))?", re.IGNORECASE)

_LINKS = frozenset(
    map(
        plain,
        (
            *("vom", "von", "of", "dated", "du", "del", "de", "from", "date", "le", "am", "den", "on", "as", "van"),
            *("op", "per", "il", "z", "dnia", "em"),
        ),
    )
)

_UNTIL = frozenset(
    map(
        plain,
        (
            *("bis", "spätestens", "by", "until", "before", "avant", "jusqu'au", "tard", "hasta", "antes", "voor"),
            *("vóór", "uiterlijk", "entro", "do", "até"),
        ),
    )
)


def date_of(sheets: Sequence[Sheet], kind: str | None, order: Order) -> Found[date]:
    """The day of a document of a kind; order: how it writes day and month, empty where nothing tells."""
    own = (at for at in named(sheets, "date") if is_set_apart(at) and _is_own(at, kind) and not _is_listed(at, kind))
    labelled = [_first(at, _is_near if kind == "contract" else _is_value) for at in own]
    if kind == "payslip" and not any(labelled):
        labelled = [_first(at, _is_value) for at in named(sheets, "pay_date")]
    paired = [pair.day for pair in pairs_of(sheets[:1], kind)]
    days = [*(day for day in labelled if day is not None), *paired] or list(_in_titles(sheets, kind))
    if days:
        return _one(days, order, CONFIDENCE.labelled)
    if not sheets:
        return Found()
    if kind in (None, "receipt", "invoice") and is_roll(sheets[0]):
        return _one(list(_on_strip(sheets[0])), order, CONFIDENCE.placed)
    alone = list(_alone(sheets[0])) or (list(_signed(sheets)) if kind == "contract" else [])
    found = _one(alone, order, CONFIDENCE.placed)
    if found.value is not None and any(_may_be_labelled(day.piece, sheets[0]) for day in alone):
        return opened(found)
    return found


def _is_own(at: Named, kind: str | None) -> bool:
    """Decide whether a date is not that of another document: an invoice may name its `Lieferscheindatum`."""
    kinds = named_kinds(at.piece, at.label)
    return kind is None or not kinds or is_of(kinds, kind)


def _is_listed(at: Named, kind: str | None) -> bool:
    """Decide whether a label heads the list of the documents that one speaks of."""
    return kind in _SPEAKING and is_list_head(at.sheet.rows[at.piece.row])


def due_of(sheets: Sequence[Sheet], kind: str | None, order: Order, sums: Container[Decimal]) -> Found[date]:
    """The day by which to pay, if it is printed.

    sums: what the document comes to; a day beside another amount may be that of the next instalment.
    """
    found = [(_payable(at, order), at) for at in named(sheets, "due") if not _is_listed(at, kind)]
    due = _one([day for day, _at in found if day is not None], order, CONFIDENCE.labelled)
    if due.value is not None and all(_is_of_other(at, sums) for day, at in found if day is not None):
        return opened(due)
    return due


def _is_of_other(at: Named, sums: Container[Decimal]) -> bool:
    """Decide whether the row of a label names an amount, and none that the document comes to."""
    amounts = [amount for amount in amounts_in(at.sheet.rows[at.piece.row].whole) if amount.is_money]
    return bool(amounts) and not any(value in sums for amount in amounts for value in amount.readings.values())


def _payable(at: Named, order: Order) -> Day | None:
    """The day of a label; where its words grant a discount, the last day of payment they name, and none for but one.

    `Zahlbar bis 15.06.2026 mit 3 % Skonto, bis 04.07.2026 netto`: the discount's day is always the earlier one.
    """
    start = at.piece.after(at.label)
    day = _first(at, _is_near) or next(days_in(at.piece, start), None)
    if day is None or (day.piece is at.piece and not _is_near(at.piece, start, day)) or _is_period(day.piece, day):
        return None
    said = [at.sheet.rows[at.piece.row].whole]
    lower = next(under(at.piece, at.sheet), None)
    if lower is not None and day.piece is at.piece and re.search(r"\w", at.piece.text[day.end :]):
        said.append(lower)  # the sentence goes on
    if not any("%" in piece.text or any(label.means("adjustment") for label in piece.labels) for piece in said):
        return day
    limits = [day, *(other for piece in said for other in days_in(piece) if _is_limit(piece, other))]
    days = {value: limit for limit in limits if (value := limit.value(order)) is not None}
    return days[max(days)] if len(days) > 1 else None


def _is_limit(piece: Piece, day: Day) -> bool:
    """Decide whether something may be done up to a day: `bis zum 12.03.2026`."""
    return any(plain(word) in _UNTIL for word in piece.text[: day.start].split()[-LENGTHS.sentence :])


def _one(days: Sequence[Day], order: Order, confidence: float) -> Found[date]:
    """The one day that all of them mean."""
    found: dict[date, Candidate[date]] = {}
    is_open = False
    for day in days:
        evidence = (day.piece.evidence(day.start, day.end),)
        value = day.value(order)
        is_open = is_open or value is None
        certain = confidence * day.piece.certainty(day.start, day.end)
        for meant in (value,) if value is not None else day.readings:
            found.setdefault(meant, Candidate(meant, certain, evidence))
    if len(found) == 1:
        return sure(*found.values())
    if not found:
        return Found()
    reason = N_("it can be read in two ways") if is_open else N_("there are several dates")
    return unsure(list(found.values()), reason)


def _first(at: Named, fits: Callable[[Piece, int, Day], bool]) -> Day | None:
    """The first date at the places where the value of a label stands; those of a column have none of its own."""
    for is_below, places in ((False, beside(at)), (True, below(at))):
        for place in places:
            day = next(days_in(place.piece, place.start, place.end), None)
            if day is not None and fits(place.piece, place.start, day):
                return None if is_below and _is_column(place.piece, at.sheet) else day
            if re.search(r"\w", place.piece.text[place.start : place.end]):
                break
    return None


def _is_column(piece: Piece, sheet: Sheet) -> bool:
    """Decide whether more dates follow below one."""
    lower = next(under(piece, sheet), None)
    return lower is not None and any(True for _ in days_in(lower))


def _is_value(piece: Piece, start: int, day: Day) -> bool:
    """Decide whether nothing but a link stands between a label and its date."""
    links = all(plain(word) in _LINKS or not plain(word) for word in piece.text[start : day.start].split())
    return links and not is_followed(piece, day.end) and not _is_period(piece, day)


def _is_period(piece: Piece, day: Day) -> bool:
    """Decide whether a day is the first of a period: `1 March 2026 - 31 March 2026`."""
    return any(_TO.fullmatch(piece.text[day.end : later.start]) for later in days_in(piece, day.end))


def _is_near(piece: Piece, start: int, day: Day) -> bool:
    """The same in a sentence: a few words, as in `payable without deduction by 12 March 2026`.

    In a cell of its own they say what else the day is.
    """
    return len(piece.text[start : day.start].split()) <= LENGTHS.sentence if start else _is_value(piece, start, day)


def _in_titles(sheets: Iterable[Sheet], kind: str | None) -> Iterator[Day]:
    """Dates in a title: `Rechnung Nr. 4711 vom 12.03.2026`."""
    for sheet in sheets:
        for piece in sheet.pieces():
            if piece.box.top > PLACES.upper * sheet.height or not piece.labels:
                continue
            first = piece.labels[0]
            if (
                first.first > 0
                or not (first.means("number") or (kind in first.phrase.kinds if kind else first.phrase.kinds))
                or first.means("date", "other_number")
            ):
                continue
            for day in days_in(piece, piece.after(first)):
                before = piece.text[: day.start].split()
                if before and plain(before[-1]) in _LINKS and not any(map(str.isalpha, piece.text[day.end :])):
                    yield day


def _alone(sheet: Sheet) -> Iterator[Day]:
    """Dates of the first page that stand by themselves, above the greeting: `Berlin, den 12. März 2026`."""
    for number, row in enumerate(sheet.rows):
        if is_head(row):
            return
        if number and is_list_head(sheet.rows[number - 1]):
            continue
        for piece in row.pieces:
            if piece.box.top > PLACES.upper * sheet.height:
                return
            if piece.begins_as("greeting") and not is_in_address(piece, sheet):  # `Monsieur Lucas Perrin` is written to
                return
            if any(label.means("other_date", "due") for label in row.whole.labels):
                continue
            if any(label.means("other_number") and not _is_behind(label, row.whole) for label in row.whole.labels):
                continue
            if any(label.means("date") and not piece.is_named(label) for label in piece.labels):
                continue  # of another document: `Quotation date: 1 March 2026`
            left = next((other for other in reversed(row.pieces) if other.box.right <= piece.box.left), None)
            if label_over(piece, sheet) is not None or (left is not None and left.text.endswith((":", "："))):
                continue  # of delivery, of a person: had the label said the document's, it were known
            if is_listed(piece, sheet) or (row is sheet.rows[0] and _is_browsers(sheet)):
                continue
            days = list(days_in(piece))
            if len(days) == 1 and _PLACED.fullmatch(piece.text[: days[0].start]):
                others = (label for label in piece.labels if label.means("number", "other_number"))
                numbers = [piece.tokens[label.first].start for label in others]
                end = min((start for start in numbers if start >= days[0].end), default=len(piece.text))
                yield from () if re.search(r"\w", _CLOCK.sub("", piece.text[days[0].end : end])) else days


def _on_strip(sheet: Sheet) -> Iterator[Day]:
    """Dates of a receipt, above or below what was bought, but for those that a label gives to something else."""
    for row in sheet.rows:
        if not any(label.means("other_date", "due") for label in row.whole.labels):
            yield from days_in(row.whole)


def _signed(sheets: Iterable[Sheet]) -> Iterator[Day]:
    """Dates with the place where a contract is signed, in lines of their own: `Fait à Lyon, le 12 mars 2026`."""
    for sheet in sheets:
        for piece in sheet.pieces():
            for day in days_in(piece):
                if _SIGNED.fullmatch(piece.text[: day.start]) and not re.search(r"\w", piece.text[day.end :]):
                    yield day


def _is_behind(label: Label, whole: Piece) -> bool:
    """Tell if a label stands behind the date of a row, and has a figure of its own: `12 May 2026 14:02  Till 2`."""
    days = list(days_in(whole))
    start, rest = whole.tokens[label.first].start, whole.text[whole.after(label) :]
    return bool(days) and start >= days[-1].end and re.match(r"\D{0,3}\d", rest) is not None


def _may_be_labelled(piece: Piece, sheet: Sheet) -> bool:
    """Tell if words left of a date may say what else it is: `Week ending   3 March 2026`. An address says nothing."""
    left = next((other for other in reversed(sheet.rows[piece.row].pieces) if other.box.right <= piece.box.left), None)
    return left is not None and not is_in_address(left, sheet)


def _is_browsers(sheet: Sheet) -> bool:
    """Tell if a browser printed the page, with the day of printing in its first row and the address in its last."""
    return _ADDRESS.match(sheet.rows[-1].whole.text) is not None
