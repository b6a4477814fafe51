"""Net, tax and total: the labelled amounts that add up. Amounts that contradict each other are not told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations, islice, product

from paperchute.engine.extraction.confidence import CERTAINTY, CONFIDENCE
from paperchute.engine.extraction.entries import Entry, Role
from paperchute.engine.extraction.findings import Candidate, Found, opened, sure, unsure
from paperchute.engine.extraction.measures import BOUNDS, ROUNDING
from paperchute.language import N_
from paperchute.notation.currencies import currencies_of


@dataclass(frozen=True, slots=True)
class TotalSettings:
    """When amounts are sure."""

    most_taxes: int = 4
    """Rates on one document that are summed: a bound on work, and countries have fewer."""

    rates: tuple[Decimal, ...] = tuple(
        Decimal(rate) / 10
        for rate in (21, 25, 26, 38, 40, 50, 55, 60, 70, 80, 81, 90, 100, 120, 130, 190, 200, 210, 220, 230, 250)
    )
    """Per cent: the rates of value added tax in the countries of the languages in `labels/`, which prove an unnamed
    one."""


TOTALS = TotalSettings()


@dataclass(frozen=True, slots=True)
class Totals:
    """What a document says it comes to."""

    net: Found[Decimal]
    tax: Found[Decimal]
    tax_rate: Found[Decimal]
    total: Found[Decimal]


@dataclass(frozen=True, slots=True)
class _Sum:
    """Entries that add up, and with which values. aside: what is taken off or added besides."""

    net: Entry
    taxes: tuple[Entry, ...]
    total: Entry
    values: tuple[Decimal, Decimal, Decimal]
    aside: Decimal = Decimal()


def totals(found: Sequence[Entry], items: Decimal | None) -> Totals:
    """Net, tax and total of the labelled amounts. items: what its lines come to, where they show it."""
    most = BOUNDS.places
    roles: tuple[Role, ...] = ("net", "subtotal", "tax", "total", "paid", "adjustment")
    by = {role: [entry for entry in found if entry.role == role][:most] for role in roles}
    sums = list(_sums(by["net"] + by["subtotal"], by["tax"], by["total"]))
    sums = sums or list(_adjusted(by["net"] + by["subtotal"], by["tax"], by["total"], by["adjustment"]))
    if sums:
        return _proven(sums, by)
    wholes = {value for entry in by["total"] for value in entry.values}
    apart = [e for e in by["subtotal"] if not wholes.intersection(e.values)]  # else the tax is within both
    if (by["net"] or apart) and by["tax"] and by["total"]:
        reason = N_("net and tax do not add up to the total")
        return Totals(_open(by["net"], reason), _open(by["tax"], reason), Found(), _open(by["total"], reason))
    return _unproven(by, items)


def _sums(nets: Sequence[Entry], taxes: Sequence[Entry], wholes: Sequence[Entry]) -> Iterator[_Sum]:
    several = [pair for size in range(1, TOTALS.most_taxes + 1) for pair in combinations(taxes[:12], size)]
    amounts = [(group, values) for group in several for values in product(*(tax.values for tax in group))]
    known: dict[Decimal, tuple[Entry, ...]] = {}
    for group, values in amounts:
        if len(group) == 1 or len({tax.rates for tax in group}) == len(group):
            known.setdefault(sum(values, Decimal()), group)
    for net, whole in product(nets, wholes):
        for less, more in product(net.values, whole.values):
            for tax in (more - less, more - less - ROUNDING.cent, more - less + ROUNDING.cent):
                taxed = known.get(tax)
                if taxed and _is_sign(less, tax, more) and _is_one_currency((net, *taxed, whole)):
                    yield _Sum(net, taxed, whole, (less, tax, more))


def _adjusted(
    nets: Sequence[Entry], taxes: Sequence[Entry], wholes: Sequence[Entry], adjustments: Sequence[Entry]
) -> Iterator[_Sum]:
    """Sums to which one more amount belongs: `Shipping`, `Discount`, which may be printed without its minus."""
    for net, tax, whole, other in islice(product(nets, taxes, wholes, adjustments), BOUNDS.words):
        for less, part, more, aside in product(net.values, tax.values, whole.values, other.values):
            alike = _is_one_currency((net, tax, whole, other))
            if alike and aside and abs(more - less - part) == abs(aside) and _is_sign(less, part, more):
                yield _Sum(net, (tax,), whole, (less, part, more), more - less - part)


def _is_one_currency(found: Sequence[Entry]) -> bool:
    """Decide whether some amounts may be of one currency: none adds up with one of another."""
    codes = [set(currencies_of(entry.amount.currency)) for entry in found if entry.amount.currency]
    return not codes or bool(set.intersection(*codes))


def _is_sign(net: Decimal, tax: Decimal, total: Decimal) -> bool:
    """Decide whether the three have one sign, and are more than nothing: 0 and 0 make 0 of anything."""
    return bool(net) and net * total > 0 and tax * total >= 0 and abs(tax) < abs(net)


def _proven(sums: Sequence[_Sum], by: dict[Role, list[Entry]]) -> Totals:
    """The sum that the others are parts of: the largest. A total beyond it says that something is left out."""
    best = max(sums, key=lambda one: (abs(one.values[2]), -len(one.taxes)))
    net, tax, total = best.values
    rivals = {one.values for one in sums if abs(one.values[2]) == abs(total)}
    above = [e for e in by["total"] if not e.amount.is_doubtful and min(map(abs, e.values)) > abs(total)]
    if above or _is_partial(total, by) or len({(n, t) for n, t, _total in rivals}) > 1:
        reason = N_("there are several totals")
        return Totals(_open(by["net"], reason), _open(by["tax"], reason), Found(), _open(by["total"], reason))
    certain = min(entry.certainty for entry in (best.net, *best.taxes, best.total))
    confidence = CONFIDENCE.proven * max(certain, CONFIDENCE.proven)  # figures that were read wrong would not add up

    def one(value: Decimal, *where: Entry) -> Found[Decimal]:
        return sure(Candidate(value, confidence, tuple(entry.evidence for entry in where)))

    rate, less = _rate(best.taxes), one(net, best.net)
    is_all = rate.value is None or len(best.taxes) > 1 or abs(net * rate.value / 100 - tax) <= ROUNDING.coin
    if best.aside and (rate.value is None or not is_all):  # what is taken off may lessen the net, or the total alone
        after = Candidate(net + best.aside, confidence / 2, (best.net.evidence,))
        less = unsure([Candidate(net, confidence / 2, (best.net.evidence,)), after], N_("nothing confirms it"))
        is_all = rate.value is None or abs(after.value * rate.value / 100 - tax) <= ROUNDING.coin
    if not is_all:
        rate = opened(rate, N_("it is not the rate of all of it"))
    elif rate.value is not None:
        rate = replace(rate, confidence=confidence)
    return Totals(less, one(tax, *best.taxes), rate, one(total, best.total))


def _is_partial(total: Decimal, by: dict[Role, list[Entry]]) -> bool:
    """Decide whether the last total is another: it takes off what was brought back, a total below nothing."""
    values = [e.values[0] for e in by["total"] if not e.amount.is_doubtful and len(e.values) == 1]
    others = {value for value in values if value != total}
    return bool(values) and values[-1] != total and any(values[-1] == total + one for one in others if one < 0)


def _unproven(by: dict[Role, list[Entry]], items: Decimal | None) -> Totals:
    """One or two of the three, as far as their labels are enough."""
    taxes = _single(by["tax"])
    total = _changed(by) or _single(by["total"], items)
    net = _single(by["net"])
    paid = {abs(value) for entry in by["paid"] for value in entry.values} - {Decimal()}
    if total.value is not None and total.value != items and _is_rest(total.value, items, paid, by):
        total = _open(by["total"], N_("nothing confirms it"))
    whole = total.value
    if whole is not None:
        if items == whole:
            total = Found(whole, CONFIDENCE.proven, total.evidence)
        tax, rate = taxes.value, _rate(by["tax"]).value
        if tax is not None:
            if rate is None:
                taxes = _open(by["tax"], N_("nothing confirms it"))
            elif _is_part(tax, rate, whole):
                total = Found(whole, CONFIDENCE.proven, total.evidence)
            else:
                reason = N_("the tax does not match the total at its rate")
                taxes, total = _open(by["tax"], reason), _open(by["total"], reason)
        if net.value is not None and net.value != whole and not _is_rate(net.value, whole):
            reason = N_("net and total differ by no known tax")
            net, total = _open(by["net"], reason), _open(by["total"], reason)
    else:
        net, taxes = _open(by["net"], N_("nothing confirms it")), _open(by["tax"], N_("nothing confirms it"))
    return Totals(net, taxes, _rate(by["tax"]) if taxes.value is not None else Found(), total)


def _changed(by: dict[Role, list[Entry]]) -> Found[Decimal] | None:
    """The total of two that differ by what was paid before, or by what is added: a fee."""
    found = {value: entry for entry in by["total"] for value in entry.values}
    if len(found) != 2 or any(entry.amount.is_doubtful or not entry.amount.is_money for entry in found.values()):
        return None
    first, last = found
    paid, added = (sum({abs(entry.values[0]) for entry in by[role]}, Decimal()) for role in ("paid", "adjustment"))
    if not paid and added and first < last == first + added:
        first, last = last, first
    elif added or not paid or not 0 <= last == first - paid:
        return None
    certain = min(entry.certainty for entry in found.values())
    return (
        sure(Candidate(first, CONFIDENCE.proven * certain, (found[first].evidence,)))
        if certain >= CERTAINTY.figures
        else None
    )


def _is_rest(total: Decimal, items: Decimal | None, paid: set[Decimal], by: dict[Role, list[Entry]]) -> bool:
    """Tell if a total is what is left to pay, or nothing: `Balance due 0.00`, `Balance due` below `Amount paid`."""
    if not total or (items is not None and abs(items - total) in paid):
        return True
    first, before = (min((_reading(entry) for entry in by[role]), default=None) for role in ("total", "paid"))
    return bool(paid) and first is not None and before is not None and before < first


def _reading(entry: Entry) -> tuple[int, float]:
    """Its place in reading order."""
    return entry.evidence.page, entry.evidence.box.top


def _is_part(tax: Decimal, rate: Decimal, total: Decimal) -> bool:
    """Decide whether a tax is what a total holds at its rate."""
    return abs(total * rate / (100 + rate) - tax) <= ROUNDING.cent


def _is_rate(net: Decimal, total: Decimal) -> bool:
    return any(abs(net * (100 + rate) / 100 - total) <= ROUNDING.cent for rate in TOTALS.rates)


def _single(found: Sequence[Entry], proof: Decimal | None = None) -> Found[Decimal]:
    """The one value that all entries of a role have, where it was read surely. proof: what else comes to a total."""
    if not found:
        return Found()
    values = {value for entry in found for value in entry.values}
    if len(values) > 1:
        return _open(found, N_("there are several amounts"))
    best = max(found, key=lambda entry: entry.certainty)
    if (
        best.certainty < CERTAINTY.figures
        or not best.amount.is_money
        or (best.role == "total" and proof not in values and not any(entry.is_plain for entry in found))
    ):
        return _open(found, N_("nothing confirms it"))
    return sure(Candidate(values.pop(), CONFIDENCE.alone * best.certainty, (best.evidence,)))


def _open(found: Sequence[Entry], reason: str) -> Found[Decimal]:
    candidates: dict[Decimal, Candidate[Decimal]] = {}
    for entry in found:
        for value in entry.values:
            candidates.setdefault(value, Candidate(value, entry.certainty / 2, (entry.evidence,)))
    return unsure(list(candidates.values()), reason) if candidates else Found()


def _rate(taxes: Sequence[Entry]) -> Found[Decimal]:
    """The rate in the rows of the tax; not sure where there are several."""
    found: dict[Decimal, Candidate[Decimal]] = {}
    for entry in taxes:
        for rate in entry.rates:
            found.setdefault(rate, Candidate(rate, CONFIDENCE.alone * entry.certainty, (entry.evidence,)))
    if len(found) == 1:
        return sure(*found.values())
    return unsure(list(found.values()), N_("there are several rates")) if found else Found()
