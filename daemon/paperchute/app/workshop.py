"""The workshop of the page: the rules of the file, and drafts of them that are checked, tried and written."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from paperchute.app.rule_changes import changed_rules, checked, digest_of, put, seen, text_of
from paperchute.app.rule_form import IN_STEPS, Kind, key_fields, parameter_fields, steps_of, value_from, values_of
from paperchute.app.trial import told_of_service
from paperchute.app.untaken import told_of_waiting
from paperchute.contract import contract
from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.rules import edit
from paperchute.rules.disclosure import told_of_rule
from paperchute.rules.file import parse
from paperchute.rules.model import RULE_KEYS, Rule
from paperchute.rules.problems import KeyPath, Problem, RuleFileError, in_words
from paperchute.rules.settings import RuleFile
from paperchute.rules.toml import Places

_MOST_LINES = 200
_LONGEST = 300
"""Of a difference: lines, and characters of one."""


class Filled(BaseModel):
    """A field as somebody filled it in."""

    kind: Kind
    text: str


class StepDraft(BaseModel):
    """A step of a draft."""

    operation: str
    of: int | None = None
    """Which step of the rule it was."""
    parameters: dict[str, Filled | None] = {}
    """Those that are changed; None: it goes."""


class Draft(BaseModel):
    """What somebody wants a rule to be."""

    rule: str = ""
    """The rule of the file that it changes; empty for a new one."""
    is_copy: bool = False
    """Whether that one stays, and this is another."""
    keys: dict[str, Filled | None] = {}
    """Those that are changed; None: it goes."""
    steps: list[StepDraft] | None = None
    """None: as they are."""


def shelf(path: Path, text: str) -> dict[str, Any]:
    """The rules of the file with this text, as JSON's values. Raises RuleFileError where there are mistakes in it."""
    rules = parse(text, path)
    written = zip(rules.rules, _raw_rules(text), edit.blocks(text), strict=True)
    return {
        "path": str(path),
        "digest": digest_of(text),
        "remote": ", ".join(told_of_service(name, rules) for name in rules.in_use if rules.is_remote(name)),
        "rules": [
            {**_told(rule), "text": told_of_rule(block).splitlines(), **values_of(raw)} for rule, raw, block in written
        ],
    }


def difference(before: str, now: str) -> list[str]:
    """Give what somebody else has changed in the file: its lines that went (-) and came (+), with those around them."""
    was, stands = told_of_rule(before).splitlines(), told_of_rule(now).splitlines()
    lines = unified_diff(was, stands, lineterm="", n=2)
    shown = [line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in islice(lines, 2, _MOST_LINES + 3)]
    return shown if len(shown) <= _MOST_LINES else [*shown[:_MOST_LINES], "…"]


def _told(rule: Rule) -> dict[str, Any]:
    titles = [_(contract().known(step.operation).title) for step in rule.steps]
    return {
        "name": rule.name,
        "on": rule.enabled,
        "folder": str(rule.folder),
        "does": " → ".join(titles),
        "output": rule.output,
    }


def switch(path: Path, digest: str, name: str, *, on: bool) -> None:
    """Switch a rule on or off. Raises PaperchuteError, as the following do."""
    _change(path, digest, lambda text: edit.switched(text, name, on=on))


def move(path: Path, digest: str, name: str, by: int) -> None:
    """Have a rule change places with the one before or behind it."""
    _change(path, digest, lambda text: edit.moved(text, name, by))


def remove(path: Path, digest: str, name: str) -> None:
    """Take a rule out of the file; its folder and files stay."""
    _change(path, digest, lambda text: edit.without_rule(text, name))


def _change(path: Path, digest: str, changed: Callable[[str], str]) -> None:
    text = text_of(path)
    seen(text, digest)
    put(path, digest, changed_rules(path, text, changed)[1])


def save(path: Path, digest: str, draft: Draft, *, confined: bool = False) -> dict[str, Any]:
    """Write a draft, if nothing is wrong with it; what is, and warnings, as JSON's values."""
    told, good = look(path, digest, draft, confined=confined)
    if good is not None:
        put(path, digest, good[0].text)
    return told


