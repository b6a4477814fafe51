"""Who runs what when, on one machine: worker threads over the journal. The journal holds the backlog, not memory."""

from __future__ import annotations

import contextlib
import math
import queue
import sqlite3
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from loguru import logger

from paperchute.baton import baton
from paperchute.events import Done, Event, Failed, Observer, Postponed, Trouble
from paperchute.jobs.calls import unwritten
from paperchute.jobs.inputs import gone_of, is_beside
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, Line, Outcome, Stage
from paperchute.jobs.runner import Runner
from paperchute.jobs.shares import Holder, Shares, holder_of
from paperchute.jobs.switchboard import Circuits
from paperchute.jobs.work import Settings
from paperchute.language import _
from paperchute.moments import told_of_hour
from paperchute.service.model import ServiceError

_TICK_SECONDS = 1.0
_INPUTS_SECONDS = 2.0  # between two looks whether the inputs at work are there; what is missed twice was removed
_RESTING_SECONDS = 5.0  # where the journal has nothing that could be run: whatever comes wakes the workers
_LOCAL_STAGES: tuple[Stage, ...] = ("delivering", "filing", "failing")
_URGENT_TURNS = 7
_MOST_FAULTS = 3  # of our own in one job: what passes by itself has passed by then
_FAULT_PAUSE_SECONDS = 60.0
_NOT_THE_DISK = (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
_CENSUS_SECONDS = 15.0  # one look into an index of what runs: as good as nothing
_SILENCE_SECONDS = 1200.0
"""Beyond its rule's time for one call. Only what goes between two lines of a job's history counts, and the longest of
that is copying its results: 100 GB to a share at 100 MB/s take 17 minutes."""
_AHEAD_SECONDS = 0.1
"""Of work at most is taken ahead in one transaction: so long an urgent job waits for what was taken before it."""
_MOST_AHEAD = 16  # jobs for each worker
_RUNS_IN_PACE = 4  # the last ones that count in how long a job takes
_STORAGE_PAUSE_SECONDS = 2.0
_STORAGE_PAUSE_LIMIT = 30.0


@dataclass
class _Run:
    """A worker at work on a job."""

    job: Job
    thread: threading.Thread
    since: float
    """When it began, as monotonic seconds."""
    is_silent: bool = False
    """Whether it has shown no sign of life for so long that another worker has taken its place."""


class Dispatcher:
    """Runs due jobs until stopped: higher priorities first, round robin over the rules, oldest first within each.

    After seven turns of urgent ones one goes by the rules alone, so that no stream of them starves the others. As long
    as any worker is left to start, one waits for what comes, and nobody gets more than a fair share (`shares`): what
    takes long, or hangs, holds up no other hot folder.
    While no service works only work that needs none is done; what needs one of several that is away waits, and the rest
    goes on. A hot folder whose disk or share refuses rests for a while instead of failing job by job.
    """

    def __init__(
        self,
        journal: Journal,
        runner: Runner,
        circuits: Circuits,
        settings: Settings,
        observer: Observer,
    ) -> None:
        self.outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        """How each run of a job has ended, for the one who gives changed inputs back to watching."""
        self._journal = journal
        self._runner = runner
        self._circuits = circuits
        self._settings = settings
        self._observer = observer
        self._stopping = False
        self._ended = threading.Event()
        self._paused = self._draining = False
        self._choose = threading.Lock()
        self._last_served: dict[Line, float] = {}
        self._turns = 0  # of the highest priority, since all lines had one
        self._taken: deque[Job] = deque()  # marked as running, and no worker has begun on them yet
        self._taken_until = 0.0  # when those go back, as monotonic seconds
        self._at_work: dict[int, _Run] = {}
        self._shares = Shares(settings.workers, settings.rules)
        self._pace = _AHEAD_SECONDS  # the seconds that a job takes, over the last ones
        self._resting: dict[Path, tuple[float, float]] = {}
        self._census = 0.0  # when the journal is asked next what is marked as running, as monotonic seconds
        self._roll_call = 0.0  # the same for the workers
        self._threads = [self._thread(number) for number in range(settings.workers)]

    def start(self) -> None:
        """Queue again what a crash interrupted, and begin."""
        self._journal.queue.recover()
        self._have_one_wait()  # the others when there is work for them
        threading.Thread(target=self._look_for_inputs, name="inputs", daemon=True).start()

    def _look_for_inputs(self) -> None:
        """End the calls for what was removed meanwhile. A thread of its own, since a share may hang."""
        missed: set[int] = set()
        while not self._ended.wait(_INPUTS_SECONDS):
            gone = set()
            for run in self._at_work.copy().values():
                with contextlib.suppress(OSError, sqlite3.Error):
                    job = self._journal.queries.job(run.job.id)  # under the name that it has now
                    if job is not None and job.stage == "steps" and gone_of(job) and not is_beside(job):
                        gone.add(job.id)
                        if job.id in missed:
                            self._runner.abandon(job)
            missed = gone

    def revive(self) -> bool:
        """Put a new worker in the place of each that has died, or hangs; False when none had died.

        Called on the daemon's own thread: the workers cannot tell of themselves that they hang.
        """
        if self._stopping:
            return False
        self._relieve()
        if self._choose.acquire(blocking=False):  # who has it looks itself
            try:
                self._have_one_wait()
            finally:
                self._choose.release()
        dead = [number for number, thread in enumerate(self._threads) if thread.ident and not thread.is_alive()]
        for number in dead:
            self._replace(number)
        return bool(dead)

    def stop(self, timeout: float) -> bool:
        """Take nothing new and wait up to `timeout` seconds for running jobs; False when some are still running.

        What is cut off then goes on at the next start.
        """
        self._stopping = True
        self._ended.set()
        self.wake()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, deadline - time.monotonic()))
        is_idle = not any(thread.is_alive() for thread in self._threads)
        if not is_idle:
            self._runner.end()  # its calls are cut off now
        return is_idle

    def wake(self) -> None:
        """Something may be due: look now."""
        self._journal.queue.wake()

    def pause(self, on: bool) -> None:
        """Running jobs end; no new one starts while paused."""
        self._paused = on
        self.wake()

    def agree(self) -> None:
        """Return once no worker is taking a job by how things stood before this call."""
        with self._choose:
            pass

    def drain(self, on: bool) -> None:
        """The same, for the program's own reasons: neither ends the other."""
        if on != self._draining:
            self._draining = on
            self.wake()

    def rests(self) -> bool:
        """Decide whether no new job starts, for either reason. Any thread may ask."""
        return self._paused or self._draining

    def resume_folders(self) -> None:
        """Somebody asked to try again: no folder rests any longer."""
        self._resting.clear()
        self.wake()

    def is_busy(self) -> bool:
        """Decide whether any job is at work, or about to be."""
        return bool(self._taken or self._at_work)

    # ---------- the workers ----------

    def _thread(self, number: int) -> threading.Thread:
        return threading.Thread(target=self._work, name=f"job-worker-{number}", daemon=True)

    def _replace(self, number: int) -> None:
        self._threads[number] = self._thread(number)
        self._threads[number].start()

    def _work(self) -> None:
        while not self._stopping and threading.current_thread() in self._threads:
            try:
                self._turn()
            except sqlite3.Error as error:  # the disk of the journal is full or away: nothing is lost by waiting
                logger.error("The journal cannot be written ({}); waiting for its disk.", error)
                self._census = 0.0  # what this worker had may still be marked as running
                time.sleep(_STORAGE_PAUSE_SECONDS)

    def _turn(self) -> None:
        seen = self._journal.queue.arrivals()
        with baton.held():
            job = self._take()
            if job is not None:
                since = time.monotonic()
                self._settle(self._run(job))
                self._pace += (time.monotonic() - since - self._pace) / _RUNS_IN_PACE
        if job is None:
            self._sleep(seen)

    def _run(self, job: Job) -> Outcome:
        run = self._at_work[job.id]
        try:
            outcome = self._runner.run(job)
            if outcome.kind == "service" and outcome.error is not None:
                self._await_service(outcome.job, outcome.error)
            return outcome
        except Exception as error:
            if isinstance(error, sqlite3.Error) and not isinstance(error, _NOT_THE_DISK):
                why = unwritten(job.path.name, error)
                self._observer.publish(Postponed(job.id, job.path.name, job.rule.name, "storage", why))
                raise
            return self._faulted(job, error)
        finally:
            self._shares.given_back(holder_of(job.rule), time.monotonic() - run.since)
            if self._at_work.get(job.id) is run:  # one that may run again at once is another worker's by now
                del self._at_work[job.id]
            if run.is_silent:
                self._observer.publish(
                    Trouble("stuck", f"job {job.id}", _("{name} is no longer stuck.", name=job.path.name), over=True)
                )

    def _faulted(self, job: Job, error: Exception) -> Outcome:
        """Let what nobody has foreseen pass; what comes a third time fails the job, and the others go on."""
        logger.bind(job=job.id).opt(exception=error).error("an internal error while working on {}", job.path)
        message = _(
            "{name} met an internal error in Paperchute and will be tried again. The log has the details.",
            name=job.path.name,
        )
        if self._journal.history.note_fault(job, type(error).__name__) < _MOST_FAULTS:
            self._journal.queue.wait_until(job.id, time.time() + _FAULT_PAUSE_SECONDS, message, "fault", attempt=True)
            return Outcome("waiting", job)
        try:
            return self._runner.give_up(job)
        except sqlite3.OperationalError:
            raise
        except Exception:  # noqa: BLE001 -- not even that goes: it stays where it is
            logger.bind(job=job.id).exception("{} cannot be filed as failed either", job.path)
            message = _("{name} could not be done: Paperchute met an internal error three times.", name=job.path.name)
            ended = replace(job, error=message)
            self._journal.completion.finish(ended, "failed", kept=True, error=message)
            return Outcome("failed", ended)

    def _settle(self, outcome: Outcome) -> None:
        folder = outcome.job.rule.folder
        if outcome.kind == "storage" and not outcome.alone:
            _, pause = self._resting.get(folder, (0.0, _STORAGE_PAUSE_SECONDS / 2))
            pause = min(_STORAGE_PAUSE_LIMIT, pause * 2)
            self._resting[folder] = (time.monotonic() + pause, pause)
        elif outcome.kind in ("done", "failed"):
            self._resting.pop(folder, None)
        self._observer.publish(_event(outcome))
        self.outcomes.put(outcome)

    def _await_service(self, job: Job, error: ServiceError) -> None:
        """Open the circuit of the service that failed, then have the job wait for it where others go on working."""
        name = error.service or self._settings.resolved("")
        circuit = self._circuits.of(name)
        self._circuits.away(name, error)
        if self._circuits.none_works():
            self._journal.queue.requeue(job.id)
            return  # nothing is taken until one of them does
        self._journal.queue.await_service(job, circuit.message or str(error))
        if circuit.state == "closed":  # since a moment ago
            self._journal.queue.ask_services_again()

    def _take(self) -> Job | None:
        """The next job, of those taken before or of a new handful; one transaction takes many under a backlog."""
        with self._choose:
            self._put_back()
            if self.rests():
                return None
            while self._taken or self._take_ahead(self._circuits.none_works()):
                job = self._taken.popleft()
                # Asked after it was taken: that a service is away is known before its job is put back.
                away = self._circuits.none_works() and job.stage not in _LOCAL_STAGES
                if away or not self._may_run(_line_of(job)):
                    self._journal.queue.requeue(job.id)
                    continue
                now = time.monotonic()
                self._last_served[_line_of(job)] = now
                if not self._postponed(job):
                    self._at_work[job.id] = _Run(job, threading.current_thread(), now)
                    self._have_one_wait()
                    return job
        return None

    def _take_ahead(self, local: bool) -> bool:
        """Mark the next jobs as running: one for each worker, and more where they take next to no time.

        Returns whether there are any.
        """
        lines = [line for line in self._journal.queue.lines(local=local) if self._may_run(line)]
        if not lines:
            return False
        workers, each = len(self._threads), max(1, min(_MOST_AHEAD, int(_AHEAD_SECONDS / max(self._pace, 0.001))))
        highest = max(line.priority for line in lines)
        if any(line.priority < highest for line in lines):
            each = min(each, _URGENT_TURNS - self._turns) or 1
            if self._turns < _URGENT_TURNS:
                lines = [line for line in lines if line.priority == highest]
                self._turns += each
            else:
                self._turns = 0
        lines.sort(key=lambda line: self._last_served.get(line, 0.0))
        self._taken.extend(self._journal.queue.claim(lines[: workers * each], workers * each, local=local))
        # One for each worker stays taken however slow they are.
        self._taken_until = time.monotonic() + 2 * _AHEAD_SECONDS if each > 1 else math.inf
        return bool(self._taken)

    def _may_run(self, line: Line) -> bool:
        """Decide whether a job of the line may begin: its folder does not rest, and it takes no more than its share."""
        if self._resting.get(line.folder, (0.0, 0.0))[0] > time.monotonic():
            return False
        held = [holder_of(run.job.rule) for run in self._at_work.copy().values() if not run.is_silent]
        return self._shares.may_take(Holder(line.folder, line.rule), held)

    def _postponed(self, job: Job) -> bool:
        """Decide whether the job waits for its rule, or for its rule's hours.

        None of its calls go out before; what is left to file does.
        """
        if job.stage != "steps":
            return False
        waits = self._settings.standing(job).waits
        if waits and not self._journal.calls.have_begun(job):
            self._journal.queue.hold(job, waits)
            return True
        opens = self._settings.not_before(job)
        if opens <= time.time():
            return False
        begin = told_of_hour(datetime.fromtimestamp(opens))
        why = _("It waits for the hours of rule '{rule}', which begin on {begin}.", rule=job.rule.name, begin=begin)
        self._journal.queue.postpone(job, opens, why)
        return True

    def _have_one_wait(self) -> None:
        """Start a worker where all that were started are at work: a busy one cannot take what comes next."""
        busy = {run.thread for run in self._at_work.copy().values()}
        if self._stopping or any(thread.is_alive() and thread not in busy for thread in self._threads):
            return
        new = next((thread for thread in self._threads if thread.ident is None), None)
        if new is not None:
            with contextlib.suppress(RuntimeError):  # no thread is to be had just now: the tick tries again
                new.start()

    def _put_back(self) -> None:
        """Queue again what is marked as running though nobody runs it.

        That is what was taken before a pause, or ahead of jobs that take longer than those before. Now and then, and
        after each fault of its disk, the journal is asked what is marked; whatever became of a worker, no job waits
        for it until the next start.
        """
        while self._taken and (self.rests() or time.monotonic() > self._taken_until):
            self._journal.queue.requeue(self._taken.popleft().id)
        if time.monotonic() < self._census:
            return
        held = {job.id for job in self._taken} | set(self._at_work.copy())
        for number in self._journal.queue.running() - held:
            logger.bind(job=number).error("job {} was marked as running and nobody ran it", number)
            self._journal.queue.requeue(number)
        self._census = time.monotonic() + _CENSUS_SECONDS

    def _relieve(self) -> None:
        """Have other workers in the place of those that hang, such as on a share that does not answer.

        The job stays with the one that hangs, which ends after it should it ever come back.
        """
        now = time.monotonic()
        if now < self._roll_call:
            return
        self._roll_call = now + _CENSUS_SECONDS
        runs = list(self._at_work.copy().values())
        for run in runs:
            patience = run.job.rule.timeout + _SILENCE_SECONDS
            if run.is_silent or now - run.since < patience or sum(one.is_silent for one in runs) >= len(self._threads):
                continue
            if time.time() - self._journal.history.latest(run.job) < patience:
                continue
            run.is_silent = True
            message = _(
                "{name} has made no progress for {minutes} minutes: a folder or disk of rule '{rule}' may"
                " not be responding. Other work continues.",
                name=run.job.path.name,
                minutes=round((now - run.since) / 60),
                rule=run.job.rule.name,
            )
            logger.bind(job=run.job.id).error("{}", message)
            self._observer.publish(Trouble("stuck", f"job {run.job.id}", message))
            self._replace(self._threads.index(run.thread))

    def _sleep(self, seen: int) -> None:
        due, now = self._journal.queue.next_due(), time.time()
        held = self.rests() or bool(self._circuits.open_ones()) or self._resting
        if due is None:
            pause = _TICK_SECONDS if held else _RESTING_SECONDS
        else:
            pause = _TICK_SECONDS if held and due <= now else min(_TICK_SECONDS, max(0.01, due - now))
        if not self._stopping:
            self._journal.queue.wait_for_arrival(seen, pause)


def _line_of(job: Job) -> Line:
    return Line(job.rule.priority, job.rule.folder, job.rule.name)


def _event(outcome: Outcome) -> Event:
    """The end of a run, for whoever shows or keeps it."""
    job = outcome.job
    who = (job.id, job.path.name, job.rule.name)
    match outcome.kind:
        case "done":
            return Done(*who, job.result, job.note or "", job.warnings)
        case "failed":
            return Failed(*who, job.error or "")
        case why:
            return Postponed(*who, why, str(outcome.error or job.error or ""))
