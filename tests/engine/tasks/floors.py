"""Where work is handed over: one engine alone, or engines around a database; each can stand still, die and go on.

Worker processes are stood in for: what is asked is who works on what, not what comes of it.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from paperchute.engine.metrics import Metrics
from paperchute.engine.settings import Limits, Settings
from paperchute.engine.tasks.local import PoolDispatcher
from paperchute.engine.tasks.manager import Tasks
from paperchute.engine.tasks.ports import Dispatcher
from paperchute.engine.tasks.process import Result
from paperchute.engine.tasks.sqlite import SqliteStore
from paperchute.engine.tasks.storage import FolderBlobs
from paperchute.engine.tasks.task import NewTask, Order, StoredFile, Task
from paperchute.engine.tasks.webhooks import Webhooks
from paperchute.engine.work import Work
from paperchute.sandbox import Standing
from tests.engine.service.running import until

if TYPE_CHECKING:
    from paperchute.engine.cluster.objects import ObjectBlobs
    from paperchute.engine.cluster.postgres import PostgresStore

PATIENCE = 30.0
PAGES = (3, 12)
_T = TypeVar("_T")


class Floor:
    """What all workers have begun and ended, by the name of the work; it goes on when `let` says so."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self._let: set[str] = set()
        self.changed = threading.Condition()

    def let(self, *names: str) -> None:
        with self.changed:
            self._let.update(names)
            self.changed.notify_all()

    def until(self, where: list[str], count: int) -> list[str]:
        with self.changed:
            assert self.changed.wait_for(lambda: len(where) >= count, PATIENCE), where
            return list(where)

    def do(self, name: str, is_dead: Callable[[], bool]) -> bool:
        """Whether the work was done before its worker died."""
        with self.changed:
            self.begun.append(name)
            self.changed.notify_all()
            assert self.changed.wait_for(lambda: name in self._let or is_dead(), PATIENCE)
            if not is_dead():
                self.ended.append(name)
                self.changed.notify_all()
            return not is_dead()


class StandIn:
    """In the place of a worker process."""

    floor: Floor

    def __init__(self, _limits: Limits, _folder: Path) -> None:
        self.standing, self.alive, self.usable, self.served = Standing((), ()), True, True, 0

    def run(self, work: Work, told: Callable[[int, int], None]) -> Result:
        told(*PAGES)
        if not self.floor.do(work.text("outputFileName"), lambda: not self.alive):
            return Result(code="02210", reason="its worker died")
        output = work.folder / "result.txt"
        output.write_bytes(work.sources[0].path.read_bytes().upper())
        self.served += 1
        return Result(outputs=(output,))

    def kill(self) -> None:
        self.end()

    def end(self) -> None:
        self.alive = False
        with self.floor.changed:
            self.floor.changed.notify_all()

    def check(self) -> None:
        """Nothing to see."""


class Loop:
    """An event loop in a thread of its own, which can stand still and go on."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self.go_on()

    def go_on(self) -> None:
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def stand_still(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)

    def start(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def make(self, maker: Callable[[], _T]) -> _T:
        """Made where the loop runs."""

        async def made() -> _T:
            return maker()

        return self.start(made()).result(PATIENCE)

    def close(self, *work: Future[Any]) -> None:
        """What was started is told to end, and has the time that it takes."""
        if not self._thread.is_alive():
            self.go_on()
        for begun in work:
            begun.cancel()
        until(lambda: not asyncio.all_tasks(self._loop))
        self.stand_still()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


class House(ABC):
    """What gives out work, and one worker after the other; `floor` is where they stand."""

    store: SqliteStore | PostgresStore
    blobs: FolderBlobs
    dispatcher: Dispatcher
    tasks: Tasks

    def __init__(self, folder: Path, floor: Floor, queue: int) -> None:
        self.folder = folder
        self.floor = floor
        self.limits = Limits(queue=queue)
        self.asking = Loop()

    @abstractmethod
    def worker(self) -> None:
        """One more worker, which takes one heavy run at a time."""

    @abstractmethod
    def stop(self) -> None:
        """Engine and workers end in order; what they had begun and not ended is another's."""

    @abstractmethod
    def die(self) -> None:
        """The last worker is no more, and nobody could say so."""

    @abstractmethod
    def revive(self) -> None:
        """The worker that had died had only stood still, and goes on; where that can be."""

    @abstractmethod
    def close(self) -> None:
        """All is over."""

    def settings(self, name: str) -> Settings:
        return Settings(self.folder / name, "key", workers=1, limits=self.limits)

    def webhooks(self) -> Webhooks:
        return Webhooks(self.store, url="", token="", inner=())

    def order(self, name: str, operation: str, owner: str = "") -> tuple[NewTask, Order]:
        task = self.blobs.new_task()
        path = self.blobs.inputs(task) / "00001"
        path.write_text(f"source of {name}")
        file = StoredFile("file", self.blobs.key_of(path), f"{name}.txt", "txt")
        run = secrets.token_hex(8)
        return NewTask(task, operation, "async", "en", owner=owner), Order(
            run, task, operation, name, (file,), {"outputFileName": name}, "{}", path.stat().st_size, "en"
        )

    def submit(self, *names: str, operation: str = "pdf-to-markdown", owner: str = "") -> list[str]:
        """A task for each name; their ids."""
        made = [self.order(name, operation, owner) for name in names]
        return [self.asking.make(partial(self.tasks.submit, new, [order])) for new, order in made]

    def wait(self, task: str) -> Future[Task | None]:
        return self.asking.start(self.dispatcher.wait(task))

    def result(self, task: str) -> bytes:
        """What lies in the storage for the only run of a task that has ended."""
        (run,) = self.known(task).runs
        return self.content(f"{task}/{run.id}", run.epoch)

    @abstractmethod
    def content(self, place: str, epoch: int) -> bytes:
        """The result at a place."""

    def known(self, task: str) -> Task:
        found = self.store.get(task)
        assert found is not None
        return found


