"""The calls of a job: what is about to be asked, what was answered, what was received, and what it costs.

`receipt=True` makes it survive a power cut too: the intent and the answer of a call that may cost money.
"""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Sequence

from paperchute.errors import PaperchuteError
from paperchute.jobs.codec import delivery_text
from paperchute.jobs.journal.store import Part
from paperchute.jobs.journal.usage import book
from paperchute.jobs.model import CallMemo, DeliveryPlan, Job, Output, called
from paperchute.language import _


class QuotaSpentError(PaperchuteError):
    """The calls that the rule file allows in a month are used up."""

    def __init__(self, most: int) -> None:
        super().__init__(
            _("This month's {most} calls to the service are used up.", most=most),
            _("Work continues next month, or when monthly_calls in the rule file is raised."),
        )


class CallRecords(Part):
    """Calls and their results."""

    def memos(self, job: Job) -> dict[tuple[int, str], CallMemo]:
        """What is known of the job's calls, by step (from 0) and part; one that was never begun has none."""
        return {
            (row["number"], row["part"]): CallMemo(
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
        part: str = "",
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
            if receipt:
                self._spend(db, most_calls)
            book(db, job.rule.name, calls=1)
            if draft is not None:
                db.execute("insert or replace into plan values (?, 'delivery', ?)", (job.id, delivery_text(draft)))
            db.execute(
                "insert into step (job, number, part, sent) values (?, ?, ?, ?)"
                " on conflict do update set sent = excluded.sent, task = null, answer = null,"
                " answered = null, outputs = null",
                (job.id, number, part, time.time()),
            )
            self._store.event(db, job.id, "sent", f"{called(number, part)}: {job.rule.steps[number].operation}")

    def submitted(
        self, job: Job, number: int, part: str, task: str, hashes: Sequence[str] | None, *, receipt: bool
    ) -> None:
        """The service has taken the call as a task: from here on its answer is asked for, and no second call made."""
        with self._file.write(receipt=receipt) as db:
            db.execute(
                "update step set task = ? where job = ? and number = ? and part = ?", (task, job.id, number, part)
            )
            if hashes is not None:
                db.execute("update job set hashes = ? where id = ?", (json.dumps(list(hashes)), job.id))
            self._store.event(db, job.id, "submitted", _("{call}: task {task}", call=called(number, part), task=task))

    def refused(self, job: Job, number: int, part: str = "", *, unsent: bool = False) -> None:
        """The call was plainly refused, or with `unsent` never went out: the intent is taken back."""
        with self._file.write() as db:
            db.execute(
                "update step set sent = null, task = null, round = round + 1 where job = ? and number = ? and part = ?",
                (job.id, number, part),
            )
            if unsent:
                self._uncount(db, job)

    def not_repeated(self, job: Job, *, unsent: bool) -> None:
        """A call whose earlier answer was lost could not be asked for again: its intent and its round stand.

        unsent: the repetition never went out.
        """
        if unsent:
            with self._file.write() as db:
                self._uncount(db, job)

    def this_month(self) -> int:
        """How many calls went out to a remote service in this calendar month."""
        row = self._file.one("select cast(value as integer) as n from setting where name = ?", (_month(),))
        return int(row["n"]) if row else 0

    def tried(self, rule: str, most_calls: int | None) -> None:
        """A call for a sample is about to go out to a remote service; it counts. Raises QuotaSpentError."""
        with self._file.write(receipt=True) as db:
            self._spend(db, most_calls)
            book(db, rule, calls=1)

    def tried_pages(self, rule: str, pages: int) -> None:
        """A call for a sample took so many pages."""
        with self._file.write() as db:
            book(db, rule, pages=pages)

    def _spend(self, db: sqlite3.Connection, most_calls: int | None) -> None:
        """Count one more call of this month. Raises QuotaSpentError where that is more than may be."""
        if self._counted(db) > (most_calls if most_calls is not None else math.inf):
            raise QuotaSpentError(most_calls or 0)

    def _counted(self, db: sqlite3.Connection) -> int:
        """This month's calls with one more."""
        row = db.execute(
            "insert into setting values (?, '1') on conflict do update set value = cast(value as integer) + 1"
            " returning value",
            (_month(),),
        ).fetchone()
        return int(row["value"])

    def _uncount(self, db: sqlite3.Connection, job: Job) -> None:
        book(db, job.rule.name, calls=-1)
        db.execute(
            "update setting set value = cast(value as integer) - 1 where name = ? and cast(value as integer) > 0",
            (_month(),),
        )

    def answered(
        self,
        job: Job,
        number: int,
        part: str,
        answer: str,
        hashes: Sequence[str] | None = None,
        *,
        warnings: Sequence[str] = (),
        notes: Sequence[str] = (),
        pages: int = 0,
        receipt: bool,
    ) -> None:
        """Record a call's answer: from here on the call is never made again while its result can be fetched.

        hashes: sha256 of the job's members, where this call has read some of them. warnings: what the result lacks;
        notes: how it was made, for the job's history. pages: how many it took.
        """
        with self._file.write(receipt=receipt) as db:
            db.execute(
                "update step set answer = ?, answered = ? where job = ? and number = ? and part = ?",
                (answer, time.time(), job.id, number, part),
            )
            if hashes is not None:
                db.execute("update job set hashes = ? where id = ?", (json.dumps(list(hashes)), job.id))
            if pages:
                book(db, job.rule.name, pages=pages)
            if warnings:
                self._store.warn(db, job.id, [f"{called(number, part)}: {text}" if part else text for text in warnings])
            self._store.event(db, job.id, "answered", called(number, part))
            for text in notes:
                self._store.event(db, job.id, "noted", f"{called(number, part)}: {text}")

    def forget_answer(self, job: Job, number: int, part: str = "") -> None:
        """The recorded result has expired on the service: the step must be called again."""
        with self._file.write() as db:
            db.execute(
                "update step set sent = null, task = null, answer = null, answered = null, outputs = null,"
                " round = round + 1 where job = ? and number = ? and part = ?",
                (job.id, number, part),
            )
            self._store.event(
                db, job.id, "expired", _("{call}: the result is gone from the service", call=called(number, part))
            )

    def received(self, job: Job, number: int, part: str, outputs: Sequence[Output]) -> None:
        """The call's outputs lie where they are wanted, checked. What follows starts with fresh tries."""
        with self._file.write() as db:
            text = json.dumps([vars(o) for o in outputs])
            db.execute(
                "update step set outputs = ? where job = ? and number = ? and part = ?", (text, job.id, number, part)
            )
            db.execute("update job set attempts = 0, error = null, error_code = null where id = ?", (job.id,))

    def note_hashes(self, job: Job, hashes: Sequence[str]) -> None:
        """Keep the sha256 of inputs that need not be sent."""
        with self._file.write() as db:
            db.execute("update job set hashes = ? where id = ?", (json.dumps(list(hashes)), job.id))


def _month() -> str:
    """The setting that counts this calendar month's calls, in local time."""
    return time.strftime("calls:%Y-%m")
