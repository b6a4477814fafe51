"""The dispatcher of an engine in a cluster: jobs go to the shared queue, and the database tells what has ended."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence

from paperchute.engine.cluster.database import BoundedConnection
from paperchute.engine.cluster.jobs import JobQueue
from paperchute.engine.cluster.postgres import ENDED, PostgresStore
from paperchute.engine.cluster.pulse import Pulse
from paperchute.engine.metrics import Load
from paperchute.engine.operations import is_quick
from paperchute.engine.tasks.completion import busy, stopping
from paperchute.engine.tasks.task import Order, RunState, Task
from paperchute.engine.tasks.turns import has_room
from paperchute.engine.tasks.waiters import Outcome, Waiters
from paperchute.engine.work import AskLater, Refused
from paperchute.language import _, speaking

_LOOK_SECONDS = 2.0  # at the table, beside what is told: a connection that listens may have missed something
_AGAIN_SECONDS = 1.0
_ALIVE_SECONDS = 30.0  # a worker that was heard of so long ago counts
_COUNT_SECONDS = 1.0
_KINDS = ("quick", "heavy")
_LOOP = "endings"


class QueueDispatcher:
    """A `Dispatcher`. Those who wait are on this process's event loop; the work is anybody's."""

    def __init__(self, store: PostgresStore, queue: JobQueue, most: int, pulse: Pulse) -> None:
        """most: runs that may wait in the whole cluster."""
        self._pulse = pulse
        self._store = store
        self._queue = queue
        self._most = most
        self._counted = -_COUNT_SECONDS
        self._waiting: Mapping[str, Counter[str]] = {}
        self._waiters = Waiters()
        self._stopping = False
        threading.Thread(target=self._listen, name="endings", daemon=True).start()

    def check_free(self, operation: str = "", owner: str = "") -> None:
        """Raises AskLater while as many wait as may, see `Dispatcher`."""
        if self._stopping:
            raise stopping()
        if time.monotonic() - self._counted > _COUNT_SECONDS:
            self._counted = time.monotonic()
            self._waiting = self._count()
        kinds = (_kind(operation),) if operation else _KINDS
        if not any(has_room(self._most, self._waiting.get(kind, {}), owner) for kind in kinds):
            raise busy()

    def check_workers(self) -> None:
        """Raises AskLater while no worker has been heard of for a while."""
        if not self._store.workers(_ALIVE_SECONDS):
            raise AskLater(_("the service has no workers at present; try again later"))

    def enqueue(self, task: str, orders: Sequence[Order], owner: str = "") -> None:
        """Have a started task's orders done once what is written together with it is written."""
        for order in orders:
            self._queue.put(order.run)

    def expects(self, task: str) -> bool:
        """Expect any task: what a worker leaves undone, another does."""
        return True

    def cancel(self, run: str) -> None:
        """A worker sees within a second that its run is no longer its own."""

    async def wait(self, task: str) -> Task | None:
        """A started task once it has ended, None where there is none. Raises Refused where nothing comes of it."""
        if self._stopping:
            raise stopping()
        if task in self._waiters:
            return await self._waiters.ended(task)
        self._waiters.expect(task)
        ended = self._waiters.ended(task)  # before we look: it may be told meanwhile
        await asyncio.to_thread(self._look, [task])
        return await ended

    def tell(self, task: str, instead: Refused | None = None) -> None:
        """A task has ended: those who wait for it here have it, or are refused."""
        if task in self._waiters:
            self._waiters.tell(task, instead or self._outcome(task))

    def pages(self, task: Task) -> tuple[int, int]:
        """Give how many pages of its running files are done, and how many they have; 0 and 0 where nothing is known."""
        return self._store.pages([run for run in task.runs if run.state == "processing"])

    def load(self) -> Load:
        """Return what runs and waits in the whole cluster."""
        kinds: dict[RunState, Counter[str]] = {"processing": Counter(), "waiting": Counter()}
        oldest = dict.fromkeys(_KINDS, 0.0)
        for operation, state, count, seconds in self._store.at_hand():
            kind = _kind(operation)
            kinds[state][kind] += count
            if state == "waiting":
                oldest[kind] = max(oldest[kind], seconds)
        running, waiting = ({kind: counts[kind] for kind in _KINDS} for counts in kinds.values())
        return Load(self._store.workers(_ALIVE_SECONDS), running, waiting, oldest)

    def stop(self) -> None:
        """Take no more tasks. Those who wait ask another engine under the same idempotency key."""
        self._stopping = True
        for task in self._waiters.tasks():
            self._waiters.tell_now(task, stopping())

    # ---------- inside ----------

    def _count(self) -> Mapping[str, Counter[str]]:
        """Return how many runs wait by kind of work and owner."""
        waiting: dict[str, Counter[str]] = {kind: Counter() for kind in _KINDS}
        for operation, owner, count in self._store.waiting():
            waiting[_kind(operation)][owner] += count
        return waiting

    def _listen(self) -> None:
        while not self._stopping:
            try:
                with BoundedConnection.connect(self._store.database.url, autocommit=True) as connection:
                    connection.execute(f"listen {ENDED}")
                    while not self._stopping:
                        connection.execute("select 1")
                        self._pulse.heard(_LOOP)
                        for notice in connection.notifies(timeout=_LOOK_SECONDS):
                            self.tell(notice.payload)
                        self._look(self._waiters.tasks())
            except Exception as error:  # noqa: BLE001 -- who waits here would wait for ever
                if not self._stopping:
                    self._pulse.lost(_LOOP, f"the database cannot be listened to: {type(error).__name__}: {error}")
                    time.sleep(_AGAIN_SECONDS)

    def _look(self, tasks: list[str]) -> None:
        for task in self._store.ended_of(tasks):
            self.tell(task)

    def _outcome(self, task: str) -> Outcome:
        """Return what whoever waits gets: of a task that was dropped, why."""
        found = self._store.get(task)
        if found is not None and found.state in ("closed", "overdue"):
            with speaking(found.language):
                return Refused(found.runs[0].code, found.runs[0].reason)
        return found


def _kind(operation: str) -> str:
    return _KINDS[not is_quick(operation)]
