"""The filters of templates: numbers, money and dates as a country writes them, by the Unicode CLDR (through Babel)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import time
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from babel import Locale
from babel.dates import format_date, format_datetime, format_time
from babel.numbers import format_currency, format_decimal, format_percent, get_currency_symbol
from jinja2 import pass_context
from jinja2.runtime import Context

from paperchute.engine.html.data import Cell, DataError
from paperchute.engine.html.values import decimal_of, moment_of, shown
from paperchute.notation.languages import known_locale
from paperchute.notation.numbers import figure, western

LOCALE = "locale"
"""The variable of the data that says how numbers and dates are written."""

DEFAULT_LOCALE = "template_locale"
"""The name under which a template's own language is kept in its globals."""

_FORMS = ("short", "medium", "long", "full")
_MOST_DIGITS = 20
_SIGNS = {"CHF": ("Fr", "SFr"), "CNY": ("RMB", "元"), "JPY": ("円",), "TWD": ("元",), "INR": ("Rs",), "RUB": ("руб",)}
"""Signs in use that CLDR has for no currency."""


@pass_context
def number(context: Context, value: Any, digits: int | None = None, locale: str = "") -> str:
    """1234.5 -> 1,234.5; with digits=2 -> 1,234.50. In German 1.234,50."""
    country = _locale(context, locale)
    form = _with_digits(country.decimal_formats[None].pattern, digits)
    return _rounded(
        lambda amount: format_decimal(amount, form, country), decimal_of(value, _said(context, locale, value))
    )


@pass_context
def money(context: Context, value: Any, currency: str = "", locale: str = "") -> str:
    """1234.5 | money("EUR") -> €1,234.50, in German 1.234,50 €. The digits are the currency's own."""
    if not (isinstance(currency, str) and len(currency) == 3 and currency.isascii() and currency.isalpha()):
        raise ValueError(f'money needs a currency of three letters, such as money("EUR"), not {currency!r}')
    country, code = _locale(context, locale), currency.upper()
    said = _said(context, locale, value)
    amount = decimal_of(value, said, fits=lambda sign: _is_sign(sign, code, [*said, country]))
    return _rounded(lambda amount: format_currency(amount, code, locale=country), amount)


@pass_context
def percent(context: Context, value: Any, digits: int = 0, locale: str = "") -> str:
    """0.19 -> 19%, in German 19 %. So is the text 19 %."""
    country = _locale(context, locale)
    form = _with_digits(country.percent_formats[None].pattern, digits)
    share = decimal_of(value, _said(context, locale, value), percent=True)
    return _rounded(lambda amount: format_percent(amount, form, country), share)


@pass_context
def as_date(context: Context, value: Any, form: str = "long", locale: str = "") -> str:
    """2026-11-21 -> November 21, 2026. form: short, medium, long, full, or a CLDR pattern such as dd.MM.yyyy."""
    moment = moment_of(value, _said(context, locale, value))
    return format_date(moment.date(), _form(form, "dd.MM.yyyy"), _locale(context, locale))


@pass_context
def as_time(context: Context, value: Any, form: str = "short", locale: str = "") -> str:
    """2026-11-21T14:05 -> 2:05 PM. The clock of the data's own time zone."""
    try:
        moment = time.fromisoformat(str(value))
    except ValueError:
        moment = moment_of(value, _said(context, locale, value)).timetz()
    return format_time(moment.replace(tzinfo=None), _form(form, "HH:mm"), locale=_locale(context, locale))


@pass_context
def as_datetime(context: Context, value: Any, form: str = "medium", locale: str = "") -> str:
    """2026-11-21T14:05 -> Nov 21, 2026, 2:05:00 PM."""
    moment = moment_of(value, _said(context, locale, value)).replace(tzinfo=None)
    return format_datetime(moment, _form(form, "dd.MM.yyyy HH:mm"), locale=_locale(context, locale))


@pass_context
def as_float(context: Context, value: Any, default: Any = None) -> Any:
    """Jinja2's float, but a text is read as the other filters read it, and is never 0 because it is no number."""
    return _calculable(context, value, default, float)


@pass_context
def as_int(context: Context, value: Any, default: Any = None, base: int = 10) -> Any:
    """Jinja2's int, likewise."""
    if isinstance(value, str) and base != 10:  # hexadecimal and the like have one way of writing
        try:
            return int(value, base)
        except ValueError:
            if default is None:
                raise DataError(f"{shown(value)} is not a number of base {base}") from None
            return default
    return _calculable(context, value, default, int)


def _calculable(context: Context, value: Any, default: Any, kind: Callable[[Any], Any]) -> Any:
    if not isinstance(value, str):
        return kind(value)
    if default is not None and figure(value) is None:
        return default
    return kind(decimal_of(value, _said(context, "", value)))


FILTERS: dict[str, Callable[..., Any]] = {
    "number": number,
    "money": money,
    "percent": percent,
    "date": as_date,
    "time": as_time,
    "datetime": as_datetime,
    "float": as_float,
    "int": as_int,
}

OF_NUMBERS = frozenset({"number", "money", "percent", "float", "int"})
OF_DATES = frozenset({"date", "datetime"})


def _locale(context: Context, given: str) -> Locale:
    """What the filter says, else the data's `locale`, else the language of the template's html element, else en."""
    name = given or context.get(LOCALE, "")
    if isinstance(name, str) and name:
        found = known_locale(name)
        if found is None:
            raise ValueError(f"there is no locale {name[:40]!r}; write it as de, de-AT or pt-BR")
        return found
    return known_locale(str(context.get(DEFAULT_LOCALE, ""))) or Locale("en")


def _said(context: Context, given: str, value: Any) -> list[Locale]:
    """Whose way of writing counts when `value` is read.

    A list is written by one hand, whoever its rows are for: the template's own language says how, else the filter's
    country, unless that comes from the list. For other data all that is said must agree.
    """
    own = known_locale(str(context.get(DEFAULT_LOCALE, "")))
    if isinstance(value, Cell):
        constant = known_locale(given) if isinstance(given, str) and not isinstance(given, Cell) else None
        return [locale for locale in (own, constant) if locale][:1]
    names = [name for name in (given, context.get(LOCALE, "")) if isinstance(name, str) and name]
    return [locale for locale in (*(known_locale(name) for name in names), own) if locale]


def _is_sign(sign: str, code: str, locales: Sequence[Locale]) -> bool:
    """Whether a sign or code in the data is that of a currency, as people of these languages write it."""
    signs = {get_currency_symbol(code, locale) for locale in [*locales, Locale("en")]}
    known = {code, *signs, *(sign.removeprefix(code[:2]) for sign in signs), *_SIGNS.get(code, ())}
    return western(sign).rstrip(".").casefold() in {western(one).strip().rstrip(".").casefold() for one in known}


def _rounded(write: Callable[[Decimal], str], amount: Decimal) -> str:
    """Halves go away from zero, as in trade."""
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


def _form(form: Any, example: str) -> str:
    if not isinstance(form, str) or "%" in form or len(form) > 100:
        raise ValueError(f"a form is one of {', '.join(_FORMS)}, or a pattern such as {example}, not {shown(form)}")
    return form
