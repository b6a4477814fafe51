"""The terminal of verbs that print tables and progress, and errors as people read them."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from paperchute.errors import PaperchuteError
from paperchute.redaction import clean
from paperchute.rules.problems import RuleFileError


class _Terminal(Console):
    """Every text printed is one line, or one cell of a table, and nothing in it steers the terminal."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Rich turns every plain text into what it prints here."""
        return super().render_str(clean(text), **options)


out = _Terminal(highlight=False, markup=False, soft_wrap=True)
err = _Terminal(stderr=True, highlight=False, markup=False, soft_wrap=True)


def say_error(error: PaperchuteError) -> None:
    """An error to stderr, as people read it."""
    if isinstance(error, RuleFileError):
        for line in filter(None, (*error.lines(), error.advice)):
            err.print(line)
    else:
        err.print(str(error))
