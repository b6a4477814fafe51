"""The verb `sendto`: whether the menus of file managers hand files to Paperchute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from paperchute.cli.autostart import program
from paperchute.cli.context import Context, given, say
from paperchute.desktop.file_managers import file_managers
from paperchute.desktop.sendto import Entry, FileManager
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.language import N_, _


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command("sendto")(set_sendto)


def set_sendto(
    context: typer.Context,
    wish: Annotated[Literal["on", "off", "status"], typer.Argument(help=N_("on, off or status."))] = "status",
    rules: Annotated[
        list[str] | None, typer.Argument(help=N_("With `on`: the rules to have there; without any, all that are on."))
    ] = None,
) -> None:
    """Have "Send to Paperchute" in the menus of file managers, or no longer; alone: say where it is."""
    chosen = given(context)
    if rules and wish != "on":
        raise PaperchuteError(_("Only `on` takes the names of rules."))
    entries = _entries(chosen, rules or []) if wish == "on" else []
    problems = [_guarded(manager, lambda it: _switch(it, wish, entries)) for manager in file_managers()]
    if told := [problem for problem in problems if problem]:
        raise PaperchuteError(" ".join(told))


def _entries(chosen: Context, names: list[str]) -> list[Entry]:
    rules = [rule for rule in chosen.rules().rules if rule.enabled and not rule.schedule]
    for name in names:
        if not any(rule.name == name for rule in rules):
            raise PaperchuteError(
                _("There is no rule '{name}' that takes files and is on.", name=name),
                _("`{command}` lists them.", command=command("rule list")),
            )
    words = program(chosen)
    return [
        Entry(rule.name, (*words, "drop", "--notify", "--", rule.name))
        for rule in rules
        if not names or rule.name in names
    ]


def _switch(manager: FileManager, wish: str, entries: list[Entry]) -> list[Path]:
    left = [] if wish == "status" else manager.take_away()
    if wish == "on":
        manager.put(entries)
    titles = manager.titles()
    if titles:
        say(_("{name} has Send to Paperchute: {rules}", name=manager.name, rules=", ".join(titles)))
    else:
        say(_("{name} does not have Send to Paperchute.", name=manager.name))
    return left


def _guarded(manager: FileManager, switch: Callable[[FileManager], list[Path]]) -> str:
    """What went wrong with this one, or was left; the others are not held up by it."""
    try:
        left = switch(manager)
    except OSError as error:
        reason = error.strerror or error
        return _("{name}: {path} cannot be changed ({reason}).", name=manager.name, path=error.filename, reason=reason)
    except ValueError as error:
        return _(
            "{name}: its settings cannot be understood, and are left as they are ({reason}).",
            name=manager.name,
            reason=error,
        )
    paths = ", ".join(map(str, left))
    return (
        _("{name}: left as it is, since somebody has changed it: {path}.", name=manager.name, path=paths)
        if left
        else ""
    )
