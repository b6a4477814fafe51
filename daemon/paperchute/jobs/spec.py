"""A rule as text, so that a job ends under the rule it started with, whatever the rule file says by then."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from paperchute.rules.model import Rule, Step


def rule_to_text(rule: Rule) -> str:
    """JSON of a rule. Secrets stand in it as references only, as in the rule itself."""
    return json.dumps(asdict(rule), default=str, ensure_ascii=False, sort_keys=True)


def rule_from_text(text: str) -> Rule:
    """The rule that `rule_to_text` wrote."""
    raw: dict[str, Any] = json.loads(text)
    raw["folder"] = Path(raw["folder"])
    raw["steps"] = tuple(Step(step["operation"], step["parameters"]) for step in raw["steps"])
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()}
    return Rule(**fields)
