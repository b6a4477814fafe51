"""Slips of every kind, up to three in a file: each is told once, at its line, and no healthy line is accused.

What a mistake hides from reading (an open list) may stay untold, where its message names the lines.
"""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paperchute.rules.problems import Problem
from paperchute.rules.recovery import read
from paperchute.rules.toml import decoded
from tests.rules.slips import BEHIND, HEADERS, PAIRS
from tests.rules.test_toml import GOOD, told

LINES = GOOD.split("\n")
_PAIR = [number for number, line in enumerate(LINES) if re.match(r"\w+ = (?!\[$)", line)]
_HEADER = [number for number, line in enumerate(LINES) if line.startswith("[")]
_HIDDEN = re.compile(r"; lines? (\d+)(?: to (\d+))? (?:is|are) not checked until then$")

slips = st.one_of(
    st.tuples(st.sampled_from(_PAIR), st.sampled_from([(PAIRS, name) for name in PAIRS])),
    st.tuples(st.sampled_from(_PAIR), st.sampled_from([(BEHIND, name) for name in BEHIND])),
    st.tuples(st.sampled_from(_HEADER), st.sampled_from([(HEADERS, name) for name in HEADERS])),
)


def _spoiled(line: str, kind: dict[str, object], name: str) -> list[str]:
    if kind is BEHIND:
        return [line, BEHIND[name]]
    key, _, value = line.partition(" = ")
    return (HEADERS[name](line) if kind is HEADERS else PAIRS[name](key, value)).split("\n")


def _written(chosen: dict[int, tuple[dict[str, object], str]]) -> tuple[str, list[range]]:
    """The text, and the lines (from 1) of each slip."""
    lines: list[str] = []
    broken = []
    for number, line in enumerate(LINES):
        if number not in chosen:
            lines.append(line)
            continue
        kind, name = chosen[number]
        new = _spoiled(line, kind, name)
        first = len(lines) + (2 if kind is BEHIND else 1)
        lines += new
        broken.append(range(first, len(lines) + 1))
    return "\n".join(lines), broken


def _held_against_the_truth(text: str, broken: list[range]) -> None:
    found = told(text)
    hidden: set[int] = set()
    for problem in found:
        if match := _HIDDEN.search(problem.message):
            hidden |= set(range(int(match[1]), int(match[2] or match[1]) + 1))
    said = [(problem.line, problem.message) for problem in found]
    for lines in broken:
        told_here = [problem for problem in found if problem.line in lines]
        assert len(told_here) == 1 or (not told_here and set(lines) <= hidden), (lines, said)
    assert all(any(problem.line in lines for lines in broken) for problem in found), said


@pytest.mark.parametrize(
    ("number", "kind", "name"),
    [
        *((number, PAIRS, name) for name in PAIRS for number in (_PAIR[0], _PAIR[1], _PAIR[9], _PAIR[-1])),
        *((number, BEHIND, name) for name in BEHIND for number in (_PAIR[1], _PAIR[5], _PAIR[-1])),
        *((number, HEADERS, name) for name in HEADERS for number in _HEADER),
    ],
)
def test_each_slip_alone(number: int, kind: dict[str, object], name: str) -> None:
    _held_against_the_truth(*_written({number: (kind, name)}))


@settings(max_examples=250, deadline=None)
@given(st.lists(slips, min_size=2, max_size=3, unique_by=lambda slip: slip[0]))
@example([(16, (PAIRS, "open list")), (17, (PAIRS, "no equals"))])
@example([(4, (PAIRS, "open table with a comma")), (7, (HEADERS, "semicolon behind"))])
@example([(40, (PAIRS, "open table with a comma")), (41, (BEHIND, "closing bracket"))])
def test_slips_together(chosen: list[tuple[int, tuple[dict[str, object], str]]]) -> None:
    _held_against_the_truth(*_written(dict(chosen)))


def test_a_list_left_open_before_a_broken_line_gives_no_follow_up() -> None:
    text = 'version = 1\n[[rule]]\nname = "A"\nfolder = "a"\noperation = "html-to-pdf"\n'
    found = told(f'{text}output = ["x"\nrecursive true\ndepth = 2\n')
    assert [problem.line for problem in found] == [6, 7]


def test_a_text_of_lines_that_is_never_closed_hides_all_that_follows_and_says_so() -> None:
    lines = list(LINES)
    lines[2] = 'x = """'
    (problem,) = told("\n".join(lines))
    assert problem.line == 3
    assert problem.message.endswith(f"; lines 4 to {len(LINES) - 1} are not checked until then")


def test_what_hides_says_which_lines() -> None:
    (problem,) = told(GOOD.replace("recursive = true", 'recursive = [\n  "x"\n  what is this\n  y'))
    assert problem.line == 18
    assert problem.message == "this list is never closed: `]` is missing; lines 19 to 21 are not checked until then"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: re.sub(r"(?m)^(?=\w)", "\t", text).replace(" = ", "\t=\t").encode(),
        lambda text: text.rstrip("\n").encode(),
    ],
    ids=["byte order mark", "Windows lines", "tabs", "no last line feed"],
)
def test_what_is_no_slip_is_not_told(spoil: object) -> None:
    assert callable(spoil)
    text = decoded(spoil(GOOD))
    assert isinstance(text, str)
    assert read(text).raw == read(GOOD).raw
    assert told(text) == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_once(encoding: str) -> None:
    found = decoded(GOOD.encode(encoding))
    assert isinstance(found, Problem)
    assert "UTF-16" in found.message


def test_another_encoding_is_told_at_its_place() -> None:
    found = decoded("version = 1\n# Gr\u00f6\u00dfe\n".encode("latin-1"))
    assert isinstance(found, Problem)
    assert (found.line, found.column) == (2, 5)


@pytest.mark.slow
def test_text_of_chance_is_read() -> None:
    """Pieces of rule files in any order: nothing is raised but what is meant for people, and lines exist."""
    chance = random.Random(14)
    pieces = [*re.findall(r"\w+|[^\w\s]| |\n", GOOD), '"""', "'''", "\xa0", "“", "\x00", "\\", "\n", "\n"]
    for _ in range(3000):
        text = "".join(chance.choices(pieces, k=chance.randrange(60)))
        assert all(1 <= problem.line <= text.count("\n") + 1 for problem in read(text).problems)
