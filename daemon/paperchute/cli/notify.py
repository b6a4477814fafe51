"""The verb `notify`: a test message, so that nobody finds out by a failure that none comes."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from paperchute.app.outlets import Message, send
from paperchute.cli.context import EXIT_FAILED, given, say
from paperchute.errors import PaperchuteError
from paperchute.language import N_, _


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command()(notify)


def notify(
    context: typer.Context,
    what: Annotated[Literal["test"], typer.Argument(help=N_("test: send a test message in every way that is set up."))],
) -> None:
    """Send a test message to those whom `[notify]` names."""
    settings = given(context).rules().notify
    if not settings.outlets():
        raise PaperchuteError(
            _("Nobody is told: the rule file has no [notify]."),
            _("Give `mail_to`, `ntfy_url` or `webhook_url` in it."),
        )
    message = Message(
        f"Paperchute: {_('a test')}", _("This is where messages from Paperchute will arrive. Nothing needs you.")
    )
    failed = False
    for outlet in settings.outlets():
        try:
            send(outlet, settings, message)
        except PaperchuteError as error:
            failed = True
            say(f"{outlet}: {error.what}")
        else:
            say(_("{outlet}: sent.", outlet=outlet))
    if failed:
        raise typer.Exit(EXIT_FAILED)
