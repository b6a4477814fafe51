"""Business documents made by a seed, with what is true of them: kinds, languages, layouts and notations as they come.

Even seeds are the half to look at while working on the engine; odd ones stay unseen and only count.
"""

from __future__ import annotations

import html
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from babel.dates import format_date

from benchmarks.extraction.wording import WORDING

KINDS = ("invoice",) * 6 + (
    "credit_note",
    "reminder",
    "receipt",
    "receipt",
    "delivery_note",
    "statement",
    "letter",
    "contract",
)
_CENT = Decimal("0.01")
_BANKS = {"DE": 18, "GB": 18, "FR": 23, "ES": 20, "NL": 14, "IT": 23, "PL": 24, "PT": 21}
_BANK_LETTERS = {"GB": "NWBK", "NL": "ABNA", "IT": "X"}
_GROUPS = {
    "en": (",", ""), "de": (".", ""), "fr": (" ", "\u202f", ""), "es": (".", ""), "nl": (".", ""), "it": (".", ""),
    "pl": (" ", "\u00a0", ""), "pt": (".", " ", ""),
}  # fmt: skip
_LONG = {"en": "MMMM d, y", "de": "d. MMMM y", "es": "d 'de' MMMM 'de' y", "pt": "d 'de' MMMM 'de' y"}
_SHORT = {"en": "d MMM y", "de": "dd.MM.yy", "es": "dd-MM-y", "nl": "dd-MM-y", "pl": "dd.MM.yy"}
_NUMERIC = {"de": "%d.%m.%Y", "pl": "%d.%m.%Y", "nl": "%d-%m-%Y"}
CODES = {"£": "GBP", "€": "EUR", "Euro": "EUR", "zł": "PLN"}
LANGUAGES = ("en", "de", "fr", "es")
"""What the figures of earlier days were measured on; others are asked for by name."""


@dataclass(slots=True)
class Item:
    text: str
    quantity: int
    price: Decimal

    @property
    def amount(self) -> Decimal:
        return self.quantity * self.price


@dataclass(slots=True)
class Made:
    """A document: its HTML and what is true of it, None for what it does not show."""

    seed: int
    page: str = ""
    truth: dict[str, Any] = field(default_factory=dict)


class Maker:
    """Makes the document of one seed."""

    def __init__(self, seed: int, languages: Sequence[str] = LANGUAGES) -> None:
        self.random = random.Random(seed)
        pick = self.random.choice
        self.seed = seed
        self.language = pick(tuple(languages))
        self.words = WORDING[self.language]
        self.kind = pick(KINDS)
        self.currency = pick(self.words["currency"])
        self.before = (
            self.currency in ("£",) or (self.language == "en" and self.currency != "Euro") or self.random.random() < 0.1
        )
        self.signed = pick(("all", "all", "total"))
        self.style = pick(("long", "numeric", "numeric", "short", "iso"))
        drawn = {name: pick(_GROUPS[name]) for name in LANGUAGES}  # all, so that a seed stays the document that it was
        self.group = drawn[self.language] if self.language in drawn else pick(_GROUPS[self.language])
        self.mark = "." if self.language == "en" else ","
        self.day = date(2026, 1, 1) + timedelta(days=self.random.randrange(330))
        self.truth: dict[str, Any] = dict.fromkeys(
            (
                "date",
                "number",
                "sender",
                "recipient",
                "currency",
                "net",
                "tax",
                "tax_rate",
                "total",
                "iban",
                "due",
                "items",
            )
        )

    def pick(self, *path: str) -> str:
        value: Any = self.words
        for name in path:
            value = value[name]
        return str(self.random.choice(value))

    def number(self, value: Decimal) -> str:
        whole, cents = f"{abs(value):.2f}".split(".")
        groups = f"{int(whole):,}".replace(",", self.group)
        return ("-" if value < 0 else "") + groups + self.mark + cents

    def money(self, value: Decimal, last: bool = False) -> str:
        text = self.number(value)
        if self.signed == "total" and not last:
            return text
        joined = "" if self.before and self.currency in "£€" else " "
        return f"{self.currency}{joined}{text}" if self.before else f"{text} {self.currency}"

    def written(self, day: date) -> str:
        if self.style == "iso":
            return day.isoformat()
        if self.style == "long":
            return format_date(day, _LONG.get(self.language, "d MMMM y"), locale=self.language)
        if self.style == "short":
            return format_date(day, _SHORT.get(self.language, "dd/MM/y"), locale=self.language)
        return day.strftime(_NUMERIC.get(self.language, "%d/%m/%Y"))

    def iban(self) -> str:
        country = self.words["iban_country"]
        digits = "".join(str(self.random.randrange(10)) for _ in range(_BANKS[country]))
        letters = _BANK_LETTERS.get(country, "")
        body = letters + digits[: len(digits) - len(letters)]
        turned = int("".join(str(int(c, 36)) for c in body + country + "00"))
        return f"{country}{98 - turned % 97:02}{body}"

    def document_number(self) -> str:
        n = self.random.randrange(100, 99999)
        return self.random.choice((f"{n}", f"2026-{n:05}", f"RE{n}", f"F-{n}/26", f"INV-2026-{n}", f"26/{n}", f"A{n}"))

    def address(self) -> list[str]:
        return [self.pick("streets"), self.pick("towns")]

    def line_items(self) -> list[Item]:
        names = self.random.sample(self.words["items"], self.random.randrange(1, 7))
        items = []
        for name in names:
            price = Decimal(self.random.randrange(150, 90000)) / 100 * self.random.choice((1, 1, 3))
            items.append(Item(name, self.random.randrange(1, 13), price.quantize(_CENT)))
        return items


def make(seed: int, languages: Sequence[str] = LANGUAGES) -> Made:
    """The document of a seed, in one of some languages."""
    from benchmarks.extraction.layouts import page_of

    maker = Maker(seed, languages)
    page = page_of(maker)
    maker.truth["kind"] = maker.kind
    return Made(seed, page, maker.truth)


def cents(value: Decimal) -> Decimal:
    return value.quantize(_CENT, ROUND_HALF_UP)


def escaped(text: str) -> str:
    return html.escape(text)
