"""Tasks: from a checked order to a finished result, whoever waits for it.

`submit`, `state`, `cancel` and `result` are the one interface to the engine's work. Orders are plain data and name
files by storage key, so that the same interface can stand before workers on other machines.
"""

from __future__ import annotations

import asyncio
import sqlite3
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loguru import logger

from paperchute.contract import Value
from paperchute.engine.messages import Language, words
from paperchute.engine.pool import Busy, Pool
from paperchute.engine.process import Result
from paperchute.engine.settings import Settings
from paperchute.engine.store import Store, Task
from paperchute.engine.work import FetchPolicy, Refused, Source, Work

_CLOSED = Refused("05001", "the task was cancelled", "任务已取消")
_NOT_KEPT = Refused("01002", "the result could not be stored")
_STOPPING = Refused("01001", "the service is stopping; ask again later", "服务正在停止，请稍后重试")


@dataclass(frozen=True)
class StoredFile:
    """An uploaded file: its form part, storage key, the name its sender gave it, and its kind by content."""

    part: str
    key: str
    name: str
    kind: str


@dataclass(frozen=True)
class Order:
    """One task to be done. `task` is an id of `Store.new_id`.

    parameters: canonical, defaults filled in, passwords readable, so an order lives in memory only. submitted: what
    was sent as JSON text, passwords masked. size: bytes of all files. language: of a failure's reason.
    """

    task: str
    operation: str
    files: tuple[StoredFile, ...]
    parameters: Mapping[str, Value]
    submitted: str
    size: int
    request_key: str | None
    language: Language


def work_of(order: Order, store: Store, fetch: FetchPolicy | None = None) -> Work:
    """An order as an operation sees it, with its files where they lie."""
    return Work(
        order.operation,
        tuple(Source(file.part, store.path_of(file.key), file.name, file.kind) for file in order.files),
        order.parameters,
        store.scratch(order.task),
        fetch or FetchPolicy(),
    )


class Tasks:
    """Submits orders to the pool and keeps what comes of them. Used from the server's event loop."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._pool = Pool(settings.workers, settings.limits)
        self._open: dict[str, asyncio.Future[Task]] = {}
        self._loop = asyncio.get_running_loop()
        self._stopped = False

    def check_free(self) -> None:
        """Raises Refused when `submit` would, so that nobody uploads in vain."""
        if self._stopped:
            raise _STOPPING
        if self._pool.full:
            raise Refused("01001", "the service is busy; ask again later", "服务繁忙，请稍后重试")

    def submit(self, order: Order) -> None:
        """Queue an order. Raises Refused when the queue is full."""
        self.check_free()
        name = order.files[0].name if order.files else ""
        self._store.add(order.task, order.operation, order.request_key, name, order.size, order.submitted)
        ended: asyncio.Future[Task] = self._loop.create_future()
        ended.add_done_callback(_seen)
        self._open[order.task] = ended
        work = work_of(order, self._store, self._settings.fetch)
        try:
            self._pool.submit(
                order.task, work, partial(self._store.begin, order.task), partial(self._done, order, work)
            )
        except Busy:
            self._close(order.task, _CLOSED)
            self.check_free()

    def state(self, task: str) -> Task | None:
        """A task as it stands; None when there is none, or its result has expired."""
        return self._store.get(task)

    def cancel(self, task: str) -> bool:
        """Drop a task that has not ended, and its files; those who wait are refused. False when there is none."""
        if not self._pool.cancel(task):
            return False
        self._close(task, _CLOSED)
        return True

    async def result(self, task: str) -> Task:
        """The task once it has ended. Raises Refused when it is unknown or is cancelled."""
        ended = self._open.get(task)
        if ended is not None:
            return await asyncio.shield(ended)
        found = self._store.get(task)
        if found is None or not found.ended:
            raise Refused("05001", "there is no such task")
        return found

    def under_key(self, request_key: str, operation: str) -> Task | None:
        """The task of an earlier request under the same idempotency key. Raises Refused when that was another one."""
        task = self._store.by_request_key(request_key)
        if task is not None and task.operation != operation:
            raise Refused(
                "03000",
                f"this Idempotency-Key was used for {task.operation}",
                f"该 Idempotency-Key 已用于 {task.operation}",
            )
        if task is not None and not task.ended and task.id not in self._open:
            self._store.forget(task.id)  # its end could not be written down
            return None
        return task

    def stop(self) -> None:
        """End the workers; tasks that had not ended come to nothing and are done again when asked for again."""
        if self._stopped:
            return
        self._stopped = True
        self._pool.stop()
        for task in list(self._open):
            self._close(task, _STOPPING)

    def _done(self, order: Order, work: Work, result: Result) -> None:
        """On a thread of the pool."""
        try:
            ended = self._kept(order, work, result)
        except (OSError, sqlite3.Error) as error:
            logger.bind(task=order.task).error("a task's end could not be written down: {}", error)
            self._loop.call_soon_threadsafe(self._deliver, order.task, None)
        else:
            self._loop.call_soon_threadsafe(self._deliver, order.task, ended)

    def _deliver(self, task: str, ended: Task | None) -> None:
        future = self._open.pop(task, None)
        if future is None:
            return
        if ended is not None:
            future.set_result(ended)
        else:
            future.set_exception(_NOT_KEPT)

    def _close(self, task: str, why: Refused) -> None:
        self._store.forget(task)
        future = self._open.pop(task, None)
        if future is not None:
            future.set_exception(why)

    def _kept(self, order: Order, work: Work, result: Result) -> Task | None:
        if result.trace:
            logger.bind(task=order.task, operation=order.operation, trace=result.trace).error("a task failed oddly")
        if not result.code:
            try:
                name = _keep(result.outputs, work, self._store.output(order.task), self._settings.limits.max_output)
                return self._store.finish(order.task, name, result.milliseconds)
            except Refused as error:
                return self._failed(order, error, result.milliseconds)
            except OSError as error:
                logger.bind(task=order.task).error("a result could not be stored: {}", error)
                return self._failed(order, _NOT_KEPT, result.milliseconds)
        return self._failed(order, Refused(result.code, result.reason, result.reason_zh), result.milliseconds)

    def _failed(self, order: Order, error: Refused, milliseconds: int) -> Task | None:
        return self._store.fail(order.task, error.code, words(error, order.language), milliseconds)


def _keep(outputs: tuple[Path, ...], work: Work, target: Path, most: int) -> str:
    """Move one output, or several as a ZIP, to `target`; the name it is offered under. Raises Refused, OSError."""
    folder = work.folder.resolve()
    inside = [path.resolve(strict=True) for path in outputs]
    if not all(path.is_relative_to(folder) and path.is_file() for path in inside):
        raise OSError("an output is no file in its task's folder")
    if sum(path.stat().st_size for path in inside) > most:
        raise Refused("02210", "the result is larger than a task may write", "结果超出大小限制")
    if len(inside) == 1:
        inside[0].replace(target)
        return outputs[0].name
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in inside:
            archive.write(path, path.relative_to(folder).as_posix())
    stem = Path(work.sources[0].name).stem if work.sources else work.operation
    return f"{stem}.zip"


def _seen(ended: asyncio.Future[Task]) -> None:
    """Nobody may be waiting any more; a failure is not to be reported as forgotten then."""
    if not ended.cancelled():
        ended.exception()
