"""What a document says of itself, as rules use it: `{doc.sender}` and the like in `output`, and `require`.

The names are those under which `document-extract` answers (docs/reading.md#document-extract). A value that a person
gives is checked here as well: an answer names files, and a day is one that exists.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

from paperchute.contract import Value, contract
from paperchute.language import N_, _
from paperchute.notation.check_digits import is_iban
from paperchute.rules.model import Rule
from paperchute.rules.service_names import named_by
from paperchute.rules.tables import Step

PREFIX = "doc."
OPERATION = "document-extract"
FINGERPRINTING = "document-fingerprint"
"""Which operation reads them."""

READING = -1
FINGERPRINT = -2
"""The number of the call that reads them, as one before the first step."""

PAGE_TEXT = 8_000
"""Characters of a document's text that a model is given: some 2,500 tokens, so that a local one whose context has 4,096
of them reads question and answer, too."""

DAYS = ("date", "due")
"""Fields that are days, for which a format may be given as for `{date}`."""

NONE = "-"
"""What a person answers where a document has no such thing."""

_LONGEST = 100
"""Characters of a value in a name: sender and date together stay below what a file's name may have."""


def _text(text: str) -> str:
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    if not any(letter.isalnum() for letter in plain):
        raise ValueError
    return plain


def _day(text: str) -> str:
    return date.fromisoformat(text.strip()).isoformat()


def _amount(text: str) -> str:
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        raise ValueError from None
    if not amount.is_finite() or abs(amount.adjusted()) > 15:
        raise ValueError
    return f"{amount:f}"


def _iban(text: str) -> str:
    plain = "".join(text.split()).upper()
    if not is_iban(plain):
        raise ValueError
    return plain


def _code(letters: str) -> Callable[[str], str]:
    def accepted(text: str) -> str:
        if not re.fullmatch(letters, text.strip()):
            raise ValueError
        return text.strip()

    return accepted


FIELDS: Mapping[str, tuple[Callable[[str], str], str]] = {
    "date": (_day, N_("a day such as 2026-03-12")),
    "sender": (_text, N_("a name")),
    "recipient": (_text, N_("a name")),
    "kind": (_code(r"[a-z]+(?:[_-][a-z]+)*"), N_("a kind such as invoice, reminder or letter")),
    "number": (_text, N_("a number as it is printed")),
    "total": (_amount, N_("an amount such as 1190.50")),
    "currency": (_code(r"[A-Z]{3}"), N_("a currency such as EUR")),
    "iban": (_iban, N_("an IBAN whose check digits are right")),
    "due": (_day, N_("a day such as 2026-03-12")),
    "language": (_code(r"[a-z]{2}"), N_("a language such as de")),
}
"""By name: what makes a value of what was read or answered, and what a value is, in words."""

_OWN = _text, N_("a text with letters or digits")
OWN_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""What a field of one's own may be called."""

FOLDER = PREFIX + "folder"
"""The placeholder for the folder of a known sender."""

PLACEHOLDERS = (*(PREFIX + name for name in FIELDS), FOLDER)


def needed(rule: Rule) -> tuple[str, ...]:
    """Name the fields that must be sure before the rule's steps begin; none where it asks nothing of the kind."""
    named = fields_in(rule.output, rule.find)
    return tuple(name for name in (*FIELDS, *rule.find) if name in rule.require or name in named)


def reads(rule: Rule) -> bool:
    """Decide whether a rule has each original's document read before its steps, whatever they are."""
    return rule.write_fields or bool(needed(rule))


def step_of(rule: Rule, number: int) -> Step:
    """Return a step of the rule, or what is asked before the first one: recognition and service as the first has it."""
    if number == FINGERPRINT:
        return Step(FINGERPRINTING, {}, **named_by(rule.steps[0]))
    if number != READING:
        return rule.steps[number]
    first = rule.steps[0]
    parameters: dict[str, Value] = {"extractFields": "{}"}
    parameters |= {n: first.parameters[n] for n in ("enableOcr", "ocrRecognitionLang") if n in first.parameters}
    if rule.find:
        wanted = {name: one.model_dump(exclude_defaults=True) for name, one in rule.find.items()}
        parameters["find"] = json.dumps(wanted, ensure_ascii=False)
    if rule.ask_model:
        parameters["words"] = True
    return Step(OPERATION, parameters, **named_by(first))


def fields_in(template: str, own: Iterable[str] = ()) -> frozenset[str]:
    """Name the fields that a template names. own: the rule's own ones."""
    names = set(re.findall(r"\{doc\.([a-z][a-z0-9_]*)(?::[^{}]*)?\}", template))
    return frozenset(names & {*FIELDS, *own} | ({"sender"} if "folder" in names else set()))


def accepted(name: str, text: str) -> str:
    """Return a field's value as it is kept. Raises ValueError, with what it should be in words, for none."""
    accept, what = FIELDS.get(name, _OWN)
    try:
        return accept(unicodedata.normalize("NFC", text))
    except ValueError:
        raise ValueError(_(what)) from None


def for_names(values: Mapping[str, str]) -> dict[str, str]:
    """Return values by placeholder, short enough for a name."""
    return {PREFIX + name: text.lstrip(". ")[:_LONGEST].rstrip() for name, text in values.items()}


def filled(name: str, text: str, form: str | None) -> str:
    """Return what stands for a placeholder; form: how a day is written, as `{date}` has it."""
    if form and name.removeprefix(PREFIX) in DAYS:
        return date.fromisoformat(text).strftime(form)
    return text


def unread_for_fingerprints(kinds: Iterable[str]) -> bool:
    """Decide whether none of the kinds of files that a rule's first operation takes has a fingerprint."""
    return not set(contract().known(FINGERPRINTING).reads) & set(kinds)


def unreadable(kinds: Iterable[str]) -> bool:
    """Decide whether `document-extract` reads none of the kinds of files that a rule's first operation does."""
    return not set(contract().known(OPERATION).reads) & set(kinds)
