"""The journal: every job, step, plan and event, in one SQLite file. What is written here survives kill -9.

`receipt=True` makes it survive a power cut too: the intent and the answer of a call that may cost money.
"""

from __future__ import annotations

import contextlib
import json
import math
import secrets
import sqlite3
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from paperchute.errors import PaperchuteError
from paperchute.files.identity import key_of
from paperchute.jobs.database import Database, is_damage
from paperchute.jobs.records import (
    Counts,
    DeliveryPlan,
    Event,
    FilingPlan,
    Job,
    Line,
    NewJob,
    Output,
    State,
    StepMemo,
)
from paperchute.jobs.rows import identity_of, members_from, members_text, path_from, printable, stored
from paperchute.jobs.salvage import IN_USE, Salvage, has_result, opened
from paperchute.jobs.spec import rule_from_text, rule_to_text
from paperchute.rules.model import Rule

_JOB = "select job.*, rule.spec from job join rule on rule.fingerprint = job.rule"
_OPEN = "('queued', 'running', 'waiting')"
_ALL = ("job_queued", "state = 'queued'")
_LOCAL = ("job_local", "state = 'queued' and stage <> 'steps'")
LONGEST_WAIT_SECONDS = 24 * 3600.0


class JournalError(PaperchuteError):
    """The journal cannot be opened or read."""


