"""What needs a person: failed jobs, results that lack something, mistakes in the rules, files that no rule takes."""

from __future__ import annotations

from typing import Any

from paperchute.app.cures import is_locked, is_unrecognised
from paperchute.app.daemon import Daemon
from paperchute.jobs.model import Job
from paperchute.page.slips import slips

_MOST = 100


def needs(daemon: Daemon) -> dict[str, Any]:
    """All of it, as JSON's values. Any thread may ask."""
    queries = daemon.journal.queries
    told = daemon.told
    rules = told.get("rules", {})
    return {
        "failed": [
            {**_job(job), "reason": job.error or "", "is_locked": is_locked(job)}
            for job in queries.jobs(["failed"], _MOST)
        ],
        "failed_count": queries.counts().of("failed"),
        "warned": [
            {**_job(job), "warnings": list(job.warnings), "can_recognise": is_unrecognised(daemon.journal, job)}
            for job in queries.unseen_warnings(_MOST)
        ],
        "mistakes": slips(daemon.rules, rules.get("errors", [])),
        "broken": rules.get("broken", False),
        "advice": rules.get("warnings", []),
        "troubles": [one for one in told.get("troubles", ()) if one not in rules.get("errors", ())],
        "untaken": [
            *(one["told"] for one in told.get("unwanted", ())),
            *(f"{one['path']}: {one['reason']}" for one in told.get("untaken", ())),
        ],
    }


def _job(job: Job) -> dict[str, Any]:
    return {
        "job": job.id,
        "name": job.path.name,
        "rule": job.rule.name,
        "operation": job.rule.steps[0].operation if job.rule.steps else "",
        "at": job.finished or job.created,
    }
