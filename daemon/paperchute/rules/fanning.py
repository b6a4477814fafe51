"""Which steps take one file each, and which take all that come."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.contract import contract
from paperchute.rules.model import Rule, Step


def takes_all(step: Step) -> bool:
    """Whether a step's operation works on several files at once: pdf-insert but for BLANK (contract section 13)."""
    return contract().known(step.operation).max_files > 1 and step.parameters.get("actionType") != "BLANK"


def is_joined(steps: Sequence[Step]) -> bool:
    """Whether a later step takes all that earlier ones have made, so that one result is left."""
    return any(takes_all(step) for step in steps[1:])


def has_row_results(rule: Rule) -> bool:
    """Whether each row of a list gets a result of its own."""
    return rule.gather == "rows" and not is_joined(rule.steps)
