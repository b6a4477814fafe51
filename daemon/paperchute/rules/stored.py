"""A rule as the journal keeps it, so that a job ends under the rule it began with: its fingerprint and its text.

The text is JSON: its version, the keys that are not at their default by their field names, and `line` and
`fingerprint`. Texts of version 1 held every key and no version. A text of another release is read as far as this one
knows its keys; the others are kept, and written again with the rule. A key that loses its default, or whose default
changes, needs a version of its own, since older texts leave it out.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from paperchute.rules.keys import bearing_of, is_default
from paperchute.rules.model import Rule
from paperchute.rules.service_names import named_by
from paperchute.rules.tables import Find, Step

TEXT_VERSION = 2


def changed_keys(rule: Rule) -> dict[str, Any]:
    """The keys of a rule that are not at their default, with their values, by field name."""
    return {
        name: getattr(rule, name)
        for name, declared in type(rule).model_fields.items()
        if bearing_of(declared) and not is_default(type(rule), name, getattr(rule, name))
    }


_COUNTED_AT_DEFAULT = frozenset(
    ("match", "except_", "recursive", "gather", "output", "on_conflict", "original", "settle", "retries")
)
"""Keys that the fingerprints of the first journals count at their defaults too. There will never be one more."""


def fingerprint(rule: Rule) -> str:
    """Changes when what the rule does changes; not with its place in the file, its hours or its neighbours.

    Only keys that are not at their default count: a release that knows one more key must not take every rule for
    another one, since what a failed job has paid for already holds under the same rule alone.
    """
    changed = changed_keys(rule)
    counted = {
        name: getattr(rule, name)
        for name, declared in type(rule).model_fields.items()
        if (bearing := bearing_of(declared)) and bearing.affects_result
        if name in changed or name in _COUNTED_AT_DEFAULT
    }
    plain = {**counted, "steps": [_table_of(step) for step in rule.steps]}
    return hashlib.sha256(json.dumps(plain, sort_keys=True, default=str).encode()).hexdigest()[:32]


def among_several(rule: Rule, original: str) -> Rule:
    """The rule as it works on a file that other rules have too: `also`, and with the same fate for the original."""
    mark = hashlib.sha256(f"{rule.fingerprint} also {original}".encode()).hexdigest()[:32]
    return rule.model_copy(update={"original": original, "also": True, "fingerprint": mark})


def rule_to_text(rule: Rule) -> str:
    """JSON of a rule. Secrets stand in it as references only, as in the rule itself."""
    return json.dumps(
        {
            **rule.kept,
            "version": TEXT_VERSION,
            **changed_keys(rule),
            "steps": _steps_to_write(rule),
            **({"find": found} if (found := {name: _plain(one) for name, one in rule.find.items()}) else {}),
            "line": rule.line,
            "fingerprint": rule.fingerprint,
        },
        default=str,
        ensure_ascii=False,
        sort_keys=True,
    )


def rule_from_text(text: str) -> Rule:
    """The rule that `rule_to_text` wrote, of this release or another.

    Raises ValueError where it cannot be read, as one with a value that this release does not know.
    """
    try:
        raw = json.loads(text)
    except RecursionError as error:
        raise ValueError("a rule that cannot be read: it is nested too deeply") from error
    if not isinstance(raw, dict):
        raise ValueError("a rule that cannot be read: it is no table")
    raw.pop("version", None)
    known = Rule.model_fields.keys() - {"kept"}
    kept = {name: raw.pop(name) for name in raw.keys() - known}
    steps = raw.get("steps")
    if isinstance(steps, list) and all(isinstance(step, dict) for step in steps) and _have_more(steps):
        kept["steps"] = [{k: v for k, v in step.items() if k not in _STEP_KEYS} for step in steps]
        raw["steps"] = [{k: v for k, v in step.items() if k in _STEP_KEYS} for step in steps]
    try:
        rule = Rule(**raw, kept=kept)
    except ValidationError as error:
        places = ", ".join(".".join(map(str, detail["loc"])) for detail in error.errors(include_url=False))
        raise ValueError(f"a rule that cannot be read, by its {places}") from None
    if not rule.steps or not rule.fingerprint:
        raise ValueError("a rule that cannot be read: it has no steps, or no fingerprint")
    return rule


def unreadable_rule(name: str, folder: Path) -> Rule:
    """Return what stands for a rule that cannot be read: no steps, and the usual fate for the original."""
    return Rule(name=name, folder=folder, recursive=True, retries=0, enabled=False)


def _plain(find: Find) -> dict[str, str]:
    return find.model_dump(exclude_defaults=True)


_STEP_KEYS = frozenset(declared.alias or name for name, declared in Step.model_fields.items())


def _have_more(steps: list[dict[str, Any]]) -> bool:
    return any(step.keys() - _STEP_KEYS for step in steps)


def _steps_to_write(rule: Rule) -> list[dict[str, Any]]:
    more = rule.kept.get("steps") or [{}] * len(rule.steps)
    return [{**other, **_table_of(step)} for step, other in zip(rule.steps, more, strict=True)]


def _table_of(step: Step) -> dict[str, Any]:
    """A step as it stands in a rule file, without the services that it does not name."""
    return {"operation": step.operation, "parameters": step.parameters, **named_by(step)}
