"""The verb that finds what was done."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from paperchute.cli.context import AsJson, given, say_json
from paperchute.cli.jobs import job_json
from paperchute.cli.terminal import out
from paperchute.jobs.journal import Journal
from paperchute.jobs.overview import told_of_state
from paperchute.language import N_, _


def add_to(app: typer.Typer) -> None:
    """Put the verb on the command line."""
    app.command()(search)


def search(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(help=N_("All of these words, or how they begin."))],
    limit: Annotated[int, typer.Option(min=1, help=N_("How many to list at most, newest first."))] = 50,
    as_json: AsJson = False,
) -> None:
    """Find jobs by their names, rules, results and the text of these."""
    from paperchute.app.history import jobs_with

    journal = Journal(given(context).state.journal)
    try:
        found = jobs_with(journal, given(context).state, " ".join(words), limit)
        if as_json:
            say_json([job_json(job, journal) for job in found])
            return
    finally:
        journal.close()
    if not found:
        out.print(_("Nothing found."))
    for job in found:
        when = datetime.fromtimestamp(job.finished or job.created).strftime("%Y-%m-%d %H:%M:%S")
        out.print(f"{job.id}  {told_of_state(job.state)}  {when}  {job.rule.name}: {job.path.name}")
        for path in job.outputs:
            out.print(f"    {path}")
