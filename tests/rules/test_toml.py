"""Broken TOML: every broken statement is told by itself, and the others are checked as if it were not there."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paperchute.rules.file import parse
from paperchute.rules.problems import Problem, RuleFileError
from paperchute.rules.recovery import MOST_PROBLEMS, read
from paperchute.rules.toml import exceeded
from tests.ending import ends

PATH = Path("rules.toml").absolute()
GOOD = """\
version = 1
# a remark
[service]
base_url = "https://a.example"
api_key = "env:KEY"
concurrency = 2

[defaults]
retries = 3

[[rule]]
name = "A"
folder = "a"
operation = "pdf-to-markdown"
parameters = { pageRanges = "1-3" }
pattern = '(?P<who>[a-z]+)'
output = "out/{who}.{ext}"
recursive = true
depth = 2

[[rule]]
name = "B"
folder = "b"
gather = "batch"
quiet = 3
operation = "pdf-merge"

[[rule]]
name = "C"
folder = "c"
steps = [
  { operation = "magic-color" }, # with a remark
  { operation = "pdf-encrypt", parameters = { userPassword = "env:A" } },
]

[[rule]]
name = "D"
folder = "d"
operation = "pdf-encrypt"
[rule.parameters]
userPassword = "env:B"
algorithm = "aes256"
"""
LINES = GOOD.split("\n")
PAIRS = [number for number, line in enumerate(LINES) if " = " in line and not line.startswith(" ") and line[-1] != "["]
HEADERS = [number for number, line in enumerate(LINES) if line.startswith("[")]


def told(text: str) -> list[Problem]:
    """All that is wrong with a file of this text."""
    try:
        parse(text, PATH)
    except RuleFileError as error:
        return list(error.problems)
    return []


def _key(line: str) -> str:
    return line.split(" = ")[0]


BREAKS = {
    "bare": lambda line: f"{_key(line)} = a word",
    "colon": lambda line: line.replace(" = ", ": ", 1),
    "no equals": lambda line: line.replace(" = ", " ", 1),
    "no value": lambda line: f"{_key(line)} =",
    "curly": lambda line: f"{_key(line)} = “x”",
    "no end": lambda line: f'{_key(line)} = "x',
    "no single end": lambda line: f"{_key(line)} = 'x",
    "switch": lambda line: f"{_key(line)} = yes",
    "unit": lambda line: f"{_key(line)} = 10 MB",
    "open list": lambda line: f'{_key(line)} = ["x"',
    "open table": lambda line: f"{_key(line)} = {{ x = 1",
    "two braces": lambda line: f"{_key(line)} = {{ x = 1 }}}}",
    "no comma": lambda line: f'{_key(line)} = ["x" "y"]',
    "backslash": lambda line: f'{_key(line)} = "C:\\Users"',
    "lines in braces": lambda line: f"{_key(line)} = {{\n  x = 1,\n  y = 2,\n}}",
    "remark": lambda line: f"{line}\n// remark",
}


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(PAIRS), st.sampled_from(sorted(BREAKS)), min_size=1, max_size=8))
@example(dict.fromkeys(PAIRS, "bare"))
@example({PAIRS[0]: "open list", PAIRS[-1]: "open table"})
@example({16: "open list", 17: "no equals"})
def test_so_many_broken_lines_so_many_problems_and_none_elsewhere(broken: dict[int, str]) -> None:
    lines: list[str] = []
    expected: set[int] = set()
    for number, line in enumerate(LINES):
        if number in broken:
            made = BREAKS[broken[number]](line)
            expected.add(len("\n".join([*lines, ""]).split("\n")) + (broken[number] == "remark"))
            lines.append(made)
        else:
            lines.append(line)
    found = told("\n".join(lines))
    assert [problem.line for problem in found] == sorted(expected), [(p.line, p.message) for p in found]


@settings(max_examples=100, deadline=None)
@given(
    st.sets(st.sampled_from([n for n in HEADERS if "rule]]" in LINES[n] or "service" in LINES[n]]), min_size=1),
    st.sampled_from([lambda h: h[:-1], lambda h: h + " x", lambda h: h.replace("]]", "]") + "]]"]),
)
def test_a_broken_header_is_told_and_what_stands_below_it_is_checked(numbers: set[int], spoil: object) -> None:
    assert callable(spoil)
    lines = [spoil(line) if number in numbers else line for number, line in enumerate(LINES)]
    assert [problem.line for problem in told("\n".join(lines))] == sorted(number + 1 for number in numbers)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PAIRS), st.sampled_from(PAIRS[4:-2]))
def test_what_is_wrong_in_other_lines_is_told_too(broken: int, other: int) -> None:
    lines = list(LINES)
    lines[broken] = BREAKS["bare"](lines[broken])
    lines[other] += "\nnonsense_key = 1" if other != broken else ""
    expected = [broken + 1 + (other < broken), *([other + 2] if other != broken else [])]
    assert [problem.line for problem in told("\n".join(lines))] == sorted(expected)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab=[]{}\"'#\n ,.\\1-"), max_size=60))
def test_any_text_is_read(text: str) -> None:
    found = read(text)
    assert found.raw is None or isinstance(found.raw, dict)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("name = Read PDFs", "8: text goes in quotes"),
        ("name =", "7: the value is missing behind `=`"),
        ('name = "a" "b"', "12: the text ended before this"),
        ('name = "a", folder = "b"', "11: no `,` is allowed here: each key has a line of its own"),
        ('name: "a"', "5: write `=` instead of the colon"),
        ('name "a"', "6: `=` is missing here"),
        ("max size = 3", "5: a key is one word"),
        ("name = “a”", "8: these are typographic quotes"),
        ('folder = "C:\\Users\\me"', "15: a backslash inside"),
        ("max_size = 10 MB", "15: the value ended before this"),
        ("enabled = on", '11: a switch takes true or false, or "on" or "off" in quotes'),
        ('match = ["a" "b"]', "14: a comma is missing before this"),
        ('match = ["a", "b"', "9: this list is never closed"),
        ('match = ["a"]]', "14: there is one `]` too many"),
        ("parameters = { a = 1, }", "23: no comma is allowed before `}`"),
        ("parameters = {\n  a = 1,\n}", "15: what is in braces must end on the line"),
        ("recursive = ja", "13: a switch takes true or false"),
        ("parameters = { a = 1 b = 2 }", "22: a comma is missing before this"),
        ("parameters = { a = 1, a = 2 }", "28: 'a' is given twice in this table"),
        ('output = """x', '10: this text is never closed: `"""` is missing'),
        ("}", "1: this `}` closes nothing"),
        ("; a remark", "1: a comment begins with #"),
        ("= 3", "1: a line begins with a key"),
    ],
)
def test_what_is_wrong_is_said_in_words_that_help(line: str, expected: str) -> None:
    (problem,) = read(f"version = 1\n{line}\n").problems
    place, _, words = expected.partition(": ")
    assert (problem.line, problem.column) == (2, int(place)), problem
    assert problem.message.startswith(words)


