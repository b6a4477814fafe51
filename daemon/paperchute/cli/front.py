"""The command line itself: global options, the verbs, and how errors and exit codes reach the user."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from paperchute import __version__
from paperchute.app import log
from paperchute.cli import check, demo, do, init, jobs, operations, rules, run, serve, status
from paperchute.cli.context import EXIT_WRONG, Context, say_error
from paperchute.errors import PaperchuteError

app = typer.Typer(
    name="paperchute",
    help="Hot folders for documents: drop a file, get the result.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"paperchute {__version__}")
        raise typer.Exit


@app.callback()
def paperchute(
    context: typer.Context,
    rules_: Annotated[Path | None, typer.Option("--rules", help="The rule file. Default: $PAPERCHUTE_RULES.")] = None,
    state: Annotated[Path | None, typer.Option(help="Folder for journal and log. Default: $PAPERCHUTE_STATE.")] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """Hot folders for documents: drop a file, get the result."""
    log.clean_everything()
    context.obj = Context(rules_, state)


for module in (run, check, status, jobs, operations, rules, do, init, demo, serve):
    module.add_to(app)


def main() -> None:
    """Run the command line; exits with 0 good, 1 some job failed, 2 rules or command line wrong, 3 no service."""
    try:
        app()
    except PaperchuteError as error:
        say_error(error)
        sys.exit(getattr(error, "exit_code", EXIT_WRONG))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing left to say, not even at interpreter exit
        sys.exit(0)
