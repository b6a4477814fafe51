"""Delivery: finished outputs into place, all of a job's or none, by one atomic rename.

One output becomes one file, several one folder. Both are built under a hidden name in the target folder and then
renamed; the plan is in the journal before the rename, so a restart knows from the hidden name alone whether it
happened: only publishing takes that name away.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path, PurePath, PurePosixPath
from typing import Protocol

from paperchute.files import placing
from paperchute.jobs.journal import Journal
from paperchute.jobs.records import DeliveryPlan, Job
from paperchute.rules.model import Target
from paperchute.service.records import Answer, Fetched

STEM_BYTES = 200
"""Most bytes of the name of one of several results: room for a number, an extension and a hidden name's ending."""


class Source(Protocol):
    """Where a result is fetched from."""

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched: ...


def draft(job: Job, target: Target) -> DeliveryPlan:
    """Where the job's result is going to be built and, but for its extension and number, to appear."""
    extension = f".{target.extension}" if target.extension else ""
    return DeliveryPlan(
        temporary=target.folder / placing.temporary_name(job.token),
        final=target.folder / (target.stem + extension),
        extension=target.extension,
    )


def prepare(draft: DeliveryPlan, source: Source, answer: Answer, operation: str) -> DeliveryPlan:
    """Fetch the result to its hidden name in the target folder; nothing is visible yet.

    One output becomes one file, several a folder. Raises ServiceError and OSError; then nothing is left behind.
    """
    draft.temporary.parent.mkdir(parents=True, exist_ok=True)
    with placing.naming(draft.temporary):
        fetched = source.fetch(answer, operation, draft.temporary)
    final = draft.final
    if not fetched.name:
        return as_folder(draft)
    if draft.extension is None and (suffix := PurePath(fetched.name).suffix):
        final = final.with_name(final.name + suffix)
    return replace(draft, final=final)


def prepare_copy(draft: DeliveryPlan, path: Path) -> DeliveryPlan:
    """The same for a result that is here already: a copy of it under the hidden name. Raises OSError."""
    draft.temporary.parent.mkdir(parents=True, exist_ok=True)
    placing.copy_tree(path, draft.temporary)
    return draft if draft.extension else replace(draft, final=draft.final.with_name(draft.final.name + path.suffix))


def add(folder: Path, place: PurePosixPath, source: Source, answer: Answer, operation: str) -> list[Path]:
    """Fetch one of several results to `place` below the hidden `folder`: a file, its suffix added, or a folder.

    Returns the files, in order. Raises ServiceError and OSError; then nothing of it is seen under that name.
    """
    wanted = folder / place
    wanted.parent.mkdir(parents=True, exist_ok=True)
    token = hashlib.sha256(str(place).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    temporary = wanted.with_name(placing.temporary_name(token))  # the name itself may be as long as names can be
    with placing.naming(temporary):
        fetched = source.fetch(answer, operation, temporary)
    if not fetched.name:
        placing.remove(wanted)  # left by a crash
        temporary.rename(wanted)
        return [wanted / name for name in fetched.files]
    return [temporary.replace(wanted.with_name(wanted.name + PurePath(fetched.name).suffix))]


def sweep(folder: Path, wanted: Collection[str]) -> None:
    """Remove from a hidden folder what is no part of the results: a crash may have left it. Raises OSError."""
    keep = {folder / name for name in wanted}
    for path in sorted(folder.rglob("*"), reverse=True):  # what lies deeper comes first
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in keep:
            path.unlink()


def as_folder(draft: DeliveryPlan) -> DeliveryPlan:
    """The plan for several results, which lie ready in the hidden folder: a folder that bears the result's name."""
    name = draft.final.name.removesuffix(f".{draft.extension}") if draft.extension else draft.final.name
    return replace(draft, final=draft.final.with_name(name), is_folder=True)


def is_whole(plan: DeliveryPlan) -> bool:
    """Whether a planned delivery still lies ready, or has been published; False when both places are empty.

    Raises OSError when the target folder is away.
    """
    plan.final.parent.stat()
    return os.path.lexists(plan.temporary) or os.path.lexists(plan.final)


def publish(journal: Journal, job: Job, plan: DeliveryPlan) -> tuple[list[Path], str | None]:
    """Put the planned outputs in place; also completes a plan that a crash interrupted.

    Returns the files in place and a note for the history. Raises OSError; the plan then stands and is taken up again.
    """
    if not plan.temporary.exists():
        _finish_replacing(job, plan)
        return _files(plan.final), None  # published just before a crash
    if job.rule.on_conflict == "replace" and _replaceable(plan):
        _replace(job, plan)
        return _files(plan.final), None
    for candidate in placing.numbered(plan.final):
        if candidate != plan.final:
            if job.rule.on_conflict == "skip":
                # What was built goes when the job ends: as long as it is there, it is known not to be published.
                return [], f"skipped: {plan.final.name} is there already"
            plan = replace(plan, final=candidate)
            journal.plan_delivery(job, plan)
        if placing.place_new(plan.temporary, candidate):
            return _files(candidate), None
    raise AssertionError("numbered() never ends")


def discard(plan: DeliveryPlan) -> None:
    """Remove what was built, in part or whole, and not published. Raises OSError."""
    placing.remove(plan.temporary)
    placing.remove(placing.archive_of(plan.temporary))


def _replaceable(plan: DeliveryPlan) -> bool:
    """A file replaces a file and a folder a folder; neither takes away the other kind."""
    return not plan.final.exists() or plan.final.is_dir() == plan.is_folder


def _replace(job: Job, plan: DeliveryPlan) -> None:
    if plan.is_folder and plan.final.exists():
        aside = _aside(job, plan)
        placing.remove(aside)
        plan.final.rename(aside)
    plan.temporary.replace(plan.final)
    _finish_replacing(job, plan)


def _finish_replacing(job: Job, plan: DeliveryPlan) -> None:
    if plan.is_folder and job.rule.on_conflict == "replace":
        placing.remove(_aside(job, plan))


def _aside(job: Job, plan: DeliveryPlan) -> Path:
    return plan.final.with_name(placing.temporary_name(f"{job.token}-old"))


def _files(final: Path) -> list[Path]:
    if not final.is_dir():
        return [final]
    return sorted(path for path in final.rglob("*") if path.is_file())
