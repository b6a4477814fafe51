"""The verb `drop`: copies of files into the hot folder of a rule, as file managers hand them over."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from paperchute.app.rulebook import make_hot_folder
from paperchute.cli.context import Context, given, say
from paperchute.cli.terminal import say_error
from paperchute.errors import PaperchuteError
from paperchute.files.beneath import opened
from paperchute.files.copies import copy
from paperchute.files.placement import numbered, temporary_name
from paperchute.invocation import command
from paperchute.language import N_, _
from paperchute.page.drops import fitting
from paperchute.rules.model import Rule


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(drop)


def drop(
    context: typer.Context,
    rule: Annotated[str, typer.Argument(help=N_("The rule's name."))],
    files: Annotated[
        list[Path] | None, typer.Argument(help=N_("Files, or folders for a rule that takes folders."))
    ] = None,
    notify: Annotated[
        bool,
        typer.Option("--notify", help=N_("Say what went wrong in a notification too, where nobody sees a terminal.")),
    ] = False,
) -> None:
    """Put copies of FILES into the hot folder of RULE; each appears there whole, and what is there stays."""
    try:
        waits = _drop(given(context), rule, files or [])
    except PaperchuteError as error:
        if notify:
            _tell(str(error))
        raise
    if waits:
        say_error(waits)
        if notify:
            _tell(str(waits))


def _drop(chosen: Context, name: str, files: Sequence[Path]) -> PaperchuteError | None:
    """Where nobody takes the files up just now: what to say of it."""
    rule = _rule(chosen, name)
    if not files:
        raise PaperchuteError(_("No files came with the call."), _("Choose files that lie on this computer."))
    sources = [_existing(path) for path in files]
    for source in sources:
        say(str(_put(source, rule.folder)))
    if chosen.state.locked():
        return None
    return PaperchuteError(
        _("Paperchute is not running, so the files wait in {folder}.", folder=rule.folder),
        _("Start it: {command}", command=command("run")),
    )


def _rule(chosen: Context, name: str) -> Rule:
    rules = chosen.rules().rules
    found = next((rule for rule in rules if rule.name == name), None)
    if found is None:
        raise PaperchuteError(
            _("There is no rule '{name}'.", name=name), _("`{command}` lists them.", command=command("rule list"))
        )
    if not found.enabled:
        raise PaperchuteError(
            _("The rule '{name}' is off.", name=name), _("Switch it on: {command}", command=command("rule on NAME"))
        )
    return found


def _existing(path: Path) -> Path:
    """The file or folder itself, where a link was chosen."""
    try:
        real = path.expanduser().absolute().resolve(strict=True)
    except OSError as error:
        raise PaperchuteError(_("There is no file {name}.", name=path)) from error
    if not (real.is_file() or real.is_dir()):
        raise PaperchuteError(_("{name} is neither a file nor a folder.", name=path))
    return real


def _put(source: Path, folder: Path) -> Path:
    """Copy it under a hidden name beside its place, then name it: nobody sees half of it."""
    if folder.is_relative_to(source):
        raise PaperchuteError(_("The hot folder {folder} lies in {name}.", folder=folder, name=source))
    wanted = fitting(source.name)
    hidden = temporary_name(secrets.token_hex(16))
    try:
        make_hot_folder(folder)
        with opened(source.parent) as there, opened(folder) as hot:
            try:
                copy(there, source.name, hot, hidden)
                for candidate in numbered(folder / wanted):
                    if hot.place_new(hidden, hot, candidate.name):
                        return candidate
            finally:
                hot.remove(hidden)
    except OSError as error:
        raise PaperchuteError(
            _("{name} could not be copied to {folder} ({reason}).", name=source, folder=folder, reason=error.strerror),
            _("Copy it there by hand, or look at the folder's permissions."),
        ) from error
    raise AssertionError("numbered() never ends")


def _tell(text: str) -> None:
    """To a person who has no terminal before them."""
    from paperchute.desktop.notify import Notifier
    from paperchute.desktop.panels import APP_NAME

    notifier = Notifier(lambda _command: None)
    notifier.say(APP_NAME, text)
    notifier.close()
