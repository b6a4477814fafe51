"""Tasks in PostgreSQL, for every engine of a cluster."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import psycopg

from paperchute.engine.cluster.database import Clock, Database
from paperchute.engine.tasks.store import SqlStore
from paperchute.engine.tasks.task import Letter, Run, RunState, TaskState
from paperchute.engine.work import Refused
from paperchute.language import _

ENDED = "paperchute_ended"
"""The channel on which the ids of tasks are told as they end."""
_STORED = "stored"
_SWEPT = "swept"
_COUNTING_SECONDS = 30.0  # in which whoever counts has done it, or another does
_SECONDS_FOR_EACH = 150e-6  # between two counts, of each run that is counted, which takes 3 microseconds
_STALE_SECONDS = 600.0  # a tally of so long ago is one that nobody makes any more: workers are of the release before
_LISTENERS = 2  # of each worker at the queues: see `Runner.work`
_LEASE_SECONDS = 120.0  # a letter that an engine has taken is another's after this; a delivery takes less


class PostgresStore(SqlStore):
    """A `TaskStore` that many engines share. Methods raise psycopg.Error."""

    remote = True
    trouble: type[Exception] = psycopg.Error

    def __init__(self, database: Database, result_seconds: float, key: str) -> None:
        """key: the service's own API key; what comes with it belongs to it, idempotency keys too."""
        super().__init__(result_seconds)
        self.database = database
        self._owner = hashlib.sha256(key.encode()).hexdigest()[:16]
        self._clock = Clock(database)

    def now(self) -> float:
        """The database's time."""
        return self._clock.now()

    def together(self) -> AbstractContextManager[None]:
        """All writes of this thread within, or none."""
        return self.database.together()

    def on_commit(self, then: Callable[[], None]) -> None:
        """Call `then` once what is written together is written; at once outside of `together`."""
        self.database.on_commit(then)

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()

    def end(self, task: str, state: TaskState) -> bool:
        """See `SqlStore.end`; whoever waits for the task hears of it when this is written."""
        with self.together():
            ended = super().end(task, state)
            if ended:
                self._rows("select pg_notify(?, ?)", ENDED, task)
            return ended

    def leave(self, run: str, epoch: int) -> bool:
        """Its worker could not end the run, which waits again. False when it is not at work in this epoch."""
        return self._write(
            "update run set state = 'waiting' where id = ? and epoch = ? and state = 'processing'", *(run, epoch)
        )

    def release(self, run: str, epoch: int) -> bool:
        """It is no fault of the run that its worker does not end it: another may have it, and this does not count."""
        return self._write(
            "update run set state = 'waiting', starts = starts - 1 where id = ? and epoch = ? and state = 'processing'",
            *(run, epoch),
        )

    def letters(self, most: int) -> list[Letter]:
        """Those that are due, and nobody else's for a while."""
        now = self.now()
        rows = self._rows(
            "update letter set due = ? where id in (select id from letter where due <= ? order by due, id limit ?"
            " for update skip locked) returning id, url, body, tries",
            *(now + _LEASE_SECONDS, now, most),
        )
        return sorted((Letter(**row, due=now) for row in rows), key=lambda letter: letter.id)

    def waited(self, task: str) -> float:
        """For how many seconds a task has waited, or was worked on; 0 where it is gone."""
        now = self.now()
        (row,) = self._rows("select coalesce(min(queued), ?) as queued from task where id = ?", now, task)
        return max(0.0, now - float(row["queued"]))

    # ---------- how far runs are ----------

    def tell_pages(self, run: str, done: int, total: int) -> None:
        """Keep how many pages of a run are done."""
        self._write(
            "insert into progress values (?, ?, ?) on conflict (run) do update set done = excluded.done,"
            " total = excluded.total",
            *(run, done, total),
        )

    def pages(self, runs: Sequence[Run]) -> tuple[int, int]:
        """Return how many pages of runs are done, and how many they have."""
        ids = [run.id for run in runs]
        rows = self._rows("select sum(done) as done, sum(total) as total from progress where run = any(?)", ids)
        return int(rows[0]["done"] or 0), int(rows[0]["total"] or 0)

    # ---------- the state of the cluster ----------

    def waiting(self) -> list[tuple[str, str, int]]:
        """Return how many runs wait for a worker or for their files, by operation and owner."""
        return [
            (operation, owner, count)
            for operation, state, owner, count, _since in self._counted()
            if state in ("draft", "waiting")
        ]

    def begin(self, run: str, job: str = "") -> int | None:
        """See `SqlStore.begin`; a run that is begun waits for its turn no more."""
        epoch = super().begin(run, job)
        self._write("delete from turn where run = ?", run)
        return epoch

    def forget_turns(self) -> None:
        """Of runs that do not wait any more: dropped ones, and those that an engine of the release before has begun."""
        with self.database.patient():
            self._write(
                "delete from turn where not exists (select 1 from run where id = turn.run and state = 'waiting')"
            )
            self._write(
                "delete from death where not exists"
                " (select 1 from run where id = death.run and state in ('waiting', 'processing'))"
            )

    def stored(self) -> int:
        """Bytes of all uploads and results that are kept: as last counted, and what tasks have changed since then."""
        counted = self._rows("select value, at from tally where name = ?", _STORED)
        if not counted or self.now() - float(counted[0]["at"]) > _STALE_SECONDS:
            return self._count_stored()
        value, since = int(counted[0]["value"]), float(counted[0]["at"])
        rows = self._rows(
            "select coalesce(sum(output_size + case when task.state in ('open', 'started') then file_size"
            " when task.created > ? then 0 else -file_size end), 0) as n from run join task on task.id = run.task"
            " where task.expires > ? and task.updated > ?",  # the former has an index
            *(since, since + self._result_seconds, since),
        )
        return max(0, value + int(rows[0]["n"]))

    def tally(self) -> None:
        """Count anew what is stored, which takes a look at each task that is known."""
        with self.database.patient():
            self._note(_STORED, self.now(), self._count_stored())

    def swept(self) -> float:
        """Until when files of expired tasks have been removed, by whichever engine (Unix time)."""
        rows = self._rows("select at from tally where name = ?", _SWEPT)
        return float(rows[0]["at"]) if rows else 0.0

    def sweep_to(self, time: float) -> None:
        """Keep until when files of expired tasks have been removed."""
        self._note(_SWEPT, time, 0)

    def _note(self, name: str, at: float, value: int) -> None:
        self._write(
            "insert into tally (name, value, at) values (?, ?, ?) on conflict (name) do update"
            " set value = excluded.value, at = excluded.at",
            *(name, value, at),
        )

    def _count_stored(self) -> int:
        """Uploads go with the end of their task."""
        rows = self._rows(
            "select coalesce(sum(case when task.state in ('open', 'started') then file_size + output_size"
            " else output_size end), 0) as n from run join task on task.id = run.task"
            " where task.state in ('open', 'started') or task.expires > ?",
            self.now(),
        )
        return int(rows[0]["n"])

    def workers(self, seconds: float) -> int:
        """Return how many workers have been heard of within so many seconds."""
        heard = "select count(*) as n from procrastinate_workers where last_heartbeat > now() - ? * interval '1 second'"
        return (int(self._rows(heard, seconds)[0]["n"]) + 1) // _LISTENERS

    def at_hand(self) -> list[tuple[str, RunState, int, float]]:
        """By operation and state: how many runs wait or are worked on, and since how many seconds the first of them."""
        now = self.now()
        return [
            (operation, state, count, now - since)
            for operation, state, _owner, count, since in self._counted()
            if state in ("waiting", "processing")
        ]

    def _counted(self) -> list[tuple[str, RunState, str, int, float]]:
        """By operation, state and owner: how many runs have not ended, and since when (Unix time) the first of them.

        As one engine has counted it for all, which looks at each of these runs, so that it is done the more seldom the
        more of them there are.
        """
        now = self.now()
        known = self._rows("select counts, due from at_hand")
        is_mine = (not known or float(known[0]["due"]) <= now) and self._write(
            "insert into at_hand (counts, due) values ('[]', ?) on conflict (one) do update set due = excluded.due"
            " where at_hand.due <= ?",
            *(now + _COUNTING_SECONDS, now),
        )
        if not is_mine:
            return [tuple(row) for row in json.loads(known[0]["counts"])] if known else []
        with self.database.patient():
            rows = self._rows(
                "select run.operation, run.state, coalesce(task_owner.api_key, '') as owner, count(*) as n,"
                " min(task.queued) as since from run join task on task.id = run.task"
                " left join task_owner on task_owner.task = run.task"
                " where run.state in ('draft', 'waiting', 'processing') group by run.operation, run.state, owner"
            )
        counts = [(row["operation"], row["state"], row["owner"], int(row["n"]), float(row["since"])) for row in rows]
        due = now + _SECONDS_FOR_EACH * sum(count for _operation, _state, _owner, count, _since in counts)
        self._write("update at_hand set counts = ?, due = ?", json.dumps(counts), due)
        return counts

    def orphans(self) -> list[str]:
        """Runs that wait or are said to be worked on, and for which the queue has no job."""
        with self.database.patient():
            rows = self._rows(
                "select id from run where state in ('waiting', 'processing') and not exists (select 1 from"
                " procrastinate_jobs as job where job.status in ('todo', 'doing') and job.args ->> 'run' = run.id)"
            )
        return [str(row["id"]) for row in rows]

    def adopt(self, run: str) -> bool:
        """An orphan waits again, which fences whoever may still have it. False when it has ended meanwhile."""
        return self._write("update run set state = 'waiting' where id = ? and state in ('waiting', 'processing')", run)

    def lose(self, run: str) -> int | None:
        """The machine that had a run is gone. It waits again, which counts as no start.

        How many machines it has lost so; None when it has ended meanwhile.
        """
        with self.together():
            released = "update run set state = 'waiting', starts = starts - 1 where id = ? and state = 'processing'"
            if not self._write(released, run):
                return self.deaths(run) if self.adopt(run) else None
            rows = self._rows(
                "insert into death (run, count) values (?, 1) on conflict (run) do update set count = death.count + 1"
                " returning count",
                run,
            )
            return int(rows[0]["count"])

    def deaths(self, run: str) -> int:
        """Return how many machines have gone while they worked on a run."""
        rows = self._rows("select count from death where run = ?", run)
        return int(rows[0]["count"]) if rows else 0

    def unsettled(self) -> list[str]:
        """Tasks whose runs have all ended, and which have not."""
        rows = self._rows(
            "select id from task where state = 'started' and not exists"
            " (select 1 from run where run.task = task.id and run.state not in ('success', 'failed'))"
        )
        return [str(row["id"]) for row in rows]

    def due(self, name: str, seconds: float) -> bool:
        """Decide whether regular work is due, and this engine's to do; it is due again in so many seconds."""
        return self._write(
            "insert into upkeep values (?, now() + ? * interval '1 second') on conflict (name) do update"
            " set due = excluded.due where upkeep.due <= now()",
            *(name, seconds),
        )

    def put_off(self, name: str, seconds: float) -> None:
        """Regular work is not due for so many seconds at least."""
        self._write(
            "update upkeep set due = greatest(due, now() + ? * interval '1 second') where name = ?", seconds, name
        )

    def ended_of(self, tasks: Sequence[str]) -> list[str]:
        """Return which of these tasks have ended, or are gone."""
        rows = self._rows("select id from task where id = any(?) and state in ('open', 'started')", list(tasks))
        return [task for task in tasks if task not in {row["id"] for row in rows}]

    def _scoped(self, key: str, owner: str) -> str:
        return f"{owner or self._owner}:{key}"

    def _rows(self, statement: str, *values: Any) -> list[Mapping[str, Any]]:
        with _kept():
            return list(self.database.rows(statement, *values))

    def _write(self, statement: str, *values: Any) -> bool:
        with _kept():
            return self.database.write(statement, *values) > 0


@contextmanager
def _kept() -> Iterator[None]:
    """What the database will never take is no trouble of the database, after which one might ask again."""
    try:
        yield
    except psycopg.DataError as error:
        raise Refused("03000", _("the request holds a character that cannot be kept")) from error
