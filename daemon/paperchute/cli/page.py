"""The verb `open`: Paperchute in the browser."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from paperchute.cli.context import given, say
from paperchute.desktop.opener import open_path
from paperchute.errors import PaperchuteError
from paperchute.language import N_, _
from paperchute.page import door
from paperchute.page.access import long_enough
from paperchute.page.password import hashed


def add_to(app: typer.Typer) -> None:
    """Put this verb on the command line."""
    app.command("open")(open_page)


def open_page(
    context: typer.Context,
    address: Annotated[
        bool,
        typer.Option("--address", help=N_("Print the address instead of opening it; it works once, within a minute.")),
    ] = False,
    new_password: Annotated[
        bool, typer.Option("--new-password", help=N_("Ask for a password for other machines, and print its hash."))
    ] = False,
) -> None:
    """Show what Paperchute does and what needs you, in the browser."""
    if new_password:
        say(hashed(_asked_password()))
        return
    state = given(context).state
    found = door.address_asked(state)
    if address:
        say(found)
        return
    try:
        open_path(door.leading_to(state, found))
    except OSError as error:
        raise PaperchuteError(
            _("The page cannot be opened ({reason}).", reason=error.strerror),
            _("Check that the state folder can be written to."),
        ) from error


def _asked_password() -> str:
    """As somebody types it, twice and unseen; of a script, the line that it gives. Raises PaperchuteError."""
    if sys.stdin.isatty():
        given: str = typer.prompt(_("Password"), hide_input=True, confirmation_prompt=True)
    else:
        given = sys.stdin.readline().rstrip("\r\n")
    return long_enough(given)
