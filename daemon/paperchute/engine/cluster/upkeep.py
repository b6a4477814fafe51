"""What one worker of a cluster does for all: gives what dead workers had to others, finds what nobody works on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import psycopg
from loguru import logger
from procrastinate import App
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Status

from paperchute.engine.cluster.jobs import JobQueue
from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.cluster.runner import STALLED_SECONDS
from paperchute.engine.tasks.completion import Completion

_ROUND_SECONDS = 1.0
_ORPHANS_SECONDS = 10.0
_KEEPING = 7_405_416_002  # of the advisory lock: one worker at a time
_STOPPED_SECONDS = 10  # the database ends the transaction of a worker that stands still in the middle of its round


class Upkeep:
    """Rounds of one worker; that of another does nothing meanwhile."""

    def __init__(
        self,
        store: PostgresStore,
        queue: JobQueue,
        completion: Completion,
        regular: Mapping[str, tuple[float, Callable[[], None]]],
    ) -> None:
        """regular: by name, what is to be done in the cluster once in so many seconds."""
        self._store = store
        self._queue = queue
        self._completion = completion
        self._regular = {"orphans": (_ORPHANS_SECONDS, self._adopt), **regular}

    async def work(self, app: App) -> None:
        """Go round until cancelled."""
        while True:
            try:
                async with (
                    app.open_async(),
                    await psycopg.AsyncConnection.connect(self._store.database.url, connect_timeout=5) as connection,
                ):
                    while True:
                        await self._round(connection, app)
                        await asyncio.sleep(_ROUND_SECONDS)
            except (psycopg.Error, ConnectorException, OSError) as error:
                logger.warning("no upkeep for now: {}", type(error).__name__)
            await asyncio.sleep(_ROUND_SECONDS)

    async def _round(self, connection: psycopg.AsyncConnection, app: App) -> None:
        async with connection.transaction():
            await connection.execute(f"set local idle_in_transaction_session_timeout = '{_STOPPED_SECONDS}s'")
            got = await (await connection.execute("select pg_try_advisory_xact_lock(%s)", [_KEEPING])).fetchone()
            if got is None or not got[0]:
                return
            for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS):
                run = str(job.task_kwargs["run"])
                logger.bind(run=run).warning("a worker is gone, and its run is another's")
                # Another job, as a worker that was only late would end this one, whoever had it by then. Between the
                # two steps the run is an orphan.
                await app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
                await asyncio.to_thread(self._put_again, run, first=True)
        for name, (seconds, work) in self._regular.items():
            if await asyncio.to_thread(self._store.due, name, seconds):
                await asyncio.to_thread(work)

    def _adopt(self) -> None:
        """Runs that no job will do are put into the queue again, and tasks whose runs have all ended end."""
        self._store.forget_turns()
        for run in self._store.orphans():
            logger.bind(run=run).warning("a run that nobody would do is queued again")
            self._put_again(run)
        for task in self._store.unsettled():
            self._completion.settle(task)

    def _put_again(self, run: str, *, first: bool = False) -> None:
        with self._store.together():
            if self._store.adopt(run):
                self._queue.put(run, first=first)
