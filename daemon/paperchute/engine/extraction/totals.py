"""Net, tax and total: the labelled amounts that add up. Amounts that contradict each other are not told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, islice, product
from typing import Literal

from paperchute.engine.extraction.amounts import Amount, amounts_in, codes_of, percents_in
from paperchute.engine.extraction.findings import Candidate, Evidence, Found, sure, unsure
from paperchute.engine.extraction.lookup import is_head, under
from paperchute.engine.extraction.printed import Piece, Row, Sheet
from paperchute.engine.extraction.vocabulary import Label, plain
from paperchute.language import N_

Role = Literal["net", "subtotal", "tax", "total", "paid", "adjustment"]


@dataclass(frozen=True, slots=True)
class TotalSettings:
    """When amounts are sure."""

    cent: Decimal = Decimal("0.01")
    """By which net and tax may miss the total: rounding, of each rate."""

    rounding: Decimal = Decimal("0.05")
    """By which a tax may miss what its rate makes of the net: some round it line by line."""

    proven: float = 0.99
    """How sure amounts are that add up."""

    labelled: float = 0.9
    """How sure a total is that only its label tells."""

    read: float = 0.95
    """How sure the figures of such a total must be read, since nothing proves them."""

    most: int = 60
    """Labelled amounts of a role that are tried: a bound on work; an invoice has fewer than ten."""

    most_tried: int = 20_000
    """Combinations of four amounts that are tried: a bound on work."""

    words_before: int = 4
    """Words in front of a label in its row, such as a rate; more are a sentence."""

    longest_unit: int = 4
    """Letters of a unit in a cell of its own, such as `kWh`. Chosen by eye."""

    most_taxes: int = 4
    """Rates on one document that are summed: a bound on work, and countries have fewer."""

    rates: tuple[Decimal, ...] = tuple(
        Decimal(rate) / 10
        for rate in (21, 25, 26, 38, 40, 50, 55, 60, 70, 80, 81, 90, 100, 120, 130, 190, 200, 210, 220, 230, 250)
    )
    """Per cent: the rates of value added tax in the countries of the languages in `labels/`, which prove an unnamed
    one."""


TOTALS = TotalSettings()

_FILLING = frozenset(map(plain, ("in", "en", "EU", "of", "de", "du", "di", "do", "da", "w", "z", "à", "a", "as", "=")))
"""Words beside a label that change nothing of what it means: `Total in EUR`."""

_LIMITED = re.compile(r"[~<>\u2264\u2265\u2248\u00b1]\s*$")
"""What makes an amount one of about or at most so much."""
_PARTED = re.compile(r"\s+[-\u2212\u2013](?!\S)")
"""A dash behind an amount, which may be its sign: `119,00 € -`."""

_SAYING: tuple[str, ...] = (
    *("net", "subtotal", "tax", "total", "paid", "adjustment", "net_mark", "gross_mark", "amount", "price", "rate"),
    "currency",
)
"""Roles of labels that may stand beside that of an amount and leave it one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A labelled amount. values: what it can be. rates: the percentages that stand in its row.

    is_plain: nothing but its label stands beside it, as it does in `Total last year`, `Total 12.50 per month` or
    `Total 100.00 1,200.00`.
    """

    role: Role
    amount: Amount
    values: tuple[Decimal, ...]
    rates: tuple[Decimal, ...]
    is_plain: bool = True

    @property
    def evidence(self) -> Evidence:
        """Where it stands."""
        return self.amount.piece.evidence(self.amount.start, self.amount.end)

    @property
    def certainty(self) -> float:
        """How sure it was read."""
        return self.amount.piece.certainty(self.amount.start, self.amount.end)


@dataclass(frozen=True, slots=True)
class Totals:
    """What a document says it comes to."""

    net: Found[Decimal]
    tax: Found[Decimal]
    tax_rate: Found[Decimal]
    total: Found[Decimal]


def entries(sheets: Iterable[Sheet], mark: str) -> list[Entry]:
    """The labelled amounts of a document. mark: its decimal mark, empty where it does not tell."""
    found: list[Entry] = []
    for sheet in sheets:
        for row in sheet.rows:
            if not is_head(row):
                found += _row_entries(row, sheet, mark)
    return found


def role_of(labels: Sequence[Label]) -> Role | None:
    """What the labels in front of an amount make of it: `Total`, `Total net`, `Total VAT`, `incl. VAT`."""
    net = any(label.means("net_mark") for label in labels)
    gross = any(label.means("gross_mark") for label in labels)
    total = any(label.means("total") for label in labels)
    if any(label.means("adjustment", "paid") for label in labels):
        return "paid" if any(label.means("paid") for label in labels) else "adjustment"
    if any(label.means("net") and not label.means("total") for label in labels):
        return "net"
    if any(label.means("tax", "rate") and not label.means("net_mark", "gross_mark") for label in labels) and not (
        gross and total
    ):
        return "net" if net and total else "tax"
    if total:
        return "net" if net and not gross else "total"
    if any(label.means("tax") for label in labels):
        return "tax"
    return "subtotal" if any(label.means("subtotal") for label in labels) else None


def _row_entries(row: Row, sheet: Sheet, mark: str) -> Iterator[Entry]:
    """Each amount belongs to the labels between it and the amount before; of several the last is meant."""
    amounts = [amount for piece in row.pieces for amount in amounts_in(piece)]
    if not amounts:
        yield from _entries_below(row, sheet, mark)
        return
    amounts = [amount for amount in amounts if amount.is_money]
    if _is_sentence(row.pieces[0]):
        return
    places = sorted(_labels_of(row) + [(amount.piece.box.left, amount.start, amount) for amount in amounts], key=_place)
    labels: list[Label] = []
    behind: list[Amount] = []
    for _left, _start, one in places:
        if isinstance(one, Amount):
            behind.append(one)
            continue
        yield from _labelled(labels, behind, row, mark)
        labels, behind = [*(() if behind else labels), one], []
    yield from _labelled(labels, behind, row, mark)


def _labelled(labels: Sequence[Label], behind: Sequence[Amount], row: Row, mark: str) -> Iterator[Entry]:
    """The amount of some labels: the last behind them, but what stands in brackets as the same in another currency."""
    role = role_of(labels)
    if role is None or not behind:
        return
    meant = [amount for amount in behind if not amount.is_bracketed] or behind
    values = [amount.value(mark) for amount in meant]
    parts, last = [value for value in values[:-1] if value is not None], values[-1]
    is_one = not parts or set(parts) == {last} or sum(parts) == last
    yield _entry(role, meant[-1], row, is_one and _is_plain(row, meant[-1]), mark)


def _is_plain(row: Row, amount: Amount) -> bool:
    """Whether the words around an amount are labels and currencies and no more."""
    before = [piece for piece in row.pieces if piece.box.left <= amount.piece.box.left]
    after = next((piece for piece in row.pieces if piece.box.left > amount.piece.box.left), None)
    stops = [amount.piece.tokens[label.first].start for label in amount.piece.labels]
    stop = min((start for start in stops if start >= amount.end), default=len(amount.piece.text))
    if (
        _other_words(amount.piece, amount.end, stop)
        or (after is not None and len(after.tokens) == 1 and _is_unit(after))
        or _LIMITED.search(amount.piece.text[: amount.start])
        or _PARTED.match(amount.piece.text[amount.end :])
    ):
        return False
    if not any(amount.piece.tokens[label.first].start < amount.start for label in amount.piece.labels) and (
        _other_words(amount.piece, 0, amount.start)
    ):
        return False
    for piece in reversed(before):
        end = amount.start if piece is amount.piece else len(piece.text)
        if any(piece.tokens[label.first].start < end for label in piece.labels):
            return not _other_words(piece, 0, end)
    return True


def _is_unit(piece: Piece) -> bool:
    """Whether a word in a cell of its own may say what the figure before it counts: `kg`, `h`."""
    text = piece.text
    return text.isalpha() and text.islower() and len(text) <= TOTALS.longest_unit and not piece.labels


def _other_words(piece: Piece, start: int, end: int) -> list[str]:
    """The words in a part of a piece that are in no label of an amount, and no currency or single capital."""
    said = [label for label in piece.labels if label.phrase.kinds or label.means(*_SAYING)]
    named = {number for label in said for number in range(label.first, label.after)}
    return [
        token.text
        for number, token in enumerate(piece.tokens)
        if start <= token.start < end and number not in named and any(map(str.isalpha, token.text))
        and token.key not in _FILLING and not (len(token.key) == 1 and token.text.isupper())
        and not codes_of(token.text.strip("()[]:"))
    ]  # fmt: skip


def _labels_of(row: Row) -> list[tuple[float, int, Label | Amount]]:
    return [(piece.box.left, piece.tokens[label.first].start, label) for piece in row.pieces for label in piece.labels]


def _place(item: tuple[float, int, Label | Amount]) -> tuple[float, int]:
    return item[:2]


def _is_sentence(piece: Piece) -> bool:
    """Whether words stand in front of the first label of a row: a sentence that comes to speak of an amount."""
    first = min((piece.tokens[label.first].start for label in piece.labels), default=0)
    return len(piece.text[:first].split()) > TOTALS.words_before


def _entries_below(row: Row, sheet: Sheet, mark: str) -> Iterator[Entry]:
    """Amounts that stand below their labels, as in a box or a table of the sums."""
    for piece in row.pieces:
        role = role_of(piece.labels) if piece.labels and piece.labels[0].first == 0 else None
        if role is None or len(piece.tokens) > piece.labels[-1].after + 1:
            continue
        for lower in under(piece, sheet):
            found = [amount for amount in amounts_in(lower) if amount.is_money]
            if not found or (lower.labels and lower.labels[0].first == 0):
                break
            is_plain = len(found) == 1 and not _other_words(piece, 0, len(piece.text))
            yield _entry(role, found[-1], sheet.rows[lower.row], is_plain, mark)


def _entry(role: Role, amount: Amount, row: Row, is_plain: bool, mark: str) -> Entry:
    value = amount.value(mark)
    values = (value,) if value is not None else tuple(dict.fromkeys(amount.readings.values()))
    return Entry(role, amount, (*values, *amount.others), tuple(percents_in(row.whole.text)), is_plain)


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
    most = TOTALS.most
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
            for tax in (more - less, more - less - TOTALS.cent, more - less + TOTALS.cent):
                taxed = known.get(tax)
                if taxed and _is_sign(less, tax, more) and _is_one_currency((net, *taxed, whole)):
                    yield _Sum(net, taxed, whole, (less, tax, more))


def _adjusted(
    nets: Sequence[Entry], taxes: Sequence[Entry], wholes: Sequence[Entry], adjustments: Sequence[Entry]
) -> Iterator[_Sum]:
    """Sums to which one more amount belongs: `Shipping`, `Discount`, which may be printed without its minus."""
    for net, tax, whole, other in islice(product(nets, taxes, wholes, adjustments), TOTALS.most_tried):
        for less, part, more, aside in product(net.values, tax.values, whole.values, other.values):
            alike = _is_one_currency((net, tax, whole, other))
            if alike and aside and abs(more - less - part) == abs(aside) and _is_sign(less, part, more):
                yield _Sum(net, (tax,), whole, (less, part, more), more - less - part)


def _is_one_currency(found: Sequence[Entry]) -> bool:
    """Whether some amounts may be of one currency: none adds up with one of another."""
    codes = [set(codes_of(entry.amount.currency)) for entry in found if entry.amount.currency]
    return not codes or bool(set.intersection(*codes))


def _is_sign(net: Decimal, tax: Decimal, total: Decimal) -> bool:
    """Whether the three have one sign, and are more than nothing: 0 and 0 make 0 of anything."""
    return bool(net) and net * total > 0 and tax * total >= 0 and abs(tax) < abs(net)


def _proven(sums: Sequence[_Sum], by: dict[Role, list[Entry]]) -> Totals:
    """The sum that the others are parts of: the largest. A total beyond it says that something is left out."""
    best = max(sums, key=lambda one: (abs(one.values[2]), -len(one.taxes)))
    net, tax, total = best.values
    rivals = {one.values for one in sums if abs(one.values[2]) == abs(total)}
    above = [e for e in by["total"] if not e.amount.is_doubtful and min(map(abs, e.values)) > abs(total)]
    if above or len({(n, t) for n, t, _total in rivals}) > 1:
        reason = N_("there are several totals")
        return Totals(_open(by["net"], reason), _open(by["tax"], reason), Found(), _open(by["total"], reason))
    certain = min(entry.certainty for entry in (best.net, *best.taxes, best.total))
    confidence = TOTALS.proven * max(certain, TOTALS.proven)  # figures that were read wrong would not add up

    def one(value: Decimal, *where: Entry) -> Found[Decimal]:
        return sure(Candidate(value, confidence, tuple(entry.evidence for entry in where)))

    rate, less = _rate(best.taxes), one(net, best.net)
    is_all = rate.value is None or len(best.taxes) > 1 or abs(net * rate.value / 100 - tax) <= TOTALS.rounding
    if best.aside and (rate.value is None or not is_all):  # what is taken off may lessen the net, or the total alone
        after = Candidate(net + best.aside, confidence / 2, (best.net.evidence,))
        less = unsure([Candidate(net, confidence / 2, (best.net.evidence,)), after], N_("nothing confirms it"))
        is_all = rate.value is None or abs(after.value * rate.value / 100 - tax) <= TOTALS.rounding
    if rate.value is not None and not is_all:
        rate = unsure([Candidate(rate.value, rate.confidence, rate.evidence)], N_("it is not the rate of all of it"))
    return Totals(less, one(tax, *best.taxes), rate, one(total, best.total))


def _unproven(by: dict[Role, list[Entry]], items: Decimal | None) -> Totals:
    """One or two of the three, as far as their labels are enough."""
    taxes = _single(by["tax"])
    total = _single(by["total"], items)
    net = _single(by["net"])
    paid = {abs(value) for entry in by["paid"] for value in entry.values} - {Decimal()}
    if total.value is not None and total.value != items and _is_rest(total.value, items, paid):
        total = _open(by["total"], N_("nothing confirms it"))
    whole = total.value
    if whole is not None:
        if items == whole:
            total = Found(whole, TOTALS.proven, total.evidence)
        tax, rate = taxes.value, _rate(by["tax"]).value
        if tax is not None:
            if rate is None:
                taxes = _open(by["tax"], N_("nothing confirms it"))
            elif _is_part(tax, rate, whole):
                total = Found(whole, TOTALS.proven, total.evidence)
            else:
                reason = N_("the tax does not match the total at its rate")
                taxes, total = _open(by["tax"], reason), _open(by["total"], reason)
        if net.value is not None and net.value != whole and not _is_rate(net.value, whole):
            reason = N_("net and total differ by no known tax")
            net, total = _open(by["net"], reason), _open(by["total"], reason)
    else:
        net, taxes = _open(by["net"], N_("nothing confirms it")), _open(by["tax"], N_("nothing confirms it"))
    return Totals(net, taxes, _rate(by["tax"]) if taxes.value is not None else Found(), total)


def _is_rest(total: Decimal, items: Decimal | None, paid: set[Decimal]) -> bool:
    """Whether a total is what is left to pay, or nothing: `Balance due 0.00`."""
    return not total or (items is not None and abs(items - total) in paid)


def _is_part(tax: Decimal, rate: Decimal, total: Decimal) -> bool:
    """Whether a tax is what a total holds at its rate."""
    return abs(total * rate / (100 + rate) - tax) <= TOTALS.cent


def _is_rate(net: Decimal, total: Decimal) -> bool:
    return any(abs(net * (100 + rate) / 100 - total) <= TOTALS.cent for rate in TOTALS.rates)


def _single(found: Sequence[Entry], proof: Decimal | None = None) -> Found[Decimal]:
    """The one value that all entries of a role have, where it was read surely. proof: what else comes to a total."""
    if not found:
        return Found()
    values = {value for entry in found for value in entry.values}
    if len(values) > 1:
        return _open(found, N_("there are several amounts"))
    best = max(found, key=lambda entry: entry.certainty)
    if (
        best.certainty < TOTALS.read
        or not best.amount.is_money
        or (best.role == "total" and proof not in values and not any(entry.is_plain for entry in found))
    ):
        return _open(found, N_("nothing confirms it"))
    return sure(Candidate(values.pop(), TOTALS.labelled * best.certainty, (best.evidence,)))


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
            found.setdefault(rate, Candidate(rate, TOTALS.labelled * entry.certainty, (entry.evidence,)))
    if len(found) == 1:
        return sure(*found.values())
    return unsure(list(found.values()), N_("there are several rates")) if found else Found()
