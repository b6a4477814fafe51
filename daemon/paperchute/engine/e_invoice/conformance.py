"""The rules of EN 16931-1 (BR-...), and what XRechnung asks beyond (BR-DE-...): a table, each with its number.

What has no number in the standard goes by a word: DATATYPE, LINE-GROUP. IBAN is no rule at all, and only cautioned of.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import localcontext
from functools import cache
from itertools import islice

from paperchute.engine.e_invoice.codes import countries, currencies, document_types, vat_categories
from paperchute.engine.e_invoice.invoice import Invoice, Part
from paperchute.engine.e_invoice.rule import (
    Finding,
    Rule,
    account,
    added,
    code,
    day,
    in_order,
    line_group,
    not_negative,
    number,
    one_of,
    present,
    two_decimals,
    vat_amount,
    vat_number,
)
from paperchute.engine.e_invoice.vat import CATEGORIES, category_rules
from paperchute.language import N_

_PRESENT = (
    *(("BR-01", "BT-24"), ("BR-02", "BT-1"), ("BR-03", "BT-2"), ("BR-04", "BT-3"), ("BR-05", "BT-5")),
    *(("BR-06", "BT-27"), ("BR-07", "BT-44"), ("BR-08", "BG-5"), ("BR-09", "BT-40"), ("BR-10", "BG-8")),
    *(("BR-11", "BT-55"), ("BR-12", "BT-106"), ("BR-13", "BT-109"), ("BR-14", "BT-112"), ("BR-15", "BT-115")),
    *(("BR-21", "BT-126"), ("BR-22", "BT-129"), ("BR-23", "BT-130"), ("BR-24", "BT-131"), ("BR-25", "BT-153")),
    *(("BR-26", "BT-146"), ("BR-31", "BT-92"), ("BR-32", "BT-95"), ("BR-33", "BT-97"), ("BR-36", "BT-99")),
    *(("BR-37", "BT-102"), ("BR-38", "BT-104"), ("BR-41", "BT-136"), ("BR-42", "BT-139"), ("BR-43", "BT-141")),
    *(("BR-44", "BT-144"), ("BR-45", "BT-116"), ("BR-46", "BT-117"), ("BR-47", "BT-118"), ("BR-CO-04", "BT-151")),
)
"""Terms that must be there in each part of their group."""
_CALLED_FOR = (
    *(("BR-17", "BT-59", "BG-10"), ("BR-18", "BT-62", "BG-11"), ("BR-19", "BG-12", "BG-11")),
    *(("BR-20", "BT-69", "BG-12"), ("BR-49", "BT-81", "BG-16"), ("BR-53", "BT-111", "BT-6")),
    *(("BR-56", "BT-63", "BG-11"), ("BR-57", "BT-80", "BG-15")),
)
"""Terms that another one calls for."""
_DECIMALS = (
    *(("BR-DEC-01", "BT-92"), ("BR-DEC-05", "BT-99"), ("BR-DEC-09", "BT-106"), ("BR-DEC-10", "BT-107")),
    *(("BR-DEC-11", "BT-108"), ("BR-DEC-12", "BT-109"), ("BR-DEC-13", "BT-110"), ("BR-DEC-14", "BT-112")),
    *(("BR-DEC-15", "BT-111"), ("BR-DEC-16", "BT-113"), ("BR-DEC-17", "BT-114"), ("BR-DEC-18", "BT-115")),
    *(("BR-DEC-19", "BT-116"), ("BR-DEC-20", "BT-117"), ("BR-DEC-23", "BT-131"), ("BR-DEC-24", "BT-136")),
    ("BR-DEC-27", "BT-141"),
)
_NUMBERS = (
    *("BT-92", "BT-96", "BT-99", "BT-103", "BT-106", "BT-107", "BT-108", "BT-109", "BT-110", "BT-111", "BT-112"),
    *("BT-113", "BT-114", "BT-115", "BT-116", "BT-117", "BT-119", "BT-129", "BT-131", "BT-136", "BT-141", "BT-146"),
    *("BT-148", "BT-152"),
)
_GERMAN = (
    *(("BR-DE-1", "BG-16"), ("BR-DE-2", "BG-6"), ("BR-DE-3", "BT-37"), ("BR-DE-4", "BT-38"), ("BR-DE-5", "BT-41")),
    *(("BR-DE-6", "BT-42"), ("BR-DE-7", "BT-43"), ("BR-DE-8", "BT-52"), ("BR-DE-9", "BT-53"), ("BR-DE-15", "BT-10")),
)
_TRANSFERS = frozenset({"30", "58"})
"""UNTDID 4461: credit transfer, and that of SEPA."""
MOST_FINDINGS = 200
"""That are told of one invoice: nobody reads more, and a hostile file could break thousands."""
_DIGITS = 80
"""Of sums and products: two numbers of 30 digits, the longest that are read, lose none."""
_NOT_IN_MINIMUM = frozenset(
    {"BR-10", "BR-11", "BR-12", "BR-CO-11", "BR-CO-12", "BR-CO-13", "BR-CO-14", "BR-CO-16", "BR-CO-18", "BR-CO-25"}
)
"""Beside those that need lines: rules about what the profile MINIMUM has no place for."""
_NEED_LINES = frozenset({"BR-12", "BR-16", "BR-CO-10", *(f"{one.rules}-08" for one in CATEGORIES)})
"""Rules of the whole invoice or of its breakdowns about what stands on lines."""


def findings(invoice: Invoice) -> list[Finding]:
    """Ask an invoice all rules that its profile has the terms for; of what it breaks the first MOST_FINDINGS."""
    with localcontext() as context:
        context.prec = _DIGITS
        return list(islice(_findings(invoice), MOST_FINDINGS))


def cautions(invoice: Invoice) -> list[Finding]:
    """What no rule forbids and would cost money: EN 16931 takes any text for an account, and BR-DE-19 only warns."""
    return list(account().findings(invoice))


def _findings(invoice: Invoice) -> Iterator[Finding]:
    profile = profile_of(invoice)
    for rule in _rules():
        if profile in ("MINIMUM", "BASIC WL") and (rule.group.startswith("line") or rule.id in _NEED_LINES):
            continue
        if profile == "MINIMUM" and rule.id in _NOT_IN_MINIMUM:
            continue
        if rule.id == "BR-CO-16" and ":extension:" in invoice.whole.text("BT-24"):
            continue  # XRechnung's extension adds what third parties are owed
        if profile == "XRECHNUNG" or not rule.id.startswith("BR-DE-"):
            yield from rule.findings(invoice)


def profile_of(invoice: Invoice) -> str:
    """Tell the profile by the specification identifier (BT-24); empty for one that is not known."""
    named = invoice.whole.text("BT-24").lower()
    known = (
        *((":minimum", "MINIMUM"), (":basicwl", "BASIC WL"), (":basic", "BASIC"), (":extended", "EXTENDED")),
        *(("xrechnung", "XRECHNUNG"), ("peppol.eu", "PEPPOL BIS"), ("urn:cen.eu:en16931:2017", "EN 16931")),
    )
    return next((profile for mark, profile in known if mark in named), "")


@cache
def _rules() -> tuple[Rule, ...]:
    return (
        *(present(rule, term) for rule, term in _PRESENT),
        *(present(rule, term, given) for rule, term, given in _CALLED_FOR),
        Rule("BR-16", "invoice", N_("there are no lines"), lambda _part, i: None if i.parts("line") else {}),
        *(not_negative("BR-27", "BT-146"), not_negative("BR-28", "BT-148")),
        *(in_order("BR-29", "BT-73", "BT-74"), in_order("BR-30", "BT-134", "BT-135")),
        Rule(
            "BR-48",
            "vat",
            N_("{name} is missing"),
            lambda part, _i: {} if not part.has("BT-119") and part.text("BT-118") != "O" else None,
            ("BT-119",),
        ),
        one_of("BR-61", "BT-84", when=lambda part, _i: bool(_TRANSFERS & set(part.texts("BT-81")))),
        *map(vat_number, ("BT-31", "BT-48", "BT-63")),
        added("BR-CO-10", "BT-106", "ΣBT-131"),
        added("BR-CO-11", "BT-107", "ΣBT-92"),
        added("BR-CO-12", "BT-108", "ΣBT-99"),
        added("BR-CO-13", "BT-109", "BT-106 - BT-107 + BT-108"),
        added("BR-CO-14", "BT-110", "ΣBT-117"),
        added("BR-CO-15", "BT-112", "BT-109 + BT-110"),
        added("BR-CO-16", "BT-115", "BT-112 - BT-113 + BT-114"),
        vat_amount("BR-CO-17", vat_categories()),
        Rule("BR-CO-18", "invoice", N_("there is no VAT breakdown"), lambda _part, i: None if i.parts("vat") else {}),
        one_of("BR-CO-25", "BT-9", "BT-20", when=_is_to_be_paid),
        one_of("BR-CO-26", "BT-29", "BT-30", "BT-31"),
        *category_rules(),
        code("BR-CL-01", document_types, "BT-3"),
        code("BR-CL-04", currencies, "BT-5"),
        code("BR-CL-05", currencies, "BT-6"),
        *(code("BR-CL-14", countries, term) for term in ("BT-40", "BT-55", "BT-69", "BT-80")),
        *(code("BR-CL-17", vat_categories, term) for term in ("BT-95", "BT-102", "BT-118")),
        code("BR-CL-18", vat_categories, "BT-151"),
        *(two_decimals(rule, term) for rule, term in _DECIMALS),
        *map(number, _NUMBERS),
        *map(day, ("BT-2", "BT-9", "BT-72", "BT-73", "BT-74", "BT-134", "BT-135")),
        line_group(),
        *(present(rule, term) for rule, term in _GERMAN),
    )


def _is_to_be_paid(part: Part, _invoice: Invoice) -> bool:
    due = part.amount("BT-115")
    return due is not None and due > 0 and not str(part.element.tag).endswith("}CreditNote")  # which has no due date
