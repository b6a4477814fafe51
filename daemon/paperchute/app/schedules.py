"""Rules without an input file: when they are due, and the job that then comes of one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from paperchute.app.rulebook import Rulebook
from paperchute.events import Observer, Queued
from paperchute.files.names import safe_name, shorten
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import NewJob
from paperchute.rules.model import Rule
from paperchute.rules.schedule import following, latest, recurrence

_BACK = timedelta(days=1)
"""The clock is not set back further in daily life; a due time that lies further ahead was seen to by a wrong clock."""

_NAME_BYTES = 200  # of a job's name: room for the endings of its texts, such as .warnings.txt


class Schedules:
    """Looks, a few times a minute, whether a rule is due. Of several times that were missed, one is made up for."""

    def __init__(self, journal: Journal, rulebook: Rulebook, observer: Observer) -> None:
        self._journal = journal
        self._rulebook = rulebook
        self._observer = observer
        self._known: frozenset[tuple[str, str]] | None = None

    def look(self, now: datetime) -> None:
        """Write down the jobs of rules that are due. now: local time without a zone. Raises sqlite3.Error."""
        rules = scheduled(self._rulebook.rules)
        known = frozenset((rule.name, rule.schedule) for rule in rules)
        if known != self._known:
            self._journal.inserts.keep_schedules(rules)
            self._known = known
        for rule in rules:
            due = latest(recurrence(rule.schedule), now)
            new = new_job(rule)
            with self._journal.alone():  # as in the intake: first it is told, then begun
                opened = self._journal.inserts.open_due(new, _text(due), now=_text(now), furthest=_text(now + _BACK))
                if opened is not None:
                    self._observer.publish(Queued(opened, new.path.name, rule.name, new.path))


def scheduled(rules: Sequence[Rule]) -> list[Rule]:
    """The rules that wait for a time and not for a file."""
    return [rule for rule in rules if rule.enabled and rule.schedule]


def upcoming(rules: Sequence[Rule], now: datetime) -> list[tuple[Rule, datetime]]:
    """Return when each of them is due next, the first one first."""
    return sorted(
        ((rule, following(recurrence(rule.schedule), now)) for rule in scheduled(rules)), key=lambda found: found[1]
    )


def new_job(rule: Rule) -> NewJob:
    """Give what is written down when a rule is due. Its job is named after it, as there is no file to name it after."""
    name = shorten(safe_name(rule.name).replace(".", "_"), "", _NAME_BYTES)
    return NewJob(rule, rule.folder / name, PurePosixPath(name), ())


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
