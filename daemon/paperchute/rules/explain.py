"""Why a file is taken by one rule and not by another: each condition with yes or no and the value seen."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from paperchute.contract import Value
from paperchute.rules.match import glob, takes_set
from paperchute.rules.model import Rule, RuleFile
from paperchute.rules.output import target


@dataclass(frozen=True)
class Condition:
    """One condition of one rule: what it asks, whether it holds, and what was seen."""

    name: str
    holds: bool
    seen: str


@dataclass(frozen=True)
class RuleExplanation:
    """One rule beside one path."""

    rule: Rule
    conditions: tuple[Condition, ...]

    @property
    def holds(self) -> bool:
        """Whether all conditions hold."""
        return all(c.holds for c in self.conditions)


@dataclass(frozen=True)
class Explanation:
    """Every rule beside one path. winner: the rule that takes it, or None. output: folder/stem its results get."""

    path: Path
    rules: tuple[RuleExplanation, ...]
    winner: Rule | None
    output: Path | None

    def text(self) -> str:
        """For a terminal."""
        lines = [f"{self.path}"]
        for explained in self.rules:
            mark = "takes it" if explained.rule is self.winner else "would take it" if explained.holds else "no"
            lines.append(f"rule {explained.rule.name!r} (line {explained.rule.line}): {mark}")
            lines += [f"  {'yes' if c.holds else 'NO '}  {c.name}: {c.seen}" for c in explained.conditions]
        if self.winner is None:
            lines.append("No rule takes it.")
        else:
            for number, step in enumerate(self.winner.steps, start=1):
                lines.append(f"step {number}: {step.operation} {shown(step.parameters)}".rstrip())
            lines.append(f"result: {self.output}")
            lines.append(f"original: {self.winner.original}")
        return "\n".join(lines)


def explain(rules: RuleFile, path: Path) -> Explanation:
    """Explain an absolute path; it need not exist."""
    explained = tuple(RuleExplanation(rule, _conditions(rule, path)) for rule in rules.rules)
    winner = next((e.rule for e in explained if e.holds), None)
    output = None
    if winner is not None:
        found = target(winner, _unit(winner, path), now=time.time(), counter=1)
        output = found.folder / (found.stem + (f".{found.extension}" if found.extension else ""))
    return Explanation(path, explained, winner, output)


def shown(parameters: Mapping[str, Value]) -> str:
    """Parameters as text. Secrets stand in rules as references, which are fit to be seen."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def _unit(rule: Rule, path: Path) -> Path:
    """What the rule takes of `path`, relative to its folder: the file, or for a gathering rule the sub-folder."""
    relative = path.relative_to(rule.folder)
    return Path(relative.parts[0]) if rule.gather == "folder" else relative


def _conditions(rule: Rule, path: Path) -> tuple[Condition, ...]:
    inside = path.is_relative_to(rule.folder) and path != rule.folder
    conditions = [
        Condition("enabled", rule.enabled, "on" if rule.enabled else "off"),
        Condition("folder", inside, f"{rule.folder}"),
    ]
    if not inside:
        return tuple(conditions)
    relative = path.relative_to(rule.folder)
    if rule.gather == "folder":
        unit = _unit(rule, path)
        conditions.append(Condition("gather", takes_set(rule, unit), f"the sub-folder {unit} as one job"))
        if len(relative.parts) == 1:
            return tuple(conditions)
        relative = relative.relative_to(unit)
    elif len(relative.parts) > 1:
        conditions.append(Condition("recursive", rule.recursive, "on" if rule.recursive else "off, and it lies deeper"))
    matching = [m for m in rule.match if glob(relative, m)]
    conditions.append(
        Condition("match", bool(matching), matching[0] if matching else "none of " + " ".join(rule.match))
    )
    for pattern in rule.except_:
        if glob(relative, pattern):
            conditions.append(Condition("except", False, pattern))
    return tuple(conditions)