def test_the_header_for_a_table_of_several_lines_is_the_one_that_fits() -> None:
    (problem,) = read("version = 1\nparameters = {\n  a = 1,\n}\n").problems
    assert problem.message.endswith("below [rule.parameters]; line 3 is not checked until then")


@pytest.mark.parametrize("line", ["api_key = hunter2", 'api_key = "hunter2', "api_key = [hunter2", "api_key: hunter2"])
def test_a_secret_in_a_broken_line_is_not_repeated(line: str) -> None:
    found = told(f"version = 1\n[service]\n{line}\n")
    assert [problem.line for problem in found] == [3]
    assert "hunter2" not in str(RuleFileError(PATH, found))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('version = 1\n[[rule]]\nname = "A"\nfolder = "a"\nname = "B"\noperation = "html-to-pdf"\n', [5]),
        ("version = 1\n[service]\n[service]\nconcurrency = 1\n", [3]),
        ('version = 1\n[rule]\nname = "A"\nfolder = "a"\noperation = "html-to-pdf"\n', [2]),
        ('version = 1\n[[rule]]\nname = "A"\nfolder = "a"\noperation = "html-to-pdf"\nparameters = {}\n'
         "[rule.parameters]\nx = 1\n", [7]),
        ("# a \x00\nversion = 1\n  # and \x01\n[defaults]\nretires = 1\n", [1, 3, 5]),
        ("version = 1\n[other\nx = \ny\n[defaults]\nretires = 1\n", [2, 3, 4, 6]),
    ],
)  # fmt: skip
def test_what_contradicts_something_above_is_told_once(text: str, lines: list[int]) -> None:
    assert [problem.line for problem in told(text)] == lines


