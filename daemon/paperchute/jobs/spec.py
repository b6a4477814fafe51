"""A rule as text, so that a job ends under the rule it started with, whatever the rule file says by then."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any

from paperchute.rules.model import Rule, Step

_KNOWN = {field.name for field in fields(Rule)}
_NEEDED = {field.name for field in fields(Rule) if field.default is MISSING}


def rule_to_text(rule: Rule) -> str:
    """JSON of a rule. Secrets stand in it as references only, as in the rule itself."""
    return json.dumps(asdict(rule), default=str, ensure_ascii=False, sort_keys=True)


def rule_from_text(text: str) -> Rule:
    """The rule that `rule_to_text` wrote, of this release or another.

    Keys that this release does not know are left out, and those that it knows and the text lacks stand at their
    defaults. Raises ValueError for anything else that cannot be read.
    """
    try:
        raw: dict[str, Any] = json.loads(text)
        if missing := _NEEDED - raw.keys():
            raise ValueError(f"a rule without {', '.join(sorted(missing))}")
        found: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in raw.items() if key in _KNOWN}
        found["folder"] = Path(raw["folder"])
        found["steps"] = tuple(Step(step["operation"], step["parameters"]) for step in raw["steps"])
        return Rule(**found)
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"a rule that cannot be read: {error!r}") from error


def unreadable_rule(name: str, folder: Path) -> Rule:
    """What stands for a rule that cannot be read: no steps, and the usual fate for the original."""
    return Rule(
        name=name,
        folder=folder,
        match=(),
        except_=(),
        recursive=True,
        gather=None,
        steps=(),
        output="",
        on_conflict="number",
        original="done",
        settle=0.0,
        retries=0,
        enabled=False,
        line=0,
        fingerprint="",
    )
