"""What our own rules have made goes through each of them once: results that come round again are left where they are.

`check` and the rules' problems say where paths lead in a circle; links, mounts and other programs can close one at any
time, and then every round would be a call that is paid for.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.files.identity import hash_of
from paperchute.files.whereabouts import chain
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Member, NewJob
from paperchute.language import _
from paperchute.rules.sidecar import SUFFIX


def why_round(journal: Journal, new: NewJob) -> str:
    """Say why a job would do again what its rule has done; empty where it would not. Raises OSError.

    A file is known by its bytes, wherever it lies. Files that make a job together are put together by people, of
    earlier results too: they must all lie where they were delivered.
    """
    gathered = new.is_set or new.rule.gather is not None
    job = 0
    for member in new.members:
        if member.path.name.endswith(SUFFIX):
            continue
        job = _made_by(journal, new, member, in_place=gathered)
        if not job:
            return ""
    if not job:
        return ""
    return _(
        "rule '{name}' has made it itself, or what it was made of (job {job}), so it does not go through it again; "
        "look where its results land",
        name=new.rule.name,
        job=job,
    )


def _made_by(journal: Journal, new: NewJob, member: Member, *, in_place: bool) -> int:
    """The job by which the rule has made a file, or what it was made of; 0 where it has not."""
    if not journal.plans.has_size(member.key.size):
        return 0
    sha256 = hash_of(member.path)
    if in_place and not any(
        _is_one(one.path, member.path) for one in journal.plans.written_bytes(member.key.size, sha256)
    ):
        return 0
    return journal.plans.makers(member.key.size, sha256).get(new.rule.name, 0)


def _is_one(path: Path, other: Path) -> bool:
    keys = {key for key, level in chain(path).items() if level == 0}
    return any(level == 0 and key in keys for key, level in chain(other).items())
