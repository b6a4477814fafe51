"""Templates that a word processor has saved as HTML."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.html.templates import expressions_undone, fill


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("{{ total | money(&quot;EUR&quot;) }}", '{{ total | money("EUR") }}'),
        ("{{ total&nbsp;| money(&#34;EUR&#34;) }}", '{{ total | money("EUR") }}'),
        ("{{ total | money(&ldquo;EUR&rdquo;) }}", '{{ total | money("EUR") }}'),
        ("{{ total | money(„EUR“) }}", '{{ total | money("EUR") }}'),
        ("{{ total | money(«EUR») }}", '{{ total | money("EUR") }}'),
        ("{{ total | money(‘EUR’) }}", '{{ total | money("EUR") }}'),
        ("{{ name | default(“It's”) }}", '{{ name | default("It\'s") }}'),
        ("{% if pieces &gt; 1 and a &lt; 2 %}x{% endif %}", "{% if pieces > 1 and a < 2 %}x{% endif %}"),
        ("{% if name == &quot;A&amp;B&quot; %}", '{% if name == "A&B" %}'),
    ],
)
def test_expressions_are_read_as_their_author_wrote_them(written: str, meant: str) -> None:
    assert expressions_undone(f"<p>&quot;{written}&nbsp;“x”</p>") == f"<p>&quot;{meant}&nbsp;“x”</p>"


@pytest.mark.parametrize(
    "template",
    [
        '{{ "&nbsp;" | safe }}',
        '{{ name | replace("&amp;", "&") }}',
        "{{ note | default('„none“') }}",
        '{{ "a\\"&quot;" }}',
        "{# &quot; #}",
        "<p>&quot;{ x } “y” &lt;</p>",
        "{{ a",
        "{{ '}}' }}",
    ],
)
def test_what_is_right_already_stays_as_it_is(template: str) -> None:
    assert expressions_undone(template) == template


def test_a_saved_template_is_filled() -> None:
    money = "{% if pieces&nbsp;&gt;&nbsp;1 %}{{ total | money(&quot;EUR&quot;) }}{% endif %}"
    template = f"<html><body lang=DE link=blue><p>{money}"
    assert fill(template, json.dumps({"total": 1250, "pieces": 2})).endswith("<p>1.250,00\u00a0€")


@given(
    st.lists(
        st.sampled_from(["{{", "}}", "{%", "%}", "{#", "#}", '"', "'", "\\", "&quot;", "&amp;", "“", "”", "a", " "])
    )
)
def test_nothing_but_expressions_changes_and_twice_is_as_once(pieces: list[str]) -> None:
    template = "".join(pieces)
    once = expressions_undone(template)
    if "{{" not in template and "{%" not in template:
        assert once == template
    assert len(once) <= len(template)


@pytest.mark.parametrize("piece", ["{{", '"\\', "'\\", "“", "&quot;", "“a", "'\""])
def test_the_time_it_takes_grows_with_the_template_alone(piece: str) -> None:
    """Where something was looked through again and again, this would not end."""
    template = "{{&amp;" + piece * 1_000_000 + "}}"
    assert len(expressions_undone(template)) <= len(template)
