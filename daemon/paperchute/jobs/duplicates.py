"""Files that their rule has done before: the same bytes, or text and picture, as far as the journal remembers."""

from __future__ import annotations

from dataclasses import dataclass

from paperchute.errors import PaperchuteError
from paperchute.files.identity import hash_of
from paperchute.files.reader import readers
from paperchute.jobs.journal import Journal
from paperchute.jobs.likeness import Likeness
from paperchute.jobs.model import Job
from paperchute.language import _

DUPLICATE = "duplicate"
"""The error code of jobs that ask whether the same file is to be done again."""


class DuplicateError(PaperchuteError):
    """A file that was done before, under a rule that asks then."""

    def __init__(self, job: Job, said: str) -> None:
        """said: what it is the same as."""
        super().__init__(
            f"{job.path.name}: {said}", _("Try it again to have it done once more, or take the original away.")
        )


@dataclass(frozen=True)
class First:
    """The job that a file is a duplicate of; one that still runs may be such a job. likeness: None for its bytes."""

    job: Job
    likeness: Likeness | None = None


def first_of(journal: Journal, job: Job) -> First | None:
    """Find the earliest job of the rule with the very same files.

    Keeps the files' SHA-256 with the job, so that a later one of the same bytes finds it. Raises OSError.
    """
    hashes = tuple(hash_of(member.path) for member in job.members)
    journal.calls.note_hashes(job, hashes)
    sizes = [member.key.size for member in job.members]
    for earlier in journal.queries.alike_before(job, hashes):
        if earlier.hashes == hashes or [member.key.size for member in earlier.members] == sizes:
            return First(earlier)
    return None


def done_before(journal: Journal, job: Job) -> bool:
    """Under `original = "keep"`: whether an earlier job had the very same bytes (touch, cp -p, sync tools)."""
    earlier = journal.queries.kept_before(job)
    if earlier is None:
        return False
    _, hashes = earlier
    if len(hashes) != len(job.members) or not all(hashes) or tuple(hash_of(m.path) for m in job.members) != hashes:
        return False
    journal.calls.note_hashes(job, hashes)
    return True


def keep_fingerprint(journal: Journal, job: Job, content: bytes) -> None:
    """Keep what the engine says of a job's document. Raises PaperchuteError, OSError."""
    said, _none = readers.read(job.path.name, {"do": "fingerprint key"}, content)
    journal.fingerprints.keep(job, str(said["key"]), content)


def first_like(journal: Journal, job: Job, content: bytes) -> First | None:
    """Find the job of the rule whose document is surely the same as that of a job, else one that may be.

    content: the job's fingerprint, which is kept. Raises PaperchuteError, OSError.
    """
    unsure: First | None = None
    for earlier, other in journal.fingerprints.alike_before(job):
        said, _none = readers.read(job.path.name, {"do": "likeness", "first": len(content)}, content + other)
        if said["likeness"] == "same":
            return First(earlier, "same")
        if said["likeness"] == "unsure" and unsure is None:
            unsure = First(earlier, "unsure")
    return unsure


def is_asked_for(journal: Journal, job: Job) -> bool:
    """Decide whether a person has had the job tried again, which answers what it asked."""
    return any(event.kind == "retry" for event in journal.history.events(job.id))


def told(journal: Journal, first: First) -> str:
    """Say what a file is the same as, and where that is."""
    plan = journal.plans.filing(first.job)
    place, number = plan.target if plan is not None else first.job.path, first.job.id
    result = str(first.job.result or first.job.note or "")
    if first.likeness == "same":
        return _(
            "by text and picture the same as {place}, which job {number} has done: {result}.",
            place=place,
            number=number,
            result=result,
        )
    if first.likeness == "unsure":
        return _(
            "perhaps the same as {place}, which job {number} has done: {result}. Not all words are read alike.",
            place=place,
            number=number,
            result=result,
        )
    return _("the same as {place}, which job {number} has done: {result}.", place=place, number=number, result=result)
