"""Filing: what becomes of an original, after delivery or after a failure. Planned first, then done, then marked."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
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
    """Where the original of a job that is done will be moved; None where it stays, or is not there.

    What is going to be deleted is planned to stay where it is, which says after a crash that it was there.
    """
    if job.rule.original == "keep" or not _still_ours(job):
        return None
    if job.rule.original in ("delete", "trash"):
        return FilingPlan(job.path, job.path)
    folder = siblings(job.rule).done if job.rule.original == "done" else Path(job.rule.original)
    return FilingPlan(job.path, folder / Path(job.relative))


def file_original(journal: Journal, job: Job, planned: FilingPlan | None) -> Fate:
    """Do with the original what the rule says. planned: what the journal holds of that already.

    Only the very file the job was made for is touched: one that has taken its name meanwhile stays. Raises OSError.
    """
    if job.rule.original == "keep":
        return "kept"
    if job.rule.original not in ("delete", "trash"):
        plan = planned or plan_for(job)
        return "filed" if plan is not None and _move(journal, job, plan, planned) else "away"
    if not _still_ours(job) and not _present(_aside(job)):
        return "filed" if planned else "away"
    if job.rule.original == "trash":
        send2trash(str(job.path))
    else:
        _delete(job, _is_own(job))
    return "filed"


def file_failure(journal: Journal, job: Job, companions: Sequence[Job] = ()) -> bool:
    """Put the original and `NAME.error.txt` into the failed sibling. True when the original stays (rule keeps it).

    companions: jobs of other rules that failed on the same input; what became of them stands in the same text.
    Raises OSError.
    """
    failed = siblings(job.rule).failed
    stays = job.rule.original == "keep"
    place = failed / Path(job.relative)
    plan = planned = journal.filing(job)
    if plan is None or not (plan.copied or plan.target.is_relative_to(failed)):
        plan = FilingPlan(job.path, place)  # not where it would have gone, had the job been done
    if not stays and (moved := _move(journal, job, plan, planned)):
        place = moved
    place.parent.mkdir(parents=True, exist_ok=True)
    texts = [journal.failure_text(one) for one in (job, *companions)]
    placing.write_whole(error_text_path(place), "\n".join(texts))
    for one in companions if not stays else ():
        journal.plan_filing(one, FilingPlan(one.path, place))
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
    job.home.parent.mkdir(parents=True, exist_ok=True)
    if not _place_across(plan.target, job.home):
        raise PaperchuteError(
            f"{job.path.name} cannot be tried again: another file of that name is in {job.home.parent}.",
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
    text = error_text_path(original)
    if _present(text) and not _present(original):
        placing.remove(text)


def _move(journal: Journal, job: Job, plan: FilingPlan, planned: FilingPlan | None) -> Path | None:
    """Move the original as planned; its new path, or None when it was not there."""
    if planned != plan:
        if not _still_ours(job):
            return None
        journal.plan_filing(job, plan)
    if plan.copied:
        return _finish_copy(journal, job, plan)
    if not _still_ours(job):
        placing.remove(_copy_of(job, plan))
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
            return _copy(journal, job, plan)
        if placed:
            return candidate
    raise AssertionError("numbered() never ends")


def _copy(journal: Journal, job: Job, plan: FilingPlan) -> Path:
    """Move to another file system: a copy under a hidden name first, which only its publishing takes away."""
    placing.copy_tree(plan.source, _copy_of(job, plan))
    plan = replace(plan, copied=True)
    journal.plan_filing(job, plan)
    return _finish_copy(journal, job, plan)


def _finish_copy(journal: Journal, job: Job, plan: FilingPlan) -> Path:
    """Publish the whole copy, then let the original go; either may have happened before a crash."""
    copy = _copy_of(job, plan)
    if _present(copy):
        for candidate in placing.numbered(plan.target):
            if candidate != plan.target:
                plan = replace(plan, target=candidate)
                journal.plan_filing(job, plan)
            if placing.place_new(copy, candidate):
                break
    elif not _present(plan.target) and _still_ours(job):
        plan.target.parent.stat()  # raises while the other disk is away
        return _copy(journal, job, plan)  # somebody took the copy: the original does not go without one
    target = plan.target
    _delete(job, (lambda path, relative: _present(target / relative)) if job.is_set else _is_own(job))
    return target


def _copy_of(job: Job, plan: FilingPlan) -> Path:
    return plan.target.with_name(placing.temporary_name(job.token))


def _is_original(job: Job, target: Path) -> bool:
    """Whether the job's original itself has arrived at `target` by a rename."""
    return target.is_dir() if job.is_set else is_same(target, job.members[0].key)


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


def _is_own(job: Job) -> Callable[[Path, Path], bool]:
    """Whether a file is one the job was made for. It lies at a path, and in a set below a relative one."""
    keys = {member.path: member.key for member in job.members}

    def is_own(path: Path, relative: Path) -> bool:
        key = keys.get(job.path / relative)
        return key is not None and is_same(path, key)

    return is_own


def _delete(job: Job, own: Callable[[Path, Path], bool]) -> None:
    """Delete the job's own files. A set goes aside first, so that nobody ever sees, or takes, a part of it."""
    if not job.is_set:
        if own(job.path, Path()):
            job.path.unlink(missing_ok=True)
        return
    aside = _aside(job)
    if not _present(aside):
        if not job.path.is_dir():
            return
        job.path.rename(aside)
    for path in sorted(aside.rglob("*"), reverse=True):  # what lies deeper comes first
        if path.is_symlink() or not path.is_dir():
            if own(path, path.relative_to(aside)):
                path.unlink()
        elif not any(path.iterdir()):
            path.rmdir()
    if any(aside.iterdir()):  # what came into it later is not ours
        next(place for place in placing.numbered(job.home) if placing.place_new(aside, place))
    else:
        aside.rmdir()


def _aside(job: Job) -> Path:
    return job.home.with_name(placing.temporary_name(job.token))  # of a claimed set too: nobody takes it for a claim


def _present(path: Path) -> bool:
    return os.path.lexists(path)
