"""The command line itself: global options, the verbs, and how errors and exit codes reach the user.

The module of a verb is imported when it is called: `paperchute --help` and `paperchute status` are there at once.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from paperchute import __version__
from paperchute.app.tracebacks import clean_tracebacks
from paperchute.cli.context import EXIT_WRONG, Context
from paperchute.errors import PaperchuteError
from paperchute.invocation import told_with
from paperchute.language import N_, _, preferred, use

VERBS = {
    "run": ("run", N_("Watch the hot folders and do what the rules say.")),
    "check": ("check", N_("Check the rule file. Lists every mistake, and what looks like one.")),
    "explain": ("check", N_("Say which rule takes FILE, and why the others do not.")),
    "open": ("page", N_("Show what Paperchute does and what needs you, in the browser.")),
    "status": ("status", N_("Say what the daemon is doing and what is wrong.")),
    "jobs": ("jobs", N_("List jobs, newest first.")),
    "search": ("search", N_("Find jobs by their names, rules, results and the text of these.")),
    "retry": ("jobs", N_("Try failed jobs again. Their originals go back into the hot folder.")),
    "answer": ("jobs", N_("Answer what a job asks about its document, such as sender='ACME GmbH'; it then goes on.")),
    "undo": ("undo", N_("Take back what was done. Results go to the trash, originals to where they were dropped.")),
    "again": ("undo", N_("Have a job's originals done anew, by the rules as they are now.")),
    "pause": ("jobs", N_("Start no new jobs until `resume`, for an hour or until tomorrow. Running ones end.")),
    "resume": ("jobs", N_("Resume work after `pause`.")),
    "operations": ("operations", N_("List the service's operations, or the parameters of one.")),
    "do": ("do", N_("Run one operation on files now. Results go beside the first file, or where -o says.")),
    "mcp": ("mcp", N_("Offer operations, jobs, explain, undo and do to an assistant, over standard input and output.")),
    "rule": ("rules", N_("List, add, remove and switch rules. Comments and order in the file stay.")),
    "init": ("init", N_("Make a first rule file and its hot folders. Asks a few questions, unless --yes is given.")),
    "demo": ("demo", N_("Show hot folders at work on real documents.")),
    "autostart": ("autostart", N_("Start Paperchute when you log in: on, off or status.")),
    "notify": ("notify", N_("Send a test message to those whom [notify] of the rule file names.")),
    "sendto": ("sendto", N_("Have Send to Paperchute in the menus of file managers: on, off or status.")),
    "drop": ("drop", N_("Put copies of files into the hot folder of a rule.")),
    "sheets": ("sheets", N_("Make a PDF of separator sheets and labels to print, for stacks that are to be split.")),
    "report": ("report", N_("Make one archive for a bug report; says first what is in it.")),
    "serve": (
        "serve",
        N_("Run the engine alone, for other programs. Prints its address as JSON when it is ready."),
    ),
    "keys": ("keys", N_("API keys of the service that `serve` runs: add, limit, list, revoke.")),
}
"""By verb: its module in this room, and its help."""


class Verbs(TyperGroup):
    """The verbs by name and help alone, until one is called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {verb: TyperCommand(verb, help=_(its[1])) for verb, its in VERBS.items()}
        _translate(self)

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
    _translate(command)
    if "loguru" in sys.modules:
        from paperchute.app.log import clean_log

        clean_log()
    return command


def _translate(command: Any) -> None:
    """Texts are marked where the verbs stand, and translated here: only now it is known who reads them."""
    command.help = _(command.help) if command.help else command.help
    for option in command.params:
        if getattr(option, "help", None):
            option.help = _(option.help)
    for inner in getattr(command, "commands", {}).values():
        if not isinstance(command, Verbs):
            _translate(inner)


app = typer.Typer(
    name="paperchute",
    cls=Verbs,
    help=N_("Hot folders for documents: drop a file, get the result."),
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
    rules_: Annotated[Path | None, typer.Option("--rules", help=N_("Rule file. Default: $PAPERCHUTE_RULES."))] = None,
    state: Annotated[Path | None, typer.Option(help=N_("State folder. Default: $PAPERCHUTE_STATE."))] = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help=N_("Show it."))] = False,
) -> None:
    """Hot folders for documents: drop a file, get the result."""
    given = {"--rules": rules_, "--state": state}
    told_with([word for name, path in given.items() if path for word in (name, str(path.expanduser().absolute()))])
    context.obj = Context(rules_, state)


_UsageError: Any = typer.BadParameter.__mro__[1]
"""What typer raises for any slip in a command line; it has no public name there."""


def _end_with(error: PaperchuteError) -> NoReturn:
    from paperchute.cli.terminal import say_error

    say_error(error)
    sys.exit(getattr(error, "exit_code", EXIT_WRONG))


def main() -> None:
    """Run the command line; exits with 0 good, 1 some job failed, 2 rules or command line wrong, 3 no service."""
    clean_tracebacks()
    use(preferred())
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except PaperchuteError as error:
        _end_with(error)
    except typer.Abort:
        sys.exit(1)
    except _UsageError as error:
        from paperchute.cli.usage import told

        said = told(error)
        if said is None:
            error.show()
            sys.exit(EXIT_WRONG)
        _end_with(said)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing left to say, not even at interpreter exit
        sys.exit(0)
