"""What every verb shares: where rules and state are, the terminal, and the exit codes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from paperchute.app.places import State, rules_path
from paperchute.errors import PaperchuteError
from paperchute.redaction import clean
from paperchute.rules.file import load
from paperchute.rules.problems import RuleFileError
from paperchute.rules.settings import RuleFile

EXIT_FAILED = 1
EXIT_WRONG = 2
EXIT_NO_SERVICE = 3


class _Terminal(Console):
    """Every text printed is one line, or one cell of a table, and nothing in it steers the terminal."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Rich turns every plain text into what it prints here."""
        return super().render_str(clean(text), **options)


out = _Terminal(highlight=False, markup=False, soft_wrap=True)
err = _Terminal(stderr=True, highlight=False, markup=False, soft_wrap=True)


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
        return load(self.rules_path)


def given(context: typer.Context) -> Context:
    """The global options of the running command."""
    found = context.obj
    assert isinstance(found, Context)
    return found


def say_error(error: PaperchuteError) -> None:
    """An error to stderr, as people read it."""
    if isinstance(error, RuleFileError):
        for line in filter(None, (*error.lines(), error.advice)):
            err.print(line)
    else:
        err.print(str(error))


def say_json(value: Any) -> None:
    """A documented JSON value to stdout."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=True))
