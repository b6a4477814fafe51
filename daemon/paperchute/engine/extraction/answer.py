"""Findings as the operation answers them: JSON values, and printed texts for fields asked for by name."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from decimal import Decimal
from typing import Any

from paperchute.engine.document.geometry import Quad
from paperchute.engine.document.model import Page
from paperchute.engine.extraction.agreement import agreed
from paperchute.engine.extraction.amounts import amounts_in
from paperchute.engine.extraction.days import days_in
from paperchute.engine.extraction.embedded import Embedded
from paperchute.engine.extraction.finder import findings_in
from paperchute.engine.extraction.findings import Attached, Evidence, Findings, Found, LineItem
from paperchute.engine.extraction.identifiers import identifiers
from paperchute.engine.extraction.own_fields import find_own
from paperchute.engine.extraction.printed import Token, sheet_of
from paperchute.engine.extraction.schema import OwnField, Wanted
from paperchute.engine.extraction.vocabulary import phrases, plain
from paperchute.engine.writing.parsed import PIXELS, pos_of
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class WatchedSettings:
    """Which pages of a long document are looked at for what it says of itself."""

    first: int = 20
    """Pages from the beginning: a bound on work. What a document says of itself stands on its first or last pages."""

    last: int = 5
    """Pages at the end, where the sums stand."""


WATCHED = WatchedSettings()

_AMOUNTS = ("net", "tax", "total")
_NAMED = ("number", "date", "due", "sender", "recipient", "currency", "iban", *_AMOUNTS)


@dataclass(slots=True)
class Watched:
    """Pages that pass, and of those that are looked at the words.

    data: the invoices that lie in the file as such. own: the fields of one's own that are asked for. worded: whether
    the words of the pages are to be told too.
    """

    data: Sequence[Embedded] = ()
    own: Sequence[OwnField] = ()
    worded: bool = False
    _first: list[Page] = field(default_factory=list)
    _last: deque[Page] = field(default_factory=lambda: deque(maxlen=WATCHED.last))
    _found: Findings | None = None

    def pages(self, pages: Iterable[Page]) -> Iterator[Page]:
        """The pages as they are."""
        for page in pages:
            words = replace(page, blocks=(), notes=(), backdrop=None)
            if len(self._first) < WATCHED.first:
                self._first.append(words)
            else:
                self._last.append(words)
            yield page

    def identifiers(self) -> list[dict[str, str]]:
        """Return what names the parties beyond doubt, to be asked once the pages have passed."""
        printed = identifiers(sheet_of(page) for page in (*self._first, *self._last))
        stated = [proof for one in self.data if one.data is not None for proof in one.data.identifiers]
        return printed + [proof for proof in stated if proof not in printed]

    def own_fields(self) -> dict[str, Found[str]]:
        """The fields of one's own, to be asked once the pages have passed."""
        return find_own([sheet_of(page) for page in (*self._first, *self._last)], self.own)

    def printed(self) -> list[dict[str, Any]]:
        """The words of the pages in rows and pieces, each with its box, to be asked once the pages have passed."""
        return [_printed(page) for page in (*self._first, *self._last)]

    def e_invoice(self) -> dict[str, str | None] | None:
        """Return which e-invoice lies in the file; None for none."""
        for one in self.data:
            if one.data is not None and one.data.syntax:
                specification = one.data.specification or None
                return {"file": one.name, "syntax": one.data.syntax, "specification": specification}
        return None

    def findings(self) -> Findings:
        """Return what all pages say, and the invoice's data beside them; to be asked once they have passed."""
        if self._found is None:
            sheets = [sheet_of(page) for page in (*self._first, *self._last)]
            self._found = findings_in(sheets)
            for one in self.data:
                if one.findings is not None:
                    self._found = agreed(self._found, one.findings, sheets) if self._first else one.findings
        return self._found


def watched_page(page: Page, own: Sequence[OwnField], *, worded: bool) -> Watched:
    """One page that has passed."""
    watched = Watched(own=own, worded=worded)
    for _page in watched.pages([page]):
        pass
    return watched


def named_field(wanted: Wanted) -> str:
    """The field of `Findings` that a name or prompt asks for, in any of the languages; empty for none of them."""
    for text in (wanted.name, wanted.hint):
        phrase = phrases().get(plain(text))
        roles = [role for role in _NAMED if phrase is not None and role in phrase.roles]
        if len(roles) == 1:
            return roles[0]
    return ""


def printed_text(found: Findings, name: str) -> tuple[str, Evidence] | None:
    """Return what is printed for a field that is sure, with its first place; None where nothing is."""
    one: Found[Any] = getattr(found, name)
    if one.value is None or not one.places:
        return None
    text = one.value if name == "currency" else one.places[0].words
    return text, one.places[0]


