"""What kind of document it is: its title says so, or the words that only one kind has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import islice

from paperchute.engine.extraction.amounts import amounts_in
from paperchute.engine.extraction.confidence import CONFIDENCE
from paperchute.engine.extraction.findings import Candidate, Found, sure, unsure
from paperchute.engine.extraction.lookup import (
    LOOKUP,
    Named,
    Place,
    below,
    beside,
    has_colon_apart,
    is_list_head,
    is_set_apart,
    named,
)
from paperchute.engine.extraction.measures import LENGTHS, PLACES
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.engine.extraction.vocabulary import Label, phrases
from paperchute.language import N_
from paperchute.notation.currencies import currencies_of
from paperchute.notation.document_kinds import DocumentKind


@dataclass(frozen=True, slots=True)
class KindSettings:
    """What counts as a document's title. Chosen by eye."""

    strip: float = 0.6
    """Of the height of a page: the width of a roll of paper that shops print on; a letter's is more."""


KIND = KindSettings()

_GENERAL = frozenset({"beleg", "ticket"})
"""Names of receipts that any document's number goes by: `Belegnummer`."""
_INSURER = re.compile(
    r"versicherung|insurance|assurance|mutuelle|seguros|aseguradora|assicura[zt]|verzekering|ubezpiecz", re.IGNORECASE
)
"""What stands in the names of insurers."""
_BILLED = frozenset({"payslip", "insurance"})
"""Kinds of documents that are services too, which invoices list."""
_ALIKE = (frozenset({"invoice", "receipt"}),)
"""Kinds whose numbers go by the name of either."""


@dataclass(frozen=True, slots=True)
class _Title:
    kinds: frozenset[str]
    piece: Piece
    strong: bool
    exact: bool


def titled(sheets: Sequence[Sheet]) -> Found[DocumentKind]:
    """The kind that a document's title names; unsure where titles name two."""
    titles = list(_titles(sheets[0])) if sheets else []
    for chosen in (
        [title for title in titles if title.strong and title.exact],
        [title for title in titles if title.strong],
        [title for title in titles if title.exact],
        titles,
    ):
        if chosen:
            return _of(chosen)
    return Found()


def _of(titles: Sequence[_Title]) -> Found[DocumentKind]:
    largest = max(title.piece.size for title in titles)
    titles = [title for title in titles if title.piece.size * PLACES.alike >= largest] or titles
    found: dict[str, Candidate[DocumentKind]] = {}
    for title in titles:
        confidence = (CONFIDENCE.labelled if title.strong else CONFIDENCE.alone) * title.piece.certainty()
        for name in title.kinds:
            found.setdefault(name, Candidate(name, confidence, (title.piece.evidence(),)))  # type: ignore[arg-type]
    if len(found) == 1:
        return sure(*found.values())
    return unsure(list(found.values()), N_("its titles name several kinds"))


def _titles(sheet: Sheet, area: float = PLACES.upper) -> Iterator[_Title]:
    usual = sheet.usual_size
    for piece in sheet.pieces():
        if piece.box.top > area * sheet.height or len(piece.tokens) > PLACES.head:
            continue
        if len(sheet.rows[piece.row].pieces) > 2 * LOOKUP.fewest_cells or is_list_head(sheet.rows[piece.row]):
            continue
        first = next((label for label in piece.labels if label.phrase.kinds), None)
        is_large = piece.size >= PLACES.alike * usual
        if first is None and is_large and piece.labels and piece.labels[0].means("number"):
            first = piece.labels[0]  # `Devis n° 17`
        if first is None or first.first > 0 or piece.text[0].islower():
            continue
        kinds = first.phrase.kinds or named_kinds(piece, first)
        rest = piece.text[piece.after(first) :]
        exact = not any(character.isalpha() for character in rest)
        if not kinds or (first.phrase.kinds and first.phrase.roles and not exact and not kinds & _BILLED):
            continue
        if kinds & _BILLED and any(amount.is_money for amount in amounts_in(sheet.rows[piece.row].whole)):
            continue  # a line of an invoice: `Lohnabrechnung   12,00 EUR`
        named = any(label.means("number") for label in piece.labels)
        if not exact and not named and not any(character.isdecimal() for character in rest):
            continue  # a word of a sentence or a name, such as `Contract partner`
        head = piece.tokens[first.first : first.after]
        strong = head[0].size >= PLACES.alike * usual or all(token.bold for token in head)
        if has_colon_apart(piece, sheet) or (piece.text.rstrip().endswith((":", "：")) and not strong):
            continue
        yield _Title(kinds, piece, strong, exact)


