"""Filing: what becomes of an original, after delivery or after a failure. Planned first, then done, then marked."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from typing import Literal

from send2trash import send2trash

from paperchute.errors import PaperchuteError
from paperchute.files import placing
from paperchute.files.identity import FileKey, hash_of, key_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.records import FilingPlan, Job
from paperchute.rules.siblings import siblings

Fate = Literal["filed", "kept", "away"]
"""away: the original was not to be found, and should it turn up again it is still to be filed."""


def plan_for(job: Job) -> FilingPlan | None:
    """Where the original of a job that is done will be moved; None where the rule moves none, or it is not there."""
    if job.rule.original in ("keep", "delete", "trash") or not _still_ours(job):
        return None
    folder = siblings(job.rule).done if job.rule.original == "done" else Path(job.rule.original)
    return FilingPlan(job.path, folder / Path(job.relative))


def file_original(journal: Journal, job: Job) -> Fate:
    """Do with the original what the rule says.

    Only the very file the job was made for is touched: one that has taken its name meanwhile stays. Raises OSError.
    """
    if job.rule.original == "keep":
        return "kept"
    if job.rule.original not in ("delete", "trash"):
        plan = journal.filing(job) or plan_for(job)
        return "filed" if plan is not None and _move(journal, job, plan) else "away"
    if not _still_ours(job):
        return "away"
    if job.rule.original == "trash":
        send2trash(str(job.path))
    else:
        for path in _own_files(job):
            path.unlink(missing_ok=True)
        _remove_empty(job)
    return "filed"


def file_failure(journal: Journal, job: Job) -> bool:
    """Put the original and `NAME.error.txt` into the failed sibling. True when the original stays (rule keeps it).

    Raises OSError.
    """
    failed = siblings(job.rule).failed
    stays = job.rule.original == "keep"
    place = failed / Path(job.relative)
    plan = journal.filing(job) or FilingPlan(job.path, place)
    if not stays and (moved := _move(journal, job, plan)):
        place = moved
    place.parent.mkdir(parents=True, exist_ok=True)
    placing.write_whole(error_text_path(place), journal.failure_text(job))
    return stays


def error_text_path(original: Path) -> Path:
    """Where the error text of a failed original lies."""
    return original.with_name(original.name + ".error.txt")


def bring_back(journal: Journal, job: Job) -> None:
    """Retry by hand: move a failed original back into its hot folder, where it is taken up again.

    Raises PaperchuteError when it is no longer where it was filed, or its place is taken.
    """
    plan = journal.filing(job)
    if plan is None or not _present(plan.target):
        where = plan.target if plan else job.path
        raise PaperchuteError(
            f"{job.path.name} cannot be tried again: it is no longer at {where}.", "Drop it into the hot folder again."
        )
    job.path.parent.mkdir(parents=True, exist_ok=True)
    if not _place_across(plan.target, job.path):
        raise PaperchuteError(
            f"{job.path.name} cannot be tried again: another file of that name is in {job.path.parent}.",
            "Wait until that one is done, or move it away.",
        )
    placing.remove(error_text_path(plan.target))


def is_waiting_for_help(journal: Journal, job: Job) -> bool:
    """Whether a failed job's original still lies where it was filed, or was left in place by its rule."""
    plan = journal.filing(job)
    return plan is None or _present(plan.target) or not _present(plan.target.parent)


def forget_error_text(job: Job) -> None:
    """Remove the text of an earlier failure whose original was moved back by hand: it is no longer true.

    Raises OSError.
    """
    original = siblings(job.rule).failed / Path(job.relative)
    if not _present(original):
        placing.remove(error_text_path(original))


def _move(journal: Journal, job: Job, plan: FilingPlan) -> Path | None:
    """Move the original as planned; its new path, or None when it was not there."""
    if journal.filing(job) is None:
        if not _still_ours(job):
            return None
        journal.plan_filing(job, plan)
    if plan.copied or _is_copy(plan.source, plan.target):
        if _still_ours(job):
            placing.remove(plan.source)
        return plan.target
    if not _still_ours(job):
        return plan.target if _is_original(job, plan.target) else None
    plan.target.parent.mkdir(parents=True, exist_ok=True)
    for candidate in placing.numbered(plan.target):
        if candidate != plan.target:
            plan = replace(plan, target=candidate)
            journal.plan_filing(job, plan)
        try:
            placed = placing.place_new(plan.source, candidate)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return _move_by_copy(journal, job, plan)
        if placed:
            return candidate
    raise AssertionError("numbered() never ends")


def _move_by_copy(journal: Journal, job: Job, plan: FilingPlan) -> Path:
    temporary = plan.target.with_name(placing.temporary_name(job.token))
    placing.copy_tree(plan.source, temporary)
    for candidate in placing.numbered(plan.target):
        if candidate != plan.target:
            plan = replace(plan, target=candidate)
            journal.plan_filing(job, plan)
        if placing.place_new(temporary, candidate):
            journal.plan_filing(job, replace(plan, copied=True))
            break
    if _still_ours(job):
        placing.remove(plan.source)
    return plan.target


def _is_original(job: Job, target: Path) -> bool:
    """Whether the job's original itself has arrived at `target` by a rename."""
    return target.is_dir() if job.is_set else is_same(target, job.members[0].key)


def _is_copy(source: Path, target: Path) -> bool:
    """Whether `target` is a whole copy of `source` on another file system: a crash came before that was noted."""
    try:
        return source.lstat().st_dev != target.lstat().st_dev and _listing(source) == _listing(target)
    except FileNotFoundError:
        return False


def _listing(top: Path) -> dict[Path, tuple[int, int]]:
    """Size and time, as coarse as any file system keeps it, of every file at or below `top`."""
    files = [path for path in top.rglob("*") if path.is_file()] if top.is_dir() else [top]
    return {path.relative_to(top): (path.stat().st_size, path.stat().st_mtime_ns // 2_000_000_000) for path in files}


def _place_across(source: Path, target: Path) -> bool:
    try:
        return placing.place_new(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    temporary = target.with_name(placing.temporary_name(f"back-{source.stat().st_ino}"))
    placing.copy_tree(source, temporary)
    if not placing.place_new(temporary, target):
        placing.remove(temporary)
        return False
    placing.remove(source)
    return True


def _still_ours(job: Job) -> bool:
    """Whether the original is what the job was made for. A set is ours as long as its folder is there."""
    if job.is_set:
        return job.path.is_dir()
    return bool(_own_files(job))


def _own_files(job: Job) -> list[Path]:
    return [m.path for m in job.members if is_same(m.path, m.key)]


def is_same(path: Path, key: FileKey, sha256: str | None = None) -> bool:
    """Whether the file at `path` still is the one of `key`: by its stat, or where only times differ, by its hash."""
    now = key_of(path)
    if now is None or not now.same_bytes_likely(key):
        return False
    return now == key or sha256 is None or hash_of(path) == sha256


def _remove_empty(job: Job) -> None:
    if job.is_set:
        for folder in sorted((p for p in job.path.rglob("*") if p.is_dir()), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()
        if job.path.is_dir() and not any(job.path.iterdir()):
            job.path.rmdir()


def _present(path: Path) -> bool:
    return path.exists() or path.is_symlink()
