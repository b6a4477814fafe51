"""The verbs that take back what was done, and do it anew."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from paperchute.cli.context import EXIT_FAILED, given
from paperchute.cli.terminal import out
from paperchute.errors import PaperchuteError
from paperchute.invocation import command
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.language import N_, _

if TYPE_CHECKING:
    from paperchute.app.undoing import Preview
    from paperchute.jobs.undo.assessment import Undo

_FORMS = ("%H:%M", "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M")


def add_to(app: typer.Typer) -> None:
    """Put the verbs on the command line."""
    app.command()(undo)
    app.command()(again)


def undo(
    context: typer.Context,
    job: Annotated[int | None, typer.Argument(help=N_("The job's number, as `jobs` shows it."))] = None,
    last: Annotated[bool, typer.Option("--last", help=N_("The job that was done last."))] = False,
    since: Annotated[
        str | None, typer.Option(help=N_("Everything done since this time: 14:30, 2026-11-23 or '2026-11-23 14:30'."))
    ] = None,
    rule: Annotated[
        str | None, typer.Option(help=N_("Everything that this rule has done; with --since, only since then."))
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help=N_("Do it. Without this, it is only shown."))] = False,
) -> None:
    """Take back what was done: results go to the trash, originals to where they were dropped."""
    from paperchute.app.undoing import preview, undo_jobs

    if [job is not None, last, since is not None or rule is not None].count(True) != 1:
        raise PaperchuteError(
            _("Say which jobs to undo."), _("Give a job's number, --last, --since TIME or --rule NAME.")
        )
    journal = Journal(given(context).state.journal)
    try:
        jobs = _chosen(journal, job, last, since, rule)
        if not jobs:
            out.print(_("No such job is done, so there is nothing to undo."))
            return
        if not yes:
            _show(preview(journal, jobs))
            return
        done, left = undo_jobs(journal, given(context).state, jobs)
    finally:
        journal.close()
    for one in done:
        out.print(_("Undone: {job}", job=_titled(one.jobs[0])))
    for other in left:
        out.print(_("Left as it is: {job}: {reason}", job=_titled(other.job), reason=other.why))
    if left:
        raise typer.Exit(EXIT_FAILED)


def again(
    context: typer.Context,
    job: Annotated[int, typer.Argument(help=N_("The job's number, as `jobs` shows it."))],
    yes: Annotated[bool, typer.Option("--yes", "-y", help=N_("Do it. Without this, it is only shown."))] = False,
) -> None:
    """Have a job's originals done anew, by the rules as they are now."""
    from paperchute.app.undoing import job_of, make_again, preview_again

    journal = Journal(given(context).state.journal)
    try:
        known = job_of(journal, job)
        if yes:
            make_again(journal, given(context).state, job)
            out.print(_("Done anew: {job}", job=_titled(known)))
            return
        found = preview_again(journal, known)
    finally:
        journal.close()
    for one in found.jobs:
        out.print(_titled(one))
    for line in _lines(found):
        out.print(f"    {line}")
    out.print(_("It is a new call to the service, and counts as one where a service counts calls."))
    out.print(_("Nothing has been changed yet. `{command}` does it.", command=command(f"again {job} --yes")))


def _chosen(journal: Journal, number: int | None, last: bool, since: str | None, rule: str | None) -> Sequence[Job]:
    from paperchute.app.undoing import job_of

    if number is not None:
        return [job_of(journal, number)]
    if last:
        return journal.undos.candidates(limit=1)
    return journal.undos.candidates(since=_moment(since) if since is not None else 0.0, rule=rule)


def _moment(text: str) -> float:
    """The Unix time that a person means; an hour is that of today."""
    for form in _FORMS:
        try:
            moment = datetime.strptime(text.strip(), form)
        except ValueError:
            continue
        if form == _FORMS[0]:
            moment = datetime.combine(datetime.now().date(), moment.time())
        if moment.timestamp() > time.time():
            raise PaperchuteError(_("{time} is still to come.", time=text), _("Give the day too: 2026-11-23 14:30."))
        return moment.timestamp()
    raise PaperchuteError(
        _("'{text}' is not a time.", text=text), _("Write it as 14:30, 2026-11-23 or '2026-11-23 14:30'.")
    )


def _show(found: Preview) -> None:
    for one in found.undos:
        for job in one.jobs:
            out.print(_titled(job))
        for line in _lines(one):
            out.print(f"    {line}")
    for other in found.left:
        out.print(_("Left as it is: {job}: {reason}", job=_titled(other.job), reason=other.why))
    if found.undos:
        out.print(_("Nothing has been changed yet. `{command}` does it.", command=command("undo ... --yes")))


def _lines(one: Undo) -> Iterator[str]:
    for removal in one.plan.removals:
        yield _("to the trash: {path}", path=removal.path)
    for back in one.plan.returns:
        yield _("back to where it was dropped: {path}", path=back.home)
    for path in one.stays:
        yield _("stays where it is: {path}", path=path)
    for note in one.notes:
        yield f"! {note}"


def _titled(job: Job) -> str:
    return f"{job.id}  {job.rule.name}: {job.path.name}"
