"""The dispatcher of an engine that works alone: a pool of processes, and the futures of those who wait."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from loguru import logger

from paperchute.engine.metrics import Load, Metrics
from paperchute.engine.operations import is_quick
from paperchute.engine.settings import Settings
from paperchute.engine.tasks.completion import Completion, busy, not_kept, stopping
from paperchute.engine.tasks.pool import Pool
from paperchute.engine.tasks.ports import BlobStore, TaskStore, work_of
from paperchute.engine.tasks.process import Result
from paperchute.engine.tasks.task import Order, Run, Task, order_of
from paperchute.engine.tasks.trail import trail
from paperchute.engine.tasks.waiters import Waiters
from paperchute.engine.tasks.webhooks import Webhooks
from paperchute.engine.work import AskLater, Refused, Work
from paperchute.language import N_, _, speaking

MOST_STARTS = 3
FORGOTTEN = N_("the service was restarted, and it does not keep passwords: send the file again")
_WORKERS = "workers"  # in the engine's folder: a folder for each worker


class PoolDispatcher:
    """A `Dispatcher`: orders go to the pool of this process, and what comes of them is told on its event loop."""

    def __init__(
        self, store: TaskStore, blobs: BlobStore, settings: Settings, webhooks: Webhooks, metrics: Metrics
    ) -> None:
        """Goes on with what the last engine on the same store had not finished."""
        self._store = store
        self._blobs = blobs
        self._settings = settings
        self._completion = Completion(store, blobs, webhooks, settings.limits.max_output, metrics, self.tell)
        self._metrics = metrics
        self._pool = Pool(settings.workers, settings.limits, settings.state / _WORKERS, metrics)
        self._waiters = Waiters()
        self._epochs: dict[str, int] = {}
        self._stopped = False
        self._resume()

    def check_free(self, operation: str = "", owner: str = "") -> None:
        """Raises AskLater while the queue is full, see `Dispatcher`."""
        if self._stopped:
            raise stopping()
        self.check_workers()
        kinds = (is_quick(operation),) if operation else (True, False)
        if not any(self._pool.has_room(owner, is_quick=kind) for kind in kinds):
            raise busy()

    def check_workers(self) -> None:
        """Raises AskLater while no worker process comes up."""
        trouble = self._pool.trouble
        if trouble is not None:
            raise AskLater(trouble.reason)

    def enqueue(self, task: str, orders: Sequence[Order], owner: str = "") -> None:
        """Have a started task's orders done; there was room, so they are taken, however many they are."""
        for order in orders:
            self._blobs.fetch(order)

        def written() -> None:
            self._waiters.expect(task)
            for order in orders:
                self._submit(order, owner, 1)

        self._store.on_commit(written)

    def expects(self, task: str) -> bool:
        """Decide whether the pool has a task."""
        return task in self._waiters

    def cancel(self, run: str) -> None:
        """Drop a waiting run or end a running one."""
        self._pool.cancel(run)
        self._epochs.pop(run, None)

    async def wait(self, task: str) -> Task | None:
        """A started task once it has ended, None where there is none. Raises Refused where nothing comes of it."""
        if task in self._waiters:
            return await self._waiters.ended(task)
        found = self._store.get(task)
        return found if found is not None and found.ended else None

    def pages(self, task: Task) -> tuple[int, int]:
        """Give how many pages of its running files are done, and how many they have; 0 and 0 where nothing is known."""
        known = [self._pool.pages(run.id) for run in task.runs if run.state == "processing"]
        return sum(done for done, _ in known), sum(total for _, total in known)

    def load(self) -> Load:
        """Return what runs and waits."""
        return self._pool.load()

    def stop(self) -> None:
        """End the workers.

        Synchronous calls come to nothing and are done again when asked for again; other tasks are gone on with by the
        next engine.
        """
        if self._stopped:
            return
        self._stopped = True
        self._pool.stop()
        for task in self._waiters.tasks():
            found = self._store.get(task)
            if found is not None and found.ended:  # and may have been counted: whoever waits gets it
                self._waiters.tell_now(task, found)
                continue
            is_dropped = found is not None and found.mode == "sync"
            if is_dropped:
                self._store.forget(task)
                self._blobs.discard(task)
            else:
                self._store.give_back(task)
            with speaking(found.language if found is not None else ""):
                self._waiters.tell_now(task, stopping(is_dropped=is_dropped))

    def tell(self, task: str, instead: Refused | None = None) -> None:
        """A task has ended: those who `wait` for it have it, or are refused."""
        self._waiters.tell(task, instead or self._store.get(task) or not_kept())

    # ---------- inside ----------

    def _submit(self, order: Order, owner: str, attempt: int) -> None:
        work = work_of(order, self._blobs, self._settings.fetch)
        begun, done = partial(self._begun, order.run), partial(self._done, order, work)
        with trail(order, attempt, self._store.keys.caller(order.task) if owner else ""):
            self._pool.submit(order.run, work, begun, done, is_quick=is_quick(order.operation), owner=owner)

    def _begun(self, run: str) -> None:
        """On a thread of the pool; more than once where a worker ended before it took the run."""
        if run not in self._epochs:
            epoch = self._store.begin(run)
            if epoch is not None:
                self._epochs[run] = epoch

    def _done(self, order: Order, work: Work, result: Result) -> None:
        """On a thread of the pool."""
        if order.run not in self._epochs:  # no worker process came up, or that it took the run was not written down
            with logger.catch(message="a run's begin could not be written down"):
                self._begun(order.run)
        try:
            self._completion.done(order, work, self._epochs.pop(order.run, 0), result)
        except (OSError, self._store.trouble) as error:
            logger.bind(task=order.task).error("a task's end could not be written down: {}", error)
            self.tell(order.task, not_kept())

    def _resume(self) -> None:
        for task in self._store.unfinished():
            self._store.put_back(task.id)
            self._waiters.expect(task.id)
            for run in task.runs:
                if not run.ended:
                    with speaking(task.language):
                        self._resume_run(task, run)
            self._completion.settle(task.id)

    def _resume_run(self, task: Task, run: Run) -> None:
        order = order_of(run)
        if order is None:
            self._completion.fail(task.id, run.id, Refused("01001", _(FORGOTTEN)))
        elif run.starts >= MOST_STARTS:
            self._completion.fail(task.id, run.id, too_often())
        else:
            self._blobs.drop_run(task.id, run.id, keep_result=False)
            self._blobs.fetch(order)
            if run.starts:
                self._metrics.retried(order.operation)
            self._submit(order, task.owner, run.starts + 1)


def too_often() -> Refused:
    """Of a run that has been begun as often as may be."""
    return Refused("02210", _("the service stopped each time it worked on this file"))
