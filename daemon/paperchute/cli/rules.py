"""The verbs of `rule`: list, add, remove, on, off. They edit the rule file and keep everything else in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from rich.table import Table

from paperchute.app.rule_changes import change
from paperchute.app.untaken import told_of_waiting
from paperchute.cli.context import Context, given, say_whether
from paperchute.cli.operations import check_done, known_operation
from paperchute.cli.terminal import out
from paperchute.contract import contract
from paperchute.contract.operations import nearest
from paperchute.errors import PaperchuteError
from paperchute.jobs.asked import is_taken
from paperchute.jobs.journal import Journal
from paperchute.language import N_, _
from paperchute.rules.edit import Draft, switched, value_of, with_rule, without_rule
from paperchute.rules.model import RULE_KEYS
from paperchute.rules.problems import warned
from paperchute.rules.settings import RuleFile

Name = Annotated[str, typer.Argument(help=N_("The rule's name."))]


def add_to(app: typer.Typer) -> None:
    """Put these verbs on the command line."""
    group = typer.Typer(help=N_("List, add, remove and switch rules; comments and order in the file stay."))
    for name, verb, text in (
        ("list", list_, N_("List the rules in their order. The first that matches takes a file.")),
        ("add", add, N_("Add a rule at the end of the file. Nothing is written if anything is wrong with it.")),
        ("remove", remove, N_("Take a rule out of the file, with the comment right above it. Files and folders stay.")),
        ("on", on, N_("Switch a rule on.")),
        ("off", off, N_("Switch a rule off. It stays in the file.")),
    ):
        group.command(name, help=text)(verb)
    app.add_typer(group, name="rule")


def list_(context: typer.Context) -> None:
    """List the rules in their order: the first that matches takes a file."""
    table = Table(_("rule"), _("folder"), _("does"), "", box=None, pad_edge=False)
    for rule in given(context).rules().rules:
        steps = " -> ".join(step.operation for step in rule.steps)
        table.add_row(rule.name, str(rule.folder), steps, "" if rule.enabled else _("off"))
    out.print(table)


def add(
    context: typer.Context,
    name: Name,
    folder: Annotated[str, typer.Option("--folder", help=N_("The hot folder; ~ is the home folder."))],
    operation: Annotated[list[str], typer.Option("--operation", help=N_("What to do; repeat it for several steps."))],
    parameter: Annotated[
        list[str] | None,
        typer.Option("-p", "--parameter", help=N_("name=value, repeatable; with several steps N.name=value.")),
    ] = None,
    more: Annotated[
        list[str] | None, typer.Option("--set", help=N_("key=value for any other key of a rule, repeatable."))
    ] = None,
) -> None:
    """Add a rule at the end of the file. Nothing is written when anything is wrong with it."""
    before, keys = given(context).rules(), dict(_key(pair) for pair in more or [])
    service = before.settings_of(str(keys.get("service", ""))) or before.service
    for one in operation:
        check_done(known_operation(one), service)
    parameters: list[dict[str, Any]] = [{} for _ in operation]
    for pair in parameter or []:
        step, key, value = _parameter(pair, operation)
        parameters[step][key] = value
    rules = _edit(given(context), lambda text: with_rule(text, Draft(name, folder, operation, parameters, keys)))
    out.print(_("Added rule '{name}'.", name=name), told_of_waiting(rules.rules[-1], rules.rules))


def remove(context: typer.Context, name: Name) -> None:
    """Take a rule out of the file, with the comment right above it. Files and folders stay."""
    _edit(given(context), lambda text: without_rule(text, name))
    out.print(_("Removed rule '{name}'.", name=name))
    _say_whether_in_force(given(context))


def on(context: typer.Context, name: Name) -> None:
    """Switch a rule on."""
    rules = _edit(given(context), lambda text: switched(text, name, on=True))
    rule = next(rule for rule in rules.rules if rule.name == name)
    out.print(_("Rule '{name}' is on.", name=name), told_of_waiting(rule, rules.rules))
    _say_whether_in_force(given(context))


def off(context: typer.Context, name: Name) -> None:
    """Switch a rule off; it stays in the file."""
    _edit(given(context), lambda text: switched(text, name, on=False))
    out.print(_("Rule '{name}' is off.", name=name))
    _say_whether_in_force(given(context))


def _say_whether_in_force(context: Context) -> None:
    """Wait until a running daemon goes by the rule file as it is now. Raises typer.Exit when it does not."""
    if not context.state.locked():
        say_whether(None)
        return
    journal = Journal(context.state.journal)
    try:
        say_whether(is_taken(journal.settings))
    finally:
        journal.close()


def _parameter(pair: str, operations: Sequence[str]) -> tuple[int, str, Any]:
    """(step, name, value). Without a number before it, it is for the only step that has such a parameter."""
    name, equals, text = pair.partition("=")
    number, dot, rest = name.partition(".")
    known = [contract().operation(operation) for operation in operations]
    having = [step for step, one in enumerate(known) if one is not None and one.parameter(name) is not None]
    if dot and number.isdecimal() and 1 <= int(number) <= len(operations):
        step, name = int(number) - 1, rest
    elif len(operations) == 1 or len(having) == 1:
        step = having[0] if having else 0
    else:
        raise PaperchuteError(
            _("Which step is '{pair}' for?", pair=pair),
            _("Write the step's number before it: {example}.", example=f"1.{pair}"),
        )
    if not equals or not name:
        raise PaperchuteError(_("-p takes name=value, not '{pair}'.", pair=pair))
    return step, name, value_of(text)


def _key(pair: str) -> tuple[str, Any]:
    key, equals, text = pair.partition("=")
    others = [known for known in RULE_KEYS if known not in ("name", "folder", "operation", "parameters", "steps")]
    if not equals or key not in others:
        near = nearest(key, others)
        raise PaperchuteError(
            _("--set takes key=value with a key of a rule, not '{pair}'.", pair=pair),
            _("Did you mean {near}?", near=near) if near else _("The keys are: {keys}.", keys=" ".join(others)),
        )
    return key, value_of(text)


def _edit(context: Context, edit: Callable[[str], str]) -> RuleFile:
    path = context.rules_path
    rules = change(path, edit)
    for warning in rules.warnings:
        out.print(f"{path}:{warned(warning)}")
    return rules