def stated_text(found: Findings, name: str) -> tuple[str, Attached] | None:
    """Return what an invoice's data have for a field that is sure; None where they have nothing."""
    one: Found[Any] = getattr(found, name)
    place = next((each for each in one.evidence if isinstance(each, Attached)), None)
    return (place.words, place) if one.value is not None and place is not None else None


def contradicts(found: Findings, name: str) -> bool:
    """Tell whether another way to find a field would guess: an amount that is not sure, what page and data dispute."""
    one: Found[Any] = getattr(found, name)
    return one.is_disputed or (name in _AMOUNTS and one.is_unsure)


def disputed(found: Findings) -> dict[str, tuple[str, str]]:
    """The fields of which the page says one thing and the invoice's data another, with both."""
    fields_of = {one.name: getattr(found, one.name) for one in fields(found) if one.name != "language"}
    return {name: (dict(one.said)["page"], dict(one.said)["data"]) for name, one in fields_of.items() if one.said}


def answer(watched: Watched, grounded: bool) -> dict[str, Any]:
    """All fields of what has passed, as JSON. grounded: with page, box and words of each."""
    found, proofs = watched.findings(), watched.identifiers()
    told: dict[str, Any] = {
        one.name: _told(getattr(found, one.name), grounded) for one in fields(found) if one.name != "language"
    }
    listed = {"value": list(proofs) or None, "confidence": float(bool(proofs))} | ({"evidence": []} if grounded else {})
    if watched.own:
        told["own"] = {name: _told(one, grounded) for name, one in watched.own_fields().items()}
    if watched.worded:
        told["pages"] = watched.printed()
    return told | {"identifiers": listed, "eInvoice": watched.e_invoice(), "language": found.language or None}


def unsure_fields(watched: Watched) -> list[str]:
    """The names of the fields that could not be told for sure."""
    found = watched.findings()
    names = [one.name for one in fields(found) if one.name != "language" and getattr(found, one.name).is_unsure]
    return [*names, *(name for name, one in watched.own_fields().items() if one.is_unsure)]


def _told(found: Found[Any], grounded: bool) -> dict[str, Any]:
    value: dict[str, Any] = {"value": _value(found.value, grounded), "confidence": round(found.confidence, 2)}
    if grounded:
        value["evidence"] = [_place(evidence) for evidence in found.evidence]
    if found.candidates:
        value["reason"] = _(found.reason, **dict(found.said))
        if found.is_disputed:
            value["disputed"] = dict(found.said)
        value["candidates"] = [
            {"value": _value(one.value, grounded), "confidence": round(one.confidence, 2)}
            | ({"evidence": [_place(evidence) for evidence in one.evidence]} if grounded else {})
            for one in found.candidates
        ]
    return value


def _value(value: Any, grounded: bool) -> Any:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        return [_value(item, grounded) for item in value]
    if isinstance(value, LineItem):
        kept = ("description", "quantity", "unit", "price", "rate", "amount")
        item = {name: _value(getattr(value, name), grounded) for name in kept}
        return item | ({"evidence": [_place(evidence) for evidence in value.evidence]} if grounded else {})
    return value


def _printed(page: Page) -> dict[str, Any]:
    """A page as labels and values are looked for on it: its rows, their pieces, and the words of each.

    days, amounts: all that stand on it; what can be read in two ways, as 03/04/2026, has both.
    """
    found = sheet_of(page).rows
    rows = [[[_word(token) for token in piece.tokens] for piece in row.pieces] for row in found]
    size = {"width": round(page.width * PIXELS), "height": round(page.height * PIXELS)}
    days = dict.fromkeys(day.isoformat() for row in found for one in days_in(row.whole) for day in one.readings)
    printed = (one for row in found for piece in row.pieces for one in amounts_in(piece))
    amounts = dict.fromkeys(f"{value:f}" for one in printed for value in one.readings.values())
    told = {"page": page.number, **size, "angle": page.angle, "rows": rows}
    return told | {"days": [*days], "amounts": [*amounts]}


def _word(token: Token) -> dict[str, Any]:
    return {"text": token.text, "box": [round(side * PIXELS) for side in token.box]}


def _place(evidence: Evidence | Attached) -> dict[str, Any]:
    if isinstance(evidence, Attached):
        return {"attachment": evidence.name, "words": evidence.words}
    return {"page": evidence.page, "bboxes": [list(pos_of(Quad.of(evidence.box)))], "words": evidence.words}
