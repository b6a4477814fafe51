"""Texts for people: `NAME.error.txt` or `NAME.needs-you.txt` beside an original, `NAME.warnings.txt` of a result."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from paperchute import invocation
from paperchute.errors import PaperchuteError
from paperchute.files import beneath, placement
from paperchute.files.names import listed, shorten
from paperchute.jobs.document_fields import UNSURE
from paperchute.jobs.duplicates import DUPLICATE
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import HistoryEntry, Job, Written
from paperchute.jobs.privacy import privacy_of
from paperchute.jobs.relocation import holding, is_there
from paperchute.language import _
from paperchute.redaction import clean
from paperchute.rules.destinations import siblings
from paperchute.rules.document_fields import FINGERPRINTING, OPERATION, reads
from paperchute.service.model import ServiceError

_LABEL_WIDTH = 10
"""Of the labels in English."""


# ---------- what the texts say ----------


def error_text(job: Job, error: PaperchuteError, events: Sequence[HistoryEntry]) -> str:
    """Return what happened, in which step, the service's own words, how often it was tried, and how to try again."""
    lines = [_("{name} could not be done.", name=job.path.name), "", error.what]
    if error.advice:
        lines.append(error.advice)
    facts = [(_("Rule:"), job.rule.name), (_("Operation:"), _operation(job, events))]
    names = [member.path.name for member in job.members]
    if len(names) > 1 and not job.is_set:
        facts.append((_("Files:"), listed(names)))
    if isinstance(error, ServiceError):
        reason = "" if error.reason in error.what else error.reason  # said once
        if error.code or reason:
            facts.append((_("Service:"), " ".join(word for word in (error.code, reason) if word)))
    facts += [
        (_("Calls:"), str(sum(event.kind == "sent" for event in events))),
        (_("Time:"), datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")),
        (_("Job:"), str(job.id)),
    ]
    lines += ["", *_aligned(facts), "", _how_to_retry(job), ""]
    return "\n".join(map(clean, lines))


def warnings_text(job: Job) -> str:
    """Return what the result lacks, where it is, and how to say that it was seen."""
    facts = [
        (_("Rule:"), job.rule.name),
        (_("Result:"), str(job.result or job.note or "")),
        (_("Job:"), str(job.id)),
    ]
    lines = [
        *(_("{name} was done, with warnings:", name=job.path.name), ""),
        *(*(f"- {text}" for text in job.warnings), ""),
        *(*_aligned(facts), ""),
        *(_("Delete this text once you have looked at the result."), ""),
    ]
    return "\n".join(map(clean, lines))


def _aligned(facts: Sequence[tuple[str, str]]) -> list[str]:
    """Lines of a label and what it says, one below the other."""
    width = max(_LABEL_WIDTH, *(len(label) for label, _what in facts))
    return [f"{label:{width}} {what}" for label, what in facts]


def _how_to_retry(job: Job) -> str:
    command = invocation.command(f"retry {job.id}")
    folder = job.home.parent
    if not job.members:
        return _("To try again, run: {command}", command=command)
    if job.is_set:
        return _("To try again, move the folder back to {folder} or run: {command}", folder=folder, command=command)
    if len(job.members) > 1:
        return _("To try again, move the files back to {folder} or run: {command}", folder=folder, command=command)
    return _("To try again, move the file back to {folder} or run: {command}", folder=folder, command=command)


def _operation(job: Job, events: Sequence[HistoryEntry]) -> str:
    operations = [step.operation for step in job.rule.steps]
    if not operations:
        return _("not known")
    received = sum(event.kind == "answered" for event in events) - reads(job.rule)
    received -= job.rule.duplicates_by == "content"
    if received < 0:
        return OPERATION if reads(job.rule) else FINGERPRINTING
    if len(operations) == 1:
        return operations[0]
    number = min(received, len(operations) - 1)
    return _(
        "{operation} (step {number} of {steps})",
        operation=operations[number],
        number=number + 1,
        steps=len(operations),
    )


# ---------- where they lie ----------


def failed_place(job: Job) -> Path:
    """Return where the original of a failed job would lie if it had one: its texts lie beside."""
    return siblings(job.rule).failed / Path(job.relative)


def error_text_path(job: Job, original: Path) -> Path:
    """Return where the text about a failed original lies: `NAME.needs-you.txt` where all that it lacks is an answer."""
    return _beside(original, ".needs-you.txt" if job.error_code in (UNSURE, DUPLICATE) else ".error.txt")


def warnings_path(journal: Journal, job: Job) -> Path:
    """Return where the text about a job's warnings lies until somebody takes it away, who has seen it then."""
    wanted = _warnings_wanted(job)
    return next((text.path for text in _own_texts(journal, job, wanted)), wanted)


def _warnings_wanted(job: Job) -> Path:
    return _beside(failed_place(job), ".warnings.txt")


def _beside(original: Path, suffix: str) -> Path:
    """The place of a text that is named after a file. A very long name is cut, with a mark that is its own."""
    name = original.name
    if shorten(name, suffix) != name + suffix:
        suffix = f" {hashlib.sha256(os.fsencode(name)).hexdigest()[:6]}{suffix}"
    return original.with_name(shorten(name, suffix))


def write_warnings(journal: Journal, job: Job) -> None:
    """Say in the failed sibling, where people look for what needs them, what a result lacks. Raises OSError."""
    write_text(journal, job, _warnings_wanted(job), warnings_text(job))


def remove_warnings(journal: Journal, job: Job) -> None:
    """Somebody has seen to a job's warnings: their text may go. Raises OSError."""
    _remove(job, _own_texts(journal, job, _warnings_wanted(job)))


def forget_error_text(journal: Journal, job: Job) -> None:
    """Remove the text of an earlier failure whose original was moved back by hand: it is no longer true.

    Raises OSError.
    """
    original = failed_place(job)
    places = [_beside(original, suffix) for suffix in (".error.txt", ".needs-you.txt")]
    texts = [text for place in places for text in _texts_at(journal, job, place)]
    if texts and not is_there(job, original):
        _remove(job, texts)


def write_text(journal: Journal, job: Job, place: Path, text: str) -> None:
    """Put a text for people at `place`, over an earlier one that nobody has changed; else beside what is there.

    Nobody has seen to the warnings of another job yet while their text is there: it stays.
    """
    root = siblings(job.rule).failed
    sha256 = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    mode = privacy_of(_originals(journal, job)).file_mode
    with beneath.opened(root, make=True) as top, top.room_for(place.relative_to(root).parts[:-1]) as folder:
        for candidate in placement.numbered(folder.path / place.name):
            there = folder.key(candidate.name)
            known = journal.plans.written(candidate)
            spent = known.sha256 if known and _is_spent(journal, job, known) else ""
            ours = (sha256, spent)  # the very text is there where a crash came after it
            if folder.status(candidate.name) is None or (there and folder.hash(candidate.name) in ours):
                folder.write_whole(candidate.name, text, f"{job.token}-text", mode)
                journal.plans.remember(Written(candidate, sha256, job.rule.name, place, job.id))
                return


def _is_spent(journal: Journal, job: Job, text: Written) -> bool:
    """Decide whether nobody needs an earlier text any more: it is this job's, or seen, or its result is replaced."""
    replaced = job.rule.on_conflict == "replace" and text.rule == job.rule.name
    return text.job == job.id or replaced or not journal.queries.is_unseen(text.job)


def remove_text(journal: Journal, job: Job, place: Path) -> None:
    """Take a text for people away, also where it got a number, unless somebody has changed it."""
    _remove(job, _texts_at(journal, job, place))


def _texts_at(journal: Journal, job: Job, place: Path) -> list[Written]:
    """Return what Paperchute has written at `place`, or for this job in its stead, as far as the journal knows."""
    return [one for one in journal.plans.written_at(place, job) if one.wanted == place]


def _own_texts(journal: Journal, job: Job, place: Path) -> list[Written]:
    """As `_texts_at`, without what other jobs have written there: rules may share a file, or its name comes again."""
    return [text for text in _texts_at(journal, job, place) if text.job == job.id]


def _remove(job: Job, texts: Sequence[Written]) -> None:
    for text in texts:
        if is_there(job, text.path):
            with holding(job, text.path) as (folder, name):
                if folder.key(name) is not None and folder.hash(name) == text.sha256:
                    folder.unlink(name)


def _originals(journal: Journal, job: Job) -> Iterator[Path]:
    """Yield where the files of a job may lie by now."""
    plans = journal.plans.filings(job)
    for index, member in enumerate(job.members):
        yield member.path
        if job.is_set and 0 in plans:
            yield plans[0].target / member.path.relative_to(job.path)
        elif index in plans:
            yield plans[index].target
