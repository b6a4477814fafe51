"""Tasks in a SQLite file, so that they outlive a restart: the store of an engine that works alone."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loguru import logger

from paperchute.engine.keys import table as keys
from paperchute.engine.tasks.store import SqlStore
from paperchute.engine.tasks.task import Task

_VERSION = 8
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
    words        text not null default '{}',
    epoch        integer not null default 0,
    job          text not null default '',
    pages        integer not null default 0,
    questions    text not null default '[]'
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
    """The database at `path`. A broken one is put aside; its API keys are kept as far as they can be read."""
    try:
        return _connected(path)
    except sqlite3.OperationalError:
        raise  # no room, no permission: not the file's fault
    except sqlite3.DatabaseError as error:
        logger.error("the list of tasks is broken ({}) and is started anew", error)
        for left in path.parent.glob(f"{path.name}*"):
            left.replace(left.with_name(f"broken-{left.name}"))
        made = _connected(path)
        _bring_keys(path.with_name(f"broken-{path.name}"), made)
        return made


def opened_for_keys(path: Path) -> sqlite3.Connection:
    """The database at `path`, in which an engine of another release may be at work: of its tables none is changed."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        if not database.execute("pragma user_version").fetchone()[0]:
            database.close()
            return _connected(path)
        database.row_factory = sqlite3.Row
        database.executescript(keys.SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _bring_keys(broken: Path, made: sqlite3.Connection) -> None:
    with contextlib.closing(sqlite3.connect(broken)) as old:
        for table in keys.LASTING:
            try:
                if not old.execute("select 1 from sqlite_schema where name = ?", (table,)).fetchone():
                    continue  # of an engine that had none
                for row in old.execute(f"select * from {table}"):
                    made.execute(f"insert into {table} values ({', '.join('?' * len(row))})", row)
            except sqlite3.DatabaseError as error:
                logger.error("{} could not be brought over, or not whole ({}); see `paperchute keys`", table, error)


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
        if version in (2, 3, 4, 5):
            database.execute("alter table run add column epoch integer not null default 0")
            database.execute("alter table run add column job text not null default ''")
        if version in (2, 3, 4, 5, 6):
            database.execute("alter table run add column pages integer not null default 0")
        if version in (2, 3, 4, 5, 6, 7):
            database.execute("alter table run add column questions text not null default '[]'")
        if version in (2, 3):  # which had the contract's numbers there
            database.execute("update task set language = case language when 2 then 'zh_Hans' else 'en' end")
        elif version not in (
            4,
            5,
            6,
            7,
            _VERSION,
        ):  # new, or of a much older or a newer engine, whose results were for a day
            database.execute("drop table if exists task")
            database.execute("drop table if exists run")
        database.execute(f"pragma user_version = {_VERSION}")
        database.executescript(_SCHEMA + keys.SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


class SqliteStore(SqlStore):
    """A `TaskStore`, and the one writer of its file. Methods raise sqlite3.Error."""

    remote = False
    trouble: type[Exception] = sqlite3.Error

    def __init__(self, folder: Path, result_seconds: float) -> None:
        """Synchronous calls that the last engine had not answered are gone: whoever asks again has them run again."""
        super().__init__(result_seconds)
        self._lock = threading.RLock()
        self._then: list[Callable[[], None]] = []
        self._db = opened(folder / "tasks.sqlite")
        with self.together():
            self._write("delete from run where task in (select id from task where mode = 'sync' and state = 'started')")
            self._write("delete from task where mode = 'sync' and state = 'started'")
            self._write("delete from task_owner where task not in (select id from task)")

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
                self._db.execute("commit")
            except BaseException:
                self._then.clear()
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise
            written, self._then = self._then, []
        for then in written:
            then()

    def on_commit(self, then: Callable[[], None]) -> None:
        """Call `then` once what is written together is written; at once outside of `together`."""
        with self._lock:
            if self._db.in_transaction:
                self._then.append(then)
                return
        then()

    def _tasks(self, condition: str, *values: Any) -> list[Task]:
        with self._lock:
            return super()._tasks(condition, *values)

    def _rows(self, statement: str, *values: Any) -> list[Mapping[str, Any]]:
        with self._lock:
            return [dict(row) for row in self._db.execute(statement, values)]

    def _write(self, statement: str, *values: Any) -> bool:
        with self._lock:
            return self._db.execute(statement, values).rowcount > 0
