"""No step of a template takes longer or makes more than what it is given is worth: operators, filters and methods."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.filters import FILTERS as DEFAULT_FILTERS
from jinja2.tests import TESTS as DEFAULT_TESTS

from paperchute.engine.html.filters import FILTERS
from paperchute.engine.html.sandbox import Sandbox, weight
from paperchute.engine.html.templates import fill
from paperchute.engine.work import Refused

MEGA = "('a' * 1000000)"
"""A text of a million characters, which a template may make."""

HEAVY = f"([{MEGA}] * 100)"
"""Too much for one step: a hundred million characters, though they lie in memory once."""

TOO_MUCH = {
    "round": ["1 | round(-999999999)", "1.5 | round(10 ** 9)", "1 | round(precision=-999999999, method='ceil')"],
    "center": ["'a' | center(10 ** 9)", "'a' | center(width=10 ** 9)"],
    "indent": ["'a' | indent(10 ** 9, true)", f"'a\\n' | indent({MEGA} * 30) | indent({MEGA} * 30)"],
    "batch": ["[1] | batch(10 ** 9, 0) | list"],
    "slice": ["[1] | slice(10 ** 9) | list"],
    "format": ["'%1000000000d' | format(1)", "'%.*f' | format(10 ** 9, 1.5)", "'%0999999999.1f' | format(1)"],
    "replace": [f"{MEGA} | replace('a', {MEGA})", f"'' | replace('', {HEAVY} | join)"],
    "tojson": ["[1] | tojson(10 ** 9)"],
    "wordwrap": [f"({MEGA}[:60000]) | wordwrap(1, true, {MEGA})", f"{MEGA} | wordwrap"],
    "urlize": [f"{MEGA} | urlize"],
    "join": [f"range(1000) | list | join({MEGA})", f"{HEAVY} | join"],
    "int": ["('9' * 5000) | int"],
    "float": ["('9' * 5000) | float"],
    "sum": [f"{HEAVY} | sum(start='')"],
    "abs": ["(10 ** 1000 * 10 ** 1000) | abs"],
    "map": [f"[{MEGA}] | map('replace', 'a', {MEGA}) | list"],
    "list": [f"{HEAVY} | list"],
    "sort": [f"{HEAVY} | sort"],
    "unique": [f"{HEAVY} | unique | list"],
    "pprint": [f"{HEAVY} | pprint"],
    "string": [f"{HEAVY} | string"],
}
"""For filters that could make much of little, what must be refused."""

ONLY_AS_LARGE = {
    "attr", "capitalize", "count", "d", "default", "dictsort", "e", "escape", "filesizeformat", "first", "forceescape",
    "groupby", "items", "last", "length", "lower", "max", "min", "random", "reject", "rejectattr", "reverse", "safe",
    "select", "selectattr", "striptags", "title", "trim", "truncate", "upper", "urlencode", "wordcount", "xmlattr",
}  # fmt: skip
"""Filters whose work and result grow with what they are given, and no faster."""


def refused(template: str, **data: Any) -> str:
    with pytest.raises(Refused) as caught:
        fill(template, json.dumps(data))
    return caught.value.reason


def test_every_filter_test_and_global_is_one_whose_bounds_are_known() -> None:
    sandbox = Sandbox()
    assert set(DEFAULT_FILTERS) - set(FILTERS) == (set(TOO_MUCH) - set(FILTERS)) | ONLY_AS_LARGE
    assert set(sandbox.filters) == set(DEFAULT_FILTERS) | set(FILTERS)
    assert set(sandbox.globals) == set(DEFAULT_NAMESPACE) - {"lipsum"}
    assert set(sandbox.tests) == set(DEFAULT_TESTS)
    assert set(DEFAULT_TESTS) == {
        "!=", "<", "<=", "==", ">", ">=", "boolean", "callable", "defined", "divisibleby", "eq", "equalto", "escaped",
        "even", "false", "filter", "float", "ge", "greaterthan", "gt", "in", "integer", "iterable", "le", "lessthan",
        "lower", "lt", "mapping", "ne", "none", "number", "odd", "sameas", "sequence", "string", "test", "true",
        "undefined", "upper",
    }  # fmt: skip


@pytest.mark.parametrize("template", [one for some in TOO_MUCH.values() for one in some])
def test_filters_that_could_make_much_of_little_are_refused(template: str) -> None:
    assert refused("{{ " + template + " }}")


@pytest.mark.parametrize(
    "template",
    [
        "9 ** 9 ** 9", "2 ** -99999999999", "'a' * 10 ** 9", "10 ** 9 * 'a'", "[0] * 10 ** 9", "('a',) * 10 ** 9",
        "'%999999999d' % 1", "'%*d' % (10 ** 9, 1)", "(10 ** 1000) * (10 ** 1000)", f"({MEGA} * 30) + ({MEGA} * 30)",
        f"{HEAVY} + {HEAVY}", f"[{MEGA}] * 100", "0x" + "f" * 5_000 + " % 7", "1 // 0x" + "f" * 5_000,
    ],
)  # fmt: skip
def test_operators(template: str) -> None:
    assert refused("{{ (" + template + ") | length }}")


@pytest.mark.parametrize(
    "template",
    [
        "'a'.center(10 ** 9)", "'a'.ljust(10 ** 9)", "'a'.rjust(10 ** 9)", "'a'.zfill(10 ** 9)",
        "'a\\t'.expandtabs(10 ** 9)", f"{MEGA}.replace('a', {MEGA})", f"{MEGA}.join(['a'] * 1000)",
        "'{:999999999}'.format(1)", "'{:{w}}'.format(1, w=10 ** 9)", "'{:999999999}'.format_map({})",
        "(5).to_bytes(10 ** 9)", "'a'.encode()", "'a'.translate({97: 'b'})", "'a'.maketrans('a', 'b')",
        "(1.5).as_integer_ratio()", "{}.fromkeys([1])", "'a'.__class__", "range(3).__class__", "[].append(1)",
        "('<a>' | escape).center(10 ** 9)", "('<a>' | escape).unescape()",
    ],
)  # fmt: skip
def test_methods(template: str) -> None:
    assert refused("{{ " + template + " }}")


def test_what_templates_are_written_with_goes_on_to_work() -> None:
    template = """{{ "%05.2f|%s 2026" | format(3.14159, "x") }} {{ "{:>6}|{:.2f}".format("a", 2.5) }} {{ "-" * 20 }}
{{ 2.567 | round(1) }} {{ "a,b".split(",") | join("; ") }} {{ "x".center(5) }} {{ [1, 2] + [3] }} {{ 2 ** 10 }}
{{ {"a": 1}.items() | list }} {{ "Abc".upper().replace("B", "*") }} {{ "a" | indent(2, true) }} {{ [3, 1] | sort }}
{{ [1, 2, 3] | batch(2, 0) | list }} {{ "7 %d" % 5 }} {{ "abc"[1:] }} {{ 7 // 2 }} {{ -7 % 3 }}"""
    assert fill(template, "") == (
        "03.14|x 2026      a|2.50 --------------------\n2.6 a; b   x   [1, 2, 3] 1024\n"
        "[(&#39;a&#39;, 1)] A*C   a [1, 3]\n[[1, 2], [3, 0]] 7 5 bc 3 2"
    )


def test_weight_counts_what_stands_in_several_places_each_time() -> None:
    assert weight(["abc"] * 3) == 12
    assert weight({"a": ["b", "c"]}) == 1 + 1 + 2 + 2
    assert weight(range(10)) == weight(7) == 0


_VALUE = st.sampled_from(
    [
        "0", "-1", "7", "2.5", "10 ** 9", "-(10 ** 12)", "''", "'ab c'", "'%9999d'", "'1.250'", MEGA, "[]", "[1, 'x']",
        "{}", "none", "true", "row", "range(100000)",
    ]
)  # fmt: skip
_OPERATOR = st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "~", "in", "=="])
_FILTER = st.sampled_from(sorted(DEFAULT_FILTERS.keys() | FILTERS.keys()))
_METHOD = st.sampled_from(sorted(dir(str) + dir(int) + dir(list) + dir(dict)))
_TEST = st.sampled_from(sorted(name for name in DEFAULT_TESTS if name.isalpha()))
_STEP = st.one_of(
    st.builds(" {} {})".format, _OPERATOR, _VALUE),
    st.builds(" | {})".format, _FILTER),
    st.builds(" | {}({}))".format, _FILTER, _VALUE),
    st.builds(" | {}({}, {}))".format, _FILTER, _VALUE, _VALUE),
    st.builds(".{}({}))".format, _METHOD, _VALUE),
    st.builds(" is {} {})".format, _TEST, _VALUE),
)


@settings(deadline=None, max_examples=300)
@given(_VALUE, st.lists(_STEP, min_size=1, max_size=3))
@example("'ab c'", [" | truncate(0))"])  # which Jinja2 meets with an assertion
def test_any_expression_is_worked_out_or_refused(value: str, steps: list[str]) -> None:
    expression = "(" * len(steps) + value + "".join(steps)
    try:
        made = fill("{{ " + expression + " }}", json.dumps({"row": {"a": 1}}))
    except Refused:
        return
    assert len(made) <= 32 << 20
