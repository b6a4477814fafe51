"""Signs and codes of currencies (ISO 4217) as amounts have them beside them, and what each can mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_CODES = (
    *("USD", "EUR", "GBP", "JPY", "CHF", "CNY", "INR", "KRW", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "ISK", "PLN"),
    *("CZK", "HUF", "RON", "BGN", "UAH", "RUB", "TRY", "ILS", "AED", "SAR", "BRL", "MXN", "ARS", "CLP", "COP", "PEN"),
    *("ZAR", "EGP", "NGN", "KES", "SGD", "HKD", "TWD", "THB", "MYR", "IDR", "PHP", "VND"),
)
"""Of those that most amounts are in; others are words of some language, such as ALL and TOP."""

MEANINGS: Mapping[str, tuple[str, ...]] = {
    **{code: (code,) for code in _CODES},
    "€": ("EUR",), "Euro": ("EUR",), "Euros": ("EUR",), "£": ("GBP",), "$": ("USD", "CAD", "AUD", "MXN"),
    "US$": ("USD",), "C$": ("CAD",), "A$": ("AUD",), "NZ$": ("NZD",), "R$": ("BRL",), "HK$": ("HKD",), "S$": ("SGD",),
    "NT$": ("TWD",), "¥": ("JPY", "CNY"), "￥": ("JPY", "CNY"), "元": ("CNY",), "円": ("JPY",), "원": ("KRW",),
    "RMB": ("CNY",), "Fr.": ("CHF",), "SFr.": ("CHF",), "kr": ("SEK", "NOK", "DKK"), "zł": ("PLN",), "Kč": ("CZK",),
    "Ft": ("HUF",), "lei": ("RON",), "лв": ("BGN",), "руб": ("RUB",), "₹": ("INR",), "Rs": ("INR", "PKR", "LKR"),
    "RM": ("MYR",), "Rp": ("IDR",), "₩": ("KRW",), "₽": ("RUB",), "₺": ("TRY",), "₫": ("VND",), "₪": ("ILS",),
    "฿": ("THB",), "₴": ("UAH",), "₦": ("NGN",), "₱": ("PHP",), "₸": ("KZT",), "₼": ("AZN",), "₾": ("GEL",),
}  # fmt: skip
"""Which currencies a sign or code can mean."""

_OTHERWISE = {"Ft": "(?-i:Ft)", "lei": r"lei(?!\s{0,2}\d)"}
"""Feet are `ft`, and what a number follows is a law in Portuguese."""


def _patterns() -> Iterator[str]:
    """Yield each sign, those that begin as another does before it; no letter follows one of Western letters."""
    for sign in sorted(MEANINGS, key=len, reverse=True):
        abbreviated = r"\.?" if sign.isalpha() and sign not in _CODES else ""
        ends = r"(?![^\W\d_])" if sign[-1].isalpha() and sign not in "元円원" else ""
        yield _OTHERWISE.get(sign, re.escape(sign)) + ends + abbreviated


CURRENCY = f"(?:{'|'.join(_patterns())})"
"""A pattern for one of them."""

_BY_FOLDED = {sign.casefold(): codes for sign, codes in MEANINGS.items()}


def currencies_of(sign: str) -> tuple[str, ...]:
    """The currencies that a sign or code can mean, in whatever case and with the dot of an abbreviation."""
    folded = sign.casefold()
    return _BY_FOLDED.get(folded) or _BY_FOLDED.get(folded.removesuffix("."), ())
