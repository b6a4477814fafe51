"""The rules of EN 16931 about VAT categories: one row a category, ten rules and more of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from paperchute.engine.e_invoice.invoice import Invoice, Part
from paperchute.engine.e_invoice.rule import UNIT, Rule, Values, one_of, present, vat_amount, written
from paperchute.engine.e_invoice.terms import Group
from paperchute.language import N_


@dataclass(frozen=True, slots=True)
class Category:
    """One VAT category (UNTDID 5305).

    rules: what the numbers of its rules begin with. seller, buyer: identifiers of which one is needed. rate: what its
    rate must be. is_exempt: whether it needs a reason, and has no tax.
    """

    code: str
    rules: str
    seller: tuple[str, ...]
    buyer: tuple[str, ...] = ()
    rate: Literal["positive", "any", "zero", "none"] = "zero"
    is_exempt: bool = False

    @property
    def is_taxed(self) -> bool:
        """Tell whether each rate has a breakdown of its own."""
        return self.rate in ("positive", "any")


_ANY_TAX = "BT-31", "BT-32", "BT-63"
_VAT = "BT-31", "BT-63"
CATEGORIES = (
    Category("S", "BR-S", _ANY_TAX, rate="positive"),
    Category("Z", "BR-Z", _ANY_TAX),
    Category("E", "BR-E", _ANY_TAX, is_exempt=True),
    Category("AE", "BR-AE", _ANY_TAX, ("BT-47", "BT-48"), is_exempt=True),
    Category("K", "BR-IC", _VAT, ("BT-48",), is_exempt=True),
    Category("G", "BR-G", _VAT, is_exempt=True),
    Category("O", "BR-O", (), rate="none", is_exempt=True),
    Category("L", "BR-AF", _ANY_TAX, rate="any"),
    Category("M", "BR-AG", _ANY_TAX, rate="any"),
)


@dataclass(frozen=True, slots=True)
class _Priced:
    """A group with amounts that VAT is for, and its terms; last: of its rules about identifiers and rates."""

    group: Group
    amount: str
    category: str
    rate: str
    identifiers: str
    rates: str
    sign: int = 1


_PRICED = (
    _Priced("line", "BT-131", "BT-151", "BT-152", "02", "05"),
    _Priced("allowance", "BT-92", "BT-95", "BT-96", "03", "06", -1),
    _Priced("charge", "BT-99", "BT-102", "BT-103", "04", "07"),
)


def category_rules() -> Iterator[Rule]:
    """Give the rules of all categories."""
    for category in CATEGORIES:
        name = category.rules
        yield _has_breakdown(f"{name}-01", category)
        for priced in _PRICED:
            yield from _identified(f"{name}-{priced.identifiers}", category, priced)
            yield _rated(f"{name}-{priced.rates}", category, priced)
        yield _base(f"{name}-08", category)
        if category.is_taxed:
            yield vat_amount(f"{name}-09", frozenset({category.code}))
        else:
            yield _untaxed(f"{name}-09", category)
        yield _reason(f"{name}-10", category)
    yield one_of("BR-IC-11", "BT-72", "BT-73", "BT-74", group="vat", when=_is_delivered_inside)
    yield one_of("BR-IC-12", "BT-80", group="vat", when=_is_delivered_inside)
    yield Rule(
        "BR-O-11",
        "vat",
        N_("VAT category O (not subject to VAT) stands beside others"),
        lambda part, invoice: {} if part.text("BT-118") == "O" and len(invoice.parts("vat")) > 1 else None,
    )

    for number, priced in zip(("12", "13", "14"), _PRICED, strict=True):
        yield _only_untaxed(f"BR-O-{number}", priced)


def _only_untaxed(rule: str, priced: _Priced) -> Rule:
    def broken(part: Part, invoice: Invoice) -> Values | None:
        others = part.text(priced.category) not in ("", "O")
        return {} if others and any(one.text("BT-118") == "O" for one in invoice.parts("vat")) else None

    return Rule(rule, priced.group, N_("VAT category O (not subject to VAT) stands beside others"), broken)


def _is_delivered_inside(part: Part, _invoice: Invoice) -> bool:
    return part.text("BT-118") == "K"


def _has_breakdown(rule: str, category: Category) -> Rule:
    def broken(_part: Part, invoice: Invoice) -> Values | None:
        used = any(code == category.code for code, _rate in _sold(invoice))
        count = sum(part.text("BT-118") == category.code for part in invoice.parts("vat"))
        wrong = (used and not count) or (count > 1 and not category.is_taxed)
        return {"category": category.code, "count": str(count)} if wrong else None

    return Rule(rule, "invoice", N_("VAT category {category} has {count} breakdowns, where it needs its own"), broken)


def _identified(rule: str, category: Category, priced: _Priced) -> Iterator[Rule]:
    def is_used(part: Part, _invoice: Invoice) -> bool:
        return part.text(priced.category) == category.code

    for terms in filter(None, (category.seller, category.buyer)):
        yield one_of(rule, *terms, group=priced.group, when=is_used)
    if category.rate == "none":
        ids = "BT-31", "BT-48", "BT-63"

        def broken(part: Part, invoice: Invoice) -> Values | None:
            return {} if is_used(part, invoice) and any(map(invoice.whole.has, ids)) else None

        sentence = N_("VAT category O (not subject to VAT) forbids these: {terms}")
        yield Rule(rule, priced.group, sentence, broken, ids)


def _rated(rule: str, category: Category, priced: _Priced) -> Rule:
    def broken(part: Part, _invoice: Invoice) -> Values | None:
        if part.text(priced.category) != category.code:
            return None
        rate = part.amount(priced.rate)
        kept = {
            "positive": rate is not None and rate > 0,
            "any": rate is not None and rate >= 0,
            "zero": rate is not None and rate == 0,
            "none": not part.has(priced.rate),
        }
        return None if kept[category.rate] else {"value": part.text(priced.rate) or "-", "category": category.code}

    return Rule(
        rule, priced.group, N_("{name} is {value}, which VAT category {category} does not have"), broken, (priced.rate,)
    )


def _base(rule: str, category: Category) -> Rule:
    def broken(part: Part, invoice: Invoice) -> Values | None:
        base, rate = part.amount("BT-116"), part.amount("BT-119")
        if base is None or part.text("BT-118") != category.code:
            return None
        sold = _sold(invoice)
        wanted = sum(
            (
                amount
                for (code, at), amount in sold.items()
                if code == category.code and (not category.is_taxed or at == rate)
            ),
            Decimal(),
        )
        return None if abs(base - wanted) < UNIT else {"value": written(base), "wanted": written(wanted)}

    return Rule(rule, "vat", N_("{name} is {value}; what is sold at this rate comes to {wanted}"), broken, ("BT-116",))


@lru_cache(maxsize=1)
def _sold(invoice: Invoice) -> dict[tuple[str, Decimal | None], Decimal]:
    """Return what is sold of each VAT category at each rate, with what the whole invoice takes off and puts on."""
    sums: dict[tuple[str, Decimal | None], Decimal] = {}
    for one in _PRICED:
        for part in invoice.parts(one.group):
            key = part.text(one.category), part.amount(one.rate)
            sums[key] = sums.get(key, Decimal()) + one.sign * (part.amount(one.amount) or Decimal())
    return sums


def _untaxed(rule: str, category: Category) -> Rule:
    def broken(part: Part, _invoice: Invoice) -> Values | None:
        tax = part.amount("BT-117")
        if part.text("BT-118") != category.code or not tax:
            return None
        return {"value": written(tax), "category": category.code}

    return Rule(rule, "vat", N_("{name} is {value}, where VAT category {category} has no tax"), broken, ("BT-117",))


def _reason(rule: str, category: Category) -> Rule:
    needed = present(rule, "BT-120")

    def broken(part: Part, invoice: Invoice) -> Values | None:
        if part.text("BT-118") != category.code:
            return None
        if category.is_exempt:
            return needed.broken(part, invoice)
        return {"category": category.code} if part.has("BT-120") else None

    sentence = needed.sentence if category.is_exempt else N_("{name} is given, where VAT category {category} has none")
    return Rule(rule, "vat", sentence, broken, ("BT-120",))