def strong_titles(sheet: Sheet) -> list[tuple[frozenset[str], Piece]]:
    """The titles in larger or bold type anywhere on a page, with the kinds that they name."""
    return [(title.kinds, title.piece) for title in _titles(sheet, area=1.0) if title.strong]


def letter(sheets: Sequence[Sheet]) -> Found[DocumentKind]:
    """A letter begins with a greeting and ends with a closing."""
    greetings: list[Piece] = []
    for sheet in sheets:
        for piece in sheet.pieces():
            if piece.begins_as("greeting"):
                greetings.append(piece)
            elif piece.begins_as("closing") and greetings:
                evidence = (greetings[0].evidence(), piece.evidence())
                return sure(Candidate("letter", CONFIDENCE.placed * piece.certainty(), evidence))
    return Found()


def receipt(sheets: Sequence[Sheet]) -> Found[DocumentKind]:
    """A receipt says how much change it gave, with an amount and nothing else beside it."""
    for sheet in sheets[:1]:
        for row in sheet.rows:
            first = row.whole.first
            if first is None or not first.means("change"):
                continue
            words = [token.text for token in row.whole.tokens[first.after :] if any(map(str.isalpha, token.text))]
            if any(amount.is_money for amount in amounts_in(row.whole)) and all(map(currencies_of, words)):
                return sure(Candidate("receipt", CONFIDENCE.placed * row.whole.certainty(), (row.whole.evidence(),)))
        if is_strip(sheet) and (paid := _paid_whole(sheet)) is not None:
            return sure(Candidate("receipt", CONFIDENCE.placed * paid.certainty(), (paid.evidence(),)))
    return Found()


def is_strip(sheet: Sheet) -> bool:
    """Decide whether a page has the shape of a roll of paper that shops print on."""
    return sheet.width <= KIND.strip * sheet.height


def _paid_whole(sheet: Sheet) -> Piece | None:
    """The row that says how the total above it was paid: `SUMME 12,90`, `girocard 12,90`."""
    totals: set[Decimal] = set()
    for row in sheet.rows:
        values = {v for amount in amounts_in(row.whole) if amount.is_money for v in amount.readings.values()}
        if row.whole.begins_as("total"):
            totals |= values
        elif row.whole.begins_as("paid") and totals & values:
            return row.whole
    return None


def insurers(sheets: Sequence[Sheet], sender: Found[str]) -> Found[DocumentKind] | None:
    """The letter of an insurer with the number of a policy or claim set apart; None for any other."""
    if sender.value is None or not _INSURER.search(sender.value):
        return None
    for at in named(sheets[:1], "policy_number"):
        if is_set_apart(at) and any(any(map(str.isdecimal, p.piece.text[p.start : p.end])) for p in _values(at)):
            confidence = CONFIDENCE.placed * at.piece.certainty()
            return sure(Candidate("insurance", confidence, (at.piece.evidence(), *sender.evidence[:1])))
    return None


def _values(at: Named) -> tuple[Place, ...]:
    return (*islice(beside(at), 1), *islice(below(at), 1))


def is_of(kinds: frozenset[str], kind: str) -> bool:
    """Tell if a label that names some kinds belongs to a document of a kind: an invoice's may be called a receipt's."""
    return kind in kinds or any(kind in alike and kinds & alike for alike in _ALIKE)


def named_kinds(piece: Piece, label: Label) -> frozenset[str]:
    """The kinds that a label names: `Gutschriftnummer` and `Gutschriftdatum` a credit note's."""
    return _kinds_in("".join(token.key for token in piece.tokens[label.first : label.after]))


@cache
def _kind_names() -> tuple[tuple[str, frozenset[str]], ...]:
    """The plain names of kinds, longest first."""
    found = [(text, phrase.kinds) for text, phrase in phrases().items() if phrase.kinds]
    return tuple(sorted(found, key=lambda item: -len(item[0])))


def _kinds_in(key: str) -> frozenset[str]:
    least = LENGTHS.letters
    for name, kinds in _kind_names():
        if name in key and (len(name) >= least or not name.isascii()) and name not in _GENERAL:
            return kinds
    return frozenset()
