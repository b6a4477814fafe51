"""Numbers and dates of the data: read by their column and the template's language, and never guessed."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from babel import Locale, localedata
from babel.numbers import format_currency, format_decimal
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.html.templates import fill
from paperchute.engine.work import Refused
from paperchute.notation.columns import KEY, columns_of, told
from paperchute.notation.languages import TWO_MARKS, TWO_ORDERS

LOCALES = (
    "de-DE", "de-AT", "de-CH", "fr-FR", "fr-CH", "it-IT", "es-ES", "es-MX", "pt-BR", "pt-PT", "en-US", "en-GB", "en-IN",
    "nl-NL", "sv-SE", "da-DK", "nb-NO", "pl-PL", "cs-CZ", "fi-FI", "hu-HU", "tr-TR", "ru-RU", "ja-JP", "zh-CN", "hi-IN",
    "he-IL", "ar-EG",
)  # fmt: skip


def listed(template: str, cells: list[str], row: int = 0, typed: bool = False) -> str:
    """What a template makes of one row of a list whose only column is `amount`."""
    rows = [(f"line {number}", {"amount": cell}) for number, cell in enumerate(cells, start=2)]
    columns = {name: told(column) for name, column in columns_of(rows).items()}
    about = {"name": "a.csv", "place": rows[row][0], "typed": typed, "columns": columns}
    return plain(fill(template, json.dumps({**rows[row][1], KEY: about})))


def plain(text: str) -> str:
    """Without the spaces and marks of direction that CLDR writes between numbers and signs."""
    return re.sub("[\u00a0\u202f\u200e\u200f\u061c]", " ", text).strip()


def refused(template: str, cells: list[str], row: int = 0, typed: bool = False) -> str:
    with pytest.raises(Refused) as caught:
        listed(template, cells, row, typed)
    assert caught.value.code == "01006"
    return caught.value.reason


GERMAN, ENGLISH, NOBODY = '<html lang="de">', '<html lang="en">', ""
MONEY, DATE, NUMBER = (
    '{{ amount | money("EUR", "en") }}',
    '{{ amount | date("yyyy-MM-dd") }}',
    "{{ amount | number(2, 'en') }}",
)


@pytest.mark.parametrize(
    ("language", "cells", "shown"),
    [
        (GERMAN, ["1.250"], "€1,250.00"),
        (GERMAN, ["99,00"], "€99.00"),
        (GERMAN, ["1.250,50"], "€1,250.50"),
        (GERMAN, ["1.250,-"], "€1,250.00"),
        (GERMAN, ["1250"], "€1,250.00"),
        (GERMAN, ["-1.250,50 €"], "-€1,250.50"),
        (GERMAN, ["(1.250,50)"], "-€1,250.50"),
        (GERMAN, ["EUR 1.250,50-"], "-€1,250.50"),
        (ENGLISH, ["1,250"], "€1,250.00"),
        (NOBODY, ["1.250", "3,99"], "€1,250.00"),
        (GERMAN, ["1,250", "3.99"], None),
        (NOBODY, ["1,250", "3.99"], "€1,250.00"),
        (GERMAN, ["1.250", "0.500"], "€1.25"),
        (GERMAN, ["1.250", "99.00"], None),
        (NOBODY, ["1'250.50"], "€1,250.50"),
        (NOBODY, ["1 250,50"], "€1,250.50"),
        (NOBODY, ["12,34,567"], "€1,234,567.00"),
        ('<html lang="es-MX">', ["1,250"], "€1,250.00"),
        ('<html lang="es">', ["1,250"], None),
        (NOBODY, ["1.250"], None),
        (NOBODY, ["99", "1.250"], None),
        ("<BODY LANG=DE link=blue>", ["1.250"], "€1,250.00"),
    ],
)
def test_the_column_decides_then_the_language_of_the_template(
    language: str, cells: list[str], shown: str | None
) -> None:
    template = language + ('{{ amount | money("EUR", "en-US") }}' if language else '{{ amount | money("EUR") }}')
    if shown is None:
        assert "can be read as 1" in refused(template, cells)
    else:
        assert listed(template, cells).endswith(shown)


def test_what_two_amounts_are_possible_for_is_refused_with_row_column_and_both() -> None:
    reason = refused('\n{{ amount | money("EUR") }}', ["7", "1.250"])
    assert reason.startswith(
        "a.csv, line 3, column 'amount': '1.250' can be read as 1.25 or as 1250; say in the template whose"
    )
    assert reason.endswith("(line 2 of the template)")
    reason = refused(GERMAN + MONEY, ["1.250", "1,250.50", "3,99"])
    assert reason.startswith(
        "a.csv, line 4, column 'amount': the column uses two formats: '1,250.50' in line 3 is 1250.5"
    )
    assert "'3,99' in line 4 is 3.99; so '1.250' in line 2 can be read as 1.25 or as 1250; write" in reason


def test_all_rows_are_looked_at_with_the_first() -> None:
    assert refused(GERMAN + MONEY, ["1", "2", "n/a"]).startswith(
        "a.csv, line 4, column 'amount': 'n/a' is not a number"
    )
    assert refused(GERMAN + MONEY, ["1", ""]).startswith("a.csv, line 3, column 'amount': it is empty")
    assert refused(GERMAN + DATE, ["21.11.2026", "31.2.2026"]).startswith(
        "a.csv, line 3, column 'amount': '31.2.2026' is"
    )
    either = GERMAN + '{% if amount != "n/a" %}{{ amount | money("EUR", "en") }}{% endif %}'
    assert listed(either, ["1", "n/a"]).endswith("€1.00"), "a template that knows of other values may have them"
    assert listed(either, ["1", "n/a"], 1) == GERMAN


@pytest.mark.parametrize(
    ("language", "cells", "shown"),
    [
        (NOBODY, ["2026-11-21"], "2026-11-21"),
        (NOBODY, ["21.11.2026"], "2026-11-21"),
        (NOBODY, ["11/21/2026"], "2026-11-21"),
        (NOBODY, ["03/04/2026", "21/11/2026"], "2026-04-03"),
        (NOBODY, ["03/04/2026", "11/21/2026"], "2026-03-04"),
        (GERMAN, ["03.04.2026"], "2026-04-03"),
        ('<html lang="en-GB">', ["03/04/2026"], "2026-04-03"),
        ('<html lang="en-US">', ["03/04/2026"], "2026-03-04"),
        (GERMAN, ["3.4.2026 14:05"], "2026-04-03"),
        ('<html lang="ja">', ["2026年4月3日"], "2026-04-03"),
    ],
)
def test_dates(language: str, cells: list[str], shown: str) -> None:
    assert listed(language + DATE, cells) == language + shown


@pytest.mark.parametrize("language", [NOBODY, ENGLISH, '<html lang="zh">'])
def test_a_date_that_can_be_two_is_refused(language: str) -> None:
    assert "'03/04/2026' can be read as 2026-04-03 or as 2026-03-04; say in the template whose" in refused(
        language + DATE, ["03/04/2026"]
    )
    assert "uses two formats" in refused(language + DATE, ["21/11/2026", "11/21/2026"])
    assert "is not a date" in refused(language + DATE, ["45982"]), "a spreadsheet's own number of a day"
    assert "a year of four digits" in refused(language + DATE, ["21.11.26"])


@pytest.mark.parametrize(
    ("by", "cell", "reason"),
    [
        ('money("EUR")', "1.250,50 $", "is in '$', which would be lost"),
        ('money("USD")', "1.250,50 €", "is in '€', which would be lost"),
        ('money("EUR")', "12 %", "is a percentage; the filter percent takes it"),
        ("number", "25 kg", "is in 'kg', which would be lost"),
        ("float", "n/a", "is not a number"),
        ("int", "", "it is empty"),
        ("int(base=16)", "1.250", "is not a number of base 16"),
        ('money("EUR")', "50–", "is in '–', which would be lost"),
        ('money("EUR")', "9" * 40, "cannot be written out"),
        ('money("EUR")', "12²", "is in '²'"),
    ],
)
def test_what_is_not_the_amount_alone_is_refused(by: str, cell: str, reason: str) -> None:
    told = refused(GERMAN + "{% if true %}{{ amount | " + by + " }}{% endif %}", [cell])
    assert reason.replace("cannot be written out", "number that can be written out") in told


def test_percentages() -> None:
    assert listed(GERMAN + "{{ amount | percent }}", ["19 %"]).endswith("19 %")
    assert listed(GERMAN + "{{ amount | percent(1) }}", ["0,075"]).endswith("7,5 %")


@pytest.mark.parametrize("text", ["007", "1.250", "1,5", " x ", "<b>", "12.50 €", "03/04/2026"])
def test_what_is_only_shown_stays_as_the_list_writes_it(text: str) -> None:
    shown = fill("{{ amount | safe }}|{{ amount ~ '' | safe }}", json.dumps({"amount": text, KEY: {"name": "a.csv"}}))
    assert shown.split("|")[0] == text
    assert listed("{{ amount }}", ["1.250", "1,250.50"]) == "1.250", "no reading is asked for, so none is refused"


@pytest.mark.parametrize(
    "template",
    [
        "{{ amount * 2 }}",
        "{{ amount | round }}",
        "{{ amount | filesizeformat }}",
        "{{ amount / 2 }}",
        "{{ 9 - amount }}",
        "{{ amount == 1250 }}",
        "{{ amount < '9' }}",
        "{{ amount + amount }}",
        "{{ 2 * amount }}",
    ],
)
def test_texts_are_not_taken_for_numbers_in_silence(template: str) -> None:
    assert "write amount | float" in refused(template, ["1250"])


def test_calculating_with_the_values_of_a_list() -> None:
    assert listed(GERMAN + "{{ (amount | float * 2) | money('EUR') }}", ["1.250"]).endswith("2.500,00 €")
    assert listed(GERMAN + "{{ amount | int + 1 }}", ["1.250"]).endswith("1251")
    assert listed(GERMAN + "{{ amount | float(0) }}", ["n/a"]).endswith("0")
    assert "can be read as" in refused("{{ amount | float(0) }}", ["1.250"])
    assert fill("{{ '11' | int(0, 2) }}{{ 2.9 | int }}", "") == "32"


def test_texts_of_other_data_are_read_only_where_program_and_language_agree() -> None:
    def filled(template: str, **values: Any) -> str:
        return plain(fill(template, json.dumps(values)))

    assert filled('{{ a | money("EUR") }}', a="1.250") == "€1.25", "as programs write numbers"
    assert filled('<html lang="en">{{ a | money("EUR") }}', a="1,250").endswith("€1,250.00")
    assert filled('<html lang="de">{{ a | money("EUR") }}', a="1250.00").endswith("1.250,00 €")
    for template, locale in (('<html lang="de">{{ a | money("EUR") }}', ""), ('{{ a | money("EUR") }}', "de")):
        with pytest.raises(Refused, match="or as 1250; write it as a JSON number"):
            filled(template, a="1.250", locale=locale)
    with pytest.raises(Refused, match="can be read as"):
        filled('{{ a | money("EUR") }}', a="1,250")
    assert filled('<html lang="de">{{ a | number(2, "de") }}', a="1,250").endswith(">1,25")
    assert "can be read as" in refused(GERMAN + MONEY, ["1.250"], typed=True)
    assert "can be read as" in refused('{{ amount | money("EUR") }}', ["1.250"], typed=True)
    assert listed(GERMAN + MONEY, ["1.250", "0,5"], typed=True).endswith("€1,250.00")


def test_the_country_of_a_row_says_nothing_of_the_list() -> None:
    about = {"name": "a.csv", "place": "line 2"}
    for template in ('{{ amount | money("EUR") }}', '{{ amount | money("EUR", locale) }}'):
        with pytest.raises(Refused, match="can be read as"):
            fill(template, json.dumps({"amount": "1.250", "locale": "en-US", KEY: about}))
    german = '<html lang="de">{{ amount | money("EUR") }}'
    assert fill(german, json.dumps({"amount": "1.250", "locale": "en-US", KEY: about})).endswith("€1,250.00")


@given(
    st.sampled_from(LOCALES),
    st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=4),
    st.sampled_from(["plain", "money", "whole", "three"]),
)
def test_any_amount_comes_out_as_it_went_in(name: str, amounts: list[Decimal], form: str) -> None:
    locale = Locale.parse(name.replace("-", "_"))
    amounts = [round(amount) * Decimal(1) for amount in amounts] if form == "whole" else amounts
    amounts = [amount * Decimal("0.1") for amount in amounts] if form == "three" else amounts
    cells = [
        format_currency(amount, "EUR", locale=locale)
        if form == "money"
        else format_decimal(amount, "#,##,##0.###" if locale.territory == "IN" else None, locale)
        for amount in amounts
    ]
    read = 'money("EUR")' if form == "money" else "number(3)"
    template = f'<html lang="{name}">{{{{ amount | {read} }}}}'
    for row, amount in enumerate(amounts):
        expected = plain(fill(template, json.dumps({"amount": float(amount)})))
        assert listed(template, cells, row) == expected, cells


_OPEN = st.from_regex(r"[1-9][0-9]{0,2}[.,][0-9]{3}", fullmatch=True)
_NEUTRAL = st.from_regex(r"[1-9][0-9]{0,5}", fullmatch=True)


@given(
    st.lists(_NEUTRAL, max_size=3), st.lists(_OPEN, min_size=1, max_size=3), st.sampled_from(["", "es", "ar", "tlh"])
)
def test_any_list_for_which_two_amounts_are_possible_is_refused(
    whole: list[str], unclear: list[str], lang: str
) -> None:
    cells = [*whole, *unclear]
    for row in range(len(cells)):
        assert "can be read as" in refused(f'<html lang="{lang}">{{{{ amount | number }}}}', cells, row)


def test_the_languages_of_two_ways_are_known_to_cldr() -> None:
    """A language whose countries order dates differently is not trusted; for numbers, some of those are."""
    marks: dict[str, set[str]] = {}
    orders: dict[str, set[str]] = {}
    for name in localedata.locale_identifiers():
        locale = Locale.parse(name)
        if locale.language not in {*TWO_MARKS, *TWO_ORDERS, "de", "fr", "pt", "nl", "it", "zh", "ru", "pl", "sv"}:
            continue
        marks.setdefault(locale.language, set()).add(locale.number_symbols.get("latn", {}).get("decimal", ""))
        letters = re.findall("[dMy]", str(locale.date_formats["short"].pattern).replace("L", "M"))
        orders.setdefault(locale.language, set()).add("".join(dict.fromkeys(letters)).lower())
    assert all({".", ","} <= marks[language] for language in TWO_MARKS)
    assert {language for language, found in orders.items() if {"dmy", "mdy"} <= found} == TWO_ORDERS


@pytest.mark.parametrize(
    "raw", [7, {"columns": 3}, {"columns": {"amount": [1]}}, {"columns": {"amount": {"numbers": {"ways": {".": 5}}}}}]
)
def test_what_is_told_of_a_list_may_be_anything(raw: Any) -> None:
    assert fill("{{ amount }}", json.dumps({"amount": "1.250", KEY: raw})) == "1.250"
