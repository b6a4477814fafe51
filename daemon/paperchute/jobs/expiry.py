"""Originals that were filed long ago go to the trash, where their rule has `keep_done`, and only as they were filed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from loguru import logger
from send2trash import send2trash

from paperchute.errors import PaperchuteError
from paperchute.events import Observer, Trouble
from paperchute.files import beneath
from paperchute.jobs import relocation
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.retention import counted_as
from paperchute.jobs.model import Job, Original, originals_of
from paperchute.jobs.undo.assessment import check_unchanged, contents
from paperchute.language import _
from paperchute.rules.destinations import siblings
from paperchute.rules.model import Rule

_DAY = 86_400.0
_BATCH = 50
_KIND = "expiry"
"""Of the trouble."""


class Expiry:
    """Asked now and then by whoever lets the journal forget; for one thread."""

    def __init__(self, journal: Journal, observer: Observer) -> None:
        self._journal = journal
        self._observer = observer
        self._troubles: dict[str, Trouble] = {}

    def sweep(self, rules: Sequence[Rule], now: float) -> int:
        """Send to the trash what its rule does not keep any longer; returns how many originals. now: Unix time.

        What the trash does not take stays, is told as a trouble, and is tried again. Raises sqlite3.Error.
        """
        count = 0
        troubles: dict[str, Trouble] = {}
        for rule in rules:
            try:
                for job in self._due(rule, rules, now) if rule.enabled and rule.keep_done else ():
                    count += self._expire(job)
            except OSError as error:
                reason = error.strerror or error
                told = _(
                    "Originals of {rule} cannot go to the trash ({reason}); they stay.", rule=rule.name, reason=reason
                )
                troubles[rule.name] = Trouble(_KIND, rule.name, told)
        for name in self._troubles.keys() - troubles.keys():
            self._observer.publish(Trouble(_KIND, name, self._troubles[name].message, over=True))
        for name in troubles.keys() - self._troubles.keys():
            self._observer.publish(troubles[name])
        self._troubles = troubles
        return count

    def _due(self, rule: Rule, rules: Sequence[Rule], now: float) -> Iterator[Job]:
        """Find the jobs whose originals have been filed for long enough, by every rule that had them."""
        kept = {one.name: one.keep_done for one in rules if one.enabled}
        after = (0.0, 0)
        while found := self._journal.retention.filed(rule, _latest(rule.keep_done, now), after, _BATCH):
            after = (found[-1].finished or 0.0, found[-1].id)
            for job in found:
                others = self._journal.undos.companions(job) if job.rule.also else []
                ended = [one.finished for one in others if one.state in ("done", "warned") and one.finished]
                limits = [_latest(kept.get(one.rule.name), now) for one in others]
                if len(ended) == len(others) and all(at < limit for at, limit in zip(ended, limits, strict=True)):
                    yield job

    def _expire(self, job: Job) -> int:
        """Send a job's originals to the trash, those that still are as they were filed; how many. Raises OSError."""
        plans = self._journal.plans.filings(job)
        top = siblings(job.rule).done
        if job.rule.original == "done" and plans and not top.is_dir():
            return 0  # its share is away
        gone = [
            original
            for original in originals_of(job)
            if original.index in plans and self._discard(original, plans[original.index].target, top)
        ]
        month = time.strftime("%Y-%m")
        for _original in gone:
            self._journal.settings.count_up(counted_as(month))
        self._journal.retention.expired(job, len(gone))
        return len(gone)

    def _discard(self, original: Original, place: Path, top: Path) -> bool:
        """Send what was filed at `place` to the trash, unless it is none of ours any more. Raises OSError."""
        job = original.job
        if job.rule.original != "done" or not place.is_relative_to(top):
            return False
        found = contents(top, place)
        if not found:
            return False  # somebody has taken it away
        try:
            check_unchanged(job, original, place, found)
        except PaperchuteError as error:
            logger.info("{} stays, though its time is over: {}", place, error)
            return False
        with relocation.holding(job, place) as (folder, name):
            send2trash(str(folder.path / name))  # it takes paths only; what lies there was looked at right before
        _remove_empty(top, place.parent)
        return True


def _latest(days: int | None, now: float) -> float:
    """The Unix time before which a job must have ended; for no days, that of none."""
    return now - days * _DAY if days else 0.0


def _remove_empty(top: Path, folder: Path) -> None:
    """Remove the folders that have held it, up to the one that originals are filed in, where nothing else is there."""
    while folder != top:
        with beneath.holder(top, folder) as (above, name):
            if not above.rmdir(name):
                return
        folder = folder.parent
