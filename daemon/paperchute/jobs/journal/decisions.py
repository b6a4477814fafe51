"""Which rules have a document, where what it says of itself decides that: asked, decided, or none has it.

A file whose rules have `when` is one job at first, under the first of them, and undecided. Once its document is read it
goes on under the first rule that has it, and further rules that have it too (`also`) get jobs of their own.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paperchute.jobs.codec import UNDECIDED, identity_of, stored
from paperchute.jobs.journal.store import OPEN, RETRIED, UNTAKEN, Part, Store
from paperchute.jobs.model import Job, NewJob
from paperchute.redaction import clean
from paperchute.rules.document_fields import READING, step_of
from paperchute.rules.model import Rule
from paperchute.rules.stored import rule_from_text

if TYPE_CHECKING:  # it brings the writer of rule files, which a list of jobs does without
    from paperchute.rules.when import Rung

_HANDED_ON = "folder, path, relative, is_set, members, identity, whole, hashes, said, answers"
"""What the jobs on one document have in common."""


class Decisions(Part):
    """Jobs whose rule hangs on their document."""

    def ask(self, job: Job, rungs: Sequence[Rung], senders: str) -> None:
        """Keep what each rule asks of a job's document, so that it is known what an answer decides.

        senders: the path of the list of known ones that it was read with.
        """
        with self._file.write() as db:
            asks = json.dumps({"rungs": [[when, also] for when, also in rungs], "senders": senders}, ensure_ascii=False)
            db.execute("update job set asks = ? where id = ?", (asks, job.id))

    def asked(self, job: Job) -> tuple[list[Rung], str] | None:
        """Return what `ask` has kept of an undecided job; None for any other."""
        row = self._file.one("select asks from job where id = ?", (job.id,))
        if not job.undecided or row is None or row["asks"] is None:
            return None
        asks = json.loads(row["asks"])
        return [(dict(when), bool(also)) for when, also in asks["rungs"]], str(asks["senders"])

    def begin_with(self, job: Job, rule: Rule) -> None:
        """Have an undecided job go by another rule, since that is the first one now."""
        with self._file.write() as db:
            go_by(self._store, db, job.id, rule, UNDECIDED)
        self._store.rules[rule.fingerprint] = rule

    def take(self, job: Job, takers: Sequence[Rule], ladder: Sequence[str], told: str) -> bool:
        """Have the rules that have a job's document do their work: the job goes on under the first, others get jobs.

        ladder: the fingerprints of all that might have had it. told: why it is these, for the job's history. A rule
        that has done its work on this very file, or is at it, is passed over; False where that leaves none.
        """
        names, text = [rule.name for rule in takers], json.dumps(list(ladder))
        with self._file.write() as db:
            busy = {
                row["rule_name"]
                for row in db.execute(
                    f"select rule_name from job where path = ? and identity = ? and id <> ? and (state in {OPEN}"
                    " or (kept and state in ('done', 'warned')))",
                    (stored(job.path), identity_of(job.members), job.id),
                )
            }
            free = [rule for rule, name in zip(takers, names, strict=True) if name not in busy]
            if not free:
                return False
            go_by(self._store, db, job.id, free[0], text)
            self._store.event(db, job.id, "decided", told)
            for rule in free[1:]:
                self._open_beside(db, job, rule, text)
        self._store.rules.update({rule.fingerprint: rule for rule in free})
        if free[1:]:
            self._store.arrivals.tell()
        return True

    def leave(self, job: Job, ladder: Sequence[str], note: str) -> None:
        """End a job whose document no rule has: it stays where it is, and is not read again as it is."""
        with self._file.write() as db:
            db.execute(
                "update job set state = 'cancelled', finished = ?, note = ?, kept = 1, error = null, error_code = ?,"
                " ladder = ? where id = ?",
                (time.time(), clean(note), UNTAKEN, json.dumps(list(ladder)), job.id),
            )
            self._store.event(db, job.id, "cancelled", note)

    def why_left(self, new: NewJob) -> str:
        """Say why no rule has a file by what it says; empty where that was not so."""
        row = self._file.one(
            "select note from job where path = ? and identity = ? and state = 'cancelled' and kept and error_code = ?",
            (stored(new.path), identity_of(new.members), UNTAKEN),
        )
        return str(row["note"]) if row is not None else ""

    def _open_beside(self, db: sqlite3.Connection, job: Job, rule: Rule, ladder: str) -> None:
        self._store.keep_rule(db, rule)
        row = db.execute(
            f"insert into job (token, rule, rule_name, priority, state, stage, created, ladder, {_HANDED_ON})"
            f" select ?, ?, ?, ?, 'queued', 'steps', ?, ?, {_HANDED_ON} from job where id = ? returning id",
            (secrets.token_hex(8), rule.fingerprint, rule.name, rule.priority, time.time(), ladder, job.id),
        ).fetchone()
        db.execute("insert into member select ?, path, identity from member where job = ?", (row["id"], job.id))
        self._store.event(db, row["id"], "queued", "")


def go_by(store: Store, db: sqlite3.Connection, number: int, rule: Rule, ladder: str | None) -> None:
    """Put a job under a rule. ladder: as the column has it."""
    store.keep_rule(db, rule)
    db.execute(
        "update job set rule = ?, rule_name = ?, priority = ?, ladder = ?, asks = null where id = ?",
        (rule.fingerprint, rule.name, rule.priority, ladder, number),
    )


@dataclass(frozen=True)
class Before:
    """What became of the very same file before."""

    is_settled: bool = False
    """Whether nothing new is to be opened for it."""
    go_on: tuple[tuple[int, bool], ...] = ()
    """Jobs that go on, and whether which rule they have is open (again)."""
    last: int | None = None
    """The latest job that is done with it and has left it in its place."""


def before_it(db: sqlite3.Connection, new: NewJob) -> Before:
    """Find what became of a file before whose document decides which rules have it.

    A file that no rule had is judged again once other rules may have it; what has failed goes on, if the rules are
    those that it was decided by.
    """
    rows = db.execute(
        "select id, rule_name, state, kept, unfiled, ladder, error_code from job where path = ? and identity = ?"
        " and (ladder is not null or rule_name = ?) order by id desc",
        (stored(new.path), identity_of(new.members), new.rule.name),
    ).fetchall()
    if any(row["state"] in ("queued", "running", "waiting") for row in rows):
        return Before(is_settled=True)
    if not rows:
        return Before()
    latest, ladder = rows[0], json.dumps(list(new.ladder))
    if latest["error_code"] == UNTAKEN and latest["kept"]:
        is_same = latest["ladder"] == ladder
        return Before(is_same, () if is_same else ((latest["id"], True),))
    ended = [row for row in rows if (row["state"] in ("failed", "cancelled") and not row["kept"]) or row["unfiled"]]
    if latest in ended and latest["ladder"] == UNDECIDED:
        return Before(go_on=((latest["id"], True),))
    alike = {row["rule_name"]: row for row in reversed(ended) if row["ladder"] == ladder}
    if alike:
        return Before(go_on=tuple((row["id"], False) for row in alike.values()))
    kept = [row for row in rows if row["kept"]]
    has_failed = any(row["state"] == "failed" or row["error_code"] == RETRIED for row in ended)
    return Before(bool(kept) and not has_failed, last=kept[0]["id"] if kept else None)


def hand_over(db: sqlite3.Connection, new: NewJob, number: int) -> None:
    """Give a new job what an earlier one on the very same file has read, under the same recognition, and was told."""
    row = db.execute(
        "select job.id, job.said, rule.spec from job join rule on rule.fingerprint = job.rule where path = ?"
        " and identity = ? and id <> ? and (said is not null or answers <> '{}') order by id desc limit 1",
        (stored(new.path), identity_of(new.members), number),
    ).fetchone()
    if row is not None:
        said = row["said"] if step_of(rule_from_text(row["spec"]), READING) == step_of(new.rule, READING) else None
        db.execute("update job set said = ? where id = ?", (said, number))
        take_answers(db, row["id"], number)


def take_answers(db: sqlite3.Connection, earlier: int, number: int) -> None:
    """Give a job what a person has said of the very same file; of what steps made of it only under the same rule."""
    found = db.execute(
        "select one.answers, one.rule = job.rule as is_same from job join job as one on one.id = ? where job.id = ?",
        (earlier, number),
    ).fetchone()
    answers = json.loads(found["answers"])
    kept = {name: text for name, text in answers.items() if found["is_same"] or "." not in name}
    db.execute("update job set answers = ? where id = ?", (json.dumps(kept, ensure_ascii=False), number))
