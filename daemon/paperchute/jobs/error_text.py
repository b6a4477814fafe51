"""`NAME.error.txt` beside a failed original, and `NAME.warnings.txt` about a result that lacks something."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paperchute.errors import PaperchuteError
from paperchute.files.names import listed
from paperchute.jobs.records import Event, Job
from paperchute.redaction import clean
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
