"""The filters of templates: numbers, money and dates as a country writes them, by the Unicode CLDR (through Babel)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from functools import cache
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime, format_time
from babel.numbers import format_currency, format_decimal, format_percent
from jinja2 import pass_context
from jinja2.runtime import Context

LOCALE = "locale"
"""The variable of the data that says how numbers and dates are written."""

DEFAULT_LOCALE = "template_locale"
"""The name under which a template's own language is kept in its globals."""

_FORMS = ("short", "medium", "long", "full")
_MOST_DIGITS = 20


@pass_context
def number(context: Context, value: Any, digits: int | None = None, locale: str = "") -> str:
    """1234.5 -> 1,234.5; with digits=2 -> 1,234.50. In German 1.234,50."""
    country = _locale(context, locale)
    form = _with_digits(country.decimal_formats[None].pattern, digits)
    return _rounded(lambda amount: format_decimal(amount, form, country), value)


@pass_context
def money(context: Context, value: Any, currency: str = "", locale: str = "") -> str:
    """1234.5 | money("EUR") -> €1,234.50, in German 1.234,50 €. The digits are the currency's own."""
    if not (isinstance(currency, str) and len(currency) == 3 and currency.isascii() and currency.isalpha()):
        raise ValueError(f'money needs a currency of three letters, such as money("EUR"), not {currency!r}')
    country = _locale(context, locale)
    return _rounded(lambda amount: format_currency(amount, currency.upper(), locale=country), value)


@pass_context
def percent(context: Context, value: Any, digits: int = 0, locale: str = "") -> str:
    """0.19 -> 19%, in German 19 %."""
    country = _locale(context, locale)
    form = _with_digits(country.percent_formats[None].pattern, digits)
    return _rounded(lambda amount: format_percent(amount, form, country), value)


@pass_context
def as_date(context: Context, value: Any, form: str = "long", locale: str = "") -> str:
    """2026-11-21 -> November 21, 2026. form: short, medium, long, full, or a CLDR pattern such as dd.MM.yyyy."""
    moment = _moment(value)
    return format_date(moment.date(), _form(form, "dd.MM.yyyy"), _locale(context, locale))


@pass_context
def as_time(context: Context, value: Any, form: str = "short", locale: str = "") -> str:
    """2026-11-21T14:05 -> 2:05 PM. The clock of the data's own time zone."""
    try:
        moment = time.fromisoformat(str(value))
    except ValueError:
        moment = _moment(value).timetz()
    return format_time(moment.replace(tzinfo=None), _form(form, "HH:mm"), locale=_locale(context, locale))


@pass_context
def as_datetime(context: Context, value: Any, form: str = "medium", locale: str = "") -> str:
    """2026-11-21T14:05 -> Nov 21, 2026, 2:05:00 PM."""
    moment = _moment(value).replace(tzinfo=None)
    return format_datetime(moment, _form(form, "dd.MM.yyyy HH:mm"), locale=_locale(context, locale))


FILTERS: dict[str, Callable[..., str]] = {
    "number": number,
    "money": money,
    "percent": percent,
    "date": as_date,
    "time": as_time,
    "datetime": as_datetime,
}


@cache
def known_locale(name: str) -> Locale | None:
    """A locale by a name such as de, de-AT or zh_Hant_TW; None where CLDR has none."""
    try:
        return Locale.parse(name.strip().replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return None


def _locale(context: Context, given: str) -> Locale:
    """What the filter says, else the data's `locale`, else the language of the template's html element, else en."""
    name = given or context.get(LOCALE, "")
    if isinstance(name, str) and name:
        found = known_locale(name[:40])
        if found is None:
            raise ValueError(f"there is no locale {name[:40]!r}; write it as de, de-AT or pt-BR")
        return found
    return known_locale(str(context.get(DEFAULT_LOCALE, ""))) or Locale("en")


def _rounded(write: Callable[[Decimal], str], value: Any) -> str:
    """Halves go away from zero, as in trade; floating point noise beyond 15 digits does not tip the scale."""
    amount = _decimal(value)
    with localcontext() as rules:
        rules.rounding = ROUND_HALF_UP
        return write(amount)


def _with_digits(pattern: str, digits: int | None) -> str:
    """A number pattern of CLDR, such as #,##0.###, with so many digits behind the point; None leaves it."""
    if digits is None:
        return pattern
    if not isinstance(digits, int) or not 0 <= digits <= _MOST_DIGITS:
        raise ValueError(f"digits must be a whole number up to {_MOST_DIGITS}")
    return re.sub(r"0(\.[0#]+)?", "0." + "0" * digits if digits else "0", pattern, count=1)


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise ValueError(f"{_shown(value)} is no number")
    if isinstance(value, float):
        value = f"{value:.15g}"
    try:
        found = Decimal(str(value).strip())
    except InvalidOperation:
        raise ValueError(f"{_shown(value)} is no number") from None
    if not math.isfinite(found) or abs(found.adjusted()) > 30:
        raise ValueError(f"{_shown(value)} is no number that can be written out")
    return found


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    try:
        return datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise ValueError(f"{_shown(value)} is no date; write it as 2026-11-21 or 2026-11-21T14:05") from None


def _form(form: Any, example: str) -> str:
    if not isinstance(form, str) or "%" in form or len(form) > 100:
        raise ValueError(f"a form is one of {', '.join(_FORMS)}, or a pattern such as {example}, not {_shown(form)}")
    return form


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
