"""What was done: found by words, seen before and after, opened, and taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from paperchute.app import failures, undoing
from paperchute.app.daemon import Daemon
from paperchute.app.history import jobs_with
from paperchute.contract.kinds import PICTURES, canonical
from paperchute.desktop.opener import open_path
from paperchute.errors import PaperchuteError
from paperchute.jobs.model import Job, called
from paperchute.jobs.overview import told_of_state
from paperchute.jobs.undo.assessment import CannotUndo, Undo
from paperchute.language import _
from paperchute.rules.service_names import named_by, told

_MOST = 500
_RESULTS_SHOWN = 5


def history(daemon: Daemon, words: str, limit: int) -> dict[str, Any]:
    """The newest jobs with these words, as JSON's values, and whether there are more. Raises PaperchuteError."""
    limit = min(limit, _MOST)
    found = jobs_with(daemon.journal, daemon.state, words, limit + 1)
    return {"jobs": [_job(daemon, job) for job in found[:limit]], "more": len(found) > limit and limit < _MOST}


def _job(daemon: Daemon, job: Job) -> dict[str, Any]:
    original = failures.original_of(daemon.journal, job.id)
    return {
        "job": job.id,
        "name": job.path.name,
        "rule": job.rule.name,
        "state": job.state,
        "told": told_of_state(job.state),
        "at": job.finished or job.created,
        "original": str(original) if original is not None and job.members else "",
        "results": [str(path) for path in job.outputs[:_RESULTS_SHOWN]],
        "count": len(job.outputs),
        "drawn": [place is not None and _is_drawn(place) for place in (original, *job.outputs[:1])],
        "services": services_of(daemon, job),
        "note": job.error if job.state == "failed" else job.note,
        "undoable": job.state in ("done", "warned"),
        "held": job.state == "undone" and daemon.journal.undos.is_kept(job),
    }


def services_of(daemon: Daemon, job: Job) -> list[str]:
    """Who has done the steps of a job, a line each; none where its rule names no services."""
    if not any(named_by(step) for step in job.rule.steps):
        return []
    done = daemon.journal.calls.services(job.id)
    return [f"{called(number, '')}: {told(name)}" for number, name in done]


def _is_drawn(path: Path) -> bool:
    """Decide whether there may be a picture of it."""
    return canonical(path.suffix) in ("pdf", *PICTURES)


def preview(daemon: Daemon, number: int) -> dict[str, Any]:
    """Return what taking a job back would mean, as JSON's values. Raises PaperchuteError."""
    found = undoing.preview(daemon.journal, [undoing.job_of(daemon.journal, number)])
    if found.left:
        return {"why_not": found.left[0].why}
    return _told_of(found.undos[0])


def _told_of(undo: Undo) -> dict[str, Any]:
    return {
        "why_not": "",
        "trash": [str(removal.path) for removal in undo.plan.removals],
        "back": [str(one.home) for one in undo.plan.returns],
        "stays": [str(path) for path in undo.stays],
        "notes": list(undo.notes),
        "others": [f"{job.rule.name}: {job.path.name}" for job in undo.jobs[1:]],
    }


def preview_again(daemon: Daemon, number: int) -> dict[str, Any]:
    """Return what making a job's results again would mean, as JSON's values. Raises PaperchuteError."""
    try:
        undo = undoing.preview_again(daemon.journal, undoing.job_of(daemon.journal, number))
    except CannotUndo as error:
        return {"why_not": error.what}
    told = _told_of(undo)
    rule = undo.jobs[0].rule
    paid = any(map(daemon.rules.is_remote, daemon.rules.asked_by(rule)))
    called = _("It is a new call to the service, and counts as one.") if paid else ""
    return {**told, "notes": [*filter(None, [called]), *told["notes"]]}


def make_again(daemon: Daemon, number: int) -> None:
    """Have a job's originals done anew. Raises PaperchuteError."""
    undoing.make_again(daemon.journal, daemon.state, number)


def take_back(daemon: Daemon, number: int) -> None:
    """Take a job back. Raises PaperchuteError with the reason where it is left as it is."""
    _, left = undoing.undo_jobs(daemon.journal, daemon.state, [undoing.job_of(daemon.journal, number)])
    if left:
        raise PaperchuteError(left[0].why)


def open_result(daemon: Daemon, number: int) -> None:
    """Open the result of a job, or the folder with several. Raises PaperchuteError, and HTTPException without one."""
    open_path(_result(daemon, number))


def show_result(daemon: Daemon, number: int) -> None:
    """Open the folder that the result of a job is in. Raises as `open_result`."""
    open_path(_result(daemon, number).parent)


def _result(daemon: Daemon, number: int) -> Path:
    job = daemon.journal.queries.job(number)
    if job is None or job.result is None:
        raise HTTPException(404)
    return job.result
