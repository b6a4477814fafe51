"""The document's own number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from paperchute.engine.extraction.amounts import amounts_in
from paperchute.engine.extraction.confidence import CERTAINTY, CONFIDENCE
from paperchute.engine.extraction.days import days_in
from paperchute.engine.extraction.findings import Candidate, Evidence, Found, opened, sure, unsure
from paperchute.engine.extraction.kinds import is_of, named_kinds
from paperchute.engine.extraction.lookup import Named, Place, below, beside, is_followed, is_listed, is_set_apart, named
from paperchute.engine.extraction.paired import BARE, pairs_of
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.engine.extraction.vocabulary import plain
from paperchute.language import N_
from paperchute.notation.document_kinds import KINDS, DocumentKind


@dataclass(frozen=True, slots=True)
class NumberingSettings:
    """Which text is a document's number. Chosen by eye."""

    longest: int = 30
    """Characters of a number."""


NUMBERING = NumberingSettings()

_NUMBER = re.compile(
    r"""[\s:：.\-\u2013]*(?:(?i:nr|no|n°|nº|núm|num|number|nummer|numéro|número)\b\.?|(?i:number|nummer|numéro|número)(?=\d)|[#№]|n°|nº)?[\s:：.]*
    (?P<value>(?:[A-Z]{1,6}[ ]){0,2}[A-Za-z]{0,10}[\-/.]?[A-Za-z]{0,6}[\-/]?
    \d[\w/.\-]*(?:[ ]\d[\w/\-]*(?![^\s])){0,3})(?![^\s,;)])""",
    re.VERBOSE,
)
_REFERRED = frozenset({"contract", "order", "quotation"})
"""Kinds whose numbers any document may name that refers to one."""
_PART = re.compile(r"\s{0,2}(?:of|von|de|di|sur|van|z|/|,)\s{1,2}\d{1,5}(?![\w./-])")
"""What makes a number one of several, or part of a longer one."""
_YEAR = re.compile(r"(?:19|20)\d\d")
"""What says of which year a document is: `Betriebskostenabrechnung 2025`."""
_CODE = re.compile(r"[A-Z]{1,10}\d{6,}")
"""No amount, though its letters be those of a currency: who prints one in millions parts thousands."""


def kind_named(sheets: Sequence[Sheet]) -> Found[DocumentKind]:
    """The kind that the labels of its number name on its first page, where all name one: `Rechnungsnummer`.

    Beside a number that could be any document's the others may be of what it refers to, as `Lieferscheinnummer` is.
    """
    found: dict[frozenset[str], Evidence] = {}
    for at in named(sheets[:1], "number"):
        kinds = named_kinds(at.piece, at.label)
        if is_set_apart(at) and any(True for p in _places(at) for _ in _number(p, 1.0)):
            found.setdefault(kinds, at.piece.evidence())
    if len(found) != 1 or frozenset() in found:
        return Found()
    ((kinds, evidence),) = found.items()
    if kinds <= _REFERRED:
        return Found()
    candidates = [Candidate(kind, CONFIDENCE.alone, (evidence,)) for kind in KINDS if kind in kinds]
    return sure(candidates[0]) if len(candidates) == 1 else unsure(candidates, N_("its titles name several kinds"))


def number_of(sheets: Sequence[Sheet], kind: str | None) -> Found[str]:
    """The number of a document of a kind, None for one that is not known."""
    own: list[Candidate[str]] = []
    general: list[Candidate[str]] = []
    labels: list[Named] = []
    for at in named(sheets if kind else sheets[:1], "number"):
        if not is_set_apart(at):
            continue
        found = next((c for p in _places(at) for c in _number(p, CONFIDENCE.labelled)), None)
        if found is None:
            continue
        labels.append(at)
        kinds = named_kinds(at.piece, at.label)
        if not kinds:
            general.append(found)
        elif kinds <= _REFERRED if kind is None else not is_of(kinds, kind):
            continue
        else:
            own.append(found)
    own += (_candidate(pair.piece, pair.start, pair.end, CONFIDENCE.labelled) for pair in pairs_of(sheets[:1], kind))
    if kind is None:
        own += general
    told = _one(own) or _one(general) or _one(list(_titled(sheets, kind))) or Found()
    if kind is None and told.value is not None and all(map(_is_bare, labels)):
        return opened(told)
    return told


