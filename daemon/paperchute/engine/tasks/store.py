"""The store of tasks as SQL that both SQLite and PostgreSQL understand; each adds how it is asked and written to."""

from __future__ import annotations

import json
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import fields
from typing import Any

from paperchute.engine.keys.table import KeyTable
from paperchute.engine.tasks.ports import Told
from paperchute.engine.tasks.task import Letter, NewTask, Run, RunState, Task, TaskState

# Columns by name: a later release may have added some, and work on the same database beside this one.
_RUN = ", ".join(field.name for field in fields(Run))
_LETTER = ", ".join(field.name for field in fields(Letter))
_OWNER = "coalesce((select api_key from task_owner where task_owner.task = task.id), '')"
_TASK = ", ".join(field.name for field in fields(Task) if field.name not in ("owner", "runs")) + f", {_OWNER} as owner"


class SqlStore(ABC):
    """What every `TaskStore` writes and reads: see there. Values are marked with ? in statements."""

    def __init__(self, result_seconds: float) -> None:
        """result_seconds: how long results are kept."""
        self._result_seconds = result_seconds
        self._swept = 0.0
        self.keys = KeyTable(self._rows, self._write, self.together, self.now)

    @abstractmethod
    def together(self) -> AbstractContextManager[None]:
        """All writes within, or none."""

    @abstractmethod
    def _rows(self, statement: str, *values: Any) -> list[Mapping[str, Any]]:
        """Return what a statement gives."""

    @abstractmethod
    def _write(self, statement: str, *values: Any) -> bool:
        """Decide whether there was anything to write it to."""

    def _scoped(self, key: str, owner: str) -> str:
        """An idempotency key as it is written down. No header has a line break, so nobody's is another's."""
        return f"{owner}\n{key}" if owner else key

    def now(self) -> float:
        """The time that all engines on this store go by, as Unix time."""
        return time.time()

    # ---------- writing ----------

    def add(self, new: NewTask, state: TaskState) -> bool:
        """Write a new task down, with no runs yet; False when another has its idempotency key."""
        now = self.now()
        key = self._scoped(new.request_key, new.owner) if new.request_key else None
        with self.together():
            added = self._write(
                "insert into task (id, operation, mode, request_key, callback, metadata, language, state, created,"
                " queued, updated, expires) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
                *(new.id, new.operation, new.mode, key, new.callback, new.metadata, new.language, state),
                *(now, now, now, now + self._result_seconds),
            )
            if added and new.owner:
                self._write("insert into task_owner (task, api_key) values (?, ?)", new.id, new.owner)
            return added

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
            *(run, task, task, operation, secrets.token_urlsafe(24), upload, self.now() + upload_seconds),
            *(state, file_name, file_size, parameters, order),
        )

    def uploaded(self, run: str, size: int) -> None:
        """The file of a draft lies in its task's inputs."""
        self._write("update run set file_size = ? where id = ?", size, run)

    def queue(self, task: str, orders: Mapping[str, str]) -> bool:
        """An open task has been started: its drafts wait, with these orders by run; False when it is open no more."""
        started = "update task set state = 'started', queued = ? where id = ? and state = 'open'"
        with self.together():
            if not self._write(started, self.now(), task):
                return False
            for run, order in orders.items():
                self._write("update run set state = 'waiting', order_text = ? where id = ?", order, run)
            return True

    def begin(self, run: str, job: str = "") -> int | None:
        """A worker takes the run, unless its task has been dropped meanwhile: the epoch, see `TaskStore.begin`."""
        taken = self._rows(
            "update run set state = 'processing', starts = starts + 1, epoch = epoch + 1, job = ? where id = ?"
            " and (state = 'waiting' or state = 'processing' and job = ? and job != '') returning epoch",
            *(job, run, job),
        )
        return int(taken[0]["epoch"]) if taken else None

    def finish(self, run: str, epoch: int, output_name: str, output_size: int, told: Told) -> bool:
        """The run's result lies at its place. False when the run is not at work in this epoch."""
        with self.together():
            is_mine = self._write(
                "update run set state = 'success', output_name = ?, output_size = ?, milliseconds = ?, warnings = ?,"
                " notes = ?, words = ?, pages = ?, questions = ?, order_text = ''"
                " where id = ? and state = 'processing' and epoch = ?",
                *(output_name, output_size, told.milliseconds),
                *(json.dumps(texts, ensure_ascii=False) for texts in (told.warnings, told.notes)),
                *(json.dumps(dict(told.words or {})), told.pages),
                *(json.dumps([one.as_json() for one in told.questions], ensure_ascii=False), run, epoch),
            )
            if is_mine:
                self.keys.book(run, told.pages)
            return is_mine

    def fail(self, run: str, epoch: int | None, code: str, reason: str, milliseconds: int) -> bool:
        """The run has failed, with a code of the contract and a sentence. False as above; epoch None: in whichever."""
        return self._write(
            "update run set state = 'failed', code = ?, reason = ?, milliseconds = ?, order_text = ''"
            " where id = ? and state in ('waiting', 'processing') and epoch = coalesce(?, epoch)",
            *(code, reason, milliseconds, run, epoch),
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
            self._write("update task set queued = ? where id = ?", self.now(), task)

    def drop(self, task: str, state: TaskState, code: str, reason: str) -> bool:
        """The task is at its end before its time, and none of its runs gives anything. False when it had ended."""
        with self.together():
            if not self.end(task, state):
                return False
            self._write(
                "update run set state = 'failed', code = ?, reason = ?, order_text = '', output_name = '',"
                " output_size = 0 where task = ?",
                *(code, reason, task),
            )
            return True

    def end(self, task: str, state: TaskState) -> bool:
        """The task has come to its end; its results can be had for as long as they are kept. False when it had."""
        now = self.now()
        return self._write(
            "update task set state = ?, updated = ?, expires = ? where id = ? and state in ('open', 'started')",
            *(state, now, now + self._result_seconds, task),
        )

    def forget(self, *tasks: str) -> None:
        """Remove tasks."""
        marks = ", ".join("?" * len(tasks))
        with self.together():
            self._write(f"delete from run where task in ({marks})", *tasks)
            self._write(f"delete from task_owner where task in ({marks})", *tasks)
            self._write(f"delete from task where id in ({marks})", *tasks)

    # ---------- letters to receivers of webhooks ----------

    def add_letter(self, url: str, body: str, most: int) -> bool:
        """Keep a letter until it is delivered; False when `most` wait already."""
        with self.together():
            if self._rows("select count(*) as waiting from letter")[0]["waiting"] >= most:
                return False
            self._write("insert into letter (url, body, due) values (?, ?, ?)", url, body, self.now())
            return True

    def letters(self, most: int) -> list[Letter]:
        """Those that are not delivered, the one that is due first in front."""
        return [Letter(**row) for row in self._rows(f"select {_LETTER} from letter order by due, id limit ?", most)]

    def postpone_letter(self, letter: int, seconds: float) -> None:
        """It could not be delivered; the next try is due in `seconds`."""
        self._write("update letter set tries = tries + 1, due = ? where id = ?", self.now() + seconds, letter)

    def drop_letter(self, letter: int) -> None:
        """It is delivered, or given up."""
        self._write("delete from letter where id = ?", letter)

    # ---------- reading ----------

    def get(self, task: str) -> Task | None:
        """A task by its id."""
        return next(iter(self._tasks("id = ?", task)), None)

    def by_request_key(self, key: str, owner: str = "") -> Task | None:
        """The task that its owner asked for under this idempotency key."""
        return next(iter(self._tasks("request_key = ?", self._scoped(key, owner))), None)

    def by_id(self, run: str) -> Run | None:
        """A run by its id."""
        return self._run("id", run)

    def by_token(self, token: str) -> Run | None:
        """The run whose result's address shows this token."""
        return self._run("token", token)

    def by_upload(self, token: str) -> Run | None:
        """The run whose upload address shows this token."""
        return self._run("upload", token) if token else None

    def page(self, first: int, count: int, owner: str = "") -> tuple[int, list[Task]]:
        """Return how many tasks an owner has, and `count` of them from number `first` (from 0), the newest first."""
        total = self._rows(f"select count(*) as total from task where {_OWNER} = ?", owner)[0]["total"]
        return int(total), self._tasks(f"{_OWNER} = ? order by created desc, id limit ? offset ?", owner, count, first)

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

    def expired(self, before: float, since: float, most: int) -> list[tuple[str, float]]:
        """Ended tasks whose results were kept until a time in between; see `TaskStore.expired`."""
        among = "from task where expires <= ? and expires > ? and state not in ('open', 'started')"
        rows = self._rows(
            f"select id, expires {among} and expires <= coalesce((select max(expires) from"
            f" (select expires {among} order by expires limit ?) as first), ?) order by expires",
            *(before, since, before, since, most, before),
        )
        return [(row["id"], row["expires"]) for row in rows]

    def swept(self) -> float:
        """Until when files have been removed: of an engine that works alone, since its start."""
        return self._swept

    def sweep_to(self, time: float) -> None:
        """Keep until when files have been removed."""
        self._swept = time

    def _tasks(self, condition: str, *values: Any) -> list[Task]:
        rows = self._rows(f"select {_TASK} from task where {condition}", *values)
        return [Task(**row, runs=self._runs_of(row["id"])) for row in rows]

    def _runs_of(self, task: str) -> tuple[Run, ...]:
        return tuple(Run(**row) for row in self._rows(f"select {_RUN} from run where task = ? order by number", task))

    def _run(self, column: str, value: str) -> Run | None:
        rows = self._rows(f"select {_RUN} from run where {column} = ?", value)
        return Run(**rows[0]) if rows else None
