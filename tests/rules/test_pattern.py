"""Regular expressions over names: what they find, what is refused, and that none of them takes long."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.notation.patterns import compiled
from paperchute.rules.patterns import found, groups
from tests.ending import ends


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        (
            r"^(?P<customer>\w+) Rechnung (?P<number>\d+)",
            "Müller Rechnung 0042.pdf",
            {"customer": "Müller", "number": "0042"},
        ),
        (r"invoice", "My INVOICE.pdf", {}),
        (r"^invoice", "My INVOICE.pdf", None),
        (r"(?P<a>x)?(?P<b>y)", "y", {"a": "", "b": "y"}),
        (r"deep/(?P<who>[^/]+)/", "deep/anna/a.pdf", {"who": "anna"}),
        (r"deep", "deep/anna/a.pdf", None),
        (r"(?P<who>[\w ]+)_", "Ana Ñúñez_x.pdf", {"who": "Ana Ñúñez"}),
        (r"\D\W\S", "a-b", {}),
        (r"发票(?P<no>\d{2})", "增值税发票１２.pdf", {"no": "１２"}),
        ("u\u0308", "\u00fc.pdf", {}),
        (r"[]x]", "a]", {}),
        (r"\Q[w]\E", "[w]", {}),
    ],
)
def test_patterns(pattern: str, path: str, expected: dict[str, str] | None) -> None:
    assert found(pattern, PurePosixPath(path)) == expected


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(a", "a parenthesis is not closed"),
        ("a(?=b)", "looking around"),
        (r"(a)\1", "reference back"),
        ("*a", "nothing before"),
        ("a{2000}", "1,000 times"),
        (r"[\W]", "is not allowed inside"),
        ("(?P<a b>x)", "group's name"),
    ],
)
def test_what_cannot_be_used_is_explained(pattern: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        compiled(pattern)


def test_a_pattern_that_would_take_exponential_time_does_not() -> None:
    for pattern in ("(a+)+$", "(a|aa)+$", "(.*)*x", "(a?){60}a{60}"):
        ends(partial(found, pattern, PurePosixPath("a" * 250 + "!")))


@given(st.text(max_size=30), st.text(min_size=1, max_size=20))
def test_any_text_is_a_pattern_or_is_refused(pattern: str, name: str) -> None:
    try:
        names = groups(pattern)
    except ValueError:
        return
    seen = found(pattern, PurePosixPath(name))
    assert seen is None or tuple(sorted(seen)) == tuple(sorted(names))


@given(st.lists(st.text(st.characters(exclude_characters="/\\\0:"), min_size=1, max_size=8), min_size=1, max_size=4))
def test_it_is_the_same_for_every_platform_s_paths(parts: list[str]) -> None:
    if any(part in (".", "..") for part in parts):
        return
    for pattern in (r"(?P<x>\w+)", r"(?P<x>\w+)/", "a"):
        assert found(pattern, PurePosixPath(*parts)) == found(pattern, PureWindowsPath(*parts))
