"""Amounts of money in a text: what each can mean, and what the document says about how it writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from paperchute.engine.extraction.measures import BOUNDS, LENGTHS
from paperchute.engine.extraction.printed import Piece
from paperchute.notation.currencies import CURRENCY
from paperchute.notation.numbers import GROUPS, MARKS, MOST_DIGITS, Figure, figure


@dataclass(frozen=True, slots=True)
class AmountSettings:
    """Which numbers are amounts."""

    cents: int = 2
    """Digits behind the mark of an amount in the currencies that documents here are in (ISO 4217)."""


AMOUNTS = AmountSettings()

_CURRENCY = re.compile(rf"(?<![^\W\d_]){CURRENCY}", re.IGNORECASE)
_GROUP = rf"[.,{GROUPS}]"
_AMOUNT = re.compile(
    rf"""(?<![\w.,/:\#°º*])(?P<open>\()?(?P<sign>[-+\u2212\u2013]\ ?)?(?:(?P<before>{CURRENCY})\s{{0,2}})?
    (?P<sign2>[-\u2212]\ ?)?
    (?P<digits>\d{{1,2}}(?:,\d\d)+,\d{{3}}(?:\.\d{{1,2}})?(?![.,]?\d)|\d{{1,3}}(?:{_GROUP}\d{{3}}){{1,6}}(?:[.,](?:\d{{1,2}}|[-\u2013]{{1,2}}))?|\d{{1,18}}(?:[.,](?:\d{{1,4}}|[-\u2013]{{1,2}}))?)
    (?:\s{{0,2}}(?P<after>{CURRENCY}))?(?P<trail>-)?(?P<close>\))?(?![\w/%]|[.,:\-]?\d|\s{{0,2}}[%\u00b0])""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
_PERCENT = re.compile(r"(?<![\w.,/])(\d{1,2}(?:[.,]\d{1,2})?)\s{0,2}%")
_MEASURED = re.compile(
    r"\s{0,2}(?:[kcmµ]?[glm][²³]?|t|ha|[kMG]?Wh?|[kMGT]B|h|hrs?|hours?|[Ss]td\.?|Stunden|heures?|horas?|min|days?|Tage?|pcs|[Ss]tk\.?|PT"
    r"|(?i:mio|mrd|tsd|mill?ion\w*|milliard\w*|millard\w*|billion\w*|millones|milhões|mili?ony?|mln|mld|thousand|tausend|bn)\.?"
    r"|mil|k|Md|[TkM](?:EUR|€))(?![\w/])"
)
"""A measure, or thousands and millions: what such a figure counts is no amount in a currency's units."""
_SPACED = re.compile(r"[ \u00a0\u202f\u2009]")
_BARE_BEFORE = re.compile(r"(?<![\w.,])\d{1,3}\s{1,2}$")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a piece's text that may be an amount.

    readings: by the decimal mark under which it is that. currency: the sign with it. others: what it would be if the
    space before or in it parted two numbers, or joined them, or its dash were none of its sign. is_measured: it counts
    something else, as kilograms, or millions.
    """

    piece: Piece
    start: int
    end: int
    readings: Mapping[str, Decimal]
    decimals: Mapping[str, int]
    currency: str = ""
    others: tuple[Decimal, ...] = ()
    is_measured: bool = False

    @property
    def is_money(self) -> bool:
        """Whether it is written as money: with cents, or with a currency."""
        return not self.is_measured and (bool(self.currency) or AMOUNTS.cents in self.decimals.values())

    @property
    def is_priced(self) -> bool:
        """Whether it is money beyond doubt: a figure with its currency, and no sentence around it."""
        return self.is_money and bool(self.currency) and len(self.piece.tokens) <= LENGTHS.sentence

    @property
    def is_bracketed(self) -> bool:
        """Whether it stands in brackets: less than nothing, or what another amount is in other words."""
        return self.piece.text[self.start] == "("

    @property
    def is_doubtful(self) -> bool:
        """Whether another number may be meant than the one that it looks like."""
        return bool(self.others)

    def value(self, mark: str) -> Decimal | None:
        """Its value where the document writes with a decimal mark; empty for a document that does not tell."""
        different = set(self.readings.values())
        if len(different) == 1 and not mark:
            return different.pop()
        return self.readings.get(mark)


def amounts_in(piece: Piece, start: int = 0, end: int | None = None) -> Iterator[Amount]:
    """The numbers in a part of a piece's text that may be amounts, from left to right."""
    end = len(piece.text) if end is None else end
    for match in _AMOUNT.finditer(piece.text, start, end):
        amount = _amount(piece, match)
        if amount is not None:
            yield amount


def _amount(piece: Piece, match: re.Match[str]) -> Amount | None:
    digits = match["digits"]
    if sum(map(str.isdigit, digits)) > MOST_DIGITS or (match["open"] is None) != (match["close"] is None):
        return None
    if len([sign for sign in (match["open"], match["sign"], match["sign2"], match["trail"]) if sign]) > 1:
        return None
    read = figure(re.sub(r"\s", " ", digits))
    if read is None:
        return None
    minus = match["open"] or match["trail"] or any(s and s.strip() != "+" for s in (match["sign"], match["sign2"]))
    readings = {mark: -value if minus and value else value for mark, value in as_printed(read).items()}
    whole_or_cents = {mark: value for mark, value in readings.items() if read.decimals[mark] in (0, AMOUNTS.cents)}
    readings = whole_or_cents or readings  # 1.234 is no amount of 1 and 234 thousandths
    currency = match["before"] or match["after"] or ""
    measured = _MEASURED.match(piece.text, match.end()) is not None
    amount = Amount(piece, match.start(), match.end(), readings, read.decimals, currency, is_measured=measured)
    others = tuple(_others(piece, match))
    if _is_dash(piece, match):
        others += tuple(-value for value in readings.values())
    return replace(amount, others=others)


def _is_dash(piece: Piece, match: re.Match[str]) -> bool:
    """Decide whether the sign may be what parts words from a value: `Total - 100.00`."""
    sign = match["sign"] or ""
    return len(sign) > 1 and "+" not in sign and piece.text[: match.start()].rstrip()[-1:].isalpha()


def _others(piece: Piece, match: re.Match[str]) -> Iterator[Decimal]:
    """What a space may hide where it is wide, or was recognised: `2 100,00` is an amount, or a quantity and a price.

    So may any space before a point: who writes one mostly groups with commas.
    """
    digits, start = match["digits"], match.start("digits")
    parts = _SPACED.split(digits)
    seen = piece.certainty(match.start(), match.end()) < 1
    if len(parts) > 1:
        tail = figure(parts[-1]) if (seen or "." in parts[-1]) and not match["before"] and start > 0 else None
        yield from as_printed(tail).values() if tail is not None else ()
        return
    before = _BARE_BEFORE.search(piece.text, max(start - BOUNDS.places, 0), start) if not match["before"] else None
    if before is not None and (seen or re.match(r"\d{3}(?!\d)", digits)):
        joined = figure(f"{before[0].strip()}{' ' if re.match(r'[0-9]{3}(?![0-9])', digits) else ''}{digits}")
        yield from as_printed(joined).values() if joined is not None else ()


def as_printed(read: Figure) -> dict[str, Decimal]:
    """Return what a text means as a number by decimal mark, with as many decimals as are printed."""
    return {mark: value.quantize(Decimal(1).scaleb(-read.decimals[mark])) for mark, value in read.values.items()}


def percents_in(text: str) -> list[Decimal]:
    """The percentages in a text."""
    return [Decimal(match[1].replace(",", ".")) for match in _PERCENT.finditer(text)]


def currencies_in(text: str) -> Iterator[re.Match[str]]:
    """The signs and codes of currencies in a text."""
    return _CURRENCY.finditer(text)


def decimal_mark(amounts: Iterable[Amount]) -> str:
    """The decimal mark that the document's amounts prove, empty where none does or they disagree."""
    proven = {next(iter(amount.readings)) for amount in amounts if amount.is_money and len(amount.readings) == 1}
    return proven.pop() if len(proven) == 1 and proven <= set(MARKS) else ""
