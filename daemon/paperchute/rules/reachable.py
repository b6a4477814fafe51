"""Whether what a rule file refers to is there, as far as that can be seen without asking anybody."""

from __future__ import annotations

from collections.abc import Iterator

from paperchute.contract import contract
from paperchute.rules.model import Problem, Rule, RuleFile
from paperchute.rules.secrets import OF_ROW, SecretError, placeholders, resolve


def missing_secrets(rules: RuleFile) -> list[Problem]:
    """A warning for each reference of an enabled rule, of [service] and of [engine], that leads nowhere from here.

    A keyring is not asked, since it may ask a person; nor is what hangs on the name of a file.
    """
    engine = rules.service.engine.get("webhook_token")
    service = (rules.service.api_key, rules.service.hub_key, rules.service.webhook_token, engine)
    asked: list[tuple[Rule | None, str]] = [(None, reference) for reference in service if reference]
    asked += [(rule, reference) for rule in rules.rules if rule.enabled for reference in _references(rule)]
    found = []
    for rule, reference in asked:
        if reference.startswith(("keyring:", OF_ROW)) or placeholders(reference):
            continue
        try:
            resolve(reference)
        except SecretError as error:
            what = error.what.removesuffix(".")
            found.append(Problem(rule.line if rule else 1, 1, what, rule.name if rule else None))
    return list(dict.fromkeys(found))


def files_for_folders(rules: RuleFile) -> list[Problem]:
    """A warning for each enabled rule whose hot folder is a file."""
    what = "is a file; a hot folder is a folder, and `match` picks the files in it"
    return [
        Problem(rule.line, 1, f"{rule.folder} {what}", rule.name)
        for rule in rules.rules
        if rule.enabled and rule.folder.is_file()
    ]


def _references(rule: Rule) -> Iterator[str]:
    yield from rule.passwords
    for step in rule.steps:
        known = contract().known(step.operation)
        for name, value in step.parameters.items():
            parameter = known.parameter(name)
            if parameter is not None and parameter.is_secret:
                yield from (one for one in (value if isinstance(value, list) else [str(value)]) if one)
