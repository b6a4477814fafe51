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
from paperchute.rules.document_fields import READING, step_of
from paperchute.rules.service_names import DEFAULT, named_by, told

REFUSED = "update step set sent = null, task = null, round = round + 1"
"""What becomes of a call that the service has answered with a no."""

BEGUN = "(sent is not null or task is not null or answer is not null)"
"""Of a call that was made, and of which something may come."""


_FORGET = (
    "update step set sent = null, task = null, answer = null, answered = null, outputs = null, unsure = 0,"
    " round = round + 1"
)


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
        """Return what is known of the job's calls, by step (from 0) and part; one that was never begun has none."""
        return {
            (row["number"], row["part"]): CallMemo(
                row["round"],
                row["sent"],
                row["task"],
                row["answer"],
                tuple(Output(**o) for o in json.loads(row["outputs"])) if row["outputs"] is not None else None,
                row["service"],
                bool(row["unsure"]),
            )
            for row in self._file.all("select * from step where job = ?", (job.id,))
        }

    def have_begun(self, job: Job, *, steps_only: bool = False) -> bool:
        """Tell whether the job has made a call that was not answered with a no.

        steps_only: not that which reads what its document says.
        """
        least = 0 if steps_only else READING
        asked = f"select 1 from step where job = ? and number >= ? and {BEGUN} limit 1"
        return self._file.one(asked, (job.id, least)) is not None

    def services(self, job: int) -> list[tuple[int, str]]:
        """(step from 0, service) of all calls of a job that were answered, each once; none of earlier releases."""
        rows = self._file.all(
            "select distinct number, service from step where job = ? and answer is not null and service is not null"
            " order by number, service",
            (job,),
        )
        return [(row["number"], row["service"]) for row in rows]

    def service_of(self, job: Job, number: int, part: str = "") -> str | None:
        """Return whom a call went to; None where it never went out, or did so under an earlier release."""
        asked = "select service from step where job = ? and number = ? and part = ?"
        row = self._file.one(asked, (job.id, number, part))
        return row["service"] if row is not None else None

    def intend(
        self,
        job: Job,
        number: int,
        part: str = "",
        draft: DeliveryPlan | None = None,
        *,
        service: str = DEFAULT,
        receipt: bool,
        most_calls: int | None = None,
    ) -> None:
        """A call is about to go out. Until its answer is recorded, a crash leaves it uncertain.

        draft: where its result is going to be built, when it is the last one. service: whom it goes to. most_calls: how
        many may go out there in this calendar month; taken in the same transaction. Raises QuotaSpentError; then
        nothing is written.
        """
        with self._file.write(receipt=receipt) as db:
            if receipt:
                self._spend(db, service, most_calls)
            book(db, job.rule.name, calls=1)
            if draft is not None:
                db.execute("insert or replace into plan values (?, 'delivery', ?)", (job.id, delivery_text(draft)))
            db.execute(
                "insert into step (job, number, part, sent, service) values (?, ?, ?, ?, ?)"
                " on conflict do update set unsure = unsure or sent is not null, sent = excluded.sent,"
                " service = excluded.service, task = null, answer = null, answered = null, outputs = null",
                (job.id, number, part, time.time(), service),
            )
            step = step_of(job.rule, number)
            who = f" ({told(service)})" if named_by(step) else ""
            self._store.event(db, job.id, "sent", f"{called(number, part)}: {step.operation}{who}")

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

    def refused(self, job: Job, number: int, part: str = "") -> None:
        """Record that the service has answered the call with a no: the next try is another call, under another key."""
        with self._file.write() as db:
            db.execute(f"{REFUSED} where job = ? and number = ? and part = ?", (job.id, number, part))

    def withdrawn(
        self,
        job: Job,
        number: int,
        part: str = "",
        *,
        unsent: bool = False,
        untaken: bool = False,
        keep: float | None = None,
    ) -> None:
        """Take back the intent of a call that has no answer: it is asked for again under its own key.

        Args:
            job: Whose call it is.
            number: Of its step.
            part: Which of the step's calls it is.
            unsent: Whether it never went out, so that it does not count.
            untaken: Whether the service has surely not taken it; else no other one is asked from now on.
            keep: When an earlier try went out whose answer is still missing, as Unix time; of that the intent stands,
                since it may have been done.
        """
        with self._file.write() as db:
            db.execute(
                "update step set sent = ?, unsure = unsure or ? where job = ? and number = ? and part = ?",
                (keep, not (unsent or untaken), job.id, number, part),
            )
            if unsent:
                self._uncount(db, job, number, part)

    def this_month(self, service: str = DEFAULT) -> int:
        """Return how many calls went out to a remote service in this calendar month."""
        row = self._file.one("select cast(value as integer) as n from setting where name = ?", (_month(service),))
        return int(row["n"]) if row else 0

    def tried(self, rule: str, service: str, most_calls: int | None) -> None:
        """A call for a sample is about to go out to a remote service; it counts. Raises QuotaSpentError."""
        with self._file.write(receipt=True) as db:
            self._spend(db, service, most_calls)
            book(db, rule, calls=1)

    def tried_pages(self, rule: str, pages: int) -> None:
        """A call for a sample took so many pages."""
        with self._file.write() as db:
            book(db, rule, pages=pages)

    def _spend(self, db: sqlite3.Connection, service: str, most_calls: int | None) -> None:
        """Count one more call of this month. Raises QuotaSpentError where that is more than may be."""
        if self._counted(db, service) > (most_calls if most_calls is not None else math.inf):
            raise QuotaSpentError(most_calls or 0)

    def _counted(self, db: sqlite3.Connection, service: str) -> int:
        """This month's calls with one more."""
        row = db.execute(
            "insert into setting values (?, '1') on conflict do update set value = cast(value as integer) + 1"
            " returning value",
            (_month(service),),
        ).fetchone()
        return int(row["value"])

    def _uncount(self, db: sqlite3.Connection, job: Job, number: int, part: str) -> None:
        asked = "select service from step where job = ? and number = ? and part = ?"
        row = db.execute(asked, (job.id, number, part)).fetchone()
        book(db, job.rule.name, calls=-1)
        db.execute(
            "update setting set value = cast(value as integer) - 1 where name = ? and cast(value as integer) > 0",
            (_month(row["service"] if row is not None and row["service"] else DEFAULT),),
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
        of_step: Sequence[str] = (),
        notes: Sequence[str] = (),
        pages: int = 0,
        receipt: bool,
    ) -> None:
        """Record a call's answer: from here on the call is never made again while its result can be fetched.

        hashes: sha256 of the job's members, where this call has read some of them. warnings: what the result lacks;
        of_step: warnings that are said once for all calls of a step. notes: how it was made, for the job's history.
        pages: how many it took.
        """
        with self._file.write(receipt=receipt) as db:
            db.execute(
                "update step set answer = ?, answered = ?, unsure = 0 where job = ? and number = ? and part = ?",
                (answer, time.time(), job.id, number, part),
            )
            if hashes is not None:
                db.execute("update job set hashes = ? where id = ?", (json.dumps(list(hashes)), job.id))
            if pages:
                book(db, job.rule.name, pages=pages)
            if of_step:
                self._store.warn(db, job.id, of_step)
            if warnings:
                self._store.warn(db, job.id, [f"{called(number, part)}: {text}" if part else text for text in warnings])
            self._store.event(db, job.id, "answered", called(number, part))
            for text in notes:
                self._store.event(db, job.id, "noted", f"{called(number, part)}: {text}")

    def forget_answer(self, job: Job, number: int, part: str = "") -> None:
        """The recorded result has expired on the service: the step must be called again."""
        with self._file.write() as db:
            db.execute(f"{_FORGET} where job = ? and number = ? and part = ?", (job.id, number, part))
            self._store.event(
                db, job.id, "expired", _("{call}: the result is gone from the service", call=called(number, part))
            )

    def ask_again(self, job: Job, number: int, part: str = "") -> None:
        """Forget an answer that asked a person, who has answered: the call is made again with what was said."""
        with self._file.write() as db:
            db.execute(f"{_FORGET} where job = ? and number = ? and part = ?", (job.id, number, part))

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


def _month(service: str) -> str:
    """The setting that counts this calendar month's calls of a service, in local time."""
    return time.strftime("calls:%Y-%m") + ("" if service == DEFAULT else f":{service}")
