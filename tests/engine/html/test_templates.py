"""Templates: what they can say, how a country writes it, and that what is wrong is told with its line and name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.html import templates
from paperchute.engine.html.templates import fill
from paperchute.engine.work import Refused


def filled(template: str, **values: Any) -> str:
    """Without the no-break spaces that CLDR writes between numbers and their signs."""
    return fill(template, json.dumps(values)).replace("\u00a0", " ").replace("\u202f", " ")


def test_loops_conditions_and_escaping() -> None:
    template = """{% for line in lines %}{% if line.pieces > 1 %}{{ loop.index }}/{{ loop.length }} {{ line.name }};
{% endif %}{% else %}none{% endfor %}{% set total = lines | sum(attribute="pieces") %}{{ total }}"""
    lines = [{"name": "<A&B>", "pieces": 2}, {"name": "C", "pieces": 1}]
    assert filled(template, lines=lines) == "1/2 &lt;A&amp;B&gt;;\n3"
    assert filled(template, lines=[]) == "none0"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ('{{ 1234.5 | money("EUR") }}', "€1,234.50"),
        ('{{ 1234.5 | money("EUR", "de-DE") }}', "1.234,50 €"),
        ('{{ 1234.5 | money("eur", "fr_FR") }}', "1 234,50 €"),
        ('{{ 1234.5 | money("CHF", "de-CH") }}', "CHF 1’234.50"),
        ('{{ 1234.5 | money("JPY", "ja") }}', "￥1,235"),
        ('{{ 1234567.5 | money("INR", "hi-IN") }}', "₹12,34,567.50"),
        ('{{ "-0.005" | money("USD") }}', "-$0.01"),
        ("{{ 1234.5678 | number }}", "1,234.568"),
        ('{{ 1234567 | number(1, "hi-IN") }}', "12,34,567.0"),
        ('{{ 1234.5 | number(2, "de") }}', "1.234,50"),
        ("{{ 2.5 | number(0) }}", "3"),
        ("{{ (1.1 * 1.05) | number(3) }}", "1.155"),
        ("{{ 0.19 | percent }}", "19%"),
        ('{{ 0.075 | percent(1, "de") }}', "7,5 %"),
        ('{{ "2026-11-21" | date }}', "November 21, 2026"),
        ('{{ "2026-11-21" | date("long", "de") }}', "21. November 2026"),
        ('{{ "2026-11-21" | date("full", "fr") }}', "samedi 21 novembre 2026"),
        ('{{ "2026-11-21" | date("short", "en-GB") }}', "21/11/2026"),
        ('{{ "2026-11-21" | date("yyyy年M月d日", "zh") }}', "2026年11月21日"),
        ('{{ "2026-11-21T14:05:00Z" | time("short", "de") }}', "14:05"),
        ('{{ "09:30" | time(locale="en-US") }}', "9:30 AM"),
        ('{{ "2026-11-21 14:05" | datetime("short", "de") }}', "21.11.26, 14:05"),
    ],
)
def test_numbers_money_and_dates_are_written_as_in_their_country(template: str, text: str) -> None:
    assert filled(template) == text


def test_the_locale_comes_from_the_filter_else_the_data_else_the_language_of_the_template() -> None:
    amount = '{{ 1.5 | money("EUR") }}'
    german = f'<!doctype html>\n<html class="x" lang="de">{amount}'
    assert filled(amount).endswith("€1.50")
    assert filled(german).endswith("1,50 €")
    assert filled(german, locale="en").endswith("€1.50")
    assert filled('{{ 1.5 | money("EUR", "de") }}', locale="en").endswith("1,50 €")
    assert filled(f'<html lang="tlh">{amount}').endswith("€1.50"), "a language that CLDR does not know is no error"


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("a\n{{ missing }}", "line 2: 'missing' is undefined"),
        ("{{ customer.nmae }}", "line 1: 'customer.nmae' is undefined; where it is looked for there is name, city"),
        ("\n\n{{ customer['x'].y }}", "line 3: 'customer.x' is undefined"),
        ("{% for line in lines %}\n{{ line.each }}{% endfor %}", "line 2: 'line.each' is undefined; where"),
        ("{{ lines[7] }}", "has no element 7"),
        ("\n{% if %}", "a mistake in line 2: Expected an expression"),
        ("{{ 1 | nofilter }}", "a mistake in line 1: No filter named 'nofilter'"),
        ("\n{{ 1 / 0 }}", "filled in line 2: division by zero"),
        ("{{ 1 | money }}", 'such as money("EUR")'),
        ('{{ "2026-11-21" | date("%d.%m.%Y") }}', "a pattern such as dd.MM.yyyy"),
        ('{{ 1 | number(locale="xx") }}', "there is no locale 'xx'"),
        ("{{ 1 | number(1000) }}", "digits must be a whole number up to 20"),
        ('{% include "other.html" %}', "in line 1: it cannot take in other.html: a template is one file"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_name(template: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        filled(template, customer={"name": "A", "city": "B"}, lines=[{"name": "C"}])
    assert caught.value.code == "03000"
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("{", "line 1, column 2"),
        ('{"a":\n nope}', "line 2, column 2"),
        ('[{"a": 1}]', "for a list, send one call for each row"),
        ('"text"', "must be a JSON object"),
        ('{"a": NaN}', "NaN is not a number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
    ],
)
def test_data_that_is_no_object_is_refused(data: str, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        fill("x", data)
    assert caught.value.code == "01006"
    assert reason in caught.value.reason


def test_a_template_is_compiled_once() -> None:
    templates._kept.cache_clear()
    assert [filled("<b>{{ n }}</b>", n=number) for number in range(3)] == ["<b>0</b>", "<b>1</b>", "<b>2</b>"]
    assert templates._kept.cache_info().misses == 1


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
_FILTERS = ("number", 'money("EUR")', "percent", "date", "time", "datetime", "number(2)", 'date("short")')


@given(_VALUES, st.sampled_from(_FILTERS), st.sampled_from(["de", "ar", "hi-IN", "zh-Hant-TW", "x", ""]))
def test_any_value_is_written_or_refused(value: Any, by: str, locale: str) -> None:
    try:
        assert filled("{{ value | " + by + " }}", value=value, locale=locale)
    except Refused as error:
        assert error.code in ("01006", "03000"), error.reason  # noqa: PT017 - both ways are right


@given(
    st.lists(
        st.sampled_from(["{{", "}}", "{%", "%}", "a", ".", "|", "date", "for", "in", "if", "(", ")", "'", "\n", "1"])
    )
)
def test_any_template_is_filled_or_refused(pieces: list[str]) -> None:
    try:
        filled("".join(pieces), a={"b": [1, "2"]})
    except Refused as error:
        assert error.code == "03000", error.reason  # noqa: PT017 - both ways are right
