"""The passwords that a rule knows for locked PDFs: its `passwords`, and what its steps are given as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from paperchute.rules.model import Rule, Step
from paperchute.rules.output import from_name
from paperchute.rules.secrets import SecretError, is_reference, resolve

PASSWORDS = ("password", "targetPassword", "insertPassword", "passwords")
"""Parameters that open a source."""

LOCKS = ("userPassword", "ownerPassword")
"""Parameters that lock a result."""


def passwords_for(rule: Rule, relative: PurePath) -> tuple[list[str], list[str]]:
    """What the rule's `passwords` refer to: (those that can be had, a sentence for each that cannot).

    relative: of the input, whose name may fill in references.
    """
    return _resolved(rule, relative, rule.passwords)


def opening_passwords_for(rule: Rule, relative: PurePath) -> tuple[list[str], list[str]]:
    """As `passwords_for`, with those that the first step's parameters refer to: all that may open an input."""
    return _resolved(rule, relative, (*_of_step(rule.steps[0], PASSWORDS), *rule.passwords))


def passwords_before(rule: Rule, relative: PurePath, number: int) -> list[str]:
    """What may open what the steps before the 0-based `number` have made: a locked source makes a locked result."""
    references = [one for step in rule.steps[:number] for one in _of_step(step, (*PASSWORDS, *LOCKS))]
    return _resolved(rule, relative, tuple(references))[0]


def has_passwords(rule: Rule) -> bool:
    """Whether the rule refers to any password that may open an input."""
    return bool(rule.passwords) or any(_of_step(rule.steps[0], PASSWORDS))


def _of_step(step: Step, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = step.parameters.get(name)
        yield from (
            one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str) and is_reference(one)
        )


def _resolved(rule: Rule, relative: PurePath, references: tuple[str, ...]) -> tuple[list[str], list[str]]:
    found, missing = [], []
    names = from_name(rule, relative)
    for reference in dict.fromkeys(references):
        try:
            found.append(resolve(reference, names))
        except SecretError as error:
            missing.append(error.what)
    return found, missing
