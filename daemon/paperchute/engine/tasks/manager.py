"""Tasks: from checked orders to finished results, whoever waits for them.

`submit`, `start`, `task`, `close` and `result` are the one interface to the engine's work. Orders are plain data and
name files by storage key, so that the same interface can stand before workers on other machines.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from functools import partial

from loguru import logger

from paperchute.engine.settings import Settings
from paperchute.engine.tasks.pool import Pool
from paperchute.engine.tasks.process import Result
from paperchute.engine.tasks.storage import keep
from paperchute.engine.tasks.store import Store
from paperchute.engine.tasks.task import (
    Mode,
    NewTask,
    Order,
    Run,
    RunState,
    Task,
    TaskState,
    order_from_text,
    order_to_text,
    work_of,
)
from paperchute.engine.tasks.webhooks import Webhooks
from paperchute.engine.work import AskLater, Refused, Work
from paperchute.language import N_, _, speaking

_MOST_STARTS = 3
_WORKERS = "workers"  # in the engine's folder: a folder for each worker
_FORGOTTEN = N_("the service was restarted, and it does not keep passwords: send the file again")


class Tasks:
    """Submits orders to the pool and keeps what comes of them. Used from the server's event loop."""

    def __init__(self, store: Store, settings: Settings, webhooks: Webhooks) -> None:
        """Goes on with what the last engine on the same store had not finished."""
        self._store = store
        self._settings = settings
        self._webhooks = webhooks
        self._pool = Pool(settings.workers, settings.limits, settings.state / _WORKERS)
        self._open: dict[str, asyncio.Future[Task]] = {}
        self._drafts: dict[str, Order] = {}
        self._loop = asyncio.get_running_loop()
        self._stopped = False
        self._resume()

    def check_free(self) -> None:
        """Raises AskLater when `submit` would, so that nobody uploads in vain."""
        if self._stopped:
            raise _stopping()
        self.check_workers()
        if self._pool.full:
            raise _busy()
        self._store.files.check_room()

    def check_workers(self) -> None:
        """Raises AskLater while no worker process comes up."""
        trouble = self._pool.trouble
        if trouble is not None:
            raise AskLater(trouble.reason)

    def submit(self, new: NewTask, orders: Sequence[Order]) -> None:
        """Queue a task. Raises AskLater when the queue is full."""
        self.check_free()
        with self._store.together():
            self._store.add(new, "started")
            for order in orders:
                # Nobody could have the answer to a synchronous call after a restart: it is not gone on with.
                text = order_to_text(order) if new.mode != "sync" else ""
                self._add_run(order, "waiting", text)
            self._tell_of_new(new.id, orders)
        self._expect(new.id)
        self._queue(orders)

    # ---------- tasks whose files come later ----------

    def open(self, new: NewTask, draft: Order) -> Run:
        """Write a task down that waits for its first file; its run shows where that is uploaded to."""
        self.check_free()
        if len(self._drafts) >= self._settings.limits.queue:
            raise _busy()
        with self._store.together():
            self._store.add(new, "open")
            self._webhooks.about_task("task.start", new.id)
            return self.add_draft(draft)

    def add_draft(self, draft: Order) -> Run:
        """One more file for an open task. Raises Refused (05001, 05002, 05003)."""
        task = self._known(draft.task)
        if task.state != "open":
            raise _wrong_state(task)
        if len(task.runs) >= self._settings.limits.files_per_task:
            raise Refused("05003", _("a task takes at most {most} files", most=self._settings.limits.files_per_task))
        self._add_run(draft, "draft", order_to_text(draft), self._settings.limits.upload_seconds)
        self._drafts[draft.run] = draft
        return self._known(draft.task).runs[-1]

    def uploaded(self, run: Run, size: int) -> None:
        """The file of a draft lies at its place; `size` in bytes."""
        self._store.uploaded(run.id, size)
        self._webhooks.about_file("file.start", run.id)

    def drafts(self, task: Task) -> list[Order]:
        """The orders of an open task, still without their files. Raises Refused when one is lost."""
        orders = [self._drafts.get(run.id) or order_from_text(run.order_text) for run in task.runs]
        if None in orders:
            raise Refused("05001", _(_FORGOTTEN))
        return [order for order in orders if order is not None]

    def start(self, task: Task, orders: Sequence[Order]) -> None:
        """Queue an open task with its orders. Raises AskLater when the queue is full."""
        self.check_free()
        self._store.queue(task.id, {order.run: order_to_text(order) for order in orders})
        for order in orders:
            self._drafts.pop(order.run, None)
        self._expect(task.id)
        self._queue(orders)

    # ---------- what became of them ----------

    def task(self, task: str) -> Task:
        """A task as it stands. Raises Refused when there is none (05001) or its results have expired (05004)."""
        found = self._known(task)
        if found.ended and found.expires <= time.time():
            raise Refused("05004", _("the task's results have expired"))
        return found

    def under_way(self, request_key: str) -> Task:
        """The task that a request under this idempotency key made. Raises Refused (05001)."""
        found = self._store.by_request_key(request_key)
        if found is None:
            raise _unknown()
        return found

    def pages(self, task: Task) -> tuple[int, int]:
        """How many pages of its running files are done, and how many they have; 0 and 0 where nothing is known."""
        known = [self._pool.pages(run.id) for run in task.runs if run.state == "processing"]
        return sum(done for done, _ in known), sum(total for _, total in known)

    def close(self, task: str) -> None:
        """Drop a task that has not ended, and its files; those who wait are refused. Raises Refused."""
        found = self.task(task)
        if found.ended:
            raise _wrong_state(found)
        self._drop(found, "closed", "05002", N_("the task was closed"))

    async def result(self, task: str) -> Task:
        """The task once it has ended. Raises Refused when it is unknown or is closed."""
        ended = self._open.get(task)
        if ended is not None:
            return await asyncio.shield(ended)
        found = self._store.get(task)
        if found is None or not found.ended:
            raise _unknown()
        return found

    def under_key(self, request_key: str | None, operation: str, mode: Mode) -> Task | None:
        """The task of an earlier request under the same idempotency key. Raises Refused when that was another one."""
        task = self._store.by_request_key(request_key) if request_key else None
        if task is not None and (task.operation, task.mode) != (operation, mode):
            raise Refused(
                "03000",
                _("this Idempotency-Key was used for {operation} ({mode})", operation=task.operation, mode=task.mode),
            )
        if task is not None and task.mode == "sync" and not task.ended and task.id not in self._open:
            self._store.forget(task.id)  # its end could not be written down
            return None
        return task

    def drop_overdue(self) -> None:
        """Drop tasks that have waited too long without running (docs/contract.md#asynchronous-calls)."""
        for task in self._store.waiting_since(time.time() - self._settings.limits.overdue_seconds):
            self._drop(task, "overdue", "05004", N_("the task expired before it ran"))

    def stop(self) -> None:
        """End the workers.

        Synchronous calls come to nothing and are done again when asked for again; other tasks are gone on with by the
        next engine.
        """
        if self._stopped:
            return
        self._stopped = True
        self._pool.stop()
        for task in list(self._open):
            found = self._store.get(task)
            if found is not None and found.mode == "sync":
                self._store.forget(task)
            else:
                self._store.give_back(task)
            with speaking(found.language if found is not None else ""):
                self._tell(task, _stopping())

    # ---------- inside ----------

    def _known(self, task: str) -> Task:
        found = self._store.get(task)
        if found is None:
            raise _unknown()
        return found

    def _add_run(self, order: Order, state: RunState, text: str, upload_seconds: float = 0.0) -> None:
        self._store.files.scratch(order.task, order.run).mkdir(parents=True)
        self._store.add_run(
            order.run,
            order.task,
            order.operation,
            state=state,
            file_name=order.name,
            file_size=order.size,
            parameters=order.submitted,
            order=text,
            upload_seconds=upload_seconds,
        )

    def _tell_of_new(self, task: str, orders: Sequence[Order]) -> None:
        self._webhooks.about_task("task.start", task)
        for order in orders:
            self._webhooks.about_file("file.start", order.run)

    def _expect(self, task: str) -> None:
        ended: asyncio.Future[Task] = self._loop.create_future()
        ended.add_done_callback(_seen)
        self._open[task] = ended

    def _queue(self, orders: Sequence[Order]) -> None:
        """Their task is written down and there was room: so they are taken, however many they are."""
        for order in orders:
            work = work_of(order, self._store.files, self._settings.fetch)
            begun, done = partial(self._store.begin, order.run), partial(self._done, order, work)
            self._pool.submit(order.run, work, begun, done)

    def _resume(self) -> None:
        for task in self._store.unfinished():
            self._store.put_back(task.id)
            self._expect(task.id)
            for run in task.runs:
                if not run.ended:
                    with speaking(task.language):
                        self._resume_run(task, run)
            self._settle(task.id)

    def _resume_run(self, task: Task, run: Run) -> None:
        order = order_from_text(run.order_text)
        if order is None:
            self._fail(run.id, task, Refused("01001", _(_FORGOTTEN)), 0)
        elif run.starts >= _MOST_STARTS:
            self._fail(run.id, task, Refused("02210", _("the service stopped each time it worked on this file")), 0)
        else:
            self._store.files.drop_run(task.id, run.id, keep_result=False)
            self._store.files.scratch(task.id, run.id).mkdir(parents=True)
            self._queue([order])

    def _drop(self, task: Task, state: TaskState, code: str, sentence: str) -> None:
        with speaking(task.language):
            why = Refused(code, _(sentence))
        for run in task.runs:
            self._pool.cancel(run.id)
            self._drafts.pop(run.id, None)
        with self._store.together():
            self._store.drop(task.id, state, why.code, why.reason)
            if state == "overdue":
                self._webhooks.about_task("task.overdue", task.id)
        self._store.files.discard(task.id)
        self._tell(task.id, why)

    def _done(self, order: Order, work: Work, result: Result) -> None:
        """On a thread of the pool."""
        try:
            with speaking(order.language):
                self._write_down(order, work, result)
            self._settle(order.task)
        except (OSError, sqlite3.Error) as error:
            logger.bind(task=order.task).error("a task's end could not be written down: {}", error)
            self._loop.call_soon_threadsafe(self._tell, order.task, _not_kept())

    def _write_down(self, order: Order, work: Work, result: Result) -> None:
        log = logger.bind(task=order.task, operation=order.operation)
        if result.trace:
            log.bind(trace=result.trace).error("a task failed oddly")
        files, task = self._store.files, self._store.get(order.task)
        if task is None:
            return  # forgotten in the meantime
        error = Refused(result.code, result.reason)
        if not result.code:
            try:
                most = self._settings.limits.max_output
                name, size = keep(result.outputs, work, files, order.task, order.run, most)
                files.drop_run(order.task, order.run, keep_result=True)
                told = result.warnings, result.notes, result.words
                self._store.finish(order.run, name, size, result.milliseconds, *told)
                self._webhooks.about_file("file.success", order.run)
                return
            except Refused as refused:
                error = refused
            except OSError as failed:
                log.error("a result could not be stored: {}", failed)
                error = _not_kept()
        self._fail(order.run, task, error, result.milliseconds)

    def _fail(self, run: str, task: Task, error: Refused, milliseconds: int) -> None:
        self._store.files.drop_run(task.id, run, keep_result=False)
        self._store.fail(run, error.code, error.reason, milliseconds)
        self._webhooks.about_file("file.failed", run)

    def _settle(self, task: str) -> None:
        """Bring a task to its end when all its runs have come to theirs. On any thread."""
        with self._store.together():
            found = self._store.get(task)
            if found is None or found.state != "started" or not all(run.ended for run in found.runs):
                return
            self._store.end(task, "finished")
            self._webhooks.about_task("task.finish", task, found.callback)
        if any(run.state == "success" for run in found.runs):
            self._store.files.drop_inputs(task)
        else:
            self._store.files.discard(task)
        ended = self._store.get(task)
        self._loop.call_soon_threadsafe(self._tell, task, ended or _not_kept())

    def _tell(self, task: str, outcome: Task | Refused) -> None:
        """Those who wait for a task."""
        future = self._open.pop(task, None)
        if future is None or future.done():
            return
        if isinstance(outcome, Refused):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def _wrong_state(task: Task) -> Refused:
    states = {
        "open": N_("the task waits for its files"),
        "started": N_("the task has already been started"),
        "finished": N_("the task has ended"),
    }
    return Refused("05002", _(states.get(task.state, N_("the task was dropped"))))


def _seen(ended: asyncio.Future[Task]) -> None:
    """Nobody may be waiting any more; a failure is not to be reported as forgotten then."""
    if not ended.cancelled():
        ended.exception()


def _unknown() -> Refused:
    return Refused("05001", _("there is no such task"))


def _not_kept() -> Refused:
    return Refused("01002", _("the result could not be stored"))


def _stopping() -> AskLater:
    return AskLater(_("the service is stopping; ask again later"))


def _busy() -> AskLater:
    return AskLater(_("the service is busy; ask again later"))
