"""Fields of one's own (`find` of document-extract, `[rule.find]`): what stands behind a label, or fits a pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from paperchute.contract.page_boxes import PageBox
from paperchute.contract.values import parse_page_list
from paperchute.engine.document.geometry import Box
from paperchute.engine.extraction.confidence import CERTAINTY, CONFIDENCE
from paperchute.engine.extraction.findings import Candidate, Evidence, Found, sure, unsure
from paperchute.engine.extraction.lookup import Named, below, beside
from paperchute.engine.extraction.measures import BOUNDS, LENGTHS
from paperchute.engine.extraction.printed import Piece, Sheet
from paperchute.engine.extraction.schema import OwnField
from paperchute.engine.extraction.vocabulary import Label, Phrase, plain, words_in
from paperchute.language import N_

_PHRASE = Phrase(frozenset(), frozenset(), frozenset())
_SEVERAL = N_("it stands there with several values")
_SENTENCE = N_("it may be part of a sentence")
_UNREAD = N_("it was not read surely")


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    evidence: Evidence
    certainty: float
    is_clear: bool = True
    """Whether nothing says that it is part of a sentence."""


def find_own(sheets: Sequence[Sheet], wanted: Sequence[OwnField]) -> dict[str, Found[str]]:
    """Find each field on the pages: sure where all places say the same, and it was read surely."""
    return {field.name: _found(list(islice(_values(sheets, field), BOUNDS.places))) for field in wanted}


def _found(values: Sequence[_Value]) -> Found[str]:
    told: dict[str, Candidate[str]] = {}
    for value in values:
        likely = CONFIDENCE.labelled * value.certainty * (1 if value.is_clear else 0.5)
        known = told.get(plain(value.text))
        if known is None or likely > known.confidence:
            told[plain(value.text)] = Candidate(value.text, likely, (value.evidence,))
    if not told:
        return Found()
    if len(told) > 1:
        return unsure(list(told.values()), _SEVERAL)
    if not any(value.is_clear for value in values):
        return unsure(list(told.values()), _SENTENCE)
    if max(value.certainty for value in values if value.is_clear) < CERTAINTY.text:
        return unsure(list(told.values()), _UNREAD)
    return sure(*told.values())


def _values(sheets: Sequence[Sheet], field: OwnField) -> Iterator[_Value]:
    for sheet in sheets:
        if field.place is not None and not _is_page(sheet.number, field.place):
            continue
        found = _behind(sheet, field.label) if field.pattern is None else _fitting(sheet, field.pattern)
        for value in found:
            if field.place is None or _is_in(value.evidence.box, field.place):
                yield value


def _is_page(number: int, place: PageBox) -> bool:
    ranges = parse_page_list(place.pages)
    return not ranges or any(first <= number <= last for first, last in ranges)


def _is_in(box: Box, place: PageBox) -> bool:
    across, down = box.center
    return place.left <= across <= place.right and place.top <= down <= place.bottom


def _fitting(sheet: Sheet, pattern: Any) -> Iterator[_Value]:
    """Yield what fits a pattern in a row; its first group, where it has one."""
    for row in sheet.rows:
        piece = row.whole
        for match in islice(pattern.finditer(piece.text), BOUNDS.places):
            start, end = match.span(1 if pattern.groups else 0)
            if start >= 0 and (text := piece.text[start:end].strip()):
                yield _value(piece, start, end, text)


def _behind(sheet: Sheet, label: str) -> Iterator[_Value]:
    """Yield what stands behind a label in its piece, right of it, or else below it."""
    wanted = plain(label)
    for piece in sheet.pieces():
        place = words_in([token.key for token in piece.tokens], wanted)
        if place is None:
            continue
        first, after = place
        at = Named(Label(_PHRASE, first, after), piece, sheet)
        is_marked = first == 0 or piece.tokens[after - 1].text.endswith((":", "："))
        for where in (*beside(at), *below(at)):
            text = where.piece.text[where.start : where.end]
            start = where.start + len(text) - len(text.lstrip(" :：."))
            text = text.strip(" :：").lstrip(".").strip()
            if text and text[0] != ":":
                is_short = len(text.split()) <= LENGTHS.line
                yield _value(where.piece, start, where.end, text, is_clear=is_marked and is_short)
                break


def _value(piece: Piece, start: int, end: int, text: str, *, is_clear: bool = True) -> _Value:
    evidence = piece.evidence(start, end)
    return _Value(text[: BOUNDS.places], evidence, piece.certainty(start, end), is_clear)
