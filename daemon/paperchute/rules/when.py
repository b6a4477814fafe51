"""Conditions on what a document says of itself: `when` of a rule, such as `{ total = ">=1000", currency = "EUR" }`.

Names are globs without letter case; amounts and days are compared by their value, as Decimal and date. What is not sure
makes a condition neither hold nor fail. Several values of one field are alternatives; all fields must hold.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from paperchute.contract.operations import nearest
from paperchute.language import N_, _
from paperchute.notation.document_kinds import NAMES
from paperchute.rules.document_fields import DAYS, FIELDS, accepted
from paperchute.rules.match import Condition, plain

When = Mapping[str, Sequence[str]]
"""By field, what it may be."""

Rung = tuple[When, bool]
"""A rule's conditions, and whether it leaves the file to the next rule too."""

_COMPARED = re.compile(r"(>=|<=|>|<|)\s*(\S+)")
_BETWEEN = re.compile(r"(\S+?)\s*\.\.\s*(\S+)")
_AMOUNT = re.compile(r"-?\d{1,15}(?:\.\d{1,6})?")
_PART_OF_TIME = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_WILD = frozenset("*?")
_LETTERS: Mapping[str, Callable[[str], str]] = {"currency": str.upper, "language": str.lower}
_OFTEN_MEANT = {
    **dict.fromkeys(("amount", "sum", "gross", "price"), "total"),
    **dict.fromkeys(("from", "company", "supplier", "vendor", "correspondent"), "sender"),
    **dict.fromkeys(("to", "customer"), "recipient"),
    **dict.fromkeys(("type", "document"), "kind"),
    **dict.fromkeys(("day", "month", "year"), "date"),
    **dict.fromkeys(("lang", "locale"), "language"),
}


@dataclass(frozen=True)
class Span:
    """Values from `low` to `high`; None is without end."""

    low: Any = None
    high: Any = None
    with_low: bool = True
    with_high: bool = True

    def has(self, value: Any) -> bool:
        """Decide whether a value lies in it."""
        above = self.low is None or value > self.low or (self.with_low and value == self.low)
        below = self.high is None or value < self.high or (self.with_high and value == self.high)
        return above and below

    def covers(self, other: Span) -> bool:
        """Decide whether all that lies in the other one lies in this one."""
        low = self.low is None or (
            other.low is not None
            and (other.low > self.low or (other.low == self.low and (self.with_low or not other.with_low)))
        )
        high = self.high is None or (
            other.high is not None
            and (other.high < self.high or (other.high == self.high and (self.with_high or not other.with_high)))
        )
        return low and high


# ---------- judging ----------


@dataclass(frozen=True)
class Decision:
    """Which of several rules have a document, by their numbers; or, while that is open, what must be known for it."""

    takers: tuple[int, ...] = ()
    open: tuple[str, ...] = ()
    """Fields."""


def decide(ladder: Sequence[Rung], values: Mapping[str, str]) -> Decision:
    """Decide which rules have a document: the first whose conditions hold, and as `also` allows later ones.

    ladder: each rule's conditions, and whether it has `also`, in the order of the rules. values: by field, what is
    sure; empty for what the document surely does not say.
    """
    takers: list[int] = []
    unknown: dict[str, None] = {}
    for number, (when, also) in enumerate(ladder):
        conditions = list(judged(when, values))
        if any(condition.holds is False for condition in conditions):
            continue
        unsure = [field for field in when if field not in values]
        unknown |= dict.fromkeys(unsure)
        if not unsure:
            takers.append(number)
        if not also:
            break
    return Decision((), tuple(unknown)) if unknown else Decision(tuple(takers))


def judged(when: When, values: Mapping[str, str]) -> Iterator[Condition]:
    """Judge each condition, in the order of the fields; one on a field of which nothing is sure cannot be told."""
    for field, wanted in when.items():
        value = values.get(field)
        holds = None if value is None else bool(value) and any(_holds(field, one, value) for one in wanted)
        seen = _("not sure") if value is None else value or _("there is none")
        if field == "total" and value and values.get("currency"):
            seen = f"{seen} {values['currency']}"
        yield Condition(f"when {field}", holds, _("{seen} (asked: {asked})", seen=seen, asked=" | ".join(wanted)))


def covers(earlier: When, later: When) -> bool:
    """Decide whether every document that holds the later conditions holds the earlier ones too."""
    return all(
        field in later and all(any(_is_within(field, one, other) for other in wanted) for one in later[field])
        for field, wanted in earlier.items()
    )


