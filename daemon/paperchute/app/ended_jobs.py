"""What the ends of jobs leave to be done: inputs to be looked at again, and claims to be given back."""

from __future__ import annotations

from queue import SimpleQueue

from loguru import logger

from paperchute.app.intake import Intake
from paperchute.jobs.claims import Claims
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.store import UNTAKEN
from paperchute.jobs.model import Outcome
from paperchute.watch.watcher import Watcher


class EndedJobs:
    """Minds the outcomes of jobs, on the daemon's own thread."""

    def __init__(
        self, outcomes: SimpleQueue[Outcome], journal: Journal, claims: Claims, watcher: Watcher, intake: Intake
    ) -> None:
        self._outcomes = outcomes
        self._journal = journal
        self._claims = claims
        self._watcher = watcher
        self._intake = intake

    def are_minded(self) -> bool:
        """Decide whether no outcome waits to be minded."""
        return self._outcomes.empty()

    def mind(self) -> None:
        """Give back to the watcher what the ends of jobs leave for it to look at. Raises sqlite3.Error."""
        while not self._outcomes.empty():
            outcome = self._outcomes.get()
            if outcome.job.rule.shared:
                self.release(outcome)
            elif outcome.kind in ("done", "failed"):
                self._forget(outcome)
            elif outcome.job.error_code == UNTAKEN:
                self._intake.inspector.untaken(outcome.job.path, outcome.job.note or "")
            for changed in outcome.changed:
                home = outcome.job.home if outcome.job.rule.shared else changed.path
                self._watcher.again(home, gap=changed.gap)

    def release(self, outcome: Outcome) -> None:
        """Give back a claimed input that is off our hands: what of its name waits in the hot folder can be claimed."""
        if outcome.kind not in ("done", "failed", "cancelled"):
            return
        try:
            if not (outcome.job.rule.also and self._journal.completion.has_open_companion(outcome.job)):
                self._claims.give_back(outcome.job)
        except OSError as error:
            logger.warning("{} stays claimed until the next start ({})", outcome.job.path, error)
        self._intake.let_go(outcome.job)
        self._watcher.again(outcome.job.home)

    def _forget(self, outcome: Outcome) -> None:
        job = outcome.job
        for path in [job.path] if job.is_set else [member.path for member in job.members]:
            self._watcher.forget(path)
        if job.is_set and job.path.is_dir():  # it stays, or more has come into it
            self._watcher.again(job.path)
