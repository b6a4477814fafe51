"""The verbs about jobs: jobs, retry, pause, resume."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

import typer

from paperchute.cli.context import EXIT_FAILED, AsJson, given, say_json
from paperchute.cli.terminal import out
from paperchute.contract.words import told_of_words
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, State
from paperchute.jobs.overview import told_of_state
from paperchute.jobs.pause import SETTING, text_of
from paperchute.language import N_, _
from paperchute.moments import end_after, told_of_hour


def add_to(app: typer.Typer) -> None:
    """Put these verbs on the command line."""
    for verb in (jobs, retry, pause, resume):
        app.command()(verb)


def retry(
    context: typer.Context,
    job: Annotated[int | None, typer.Argument(help=N_("The job's number, as `jobs` shows it."))] = None,
    all_failed: Annotated[bool, typer.Option("--all-failed", help=N_("Every failed job."))] = False,
) -> None:
    """Try failed jobs again: their originals go back into the hot folder."""
    from paperchute.app.failures import retry as retry_jobs  # half of what would be loaded for a list of jobs

    if (job is None) == (not all_failed):
        raise PaperchuteError(_("Say which job to try again."), _("Give its number, or --all-failed."))
    journal = Journal(given(context).state.journal)
    try:
        if all_failed and not journal.queries.counts().of("failed"):
            out.print(_("No job has failed, so there is none to try again."))
            return
        problems = retry_jobs(journal, job)
    finally:
        journal.close()
    for problem in problems:
        out.print(problem)
    if problems:
        raise typer.Exit(EXIT_FAILED)
    running = given(context).state.locked()
    out.print(
        _("Trying again now.")
        if running
        else _("It will be tried again at the next `{command}`.", command=command("run"))
    )


def pause(
    context: typer.Context,
    until: Annotated[
        Literal["hour", "tomorrow"] | None, typer.Argument(help=N_("hour or tomorrow; left out: until `resume`."))
    ] = None,
) -> None:
    """Start no new jobs until `resume` or a time; running ones end. Remembered over restarts."""
    end = end_after(until or "", datetime.now())
    _set_paused(context, text_of(end))
    goes_on = command("resume")
    if end:
        when = told_of_hour(datetime.fromtimestamp(end))
        out.print(
            _("Paused until {when}. Files are still noticed; `{command}` resumes work.", when=when, command=goes_on)
        )
        return
    out.print(_("Paused. Files are still noticed; `{command}` resumes work.", command=goes_on))


def resume(context: typer.Context) -> None:
    """Resume work after `pause`."""
    _set_paused(context, None)
    out.print(_("Work continues."))


def _set_paused(context: typer.Context, setting: str | None) -> None:
    journal = Journal(given(context).state.journal)
    try:
        journal.settings.set(SETTING, setting)
    finally:
        journal.close()


def jobs(
    context: typer.Context,
    state: Annotated[
        str | None,
        typer.Option(help=N_("Only jobs in this state.")),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help=N_("How many to list at most, newest first."))] = 50,
    as_json: AsJson = False,
) -> None:
    """List jobs, newest first."""
    if state is not None and state not in get_args(State):
        raise PaperchuteError(
            _("There is no state '{state}'.", state=state),
            _("Choose one of: {states}.", states=", ".join(get_args(State))),
        )
    journal = Journal(given(context).state.journal)
    try:
        found = journal.queries.jobs([state] if state else [], limit)  # type: ignore[list-item]
        if not given(context).state.locked():  # what was cut off goes on at the next start
            found = [replace(job, state="queued") if job.state == "running" else job for job in found]
        if as_json:
            say_json([job_json(job, journal) for job in found])
            return
        words = {job.id: told_of_words(journal.queries.words(job.id)) for job in found}
        notes = {job.id: [e.text for e in journal.history.events(job.id) if e.kind == "noted"] for job in found}
    finally:
        journal.close()
    if not found:
        out.print(_("No jobs."))
        return
    for job in found:
        when = datetime.fromtimestamp(job.finished or job.created).strftime("%Y-%m-%d %H:%M:%S")
        out.print(f"{job.id}  {told_of_state(job.state)}  {when}  {job.rule.name}: {job.path.name}")
        result = job.error if job.state in ("failed", "waiting") else (job.note or str(job.result or ""))
        said = [*(f"! {sentence}" for sentence in job.warnings), words[job.id]]
        for line in (result, *said, *notes[job.id]):  # in full: a path is there to be copied
            if line:
                out.print(f"    {line}")


def job_json(job: Job, journal: Journal) -> dict[str, Any]:
    """All of a job, as `--json` and reports tell it (docs/cli.md)."""
    return {
        "job": job.id,
        "state": job.state,
        "stage": job.stage,
        "rule": job.rule.name,
        "operations": [step.operation for step in job.rule.steps],
        "path": str(job.path),
        "outputs": [str(path) for path in job.outputs],
        "created": job.created,
        "finished": job.finished,
        "due": job.due if job.state == "waiting" and job.due > time.time() else None,
        "attempts": job.attempts,
        "error": job.error,
        "error_code": job.error_code,
        "note": job.note,
        "warnings": list(job.warnings),
        "words": journal.queries.words(job.id),
        "events": [{"at": e.at, "kind": e.kind, "text": e.text} for e in journal.history.events(job.id)],
    }
