"""Worker processes, one task each at a time; one that hangs, swells or dies is replaced and costs its own task only.

concurrent.futures breaks its whole pool when one process dies, and a hostile PDF may kill its process. So each worker
is a process with a pipe of its own, looked after by one thread, and one guard watches all of them.
"""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from bisect import insort
from collections import Counter
from collections.abc import Callable
from contextvars import Context, copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path

from loguru import logger

from paperchute import telemetry
from paperchute.engine.metrics import Load, Metrics
from paperchute.engine.settings import Limits
from paperchute.engine.tasks.process import Result, UntakenError, WorkerProcess
from paperchute.engine.tasks.turns import Turns, has_room
from paperchute.engine.work import Work
from paperchute.language import _, speaking
from paperchute.sandbox import Standing

_GUARD_SECONDS = 0.1
_IDLE_SECONDS = 60.0
"""A worker that has read documents ends after so long a quiet time: whatever may have got hold of it sees no document
of another day, and the memory is given back."""
_BIRTH_PAUSE_SECONDS = 5.0
_HELD_SECONDS = 10.0
"""An owner's work waits so long for another's that has all workers, before one more process is started for it."""
_MOST_OFFERS = 3
"""Workers that a task is offered to: the system may end one that has nothing to do, but hardly three in a row."""


@dataclass(eq=False)
class _Job:
    place: tuple[int, int]
    """In the order of the work: the round in which it is due, see `Turns`, and its number in the order of arrival."""
    owner: str
    task: str
    is_quick: bool
    since: float
    """When it came, as monotonic seconds."""
    waited: float
    """How many seconds before that it was elsewhere."""
    work: Work
    begun: Callable[[], None]
    done: Callable[[Result], None]
    pages: tuple[int, int] = (0, 0)
    worker: WorkerProcess | None = None
    cancelled: bool = False
    offers: int = 0
    context: Context = field(default_factory=copy_context)
    """Of whoever submitted it: what lines of the log tell of its task, and the trace that it belongs to."""

    def told(self, done: int, total: int) -> None:
        """How far it is."""
        self.pages = done, total


