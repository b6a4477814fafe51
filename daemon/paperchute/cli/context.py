"""What every verb shares: where rules and state are, plain output, and the exit codes. Quick to import."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paperchute.app.places import State, rules_path
from paperchute.language import N_, _
from paperchute.redaction import clean

if TYPE_CHECKING:
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


def need_engine() -> None:
    """Raises PaperchuteError where the built-in engine is not installed."""
    from paperchute.contract.engine_libraries import INSTALL, absent_library, without_engine
    from paperchute.errors import PaperchuteError

    if absent_library():
        raise PaperchuteError(without_engine()[0], _("Install it: {command}", command=INSTALL))


def say(text: str) -> None:
    """One line to stdout; nothing in it steers the terminal."""
    typer.echo(clean(text))


def say_json(value: Any) -> None:
    """A documented JSON value to stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=True))
