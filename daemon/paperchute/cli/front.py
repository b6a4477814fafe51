"""The command line itself: global options, the verbs, and how errors and exit codes reach the user.

The module of a verb is imported when it is called: `paperchute --help` and `paperchute status` are there at once.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from paperchute import __version__
from paperchute.app.tracebacks import clean_tracebacks
from paperchute.cli.context import EXIT_WRONG, Context
from paperchute.errors import PaperchuteError

VERBS = {
    "run": ("run", "Watch the hot folders and do what the rules say."),
    "check": ("check", "Check the rule file. Lists every mistake, and what looks like one."),
    "explain": ("check", "Say which rule takes FILE, and why the others do not."),
    "status": ("status", "Say what the daemon is doing and what is wrong."),
    "jobs": ("jobs", "List jobs, newest first."),
    "retry": ("jobs", "Try failed jobs again. Their originals go back into the hot folder."),
    "pause": ("jobs", "Start no new jobs until `resume`. Running ones end; a restart changes nothing."),
    "resume": ("jobs", "Go on after `pause`."),
    "operations": ("operations", "List the service's operations, or the parameters of one."),
    "do": ("do", "Run one operation on files now. Results go beside the first file, or where -o says."),
    "rule": ("rules", "List, add, remove and switch rules. Comments and order in the file stay."),
    "init": ("init", "Make a first rule file and its hot folders. Asks a few questions, unless --yes is given."),
    "demo": ("demo", "Show hot folders at work on real documents."),
    "serve": ("serve", "Run the engine alone, for other programs. Prints its address as a line of JSON when ready."),
}
"""By verb: its module in this room, and its help."""


class Verbs(TyperGroup):
    """The verbs by name and help alone, until one is called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {verb: TyperCommand(verb, help=text) for verb, (_, text) in VERBS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments begin with, whole."""
        if args and args[0] in VERBS:
            self.commands[args[0]] = _loaded(args[0])
        return super().resolve_command(ctx, args)


def _loaded(verb: str) -> Any:
    module, text = VERBS[verb]
    its = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    importlib.import_module(f"paperchute.cli.{module}").add_to(its)
    command = typer.main.get_group(its).commands[verb]
    command.help = text
    if "loguru" in sys.modules:
        from paperchute.app.log import clean_log

        clean_log()
    return command


app = typer.Typer(
    name="paperchute",
    cls=Verbs,
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
    context.obj = Context(rules_, state)


def main() -> None:
    """Run the command line; exits with 0 good, 1 some job failed, 2 rules or command line wrong, 3 no service."""
    clean_tracebacks()
    try:
        app()
    except PaperchuteError as error:
        from paperchute.cli.terminal import say_error

        say_error(error)
        sys.exit(getattr(error, "exit_code", EXIT_WRONG))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing left to say, not even at interpreter exit
        sys.exit(0)
