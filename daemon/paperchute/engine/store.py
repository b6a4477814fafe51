"""Tasks and their files on disk, so that a result outlives a restart of the engine, and for 24 hours no longer."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

TaskState = Literal["processing", "success", "failed"]

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
_COLUMNS = (
    "id, token, operation, state, file_name, file_size, parameters, output_name, output_size, milliseconds, code,"
    " reason"
)


@dataclass(frozen=True)
class Task:
    """One task. parameters: JSON text, passwords masked. Sizes in bytes. token: what its download address shows."""

    id: str
    token: str
    operation: str
    state: TaskState
    file_name: str
    file_size: int
    parameters: str
    output_name: str
    output_size: int
    milliseconds: int
    code: str
    reason: str


class Store:
    """The one writer of the engine's state folder. Thread-safe."""

    def __init__(self, folder: Path, result_seconds: float) -> None:
        """Tasks that were running when the last engine ended are gone: whoever asks again has them run again."""
        self._files = folder / "files"
        self._files.mkdir(parents=True, exist_ok=True)
        self._result_seconds = result_seconds
        self._lock = threading.Lock()
        self._db = sqlite3.connect(folder / "tasks.sqlite", isolation_level=None, check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        self._db.execute("pragma journal_mode=wal")
        self._db.execute("pragma synchronous=normal")
        self._db.executescript(_SCHEMA)
        with self._lock:
            self._db.execute("delete from task where state = 'processing'")
        self.sweep()
        self._drop_strays()

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._db.close()

    def new_id(self) -> str:
        """An unguessable id, with an empty folder of its own."""
        number = secrets.token_hex(16)
        (self._files / number / "in").mkdir(parents=True)
        (self._files / number / "work").mkdir()
        return number

    def inputs(self, task: str) -> Path:
        """Where a task's uploads lie."""
        return self._files / task / "in"

    def work(self, task: str) -> Path:
        """The folder that a task's worker may write to."""
        return self._files / task / "work"

    def output(self, task: str) -> Path:
        """Where a task's finished result lies."""
        return self._files / task / "result"

    def add(
        self, task: str, operation: str, request_key: str | None, file_name: str, file_size: int, parameters: str
    ) -> Task:
        """Write a new task down."""
        now = time.time()
        with self._lock:
            self._db.execute(
                "insert into task (id, token, operation, request_key, state, file_name, file_size, parameters, created,"
                " expires) values (?, ?, ?, ?, 'processing', ?, ?, ?, ?, ?)",
                (
                    task,
                    secrets.token_urlsafe(24),
                    operation,
                    request_key,
                    file_name,
                    file_size,
                    parameters,
                    now,
                    now + self._result_seconds,
                ),
            )
        found = self.get(task)
        assert found is not None
        return found

    def finish(self, task: str, output_name: str, output_size: int, milliseconds: int) -> Task:
        """The result lies at `output(task)`; the uploads are no longer needed."""
        return self._end(task, "success", output_name, output_size, milliseconds, "", "")

    def fail(self, task: str, code: str, reason: str, milliseconds: int) -> Task:
        """The task has failed, with a code of the contract and a sentence."""
        return self._end(task, "failed", "", 0, milliseconds, code, reason)

    def _end(
        self, task: str, state: TaskState, name: str, size: int, milliseconds: int, code: str, reason: str
    ) -> Task:
        shutil.rmtree(self.inputs(task), ignore_errors=True)
        shutil.rmtree(self.work(task), ignore_errors=True)
        with self._lock:
            self._db.execute(
                "update task set state = ?, output_name = ?, output_size = ?, milliseconds = ?, code = ?, reason = ?,"
                " expires = ? where id = ?",
                (state, name, size, milliseconds, code, reason, time.time() + self._result_seconds, task),
            )
        found = self.get(task)
        assert found is not None
        return found

    def get(self, task: str) -> Task | None:
        """A task by its id."""
        return self._one("id = ?", task)

    def by_request_key(self, key: str) -> Task | None:
        """The task that was asked for under this idempotency key."""
        return self._one("request_key = ?", key)

    def by_token(self, token: str) -> Task | None:
        """The finished task whose download address shows this token; None when there is none or it has expired."""
        task = self._one("state = 'success' and expires > unixepoch() and token = ?", token)
        return task if task is not None and self.output(task.id).is_file() else None

    def discard(self, task: str) -> None:
        """A request that came to nothing leaves nothing."""
        shutil.rmtree(self._files / task, ignore_errors=True)

    def forget(self, task: str) -> None:
        """A task that was never taken on."""
        with self._lock:
            self._db.execute("delete from task where id = ?", (task,))
        self.discard(task)

    def sweep(self) -> None:
        """Remove what has expired."""
        with self._lock:
            rows = self._db.execute("select id from task where expires <= ? and state <> 'processing'", (time.time(),))
            expired = [row["id"] for row in rows]
        for task in expired:
            shutil.rmtree(self._files / task, ignore_errors=True)
            with self._lock:
                self._db.execute("delete from task where id = ?", (task,))

    def _drop_strays(self) -> None:
        for folder in self._files.iterdir():
            if self.get(folder.name) is None:
                shutil.rmtree(folder, ignore_errors=True)

    def _one(self, condition: str, value: str) -> Task | None:
        with self._lock:
            row = self._db.execute(f"select {_COLUMNS} from task where {condition}", (value,)).fetchone()
        return Task(**dict(row)) if row else None
