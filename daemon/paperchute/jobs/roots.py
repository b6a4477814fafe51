"""Which configured folder a path of a job's originals lies in: from there it is reached without following a link."""

from __future__ import annotations

from pathlib import Path

from paperchute.files import beneath
from paperchute.jobs.records import Job
from paperchute.rules.destinations import siblings


def root_of(job: Job, path: Path) -> Path:
    """The configured folder that a path of a job's originals lies in. Raises ValueError where it lies in none."""
    rule, beside = job.rule, siblings(job.rule)
    elsewhere = [Path(rule.original)] if Path(rule.original).is_absolute() else []
    roots = (*elsewhere, beside.done, beside.failed, rule.folder)
    found = [root for root in roots if path != root and path.is_relative_to(root)]
    if not found:
        raise ValueError(f"{path} is in no folder of the rule {rule.name!r}")
    return max(found, key=lambda root: len(root.parts))


def holding(job: Job, path: Path, *, make: bool = False) -> beneath.Holding:
    """The open folder that holds a path of a job's originals, and its name there. Raises OSError."""
    return beneath.holder(root_of(job, path), path, make=make)


def is_there(job: Job, path: Path) -> bool:
    """Whether anything is at a path of a job's originals."""
    return beneath.status_of(root_of(job, path), path) is not None
