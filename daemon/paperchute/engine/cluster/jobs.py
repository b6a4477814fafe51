"""The queue: a job of Procrastinate for each run that waits, put there by the transaction that writes the run."""

from __future__ import annotations

import asyncio
import datetime
import itertools
from collections.abc import Iterable
from typing import Any, LiteralString

import psycopg
from loguru import logger
from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision, SyncPsycopgConnector, sql
from procrastinate.connector import Notify
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job

from paperchute.engine.cluster.database import BoundedAsyncConnection, Database
from paperchute.engine.cluster.pulse import Pulse
from paperchute.engine.operations import is_quick

QUEUE = "work"
QUICK = "quick"
"""Of work that need not wait for heavy work."""
TASK = "paperchute.run"
_MOST = 2**31 - 1  # of the queue's priorities; rounds begin anew whenever nothing waits
AT_ONCE = datetime.datetime.fromtimestamp(0, datetime.UTC)
"""When a job may be done again: a time that is past by the database's clock, whatever this machine's says."""
FIRST = 0
"""The priority of runs whose turn had come before: all others have less, see `JobQueue.put`."""
_MOST_TRIES = 20
_AGAIN_SECONDS = 1.0
_END_TRIES = 30  # to write down that a job has ended; then it is put back, and whoever takes it finds nothing to do
_GIVE_BACK: LiteralString = (
    "update procrastinate_jobs set status = 'todo', worker_id = null"
    " where worker_id = %(worker_id)s and status = 'doing' and not id = any(%(known)s::bigint[])"
)
"""Jobs that a worker was given and never heard of."""
_LISTEN_SECONDS = 2.0  # between looks whether the connection that listens is still one
_CONNECTION_SECONDS = 10.0  # to get one


class Again(BaseRetryStrategy):
    """For jobs whose beginning or end could not be written down; how often a run may be begun is counted with it."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """In front of all others; None after many tries, when the run is an orphan."""
        return RetryDecision(retry_at=AT_ONCE, priority=FIRST) if job.attempts < _MOST_TRIES else None


class JobQueue:
    """Puts jobs into the queue, over connections that others hold."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._app = App(connector=SyncPsycopgConnector())

    def put(self, run: str, *, first: bool = False, since: float = 0.0) -> None:
        """Have a run done when it is its owner's turn, once the thread's transaction is written. Raises psycopg.Error.

        first: its turn had come before. since: not before this time by the database's clock (Unix time).

        Rounds are given as `turns.Turns` gives them, from what waits in the database.
        """
        with self._database.together(), self._database.connection() as connection:
            placed = self._database.rows(
                "insert into turn (run, api_key, round)"
                " select run.id, owner.key, greatest("
                "  1 + coalesce((select max(round) from turn where api_key = owner.key), 0),"
                "  coalesce((select min(round) from turn), 1))"
                " from run left join task_owner on task_owner.task = run.task,"
                " lateral (select coalesce(task_owner.api_key, '') as key) as owner where run.id = ?"
                " on conflict (run) do update set round = excluded.round"
                " returning round, (select operation from run where id = turn.run) as operation",
                run,
            )
            for row in placed:
                queue = QUICK if is_quick(row["operation"]) else QUEUE
                priority = FIRST if first else -min(int(row["round"]), _MOST)  # the queue gives out the highest first
                at = datetime.datetime.fromtimestamp(since, datetime.UTC) if since else None
                task = self._app.configure_task(
                    TASK, queue=queue, priority=priority, schedule_at=at, connection=connection
                )
                try:
                    task.defer(run=run)
                except ConnectorException as error:
                    raise error.__cause__ if isinstance(error.__cause__, psycopg.Error) else error from None


class _Connector(PsycopgConnector):
    """Procrastinate's way to the database, which waits for nothing without end and outlives the database's absence.

    Procrastinate (3.10) looks after what runs beside its worker until the first of it ends, which is at once where
    there is no periodic work: when its heartbeat or its listening fails later, it goes on without. When it cannot fetch
    a job, it ends, and with it after a while what it has at work.
    """

    def __init__(self, url: str, pulse: Pulse, name: str) -> None:
        super().__init__(
            conninfo=url,
            connection_class=BoundedAsyncConnection,
            min_size=1,
            max_size=4,
            timeout=_CONNECTION_SECONDS,
            reconnect_timeout=_CONNECTION_SECONDS,
        )
        self._url = url
        self._pulse = pulse
        self._name = name
        self._open: set[int] = set()  # jobs that the worker has
        self._is_unsure = False  # whether it was given one and did not hear of it, or ended one and was not heard

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        """A heartbeat is tried until it is heard, the end of a job for a while."""
        is_heartbeat = query == sql.queries["update_heartbeat"]
        is_end = query in (sql.queries["finish_job"], sql.queries["retry_job"])
        most = _END_TRIES if is_end else 1
        try:
            for number in itertools.count(1):
                try:
                    await super().execute_query_async(query, **arguments)
                    self._pulse.heard(self._name)
                    return
                except ConnectorException as error:
                    is_last = not is_heartbeat and number == most
                    if is_last or not _is_away(error):
                        raise
                    self._pulse.lost(self._name, f"the queue cannot be reached: {error.__cause__}")
                await asyncio.sleep(_AGAIN_SECONDS)
        except ConnectorException:
            self._is_unsure = True
            raise
        finally:
            if is_end:
                self._open.discard(arguments["job_id"])

    async def execute_query_one_async(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:
        """While the database is away there is no job; the worker goes on with those that it has."""
        if query != sql.queries["fetch_job"]:
            return dict(await super().execute_query_one_async(query, **arguments))
        try:
            if self._is_unsure:
                await super().execute_query_async(_GIVE_BACK, worker_id=arguments["worker_id"], known=list(self._open))
                self._is_unsure = False
            row = dict(await super().execute_query_one_async(query, **arguments))
        except ConnectorException as error:
            if not _is_away(error):
                raise  # the worker has been given up by others, and comes back as a new one
            self._is_unsure = True
            self._pulse.lost(self._name, f"the queue cannot be reached: {error.__cause__}")
            await asyncio.sleep(_AGAIN_SECONDS)
            return {"id": None}
        self._pulse.heard(self._name)
        if row["id"] is not None:
            self._open.add(row["id"])
        return row

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Listen until cancelled, on one connection after the other."""
        names = list(channels)
        while True:
            try:
                async with await BoundedAsyncConnection.connect(self._url, autocommit=True) as connection:
                    for name in names:
                        await connection.execute(psycopg.sql.SQL("listen {}").format(psycopg.sql.Identifier(name)))
                    while True:
                        async for notice in connection.notifies(timeout=_LISTEN_SECONDS):
                            await on_notification(channel=notice.channel, payload=notice.payload)
                        await connection.execute("select 1")
            except psycopg.Error as error:
                logger.warning("the queue cannot be listened to, and is looked at instead: {}", error)
            await asyncio.sleep(_AGAIN_SECONDS)


def _is_away(error: ConnectorException) -> bool:
    return isinstance(error.__cause__, psycopg.OperationalError)


def worker_app(url: str, pulse: Pulse, name: str) -> App:
    """Procrastinate's own way to the database, for a process that works. name: of the loop, for its pulse."""
    return App(connector=_Connector(url, pulse, name))
