"""A worker of the cluster: takes runs from the queue, has them done by its own processes, and writes down their end."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import Any

import psycopg
from loguru import logger
from procrastinate import JobContext
from procrastinate.exceptions import ConnectorException

from paperchute.engine.cluster.jobs import QUEUE, QUICK, TASK, Again, JobQueue, worker_app
from paperchute.engine.cluster.objects import GoneError, ObjectBlobs, StorageAway
from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.cluster.pulse import Pulse
from paperchute.engine.metrics import Metrics
from paperchute.engine.operations import is_quick
from paperchute.engine.settings import Settings
from paperchute.engine.tasks.completion import Completion
from paperchute.engine.tasks.local import FORGOTTEN, MOST_STARTS, too_often
from paperchute.engine.tasks.pool import Pool
from paperchute.engine.tasks.ports import work_of
from paperchute.engine.tasks.process import Result
from paperchute.engine.tasks.task import Order, Run, Seal, order_of
from paperchute.engine.tasks.trail import trail
from paperchute.engine.work import AskLater, Refused, Work
from paperchute.language import _, speaking

HEARTBEAT_SECONDS = 3.0
STALLED_SECONDS = 12.0
"""A worker that has not been heard of for so long is given up, and its runs are others'."""
_MOST_DEATHS = 10  # of machines that had a run, within ten minutes or more: see `Upkeep`
_FORGOTTEN_SECONDS = 3600.0  # when a worker's own row goes; who is given up sooner is for `Upkeep` to say
_LOOK_SECONDS = 1.0  # whether a run is still this worker's, and how far it is
_AGAIN_SECONDS = 1.0
_AWAY_SECONDS = 5.0  # before the next try of what another machine did not do
_POLL_SECONDS = 0.25
"""Between looks at the queue beside what is told. Procrastinate forgets what it is told while it fetches a job (3.10),
so that one call in a dozen waited for the next look."""


