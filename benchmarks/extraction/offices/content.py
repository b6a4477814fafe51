"""What a document of a seed says, and what is true of it, whatever program prints it.

Seeds go through languages and kinds in turn, so that each half of the set has the same of them. Even seeds are the half
to look at while working on the engine; odd ones stay unseen and only count.
"""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from babel.dates import format_date

WORDS: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted((Path(__file__).parent / "wording").iterdir())
}
LANGUAGES = tuple(WORDS)
KINDS = (
    *("invoice", "letter", "payslip", "invoice", "insurance", "contract", "receipt", "statement", "reminder"),
    "invoice",
)
COUNT = len(LANGUAGES) * len(KINDS)
"""Documents of a half."""
_CENT = Decimal("0.01")

Facts = list[tuple[str, str]]


@dataclass(slots=True)
class Content:
    """The parts of a document, in the order in which most have them; empty for what it has not."""

    seed: int
    language: str
    kind: str
    sender: str
    address: list[str]
    contact: list[str]
    recipient: list[str]
    day: str
    title: str
    facts: Facts
    paragraphs: list[str] = field(default_factory=list)
    greeting: str = ""
    head: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    sums: Facts = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    closing: str = ""
    foot: list[str] = field(default_factory=list)
    truth: dict[str, Any] = field(default_factory=dict)


