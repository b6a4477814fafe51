"""What one worker of a cluster does for all: gives what dead workers had to others, finds what nobody works on."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence

import psycopg
from loguru import logger
from procrastinate import App
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status

from paperchute.engine.cluster.database import BoundedAsyncConnection
from paperchute.engine.cluster.jobs import JobQueue, worker_app
from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.cluster.pulse import Pulse
from paperchute.engine.cluster.runner import STALLED_SECONDS
from paperchute.engine.tasks.completion import Completion

_ROUND_SECONDS = 1.0
_ORPHANS_SECONDS = 10.0
_KEEPING = 7_405_416_002  # of the advisory lock: one worker at a time
_GAP_SECONDS = 6.0  # between two rounds, after which no worker can be blamed for its silence
_LOOP = "upkeep"
_REST_SHARE = 20  # of the time that regular work took, before it is done again: what is long is done the more seldom
_LONGEST_REST = 300.0  # seconds
_STOPPED_SECONDS = 10  # the database ends the transaction of a worker that stands still in the middle of its round


class Upkeep:
    """Rounds of one worker; that of another does nothing meanwhile."""

    def __init__(
        self,
        store: PostgresStore,
        queue: JobQueue,
        completion: Completion,
        regular: Mapping[str, tuple[float, Callable[[], None]]],
        pulse: Pulse,
    ) -> None:
        """regular: by name, what is to be done in the cluster once in so many seconds."""
        self._store = store
        self._queue = queue
        self._completion = completion
        self._regular = {"orphans": (_ORPHANS_SECONDS, self._adopt), **regular}
        self._at_work: dict[str, asyncio.Task[None]] = {}  # of the regular work
        self._pulse = pulse
        self._rounded = time.monotonic()
        self._all_late_until = 0.0

    async def work(self) -> None:
        """Go round until cancelled."""
        url = self._store.database.url
        while True:
            try:
                app = worker_app(url, self._pulse, _LOOP)
                async with app.open_async(), await BoundedAsyncConnection.connect(url) as connection:
                    while True:
                        await self._round(connection, app)
                        self._pulse.heard(_LOOP)
                        await asyncio.sleep(_ROUND_SECONDS)
            except (psycopg.Error, ConnectorException, OSError) as error:
                self._pulse.lost(_LOOP, f"no upkeep for now: {type(error).__name__}: {error}")
            await asyncio.sleep(_ROUND_SECONDS)

    async def _round(self, connection: psycopg.AsyncConnection, app: App) -> None:
        async with connection.transaction():
            await connection.execute(f"set local idle_in_transaction_session_timeout = '{_STOPPED_SECONDS}s'")
            got = await (await connection.execute("select pg_try_advisory_xact_lock(%s)", [_KEEPING])).fetchone()
            is_mine = got is not None and got[0]
            stalled = (
                list(await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS)) if is_mine else []
            )
            # Only now, since the database may have been away while it was asked: workers that live are heard of first.
            now = time.monotonic()
            if now - self._rounded > _GAP_SECONDS:
                self._all_late_until = now + STALLED_SECONDS
            if now >= self._all_late_until:
                await self._take_over(app, stalled)
        self._rounded = time.monotonic()
        for name, (seconds, work) in self._regular.items():
            if name not in self._at_work and await asyncio.to_thread(self._store.due, name, seconds):
                self._at_work[name] = asyncio.create_task(self._do(name, work))

    async def _take_over(self, app: App, stalled: Sequence[Job]) -> None:
        for job in stalled:
            run = str(job.task_kwargs["run"])
            logger.bind(run=run).warning("a worker is gone, and its run is another's")
            # Another job, as a worker that was only late would end this one, whoever had it by then. Between the
            # two steps the run is an orphan.
            await app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
            await asyncio.to_thread(self._survive, run)

    async def _do(self, name: str, work: Callable[[], None]) -> None:
        """Do what may take its time beside the rounds: a sweep waits for the storage."""
        try:
            with logger.catch(message=f"{name}: regular work failed", level="WARNING"):
                begun = time.monotonic()
                await asyncio.to_thread(work)
                rest = min(_LONGEST_REST, (time.monotonic() - begun) * _REST_SHARE)
                await asyncio.to_thread(self._store.put_off, name, rest)
        finally:
            del self._at_work[name]

    def _adopt(self) -> None:
        """Runs that no job will do are put into the queue again, and tasks whose runs have all ended end."""
        self._store.forget_turns()
        for run in self._store.orphans():
            logger.bind(run=run).warning("a run that nobody would do is queued again")
            self._put_again(run)
        for task in self._store.unsettled():
            self._completion.settle(task)

    def _survive(self, run: str) -> None:
        """Have a run done that was at work on a machine that is gone.

        It may be what brought the machine down, so each time it waits for longer, and not with the others that were
        there with it. That no machine stays is seldom a document's doing: what a document does to whoever reads it ends
        that process alone, and its run with it.
        """
        with self._store.together():
            deaths = self._store.lose(run)
            if deaths is not None:
                rest = random.uniform(0.5, 1.0) * min(2.0 ** (deaths - 1), _LONGEST_REST) if deaths > 1 else 0.0
                self._queue.put(run, first=True, since=self._store.now() + rest if rest else 0.0)

    def _put_again(self, run: str) -> None:
        with self._store.together():
            if self._store.adopt(run):
                self._queue.put(run)
