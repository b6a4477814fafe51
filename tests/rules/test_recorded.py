"""Rules, fingerprints and journal texts as commit 875ae59 made them: what stands in journals of that time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from paperchute.rules.file import parse
from paperchute.rules.stored import fingerprint, rule_from_text, rule_to_text

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "recorded" / "rules-875ae59.jsonl").read_text("utf-8").splitlines()
]
"""The tour, the recipes, every value of every key by itself, and 45 rules that Hypothesis made of them."""

HOME = Path("/home/somebody")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the recorded paths are absolute on POSIX only")


@pytest.mark.parametrize("recorded", RECORDED, ids=range(len(RECORDED)))
def test_the_same_file_gives_the_same_rules_and_fingerprints(
    recorded: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(HOME))
    rules = parse(recorded["toml"], HOME / "Office" / "rules.toml").rules
    assert [rule.fingerprint for rule in rules] == [old["fingerprint"] for old in recorded["rules"]]
    assert list(rules) == [rule_from_text(old["text"]) for old in recorded["rules"]]


@pytest.mark.parametrize("recorded", RECORDED, ids=range(len(RECORDED)))
def test_a_text_of_that_time_is_read_and_written_in_todays_way(recorded: dict[str, Any]) -> None:
    for old in recorded["rules"]:
        rule = rule_from_text(old["text"])
        raw = json.loads(old["text"])
        for name, value in raw.items():  # each value, and not only those that both releases call equal
            found = getattr(rule, name)
            if name == "steps":
                assert [{"operation": step.operation, "parameters": step.parameters} for step in found] == value
            else:
                assert (list(found) if isinstance(found, tuple) else found) == (
                    Path(value) if name == "folder" else value
                )
        assert fingerprint(rule) == rule.fingerprint == old["fingerprint"]
        assert rule_from_text(rule_to_text(rule)) == rule
        assert len(rule_to_text(rule)) < len(old["text"])