class _Drawn:
    """What is drawn for one seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(f"offices {seed}")
        number = seed // 2 % COUNT
        self.language = LANGUAGES[number % len(LANGUAGES)]
        self.kind = KINDS[number // len(LANGUAGES)]
        self.words = WORDS[self.language]
        self.day = date(2025, 2, 1) + timedelta(days=self.random.randrange(600))
        self.style = self.one("dates")
        self.decimal, self.group = self.words["mark"]
        self.form = self.one("money")
        self.place = ""

    def one(self, name: str) -> Any:
        return self.random.choice(self.words[name])

    def written(self, day: date) -> str:
        if self.style == "long":
            return format_date(day, self.words["long"], locale=self.language)
        return day.strftime(self.style)

    def amount(self, value: Decimal) -> str:
        whole, cents = f"{abs(value):.2f}".split(".")
        return str(("-" if value < 0 else "") + f"{int(whole):,}".replace(",", self.group) + self.decimal + cents)

    def money(self, value: Decimal) -> str:
        return str(self.form.format(self.amount(value)))

    def some(self, least: int, most: int) -> Decimal:
        return Decimal(self.random.randrange(least * 100, most * 100)) / 100

    def number(self) -> str:
        n = self.random.randrange(1000, 99999)
        forms = (f"{n}", f"{self.day.year}-{n:05}", f"R{n}", f"{self.day.year}/{n}", f"9{n:07}", f"IN-{n}")
        return self.random.choice(forms)

    def digits(self) -> str:
        return f"{self.random.randrange(10, 99)} {self.random.randrange(10, 99)} {self.random.randrange(10, 99)}"


def content(seed: int) -> Content:
    """The document of a seed."""
    drawn = _Drawn(seed)
    made = _begun(drawn)
    _PARTS[drawn.kind](drawn, made)
    return made


def _begun(d: _Drawn) -> Content:
    names = {"insurance": "insurers", "receipt": "shops", "statement": "banks"}.get(d.kind, "companies")
    sender, recipient = d.one(names), d.one("people")
    if d.kind in ("invoice", "reminder") and d.random.random() < 0.4:
        recipient = d.random.choice([name for name in d.words["companies"] if name != sender])
    town = d.one("towns")
    address = [d.one("streets"), town]
    bare = (word for word in town.replace(",", " ").split() if word.isalpha() and not word.isupper())
    d.place = " ".join(list(bare)[:1])
    mail = "".join(filter(str.isalnum, sender.lower()))[:12]
    contact = [str(d.one("phone")).format(d.digits()), str(d.words["web"]).format(mail)]
    to = [recipient, d.one("streets"), d.one("towns")]
    written = d.one("place_date").format(place=d.place, day=d.written(d.day))
    made = Content(d.seed, d.language, d.kind, sender, address, contact, to, written, "", [])
    made.foot = [sender, *address, *d.random.sample(d.words["foot"], 2)]
    made.truth = {
        "kind": d.kind,
        "date": d.day.isoformat(),
        "sender": sender,
        "recipient": "any",
        "number": None,
        "total": None,
        "currency": "any",
        "net": "any",
        "tax": "any",
        "tax_rate": "any",
        "iban": "any",
        "due": "any",
        "items": "any",
    }
    return made


def _invoice(d: _Drawn, made: Content) -> None:
    label, dated, customer = d.one("facts")
    number = d.number() if dated else f"9{d.random.randrange(10**7):07}"
    made.truth["number"] = number
    made.title = d.one("invoice")
    account = (customer, str(d.random.randrange(10000, 99999)))
    day = d.written(d.day)
    made.facts = [(label, number), (dated, day), account] if dated else [(label, f"{number}/{day}"), account]
    made.day = ""
    made.head = d.one("columns")
    names = d.random.sample(d.words["items"], d.random.randrange(1, 5))
    net = Decimal()
    for place, name in enumerate(names, 1):
        count, price = d.random.randrange(1, 9), d.some(3, 400)
        net += count * price
        row = [name, str(count), d.amount(price), d.amount(count * price)]
        made.rows.append(row if len(made.head) == len(row) else [str(place), *row])
    tax = (net * Decimal(d.words["rate"]) / 100).quantize(_CENT, ROUND_HALF_UP)
    labels = d.one("sums")
    made.sums = list(zip(labels, map(d.money, (net, tax, net + tax)), strict=True))
    made.truth["total"] = str(net + tax)
    made.after = [d.one("closing_sentence")]
    if d.random.random() < 0.5:
        made.greeting, made.paragraphs = d.one("greeting"), [d.one("text")]


def _letter(d: _Drawn, made: Content) -> None:
    made.title = d.one("subjects")
    made.greeting, made.closing = d.one("greeting"), d.one("closing")
    made.paragraphs = d.random.sample(d.words["text"], 3)
    if d.random.random() < 0.4:
        _referred(d, made)


def _referred(d: _Drawn, made: Content) -> None:
    """The row of references that letters of offices have, in which the day stands with another one."""
    own, theirs, mine, day = d.words["reference"]
    before = d.written(d.day - timedelta(days=d.random.randrange(4, 30)))
    made.facts = [(own, "AB/kl"), (theirs, before), (mine, "17-224"), (day, d.written(d.day))]
    made.day = ""


def _reminder(d: _Drawn, made: Content) -> None:
    number, before = d.number(), d.written(d.day - timedelta(days=45))
    made.title = d.one("reminder")
    made.greeting, made.closing = d.one("greeting"), d.one("closing")
    made.paragraphs = [d.words["reminder_text"].format(number=number, day=before)]
    owed = d.some(30, 2000)
    made.sums = [(d.one("reminder_sum"), d.money(owed))]
    made.after = [d.random.choice(d.words["text"])]
    made.truth |= {"total": str(owed), "number": "any"}


def _insurance(d: _Drawn, made: Content) -> None:
    made.title = d.one("insurance")
    number = f"{d.random.choice(('HR', 'KF', 'L', ''))}{d.random.randrange(10**6, 10**8)}"
    made.facts = [(d.one("insurance_number"), number)]
    made.truth["number"] = "any"
    made.greeting, made.closing = d.one("greeting"), d.one("closing")
    made.paragraphs = list(d.words["insurance_text"])
    if d.random.random() < 0.5:
        begin = d.written(date(d.day.year + 1, 1, 1))
        made.after = [f"{d.words['insurance_text'][1].rstrip('.')}: {begin}"]


def _contract(d: _Drawn, made: Content) -> None:
    number = d.number()
    made.title = d.one("contract")
    made.facts = [(d.one("contract_number"), number)]
    made.truth["number"] = number
    between, joined, one, other = d.words["between"]
    made.paragraphs = [between, ", ".join([made.sender, *made.address]), one, joined, ", ".join(made.recipient), other]
    for place, name in enumerate(d.words["clauses"], 1):
        made.paragraphs += [f"§ {place} {name}" if d.language == "de" else f"{place}. {name}", d.words["clause"]]
    made.recipient = []
    if d.random.random() < 0.6:
        made.after, made.day = [d.one("signed").format(place=d.place, day=d.written(d.day))], ""


def _payslip(d: _Drawn, made: Content) -> None:
    made.title = d.one("payslip")
    month = format_date(d.day, "MMMM y", locale=d.language)
    made.facts = [(d.words["period"], month), (d.one("payslip_date"), d.written(d.day))]
    made.facts.append((d.one("payslip_person"), str(d.random.randrange(100, 9999))))
    names = d.words["payslip_rows"]
    values = [d.some(1800, 4200), d.some(50, 400), *(-d.some(60, 380) for _ in names[2:])]
    made.rows = [[name, d.amount(value)] for name, value in zip(names, values, strict=True)]
    gross, net = sum(values[:2], Decimal()), sum(values, Decimal())
    made.sums = [(d.one("payslip_gross"), d.money(gross)), (d.one("payslip_net"), d.money(net))]
    made.truth |= {"total": str(net), "number": "any"}
    made.day = ""


def _statement(d: _Drawn, made: Content) -> None:
    n = d.random.randrange(1, 13)
    made.title = d.one("statement").format(n=n)
    made.facts = [(d.one("statement_date"), d.written(d.day)), (d.words["holder"], made.recipient[0])]
    made.head = d.words["statement_columns"]
    balance = d.some(200, 3000)
    old = d.amount(balance)
    days = sorted(d.random.randrange(2, 28) for _ in range(d.random.randrange(3, 8)))
    for back in reversed(days):
        value = d.some(-600, 900)
        balance += value
        made.rows.append([d.written(d.day - timedelta(days=back)), d.one("statement_rows"), d.amount(value)])
    new = d.one("statement_new").format(day=d.written(d.day))
    made.sums = [(d.one("statement_old"), old), (new, d.money(balance))]
    made.truth |= {"total": str(balance), "number": "any"}
    made.day = ""


def _receipt(d: _Drawn, made: Content) -> None:
    made.title = d.one("receipt")
    clock = f"{d.random.randrange(8, 20):02}:{d.random.randrange(60):02}"
    made.day = d.one("receipt_date").format(day=d.written(d.day), time=clock)
    names = d.random.sample(d.words["receipt_items"], d.random.randrange(1, 6))
    prices = [d.some(1, 25) for _ in names]
    total = sum(prices, Decimal())
    made.rows = [[name, d.amount(price)] for name, price in zip(names, prices, strict=True)]
    made.sums = [(d.one("receipt_total"), d.money(total) if d.random.random() < 0.5 else d.amount(total))]
    paid = d.one("receipt_paid")
    given = total + Decimal(d.random.randrange(0, 900)) / 100 if paid == d.words["receipt_paid"][0] else total
    made.sums.append((paid, d.amount(given)))
    if given > total:
        made.sums.append((d.words["receipt_change"], d.amount(given - total)))
    made.after = [d.words["thanks"]]
    made.recipient, made.foot = [], d.random.sample(d.words["foot"], 1)
    made.truth |= {"total": str(total), "number": "any"}


_PARTS = {
    "invoice": _invoice,
    "letter": _letter,
    "reminder": _reminder,
    "insurance": _insurance,
    "contract": _contract,
    "payslip": _payslip,
    "statement": _statement,
    "receipt": _receipt,
}
