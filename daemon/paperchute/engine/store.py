"""Tasks and their files on disk, so that a result outlives a restart of the engine, and for 24 hours no longer."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from loguru import logger

TaskState = Literal["waiting", "processing", "success", "failed"]

_SCHEMA = """
create table if not exists task (
    id           text primary key,
    token        text not null unique,
    operation    text not null,
    request_key  text unique,
    state        text not null,
    file_name    text not null,
    file_size    integer not null,
    parameters   text not null,
    output_name  text not null default '',
    output_size  integer not null default 0,
    milliseconds integer not null default 0,
    code         text not null default '',
    reason       text not null default '',
    created      real not null,
    expires      real not null
);
create index if not exists task_expires on task (expires);
"""
_OPEN = ("waiting", "processing")


@dataclass(frozen=True)
class Task:
    """One task as it is written down.

    parameters: JSON text of what was submitted, passwords masked. Sizes in bytes, `created` and `expires` in Unix
    time; token: what its download address shows; milliseconds: spent by the worker.
    """

    id: str
    token: str
    operation: str
    request_key: str | None
    state: TaskState
    file_name: str
    file_size: int
    parameters: str
    output_name: str
    output_size: int
    milliseconds: int
    code: str
    reason: str
    created: float
    expires: float

    @property
    def ended(self) -> bool:
        """Done, well or not."""
        return self.state not in _OPEN


class Store:
    """The one writer of the engine's state folder. Thread-safe. Methods raise sqlite3.Error and OSError."""

    def __init__(self, folder: Path, result_seconds: float) -> None:
        """Tasks that had not ended when the last engine did are gone: whoever asks again has them run again."""
        self._root = folder / "files"
        self._root.mkdir(parents=True, exist_ok=True)
        self._result_seconds = result_seconds
        self._lock = threading.Lock()
        self._db = _opened(folder / "tasks.sqlite")
        self._write("delete from task where state in (?, ?)", *_OPEN)
        self.sweep()
        self._drop_strays()

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    # ---------- files ----------

    def new_id(self) -> str:
        """An unguessable id, with folders of its own."""
        task = secrets.token_hex(16)
        self.inputs(task).mkdir(parents=True)
        self.scratch(task).mkdir(parents=True)
        return task

    def inputs(self, task: str) -> Path:
        """Where a task's uploads lie."""
        return self._root / task / "in"

    def scratch(self, task: str) -> Path:
        """The folder that a task's worker may write to; the folder above it is for the engine's notes on the run."""
        return self._root / task / "run" / "scratch"

    def output(self, task: str) -> Path:
        """Where a task's finished result lies."""
        return self._root / task / "result"

    def key_of(self, path: Path) -> str:
        """The storage key of a file: what a task names it by, wherever the storage lies."""
        return path.relative_to(self._root).as_posix()

    def path_of(self, key: str) -> Path:
        """Where the file of a storage key lies."""
        return self._root / key

    def discard(self, task: str) -> None:
        """Remove all files of a task."""
        shutil.rmtree(self._root / task, ignore_errors=True)

    # ---------- tasks ----------

    def add(
        self, task: str, operation: str, request_key: str | None, file_name: str, file_size: int, parameters: str
    ) -> None:
        """Write a new task down, as waiting."""
        now = time.time()
        self._write(
            "insert into task (id, token, operation, request_key, state, file_name, file_size, parameters, created,"
            " expires) values (?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?)",
            *(task, secrets.token_urlsafe(24), operation, request_key, file_name, file_size, parameters),
            *(now, now + self._result_seconds),
        )

    def begin(self, task: str) -> None:
        """A worker has taken the task."""
        self._write("update task set state = 'processing' where id = ?", task)

    def finish(self, task: str, output_name: str, milliseconds: int) -> Task | None:
        """The result lies at `output(task)`. None when the task was forgotten in the meantime."""
        size = self.output(task).stat().st_size
        return self._end(task, "success", output_name, size, milliseconds, "", "")

    def fail(self, task: str, code: str, reason: str, milliseconds: int) -> Task | None:
        """The task has failed, with a code of the contract and a sentence. None as in `finish`."""
        return self._end(task, "failed", "", 0, milliseconds, code, reason)

    def get(self, task: str) -> Task | None:
        """A task by its id."""
        return self._one("id = ?", task)

    def by_request_key(self, key: str) -> Task | None:
        """The task that was asked for under this idempotency key, unless its result is no longer to be had."""
        task = self._one("request_key = ?", key)
        if task is not None and task.ended and not self._to_be_had(task):
            self.forget(task.id)
            return None
        return task

    def by_token(self, token: str) -> Task | None:
        """The task whose result's address shows this token; None when there is none or it has expired."""
        task = self._one("token = ?", token)
        return task if task is not None and task.state == "success" and self._to_be_had(task) else None

    def forget(self, task: str) -> None:
        """Remove a task and its files."""
        self._write("delete from task where id = ?", task)
        self.discard(task)

    def sweep(self) -> None:
        """Remove what has expired."""
        with self._lock:
            rows = self._db.execute(
                "select id from task where expires <= ? and state not in (?, ?)", (time.time(), *_OPEN)
            ).fetchall()
        for row in rows:
            self.forget(row["id"])

    def _to_be_had(self, task: Task) -> bool:
        return task.expires > time.time() and (task.state == "failed" or self.output(task.id).is_file())

    def _end(
        self, task: str, state: TaskState, name: str, size: int, milliseconds: int, code: str, reason: str
    ) -> Task | None:
        leftovers = [self._root / task] if state == "failed" else [self.inputs(task), self.scratch(task).parent]
        for folder in leftovers:
            shutil.rmtree(folder, ignore_errors=True)
        self._write(
            "update task set state = ?, output_name = ?, output_size = ?, milliseconds = ?, code = ?, reason = ?,"
            " expires = ? where id = ?",
            *(state, name, size, milliseconds, code, reason, time.time() + self._result_seconds, task),
        )
        return self.get(task)

    def _drop_strays(self) -> None:
        for folder in self._root.iterdir():
            if self.get(folder.name) is None:
                shutil.rmtree(folder, ignore_errors=True)

    def _one(self, condition: str, value: str) -> Task | None:
        with self._lock:
            row = self._db.execute(f"select * from task where {condition}", (value,)).fetchone()
        return Task(**dict(row)) if row else None

    def _write(self, statement: str, *values: Any) -> None:
        with self._lock:
            self._db.execute(statement, values)


def _opened(path: Path) -> sqlite3.Connection:
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
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database
