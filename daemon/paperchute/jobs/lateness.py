"""What came into a set's folder after its job was made, or after it was done: none of it is lost, or done unsaid.

Until something is delivered the job begins anew with all that is there. Afterwards the folder stays with what came
late; alone it is not a set, so it fails with a sentence that names the job it came too late for, and that job is told.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from paperchute.files.names import listed
from paperchute.files.sets import TransferError, files_below
from paperchute.jobs.records import Job, NewJob

COUNTED_SECONDS = 3600.0
"""A folder that has the name of a set done so long ago is another set: nobody copies one for an hour."""


def late_files(job: Job) -> list[Path]:
    """What lies in the folder of a job's set and did not when the job was made. Raises OSError.

    Of a claimed set more comes where it was dropped.
    """
    if not job.is_set or job.facts is None:
        return []
    known = {member.path for member in (*job.members, *job.facts.others)}
    found: list[Path] = []
    for top in dict.fromkeys((job.path, job.home)):
        try:
            found += [top / name for name in files_below(str(top))]
        except TransferError as transfer:
            found.append(Path(str(transfer)))
        except (FileNotFoundError, NotADirectoryError):
            continue
    return [path for path in found if path not in known]


def named(paths: Sequence[Path]) -> str:
    """Files by name, for a sentence."""
    return listed([path.name for path in paths])


def with_lateness(new: NewJob, done: Job) -> NewJob:
    """A set whose folder bears the name of one that was done lately, or failed: is it the rest of that one?

    It is where the two have no name in common, since what is dropped anew brings its files along; a rule that has a
    count or an end mark tells by these. A set that was left in its place and has grown, or that has lost some of its
    files, is done anew, and that is said.
    """
    if new.facts is None or new.facts.held:
        return new
    failed = done.state == "failed"
    before = {member.path.relative_to(done.path): member.key for member in done.members}
    now = {member.path.relative_to(new.path): member.key for member in new.members}
    when = time.strftime("%H:%M", time.localtime(done.finished))
    late = named([new.path / name for name in now if name not in before])
    lacks = named([new.path / name for name in before if name not in now])
    if new.rule.set_size or new.rule.set_end:
        lacks = ""
    if lacks and before.keys().isdisjoint(now.keys()):
        ended = f"{'failed' if failed else 'was done'} at {when} (job {done.id})"
        held = (
            f"{late} came after the set {new.path.name!r} {ended}."
            " Put the whole set together and drop it again, or try again to have this done as a set of its own."
        )
        return replace(new, facts=replace(new.facts, held=held, after=None if failed else done.id))
    if late and not failed and before.items() <= now.items():
        said = f"The set had been done at {when} (job {done.id}) without {late}: use this result in its place."
        warnings = (*new.facts.warnings, said)
        return replace(new, facts=replace(new.facts, warnings=warnings, after=done.id))
    if lacks and not failed:
        said = f"A set of this name was done at {when} (job {done.id}) with {lacks}, which this one lacks."
        return replace(new, facts=replace(new.facts, warnings=(*new.facts.warnings, said)))
    return new
