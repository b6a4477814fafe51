"""What can be wrong with a rule file, told so that it can be put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.errors import PaperchuteError
from paperchute.language import _

KeyPath = tuple[str | int, ...]
"""Where in a file: keys of tables, and numbers of lists."""

_LONGEST = 1000
"""Characters of a message that are shown; those that repeat nothing of the file are shorter."""


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
    message = _of_rule(problem)
    return _("{line}:{column}: warning: {message}.", line=problem.line, column=problem.column, message=message)


def in_words(problem: Problem) -> str:
    """A problem or warning as a sentence, without its place and its rule, for who sees both."""
    message = _cut(problem.message)
    if problem.suggestion:
        return _("{message}. Did you mean {suggestion}?", message=message, suggestion=problem.suggestion)
    return _("{message}.", message=message)


def told(problem: Problem) -> str:
    """A problem as text, without the file's name."""
    place = f"{problem.line}:{problem.column}: " if problem.line else " "
    message = _of_rule(problem)
    if problem.suggestion:
        message = _("{message}. Did you mean {suggestion}?", message=message, suggestion=problem.suggestion)
    else:
        message = _("{message}.", message=message)
    return f"{place}{message}"


def _of_rule(problem: Problem) -> str:
    """Return what is wrong, and in which rule."""
    message = _cut(problem.message)
    if not problem.rule:
        return message
    return _("rule {rule}: {message}", rule=_cut(repr(problem.rule)), message=message)


def _cut(text: str) -> str:
    """A text without its middle, where that is longer than anybody reads: it may repeat what stands in the file."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"
