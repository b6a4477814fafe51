"""The verb `init`: a first rule file, and the few questions it asks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from paperchute.app.first_rules import FIRST, First, write_first
from paperchute.cli.context import given
from paperchute.cli.terminal import out
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.language import N_, _
from paperchute.rules.file import load


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(init)


def choices(folder: Path, *, ask: bool) -> tuple[Path, Sequence[First]]:
    """Where the hot folders are to be, and the rules to begin with; what is there by default where nobody answers."""
    if not ask or not sys.stdin.isatty():
        return folder, [first for first in FIRST if first.by_default]
    out.print(_("Press Enter to accept what is in brackets."))
    chosen = Path(typer.prompt(_("Where should the hot folders be?"), default=str(folder)))
    return chosen, [first for first in FIRST if typer.confirm(_(first.asked), default=first.by_default)]


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Option(help=N_("Where to put the hot folders."))] = Path("~/Hot"),
    yes: Annotated[bool, typer.Option("--yes", "-y", help=N_("Ask nothing."))] = False,
) -> None:
    """Make a first rule file and its hot folders; asks a few questions where somebody is there to answer."""
    path = given(context).rules_path
    if path.exists():
        raise PaperchuteError(
            _("There is a rule file already: {path}.", path=path), _("Edit that one; nothing was changed.")
        )
    hot, chosen = choices(folder, ask=not yes)
    write_first(path, hot, chosen)
    rules = load(path)
    for rule in rules.rules:
        rule.folder.mkdir(parents=True, exist_ok=True)
        out.print(f"{rule.folder}: {rule.name}")
    out.print(_("Rules: {path}", path=path))
    out.print(_("Start with: {command}", command=command("run")))