def look(
    path: Path, digest: str, draft: Draft, *, confined: bool = False
) -> tuple[dict[str, Any], tuple[RuleFile, Rule] | None]:
    """What is wrong with a draft and what looks like a mistake, as `check` would say it; the rules with it, and it.

    confined: see `checked`.
    """
    text = text_of(path)
    seen(text, digest)
    before = parse(text, path)
    here = before.rules
    changed = with_draft(text, draft)
    number = _number(text, draft)
    was = here[number] if number < len(here) else None
    try:
        rules = checked(path, before, changed, confined=confined)
    except RuleFileError as error:
        places = _places(changed, number)
        found = [placed(problem, places) for problem in error.problems]
        lacking = {_("{message}.", message=_("`{key}` is missing", key=key)): key for key in ("name", "folder")}
        return {
            "problems": [{**one, "field": one["field"] or lacking.get(one["message"], "")} for one in found],
            "warnings": [],
        }, None
    rule = rules.rules[number]
    warnings = [in_words(one) for one in rules.warnings if one.rule == rule.name]
    if was is None or (was.folder, was.enabled) != (rule.folder, rule.enabled):
        warnings += filter(None, [told_of_waiting(rule, rules.rules)])
    return {"problems": [], "warnings": warnings}, (rules, rule)


def with_draft(text: str, draft: Draft) -> str:
    """The text of the file with a draft in it. Raises PaperchuteError where it makes no rule at all."""
    if not draft.rule:
        keys = _keys({}, draft)
        return edit.with_keys(text, {key: keys[key] for key in RULE_KEYS if key in keys})
    rules = {rule.get("name"): rule for rule in _raw_rules(text)}
    keys = _keys(rules.get(draft.rule, {}), draft)
    return (edit.with_copy if draft.is_copy else edit.with_values)(text, draft.rule, keys)


def _raw_rules(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(text).get("rule", [])
    return found


def _number(text: str, draft: Draft) -> int:
    """Return which rule of the file it is, or will be."""
    rules = _raw_rules(text)
    if draft.rule and not draft.is_copy:
        return [rule.get("name") for rule in rules].index(draft.rule)
    return len(rules)


def _keys(raw: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """The whole rule as it is to stand in the file."""
    keys = dict(raw)
    fill(keys, draft.keys, key_fields())
    if draft.steps is None:
        return keys
    old = steps_of(raw)
    steps = [_step(step, old) for step in draft.steps]
    for key in IN_STEPS:
        if key != "steps" or "steps" not in raw:
            keys.pop(key, None)
    if "steps" in raw or len(steps) != 1:
        keys["steps"] = steps
    else:
        keys.update(steps[0])
    return keys


def _step(step: StepDraft, old: list[dict[str, Any]]) -> dict[str, Any]:
    was = old[step.of] if step.of is not None and 0 <= step.of < len(old) else None
    parameters = dict(was["parameters"]) if was is not None and was["operation"] == step.operation else {}
    fill(parameters, step.parameters, parameter_fields(step.operation))
    asked: dict[str, Any] = {key: was[key] for key in ("service", "or") if was is not None and key in was}
    return {"operation": step.operation, **({"parameters": parameters} if parameters else {}), **asked}


def fill(values: dict[str, Any], changed: Mapping[str, Filled | None], fields: Mapping[str, Any]) -> None:
    """Bring what was changed into values of the file. fields: by name, as of the form. Raises PaperchuteError."""
    for name, filled in changed.items():
        if name not in fields:
            raise PaperchuteError(_("There is no key {key}.", key=repr(name)))
        if filled is None:
            values.pop(name, None)
        else:
            values[name] = value_from(filled.kind, filled.text, fields[name]["options"])


def _places(changed: str, number: int) -> dict[tuple[int, int], str]:
    """The field of the form by the place in the file that a problem names."""
    places = Places(changed)
    raw = _raw_rules(changed)[number]
    base: KeyPath = ("rule", number)
    found = {places.of((*base, key)): key for key in raw if key not in IN_STEPS}
    for index, step in enumerate(steps_of(raw)):
        top: KeyPath = (*base, "steps", index) if "steps" in raw else base
        found[places.of((*top, "operation"))] = f"{index}/operation"
        found.update({places.of((*top, "parameters", name)): f"{index}/{name}" for name in step["parameters"]})
    return found


def placed(problem: Problem, places: Mapping[tuple[int, int], str]) -> dict[str, str]:
    """A problem at its field. places: the fields by line and column."""
    return {"field": places.get((problem.line, problem.column), ""), "message": in_words(problem)}
