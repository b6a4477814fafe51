"""A rule of EN 16931, and the kinds of rules that its table (`rules.py`) is made of.

The tolerances are those of the rules as CEN publishes them for machines: one unit of the currency where VAT is
computed from a base, none where amounts are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from paperchute.engine.e_invoice.codes import countries
from paperchute.engine.e_invoice.invoice import Invoice, Part
from paperchute.engine.e_invoice.terms import TERMS, Group
from paperchute.language import N_, _
from paperchute.notation.check_digits import is_iban

Values = dict[str, str]
"""Of a sentence, by the names of its placeholders."""

CENT = Decimal("0.01")
UNIT = Decimal(1)
HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that an invoice breaks. line: the number that the line has in the file, empty for none."""

    rule: str
    says: str
    line: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. group: of the parts that it is asked of.

    broken: the values of its sentence where a part breaks it, None where it keeps it. terms: whose names are {name}
    and {terms} of its sentence.
    """

    id: str
    group: Group
    sentence: str
    broken: Callable[[Part, Invoice], Values | None]
    terms: tuple[str, ...] = ()
    is_of_all: bool = False
    """Whether lines that the total does not have are asked too."""

    def findings(self, invoice: Invoice) -> Iterator[Finding]:
        """Ask the rule of each of its parts."""
        names = [f"{_(TERMS[term].name)} ({term})" for term in self.terms]
        named = {"name": names[0], "terms": ", ".join(names)} if names else {}
        for part in invoice.groups[self.group] if self.is_of_all else invoice.parts(self.group):
            values = self.broken(part, invoice)
            if values is not None:
                line = part.text("BT-126") if part.group == "line" else ""
                yield Finding(self.id, _(self.sentence, **named, **values), line)


def present(rule: str, term: str, given: str = "") -> Rule:
    """Ask for a term. given: the one that calls for it, where it is not always needed."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        return {} if not part.has(term) and (not given or part.has(given)) else None

    return Rule(rule, TERMS[term].group, N_("{name} is missing"), broken, (term,))


def one_of(
    rule: str, *terms: str, group: Group = "invoice", when: Callable[[Part, Invoice], bool] | None = None
) -> Rule:
    """Ask the invoice for one of some terms. group: of the parts that call for it. when: they do, None for always."""

    def broken(part: Part, invoice: Invoice) -> Values | None:
        return {} if (when is None or when(part, invoice)) and not any(map(invoice.whole.has, terms)) else None

    return Rule(rule, group, N_("one of these is needed: {terms}"), broken, terms)


def added(rule: str, term: str, formula: str) -> Rule:
    """Ask that an amount is others added up. formula: see `computed`."""

    def broken(part: Part, invoice: Invoice) -> Values | None:
        if _is_unreadable(part, term) or _has_unreadable(formula, invoice):
            return None  # which DATATYPE says: what is no number adds up to nothing
        has, wanted = part.amount(term), computed(formula, invoice)
        if has is None and not wanted:
            return None
        if (has or Decimal()).quantize(CENT) == wanted.quantize(CENT):
            return None
        return {"value": written(has or Decimal()), "wanted": written(wanted), "formula": formula}

    return Rule(rule, "invoice", N_("{name} is {value}; {formula} comes to {wanted}"), broken, (term,))


def _is_unreadable(part: Part, term: str) -> bool:
    """Tell whether an amount is there, and is no number."""
    return part.has(term) and part.amount(term) is None


def _has_unreadable(formula: str, invoice: Invoice) -> bool:
    """Tell whether any amount that a formula names is there, and is no number."""
    terms = [word for word in formula.split() if word not in "+-"]
    return any(
        _is_unreadable(part, term.removeprefix("Σ"))
        for term in terms
        for part in ((invoice.whole,) if term[0] != "Σ" else invoice.parts(TERMS[term[1:]].group))
    )


def computed(formula: str, invoice: Invoice) -> Decimal:
    """Work out a formula such as `BT-109 + BT-110`; `Σ` before a term adds it up over its group."""
    total, sign = Decimal(), 1
    for word in formula.split():
        if word in "+-":
            sign = 1 if word == "+" else -1
            continue
        term = word.removeprefix("Σ")
        total += sign * (invoice.sum(term) if word != term else invoice.whole.amount(term) or Decimal())
    return total


