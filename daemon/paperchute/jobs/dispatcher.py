"""Who runs what when, on one machine: worker threads over the journal. The journal holds the backlog, not memory."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from loguru import logger

from paperchute.errors import PaperchuteError
from paperchute.jobs.circuit import Circuit
from paperchute.jobs.flow import Flow, Verdict
from paperchute.jobs.journal import Journal
from paperchute.jobs.records import Job, Running, Stage

_TICK_SECONDS = 1.0
_LOCAL_STAGES: tuple[Stage, ...] = ("delivering", "filing", "failing")
_STORAGE_PAUSE_SECONDS = 2.0
_STORAGE_PAUSE_LIMIT = 30.0


class Dispatcher:
    """Runs due jobs until stopped: round robin over the hot folders, oldest first within each.

    While the service's circuit is open only work that needs no service is done. A hot folder whose disk or share
    refuses rests for a while instead of failing job by job.
    """

    def __init__(
        self,
        journal: Journal,
        flow: Flow,
        circuit: Circuit,
        *,
        workers: int,
        on_verdict: Callable[[Verdict], None],
    ) -> None:
        """on_verdict: called on a worker's thread after each run of a job; must not block."""
        self._journal = journal
        self._flow = flow
        self._circuit = circuit
        self._on_verdict = on_verdict
        self._wake = threading.Condition()
        self._awake = 0
        self._stopping = False
        self._paused = False
        self._choose = threading.Lock()
        self._last_served: dict[Path, float] = {}
        self._resting: dict[Path, tuple[float, float]] = {}
        self._running: dict[int, Running] = {}
        self._busy: set[int] = set()
        self._stranded: set[int] = set()
        self._threads = [
            threading.Thread(target=self._work, name=f"worker-{number}", daemon=True) for number in range(workers)
        ]

    def start(self) -> None:
        """Queue again what a crash interrupted, and begin."""
        self._journal.recover()
        for thread in self._threads:
            thread.start()

    def stop(self, timeout: float) -> bool:
        """Take nothing new and wait up to `timeout` seconds for running jobs; False when some are still running.

        What is cut off then goes on at the next start.
        """
        self._stopping = True
        self.wake()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def wake(self) -> None:
        """Something may be due: look now."""
        with self._wake:
            self._awake += 1
            self._wake.notify_all()

    def pause(self, on: bool) -> None:
        """Running jobs end; no new one starts while paused."""
        self._paused = on
        self.wake()

    def unrest(self) -> None:
        """Somebody asked to try again: no folder rests any longer."""
        self._resting.clear()
        self.wake()

    def step_begins(self, job: Job, number: int) -> None:
        """Told by the flow, for the faces."""
        steps = job.rule.steps
        self._running[job.id] = Running(
            job.id, job.path.name, job.rule.name, steps[number].operation, number + 1, len(steps), time.time()
        )

    def running(self) -> list[Running]:
        """The jobs at work now."""
        return sorted(self._running.copy().values(), key=lambda r: r.since)

    def alive(self) -> bool:
        """Whether every worker thread lives."""
        return all(thread.is_alive() for thread in self._threads)

    # ---------- the workers ----------

    def _work(self) -> None:
        while not self._stopping:
            try:
                self._turn()
            except sqlite3.Error as error:  # the disk of the journal is full or away: nothing is lost by waiting
                logger.error("The journal cannot be written ({}); waiting for its disk.", error)
                time.sleep(_STORAGE_PAUSE_SECONDS)

    def _turn(self) -> None:
        seen = self._awake
        self._free_stranded()
        job = None if self._paused else self._take()
        if job is None:
            self._sleep(seen)
            return
        verdict = self._run(job)
        self._stranded.discard(job.id)
        self._settle(verdict)

    def _free_stranded(self) -> None:
        """Jobs left marked as running by a journal that could not be written are queued again."""
        with self._choose:
            for number in self._stranded - self._busy:
                self._journal.requeue(number)
                self._stranded.discard(number)

    def _run(self, job: Job) -> Verdict:
        try:
            return self._flow.run(job)
        except sqlite3.Error:
            raise
        except Exception:  # noqa: BLE001 -- a fault of ours must cost one job a pause, never the worker
            logger.bind(job=job.id).exception("a fault in Paperchute itself while working on {}", job.path)
            message = f"{job.path.name} met a fault in Paperchute itself; it is tried again. The log has the details."
            self._journal.wait(job.id, time.time() + 60.0, message, "fault", attempt=True)
            return Verdict("waiting", job)
        finally:
            self._busy.discard(job.id)
            self._running.pop(job.id, None)

    def _settle(self, verdict: Verdict) -> None:
        folder = verdict.job.rule.folder
        if verdict.kind == "service" and verdict.error is not None:
            self._circuit.open(verdict.error)
        elif verdict.kind == "storage":
            _, pause = self._resting.get(folder, (0.0, _STORAGE_PAUSE_SECONDS / 2))
            pause = min(_STORAGE_PAUSE_LIMIT, pause * 2)
            self._resting[folder] = (time.monotonic() + pause, pause)
        elif verdict.kind in ("done", "failed"):
            self._resting.pop(folder, None)
        try:
            self._on_verdict(verdict)
        except PaperchuteError as error:
            logger.warning("{}", error)

    def _take(self) -> Job | None:
        stages = () if self._circuit.state == "closed" else _LOCAL_STAGES
        now = time.monotonic()
        with self._choose:
            folders = [f for f in self._journal.due_folders() if self._resting.get(f, (0.0, 0.0))[0] <= now]
            for folder in sorted(folders, key=lambda f: self._last_served.get(f, 0.0)):
                job = self._journal.next(folder, stages)
                if job is not None:
                    self._last_served[folder] = now
                    self._busy.add(job.id)
                    self._stranded.add(job.id)
                    return job
        return None

    def _sleep(self, seen: int) -> None:
        due = self._journal.next_due()
        pause = _TICK_SECONDS if due is None else min(_TICK_SECONDS, max(0.01, due - time.time()))
        if self._paused or self._circuit.state != "closed" or self._resting:
            pause = _TICK_SECONDS if due is None or due <= time.time() else pause
        with self._wake:
            if self._awake == seen and not self._stopping:
                self._wake.wait(pause)
