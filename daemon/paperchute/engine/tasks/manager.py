"""Tasks: from checked orders to finished results, whoever waits for them.

`submit`, `start`, `task`, `close` and `result` are the one interface to the engine's work. Orders are plain data and
name files by storage key, so that the same interface can stand before workers on other machines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from paperchute import telemetry
from paperchute.engine.keys.table import ApiKey
from paperchute.engine.metrics import Load
from paperchute.engine.settings import Settings
from paperchute.engine.tasks.completion import busy
from paperchute.engine.tasks.local import FORGOTTEN
from paperchute.engine.tasks.ports import BlobStore, Dispatcher, TaskStore
from paperchute.engine.tasks.task import (
    Mode,
    NewTask,
    Order,
    Run,
    RunState,
    Seal,
    Task,
    TaskState,
    order_of,
    order_to_text,
)
from paperchute.engine.tasks.turns import has_room
from paperchute.engine.tasks.webhooks import Webhooks
from paperchute.engine.work import Refused
from paperchute.language import N_, _, speaking

_SWEPT = 500  # tasks that are removed at a time


class Tasks:
    """Writes tasks down, has them done by the dispatcher, and says what became of them."""

    def __init__(
        self,
        store: TaskStore,
        blobs: BlobStore,
        dispatcher: Dispatcher,
        settings: Settings,
        webhooks: Webhooks,
        seal: Seal | None = None,
    ) -> None:
        """seal: of passwords that are kept with what waits; without one, this process alone knows them."""
        self._store = store
        self._blobs = blobs
        self._dispatcher = dispatcher
        self._settings = settings
        self._webhooks = webhooks
        self._seal = seal
        self._drafts: dict[str, tuple[Order, str]] = {}  # and whose they are

    def let_in(self, key: ApiKey, operation: str) -> None:
        """Count a request for new work against its key. Raises AskLater or Refused when it or `submit` is refused.

        operation: empty where the request may be for a task that is there.
        """
        self.check_free(operation, key.id)
        self._store.keys.check(key.id, more=1 if operation else 0)
        self._store.keys.take_request(key)

    def check_free(self, operation: str = "", owner: str = "") -> None:
        """Raises AskLater when `submit` would; without an operation, when it would whatever came."""
        self._dispatcher.check_free(operation, owner)
        self._blobs.check_room(owner)

    def check_workers(self) -> None:
        """Raises AskLater while no worker process comes up."""
        self._dispatcher.check_workers()

    def submit(self, new: NewTask, orders: Sequence[Order]) -> str:
        """Queue a task; its id, or that of one that came first under its idempotency key.

        Raises AskLater when the queue is full, or the key has enough; Refused when its pages are used up.
        """
        self.check_free(new.operation, new.owner)
        orders = _traced(orders)
        self._blobs.publish(new.id, orders)
        with self._store.together():
            if not self._store.add(new, "started"):
                return self._first(new)
            for order in orders:
                # Nobody could have the answer to a synchronous call after a restart: it is not gone on with.
                kept = new.mode != "sync" or self._store.remote
                text = order_to_text(order, self._seal) if kept else ""
                self._add_run(order, "waiting", text)
            self._store.keys.check(new.owner)
            self._webhooks.about_task("task.start", new.id)
            for order in orders:
                self._webhooks.about_file("file.start", order.run)
            self._dispatcher.enqueue(new.id, orders, new.owner)
        return new.id

    # ---------- tasks whose files come later ----------

    def open(self, new: NewTask, draft: Order) -> Run:
        """Write a task down that waits for its first file; its run shows where that is uploaded to."""
        self.check_free(new.operation, new.owner)
        drafts = Counter(owner for _order, owner in self._drafts.values())
        if not has_room(self._settings.limits.queue, drafts, new.owner):
            raise busy()
        with self._store.together():
            if not self._store.add(new, "open"):
                return self._known(self._first(new), new.owner).runs[0]
            self._webhooks.about_task("task.start", new.id)
            return self.add_draft(draft, new.owner)

    def add_draft(self, draft: Order, owner: str = "") -> Run:
        """One more file for an owner's open task. Raises Refused (05001, 05002, 05003, 06001), AskLater."""
        task = self._known(draft.task, owner)
        if task.state != "open":
            raise wrong_state(task)
        if len(task.runs) >= self._settings.limits.files_per_task:
            raise Refused("05003", _("a task takes at most {most} files", most=self._settings.limits.files_per_task))
        with self._store.together():
            self._add_run(draft, "draft", order_to_text(draft, self._seal), self._settings.limits.upload_seconds)
            self._store.keys.check(owner)
        if self._seal is None:
            self._drafts[draft.run] = draft, owner
        return self._known(draft.task, owner).runs[-1]

    def uploaded(self, run: Run, size: int) -> None:
        """The file of a draft lies at its place; `size` in bytes."""
        self._store.uploaded(run.id, size)
        self._webhooks.about_file("file.start", run.id)

    def drafts(self, task: Task) -> list[Order]:
        """The orders of an open task, still without their files. Raises Refused when one is lost."""
        here = {run.id: self._drafts[run.id][0] for run in task.runs if run.id in self._drafts}
        orders = [here.get(run.id) or order_of(run, self._seal) for run in task.runs]
        if None in orders:
            raise Refused("05001", _(FORGOTTEN))
        return [order for order in orders if order is not None]

    def start(self, task: Task, orders: Sequence[Order]) -> None:
        """Queue an open task with its orders. Raises AskLater when the queue is full."""
        self.check_free(task.operation, task.owner)
        orders = _traced(orders)
        self._blobs.publish(task.id, orders)
        with self._store.together():
            if not self._store.queue(task.id, {order.run: order_to_text(order, self._seal) for order in orders}):
                raise wrong_state(self._known(task.id, task.owner))
            for run, order in zip(task.runs, orders, strict=True):
                if run.file_size != order.size:  # the file came past this service
                    self.uploaded(run, order.size)
            self._dispatcher.enqueue(task.id, orders, task.owner)
        for order in orders:
            self._drafts.pop(order.run, None)

    # ---------- what became of them ----------

    def task(self, task: str, owner: str = "") -> Task:
        """An owner's task as it stands.

        Raises Refused when there is none (05001; nobody learns of another's) or its results have expired (05004).
        """
        found = self._known(task, owner)
        if found.ended and found.expires <= self._store.now():
            raise Refused("05004", _("the task's results have expired"))
        return found

    def under_way(self, request_key: str, owner: str = "") -> Task:
        """The task that an owner's request under this idempotency key made. Raises Refused (05001)."""
        found = self._by_request_key(request_key, owner)
        if found is None:
            raise _unknown()
        return found

    def pages(self, task: Task) -> tuple[int, int]:
        """Give how many pages of its running files are done, and how many they have; 0 and 0 where nothing is known."""
        return self._dispatcher.pages(task)

    def close(self, task: str, owner: str = "") -> None:
        """Drop an owner's task that has not ended, and its files; those who wait are refused. Raises Refused."""
        found = self.task(task, owner)
        if found.ended:
            raise wrong_state(found)
        if not self._drop(found, "closed", "05002", N_("the task was closed")):
            raise wrong_state(self._known(task, owner))

    async def result(self, task: str) -> Task:
        """The task once it has ended. Raises Refused when it is unknown or is closed."""
        found = await self._dispatcher.wait(task)
        if found is None:
            raise _unknown()
        return found

    def under_key(self, request_key: str | None, operation: str, mode: Mode, owner: str = "") -> Task | None:
        """The task of an owner's earlier request under this idempotency key. Raises Refused when that was another."""
        task = self._by_request_key(request_key, owner) if request_key else None
        if task is not None and (task.operation, task.mode) != (operation, mode):
            raise Refused(
                "03000",
                _("this Idempotency-Key was used for {operation} ({mode})", operation=task.operation, mode=task.mode),
            )
        if task is not None and task.mode == "sync" and not task.ended and not self._dispatcher.expects(task.id):
            self._forget(task.id)  # its end could not be written down
            return None
        return task

    def drop_overdue(self) -> None:
        """Drop tasks that have waited too long without running (docs/contract.md#asynchronous-calls)."""
        for task in self._store.waiting_since(self._store.now() - self._settings.limits.overdue_seconds):
            self._drop(task, "overdue", "05004", N_("the task expired before it ran"))

    def sweep(self) -> None:
        """Remove the files of what has expired, and its last trace as much later again."""
        now = self._store.now()
        while found := self._store.expired(now, self._store.swept(), _SWEPT):
            self._blobs.discard_all([task for task, _expired in found])
            self._store.sweep_to(found[-1][1])
        while found := self._store.expired(now - self._settings.limits.result_seconds, 0.0, _SWEPT):
            self._store.forget(*(task for task, _expired in found))

    def has_results(self, task: Task) -> bool:
        """Decide whether the results of a task that has ended are still there."""
        good = [run for run in task.runs if run.state == "success"]
        return task.expires > self._store.now() and all(map(self._blobs.has_result, good))

    def load(self) -> Load:
        """Return what runs and waits."""
        return self._dispatcher.load()

    def stop(self) -> None:
        """Take no more work; see `Dispatcher.stop`."""
        self._dispatcher.stop()

    # ---------- inside ----------

    def _known(self, task: str, owner: str) -> Task:
        found = self._store.get(task)
        if found is None or found.owner != owner:
            raise _unknown()
        return found

    def _add_run(self, order: Order, state: RunState, text: str, upload_seconds: float = 0.0) -> None:
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

    def _first(self, new: NewTask) -> str:
        """The id of the task that another request under the same idempotency key made meanwhile. Raises Refused."""
        first = self.under_key(new.request_key, new.operation, new.mode, new.owner)
        if first is None:
            raise busy()
        return first.id

    def _by_request_key(self, key: str, owner: str) -> Task | None:
        """The task that its owner asked for under this key, unless its result is no longer to be had."""
        task = self._store.by_request_key(key, owner)
        if task is not None and task.ended and not self.has_results(task):
            self._forget(task.id)
            return None
        return task

    def _forget(self, task: str) -> None:
        self._store.forget(task)
        self._blobs.discard(task)

    def _drop(self, task: Task, state: TaskState, code: str, sentence: str) -> bool:
        with speaking(task.language):
            why = Refused(code, _(sentence))
        for run in task.runs:
            self._dispatcher.cancel(run.id)
            self._drafts.pop(run.id, None)
        with self._store.together():
            if not self._store.drop(task.id, state, why.code, why.reason):
                return False
            if state == "overdue":
                self._webhooks.about_task("task.overdue", task.id)
        self._blobs.discard(task.id)
        self._dispatcher.tell(task.id, why)
        return True


def _traced(orders: Sequence[Order]) -> Sequence[Order]:
    trace = telemetry.carried()
    return [replace(order, trace=trace) for order in orders] if trace else orders


def wrong_state(task: Task) -> Refused:
    """Of a task that is past what was asked for it."""
    states = {
        "open": N_("the task waits for its files"),
        "started": N_("the task has already been started"),
        "finished": N_("the task has ended"),
    }
    return Refused("05002", _(states.get(task.state, N_("the task was dropped"))))


def _unknown() -> Refused:
    return Refused("05001", _("there is no such task"))
