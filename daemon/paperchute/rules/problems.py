"""What can be wrong with a rule file, told so that it can be put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.errors import PaperchuteError
from paperchute.language import _

KeyPath = tuple[str | int, ...]
"""Where in a file: keys of tables, and numbers of lists."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong in a rule file. `line` and `column` are 1-based; rule is None outside of rules."""

    line: int
    column: int
    message: str
    rule: str | None = None
    suggestion: str | None = None


class RuleFileError(PaperchuteError):
    """The rule file cannot be used. `problems` are all there are, in the order of the file."""

    def __init__(self, path: Path, problems: Sequence[Problem], advice: str = "") -> None:
        self.path = path
        self.problems = tuple(sorted(problems, key=lambda p: (p.line, p.column)))
        super().__init__("\n".join(self.lines()), advice)

    def lines(self) -> list[str]:
        """One line a problem: file:line:column: rule: what is wrong, and the likely correction."""
        return [f"{self.path}:{told(problem)}" for problem in self.problems]


def warned(problem: Problem) -> str:
    """A warning as text, without the file's name."""
    rule = _of_rule(problem)
    return _(
        "{line}:{column}: warning: {message}.",
        line=problem.line,
        column=problem.column,
        message=f"{rule}{problem.message}",
    )


def told(problem: Problem) -> str:
    """A problem as text, without the file's name."""
    place = f"{problem.line}:{problem.column}: " if problem.line else " "
    rule = _of_rule(problem)
    hint = _(". Did you mean {suggestion}?", suggestion=problem.suggestion) if problem.suggestion else "."
    return f"{place}{rule}{problem.message}{hint}"


def _of_rule(problem: Problem) -> str:
    return _("rule {rule}: ", rule=repr(problem.rule)) if problem.rule else ""
