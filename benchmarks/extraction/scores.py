"""How findings compare with the truth: right, unsure, wrong, missed, for each field."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

FIELDS = (
    *("kind", "date", "number", "sender", "recipient", "currency", "net", "tax", "tax_rate", "total"),
    *("iban", "due", "items"),
)
OUTCOMES = ("right", "unsure", "missed", "wrong")


def judged(truth: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, str]:
    """The outcome of each field that the document shows, or that was found though it does not.

    found: as document-extract gives it: {field: {value, candidates}}. A date that nothing in the document decides is
    right as `unsure`.
    """
    outcomes = {}
    for name in FIELDS:
        want, got = truth.get(name), found.get(name) or {}
        value = got.get("value")
        if want == "any":
            continue
        if want == "unsure":
            outcomes[name] = "right" if value is None else "wrong"
        elif value is not None:
            outcomes[name] = "right" if want is not None and _same(name, want, value) else "wrong"
        elif want is not None:
            outcomes[name] = "unsure" if got.get("candidates") else "missed"
    return outcomes


def shares(outcomes: Iterable[Mapping[str, str]]) -> dict[str, dict[str, float]]:
    """The share of each outcome by field, and of all; `n` is how many there are."""
    counts: dict[str, Counter[str]] = {}
    for one in outcomes:
        for name, outcome in one.items():
            counts.setdefault(name, Counter())[outcome] += 1
            counts.setdefault("all", Counter())[outcome] += 1
    return {
        name: {outcome: round(counts[name][outcome] / counts[name].total(), 4) for outcome in OUTCOMES}
        | {"n": counts[name].total()}
        for name in (*FIELDS, "all")
        if name in counts
    }


def _same(name: str, want: Any, value: Any) -> bool:
    if name in ("net", "tax", "total", "tax_rate"):
        return Decimal(str(value)) == Decimal(want)
    if name in ("sender", "recipient", "number", "iban"):
        return plain(str(want)) == plain(str(value))
    if name == "items":
        return len(want) == len(value) and all(map(_same_item, want, value))
    return str(want) == str(value)


def _same_item(want: list[str], got: Mapping[str, Any]) -> bool:
    text, *numbers = want
    read = (got.get("quantity"), got.get("price"), got.get("amount"))
    same = all(
        (value is None and not number) or (value is not None and number and Decimal(str(value)) == Decimal(number))
        for number, value in zip(numbers, read, strict=True)
    )
    return same and plain(text) == plain(str(got.get("description", "")))


def plain(text: str) -> str:
    """Letters and digits: spaces and accents are reading's, not finding's."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in decomposed if character.isalnum())
