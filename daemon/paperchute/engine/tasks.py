"""Tasks: from checked work to a finished result, whoever waits for it. Plain data in and out."""

from __future__ import annotations

import asyncio
import time
import zipfile
from pathlib import Path

from loguru import logger

from paperchute.engine.envelope import masked
from paperchute.engine.messages import CHINESE, meaning
from paperchute.engine.pool import Busy, Pool, Result
from paperchute.engine.settings import Settings
from paperchute.engine.store import Store, Task
from paperchute.engine.work import Refused, Work


class Tasks:
    """Submits work to the pool and keeps what comes of it. Used from the server's event loop."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._pool = Pool(settings)
        self._running: dict[str, asyncio.Future[Task]] = {}
        self._loop = asyncio.get_running_loop()

    def stop(self) -> None:
        """End the workers; tasks that were running come to nothing and are done again when asked for again."""
        self._pool.stop()

    def known(self, request_key: str, operation: str) -> asyncio.Future[Task] | None:
        """The task of an earlier request under the same idempotency key. Raises Refused when that was another one."""
        task = self._store.by_request_key(request_key)
        if task is None:
            return None
        if task.operation != operation:
            raise Refused("03000", "this Idempotency-Key was used for another operation")
        running = self._running.get(task.id)
        if running is not None:
            return running
        if task.state == "processing" or (task.state == "success" and not self._store.output(task.id).is_file()):
            self._store.forget(task.id)
            return None
        done: asyncio.Future[Task] = self._loop.create_future()
        done.set_result(task)
        return done

    def submit(self, task: str, work: Work, request_key: str | None, language: int) -> asyncio.Future[Task]:
        """Queue `work` as `task`. Raises Refused when the queue is full."""
        name = work.sources[0].name if work.sources else ""
        size = sum(source.path.stat().st_size for source in work.sources)
        self._store.add(task, work.operation, request_key, name, size, masked(work.operation, work.parameters))
        future: asyncio.Future[Task] = self._loop.create_future()
        self._running[task] = future
        begun = time.monotonic()

        def done(result: Result) -> None:
            ended = self._end(task, work, result, language, int((time.monotonic() - begun) * 1000))
            logger.bind(task=task).info(
                "{} {} key={} in={} out={} {} ms {}",
                work.operation,
                ended.state,
                request_key,
                size,
                ended.output_size,
                ended.milliseconds,
                ended.code,
            )
            self._loop.call_soon_threadsafe(self._deliver, task, ended)

        try:
            self._pool.submit(work, done)
        except Busy:
            del self._running[task]
            self._store.forget(task)
            raise Refused("01001", "the service is busy", "服务繁忙") from None
        return future

    def _deliver(self, task: str, ended: Task) -> None:
        future = self._running.pop(task)
        if not future.done():
            future.set_result(ended)

    def _end(self, task: str, work: Work, result: Result, language: int, milliseconds: int) -> Task:
        if result.code:
            reason = result.reason
            if language == CHINESE:
                reason = result.reason_zh or meaning(result.code, language)
            return self._store.fail(task, result.code, reason, milliseconds)
        try:
            name = _keep([Path(o) for o in result.outputs], work, self._store.output(task))
        except OSError as error:
            logger.error("the result of task {} could not be stored: {}", task, error)
            return self._store.fail(task, "01002", "the result could not be stored", milliseconds)
        return self._store.finish(task, name, self._store.output(task).stat().st_size, milliseconds)


def _keep(outputs: list[Path], work: Work, target: Path) -> str:
    """Move one output, or several as a ZIP, to `target`; the name it is offered under."""
    folder = work.folder.resolve()
    inside = [path.resolve() for path in outputs]
    if not all(path.is_relative_to(folder) for path in inside):
        raise OSError("an output lies outside of its task's folder")
    if len(inside) == 1:
        inside[0].replace(target)
        return outputs[0].name
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in inside:
            archive.write(path, path.relative_to(folder).as_posix())
    stem = Path(work.sources[0].name).stem if work.sources else work.operation
    return f"{stem}.zip"
