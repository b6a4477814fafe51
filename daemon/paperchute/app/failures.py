"""Failed and warned jobs: trying again, what to show of them, and noticing that somebody has seen to one."""

from __future__ import annotations

import json
import time
from pathlib import Path

from paperchute.errors import PaperchuteError
from paperchute.files.identity import key_of
from paperchute.invocation import command
from paperchute.jobs import error_texts, originals
from paperchute.jobs.asked import NUDGE
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.refusal import refusal_of
from paperchute.language import _

LOOK_AGAIN = "look again"
"""The journal's setting with the paths that the daemon is asked to judge again, as JSON."""

_LOOKED_AT = 200


def retry(journal: Journal, number: int | None) -> list[str]:
    """Try one failed job again, or with None all of them, from any process. Returns why some could not be.

    What an undone job's mark keeps from being taken is taken, by the rules as they are now.
    Raises PaperchuteError when there is no failed or undone job of that number.
    """
    if number is None:
        jobs = journal.queries.jobs(["failed"], limit=1_000_000)
    else:
        job = journal.queries.job(number)
        if job is not None and journal.undos.release(job):
            _ask_to_look_at(journal, job)
            return []
        if job is None or job.state != "failed":
            raise PaperchuteError(
                _("There is no failed job {number}.", number=number),
                _("`{command}` lists them.", command=command("jobs --state failed")),
            )
        jobs = [job]
    problems = []
    brought: set[Path] = set()
    for job in jobs:
        try:
            if job.rule.original == "keep":
                journal.inserts.rearm(job)
            elif not (job.rule.also and job.home in brought):  # another rule's job on it has brought it back already
                originals.bring_back(journal, job)
                brought.add(job.home)
        except PaperchuteError as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(refusal_of(job, error).what)
    journal.settings.set(NUDGE, str(time.time()))
    return problems


def _ask_to_look_at(journal: Journal, job: Job) -> None:
    """Ask the daemon, in whatever process, to judge again what an undone job's originals are."""
    paths = [job.home] if job.is_set else [member.path for member in job.members]
    asked = json.loads(journal.settings.get(LOOK_AGAIN) or "[]")
    journal.settings.set(LOOK_AGAIN, json.dumps([*asked, *map(str, paths)]))
    journal.settings.set(NUDGE, str(time.time()))


def to_look_at(journal: Journal) -> list[Path]:
    """Return what was asked for to be judged again; it is asked for no more."""
    asked = journal.settings.get(LOOK_AGAIN)
    if asked is None:
        return []
    journal.settings.set(LOOK_AGAIN, None)
    return [Path(path) for path in json.loads(asked)]


def what_to_show(journal: Journal, number: int | None) -> Path | None:
    """The text of that failed or warned job, or its folder where the text is gone; with None the latest one's.

    None when there is no such job.
    """
    latest = (*journal.queries.jobs(["failed"], limit=1), *journal.queries.unseen_warnings(1))
    job = journal.queries.job(number) if number is not None else latest[0] if latest else None
    if job is None:
        return None
    if job.state == "warned":
        text = error_texts.warnings_path(journal, job)
        return text if text.exists() else text.parent
    plan = journal.plans.filing(job)
    place = plan.target if plan else job.path if job.members else error_texts.failed_place(job)
    text = error_texts.error_text_path(job, place)
    return text if text.exists() else text.parent


def original_of(journal: Journal, number: int) -> Path | None:
    """Return where the original of a job lies now, as far as the journal knows; None for a job that is not there."""
    job = journal.queries.job(number)
    if job is None:
        return None
    plan = journal.plans.filing(job)
    if job.state == "undone" or plan is None or job.finished is None:
        return job.path
    return plan.target


def put_away(journal: Journal, number: int | None) -> None:
    """Somebody has seen to the warnings or the failure of one job, or with None to all warnings. Raises OSError.

    What failed stays where it was filed, and goes on when somebody moves it back.
    """
    job = journal.queries.job(number) if number is not None else None
    if job is not None and job.state == "failed":
        journal.completion.settle_failure(job, _("Somebody has already dismissed it."))
    for job in journal.queries.unseen_warnings(_LOOKED_AT):
        if number in (None, job.id):
            error_texts.remove_warnings(journal, job)
            journal.completion.see_warnings(job)


def settle_those_taken_away(journal: Journal) -> None:
    """Whoever takes a failed file, or the text of a job's warnings, away has seen it: the tray need not point at it."""
    for job in journal.queries.unseen_warnings(_LOOKED_AT):
        try:
            text = error_texts.warnings_path(journal, job)
            is_away = text.parent.is_dir() and not text.exists()
        except (OSError, ValueError):  # nobody can tell: its row holds no path that can be looked at
            continue
        if is_away:
            journal.completion.see_warnings(job)
    for job in journal.queue.held(_LOOKED_AT):
        if job.rule.folder.is_dir() and any(key_of(member.path) is None for member in job.members):
            journal.completion.cancel(job, _("{name} was removed before it was done.", name=job.path.name), kept=False)
    for job in journal.queries.jobs(["failed"], _LOOKED_AT):
        try:
            waits = originals.is_waiting_for_help(journal, job)
        except (OSError, ValueError):  # nobody can tell: its row holds no path that can be looked at
            continue
        if not waits:
            journal.completion.settle_failure(job, _("Its file was taken out of the failed folder."))
