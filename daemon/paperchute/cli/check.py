"""The verbs `check` and `explain`: what is wrong with the rules, and which of them takes a file."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import typer

from paperchute.app.facts import FactReader
from paperchute.cli.context import EXIT_WRONG, given, readings
from paperchute.cli.terminal import out
from paperchute.errors import PaperchuteError
from paperchute.files.identity import key_of
from paperchute.language import _, ngettext
from paperchute.page.access import access
from paperchute.rules.explain import asked_of, unit
from paperchute.rules.explain import explain as explain_file
from paperchute.rules.match import FileFacts, Need, needs
from paperchute.rules.page import PageKeys
from paperchute.rules.problems import Problem, told, warned
from paperchute.rules.requirements import (
    OF_PROCESS,
    led_on,
    missing,
    missing_secrets,
    open_to_others,
)
from paperchute.rules.secrets import SecretError
from paperchute.rules.service_names import named_by
from paperchute.rules.service_names import told as told_of_service
from paperchute.rules.tables import Step


def add_to(app: typer.Typer) -> None:
    """Put these verbs on the command line."""
    for verb in (check, explain):
        app.command()(verb)


def check(context: typer.Context) -> None:
    """Check the rule file and list everything wrong with it, and what looks like a mistake."""
    rules = given(context).rules()
    mistakes = [*missing(rules), *_of_page(rules.page)]
    odd = [
        *led_on(rules),
        *missing_secrets(rules, [OF_PROCESS]),
        *open_to_others(rules.path),
    ]
    warnings = [*rules.warnings, *odd]
    if not any(rule.enabled for rule in rules.rules):
        warnings.append(Problem(1, 1, _("no rule is switched on, so no folder is watched")))
    good = _("no mistakes, but look at the warnings below") if warnings else _("all good")
    if mistakes:
        good = _("some of them cannot work; see below")
    count = ngettext("{n} rule", "{n} rules", len(rules.rules))
    out.print(f"{rules.path}: {count}, {good}.")
    for rule in rules.rules:
        steps = " -> ".join(f"{step.operation}{_who(step)}" for step in rule.steps)
        off = "" if rule.enabled else "  (" + _("off") + ")"
        out.print(f"  {rule.name}: {rule.folder}  {steps}{off}")
    for warning in warnings:
        out.print(f"{rules.path}:{warned(warning)}")
    for mistake in mistakes:
        out.print(f"{rules.path}:{told(mistake)}")
    if mistakes:
        raise typer.Exit(EXIT_WRONG)


def _who(step: Step) -> str:
    """Who does a step, where the rule says it."""
    names = [told_of_service(name) for name in named_by(step).values()]
    return f" ({' / '.join(names)})" if names else ""


def _of_page(keys: PageKeys) -> list[Problem]:
    """What keeps the page from opening to other machines as it is to: the environment is looked at, too."""
    if any(reference.startswith("keyring:") for reference in keys.references()):
        return []  # it may ask a person
    try:
        access(keys)
    except SecretError:
        return []  # it is told with all other secrets
    except PaperchuteError as error:
        return [Problem(1, 1, str(error).removesuffix("."))]
    return []


def explain(context: typer.Context, file: Path) -> None:
    """Say for FILE which rule would take it, and why the others would not."""
    rules, path = given(context).rules(), file.expanduser().absolute()
    key = key_of(path)
    with FactReader() as reader:
        asked = asked_of(rules.rules, path)
        need: set[Need] = {"pages", "signed", "unread", *needs(asked)}
        asking = [(rule, unit(rule, path)) for rule in asked]
        facts = FileFacts() if key is None else reader.read(path, key.size, need, asking)
    with readings(given(context), asked) as known:
        facts = facts if key is None else replace(facts, said=known(path, key))
    explained = explain_file(rules, path, facts, time.time())
    for line in explained.text().split("\n"):
        out.print(line)
    if key is not None and any(rule.ask_model for rule in asked):
        from paperchute.app.model_preview import would_be_sent

        for line in would_be_sent(rules, explained):
            out.print(line)