def test_what_is_valid_is_never_cut() -> None:
    """Neither before nor behind a broken line, whatever it looks like."""
    text = 'a = [\n  [true],\n  ["x", # ]\n  """\n[[rule]]\nb = 1 \\""" """],\n]\nb = \'\'\'\nc = 1\n\'\'\'\nd = 1\n'
    raw = tomllib.loads(text)
    for broken in (f"{text}x y\n", f"x y\n{text}", f"x = [\n{text}"):
        found = read(broken)
        assert found.raw == raw
        assert len(found.problems) == 1


@pytest.mark.parametrize("line", ["x\n", "[[\n", "a = [\n", "a = 1\n", 'a = """\n'])
def test_of_a_file_of_nothing_but_mistakes_enough_is_told(line: str) -> None:
    assert 1 <= len(told(line * ((1 << 17) // len(line)))) <= 53


HUGE = 300_000
"""Letters; a rule file has at most 1 MB."""

HOSTILE = {
    "broken lines": "this is broken\n",
    "keys alone": "key\n",
    "open lists": "x = [\n",
    "open tables": "x = {\n",
    "one key again and again": "a = 1\n",
    "headers": "[rule]\n",
    "rules of nothing": "[[rule]]\n",
    "open texts": '''a = """\n[b]\n''',
    "open texts of one line": "a = '''x\n",
    "dots": "a.",
    "brackets": "a = [[",
    "header and dots": "[a.",
    "digits": "9",
    "blanks in a header": "x=[\n[a" + " " * 3000 + "!\n",
    "remarks": "#\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_huge_broken_file_ends_in_bounded_time_and_words(piece: str) -> None:
    """Whoever may write to a shared folder with rules must not stop those who watch it."""
    for text in ("version = 1\n" + piece * (HUGE // len(piece)), "x = " + piece * (HUGE // len(piece))):
        problems = ends(partial(told, text))
        assert len(problems) <= MOST_PROBLEMS + 1


def test_many_different_mistakes_are_told_only_as_far_as_anybody_reads() -> None:
    rule = '[[rule]]\nname = "a"\nfolder = "b"\noperation = "pdf-to-markdown"\n'
    for start in ("", rule, f"{rule}[rule.parameters]\n"):
        text = "version = 1\n" + start + "".join(f"k{number} = 1\n" for number in range(20_000))
        problems = ends(partial(told, text))
        assert len(problems) == MOST_PROBLEMS + 1


def test_a_thousand_rules_are_checked_in_bounded_time() -> None:
    rule = '[[rule]]\nname = "{0}"\nfolder = "/hot/{0}"\noperation = "pdf-to-markdown"\n'
    text = "version = 1\n" + "".join(rule.format(number) for number in range(1000))
    ends(lambda: told(text))


@given(st.text(alphabet="a.=[]{}\"'\\#\n, 1", max_size=200))
def test_only_what_nobody_writes_is_too_complicated(text: str) -> None:
    assert exceeded(text) is None or text.count(".") >= 16 or text.count("[") + text.count("{") > 100
