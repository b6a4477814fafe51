"""What the fields of one document say against each other: each constraint takes back what another field makes unsure.

No constraint finds anything: it leaves a value as it is, or as a candidate with the reason why it is not sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from paperchute.engine.extraction.findings import Findings, Found, opened, unsure
from paperchute.language import N_
from paperchute.notation.document_kinds import DocumentKind


@dataclass(frozen=True, slots=True)
class Document:
    """What the pages of one document show, beside its fields.

    title: its kind before anybody asked who sends it. is_money: it names a currency or a tax, or writes prices.
    is_payslip: a line says what only payslips say. insurer: the kind of what an insurer sends about a policy. ends:
    what a payslip pays out, or a statement ends with.
    """

    title: Found[DocumentKind] = field(default_factory=Found)
    is_money: bool = False
    is_payslip: bool = False
    insurer: Found[DocumentKind] = field(default_factory=Found)
    ends: Found[Decimal] = field(default_factory=Found)


Constraint = Callable[[Findings, Document], Findings]


def doubt_sums_without_currency(found: Findings, document: Document) -> Findings:
    """Doubt sums and lines of what names neither its kind nor a currency: they may count anything, as statistics do."""
    if document.is_money or document.title.value or document.title.candidates:
        return found
    has_amounts = any(item.amount is not None for item in found.items.value or ())
    found = _with_opened(found, ("net", "total"))
    return _with_opened(found, ("items",)) if has_amounts else found


def doubt_sums_of_payslips(found: Findings, document: Document) -> Findings:
    """Doubt a payslip's gross and net: they are no total and no net of an invoice. What it pays out is its total."""
    if not document.is_payslip or document.title.value not in (None, "statement", "payslip"):
        return found
    found = _with_opened(found, ("net", "tax", "tax_rate"))
    return found if found.total == document.ends else _with_opened(found, ("total",))


def doubt_number_of_several_titles(found: Findings, document: Document) -> Findings:
    """Doubt the number under titles of several kinds: each of them may have it."""
    if len(document.title.candidates) < 2:
        return found
    return replace(found, number=opened(found.number, document.title.reason))


def doubt_what_letters_speak_of(found: Findings, document: Document) -> Findings:
    """Doubt sums, lines and day of payment of what may be a letter: it may come to speak of another document."""
    titles = document.title.candidates
    if len(titles) < 2 or all(one.value != "letter" for one in titles):
        return found
    return _with_opened(found, ("net", "tax", "tax_rate", "total", "items", "due"))


def doubt_payment_before_date(found: Findings, _document: Document) -> Findings:
    """Doubt a day by which to pay that lies before the day of the document."""
    if found.due.value is None or found.date.value is None or found.due.value >= found.date.value:
        return found
    return replace(found, due=opened(found.due, N_("it lies before the date of the document")))


def doubt_kind_of_insurers_papers(found: Findings, document: Document) -> Findings:
    """Doubt the kind that a title names of what an insurer sends about a policy."""
    own, insurer = found.kind, document.insurer
    if None in (own.value, insurer.value) or own.value == insurer.value:
        return found
    both = [one for kind in (own, insurer) for one in opened(kind).candidates]
    return replace(found, kind=unsure(both, N_("its titles name several kinds")))


CONSTRAINTS: tuple[Constraint, ...] = (
    doubt_sums_without_currency,
    doubt_sums_of_payslips,
    doubt_number_of_several_titles,
    doubt_what_letters_speak_of,
    doubt_payment_before_date,
    doubt_kind_of_insurers_papers,
)
"""In the order in which they are asked."""


def decided(found: Findings, document: Document, constraints: Iterable[Constraint] = CONSTRAINTS) -> Findings:
    """Ask the constraints of the candidates, each of what those before it leave."""
    for constraint in constraints:
        found = constraint(found, document)
    return found


def _with_opened(found: Findings, names: Iterable[str]) -> Findings:
    """The findings, with none of some fields as sure."""
    changed: dict[str, Any] = {name: opened(getattr(found, name)) for name in names}
    return replace(found, **changed)
