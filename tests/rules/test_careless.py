"""What a careless hand writes: signs that only look right, keys in the wrong table, files that say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from paperchute.cli.front import app
from paperchute.rules.file import parse
from paperchute.rules.problems import RuleFileError, told
from paperchute.rules.recovery import MOST_PROBLEMS

HEAD = "version = 1\n"
RULE = '[[rule]]\nname = "A"\nfolder = "/hot/a"\noperation = "pdf-to-markdown"\n'
PLACED = "`{}` has its place below {}"
ORDINARY = "this {} is a full-width one; write the ordinary {}"
BLANK = "this blank is not an ordinary space, as happens when text is pasted; delete it and type it again"
QUOTES = 'these are typographic quotes; write straight ones, "..."'

SLIPS = {
    "full-width equals": (HEAD + RULE.replace("name =", "name ＝"), [(3, ORDINARY.format("＝", "="))]),
    "full-width quotes": (HEAD + RULE.replace('"A"', "＂A＂"), [(3, ORDINARY.format("＂", '"'))]),
    "a full-width digit": ("version = １\n" + RULE, [(1, ORDINARY.format("１", "1"))]),
    "a full-width colon": (HEAD + RULE.replace("name =", "name："), [(3, ORDINARY.format("：", ":"))]),
    "quotes of Chinese": (HEAD + RULE.replace('"A"', "「A」"), [(3, QUOTES)]),
    "a pasted blank before a header": (HEAD + "\u00a0" + RULE, [(2, BLANK)]),
    "a key of another script": (
        HEAD + RULE.replace("name", "n\u0430me").replace("n\u0430me", "\u043dame"),
        [(3, "a key is one word of letters without accents, digits, - and _; then follows `=`")],
    ),
    "old Macs": (
        (HEAD + RULE).replace("\n", "\r"),
        [(1, "this line ends as on old Macs; save the file with line ends of Unix or Windows")],
    ),
    "a rule's key at the top": (HEAD + "retries = 3\n" + RULE, [(2, PLACED.format("retries", "[[rule]]"))]),
    "a rule's key in [service]": (
        HEAD + "[service]\nretries = 3\n" + RULE,
        [(3, PLACED.format("retries", "[[rule]]"))],
    ),
    "the service's key in a rule": (
        HEAD + RULE + 'base_url = "https://example.com"\n',
        [(6, PLACED.format("base_url", "[service]"))],
    ),
    "the engine's key in [service]": (
        HEAD + '[service]\nmax_storage = "1 GB"\n' + RULE,
        [(3, PLACED.format("max_storage", "[engine]"))],
    ),
    "the service's key in [defaults]": (
        HEAD + '[defaults]\napi_key = "env:KEY"\n' + RULE,
        [(3, PLACED.format("api_key", "[service]"))],
    ),
    "a table that is a number": (HEAD + "service = 3\n" + RULE, [(2, "[service] must be a table")]),
    "another one": (HEAD + "engine = 3\n" + RULE, [(2, "[engine] must be a table")]),
    "a version to come": (
        "version = 2\n" + RULE,
        [(1, "this file is of version 2, for a newer Paperchute; this one reads version 1")],
    ),
    "a whole disk": (
        HEAD + RULE.replace("/hot/a", "/"),
        [(4, "a whole disk cannot be a hot folder: what is done goes beside it; name a folder")],
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told_with_what_to_write(slip: str, tmp_path: Path) -> None:
    text, expected = SLIPS[slip]
    with pytest.raises(RuleFileError) as failed:
        parse(text, tmp_path / "rules.toml")
    assert [(problem.line, problem.message) for problem in failed.value.problems][: len(expected)] == expected


def test_what_a_schedule_takes_is_said_with_its_key(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError, match='`schedule` takes "hourly", '):
        parse(HEAD + RULE + 'schedule = "now and then"\n', tmp_path / "rules.toml")


@pytest.mark.parametrize("dash", "–—\u2212")
def test_a_dash_that_a_word_processor_makes_of_a_hyphen_is_one(dash: str, tmp_path: Path) -> None:
    text = f'between = "22:00{dash}06:00"\ndays = "mon{dash}fri"\npages = "2{dash}3"\n'
    (rule,) = parse(HEAD + RULE + text, tmp_path / "rules.toml").rules
    assert (rule.between, rule.days[-1], len(rule.days)) == (("22:00-06:00",), "fri", 5)


@pytest.mark.parametrize("text", [HEAD, HEAD + RULE + "enabled = false\n"])
def test_a_file_that_watches_nothing_is_not_all_good(text: str, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(text)
    said = CliRunner().invoke(app, ["--rules", str(tmp_path / "rules.toml"), "check"])
    assert (said.exit_code, "all good" in said.output) == (0, False)
    assert said.output.endswith(":1:1: warning: no rule is switched on, so no folder is watched.\n")


def test_a_value_as_long_as_the_file_is_not_repeated_in_full(tmp_path: Path) -> None:
    text = HEAD + RULE.replace("pdf-to-markdown", "x" * 500_000) + f'kind = "{"y" * 400_000}"\n'
    with pytest.raises(RuleFileError) as failed:
        parse(text, tmp_path / "rules.toml")
    assert 0 < len(failed.value.problems) <= MOST_PROBLEMS
    assert all(len(told(problem)) < 1500 for problem in failed.value.problems)
