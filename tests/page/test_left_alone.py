"""What the workshop leaves alone in a rule file is byte for byte as before, however the file is written."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.app import workshop
from paperchute.app.rule_changes import digest_of, text_of
from paperchute.app.workshop import Draft

RULES = 4
BOM = b"\xef\xbb\xbf"


class Written:
    """A rule file as people write them, in pieces: what stands first, each rule, and what stands last."""

    def __init__(self, dice: random.Random, newline: str, *, mixed: bool, bom: bool) -> None:
        self._dice = dice
        self._newline = newline
        self.mixed = mixed
        self._head = self._lines([*self._remarks(), "version = 1\t# of the format", *self._gap()])
        if dice.random() < 0.4:
            self._head += self._lines(["[service]", "concurrency = 2 # two", *self._gap()])
        self.rules = [self._lines(self._rule(number)) for number in range(RULES)]
        last = [*self._remarks()]
        if dice.random() < 0.4:
            last += ["[defaults]", "\tretries=2 # of all", *self._gap(), *self._remarks()]
        self.tail = self._lines(last)
        if dice.random() < 0.3:
            cut = self.tail or self.rules[-1]
            while cut.endswith((b"\n", b"\r")):
                cut = cut[:-1]
            if self.tail:
                self.tail = cut
            else:
                self.rules[-1] = cut
        self.head = BOM * bom + self._head

    @property
    def whole(self) -> bytes:
        """The file."""
        return self.head + b"".join(self.rules) + self.tail

    def _rule(self, number: int) -> list[str]:
        dice, indent = self._dice, self._dice.choice(["", "", "\t", "  "])
        keys = [
            "name" + dice.choice([" = ", "=", "\t=\t"]) + f"'R{number}'",
            f'folder   = "f{number}" {dice.choice(["", "# where it lies", "#"])}',
            dice.choice(["priority = 1_0", "priority=+3  # soon", "retries = 0x2"]),
            dice.choice(['match = ["*.pdf",\n\t# or\n  "*.PDF", # both\n]', "match='*.pdf'", 'match = ["a","b" ]']),
        ]
        several = dice.random() < 0.3
        if not several:
            keys.append("operation = 'pdf-to-markdown'")
        dice.shuffle(keys)
        found = [dice.choice(["[[rule]]", "[[ rule ]] # a rule", "[[rule]]\t"])]
        for key in keys:
            found += [indent + line for line in key.split("\n")]
            found += dice.choice([[], [], [""], ["  # between"], ["\t"]])
        shape = dice.random()
        if several:
            found += ["[[rule.steps]]", "operation = 'magic-color'", "# then", "[[rule.steps]]  # 2",
                      "operation = 'pdf-to-editable'"]  # fmt: skip
        elif shape < 0.3:
            found += ["[rule.parameters] # these", "enableOcr = true", "pageRanges = '1-3'"]
        elif shape < 0.6:
            found += ["parameters={enableOcr=true,pageRanges = '1-3'} # inline"]
        return [*found, *self._gap()]

    def _remarks(self) -> list[str]:
        return self._dice.choice([[], ["# a remark ü"], ["#one", "# two", ""], ["", "# by itself", ""]])

    def _gap(self) -> list[str]:
        return self._dice.choice([[], [""], ["", ""], [" \t"], ["", "# by itself", ""]])

    def _lines(self, lines: list[str]) -> bytes:
        ends = ("\n", "\r\n") if self.mixed else (self._newline,)
        return "".join(line + self._dice.choice(ends) for line in lines).encode()


FILES = st.builds(
    Written, st.randoms(use_true_random=False), st.sampled_from(["\n", "\r\n"]), mixed=st.booleans(), bom=st.booleans()
)


@pytest.fixture(name="path", scope="module")
def _path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rules") / "rules.toml"


def lay(path: Path, written: Written) -> str:
    """Put the file there; the digest by which it is changed."""
    path.write_bytes(written.whole)
    return digest_of(text_of(path))


def lines_of(content: bytes) -> list[bytes]:
    return content.split(b"\n")


def is_within(some: list[bytes], others: list[bytes]) -> bool:
    """Whether all of some are among the others, in their order."""
    rest = iter(others)
    return all(one in rest for one in some)


@given(FILES, st.integers(0, RULES - 1), st.sampled_from(["value", "more", "gone", "switch", "parameter"]))
def test_a_change_touches_lines_of_its_key_alone(path: Path, written: Written, number: int, what: str) -> None:
    digest, name = lay(path, written), f"R{number}"
    match what:
        case "value":
            workshop.save(path, digest, draft(name, {"folder": {"kind": "text", "text": "other"}}))
        case "more":
            workshop.save(path, digest, draft(name, {"recursive": {"kind": "switch", "text": "on"}}))
        case "gone":
            workshop.save(path, digest, draft(name, {"match": None}))
        case "switch":
            workshop.switch(path, digest, name, on=False)
        case "parameter":
            step: dict[str, object] = {"operation": "pdf-to-editable", "of": None, "parameters": {}}
            workshop.save(path, digest, Draft.model_validate({"rule": name, "steps": [step]}))
    now = path.read_bytes()
    before, after = b"".join([written.head, *written.rules[:number]]), written.rules[number + 1 :]
    assert now.startswith(before)
    assert now.endswith(b"".join([*after, written.tail]))
    if what in ("more", "switch"):
        inner = now[len(before) : len(now) - len(b"".join([*after, written.tail]))]
        rule = written.rules[number]
        ends = [b""] if rule.endswith(b"\n") else [b"\n", b"\r\n"]  # what the file lacked behind its last line
        assert any(is_within(list(filter(None, lines_of(rule + end))), lines_of(inner)) for end in ends)
    remarks = [line for line in lines_of(written.rules[number]) if line.lstrip().startswith(b"#")]
    if what != "gone" and what != "parameter":
        assert is_within(remarks, lines_of(now[len(before) :]))


@given(FILES, st.integers(0, RULES - 1), st.booleans())
def test_what_is_added_stands_behind_all_that_was(path: Path, written: Written, number: int, is_copy: bool) -> None:
    digest = lay(path, written)
    keys = {"name": {"kind": "text", "text": "New"}, "folder": {"kind": "text", "text": "new"}}
    steps = None if is_copy else [{"operation": "pdf-to-markdown"}]
    rule = f"R{number}" if is_copy else ""
    workshop.save(path, digest, Draft.model_validate({"rule": rule, "is_copy": is_copy, "keys": keys, "steps": steps}))
    assert path.read_bytes().startswith(written.whole)
    assert tomllib.loads(text_of(path))["rule"][-1]["name"] == "New"


def told_apart(written: Written, content: bytes) -> bytes:
    """The content, without the ends of lines where these end in two ways: equal lines cannot be told apart then."""
    return content.replace(b"\r\n", b"\n") if written.mixed else content


@given(FILES, st.integers(0, RULES - 1), st.sampled_from([-1, 1]))
def test_rules_change_places_line_by_line(path: Path, written: Written, number: int, by: int) -> None:
    workshop.move(path, lay(path, written), f"R{number}", by)
    now = told_apart(written, path.read_bytes())
    assert sorted(filter(None, now.splitlines())) == sorted(
        filter(None, told_apart(written, written.whole).splitlines())
    )
    for rule in written.rules:
        assert own_lines(told_apart(written, rule)) in now


@given(FILES, st.integers(0, RULES - 1))
def test_a_rule_goes_alone(path: Path, written: Written, number: int) -> None:
    workshop.remove(path, lay(path, written), f"R{number}")
    now = told_apart(written, path.read_bytes())
    for other, rule in enumerate(written.rules):
        assert (own_lines(told_apart(written, rule)) in now) == (other != number)


def own_lines(rule: bytes) -> bytes:
    """Without the remarks behind it, which may go with the rule that follows."""
    lines = rule.strip().split(b"\n")
    while lines[-1].lstrip().startswith(b"#") or not lines[-1].strip():
        lines.pop()
    return b"\n".join(lines).strip()


def draft(name: str, keys: dict[str, Any]) -> Draft:
    return Draft.model_validate({"rule": name, "keys": keys})