def written(value: Decimal) -> str:
    """Write an amount with the decimals that it needs, and two at least."""
    return f"{value.quantize(CENT) if value == value.quantize(CENT) else value.normalize():f}"


def not_negative(rule: str, term: str) -> Rule:
    """Ask that an amount is not negative."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        value = part.amount(term)
        return {"value": written(value)} if value is not None and value < 0 else None

    return Rule(rule, TERMS[term].group, N_("{name} is {value}, and must not be negative"), broken, (term,))


def two_decimals(rule: str, term: str) -> Rule:
    """Ask that an amount has two decimals at most."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        text = part.text(term)
        return {"value": text} if len(text.partition(".")[2]) > 2 else None

    return Rule(rule, TERMS[term].group, N_("{name} is {value}: more than two decimals"), broken, (term,))


def in_order(rule: str, start: str, end: str) -> Rule:
    """Ask that a period does not end before it begins."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        first, last = part.day(start), part.day(end)
        return {"first": str(first), "last": str(last)} if first and last and last < first else None

    return Rule(rule, TERMS[start].group, N_("the period ends on {last}, before it begins on {first}"), broken)


def code(rule: str, codes: Callable[[], frozenset[str]], term: str) -> Rule:
    """Ask that a term is a code of a list."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        odd = [text for text in part.texts(term) if text not in codes()]
        return {"value": odd[0]} if odd else None

    return Rule(rule, TERMS[term].group, N_("{name}: {value} is no code of its list"), broken, (term,))


def number(term: str) -> Rule:
    """Ask that a term, where it is there, is a number."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        return {"value": part.text(term)} if part.has(term) and part.amount(term) is None else None

    return Rule("DATATYPE", TERMS[term].group, N_("{name}: {value} is no number"), broken, (term,))


def day(term: str) -> Rule:
    """Ask that a term, where it is there, is a date."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        return {"value": part.text(term)} if part.text(term) and part.day(term) is None else None

    return Rule("DATATYPE", TERMS[term].group, N_("{name}: {value} is no date"), broken, (term,))


def vat_number(term: str) -> Rule:
    """Ask that a VAT number begins with a country; Greece goes by EL, Northern Ireland by XI."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        odd = [text for text in part.texts(term) if text[:2] not in countries() | {"EL", "XI"}]
        return {"value": odd[0]} if odd else None

    sentence = N_("{name}: {value} does not begin with the code of a country")
    return Rule("BR-CO-09", "invoice", sentence, broken, (term,))


def vat_amount(rule: str, categories: frozenset[str]) -> Rule:
    """Ask that the tax is base times rate, within one unit. categories: of the breakdowns that it is asked of."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        base, tax, rate = (part.amount(term) for term in ("BT-116", "BT-117", "BT-119"))
        if base is None or tax is None or part.text("BT-118") not in categories:
            return None
        wanted = (base * (rate or Decimal()) / HUNDRED).quantize(CENT)
        return None if abs(tax - wanted) < UNIT else {"value": written(tax), "wanted": written(wanted)}

    return Rule(rule, "vat", N_("{name} is {value}; base times rate is {wanted}"), broken, ("BT-117",))


def account() -> Rule:
    """Ask that what looks like an IBAN has the check digits of one."""

    def broken(part: Part, _invoice: Invoice) -> Values | None:
        ibans = ["".join(text.split()).upper() for text in part.texts("BT-84")]
        odd = [text for text in ibans if text[:2].isalpha() and text[2:4].isdecimal() and not is_iban(text)]
        return {"value": odd[0]} if odd else None

    return Rule("IBAN", "invoice", N_("{name}: the check digits of {value} are wrong"), broken, ("BT-84",))


def line_group() -> Rule:
    """Ask that a line that sums others has their sum (profile EXTENDED: BT-X-8 GROUP, BT-X-304)."""

    def broken(part: Part, invoice: Invoice) -> Values | None:
        has, wanted = part.amount("BT-131"), invoice.below.get(part.text("BT-126"))
        if part.text("BT-X-8").upper() != "GROUP" or has is None or wanted is None or has == wanted:
            return None
        return {"value": written(has), "wanted": written(wanted)}

    sentence = N_("{name} is {value}; the lines of its group come to {wanted}")
    return Rule("LINE-GROUP", "line", sentence, broken, ("BT-131",), is_of_all=True)
