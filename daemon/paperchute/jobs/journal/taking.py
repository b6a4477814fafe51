"""Taking in: from what is ready to a job, once for each content at each place, whatever was there before."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from paperchute.files import beneath
from paperchute.jobs.journal.base import COMPANION, JOB, OPEN, Base, companion
from paperchute.jobs.lateness import COUNTED_SECONDS, with_lateness
from paperchute.jobs.records import Job, Member, NewJob, SetFacts
from paperchute.jobs.rows import facts_from, facts_text, identity_of, members_text, stored
from paperchute.jobs.salvage import has_result
from paperchute.rules.model import Rule
from paperchute.rules.stored import rule_to_text

_HELD = (
    "select 1 from member join job on job.id = member.job"
    " where member.path = ? and member.identity = ? and job.rule_name = ?"
)


class Taking(Base):
    """Jobs are opened here, and opened again."""

    @cached_property
    def rebuilt(self) -> bool:
        """Whether jobs of the past were lost with a damaged journal."""
        return self.setting("rebuilt") is not None

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
            rules_of = Counter(new.path for new in news)
            numbers = [self._open(db, new, alone=rules_of[new.path] == 1) for new in news]
        self._rules.update({new.rule.fingerprint: new.rule for new in news})
        return numbers

    def _open(self, db: sqlite3.Connection, new: NewJob, *, alone: bool) -> int | None:
        if any(beneath.key_of(new.rule.folder, member.path) is None for member in new.members):
            return None
        path, identity, fingerprint = stored(new.path), identity_of(new.members), new.rule.fingerprint
        if self._is_at_work(db, new) or self._is_being_done(db, new, identity):
            return None
        asked, new = new, self._judged(db, new)
        self._keep_rule(db, new.rule)
        earlier = db.execute(
            "select id, rule, kept, whole, state, facts from job where path = ? and identity = ? and rule_name = ?"
            " order by kept desc, id desc limit 1",
            (path, identity, new.rule.name),
        ).fetchone()
        if earlier and earlier["kept"]:
            # something may have changed that is another rule's, or no rule's
            db.execute(
                "update job set whole = ?, facts = ? where id = ?", (new.whole, facts_text(new.facts), earlier["id"])
            )
            return self._file_at_last(db, earlier["id"]) if alone else None
        if self.rebuilt and new.rule.original == "keep" and has_result(new):
            self._adopt(db, new, path, identity, fingerprint)
            return None
        # It failed and was moved back, or it was away and is there again: what was paid for is not paid again.
        if earlier and earlier["rule"] == fingerprint and self._rearm(db, earlier["id"]):
            if earlier["state"] == "failed" and asked.facts and new.facts and new.facts.held != asked.facts.held:
                # a person has tried it again, and so said that what came late is to be done by itself
                new = replace(new, facts=replace(asked.facts, warnings=(*asked.facts.warnings, new.facts.held)))
            self._take_over(db, earlier["id"], facts_from(earlier["facts"]), new.facts)
            return int(earlier["id"])
        number = self._insert(db, new, path, identity, fingerprint)
        if number is not None:
            self._event(db, number, "queued", "")
            self._take_over(db, number, None, new.facts)
        return number

    @staticmethod
    def _is_being_done(db: sqlite3.Connection, new: NewJob, identity: str) -> bool:
        """Whether the rule is at work on the folder as it was before more came; that job will see it (`jobs.lateness`).

        Whatever becomes of it, the folder is judged again then.
        """
        found = db.execute(
            f"select 1 from job where path = ? and rule_name = ? and is_set and identity <> ? and state in {OPEN}",
            (stored(new.path), new.rule.name, identity),
        )
        return new.is_set and found.fetchone() is not None

    def _judged(self, db: sqlite3.Connection, new: NewJob) -> NewJob:
        """A set beside what was done lately under its name."""
        if not new.is_set:
            return new
        row = db.execute(
            f"{JOB} where path = ? and rule_name = ? and is_set and identity <> ? and finished > ?"
            " and state in ('done', 'warned', 'failed') order by id desc limit 1",
            (stored(new.path), new.rule.name, identity_of(new.members), time.time() - COUNTED_SECONDS),
        ).fetchone()
        return new if row is None else with_lateness(new, self._job(row))

    def _take_over(self, db: sqlite3.Connection, number: int, before: SetFacts | None, facts: SetFacts | None) -> None:
        """Write down what is known of a set now, in the place of what was."""
        row = db.execute("select warnings from job where id = ?", (number,)).fetchone()
        old = before.warnings if before is not None else ()
        kept = [text for text in json.loads(row["warnings"]) if text not in old]
        values = (facts_text(facts), json.dumps(kept, ensure_ascii=False), number)
        db.execute("update job set facts = ?, warnings = ? where id = ?", values)
        if facts is not None:
            self._warn(db, number, facts.warnings)

    def _keep_rule(self, db: sqlite3.Connection, rule: Rule) -> None:
        """The rule as its jobs end under it, whatever the rule file says by then."""
        fingerprint = rule.fingerprint
        if db.execute("select 1 from rule where fingerprint = ?", (fingerprint,)).fetchone() is None:
            db.execute("insert into rule values (?, ?)", (fingerprint, rule_to_text(rule)))
        elif fingerprint not in self._rules:  # another release may have written it, in a way that this one cannot read
            db.execute("update rule set spec = ? where fingerprint = ?", (rule_to_text(rule), fingerprint))

    def holds(self, rule: str, member: Member) -> bool:
        """Whether a set of the rule that will still run, or was left in place when done, has this very file."""
        values = (stored(member.path), identity_of([member]), rule)
        return self._file.one(f"{_HELD} and (job.state in {OPEN} or job.kept) limit 1", values) is not None

    def earlier_set(self, rule: str, member: Member) -> int | None:
        """The latest job of the rule for a set with this very file, when it failed or was called off; its id."""
        row = self._file.one(
            "select job.id, job.state from member join job on job.id = member.job"
            " where member.path = ? and member.identity = ? and job.rule_name = ? order by job.id desc limit 1",
            (stored(member.path), identity_of([member]), rule),
        )
        return row["id"] if row is not None and row["state"] in ("failed", "cancelled") else None

    def _file_at_last(self, db: sqlite3.Connection, number: int) -> int | None:
        """A job that left its original to another rule, which is not there any more, files it now; None for any other.

        (A rule was taken out of the file while its job had failed, and the original was put back.)
        """
        row = db.execute(f"{JOB} where job.id = ?", (number,)).fetchone()
        job = self._job(row)
        if job.rule.original == "keep" or job.state not in ("done", "warned"):
            return None
        others = f"select 1 from job where (state in {OPEN} or state = 'failed') and {COMPANION} limit 1"
        if db.execute(others, companion(job)).fetchone() is not None:
            return None
        db.execute("update job set unfiled = 1 where id = ?", (number,))
        return number if self._rearm(db, number) else None

    @staticmethod
    def _is_at_work(db: sqlite3.Connection, new: NewJob) -> bool:
        """Whether one of its files belongs to a set of the rule that will still run, and which is never split.

        A crash in the middle of filing a set leaves some of its files, which look like new ones.
        """
        query = f"{_HELD} and job.state in {OPEN} limit 1"
        return any(
            db.execute(query, (stored(member.path), identity_of([member]), new.rule.name)).fetchone() is not None
            for member in new.members
        )

    def _insert(
        self, db: sqlite3.Connection, new: NewJob, path: str | bytes, identity: str, fingerprint: str
    ) -> int | None:
        row = db.execute(
            "insert into job (token, rule, rule_name, folder, priority, path, relative, is_set, members, identity,"
            " whole, state, stage, created) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 'steps', ?)"
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
                new.whole,
                time.time(),
            ),
        ).fetchone()
        if row is None:
            return None
        if len(new.members) > 1 and not new.is_set:
            rows = [(row["id"], stored(member.path), identity_of([member])) for member in new.members]
            db.executemany("insert into member values (?, ?, ?)", rows)
        return int(row["id"])

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

    def rearm(self, job: Job) -> bool:
        """A failed job whose original is back in its place runs again, its answered steps kept. False if not failed."""
        with self._file.write() as db:
            return self._rearm(db, job.id)

    def _rearm(self, db: sqlite3.Connection, number: int) -> bool:
        changed = db.execute(
            "update job set state = 'queued', stage = case when stage = 'filing' or outputs <> '[]' then 'filing'"
            " else 'steps' end, attempts = 0, due = 0, finished = null, kept = 0, unfiled = 0, error = null,"
            " error_code = null, error_text = null, seen = 0"
            " where id = ? and finished is not null and (state in ('failed', 'cancelled') or unfiled)",
            (number,),
        ).rowcount
        if changed:
            db.execute("delete from plan where job = ?", (number,))
            self._event(db, number, "retry", "asked for")
        return bool(changed)
