"""Labels of two values at once, as programs of accounting print them: `Nummer/Datum   95896800/23.01.2025`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from paperchute.engine.extraction.days import Day, days_in
from paperchute.engine.extraction.kinds import is_of, named_kinds
from paperchute.engine.extraction.lookup import Named, below, beside, is_listed, named
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.engine.extraction.vocabulary import phrases, plain

BARE = frozenset(
    map(plain, ("Nr", "No", "N°", "Nº", "Nummer", "Number", "Numéro", "Numero", "Número", "Numer", "编号"))
)
"""Words that say that something is a number, and not of what."""
_VALUES = re.compile(r"\s*[:：]?\s*(?P<number>[A-Za-z]{0,6}[-.]?\d[\w.-]{0,28})\s{0,2}(?P<mark>/)\s{0,2}(?=\w)")


class Pair(NamedTuple):
    """The number of a document from `start` to `end` of a piece, and the day behind it."""

    piece: Piece
    start: int
    end: int
    day: Day


def pairs_of(sheets: Sequence[Sheet], kind: str | None) -> Iterator[Pair]:
    """The numbers with their days that such labels of a document of a kind have."""
    for at in named(sheets, "date"):
        if not _is_paired(at, kind):
            continue
        for place in (*beside(at), *(one for one in below(at) if not is_listed(one.piece, at.sheet))):
            pair = _pair(place.piece, place.start, place.end)
            if pair is not None:
                yield pair
                break


def _is_paired(at: Named, kind: str | None) -> bool:
    """Decide whether the label of a day follows that of the document's own number and a stroke, and no other word."""
    tokens, first = at.piece.tokens, at.piece.labels[0]
    start = at.label.first or at.label.after - 1  # `Invoice/Date` is a label itself
    if not start or not at.piece.text[: tokens[start].start].rstrip().endswith("/"):
        return False
    if first is at.label or first.first > 0:
        phrase = phrases().get(tokens[0].key)
        kinds = phrase.kinds if phrase is not None else frozenset()
        return start == 1 and (tokens[0].key in BARE or (bool(kinds) and (kind is None or is_of(kinds, kind))))
    if first.means("other_number") or first.after != start:
        return False
    kinds = first.phrase.kinds or named_kinds(at.piece, first)
    return (first.means("number") or bool(kinds)) and (not kinds or kind is None or is_of(kinds, kind))


def _pair(piece: Piece, start: int, end: int) -> Pair | None:
    """The number and the day of a place, where these are all that stands there."""
    match = _VALUES.match(piece.text, start, end)
    if match is None:
        return None
    at = match.start("mark")
    parted = replace(piece, text=f"{piece.text[:at]} {piece.text[at + 1 :]}")  # a date stands behind no other figure
    day = next(days_in(parted, match.end(), end), None)
    is_whole = day is not None and day.start == match.end() and not re.search(r"\w", piece.text[day.end : end])
    return Pair(piece, match.start("number"), match.end("number"), day) if day is not None and is_whole else None