def _holds(field: str, wanted: str, value: str) -> bool:
    if field == "total":
        return _amounts(wanted).has(Decimal(value))
    if field in DAYS:
        return _days(wanted).has(date.fromisoformat(value))
    pattern = _folded(field, wanted).replace("[", "[[]")
    values = NAMES.get(value, (value,)) if field == "kind" else (value,)
    return any(fnmatch.fnmatchcase(_folded(field, one), pattern) for one in values)


def _is_within(field: str, one: str, other: str) -> bool:
    if field == "total":
        return _amounts(other).covers(_amounts(one))
    if field in DAYS:
        return _days(other).covers(_days(one))
    if field == "kind":
        return all(_holds(field, other, kind) for kind in NAMES if _holds(field, one, kind))
    if _WILD & set(one):
        return other == "*" or _folded(field, one) == _folded(field, other)
    return _holds(field, other, one)


def _folded(field: str, text: str) -> str:
    return plain(text).replace(" ", "") if field == "iban" else plain(text)


# ---------- reading ----------


def _amounts(text: str) -> Span:
    """Raises ValueError for what is no amount and no span of amounts."""
    return _span(text, lambda one: (_amount(one), _amount(one)))


def _days(text: str) -> Span:
    """Raises ValueError for what is no day, month, year or span of them."""
    return _span(text, _ends)


def _span(text: str, ends: Callable[[str], tuple[Any, Any]]) -> Span:
    if found := _BETWEEN.fullmatch(text.strip()):
        low, high = ends(found[1])[0], ends(found[2])[1]
        if low > high:
            raise ValueError
        return Span(low, high)
    found = _COMPARED.fullmatch(text.strip())
    if found is None:
        raise ValueError
    first, last = ends(found[2])
    match found[1]:
        case ">=":
            return Span(low=first)
        case ">":
            return Span(low=last, with_low=False)
        case "<=":
            return Span(high=last)
        case "<":
            return Span(high=first, with_high=False)
    return Span(first, last)


def _amount(text: str) -> Decimal:
    if not _AMOUNT.fullmatch(text):
        raise ValueError
    return Decimal(text)


def _ends(text: str) -> tuple[date, date]:
    """The first and the last day of a day, month or year."""
    found = _PART_OF_TIME.fullmatch(text)
    if found is None:
        raise ValueError
    year, month, day = int(found[1]), found[2], found[3]
    if day:
        one = date.fromisoformat(text)
        return one, one
    first = date(year, int(month or 1), 1)
    last_month = int(month or 12)
    return first, date(year + last_month // 12, last_month % 12 + 1, 1) - timedelta(days=1)


# ---------- checking ----------

_AMOUNTS = N_('an amount such as "1190.50", ">=1000" or "100..500", with a point and without its currency')
_SPANS = N_('a day, month or year such as "2026-03-12", "2026-03", ">=2026-03-01" or "2025..2026"')


def mistakes(when: When, own: Iterable[str] = ()) -> Iterator[tuple[tuple[str, ...], str, str | None]]:
    """Tell what is wrong with conditions: the place below `when`, what it is, and what may be meant.

    own: the rule's own fields.
    """
    known = [*FIELDS, *own]
    for field, wanted in when.items():
        if field not in known:
            near = _OFTEN_MEANT.get(field.lower()) or nearest(field.lower().removeprefix("doc."), known)
            yield (
                (field,),
                _("there is no field {name}; there are {known}", name=repr(field), known=" ".join(known)),
                near,
            )
            continue
        for one in wanted:
            if what := _why_impossible(field, one):
                near = nearest(one, list(NAMES)) if field == "kind" else None
                yield (
                    (field,),
                    _("{value} cannot be its {field}; write {what}", value=repr(one), field=field, what=what),
                    near,
                )


def _why_impossible(field: str, wanted: str) -> str:
    """Return what should stand there instead of what can never be; empty where it can be."""
    try:
        if field == "total":
            _amounts(wanted)
        elif field in DAYS:
            _days(wanted)
        elif field == "kind":
            if not any(_holds(field, wanted, kind) for kind in NAMES):
                return _("one of {kinds}", kinds=" ".join(NAMES))
        elif not _WILD & set(wanted):
            accepted(field, _LETTERS.get(field, str)(wanted))
        elif not plain(wanted):
            accepted(field, wanted)
    except ValueError as error:
        if field == "total":
            return _(_AMOUNTS)
        return _(_SPANS) if field in DAYS else str(error)
    return ""