class Runner:
    """Works until it is stopped. For one event loop; the work itself is the pool's."""

    def __init__(
        self,
        store: PostgresStore,
        blobs: ObjectBlobs,
        queue: JobQueue,
        completion: Completion,
        settings: Settings,
        seal: Seal,
        metrics: Metrics,
        pulse: Pulse,
    ) -> None:
        self._pulse = pulse
        self._store = store
        self._blobs = blobs
        self._queue = queue
        self._completion = completion
        self._settings = settings
        self._seal = seal
        self._metrics = metrics
        self._pool = Pool(settings.workers, settings.limits, settings.state / "workers", metrics)
        self._here: Counter[str] = Counter()  # runs of a task that are at work in this process

    def check_workers(self) -> None:
        """Raises AskLater while no worker process comes up."""
        if self._pool.trouble is not None:
            raise AskLater(self._pool.trouble.reason)

    async def work(self, drain_seconds: float) -> None:
        """Take runs until cancelled; then end those at work, and give back what takes longer than `drain_seconds`.

        As many as there are worker processes, of either kind; and one more that is quick, for which the pool has one
        more process while all others are at heavy work.
        """
        asyncio.get_running_loop().set_exception_handler(_unheard)
        try:
            async with asyncio.TaskGroup() as listening:
                listening.create_task(self._listen("work", [QUEUE, QUICK], self._settings.workers, drain_seconds))
                listening.create_task(self._listen("quick work", [QUICK], 1, drain_seconds))
        finally:
            await asyncio.to_thread(self._pool.stop)

    async def _listen(self, name: str, queues: list[str], most: int, drain_seconds: float) -> None:
        app = worker_app(self._store.database.url, self._pulse, name)
        app.task(name=TASK, queue=QUEUE, pass_context=True, retry=Again())(self._job)
        while True:
            try:
                async with app.open_async():
                    await app.run_worker_async(
                        queues=queues,
                        concurrency=most,
                        fetch_job_polling_interval=_POLL_SECONDS,
                        shutdown_graceful_timeout=drain_seconds,
                        update_heartbeat_interval=HEARTBEAT_SECONDS,
                        stalled_worker_timeout=_FORGOTTEN_SECONDS,
                        delete_jobs="successful",
                        install_signal_handlers=False,
                    )
            except (ConnectorException, psycopg.Error, OSError) as error:
                self._pulse.lost(name, f"the queue cannot be reached: {error.__cause__ or error}")
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _job(self, context: JobContext, run: str) -> None:
        try:
            begun = await asyncio.to_thread(self._begun, run, str(context.job.id))
        except psycopg.Error:
            await asyncio.sleep(_AGAIN_SECONDS)  # the job may be taken again at once
            raise
        if begun is None:
            return
        found, epoch, caller = begun
        self._here[found.task] += 1
        about = {"task": found.task, "run": run, "operation": found.operation, "attempt": found.starts}
        with logger.contextualize(**about, caller=caller):
            await self._brought_to_its_end(found, epoch, caller)

    async def _brought_to_its_end(self, found: Run, epoch: int, caller: str) -> None:
        run = found.id
        try:
            await self._done(found, epoch, caller)
        except asyncio.CancelledError:
            self._pool.cancel(run)
            await asyncio.shield(asyncio.to_thread(self._store.release, run, epoch))
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it was, the run is not to stay with nobody
            logger.opt(exception=error).error("a run could not be brought to its end, and waits again")
            is_away = isinstance(error, (StorageAway, psycopg.Error))
            await asyncio.sleep(_AWAY_SECONDS if is_away else 0.0)
            await self._left(run, epoch, counts=not is_away)
        finally:
            self._here[found.task] -= 1
            if not self._here[found.task]:
                del self._here[found.task]
                await asyncio.to_thread(self._blobs.clear, found.task)

    async def _left(self, run: str, epoch: int, *, counts: bool) -> None:
        """Have somebody begin the run again, as soon as that can be written down."""
        while True:
            try:
                await asyncio.to_thread(self._requeue, run, epoch, counts=counts)
                return
            except psycopg.Error:
                await asyncio.sleep(_AGAIN_SECONDS)

    def _requeue(self, run: str, epoch: int, *, counts: bool) -> None:
        with self._store.together():
            if (self._store.leave if counts else self._store.release)(run, epoch):
                self._queue.put(run)

    def _begun(self, run: str, job: str) -> tuple[Run, int, str] | None:
        """The run, when there is something to do, its epoch, and the name of the API key that it came with."""
        epoch = self._store.begin(run, job)
        found = self._store.by_id(run)
        if epoch is None or found is None:
            return None
        if epoch > 1:
            self._metrics.retried(found.operation)
        return found, epoch, self._store.keys.caller(found.task)

    async def _done(self, run: Run, epoch: int, caller: str) -> None:
        order = order_of(run, self._seal)
        deaths = await asyncio.to_thread(self._store.deaths, run.id)
        if order is None or run.starts > MOST_STARTS or deaths > _MOST_DEATHS:
            task = await asyncio.to_thread(self._store.get, run.task)
            with speaking(task.language if task is not None else ""):
                why = too_often() if order is not None else Refused("01001", _(FORGOTTEN))
                await asyncio.to_thread(self._failed, run, epoch, why)
            return
        with speaking(order.language), trail(order, run.starts, caller):
            logger.info("run begun")
            try:
                await asyncio.to_thread(self._blobs.fetch, order)
            except GoneError as error:
                logger.error("a run is refused: {}", error)
                await asyncio.to_thread(self._failed, run, epoch, gone())
                return
            work = work_of(order, self._blobs, self._settings.fetch)
            result = await self._result(order, work, epoch)
            if result is not None:
                await asyncio.to_thread(self._completion.done, order, work, epoch, result)
                logger.bind(code=result.code, worker_ms=result.milliseconds).info("run ended")

    def _failed(self, run: Run, epoch: int, why: Refused) -> None:
        self._completion.fail(run.task, run.id, why, epoch=epoch)
        self._completion.settle(run.task)

    async def _result(self, order: Order, work: Work, epoch: int) -> Result | None:
        """Return what came of the work; None when the run has become another's, or its task was dropped."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()

        def told(result: Result) -> None:
            loop.call_soon_threadsafe(done.set_result, result)

        waited = await asyncio.to_thread(self._store.waited, order.task)
        self._pool.submit(order.run, work, lambda: None, told, is_quick=is_quick(order.operation), waited=waited)
        shown = (0, 0)
        while True:
            with contextlib.suppress(TimeoutError):
                return await asyncio.wait_for(asyncio.shield(done), _LOOK_SECONDS)
            pages = self._pool.pages(order.run)
            with contextlib.suppress(psycopg.Error):  # the database may be back before the work is done
                if not await asyncio.to_thread(self._holds, order.run, epoch):
                    self._pool.cancel(order.run)
                    return None
                if pages != shown:
                    await asyncio.to_thread(self._store.tell_pages, order.run, *pages)
                    shown = pages

    def _holds(self, run: str, epoch: int) -> bool:
        found = self._store.by_id(run)
        if found is not None and (found.epoch != epoch or found.state == "waiting"):
            self._metrics.fenced(found.operation)
        return found is not None and (found.state, found.epoch) == ("processing", epoch)


def gone() -> Refused:
    """Of a run whose file is not where it was put."""
    return Refused("01001", _("the file is no longer in the service's storage: send it again"))


def _unheard(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """The queue has said no to somebody who does not listen: mostly to a late worker, whose job is another's."""
    error = context.get("exception")
    if isinstance(error, ConnectorException):
        logger.warning("the queue was told what it knows otherwise, or could not be told: {}", error.__cause__)
    else:
        loop.default_exception_handler(context)
