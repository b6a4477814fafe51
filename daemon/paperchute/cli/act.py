"""Verbs that act on a daemon or its journal: retry, pause, resume."""

from __future__ import annotations

from typing import Annotated

import typer

from paperchute.app.failures import retry as retry_jobs
from paperchute.cli.context import EXIT_FAILED, given, out
from paperchute.errors import PaperchuteError
from paperchute.jobs.journal import Journal


def add_to(app: typer.Typer) -> None:
    """Put these verbs on the command line."""
    for verb in (retry, pause, resume):
        app.command()(verb)


def retry(
    context: typer.Context,
    job: Annotated[int | None, typer.Argument(help="The job's number, as `paperchute jobs` shows it.")] = None,
    all_failed: Annotated[bool, typer.Option("--all-failed", help="Every failed job.")] = False,
) -> None:
    """Try failed jobs again: their originals go back into the hot folder."""
    if (job is None) == (not all_failed):
        raise PaperchuteError("Say which job to try again.", "Give its number, or --all-failed.")
    journal = Journal(given(context).state.journal)
    try:
        problems = retry_jobs(journal, job)
    finally:
        journal.close()
    for problem in problems:
        out.print(problem)
    if problems:
        raise typer.Exit(EXIT_FAILED)
    running = given(context).state.locked()
    out.print("Tried again now." if running else "Tried again at the next `paperchute run`.")


def pause(context: typer.Context) -> None:
    """Start no new jobs until `resume`; running ones end. Remembered over restarts."""
    _set_paused(context, on=True)
    out.print("Paused. Files are still noticed; `paperchute resume` goes on.")


def resume(context: typer.Context) -> None:
    """Go on after `pause`."""
    _set_paused(context, on=False)
    out.print("Going on.")


def _set_paused(context: typer.Context, *, on: bool) -> None:
    journal = Journal(given(context).state.journal)
    try:
        journal.settings.set("paused", "1" if on else None)
    finally:
        journal.close()
