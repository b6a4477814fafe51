"""`NAME.error.txt` beside a failed original, and `NAME.warnings.txt` about a result that lacks something."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from paperchute.errors import PaperchuteError
from paperchute.files import beneath, placement
from paperchute.files.names import listed
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Event, Job, Written
from paperchute.jobs.privacy import privacy_of
from paperchute.jobs.relocation import holding, is_there
from paperchute.redaction import clean
from paperchute.rules.destinations import siblings
from paperchute.service.model import ServiceError


def error_text(job: Job, error: PaperchuteError, events: Sequence[Event]) -> str:
    """What happened, in which step, the service's own words, how often it was tried, and how to try again."""
    lines = [f"{job.path.name} could not be done.", "", error.what]
    if error.advice:
        lines.append(error.advice)
    lines += ["", f"Rule:      {job.rule.name}", f"Operation: {_operation(job, events)}"]
    names = [member.path.name for member in job.members]
    if len(names) > 1 and not job.is_set:
        lines.append(f"Files:     {listed(names)}")
    if isinstance(error, ServiceError) and (error.code or error.reason):
        lines.append(f"Service:   {' '.join(word for word in (error.code, error.reason) if word)}")
    what = "folder" if job.is_set else "files" if len(names) > 1 else "file"
    calls = sum(event.kind == "sent" for event in events)
    lines += [
        f"Calls:     {calls}",
        f"Time:      {datetime.now().astimezone().isoformat(sep=' ', timespec='seconds')}",
        f"Job:       {job.id}",
        "",
        f"To try again, {f'move the {what} back to {job.home.parent} or ' if names else ''}run: "
        f"paperchute retry {job.id}",
        "",
    ]
    return "\n".join(map(clean, lines))


def warnings_text(job: Job) -> str:
    """What the result lacks, where it is, and how to say that it was seen."""
    lines = [f"{job.path.name} was done, with warnings:", "", *(f"- {text}" for text in job.warnings), ""]
    lines += [f"Rule:      {job.rule.name}", f"Result:    {job.result or job.note or ''}", f"Job:       {job.id}", ""]
    return "\n".join(map(clean, [*lines, "Delete this text once you have looked at the result.", ""]))


def _operation(job: Job, events: Sequence[Event]) -> str:
    operations = [step.operation for step in job.rule.steps]
    if len(operations) < 2:
        return operations[0] if operations else "not known"
    received = sum(event.kind == "answered" for event in events)
    number = min(received, len(operations) - 1)
    return f"{operations[number]} (step {number + 1} of {len(operations)})"


def failed_place(job: Job) -> Path:
    """Where the original of a failed job would lie if it had one: its texts lie beside."""
    return siblings(job.rule).failed / Path(job.relative)


def error_text_path(original: Path) -> Path:
    """Where the error text of a failed original lies."""
    return original.with_name(original.name + ".error.txt")


def write_warnings(journal: Journal, job: Job) -> None:
    """Say in the failed sibling, where people look for what needs them, what a result lacks. Raises OSError."""
    write_text(journal, job, warnings_path(job), warnings_text(job))


def warnings_path(job: Job) -> Path:
    """Where the text about a job's warnings lies until somebody takes it away, who has seen it then."""
    original = siblings(job.rule).failed / Path(job.relative)
    return original.with_name(original.name + ".warnings.txt")


def remove_warnings(journal: Journal, job: Job) -> None:
    """Somebody has seen to a job's warnings: their text may go. Raises OSError."""
    remove_text(journal, job, warnings_path(job))


def forget_error_text(journal: Journal, job: Job) -> None:
    """Remove the text of an earlier failure whose original was moved back by hand: it is no longer true.

    Raises OSError.
    """
    original = siblings(job.rule).failed / Path(job.relative)
    if not is_there(job, original):
        remove_text(journal, job, error_text_path(original))


def write_text(journal: Journal, job: Job, place: Path, text: str) -> None:
    """Put a text for people at `place`, over an earlier one that nobody has changed; else beside what is there."""
    root = siblings(job.rule).failed
    sha256 = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    mode = privacy_of(_originals(journal, job)).file_mode
    with beneath.opened(root, make=True) as top, top.room_for(place.relative_to(root).parts[:-1]) as folder:
        for candidate in placement.numbered(folder.path / place.name):
            there = folder.key(candidate.name)
            known = journal.plans.written(candidate)
            ours = (sha256, known.sha256 if known else "")  # the very text is there where a crash came after it
            if folder.status(candidate.name) is None or (there and folder.hash(candidate.name) in ours):
                folder.write_whole(candidate.name, text, f"{job.token}-text", mode)
                journal.plans.remember(Written(candidate, sha256, job.rule.name, place, job.id))
                return


def _originals(journal: Journal, job: Job) -> Iterator[Path]:
    """Where the files of a job may lie by now."""
    plans = journal.plans.filings(job)
    for index, member in enumerate(job.members):
        yield member.path
        if job.is_set and 0 in plans:
            yield plans[0].target / member.path.relative_to(job.path)
        elif index in plans:
            yield plans[index].target


def remove_text(journal: Journal, job: Job, place: Path) -> None:
    """Take a text for people away, also where it got a number, unless somebody has changed it."""
    texts = {
        one.path: one
        for one in (journal.plans.written(place), *journal.plans.written_by(job))
        if one and one.wanted == place
    }
    for text in texts.values():
        if is_there(job, text.path):
            with holding(job, text.path) as (folder, name):
                if folder.key(name) is not None and folder.hash(name) == text.sha256:
                    folder.unlink(name)
