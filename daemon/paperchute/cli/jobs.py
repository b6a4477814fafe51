"""The verbs about jobs: jobs, retry, answer, pause, resume."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

import typer

from paperchute.cli.context import EXIT_FAILED, AsJson, given, say_json, say_whether
from paperchute.cli.terminal import out
from paperchute.contract.words import told_of_words
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.jobs.asked import NUDGE, is_taken
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, State, called
from paperchute.jobs.overview import told_of_state
from paperchute.jobs.pause import SETTING, text_of
from paperchute.language import N_, _
from paperchute.moments import end_after, told_of_hour
from paperchute.rules.service_names import named_by, told


def add_to(app: typer.Typer) -> None:
    """Put these verbs on the command line."""
    for verb in (jobs, retry, answer, pause, resume):
        app.command()(verb)


def answer(
    context: typer.Context,
    job: Annotated[int, typer.Argument(help=N_("The job's number, as `jobs` shows it."))],
    values: Annotated[list[str], typer.Argument(help=N_("FIELD=VALUE, such as sender='ACME GmbH' date=2026-03-12."))],
) -> None:
    """Answer what a job asks about its document; with the last answer it goes on."""
    from paperchute.app.cures import answer as give

    given_values = dict(value.partition("=")[::2] for value in values)
    if not all("=" in value for value in values):
        raise PaperchuteError(_("An answer names its field."), _("Write it as sender='ACME GmbH'."))
    if len(given_values) < len(values):
        raise PaperchuteError(_("A field is answered twice."), _("Give each field one value."))
    journal = Journal(given(context).state.journal)
    try:
        left = give(journal, job, given_values)
    finally:
        journal.close()
    if left:
        out.print(_("Kept. Still open: {fields}.", fields=", ".join(left)))
    elif given(context).state.locked():
        out.print(_("Trying again now."))
    else:
        out.print(_("Kept. It goes on with the next `{command}`.", command=command("run")))


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
        none = all_failed and not journal.queries.counts().of("failed")
        problems = retry_jobs(journal, job)  # what waits is tried at once, too
    finally:
        journal.close()
    for problem in problems:
        out.print(problem)
    if problems:
        raise typer.Exit(EXIT_FAILED)
    running = given(context).state.locked()
    if none:
        out.print(_("No job has failed, so there is none to try again."))
        if running:
            out.print(_("What waits is tried now."))
        return
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
    is_in_force = _set_paused(context, text_of(end))
    goes_on = command("resume")
    if end:
        when = told_of_hour(datetime.fromtimestamp(end))
        out.print(
            _("Paused until {when}. Files are still noticed; `{command}` resumes work.", when=when, command=goes_on)
        )
    else:
        out.print(_("Paused. Files are still noticed; `{command}` resumes work.", command=goes_on))
    say_whether(is_in_force)


def resume(context: typer.Context) -> None:
    """Resume work after `pause`, and try at once what waits for the service."""
    is_in_force = _set_paused(context, None)
    out.print(_("Work continues."))
    say_whether(is_in_force)


def _set_paused(context: typer.Context, setting: str | None) -> bool | None:
    journal = Journal(given(context).state.journal)
    try:
        journal.settings.set(SETTING, setting)
        if setting is None:
            journal.settings.set(NUDGE, str(time.time()))
        return is_taken(journal.settings) if given(context).state.locked() else None
    finally:
        journal.close()


def jobs(
    context: typer.Context,
    job: Annotated[int | None, typer.Argument(help=N_("One job; left out: the newest."))] = None,
    state: Annotated[
        str | None,
        typer.Option(help=N_("Only jobs in this state.")),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help=N_("How many to list at most, newest first."))] = 50,
    as_json: AsJson = False,
) -> None:
    """List jobs, newest first, or one of them."""
    if job is not None and state is not None:
        raise PaperchuteError(_("Name a job or a state, not both."))
    if state is not None and state not in get_args(State):
        raise PaperchuteError(
            _("There is no state '{state}'.", state=state),
            _("Choose one of: {states}.", states=", ".join(get_args(State))),
        )
    journal = Journal(given(context).state.journal)
    try:
        if job is None:
            found = journal.queries.jobs([state] if state else [], limit)  # type: ignore[list-item]
        else:
            from paperchute.app.undoing import job_of  # it moves files, too, which a list of jobs does not

            found = [job_of(journal, job)]
        if not given(context).state.locked():  # what was cut off goes on at the next start
            found = [replace(one, state="queued") if one.state == "running" else one for one in found]
        if as_json:
            say_json([job_json(one, journal) for one in found])
            return
        words = {one.id: told_of_words(journal.queries.words(one.id)) for one in found}
        notes = {one.id: [*_services(one, journal), *_noted(one, journal)] for one in found}
    finally:
        journal.close()
    if not found:
        out.print(_("No jobs."))
        return
    for one in found:
        when = datetime.fromtimestamp(one.finished or one.created).strftime("%Y-%m-%d %H:%M:%S")
        out.print(f"{one.id}  {told_of_state(one.state)}  {when}  {one.rule.name}: {one.path.name}")
        result = one.error if one.state in ("failed", "waiting") else (one.note or str(one.result or ""))
        said = [*(f"! {sentence}" for sentence in one.warnings), words[one.id]]
        for line in (result, *said, *notes[one.id]):  # in full: a path is there to be copied
            if line:
                out.print(f"    {line}")


def _noted(job: Job, journal: Journal) -> list[str]:
    return [event.text for event in journal.history.events(job.id) if event.kind == "noted"]


def _services(job: Job, journal: Journal) -> list[str]:
    """Who has done each step, where the job's rule names services."""
    if not any(named_by(step) for step in job.rule.steps):
        return []
    return [f"{called(number, '')}: {told(name)}" for number, name in journal.calls.services(job.id)]


def job_json(job: Job, journal: Journal) -> dict[str, Any]:
    """All of a job, as `--json` and reports tell it (docs/cli.md)."""
    return {
        "job": job.id,
        "state": job.state,
        "stage": job.stage,
        "rule": job.rule.name,
        "operations": [step.operation for step in job.rule.steps],
        "services": [{"step": number + 1, "service": name} for number, name in journal.calls.services(job.id)],
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
