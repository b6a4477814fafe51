"""The thread that lets the journal forget: jobs that ended longer ago than their rule's `history`, in small batches.

What must not be forgotten stays however old it is: jobs that will run, failures until somebody has seen to them, and of
files that lie where they were done, that they were done, and of originals that `keep_done` will send to the trash,
where they are. Each batch is one transaction, so it may be killed anywhere.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from loguru import logger

from paperchute.events import Observer
from paperchute.jobs.expiry import Expiry
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.retention import ENDED, Ended
from paperchute.rules.model import Rule
from paperchute.rules.values import DEFAULT_HISTORY

_DAY = 86_400.0
_ROUND_SECONDS = 3600.0
_BATCH = 200  # about 10 ms of the journal's time
_PAGES = 500
_PAUSE_SECONDS = 0.05  # the journal is for the others meanwhile


class Pruner:
    """Goes through the journal when it starts, and once an hour."""

    def __init__(self, journal: Journal, rules: Callable[[], Sequence[Rule]], observer: Observer) -> None:
        """rules: those in force now; one that is no longer among them has the usual `history`.

        observer: is told of originals whose time is over and that cannot go to the trash.
        """
        self._journal = journal
        self._expiry = Expiry(journal, observer)
        self._rules = rules
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pruner", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """End it after its present batch; wait at most `timeout` seconds, since a share may hang."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout)

    def prune(self, now: float) -> int:
        """One round. now: Unix time. Returns how many jobs were forgotten. Raises sqlite3.Error."""
        rules = self._rules()
        if expired := self._expiry.sweep(rules, now):
            logger.info("{} originals that were filed long ago went to the trash", expired)
        histories = {rule.name: rule.history for rule in rules}
        expiring = {(rule.name, rule.folder) for rule in rules if rule.enabled and rule.keep_done}
        shortest = min([DEFAULT_HISTORY, *histories.values()])
        count = 0
        for state in ENDED:
            after = (0.0, 0)
            while found := self._journal.retention.ended(state, now - shortest * _DAY, after, _BATCH):
                after = (found[-1].finished, found[-1].id)
                old = [one for one in found if one.finished < now - histories.get(one.rule, DEFAULT_HISTORY) * _DAY]
                old = [one for one in old if not (one.filed and (one.rule, one.folder) in expiring)]
                if numbers := [one.id for one in old if not _is_still_there(one)]:
                    count += self._journal.retention.forget(numbers)
                if self._stopping.wait(_PAUSE_SECONDS):
                    return count
        if count:
            self._journal.retention.forget_rules()
        self._forget_written()
        while self._journal.retention.shrink(_PAGES) and not self._stopping.wait(_PAUSE_SECONDS):
            pass
        return count

    def _forget_written(self) -> None:
        """Forget what long-forgotten jobs have put in place and somebody has taken away since."""
        last: Path | None = None
        while not self._stopping.is_set() and (paths := self._journal.retention.written_by_nobody(last, _BATCH)):
            last = paths[-1]
            if gone := [path for path in paths if _is_gone(path)]:
                self._journal.retention.forget_written(gone)
            self._stopping.wait(_PAUSE_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if count := self.prune(time.time()):
                    logger.info("{} jobs that ended long ago left the journal", count)
            except sqlite3.Error as error:  # a full disk, or a damage that the daemon sees to
                logger.warning("the journal cannot be pruned just now ({})", error)
            self._stopping.wait(_ROUND_SECONDS)


def _is_gone(path: Path) -> bool:
    """Tell whether a file is certainly not there any more: a folder with nothing in it may be a share that is away."""
    try:
        if os.path.lexists(path):
            return False
        with os.scandir(path.parent) as inside:
            return next(inside, None) is not None
    except OSError:
        return False


def _is_still_there(job: Ended) -> bool:
    """Decide whether something of what must not be taken again is where it was, or may be: on a share that is away.

    The bare mount point of a share is an empty folder, so one with nothing in it tells nothing.
    """
    if not job.stays:
        return False
    try:
        if any(os.path.lexists(path) for path in job.stays):
            return True
        with os.scandir(job.folder) as inside:
            return next(inside, None) is None
    except OSError:
        return True
