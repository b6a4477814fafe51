"""What a language or a country says about how numbers and dates are written, by the Unicode CLDR (through Babel)."""

from __future__ import annotations

from functools import cache

from babel import Locale, UnknownLocaleError

from paperchute.notation.dates import ORDERS
from paperchute.notation.numbers import MARKS

TWO_MARKS = frozenset({"ar", "es", "ff", "qu"})
"""Languages whose large countries write decimals differently: Mexico and Spain, Egypt and Morocco. CLDR gives such a
language the habit of one of them; only a country (es-MX) says which."""

TWO_ORDERS = frozenset({"en", "es", "ks"})
"""Languages some of whose countries write the day first and others the month."""

_LONGEST = 40
_NO_COUNTRY = (None, "419")  # Latin America as a whole


@cache
def known_locale(name: str) -> Locale | None:
    """A locale by a name such as de, de-AT or zh_Hant_TW; None where CLDR has none."""
    try:
        return Locale.parse(name[:_LONGEST].strip().replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return None


def mark_of(locale: Locale) -> str:
    """The decimal mark of a language or country, empty where it says nothing."""
    if locale.language in TWO_MARKS and locale.territory in _NO_COUNTRY:
        return ""
    symbols = locale.number_symbols.get("latn") or locale.number_symbols.get(locale.default_numbering_system, {})
    mark = str(symbols.get("decimal", ""))
    return mark if mark in MARKS else ""


def short_mark(locale: Locale) -> str:
    """What stands between the figures of a language's or country's short dates, empty for none of the usual signs."""
    return next((sign for sign in str(locale.date_formats["short"].pattern) if sign in "./-"), "")


def order_of(locale: Locale) -> str:
    """Return whether a language or country writes the day or the month first, empty where it says nothing."""
    if locale.language in TWO_ORDERS and locale.territory in _NO_COUNTRY:
        return ""
    letters = [letter for letter in str(locale.date_formats["short"].pattern).replace("L", "M") if letter in "dMy"]
    order = "".join(dict.fromkeys(letters)).lower()
    return order if order in ORDERS else ""