def _is_bare(at: Named) -> bool:
    """Decide whether a label says that something is a number, and not of what: `Numéro 189, décembre 2018`."""
    return plain(at.piece.text[at.piece.tokens[at.label.first].start : at.piece.after(at.label)]) in BARE


def _places(at: Named) -> Iterator[Place]:
    """Yield where the number of a label may stand, which is not the first of a column."""
    yield from beside(at)
    yield from (place for place in below(at) if not is_listed(place.piece, at.sheet))


def _one(candidates: Sequence[Candidate[str]]) -> Found[str] | None:
    found: dict[str, Candidate[str]] = {}
    for candidate in candidates:
        found.setdefault(plain(candidate.value), candidate)
    if not found:
        return None
    if len(found) > 1:
        return unsure(list(found.values()), N_("there are several numbers"))
    (only,) = found.values()
    if only.confidence < CERTAINTY.text:
        return unsure([only], N_("it could not be read with certainty"))
    return sure(only)


def _number(place: Place, confidence: float) -> Iterator[Candidate[str]]:
    """The number at the beginning of a place; a date or an amount is none."""
    piece, start, end = place
    for day in days_in(piece, start, end):
        end = min(end, day.start)
    match = _NUMBER.match(piece.text, start, end)
    if match is None:
        return
    value = match["value"].rstrip(".,-/")
    first, after = match.start("value"), match.start("value") + len(value)
    is_money = not _CODE.fullmatch(value) and any(
        amount.is_money and amount.start <= first < amount.end for amount in amounts_in(piece, start, end)
    )
    if len(value) <= NUMBERING.longest and not is_money and not _goes_on(piece, after):
        yield _candidate(piece, first, after, confidence)


def _candidate(piece: Piece, start: int, end: int, confidence: float) -> Candidate[str]:
    """A part of a piece as a number."""
    return Candidate(piece.text[start:end], confidence * piece.certainty(start, end), (piece.evidence(start, end),))


def _goes_on(piece: Piece, end: int) -> bool:
    """Tell if a sentence or the number goes on behind it, as in `1 of 2` and `320, 260`: not where its date follows."""
    part, days = _PART.match(piece.text, end), list(days_in(piece, end))
    if part is not None and not any(day.start < part.end() for day in days):
        return True
    return is_followed(piece, max([end, *(day.end for day in days)]))


def _titled(sheets: Sequence[Sheet], kind: str | None) -> Iterator[Candidate[str]]:
    """Numbers behind the document's kind: `Invoice 1001`."""
    for sheet in sheets:
        for piece in sheet.pieces():
            label = piece.labels[0] if piece.labels else None
            if label is None or label.first > 0 or not label.phrase.kinds:
                continue
            if kind is None or is_of(label.phrase.kinds, kind):
                yield from _behind(piece)


def number_behind(title: Piece) -> str | None:
    """The number in a title: `Invoice 1001`."""
    found = next(_behind(title), None)
    return found.value if found is not None else None


def _behind(piece: Piece) -> Iterator[Candidate[str]]:
    """The number behind the label that a piece begins with."""
    label = piece.labels[0]
    rest = [other for other in piece.labels[1:] if not other.means("number", "position")]
    end = piece.tokens[rest[0].first].start if rest else len(piece.text)
    days = [day.end for day in days_in(piece)]
    tail = piece.text[max([*days, piece.after(label)]) :]
    if sum(map(str.isalpha, tail)) <= NUMBERING.longest and len(piece.tokens) <= NUMBERING.longest:
        marks = [piece.after(other) for other in piece.labels[1:] if other.means("position", "number")]
        places = (Place(piece, start, end) for start in (piece.after(label), *marks))
        found = (one for place in places for one in _number(place, CONFIDENCE.titled))
        yield from islice((one for one in found if marks or not _YEAR.fullmatch(one.value)), 1)
