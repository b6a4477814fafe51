"""Tasks in the engine's database, so that they outlive a restart, and their results for 24 hours."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loguru import logger

from paperchute.engine.tasks.storage import Files
from paperchute.engine.tasks.task import Letter, NewTask, Run, RunState, Task, TaskState

_VERSION = 5
_SCHEMA = """
create table if not exists task (
    id          text primary key,
    operation   text not null,
    mode        text not null,
    request_key text unique,
    callback    text not null,
    metadata    text not null,
    language    text not null,
    state       text not null,
    created     real not null,
    queued      real not null,
    updated     real not null,
    expires     real not null
);
create index if not exists task_expires on task (expires);
create index if not exists task_created on task (created);
create index if not exists task_unended on task (state) where state in ('open', 'started');
create table if not exists run (
    id           text primary key,
    task         text not null,
    number       integer not null,
    operation    text not null,
    token        text not null unique,
    upload       text not null,
    upload_until real not null,
    state        text not null,
    file_name    text not null,
    file_size    integer not null,
    parameters   text not null,
    order_text   text not null,
    output_name  text not null default '',
    output_size  integer not null default 0,
    milliseconds integer not null default 0,
    code         text not null default '',
    reason       text not null default '',
    starts       integer not null default 0,
    warnings     text not null default '[]',
    notes        text not null default '[]',
    words        text not null default '{}'
);
create index if not exists run_task on run (task, number);
create index if not exists run_upload on run (upload) where upload != '';
create table if not exists letter (
    id    integer primary key,
    url   text not null,
    body  text not null,
    tries integer not null default 0,
    due   real not null
);
"""


def opened(path: Path) -> sqlite3.Connection:
    """The database at `path`. A broken one is put aside: it lists results of the last day and nothing else."""
    try:
        return _connected(path)
    except sqlite3.OperationalError:
        raise  # no room, no permission: not the file's fault
    except sqlite3.DatabaseError as error:
        logger.error("the list of tasks is broken ({}) and is started anew", error)
        for left in path.parent.glob(f"{path.name}*"):
            left.replace(left.with_name(f"broken-{left.name}"))
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        database.row_factory = sqlite3.Row
        database.execute("pragma journal_mode=wal")
        database.execute("pragma synchronous=normal")
        version = database.execute("pragma user_version").fetchone()[0]
        if version == 2:
            database.execute("alter table run add column warnings text not null default '[]'")
        if version in (2, 3, 4):
            database.execute("alter table run add column notes text not null default '[]'")
            database.execute("alter table run add column words text not null default '{}'")
        if version in (2, 3):  # which had the contract's numbers there
            database.execute("update task set language = case language when 2 then 'zh_Hans' else 'en' end")
        elif version not in (4, _VERSION):  # new, or of a much older or a newer engine, whose results were for a day
            database.execute("drop table if exists task")
            database.execute("drop table if exists run")
        database.execute(f"pragma user_version = {_VERSION}")
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


class Store:
    """The one writer of the engine's state folder. Thread-safe. Methods raise sqlite3.Error and OSError."""

    def __init__(self, folder: Path, result_seconds: float, most: int) -> None:
        """most: bytes that uploads and results may take.

        Synchronous calls that the last engine had not answered are gone: whoever asks again has them run again.
        """
        self._result_seconds = result_seconds
        self._lock = threading.RLock()
        self._db = opened(folder / "tasks.sqlite")
        self.files = Files(folder / "files", most)
        with self.together():
            self._write("delete from run where task in (select id from task where mode = 'sync' and state = 'started')")
            self._write("delete from task where mode = 'sync' and state = 'started'")
        self.sweep()
        for task in self.files.tasks():
            if self.get(task) is None:
                self.files.discard(task)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """All writes within, or none."""
        with self._lock:
            if self._db.in_transaction:
                yield
                return
            self._db.execute("begin immediate")
            try:
                yield
            except BaseException:
                self._db.execute("rollback")
                raise
            self._db.execute("commit")

    # ---------- writing ----------

    def add(self, new: NewTask, state: TaskState) -> None:
        """Write a new task down, with no runs yet."""
        now = time.time()
        self._write(
            "insert into task (id, operation, mode, request_key, callback, metadata, language, state, created, queued,"
            " updated, expires) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(new.id, new.operation, new.mode, new.request_key, new.callback, new.metadata, new.language, state),
            *(now, now, now, now + self._result_seconds),
        )

    def add_run(
        self, run: str, task: str, operation: str, *, state: RunState, file_name: str, file_size: int,
        parameters: str, order: str, upload_seconds: float = 0.0,
    ) -> None:  # fmt: skip
        """Write a new run of a task down, behind those it has. upload_seconds: how long its upload address is good."""
        upload = secrets.token_urlsafe(24) if upload_seconds else ""
        self._write(
            "insert into run (id, task, number, operation, token, upload, upload_until, state, file_name, file_size,"
            " parameters, order_text) values (?, ?, (select count(*) from run where task = ?), ?, ?, ?, ?, ?, ?, ?, ?,"
            " ?)",
            *(run, task, task, operation, secrets.token_urlsafe(24), upload, time.time() + upload_seconds),
            *(state, file_name, file_size, parameters, order),
        )

    def uploaded(self, run: str, size: int) -> None:
        """The file of a draft lies in its task's inputs."""
        self._write("update run set file_size = ? where id = ?", size, run)

    def queue(self, task: str, orders: dict[str, str]) -> None:
        """An open task has been started: its drafts wait for a worker, with these orders by run."""
        with self.together():
            for run, order in orders.items():
                self._write("update run set state = 'waiting', order_text = ? where id = ?", order, run)
            self._write("update task set state = 'started', queued = ? where id = ?", time.time(), task)

    def begin(self, run: str) -> None:
        """A worker has taken the run. Its task may have been dropped meanwhile; then the run stays as it is."""
        self._write("update run set state = 'processing', starts = starts + 1 where id = ? and state = 'waiting'", run)

    def finish(
        self,
        run: str,
        output_name: str,
        output_size: int,
        milliseconds: int,
        warnings: Sequence[str] = (),
        notes: Sequence[str] = (),
        words: Mapping[str, int] | None = None,
    ) -> None:
        """The run's result lies at its place. warnings: what it lacks; notes: how it was made; words: what of them."""
        self._write(
            "update run set state = 'success', output_name = ?, output_size = ?, milliseconds = ?, warnings = ?,"
            " notes = ?, words = ?, order_text = '' where id = ? and state in ('waiting', 'processing')",
            *(output_name, output_size, milliseconds),
            *(json.dumps(texts, ensure_ascii=False) for texts in (warnings, notes)),
            *(json.dumps(dict(words or {})), run),
        )

    def fail(self, run: str, code: str, reason: str, milliseconds: int) -> None:
        """The run has failed, with a code of the contract and a sentence."""
        self._write(
            "update run set state = 'failed', code = ?, reason = ?, milliseconds = ?, order_text = ''"
            " where id = ? and state in ('waiting', 'processing')",
            *(code, reason, milliseconds, run),
        )

    def give_back(self, task: str) -> None:
        """The engine ends in order: that a worker had taken runs of the task is not to count against them."""
        self._write(
            "update run set state = 'waiting', starts = starts - 1 where task = ? and state = 'processing'", task
        )

    def put_back(self, task: str) -> None:
        """A new engine goes on with the task: what a worker had taken waits again, as if it had come now."""
        with self.together():
            self._write("update run set state = 'waiting' where task = ? and state = 'processing'", task)
            self._write("update task set queued = ? where id = ?", time.time(), task)

    def drop(self, task: str, state: TaskState, code: str, reason: str) -> None:
        """The task is at its end before its time, and none of its runs gives anything."""
        with self.together():
            self._write(
                "update run set state = 'failed', code = ?, reason = ?, order_text = '', output_name = '',"
                " output_size = 0 where task = ?",
                *(code, reason, task),
            )
            self.end(task, state)

    def end(self, task: str, state: TaskState) -> None:
        """The task has come to its end; what it gave can be had from now on for as long as results are kept."""
        now = time.time()
        self._write(
            "update task set state = ?, updated = ?, expires = ? where id = ?",
            *(state, now, now + self._result_seconds, task),
        )

    def forget(self, task: str) -> None:
        """Remove a task and its files."""
        with self.together():
            self._write("delete from run where task = ?", task)
            self._write("delete from task where id = ?", task)
        self.files.discard(task)

    def sweep(self) -> None:
        """Remove the files of what has expired, and its last trace as much later again."""
        now = time.time()
        for row in self._rows("select id from task where expires <= ? and state not in ('open', 'started')", now):
            self.files.discard(row["id"])
        long_gone = "select id from task where expires <= ? and state not in ('open', 'started')"
        for row in self._rows(long_gone, now - self._result_seconds):
            self.forget(row["id"])

    # ---------- letters to receivers of webhooks ----------

    def add_letter(self, url: str, body: str, most: int) -> bool:
        """Keep a letter until it is delivered; False when `most` wait already."""
        with self.together():
            if self._rows("select count(*) as waiting from letter")[0]["waiting"] >= most:
                return False
            self._write("insert into letter (url, body, due) values (?, ?, ?)", url, body, time.time())
            return True

    def letters(self, most: int) -> list[Letter]:
        """Those that are not delivered, the one that is due first in front."""
        return [Letter(**dict(row)) for row in self._rows("select * from letter order by due, id limit ?", most)]

    def postpone_letter(self, letter: int, seconds: float) -> None:
        """It could not be delivered; the next try is due in `seconds`."""
        self._write("update letter set tries = tries + 1, due = ? where id = ?", time.time() + seconds, letter)

    def drop_letter(self, letter: int) -> None:
        """It is delivered, or given up."""
        self._write("delete from letter where id = ?", letter)

    # ---------- reading ----------

    def get(self, task: str) -> Task | None:
        """A task by its id."""
        return next(iter(self._tasks("id = ?", task)), None)

    def by_request_key(self, key: str) -> Task | None:
        """The task that was asked for under this idempotency key, unless its result is no longer to be had."""
        task = next(iter(self._tasks("request_key = ?", key)), None)
        if task is not None and task.ended and not self.to_be_had(task):
            self.forget(task.id)
            return None
        return task

    def by_id(self, run: str) -> Run | None:
        """A run by its id."""
        return self._run("id", run)

    def by_token(self, token: str) -> Run | None:
        """The run whose result's address shows this token."""
        return self._run("token", token)

    def by_upload(self, token: str) -> Run | None:
        """The run whose upload address shows this token."""
        return self._run("upload", token) if token else None

    def page(self, first: int, count: int) -> tuple[int, list[Task]]:
        """How many tasks there are, and `count` of them from number `first` (from 0), the newest first."""
        total = self._rows("select count(*) as total from task")[0]["total"]
        return int(total), self._tasks("true order by created desc, id limit ? offset ?", count, first)

    def unfinished(self) -> list[Task]:
        """Tasks that were started and have not come to their end, the oldest first."""
        return self._tasks("state = 'started' order by queued")

    def waiting_since(self, before: float) -> list[Task]:
        """Tasks other than synchronous ones that have waited since `before` (Unix time), none of whose runs began."""
        return self._tasks(
            "state in ('open', 'started') and mode != 'sync' and queued < ? and not exists"
            " (select 1 from run where run.task = task.id and run.starts > 0)",
            before,
        )

    def to_be_had(self, task: Task) -> bool:
        """Whether the results of a task that has ended are still there."""
        return task.expires > time.time() and all(
            self.files.output(task.id, run.id).is_file() for run in task.runs if run.state == "success"
        )

    def _tasks(self, condition: str, *values: Any) -> list[Task]:
        with self._lock:
            rows = self._rows(f"select * from task where {condition}", *values)
            return [Task(**dict(row), runs=self._runs_of(row["id"])) for row in rows]

    def _runs_of(self, task: str) -> tuple[Run, ...]:
        return tuple(Run(**dict(row)) for row in self._rows("select * from run where task = ? order by number", task))

    def _run(self, column: str, value: str) -> Run | None:
        rows = self._rows(f"select * from run where {column} = ?", value)
        return Run(**dict(rows[0])) if rows else None

    def _rows(self, statement: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock:
            return self._db.execute(statement, values).fetchall()

    def _write(self, statement: str, *values: Any) -> None:
        with self._lock:
            self._db.execute(statement, values)