class QuotaSpentError(PaperchuteError):
    """The calls that the rule file allows in a month are used up."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"This month's {most} calls to the service are used up.",
            "Work goes on next month, or when monthly_calls in the rule file is raised.",
        )


class Journal:
    """The one writer of a journal file. Thread-safe; another process may read, or ask for a retry, at the same time."""

    def __init__(self, path: Path, *, owner: bool = False) -> None:
        """Open or make the journal at `path` and bring it up to date. Raises JournalError.

        owner: the one who runs the jobs in it, and who replaces it when it is damaged; see `salvage`.
        """
        self.path = path
        self.salvage: Salvage | None = None
        """What became of a damaged journal that was found at `path`."""
        self._rules: dict[str, Rule] = {}
        self._owner = owner
        try:
            if owner:
                self._file, self.salvage = opened(path)
                self.set_setting(IN_USE, "1")
                if self.salvage is not None and not self.salvage.whole:
                    self.set_setting("rebuilt", str(time.time()))
            else:
                self._file = Database(path)
        except (sqlite3.Error, ValueError, OSError) as error:
            damaged = isinstance(error, sqlite3.Error) and is_damage(error)
            advice = "The next `paperchute run` sets it aside." if damaged else "Check the disk and the permissions."
            raise JournalError(f"The journal {path} cannot be opened: {error}.", advice) from error

    @property
    def damaged(self) -> bool:
        """Whether the file was found broken while in use."""
        return self._file.damaged

    def close(self) -> None:
        """Close the file. Nothing is lost: every call above has committed."""
        if self._owner:
            with contextlib.suppress(sqlite3.Error):
                self.set_setting(IN_USE, None)
        self._file.close()

    @cached_property
    def rebuilt(self) -> bool:
        """Whether jobs of the past were lost with a damaged journal."""
        return self.setting("rebuilt") is not None

    # ---------- taking in ----------

    def open_job(self, new: NewJob) -> int | None:
        """Write one job down; see `open_jobs`."""
        return self.open_jobs([new])[0]

    def open_jobs(self, news: Sequence[NewJob]) -> list[int | None]:
        """Write jobs down in one transaction; the id of each.

        None where this content at this path is already open, or was kept when done, and where the input is no longer
        there. That is looked at inside the transaction: an original is moved before its job is marked done, so a
        report that was overtaken by its own job cannot become a second one. Raises OSError when an input's folder
        cannot be looked at; then none is written down.
        """
        with self._file.write() as db:
            numbers = [self._open(db, new) for new in news]
        self._rules.update({new.rule.fingerprint: new.rule for new in news})
        return numbers

    def _open(self, db: sqlite3.Connection, new: NewJob) -> int | None:
        if any(key_of(member.path) is None for member in new.members):
            return None
        path, identity, fingerprint = stored(new.path), identity_of(new.members), new.rule.fingerprint
        if fingerprint not in self._rules:
            db.execute("insert or ignore into rule values (?, ?)", (fingerprint, rule_to_text(new.rule)))
        earlier = db.execute(
            "select id, rule, kept from job where path = ? and identity = ? and rule_name = ?"
            " order by kept desc, id desc limit 1",
            (path, identity, new.rule.name),
        ).fetchone()
        if earlier and earlier["kept"]:
            return None
        if self.rebuilt and new.rule.original == "keep" and has_result(new):
            self._adopt(db, new, path, identity, fingerprint)
            return None
        # It failed and was moved back, or it was away and is there again: what was paid for is not paid again.
        if earlier and earlier["rule"] == fingerprint and self._rearm(db, earlier["id"]):
            return int(earlier["id"])
        number = self._insert(db, new, path, identity, fingerprint)
        if number is not None:
            self._event(db, number, "queued", "")
        return number

    def _insert(
        self, db: sqlite3.Connection, new: NewJob, path: str | bytes, identity: str, fingerprint: str
    ) -> int | None:
        row = db.execute(
            "insert into job (token, rule, rule_name, folder, priority, path, relative, is_set, members, identity,"
            " state, stage, created) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 'steps', ?)"
            " on conflict do nothing returning id",
            (
                secrets.token_hex(8),
                fingerprint,
                new.rule.name,
                stored(new.rule.folder),
                new.rule.priority,
                path,
                stored(new.relative),
                new.is_set,
                members_text(new.members),
                identity,
                time.time(),
            ),
        ).fetchone()
        return None if row is None else int(row["id"])

    def _adopt(self, db: sqlite3.Connection, new: NewJob, path: str | bytes, identity: str, fingerprint: str) -> None:
        """Write down as done what was done before the journal was lost."""
        number = self._insert(db, new, path, identity, fingerprint)
        if number is not None:
            note = "Its result was there already when the journal was lost."
            db.execute(
                "update job set state = 'done', stage = 'filing', finished = created, kept = 1, note = ? where id = ?",
                (note, number),
            )
            self._event(db, number, "done", note)

    def kept_before(self, job: Job) -> tuple[int, tuple[str, ...]] | None:
        """An earlier job on the same path that left its original in place: (its id, the inputs' hashes)."""
        row = self._file.one(
            "select id, hashes from job where path = ? and rule_name = ? and kept = 1 and id < ? order by id desc",
            (stored(job.path), job.rule.name, job.id),
        )
        if row is None or row["hashes"] is None:
            return None
        return row["id"], tuple(json.loads(row["hashes"]))

    # ---------- running ----------

    def recover(self) -> int:
        """After a start: jobs that were running when the last process ended are queued again. Returns how many.

        A job that waits for longer than any back-off lasts does so because the clock was set back meanwhile.
        """
        with self._file.write() as db:
            db.execute(
                "update job set due = 0 where state = 'waiting' and due > ?", (time.time() + LONGEST_WAIT_SECONDS,)
            )
            return db.execute("update job set state = 'queued' where state = 'running'").rowcount

    def lines(self, *, local: bool = False) -> list[Line]:
        """The lines that have a job which may run now. local: only count jobs that need no service any more.

        Each line is found by one step into an index, so the length of the queue does not matter.
        """
        self._promote()
        index, ready = _LOCAL if local else _ALL
        found: list[Line] = []
        after = "1"
        values: tuple[Any, ...] = ()
        while row := self._file.one(
            f"select priority, folder from job indexed by {index} where {ready} and {after}"
            " order by priority, folder limit 1",
            values,
        ):
            found.append(Line(row["priority"], path_from(row["folder"])))
            after, values = "(priority, folder) > (?, ?)", (row["priority"], row["folder"])
        return found

    def claim(self, lines: Sequence[Line], limit: int, *, local: bool = False) -> list[Job]:
        """Take up to `limit` jobs, the oldest of each line in turn, and mark them running."""
        index, ready = _LOCAL if local else _ALL
        share = -(-limit // len(lines)) if lines else 0
        numbers: list[int] = []
        with self._file.write() as db:
            for line in lines:
                found = db.execute(
                    "update job set state = 'running', started = coalesce(started, ?) where id in"
                    f" (select id from job indexed by {index} where {ready} and priority = ? and folder = ?"
                    " order by id limit ?) returning id",
                    (time.time(), line.priority, stored(line.folder), min(share, limit - len(numbers))),
                ).fetchall()
                numbers += sorted(row["id"] for row in found)
                if len(numbers) >= limit:
                    break
        marks = ",".join("?" * len(numbers))
        jobs = {row["id"]: self._job(row) for row in self._file.all(f"{_JOB} where job.id in ({marks})", numbers)}
        return [jobs[number] for number in numbers]

    def next(self) -> Job | None:
        """Take the job that is first in the first line."""
        jobs = self.claim(self.lines()[:1], 1)
        return jobs[0] if jobs else None

    def next_due(self) -> float | None:
        """Unix time at which the first waiting job becomes due; None when nothing waits."""
        row = self._file.one("select min(due) as due from job where state = 'waiting'")
        return None if row is None else row["due"]

    def shift(self, seconds: float) -> None:
        """The wall clock has jumped by so many seconds: what waits goes on waiting as long as it would have."""
        with self._file.write() as db:
            db.execute("update job set due = due + ? where state = 'waiting'", (seconds,))

    def _promote(self) -> None:
        """Waiting jobs that are due stand in their line again."""
        due = self.next_due()
        if due is not None and due <= time.time():
            with self._file.write() as db:
                db.execute("update job set state = 'queued' where state = 'waiting' and due <= ?", (time.time(),))

    def wait(self, number: int, due: float, error: str, code: str | None, *, attempt: bool) -> None:
        """The job runs again at `due`; `attempt` counts this as a failed try of the present step."""
        with self._file.write() as db:
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
        with self._file.write() as db:
            db.execute("update job set state = 'queued' where id = ? and state = 'running'", (number,))

    def cancel(self, job: Job, note: str, *, kept: bool) -> None:
        """The input changed or went away before anything was delivered: nothing more is to be done.

        kept: the input stays as it is and must not be taken again (it had been done before).
        """
        with self._file.write() as db:
            db.execute(
                "update job set state = 'cancelled', finished = ?, note = ?, kept = ? where id = ?",
                (time.time(), note, int(kept), job.id),
            )
            self._event(db, job.id, "cancelled", note)

    # ---------- steps ----------

    def memos(self, job: Job) -> dict[int, StepMemo]:
        """What is known of the job's steps, by number (from 0); a step that was never begun has none."""
        return {
            row["number"]: StepMemo(
                row["round"],
                row["sent"],
                row["task"],
                row["answer"],
                tuple(Output(**o) for o in json.loads(row["outputs"])) if row["outputs"] is not None else None,
            )
            for row in self._file.all("select * from step where job = ?", (job.id,))
        }

    def intend(
        self,
        job: Job,
        number: int,
        draft: DeliveryPlan | None = None,
        *,
        receipt: bool,
        most_calls: int | None = None,
    ) -> None:
        """A call is about to go out. Until its answer is recorded, a crash leaves it uncertain.

        draft: where its result is going to be built, when it is the last one. most_calls: how many may go out in this
        calendar month; taken in the same transaction. Raises QuotaSpentError; then nothing is written.
        """
        with self._file.write(receipt=receipt) as db:
            if receipt and self._counted(db) > (most_calls if most_calls is not None else math.inf):
                raise QuotaSpentError(most_calls or 0)
            if draft is not None:
                db.execute("insert or replace into plan values (?, 'delivery', ?)", (job.id, _delivery_text(draft)))
            db.execute(
                "insert into step (job, number, sent) values (?, ?, ?)"
                " on conflict do update set sent = excluded.sent, task = null, answer = null,"
                " answered = null, outputs = null",
                (job.id, number, time.time()),
            )
            self._event(db, job.id, "sent", f"step {number + 1}: {job.rule.steps[number].operation}")

    def submitted(self, job: Job, number: int, task: str, hashes: Sequence[str] | None, *, receipt: bool) -> None:
        """The service has taken the call as a task: from here on its answer is asked for, and no second call made."""
        with self._file.write(receipt=receipt) as db:
            db.execute("update step set task = ? where job = ? and number = ?", (task, job.id, number))
            if hashes is not None:
                db.execute("update job set hashes = ? where id = ?", (json.dumps(list(hashes)), job.id))
            self._event(db, job.id, "submitted", f"step {number + 1}: task {task}")

    def refused(self, job: Job, number: int, *, unsent: bool = False) -> None:
        """The call was plainly refused, or with `unsent` never went out: the intent is taken back."""
        with self._file.write() as db:
            db.execute(
                "update step set sent = null, task = null, round = round + 1 where job = ? and number = ?",
                (job.id, number),
            )
            if unsent:
                db.execute(
                    "update setting set value = cast(value as integer) - 1"
                    " where name = ? and cast(value as integer) > 0",
                    (_month(),),
                )

    def calls_this_month(self) -> int:
        """How many calls went out to a remote service in this calendar month."""
        return int(self.setting(_month()) or 0)

    def _counted(self, db: sqlite3.Connection) -> int:
        """This month's calls with one more."""
        row = db.execute(
            "insert into setting values (?, '1') on conflict do update set value = cast(value as integer) + 1"
            " returning value",
            (_month(),),
        ).fetchone()
        return int(row["value"])

    def answered(
        self, job: Job, number: int, answer: str, hashes: Sequence[str] | None = None, *, receipt: bool
    ) -> None:
        """Record a call's answer: from here on the call is never made again while its result can be fetched.

        hashes: sha256 of the job's inputs as they were sent, where this call sent them.
        """
        with self._file.write(receipt=receipt) as db:
            db.execute(
                "update step set answer = ?, answered = ? where job = ? and number = ?",
                (answer, time.time(), job.id, number),
            )
            if hashes is not None:
                db.execute("update job set hashes = ? where id = ?", (json.dumps(list(hashes)), job.id))
            self._event(db, job.id, "answered", f"step {number + 1}")

    def forget_answer(self, job: Job, number: int) -> None:
        """The recorded result has expired on the service: the step must be called again."""
        with self._file.write() as db:
            db.execute(
                "update step set sent = null, task = null, answer = null, answered = null, outputs = null,"
                " round = round + 1 where job = ? and number = ?",
                (job.id, number),
            )
            self._event(db, job.id, "expired", f"step {number + 1}: the result is gone from the service")

    def received(self, job: Job, number: int, outputs: Sequence[Output]) -> None:
        """The step's outputs lie in the job's work folder, checked. The next step starts with fresh tries."""
        with self._file.write() as db:
            text = json.dumps([vars(o) for o in outputs])
            db.execute("update step set outputs = ? where job = ? and number = ?", (text, job.id, number))
            db.execute("update job set attempts = 0, error = null, error_code = null where id = ?", (job.id,))

    def note_hashes(self, job: Job, hashes: Sequence[str]) -> None:
        """Keep the sha256 of inputs that need not be sent."""
        with self._file.write() as db:
            db.execute("update job set hashes = ? where id = ?", (json.dumps(list(hashes)), job.id))

    # ---------- delivery and filing ----------

    def draft_delivery(self, job: Job, plan: DeliveryPlan) -> None:
        """The result is about to be fetched to the temporary place of `plan`."""
        self._plan(job, "delivery", _delivery_text(plan))

    def plan_delivery(self, job: Job, plan: DeliveryPlan) -> None:
        """The outputs are about to be put in place as `plan` says. From here on failures are counted anew."""
        with self._file.write() as db:
            db.execute("insert or replace into plan values (?, 'delivery', ?)", (job.id, _delivery_text(plan)))
            db.execute(
                "update job set stage = 'delivering', attempts = 0, error = null, error_code = null where id = ?",
                (job.id,),
            )

    def delivery(self, job: Job) -> DeliveryPlan | None:
        """The plan to complete or redo after a restart."""
        raw = self._planned(job, "delivery")
        if raw is None:
            return None
        return DeliveryPlan(Path(raw["temporary"]), Path(raw["final"]), raw["is_folder"], raw.get("extension"))

    def deliver_again(self, job: Job) -> None:
        """What was about to be delivered is gone, and never arrived: its results are fetched again."""
        with self._file.write() as db:
            db.execute("update job set stage = 'steps' where id = ?", (job.id,))
            db.execute("delete from plan where job = ? and kind = 'delivery'", (job.id,))
            self._event(db, job.id, "lost", "the prepared results were gone from the target folder")

    def delivered(
        self, job: Job, outputs: Sequence[Path], note: str | None = None, filing: FilingPlan | None = None
    ) -> None:
        """Every output is in place; what is left is filing the original, as `filing` plans where it is to be moved."""
        with self._file.write() as db:
            if filing is not None:
                db.execute("insert or replace into plan values (?, 'filing', ?)", (job.id, _filing_text(filing)))
            db.execute(
                "update job set stage = 'filing', outputs = ?, note = ?, error = null, error_code = null where id = ?",
                (json.dumps([str(o) for o in outputs]), note, job.id),
            )
            self._event(db, job.id, "delivered", note or (str(outputs[0]) if outputs else ""))

    def plan_failure(self, job: Job, error: str, code: str | None, text: str) -> None:
        """The job has failed for good: the original and `text` are about to go to the failed folder."""
        with self._file.write() as db:
            db.execute(
                "update job set stage = 'failing', error = ?, error_code = ?, error_text = ? where id = ?",
                (printable(error), code, printable(text), job.id),
            )

    def failure_text(self, job: Job) -> str:
        """The text for `NAME.error.txt`."""
        row = self._file.one("select error_text from job where id = ?", (job.id,))
        return (row and row["error_text"]) or ""

    def plan_filing(self, job: Job, plan: FilingPlan) -> None:
        """The original is about to be moved as `plan` says."""
        self._plan(job, "filing", _filing_text(plan))

    def filing(self, job: Job) -> FilingPlan | None:
        """The move to complete or redo after a restart, and for a failed job where its original lies."""
        raw = self._planned(job, "filing")
        return FilingPlan(Path(raw["source"]), Path(raw["target"]), raw["copied"]) if raw else None

    def finish(self, job: Job, state: State, *, kept: bool, unfiled: bool = False) -> None:
        """The job's last line. kept: the original stays where it is and must not be taken again as it is.

        unfiled: the original was not there to be filed; should it turn up again, that is all there is left to do.
        """
        with self._file.write() as db:
            db.execute(
                "update job set state = ?, finished = ?, kept = ?, unfiled = ? where id = ?",
                (state, time.time(), int(kept), int(unfiled), job.id),
            )
            self._event(db, job.id, state, (job.error or "") if state == "failed" else "")
            if state == "done":
                db.execute(
                    "update job set state = 'cancelled', note = ? where path = ? and state = 'failed'",
                    (f"A file of this name was done later, by job {job.id}.", stored(job.path)),
                )

    def settle_failure(self, job: Job) -> None:
        """A failed job needs no more attention: its original was taken out of the failed folder."""
        with self._file.write() as db:
            note = "Its file was taken out of the failed folder."
            db.execute("update job set state = 'cancelled', note = ? where id = ? and state = 'failed'", (note, job.id))

    def rearm(self, job: Job) -> bool:
        """A failed job whose original is back in its place runs again, its answered steps kept. False if not failed."""
        with self._file.write() as db:
            return self._rearm(db, job.id)

    def hurry(self) -> None:
        """Waiting jobs become due now: somebody pressed retry, or the cause is gone."""
        with self._file.write() as db:
            db.execute("update job set due = 0 where state = 'waiting'")

    # ---------- looking ----------

    def job(self, number: int) -> Job | None:
        """One job, or None."""
        row = self._file.one(f"{_JOB} where job.id = ?", (number,))
        return self._job(row) if row else None

    def jobs(self, states: Sequence[State] = (), limit: int = 100) -> list[Job]:
        """The newest jobs first, of certain states where given."""
        where = f" where state in ({','.join('?' * len(states))})" if states else ""
        rows = self._file.all(
            f"{_JOB}{where} order by coalesce(finished, created) desc, id desc limit ?", (*states, limit)
        )
        return [self._job(row) for row in rows]

    def counts(self) -> Counts:
        """How many jobs are in each state."""
        rows = self._file.all("select state, count(*) as n from job group by state", ())
        return Counts({row["state"]: row["n"] for row in rows})

    def events(self, number: int) -> list[Event]:
        """A job's history, oldest first."""
        rows = self._file.all("select * from event where job = ? order by id", (number,))
        return [Event(row["job"], row["at"], row["kind"], row["text"]) for row in rows]

    def count_up(self, name: str) -> int:
        """The next number of a named count, from 1."""
        with self._file.write() as db:
            row = db.execute(
                "insert into setting values (?, '1') on conflict do update set value = cast(value as integer) + 1"
                " returning value",
                (f"count:{name}",),
            ).fetchone()
            return int(row["value"])

    def note_event(self, job: Job, kind: str, text: str) -> None:
        """Add a line to a job's history."""
        with self._file.write() as db:
            self._event(db, job.id, kind, text)

    def open_tokens(self) -> set[str]:
        """Tokens of all jobs that will still run, whose temporary files are therefore in use; failed ones included."""
        rows = self._file.all(f"select token from job where state in {_OPEN} or state = 'failed'", ())
        return {row["token"] for row in rows}

    def open_paths(self) -> set[Path]:
        """The inputs of all jobs that will still run."""
        return {path_from(row["path"]) for row in self._file.all(f"select path from job where state in {_OPEN}")}

    def open_in(self, folder: Path) -> set[int]:
        """The jobs of a hot folder that will still run."""
        rows = self._file.all(f"select id from job where state in {_OPEN} and folder = ?", (stored(folder),))
        return {row["id"] for row in rows}

    def has_open_jobs(self) -> bool:
        """Whether any job will still run."""
        return self._file.one(f"select 1 from job where state in {_OPEN} limit 1") is not None

    def setting(self, name: str) -> str | None:
        """A small remembered fact of the daemon (such as whether it is paused)."""
        row = self._file.one("select value from setting where name = ?", (name,))
        return row["value"] if row else None

    def set_setting(self, name: str, value: str | None) -> None:
        """Remember or, with None, forget it."""
        with self._file.write() as db:
            if value is None:
                db.execute("delete from setting where name = ?", (name,))
            else:
                db.execute("insert or replace into setting values (?, ?)", (name, value))

    # ---------- inside ----------

    def _event(self, db: sqlite3.Connection, job: int, kind: str, text: str) -> None:
        db.execute(
            "insert into event (job, at, kind, text) values (?, ?, ?, ?)", (job, time.time(), kind, printable(text))
        )

    def _rearm(self, db: sqlite3.Connection, number: int) -> bool:
        changed = db.execute(
            "update job set state = 'queued', stage = case when stage = 'filing' or outputs <> '[]' then 'filing'"
            " else 'steps' end, attempts = 0, due = 0, finished = null, kept = 0, unfiled = 0, error = null,"
            " error_code = null, error_text = null"
            " where id = ? and finished is not null and (state in ('failed', 'cancelled') or unfiled)",
            (number,),
        ).rowcount
        if changed:
            db.execute("delete from plan where job = ?", (number,))
            self._event(db, number, "retry", "asked for")
        return bool(changed)

    def _plan(self, job: Job, kind: str, content: str) -> None:
        with self._file.write() as db:
            db.execute("insert or replace into plan values (?, ?, ?)", (job.id, kind, content))

    def _planned(self, job: Job, kind: str) -> dict[str, Any] | None:
        row = self._file.one("select content from plan where job = ? and kind = ?", (job.id, kind))
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
            started=row["started"],
            finished=row["finished"],
            error=row["error"],
            error_code=row["error_code"],
            hashes=tuple(json.loads(row["hashes"])) if row["hashes"] else None,
            outputs=tuple(Path(o) for o in json.loads(row["outputs"])),
            note=row["note"],
        )


def _month() -> str:
    """The setting that counts this calendar month's calls, in local time."""
    return time.strftime("calls:%Y-%m")


def _delivery_text(plan: DeliveryPlan) -> str:
    paths = {"temporary": str(plan.temporary), "final": str(plan.final)}
    return json.dumps({**paths, "is_folder": plan.is_folder, "extension": plan.extension})


def _filing_text(plan: FilingPlan) -> str:
    return json.dumps({"source": str(plan.source), "target": str(plan.target), "copied": plan.copied})
