"""An invoice of EN 16931 as its rules see it: the invoice itself, and its groups, each with its business terms."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from typing import Any

from paperchute.engine.e_invoice.terms import GROUPS, NAMESPACES, ROOTS, TERMS, Group, Syntax

_AMOUNT = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")
_DAY = re.compile(r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:[TZ+-].*)?")
_LONGEST = 200
"""Characters of a text that are passed on."""
_NOT_COUNTED = frozenset({"GROUP", "INFORMATION"})
"""BT-X-8: a line that sums the lines below it, and one that only informs; the total has neither."""


@dataclass(frozen=True, slots=True)
class Part:
    """One element with business terms: the invoice itself, a line, a VAT breakdown, an allowance or charge."""

    element: Any
    group: Group
    syntax: Syntax

    def has(self, term: str) -> bool:
        """Tell whether the term is there, and not empty; a group (BG) is there wherever its element is."""
        return bool(self.found(term)) if term.startswith("BG-") else bool(self.texts(term))

    def texts(self, term: str) -> list[str]:
        """Give all texts of a term."""
        found = (one if isinstance(one, str) else (one.text or "") for one in self.found(term))
        return [text for one in found if (text := one.strip()[:_LONGEST])]

    def text(self, term: str) -> str:
        """Give the first text of a term, empty where there is none."""
        return next(iter(self.texts(term)), "")

    def amount(self, term: str) -> Decimal | None:
        """Give the number of a term; None where there is none, or it is not written as one."""
        text = self.text(term)
        return Decimal(text) if _AMOUNT.fullmatch(text) else None

    def own_amount(self) -> Decimal | None:
        """Give the number that the element itself holds; None where it holds none."""
        text = (self.element.text or "").strip()
        return Decimal(text) if _AMOUNT.fullmatch(text) else None

    def day(self, term: str) -> datetime.date | None:
        """Give the date of a term; None where there is none."""
        match = _DAY.fullmatch(self.text(term))
        try:
            return datetime.date(*map(int, match.groups())) if match else None
        except ValueError:
            return None

    def found(self, term: str) -> list[Any]:
        """Give the elements of a term, and of one that is an attribute the texts."""
        found: list[Any] = _path(self.syntax, TERMS[term].path(self.syntax))(self.element)
        return found


@dataclass(frozen=True, eq=False)
class Invoice:
    """An invoice, its syntax, and its groups in the order of the file."""

    syntax: Syntax
    whole: Part
    groups: dict[Group, tuple[Part, ...]]

    def parts(self, group: Group) -> Sequence[Part]:
        """Give the parts of a group; of lines those that the total has."""
        return self._counted if group == "line" else self.groups[group]

    @cached_property
    def _counted(self) -> list[Part]:
        return [line for line in self.groups["line"] if line.text("BT-X-8").upper() not in _NOT_COUNTED]

    @cached_property
    def below(self) -> dict[str, Decimal]:
        """The sum of the lines that belong to a line, by its number; lines that only inform have no part in it."""
        sums: dict[str, Decimal] = {}
        for line in self.groups["line"]:
            if (parent := line.text("BT-X-304")) and line.text("BT-X-8").upper() != "INFORMATION":
                sums[parent] = sums.get(parent, Decimal()) + (line.amount("BT-131") or Decimal())
        return sums

    def sum(self, term: str) -> Decimal:
        """Add up a term over all parts of its group."""
        return sum((part.amount(term) or Decimal() for part in self.parts(TERMS[term].group)), Decimal())


def invoice_of(root: Any) -> Invoice | None:
    """Read an invoice's XML; None for what is no invoice in a syntax of EN 16931."""
    syntax = ROOTS.get(str(root.tag))
    if syntax is None:
        return None
    groups: dict[Group, tuple[Part, ...]] = {"invoice": (Part(root, "invoice", syntax),)}
    for group, path in GROUPS[syntax].items():
        groups[group] = tuple(Part(element, group, syntax) for element in _path(syntax, path)(root))
    return Invoice(syntax, groups["invoice"][0], groups)


@cache
def _path(syntax: Syntax, path: str) -> Any:
    from lxml import etree  # a worker that reads no such data never loads it

    return etree.XPath(path, namespaces=NAMESPACES[syntax])
