"""Several documents in one file, as scanners and mail make them: what only one of them says is not the file's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from paperchute.engine.extraction.findings import Candidate, Findings, Found, unsure
from paperchute.engine.extraction.kinds import strong_titles, titled
from paperchute.engine.extraction.numbering import number_behind, number_of
from paperchute.engine.extraction.printed import Sheet
from paperchute.engine.extraction.vocabulary import plain
from paperchute.language import N_

SEVERAL = N_("the file holds several documents")
"""Why a value is not sure that is that of one of them."""

_MONEY = frozenset({"invoice", "credit_note", "receipt", "reminder"})
"""Kinds that ask for money: two of them with a number each are two documents, the others may belong to one of these."""

_FIELDS = (
    *("kind", "date", "number", "sender", "recipient", "currency", "net", "tax", "tax_rate", "total", "iban", "due"),
    "items",
)


def findings_of(sheets: Sequence[Sheet], find: Callable[[Sequence[Sheet]], Findings]) -> Findings:
    """Return what the pages of a file say; of several documents only what all of them say is sure."""
    parts = _parts(sheets)
    if len(parts) > 1:
        return _together([find(part) for part in parts])
    found = find(sheets)
    return _together([found, Findings(kind=found.kind, currency=found.currency)]) if _shares_page(sheets) else found


def _parts(sheets: Sequence[Sheet]) -> list[Sequence[Sheet]]:
    """The pages of each document: where a title has another number than the one before, the next one begins."""
    starts = [0]
    before = ""
    for index, sheet in enumerate(sheets):
        kind = titled([sheet]).value
        number = number_of([sheet], kind).value if kind in _MONEY else None
        if number is None:
            continue
        if before and plain(number) != before:
            starts.append(index)
        before = plain(number)
    return [sheets[start:end] for start, end in zip(starts, [*starts[1:], len(sheets)], strict=True)]


def _shares_page(sheets: Sequence[Sheet]) -> bool:
    """Decide whether one page has two titles of such documents, and two numbers of theirs."""
    for sheet in sheets:
        titles = [(kinds, piece) for kinds, piece in strong_titles(sheet) if kinds & _MONEY]
        if len(titles) > 1:
            behind = {plain(number) for _, piece in titles if (number := number_behind(piece))}
            own = [number_of([sheet], kind) for kind in set.intersection(*(set(kinds) for kinds, _ in titles))]
            if len(behind) > 1 or any(len(one.candidates) > 1 for one in own):
                return True
    return False


def _together(documents: Sequence[Findings]) -> Findings:
    fields = {name: _common([getattr(found, name) for found in documents]) for name in _FIELDS}
    languages = {found.language for found in documents} - {""}
    return replace(documents[0], **fields, language=languages.pop() if len(languages) == 1 else "")


def _common(found: Sequence[Found[Any]]) -> Found[Any]:
    """A field of several documents: sure where each is sure of the same."""
    if all(one.value is not None and one.value == found[0].value for one in found):
        return min(found, key=lambda one: one.confidence)
    candidates: list[Candidate[Any]] = []
    for one in found:
        candidates += [each for each in one.possible if all(each.value != other.value for other in candidates)]
    return unsure(candidates, SEVERAL) if candidates else Found()