class Pool:
    """Runs work, round robin between owners, and first come first served; quick work does not wait for heavy work.

    One process is always there. The others start when there are more jobs than processes, and end when they have had
    nothing to do for a while; so do two more: one takes what is quick where all workers are at heavy work, one what has
    waited where all are at work for one other owner. Callbacks come on threads of the pool.
    """

    def __init__(self, workers: int, limits: Limits, folder: Path, metrics: Metrics) -> None:
        """folder: where each worker gets one of its own; what an earlier engine left there goes."""
        self._limits = limits
        self._folder = folder
        self._births = itertools.count(1)
        self._stillborn = 0  # worker processes in a row that did not come up
        self._standing: Standing | None = None
        shutil.rmtree(folder, ignore_errors=True)
        self._metrics = metrics
        metrics.watch(self.load)
        self._workers = workers
        self._numbers = itertools.count()
        self._turns = Turns()
        self._quick: list[_Job] = []  # each in the order of their places
        self._heavy: list[_Job] = []
        self._running: list[_Job] = []
        self._changed = threading.Lock()
        self._offered = threading.Condition(self._changed)  # one worker is woken for each job
        self._short = threading.Condition(self._changed)
        self._present = 1  # workers that have a process, or are about to; without the one for quick work
        self._held_up = threading.Condition(self._changed)
        self._begun = threading.Condition(self._changed)
        self._stopping = False
        self._threads = [threading.Thread(target=self._serve, name="worker-0", daemon=True)]
        self._threads += [
            threading.Thread(target=self._serve_in_need, name=f"worker-{number}", daemon=True)
            for number in range(1, workers)
        ]
        for name, waiting in (("worker-quick", self._held_by_heavy), ("worker-other", self._held_by_another)):
            self._threads.append(threading.Thread(target=self._serve_beside, args=(waiting,), name=name, daemon=True))
        self._threads.append(threading.Thread(target=self._guard, name="worker-guard", daemon=True))
        for thread in self._threads:
            thread.start()

    def has_room(self, owner: str, *, is_quick: bool) -> bool:
        """Decide whether one more of an owner's may wait among those of its kind."""
        with self._changed:
            waiting = Counter(job.owner for job in (self._quick if is_quick else self._heavy))
        return has_room(self._limits.queue, waiting, owner)

    @property
    def trouble(self) -> Result | None:
        """Why nothing can be done at present: no worker process comes up. None as long as there are some."""
        return _no_worker() if self._stillborn else None

    def load(self) -> Load:
        """Return what runs and waits."""
        now = time.monotonic()
        with self._changed:
            lines = {"quick": self._quick, "heavy": self._heavy}
            quick = sum(job.is_quick for job in self._running)
            return Load(
                self._workers,
                {"quick": quick, "heavy": len(self._running) - quick},
                {kind: len(line) for kind, line in lines.items()},
                {kind: max((now - job.since for job in line), default=0.0) for kind, line in lines.items()},
            )

    def submit(
        self,
        task: str,
        work: Work,
        begun: Callable[[], None],
        done: Callable[[Result], None],
        *,
        is_quick: bool,
        owner: str = "",
        waited: float = 0.0,
    ) -> None:
        """Queue `work`; `begun` is called when a worker takes it, `done` when it has ended.

        is_quick: see `operations.QUICK`. waited: seconds in another queue before this one.
        """
        with self._changed:
            due = min((line[0].place[0] for line in (self._quick, self._heavy) if line), default=None)
            place = self._turns.next(owner, due), next(self._numbers)
            job = _Job(place, owner, task, is_quick, time.monotonic(), waited, work, begun, done)
            insort(self._line_of(job), job, key=_place)
            self._offered.notify()
            self._short.notify()
            self._held_up.notify_all()

    def pages(self, task: str) -> tuple[int, int]:
        """How many pages of a running task are done, and how many there are in all; 0 and 0 where nothing is known."""
        with self._changed:
            return next((job.pages for job in self._running if job.task == task), (0, 0))

    def cancel(self, task: str) -> bool:
        """Drop a waiting task or end a running one; its `done` is not called. False when there is no such task."""
        with self._changed:
            for job in (*self._quick, *self._heavy):
                if job.task == task:
                    self._line_of(job).remove(job)
                    return True
            for job in self._running:
                if job.task == task:
                    job.cancelled = True
                    if job.worker is not None:
                        job.worker.kill()
                    return True
        return False

    def stop(self) -> None:
        """End all workers at once; their tasks come to nothing, and no `done` is called any more."""
        with self._changed:
            self._stopping = True
            for job in self._running:
                if job.worker is not None:
                    job.worker.kill()
            for waiting in (self._offered, self._short, self._held_up, self._begun):
                waiting.notify_all()
        for thread in self._threads:
            thread.join(10.0)

    def _serve(self) -> None:
        worker: WorkerProcess | None = None
        while not self._stopping:
            if worker is None or not worker.alive or not worker.usable:
                worker = self._replaced(worker)
            patience = _BIRTH_PAUSE_SECONDS if worker is None else _IDLE_SECONDS if worker.served else None
            job = self._next(patience)
            if job is None and worker is not None and worker.served:
                worker = self._replaced(worker)
            elif job is not None:
                if worker is None or not worker.alive:
                    worker = self._replaced(worker)
                self._do(worker, job)
        if worker is not None:
            worker.end()

    def _serve_in_need(self) -> None:
        while self._wait_for_need():
            worker = self._renewed(None)
            while worker is not None and worker.usable and (job := self._next(_IDLE_SECONDS)) is not None:
                if not worker.alive:
                    worker = self._renewed(worker)
                self._do(worker, job)
            if worker is not None:
                worker.end()
            else:  # the jobs wait for the others, as they would without us
                time.sleep(_BIRTH_PAUSE_SECONDS)
            with self._changed:
                self._present -= 1

    def _serve_beside(self, waiting: Callable[[], _Job | None]) -> None:
        """Work beside the workers, in a process that is there while it is needed. waiting: what is held up by them."""
        worker: WorkerProcess | None = None
        while not self._stopping:
            is_needed = self._wait_for_held(waiting, worker)
            if is_needed and (worker is None or not worker.alive):
                worker = self._renewed(worker)
                if worker is None:  # the job waits for the others, as it would without us
                    time.sleep(_BIRTH_PAUSE_SECONDS)
                    continue
            if worker is not None and (job := self._next_held(waiting)) is not None:
                self._do(worker, job)
            if worker is not None and not (is_needed and worker.usable):
                worker.end()
                worker = None
        if worker is not None:
            worker.end()

    def _do(self, worker: WorkerProcess | None, job: _Job) -> None:
        job.context.copy().run(self._done, worker, job)  # a copy, since the next offer may begin before this has ended

    def _done(self, worker: WorkerProcess | None, job: _Job) -> None:
        if not job.offers:
            telemetry.past("wait", time.monotonic() - job.since + job.waited)
        with speaking(job.work.language), telemetry.span("run", operation=job.work.operation, run=job.task):
            result = self._run(worker, job)
            if result is not None:
                telemetry.note(code=result.code)
        if result is not None and not job.cancelled and not self._stopping:
            self._metrics.ran(job.work.operation, result.code, result.milliseconds / 1000)
            _call(job.done, result)

    def _wait_for_need(self) -> bool:
        """Decide whether one more worker is needed, once it is; False when the pool stops."""
        with self._changed:
            self._short.wait_for(lambda: self._is_short() or self._stopping)
            self._present += 1
            return not self._stopping

    def _is_short(self) -> bool:
        return len(self._running) + len(self._quick) + len(self._heavy) > self._present

    def _next(self, patience: float | None) -> _Job | None:
        """The next job; None when there is none for so many seconds that the worker is to be looked after."""
        with self._changed:
            self._offered.wait_for(lambda: self._quick or self._heavy or self._stopping, patience)
            lines = [line for line in (self._quick, self._heavy) if line]
            if self._stopping or not lines:
                return None
            return self._taken(min(lines, key=lambda line: line[0].place)[0])

    def _wait_for_held(self, waiting: Callable[[], _Job | None], worker: WorkerProcess | None) -> bool:
        """Decide whether work is held up, once it is; False when none has been for some time."""
        with self._changed:
            patience = _IDLE_SECONDS if worker is not None else None
            return bool(self._held_up.wait_for(lambda: waiting() is not None or self._stopping, patience))

    def _next_held(self, waiting: Callable[[], _Job | None]) -> _Job | None:
        with self._changed:
            job = None if self._stopping else waiting()
            return None if job is None else self._taken(job)

    def _held_by_heavy(self) -> _Job | None:
        """The first of the quick work, where all workers are at heavy work."""
        heavy = sum(not job.is_quick for job in self._running)
        return self._quick[0] if self._quick and heavy >= self._workers else None

    def _held_by_another(self) -> _Job | None:
        """Return what has waited for some time, where all workers are at work for one owner, who is another."""
        owners = {job.owner for job in self._running}
        if len(owners) != 1 or len(self._running) < self._workers:
            return None
        latest = time.monotonic() - _HELD_SECONDS
        held = [job for line in (self._quick, self._heavy) for job in line if job.owner not in owners]
        return min((job for job in held if job.since <= latest), key=_place, default=None)

    def _taken(self, job: _Job) -> _Job:
        self._line_of(job).remove(job)
        if not job.offers:
            self._metrics.waited(job.work.operation, time.monotonic() - job.since + job.waited)
        self._running.append(job)
        self._begun.notify()
        self._held_up.notify_all()
        return job

    def _line_of(self, job: _Job) -> list[_Job]:
        return self._quick if job.is_quick else self._heavy

    def _run(self, worker: WorkerProcess | None, job: _Job) -> Result | None:
        """Return what came of the job; None when it waits again, since the worker had ended before it took it."""
        try:
            if worker is None:
                return _no_worker()
            _call(job.begun)
            with self._changed:
                job.worker = worker
                if job.cancelled or self._stopping:
                    return Result(code="01001", reason=_("the task was ended"))
            job.offers += 1
            result = worker.run(job.work, job.told)
            if not result.broken or job.cancelled:
                return result
            logger.warning("{} broke on a file of a task, which is printed otherwise: {}", result.broken, result.trace)
            job.work, job.offers = replace(job.work, broken=result.broken), 0
            return self._offered_again(job)
        except UntakenError:
            return self._offered_again(job)
        except Exception as error:  # noqa: BLE001 -- a thread that ends would leave the queue to nobody
            if worker is not None:
                worker.usable = False
            if not job.cancelled:
                logger.opt(exception=error).error("a task could not be given to its worker, or taken back from it")
            return Result(code="01002", reason=_("the task's files could not be stored"))
        finally:
            with self._changed:
                self._running.remove(job)

    def _offered_again(self, job: _Job) -> Result | None:
        if job.offers >= _MOST_OFFERS:
            return _no_worker()
        with self._changed:
            job.worker = None
            if not job.cancelled:
                self._metrics.retried(job.work.operation)
                insort(self._line_of(job), job, key=_place)
                self._offered.notify()
                self._held_up.notify_all()
        return None

    def _replaced(self, worker: WorkerProcess | None) -> WorkerProcess | None:
        born = self._renewed(worker)
        self._stillborn = 0 if born is not None else self._stillborn + 1
        return born

    def _renewed(self, worker: WorkerProcess | None) -> WorkerProcess | None:
        """A new process in the place of one that has ended, or is to end; None where there is none to be had."""
        if worker is not None:
            worker.end()
        try:
            born = WorkerProcess(self._limits, self._folder / str(next(self._births)))
        except Exception as error:  # noqa: BLE001 -- as above
            logger.error("no worker process could be started: {}", error)
            return None
        if born.standing != self._standing:
            self._standing = born.standing
            logger.info("workers are closed in by: {}", born.standing)
        return born

    def _guard(self) -> None:
        while True:
            with self._changed:
                while not self._running and not self._stopping:
                    self._begun.wait()
                if self._stopping:
                    return
            time.sleep(_GUARD_SECONDS)  # most tasks have ended by then
            with self._changed:
                watched = [(job.worker, job.work) for job in self._running if job.worker is not None]
                if self._held_by_another() is not None:
                    self._held_up.notify_all()
            for worker, work in watched:
                with speaking(work.language):
                    worker.check()


def _place(job: _Job) -> tuple[int, int]:
    return job.place


def _call(callback: Callable[..., None], *arguments: object) -> None:
    """A callback that fails must not end the thread that looks after a worker."""
    with logger.catch(message="a task's callback failed"):
        callback(*arguments)


def _no_worker() -> Result:
    return Result(code="01001", reason=_("the service cannot start its worker processes; its log says why"))
