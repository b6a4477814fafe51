"""A job's inputs: are they still what the job was made for?"""

from __future__ import annotations

import time

from paperchute.files.identity import hash_of, key_of
from paperchute.files.writer import writer_open
from paperchute.jobs.journal import Journal
from paperchute.jobs.lateness import late_files
from paperchute.jobs.material import late_asides
from paperchute.jobs.moving import is_same
from paperchute.jobs.records import Changed, Job, Member

_NEVER_CLOSED_SECONDS = 60.0  # a file kept open for so long without a change is not being written


def in_reach(job: Job) -> None:
    """Raise OSError while the hot folder is away: what is not to be found then has not been taken away."""
    job.rule.folder.stat()


def changes_of(job: Job, hashes: tuple[str, ...]) -> tuple[Changed, ...]:
    """The input, when it is no longer what was sent, or somebody is writing to it. hashes: as `Work.hashes`."""
    if late_asides(job) or late_files(job):
        return back_to_watching(job)
    for index, member in enumerate(job.members):
        sha256 = hashes[index] or None
        if is_same(member.path, member.key, sha256) and not _being_written(member):
            continue
        now = key_of(member.path)
        gap = max(0.0, (now.mtime - member.key.mtime) / 1e9) if now else 0.0
        return back_to_watching(job, gap)
    return ()


def back_to_watching(job: Job, gap: float = 0.0) -> tuple[Changed, ...]:
    """Everything that the job was made for, to be judged again. gap: seconds that a change took; 0 = unknown."""
    paths = [job.path] if job.is_set else [member.path for member in job.members]
    return tuple(Changed(path, gap) for path in paths)


def done_before(journal: Journal, job: Job) -> bool:
    """Under `original = "keep"`: whether an earlier job had the very same bytes (touch, cp -p, sync tools)."""
    earlier = journal.kept_before(job)
    if earlier is None:
        return False
    _, hashes = earlier
    if len(hashes) != len(job.members) or not all(hashes) or tuple(hash_of(m.path) for m in job.members) != hashes:
        return False
    journal.note_hashes(job, hashes)
    return True


def _being_written(member: Member) -> bool:
    quiet = time.time() - member.key.mtime / 1e9
    return quiet < _NEVER_CLOSED_SECONDS and writer_open(member.path) is True