class Embedded(House):
    """An engine that works alone: to die is to be started anew on what it left."""

    def __init__(self, folder: Path, floor: Floor, queue: int) -> None:
        super().__init__(folder, floor, queue)
        self._begin()

    def _begin(self) -> None:
        (self.folder / "alone").mkdir(exist_ok=True)
        self.store = SqliteStore(self.folder / "alone", 60.0)
        self.blobs = FolderBlobs(self.folder / "files", 1 << 20)
        settings, webhooks = self.settings("alone"), self.webhooks()
        self._over = False
        self._pool = self.asking.make(lambda: PoolDispatcher(self.store, self.blobs, settings, webhooks, Metrics()))
        self.dispatcher = self._pool
        self.tasks = Tasks(self.store, self.blobs, self.dispatcher, settings, webhooks)

    def worker(self) -> None:
        if self._over:  # else it has its worker with it
            self._begin()

    def stop(self) -> None:
        self.asking.make(self.dispatcher.stop)
        self._over = True

    def die(self) -> None:
        self._pool._pool.stop()  # whose processes end with it, and nobody writes anything down
        self.store.close()
        self._over = True

    def revive(self) -> None:
        """Its processes are dead."""

    def content(self, place: str, epoch: int) -> bytes:
        return (self.folder / "files" / place / "result").read_bytes()

    def close(self) -> None:
        self._pool._pool.stop()
        self.asking.close()


class Shared(House):
    """An engine that answers calls and others that work, around a database; a storage in memory."""

    def __init__(self, folder: Path, floor: Floor, queue: int, store: PostgresStore) -> None:
        from obstore.store import MemoryStore

        from paperchute.engine.cluster.dispatcher import QueueDispatcher
        from paperchute.engine.cluster.jobs import JobQueue
        from paperchute.engine.cluster.pulse import Pulse
        from paperchute.engine.cluster.sealing import Sealing

        super().__init__(folder, floor, queue)
        self.store: PostgresStore = store
        self._bucket = MemoryStore()
        self._seal = Sealing("s" * 32)
        self._queue = JobQueue(store.database)
        self._pulse = Pulse()
        self._workers: list[tuple[Loop, Future[None]]] = []
        settings, webhooks = self.settings("asking"), self.webhooks()
        self.blobs = self._blobs("asking")
        self.dispatcher = self.asking.make(lambda: QueueDispatcher(store, self._queue, queue, self._pulse))
        self.tasks = Tasks(store, self.blobs, self.dispatcher, settings, webhooks, self._seal)

    def _blobs(self, name: str) -> ObjectBlobs:
        from paperchute.engine.cluster.objects import ObjectBlobs

        bucket: Any = self._bucket
        return ObjectBlobs(bucket, self.folder / name / "files", Limits(), lambda: 0)

    def worker(self) -> None:
        from paperchute.engine.cluster.runner import Runner
        from paperchute.engine.cluster.upkeep import Upkeep
        from paperchute.engine.tasks.completion import Completion

        store = self.store
        name = f"worker-{len(self._workers)}"
        blobs = self._blobs(name)
        completion = Completion(store, blobs, self.webhooks(), 1 << 20, Metrics(), lambda task, instead: None)
        runner = Runner(store, blobs, self._queue, completion, self.settings(name), self._seal, Metrics(), self._pulse)

        async def work() -> None:
            caring = asyncio.create_task(Upkeep(store, self._queue, completion, {}, self._pulse).work())
            try:
                await runner.work(0.0)
            finally:
                caring.cancel()

        loop = Loop()
        self._workers.append((loop, loop.start(work())))

    def stop(self) -> None:
        for _loop, work in self._workers:
            work.cancel()
        self.asking.make(self.dispatcher.stop)

    def die(self) -> None:
        self._workers[-1][0].stand_still()

    def revive(self) -> None:
        self._workers[0][0].go_on()

    def content(self, place: str, epoch: int) -> bytes:
        import obstore

        return bytes(obstore.get(self._bucket, f"{place}/{epoch}/result").bytes())

    def close(self) -> None:
        self.floor.let(*self.floor.begun)
        for loop, work in self._workers:
            loop.close(work)
        self.dispatcher.stop()
        self.asking.close()
        self.store.close()
