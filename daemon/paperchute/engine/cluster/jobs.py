"""The queue: a job of Procrastinate for each run that waits, put there by the transaction that writes the run."""

from __future__ import annotations

from procrastinate import App, PsycopgConnector, RetryStrategy, SyncPsycopgConnector

from paperchute.engine.cluster.database import Connection, Database

QUEUE = "work"
TASK = "paperchute.run"
RETRY = RetryStrategy(max_attempts=20, wait=1, linear_wait=1)
"""For jobs whose beginning could not be written down; how often a document may try a worker is counted with its run."""


class JobQueue:
    """Puts jobs into the queue, over connections that others hold."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._app = App(connector=SyncPsycopgConnector())

    def put(self, run: str) -> None:
        """Have a run done, once the thread's transaction is written. Raises psycopg.Error."""
        with self._database.connection() as connection:
            self._put(connection, run)

    def _put(self, connection: Connection, run: str) -> None:
        self._app.configure_task(TASK, queue=QUEUE, connection=connection).defer(run=run)


def worker_app(url: str) -> App:
    """Procrastinate's own way to the database, for a process that works."""
    return App(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=4))
