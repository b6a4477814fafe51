"""What a person can do about one job from the page: open its file with a password, have it recognised, put it away."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path

from paperchute.app import failures, undoing
from paperchute.app.facts import unread_of
from paperchute.app.places import State
from paperchute.contract import contract
from paperchute.contract.recognition import SWITCH
from paperchute.errors import PaperchuteError
from paperchute.files.beneath import opened
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.language import _
from paperchute.redaction import in_use
from paperchute.rules.sidecar import SUFFIX

_MOST = 100


class TypedPasswords:
    """Passwords that somebody has typed for a job, in memory only: a restart forgets them. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: OrderedDict[int, str] = OrderedDict()

    def keep(self, job: int, password: str) -> None:
        """For its next calls; from now on it is masked in whatever is told."""
        in_use(password)
        with self._lock:
            self._of[job] = password
            self._of.move_to_end(job)
            while len(self._of) > _MOST:
                self._of.popitem(last=False)

    def of(self, job: Job) -> tuple[str, ...]:
        """The one that was typed for it, if any."""
        with self._lock:
            password = self._of.get(job.id)
        return () if password is None else (password,)


def is_locked(job: Job) -> bool:
    """Whether it failed since no password opened its file."""
    return job.state == "failed" and contract().error_class(job.error_code or "", 200) == "password"


def is_unrecognised(journal: Journal, job: Job) -> bool:
    """Whether it was done with warnings, of a single file with pages that its rule did not let be recognised."""
    off = any(step.parameters.get(SWITCH) in (False, 0, "0") for step in job.rule.steps)
    if not off or job.state != "warned" or len(job.members) != 1 or job.is_set:
        return False
    original = failures.original_of(journal, job.id)
    return original is not None and _is_scan(original, job.id)


@lru_cache(maxsize=500)
def _is_scan(path: Path, _job: int) -> bool:
    """Whether there are pages that nobody reads without recognition; a reader process looks once for each job."""
    unread = unread_of(path, "")
    return bool(unread.pages or unread.pictures)


def recognise(journal: Journal, state: State, number: int) -> None:
    """Take a job back, and have it done again with recognition, which a text beside its file asks for.

    Raises PaperchuteError where it cannot be taken back or there is such a text, and OSError.
    """
    job = undoing.job_of(journal, number)
    if not is_unrecognised(journal, job):
        raise PaperchuteError(
            _("Text recognition cannot help with {name}.", name=job.path.name), _("Look at what its warnings say.")
        )
    beside = job.home.with_name(job.home.name + SUFFIX)
    if beside.exists():
        raise PaperchuteError(
            _("{path} is there already.", path=beside), _("Write into it: parameters = {what}", what=_RECOGNISED)
        )
    left = undoing.undo_jobs(journal, state, [job])[1]
    if left:
        raise PaperchuteError(left[0].why)
    with opened(beside.parent) as folder, folder.create(beside.name) as file:
        file.write(f"parameters = {_RECOGNISED}\n".encode())
    failures.retry(journal, number)


_RECOGNISED = f"{{ {SWITCH} = true }}"
