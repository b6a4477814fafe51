"""The queue: a job of Procrastinate for each run that waits, put there by the transaction that writes the run."""

from __future__ import annotations

import datetime

from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision, SyncPsycopgConnector
from procrastinate.jobs import Job

from paperchute.engine.cluster.database import Database
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

    def put(self, run: str, *, first: bool = False) -> None:
        """Have a run done when it is its owner's turn, once the thread's transaction is written. Raises psycopg.Error.

        first: its turn had come before.

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
                self._app.configure_task(TASK, queue=queue, priority=priority, connection=connection).defer(run=run)


def worker_app(url: str) -> App:
    """Procrastinate's own way to the database, for a process that works."""
    return App(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=4))
