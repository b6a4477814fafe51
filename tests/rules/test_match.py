"""Which rule takes a file: globs, case, Unicode forms, sub-folders, sets."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.rules.match import first_match
from paperchute.rules.patterns import glob
from tests.ending import ends
from tests.jobs.makers import make_rule

HOT = Path("/hot")


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a.pdf", "*.pdf", True),
        ("A.PDF", "*.pdf", True),
        ("deep/er/a.pdf", "*.pdf", True),
        ("deep/a.pdf", "deep/*.pdf", True),
        ("deep/er/a.pdf", "deep/*.pdf", False),
        ("deep/er/a.pdf", "deep/**/*.pdf", True),
        ("deep/a.pdf", "deep/**/*.pdf", True),
        ("a.pdf", "**/*.pdf", True),
        ("a.pdf", "?.pdf", True),
        ("ab.pdf", "?.pdf", False),
        ("a.pdf", "[abc].pdf", True),
        ("u\u0308.pdf", "\u00fc.pdf", True),
        ("STRASSE.pdf", "straße.pdf", True),
        ("a.pdf.part", "*.pdf", False),
        ("new\nline.pdf", "new*.pdf", True),
    ],
)
def test_globs(path: str, pattern: str, fits: bool) -> None:
    assert glob(PurePosixPath(path), pattern) is fits


@given(st.lists(st.text(st.characters(exclude_characters="/\\\0:"), min_size=1, max_size=8), min_size=1, max_size=4))
def test_matching_is_the_same_for_every_platform_s_paths(parts: list[str]) -> None:
    if any(part in (".", "..") for part in parts):
        return
    for pattern in ("*.pdf", "**", "a*/**", "*/*"):
        assert glob(PurePosixPath(*parts), pattern) == glob(PureWindowsPath(*parts), pattern)


def test_a_hostile_glob_takes_no_exponential_time() -> None:
    ends(lambda: glob(PurePosixPath("a" * 250), "*a" * 60 + "b"))
    ends(lambda: glob(PurePosixPath(*["a"] * 60), "/".join(["**", "a"] * 30) + "/b"))


def test_the_first_enabled_rule_takes_a_file() -> None:
    off = make_rule(HOT, name="off", enabled=False)
    reports = make_rule(HOT, name="reports", match=("report*",), except_=("*draft*",))
    rest = make_rule(HOT, name="rest")
    rules = [off, reports, rest]
    assert first_match(rules, HOT, PurePosixPath("Report 1.pdf")) is reports
    assert first_match(rules, HOT, PurePosixPath("report draft.pdf")) is rest
    assert first_match(rules, Path("/other"), PurePosixPath("a.pdf")) is None


def test_sub_folders_are_for_recursive_rules_and_sets_for_gathering_ones() -> None:
    flat, deep = make_rule(HOT, name="flat"), make_rule(HOT, name="deep", recursive=True)
    sets = make_rule(HOT, name="sets", gather="folder", except_=("tmp*",))
    rules = [flat, sets, deep]
    assert first_match(rules, HOT, PurePosixPath("a.pdf")) is flat
    assert first_match(rules, HOT, PurePosixPath("x/a.pdf")) is deep
    assert first_match(rules, HOT, PurePosixPath("bundle"), is_set=True) is sets
    assert first_match(rules, HOT, PurePosixPath("tmp 1"), is_set=True) is None
