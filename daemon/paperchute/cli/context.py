"""What every verb shares: where rules and state are, plain output, and the exit codes. Quick to import."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paperchute.app.places import State, rules_path
from paperchute.language import N_, _
from paperchute.redaction import clean

if TYPE_CHECKING:
    from paperchute.app.preview import Known
    from paperchute.rules.model import Rule
    from paperchute.rules.settings import RuleFile

EXIT_FAILED = 1
EXIT_WRONG = 2
EXIT_NO_SERVICE = 3
AsJson = Annotated[bool, typer.Option("--json", help=N_("Print JSON (docs/cli.md describes it)."))]


@dataclass
class Context:
    """The global options of one command line."""

    rules_option: Path | None
    state_option: Path | None

    @cached_property
    def rules_path(self) -> Path:
        """Where the rule file is looked for."""
        return rules_path(self.rules_option)

    @cached_property
    def state(self) -> State:
        """The state folder, made if need be. Raises PaperchuteError."""
        return State(self.state_option)

    def rules(self) -> RuleFile:
        """The checked rule file. Raises RuleFileError."""
        from paperchute.rules.file import load

        return load(self.rules_path)


def given(context: typer.Context) -> Context:
    """The global options of the running command."""
    found = context.obj
    assert isinstance(found, Context)
    return found


@contextlib.contextmanager
def readings(chosen: Context, rules: Sequence[Rule]) -> Iterator[Known]:
    """Tell, while the block lasts, what is known of files' documents; the journal is opened if any rule asks."""
    from paperchute.app.preview import nothing_known
    from paperchute.jobs.decision import known_of, senders_of
    from paperchute.jobs.journal import Journal

    if not any(rule.when for rule in rules) or not chosen.state.journal.exists():
        yield nothing_known
        return
    journal = Journal(chosen.state.journal)
    try:
        yield partial(known_of, journal, senders_of(rules))
    finally:
        journal.close()


def need_engine() -> None:
    """Raises PaperchuteError where the built-in engine is not installed."""
    from paperchute.contract.engine_libraries import INSTALL, absent_library, without_engine
    from paperchute.errors import PaperchuteError

    if absent_library():
        raise PaperchuteError(without_engine()[0], _("Install it: {command}", command=INSTALL))


def say_whether(is_taken: bool | None) -> None:
    """Say where a change is not in force yet. is_taken: by the daemon; None = none runs. Raises typer.Exit."""
    if is_taken is None:
        say(_("Paperchute is not running: it counts from its next start."))
    elif not is_taken:
        say(_("The running Paperchute has not taken it yet; it will as soon as it can."))
        raise typer.Exit(EXIT_FAILED)


def say(text: str) -> None:
    """One line to stdout; nothing in it steers the terminal."""
    typer.echo(clean(text))


def say_json(value: Any) -> None:
    """A documented JSON value to stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=True))
