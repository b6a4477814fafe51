"""The journal: every job, step, plan and event, in one SQLite file. What is written here survives kill -9.

Commits are synchronous=NORMAL (safe under a kill; only a power cut can undo the last moments); `receipt=True` makes
one FULL: the intent and the answer of a call that may cost money (jobs.md part 1).
"""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from paperchute.errors import PaperchuteError
from paperchute.files.identity import key_of
from paperchute.jobs.records import (
    Counts,
    DeliveryPlan,
    Event,
    FilingPlan,
    Job,
    NewJob,
    Output,
    Stage,
    State,
    StepMemo,
)
from paperchute.jobs.rows import identity_of, members_from, members_text, path_from, printable, stored
from paperchute.jobs.schema import migrate
from paperchute.jobs.spec import rule_from_text, rule_to_text
from paperchute.rules.model import Rule

_JOB = "select job.*, rule.spec from job join rule on rule.fingerprint = job.rule"
_OPEN = "('queued', 'running', 'waiting')"


class JournalError(PaperchuteError):
    """The journal cannot be opened or read."""


class Journal:
    """The one writer of a journal file. Thread-safe; another process may read, or ask for a retry, at the same time."""

    def __init__(self, path: Path) -> None:
        """Open or make the journal at `path` and bring it up to date. Raises JournalError."""
        self.path = path
        self._lock = threading.RLock()
        self._rules: dict[str, Rule] = {}
        try:
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._db.row_factory = sqlite3.Row
            self._db.execute("pragma journal_mode=wal")
            self._db.execute("pragma synchronous=normal")
            self._db.execute("pragma foreign_keys=on")
            migrate(self._db)
        except (sqlite3.Error, ValueError) as error:
            raise JournalError(
                f"The journal {path} cannot be opened: {error}.",
                "Check the disk and the folder's permissions; a damaged journal can be moved away by hand.",
            ) from error

    def close(self) -> None:
        """Close the file. Nothing is lost: every call above has committed."""
        with self._lock:
            self._db.close()

    # ---------- taking in ----------

    def open_job(self, new: NewJob) -> int | None:
        """Write a job down; its id, or None when this content at this path is already open, or was kept when done.

        None as well when the input is no longer there. That is looked at inside the transaction: an original is moved
        before its job is marked done, so a report that was overtaken by its own job cannot become a second one.
        Raises OSError when the input's folder cannot be looked at.
        """
        identity = identity_of(new.members)
        path = stored(new.path)
        with self._write() as db:
            if any(key_of(member.path) is None for member in new.members):
                return None
            fingerprint = new.rule.fingerprint
            if fingerprint not in self._rules:
                db.execute("insert or ignore into rule values (?, ?)", (fingerprint, rule_to_text(new.rule)))
                self._rules[fingerprint] = new.rule
            kept = db.execute(
                "select 1 from job where path = ? and identity = ? and rule_name = ? and kept = 1",
                (path, identity, new.rule.name),
            ).fetchone()
            if kept:
                return None
            failed = db.execute(
                "select id, stage, finished, rule from job where path = ? and identity = ? and rule_name = ?"
                " order by id desc limit 1",
                (path, identity, new.rule.name),
            ).fetchone()
            has_failed = failed and failed["stage"] == "failing" and failed["finished"] is not None
            if has_failed and failed["rule"] == fingerprint:
                self._rearm(db, failed["id"])  # moved back into the hot folder: what was paid for is not paid again
                return int(failed["id"])
            now = time.time()
            row = db.execute(
                "insert into job (token, rule, rule_name, folder, path, relative, is_set, members, identity,"
                " state, stage, created) values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 'steps', ?)"
                " on conflict do nothing returning id",
                (
                    secrets.token_hex(8),
                    fingerprint,
                    new.rule.name,
                    stored(new.rule.folder),
                    path,
                    stored(new.relative),
                    new.is_set,
                    members_text(new.members),
                    identity,
                    now,
                ),
            ).fetchone()
            if row is None:
                return None
            self._event(db, row["id"], "queued", "")
            return int(row["id"])

    def kept_before(self, job: Job) -> tuple[int, tuple[str, ...]] | None:
        """An earlier job on the same path that left its original in place: (its id, the inputs' hashes)."""
        row = self._one(
            "select id, hashes from job where path = ? and rule_name = ? and kept = 1 and id < ? order by id desc",
            (stored(job.path), job.rule.name, job.id),
        )
        if row is None or row["hashes"] is None:
            return None
        return row["id"], tuple(json.loads(row["hashes"]))

    # ---------- running ----------

    def recover(self) -> int:
        """After a start: jobs that were running when the last process ended are queued again. Returns how many."""
        with self._write() as db:
            return db.execute("update job set state = 'queued' where state = 'running'").rowcount

    def next(self, folder: Path | None = None, stages: Sequence[Stage] = ()) -> Job | None:
        """Take the oldest due job, of one hot folder and in certain stages where given, and mark it running."""
        conditions, values = ["state in ('queued', 'waiting')", "due <= ?"], [time.time()]  # type: list[str], list[Any]
        if folder is not None:
            conditions.append("folder = ?")
            values.append(stored(folder))
        if stages:
            conditions.append(f"stage in ({','.join('?' * len(stages))})")
            values.extend(stages)
        with self._write() as db:
            row = db.execute(
                "update job set state = 'running', started = coalesce(started, ?)"
                f" where id = (select id from job where {' and '.join(conditions)} order by id limit 1) returning id",
                (time.time(), *values),
            ).fetchone()
        return self.job(row["id"]) if row else None

    def due_folders(self) -> list[Path]:
        """Hot folders that have a job which may run now."""
        rows = self._all(
            "select distinct folder from job where state in ('queued', 'waiting') and due <= ?", (time.time(),)
        )
        return [path_from(row["folder"]) for row in rows]

    def next_due(self) -> float | None:
        """Unix time at which the first waiting job becomes due; None when nothing waits."""
        row = self._one("select min(due) as due from job where state in ('queued', 'waiting')", ())
        return None if row is None else row["due"]

    def wait(self, number: int, due: float, error: str, code: str | None, *, attempt: bool) -> None:
        """The job runs again at `due`; `attempt` counts this as a failed try of the present step."""
        with self._write() as db:
            before = db.execute("select error from job where id = ?", (number,)).fetchone()["error"]
            db.execute(
                "update job set state = 'waiting', due = ?, error = ?, error_code = ?, attempts = attempts + ?"
                " where id = ?",
                (due, printable(error), code, int(attempt), number),
            )
            if before != printable(error):
                self._event(db, number, "waiting", error)

    def requeue(self, number: int) -> None:
        """Put a running job back in its place in the queue, with no try used up."""
        with self._write() as db:
            db.execute("update job set state = 'queued' where id = ? and state = 'running'", (number,))

    def cancel(self, job: Job, note: str, *, kept: bool) -> None:
        """The input changed or went away before anything was delivered: nothing more is to be done.

        kept: the input stays as it is and must not be taken again (it had been done before).
        """
        with self._write() as db:
            db.execute(
                "update job set state = 'cancelled', finished = ?, note = ?, kept = ? where id = ?",
                (time.time(), note, int(kept), job.id),
            )
            self._event(db, job.id, "cancelled", note)

    # ---------- steps ----------

    def memo(self, job: Job, number: int) -> StepMemo:
        """What is known of step `number` (from 0)."""
        row = self._one("select * from step where job = ? and number = ?", (job.id, number))
        if row is None:
            return StepMemo()
        outputs = row["outputs"]
        return StepMemo(
            row["round"],
            row["sent"],
            row["answer"],
            row["answered"],
            tuple(Output(**o) for o in json.loads(outputs)) if outputs is not None else None,
        )

    def intend(self, job: Job, number: int, *, receipt: bool) -> None:
        """A call is about to go out. Until its answer is recorded, a crash leaves it uncertain."""
        with self._write(receipt=receipt) as db:
            db.execute(
                "insert into step (job, number, sent) values (?, ?, ?)"
                " on conflict do update set sent = excluded.sent, answer = null, answered = null, outputs = null",
                (job.id, number, time.time()),
            )
            self._event(db, job.id, "sent", f"step {number + 1}: {job.rule.steps[number].operation}")

    def refused(self, job: Job, number: int) -> None:
        """The call surely did not happen, or was plainly refused: the intent is taken back."""
        with self._write() as db:
            db.execute("update step set sent = null, round = round + 1 where job = ? and number = ?", (job.id, number))

    def answered(self, job: Job, number: int, answer: str, *, receipt: bool) -> None:
        """Record a call's answer: from here on the call is never made again while its result can be fetched."""
        with self._write(receipt=receipt) as db:
            db.execute(
                "update step set answer = ?, answered = ? where job = ? and number = ?",
                (answer, time.time(), job.id, number),
            )
            self._event(db, job.id, "answered", f"step {number + 1}")

    def forget_answer(self, job: Job, number: int) -> None:
        """The recorded result has expired on the service: the step must be called again."""
        with self._write() as db:
            db.execute(
                "update step set sent = null, answer = null, answered = null, outputs = null, round = round + 1"
                " where job = ? and number = ?",
                (job.id, number),
            )
            self._event(db, job.id, "expired", f"step {number + 1}: the result is gone from the service")

    def received(self, job: Job, number: int, outputs: Sequence[Output]) -> None:
        """The step's outputs lie in the job's work folder, checked. The next step starts with fresh tries."""
        with self._write() as db:
            text = json.dumps([vars(o) for o in outputs])
            db.execute("update step set outputs = ? where job = ? and number = ?", (text, job.id, number))
            db.execute("update job set attempts = 0, error = null, error_code = null where id = ?", (job.id,))

    def note_hashes(self, job: Job, hashes: Sequence[str]) -> None:
        """Keep the sha256 of the inputs as they were sent."""
        with self._write() as db:
            db.execute("update job set hashes = ? where id = ?", (json.dumps(list(hashes)), job.id))

    def hashes(self, job: Job) -> tuple[str, ...] | None:
        """The inputs' sha256 as they were sent, or None before the first call."""
        row = self._one("select hashes from job where id = ?", (job.id,))
        return tuple(json.loads(row["hashes"])) if row and row["hashes"] else None

    # ---------- delivery and filing ----------

    def plan_delivery(self, job: Job, plan: DeliveryPlan) -> None:
        """The outputs are about to be put in place as `plan` says."""
        content = {"temporary": str(plan.temporary), "final": str(plan.final), "is_folder": plan.is_folder}
        self._plan(job, "delivery", content, stage="delivering")

    def delivery(self, job: Job) -> DeliveryPlan | None:
        """The plan to complete or redo after a restart."""
        raw = self._planned(job, "delivery")
        return DeliveryPlan(Path(raw["temporary"]), Path(raw["final"]), raw["is_folder"]) if raw else None

    def delivered(self, job: Job, outputs: Sequence[Path], note: str | None = None) -> None:
        """Every output is in place; what is left is filing the original."""
        with self._write() as db:
            db.execute(
                "update job set stage = 'filing', outputs = ?, note = ?, error = null, error_code = null where id = ?",
                (json.dumps([str(o) for o in outputs]), note, job.id),
            )
            self._event(db, job.id, "delivered", note or (str(outputs[0]) if outputs else ""))

    def plan_failure(self, job: Job, error: str, code: str | None, text: str) -> None:
        """The job has failed for good: the original and `text` are about to go to the failed folder."""
        with self._write() as db:
            db.execute(
                "update job set stage = 'failing', error = ?, error_code = ?, error_text = ? where id = ?",
                (printable(error), code, printable(text), job.id),
            )

    def failure_text(self, job: Job) -> str:
        """The text for `NAME.error.txt`."""
        row = self._one("select error_text from job where id = ?", (job.id,))
        return (row and row["error_text"]) or ""

    def plan_filing(self, job: Job, plan: FilingPlan) -> None:
        """The original is about to be moved as `plan` says."""
        content = {"source": str(plan.source), "target": str(plan.target), "copied": plan.copied}
        self._plan(job, "filing", content)

    def filing(self, job: Job) -> FilingPlan | None:
        """The move to complete or redo after a restart, and for a failed job where its original lies."""
        raw = self._planned(job, "filing")
        return FilingPlan(Path(raw["source"]), Path(raw["target"]), raw["copied"]) if raw else None

    def finish(self, job: Job, state: State, *, kept: bool) -> None:
        """The job's last line. kept: the original stays where it is and must not be taken again as it is."""
        with self._write() as db:
            db.execute(
                "update job set state = ?, finished = ?, kept = ? where id = ?",
                (state, time.time(), int(kept), job.id),
            )
            self._event(db, job.id, state, (job.error or "") if state == "failed" else "")
            if state == "done":
                db.execute(
                    "update job set state = 'cancelled', note = ? where path = ? and state = 'failed'",
                    (f"A file of this name was done later, by job {job.id}.", stored(job.path)),
                )

    def settle_failure(self, job: Job) -> None:
        """A failed job needs no more attention: its original was taken out of the failed folder."""
        with self._write() as db:
            note = "Its file was taken out of the failed folder."
            db.execute("update job set state = 'cancelled', note = ? where id = ? and state = 'failed'", (note, job.id))

    def rearm(self, job: Job) -> bool:
        """A failed job whose original is back in its place runs again, its answered steps kept. False if not failed."""
        with self._write() as db:
            return self._rearm(db, job.id)

    def hurry(self) -> None:
        """Waiting jobs become due now: somebody pressed retry, or the cause is gone."""
        with self._write() as db:
            db.execute("update job set due = 0 where state = 'waiting'")

    # ---------- looking ----------

    def job(self, number: int) -> Job | None:
        """One job, or None."""
        row = self._one(f"{_JOB} where job.id = ?", (number,))
        return self._job(row) if row else None

    def jobs(self, states: Sequence[State] = (), limit: int = 100) -> list[Job]:
        """The newest jobs first, of certain states where given."""
        where = f" where state in ({','.join('?' * len(states))})" if states else ""
        rows = self._all(f"{_JOB}{where} order by coalesce(finished, created) desc, id desc limit ?", (*states, limit))
        return [self._job(row) for row in rows]

    def counts(self) -> Counts:
        """How many jobs are in each state."""
        rows = self._all("select state, count(*) as n from job group by state", ())
        return Counts({row["state"]: row["n"] for row in rows})

    def events(self, number: int) -> list[Event]:
        """A job's history, oldest first."""
        rows = self._all("select * from event where job = ? order by id", (number,))
        return [Event(row["job"], row["at"], row["kind"], row["text"]) for row in rows]

    def count_up(self, name: str) -> int:
        """The next number of a named count, from 1."""
        with self._write() as db:
            row = db.execute(
                "insert into setting values (?, '1') on conflict do update set value = cast(value as integer) + 1"
                " returning value",
                (f"count:{name}",),
            ).fetchone()
            return int(row["value"])

    def note_event(self, job: Job, kind: str, text: str) -> None:
        """Add a line to a job's history."""
        with self._write() as db:
            self._event(db, job.id, kind, text)

    def open_tokens(self) -> set[str]:
        """Tokens of all jobs that will still run, whose temporary files are therefore in use; failed ones included."""
        rows = self._all(f"select token from job where state in {_OPEN} or state = 'failed'", ())
        return {row["token"] for row in rows}

    def setting(self, name: str) -> str | None:
        """A small remembered fact of the daemon (such as whether it is paused)."""
        row = self._one("select value from setting where name = ?", (name,))
        return row["value"] if row else None

    def set_setting(self, name: str, value: str | None) -> None:
        """Remember or, with None, forget it."""
        with self._write() as db:
            if value is None:
                db.execute("delete from setting where name = ?", (name,))
            else:
                db.execute("insert or replace into setting values (?, ?)", (name, value))

    # ---------- inside ----------

    @contextlib.contextmanager
    def _write(self, *, receipt: bool = False) -> Iterator[sqlite3.Connection]:
        with self._lock:
            db = self._db
            if receipt:
                db.execute("pragma synchronous=full")
            try:
                db.execute("begin immediate")
                try:
                    yield db
                except BaseException:
                    db.execute("rollback")
                    raise
                db.execute("commit")
            finally:
                if receipt:
                    db.execute("pragma synchronous=normal")

    def _one(self, sql: str, values: Sequence[Any]) -> sqlite3.Row | None:
        with self._lock:
            row: sqlite3.Row | None = self._db.execute(sql, values).fetchone()
            return row

    def _all(self, sql: str, values: Sequence[Any]) -> list[sqlite3.Row]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def _event(self, db: sqlite3.Connection, job: int, kind: str, text: str) -> None:
        db.execute(
            "insert into event (job, at, kind, text) values (?, ?, ?, ?)", (job, time.time(), kind, printable(text))
        )

    def _rearm(self, db: sqlite3.Connection, number: int) -> bool:
        changed = db.execute(
            "update job set state = 'queued', stage = case when outputs = '[]' then 'steps' else 'filing' end,"
            " attempts = 0, due = 0, finished = null, kept = 0, error = null, error_code = null, error_text = null"
            " where id = ? and stage = 'failing' and state in ('failed', 'cancelled')",
            (number,),
        ).rowcount
        if changed:
            db.execute("delete from plan where job = ?", (number,))
            self._event(db, number, "retry", "asked for")
        return bool(changed)

    def _plan(self, job: Job, kind: str, content: Mapping[str, Any], stage: Stage | None = None) -> None:
        with self._write() as db:
            text = json.dumps(content)
            db.execute("insert or replace into plan values (?, ?, ?)", (job.id, kind, text))
            if stage is not None:
                db.execute("update job set stage = ? where id = ?", (stage, job.id))

    def _planned(self, job: Job, kind: str) -> dict[str, Any] | None:
        row = self._one("select content from plan where job = ? and kind = ?", (job.id, kind))
        return json.loads(row["content"]) if row else None

    def _job(self, row: sqlite3.Row) -> Job:
        fingerprint = row["rule"]
        rule = self._rules.get(fingerprint)
        if rule is None:
            rule = self._rules[fingerprint] = rule_from_text(row["spec"])
        return Job(
            id=row["id"],
            token=row["token"],
            rule=rule,
            path=path_from(row["path"]),
            relative=PurePosixPath(path_from(row["relative"])),
            members=members_from(row["members"]),
            is_set=bool(row["is_set"]),
            state=row["state"],
            stage=row["stage"],
            attempts=row["attempts"],
            due=row["due"],
            created=row["created"],
            finished=row["finished"],
            error=row["error"],
            error_code=row["error_code"],
            outputs=tuple(Path(o) for o in json.loads(row["outputs"])),
            note=row["note"],
        )
