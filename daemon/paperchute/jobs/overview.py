"""What the journal has of all jobs together, read without anything that a daemon needs: `status` answers at once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from paperchute.invocation import command
from paperchute.jobs.pause import SETTING, is_paused
from paperchute.language import N_, _, ngettext
from paperchute.moments import told_of_hour

STATES = ("queued", "running", "waiting", "done", "warned", "failed", "cancelled", "undone")
"""As `jobs.model.State` has them."""
_TOLD = {
    "queued": N_("queued"),
    "running": N_("running"),
    "waiting": N_("waiting"),
    "done": N_("done"),
    "warned": N_("done with warnings"),
    "failed": N_("failed"),
    "cancelled": N_("cancelled"),
    "undone": N_("undone"),
}
SERVICE_PROBLEM = "service"
"""The journal's setting that keeps why the service does no work, for when no daemon runs."""
_OPEN = ("queued", "running", "waiting")
_POSTPONED = "hours"  # `journal.store.POSTPONED`
_WAITING_SHOWN = 3


@dataclass(frozen=True)
class Overview:
    """All jobs together, and why those that are left wait."""

    counts: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))
    """How many jobs there are of each state; every state is there."""
    postponed: int = 0
    """How many wait for the hours of their rules."""
    begin: float = 0.0
    """The Unix time at which the first of these hours begin."""
    paused: bool = False
    service_problem: str = ""
    """Why the service did no work when it was last asked; empty when it did."""
    retried: tuple[tuple[str, str], ...] = ()
    """The latest files that wait to be tried again: the name, and the reason."""

    def waits(self) -> list[str]:
        """Return why jobs are left though no daemon runs, in sentences; empty when none are."""
        if not any(self.counts[state] for state in _OPEN):
            return []
        paused = _("Paperchute is paused; `{command}` resumes work.", command=command("resume")) if self.paused else ""
        told = [
            _("{name} waits to be tried again: {reason}", name=name, reason=reason) for name, reason in self.retried
        ]
        return list(filter(None, (paused, self.service_problem, told_of_postponed(self.postponed, self.begin), *told)))


def overview(journal: Path) -> Overview:
    """What a journal's file has. Raises sqlite3.Error where it cannot be read as it is, or is of an older release."""
    with closing(sqlite3.connect(f"{journal.absolute().as_uri()}?mode=rw", timeout=30, uri=True)) as db:
        db.execute("pragma query_only = on")
        counts = dict(db.execute("select state, count(*) from job group by state"))
        postponed = "state = 'waiting' and coalesce(error_code, '') = ?"
        count, begin = db.execute(f"select count(*), min(due) from job where {postponed}", (_POSTPONED,)).fetchone()
        retried = db.execute(
            f"select path, error from job where state = 'waiting' and not ({postponed})"
            " order by created desc, id desc limit ?",
            (_POSTPONED, _WAITING_SHOWN),
        ).fetchall()
        settings = dict(db.execute("select name, value from setting where name in ('paused', ?)", (SERVICE_PROBLEM,)))
    return Overview(
        counts={state: counts.get(state, 0) for state in STATES},
        postponed=count,
        begin=begin or 0.0,
        paused=is_paused(settings.get(SETTING), time.time()),
        service_problem=settings.get(SERVICE_PROBLEM, ""),
        retried=tuple((_name(path), error or "") for path, error in retried),
    )


def _name(stored: str | bytes) -> str:
    """The name of a file, by its path in a column (`jobs.codec`)."""
    return Path(stored if isinstance(stored, str) else stored.decode("utf-8", "surrogateescape")).name


def told_of_postponed(count: int, begin: float) -> str:
    """Return how many jobs wait for their rules' hours, and until when, in a sentence; empty when none does."""
    if not count:
        return ""
    when = told_of_hour(datetime.fromtimestamp(max(begin, 0.0)))
    return ngettext(
        "{n} job waits for the hours of its rule, which begin on {when}.",
        "{n} jobs wait for the hours of their rules; the first begin on {when}.",
        count,
        when=when,
    )


def told_of_waiting(count: int, reason: str, due: float) -> str:
    """Say how many jobs wait, why, and when the next of them is tried again. due: Unix time; 0 = not by itself."""
    told = ngettext("{n} job waits: {reason}", "{n} jobs wait: {reason}", count, reason=reason)
    if due <= 0:  # below: in a damaged journal alone; Windows has no such moments
        return told
    when = datetime.fromtimestamp(due).strftime("%H:%M:%S")
    return f"{told} " + _("The next try is at {when}.", when=when)


def told_of_count(state: str, n: int) -> str:
    """Return how many jobs are in a state, as people read it; the word goes with the number."""
    match state:
        case "queued":
            return ngettext("{n} queued", "{n} queued", n)
        case "running":
            return ngettext("{n} running", "{n} running", n)
        case "waiting":
            return ngettext("{n} waiting", "{n} waiting", n)
        case "done":
            return ngettext("{n} done", "{n} done", n)
        case "warned":
            return ngettext("{n} done with warnings", "{n} done with warnings", n)
        case "failed":
            return ngettext("{n} failed", "{n} failed", n)
        case "undone":
            return ngettext("{n} undone", "{n} undone", n)
    return ngettext("{n} cancelled", "{n} cancelled", n)


def told_of_state(state: str) -> str:
    """A state as people read it."""
    return _(_TOLD[state]) if state in _TOLD else state
