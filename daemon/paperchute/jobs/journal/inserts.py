"""Taking in: from what is ready, or due, to a job; once for each content at each place, whatever was there before."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from paperchute.files import beneath
from paperchute.files.identity import hash_of
from paperchute.files.names import listed
from paperchute.jobs.codec import UNDECIDED, facts_from, facts_text, identity_of, members_text, stored
from paperchute.jobs.journal.decisions import before_it, go_by, hand_over, take_answers
from paperchute.jobs.journal.salvage import has_result
from paperchute.jobs.journal.store import COMPANION, JOB, OPEN, RETRIED, UNTAKEN, Part, companion
from paperchute.jobs.model import Job, NewJob, SetFacts
from paperchute.language import _
from paperchute.rules.model import Rule
from paperchute.rules.stored import rule_to_text

_MARK = "schedule "

_HELD = (
    "select 1 from member join job on job.id = member.job"
    " where member.path = ? and member.identity = ? and job.rule_name = ?"
)


class Inserts(Part):
    """Jobs are opened here, and opened again."""

    @cached_property
    def rebuilt(self) -> bool:
        """Whether jobs of the past were lost with a damaged journal."""
        return self._store.settings.get("rebuilt") is not None

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
        self._store.rules.update({new.rule.fingerprint: new.rule for new in news})
        if any(number is not None for number in numbers):
            self._store.arrivals.tell()
        return numbers

    def _open(self, db: sqlite3.Connection, new: NewJob, *, alone: bool) -> int | None:
        if any(beneath.key_of(new.rule.folder, member.path) is None for member in new.members):
            return None
        if self._is_renamed(db, new):
            return None
        path, identity, fingerprint = stored(new.path), identity_of(new.members), new.rule.fingerprint
        if self._is_at_work(db, new) or self._is_being_done(db, new, identity) or self._is_undone(db, new, identity):
            return None
        asked, new = new, self._judged(db, new)
        self._store.keep_rule(db, new.rule)
        if new.ladder:
            return self._open_undecided(db, new)
        earlier = db.execute(
            "select id, rule, kept, whole, state, facts, error_code from job where path = ? and identity = ?"
            " and rule_name = ? order by kept desc, id desc limit 1",
            (path, identity, new.rule.name),
        ).fetchone()
        if earlier and earlier["error_code"] == UNTAKEN and self._rearm(db, earlier["id"]):
            go_by(self._store, db, earlier["id"], new.rule, None)  # the rule has no `when` any more
            return int(earlier["id"])
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
            has_failed = earlier["state"] == "failed" or earlier["error_code"] == RETRIED
            if has_failed and asked.facts and new.facts and new.facts.held != asked.facts.held:
                # a person has tried it again, and so said that what came late is to be done by itself
                new = replace(new, facts=replace(asked.facts, warnings=(*asked.facts.warnings, new.facts.held)))
            self._take_over(db, earlier["id"], facts_from(earlier["facts"]), new.facts)
            return int(earlier["id"])
        number = self._insert(db, new, path, identity, fingerprint)
        if number is not None:
            self._store.event(db, number, "queued", "")
            self._take_over(db, number, None, new.facts)
            if earlier:  # the same content: what a person has said of it holds under any rule
                db.execute(
                    "update job set said = case when one.rule = job.rule then one.said end"
                    " from (select * from job where id = ?) as one where job.id = ?",
                    (earlier["id"], number),
                )
                take_answers(db, earlier["id"], number)
        return number

    def _open_undecided(self, db: sqlite3.Connection, new: NewJob) -> int | None:
        """Open, or open again, the job of a file whose document decides which of the rules have it; see `_open`."""
        before = before_it(db, new)
        for number, is_undecided in before.go_on:
            self._rearm(db, number)
            if is_undecided:
                go_by(self._store, db, number, new.rule, UNDECIDED)
        if before.go_on:
            return before.go_on[0][0]
        if before.is_settled:
            return self._file_at_last(db, before.last) if before.last else None
        opened = self._insert(db, new, stored(new.path), identity_of(new.members), new.rule.fingerprint)
        if opened is not None:
            self._store.event(db, opened, "queued", "")
            db.execute("update job set ladder = ? where id = ?", (UNDECIDED, opened))
            hand_over(db, new, opened)
        return opened

    def _is_renamed(self, db: sqlite3.Connection, new: NewJob) -> bool:
        """Decide whether a job of the rule has begun on the input under another name, and have it go on under this."""
        if new.rule.shared:  # what is claimed has a name of its own
            return False
        rows = db.execute(
            f"{JOB} where job.folder = ? and (job.rule_name = ? or job.ladder = ?) and job.started is not null"
            f" and job.state in {OPEN} and job.stage = 'steps' and job.path <> ?",
            (stored(new.rule.folder), new.rule.name, json.dumps(new.ladder) if new.ladder else "", stored(new.path)),
        ).fetchall()
        for row in rows:
            job = self._store.job(row)
            is_decided = bool(new.ladder) and row["ladder"] != UNDECIDED  # under whichever rule, by the same ones
            if (job.rule.fingerprint != new.rule.fingerprint and not is_decided) or not _has_become(job, new):
                continue
            db.execute(
                "update job set path = ?, relative = ?, members = ?, identity = ?, whole = ?, facts = ? where id = ?",
                (
                    stored(new.path),
                    stored(new.relative),
                    members_text(new.members),
                    identity_of(new.members),
                    new.whole,
                    facts_text(new.facts),
                    job.id,
                ),
            )
            self._store.event(db, job.id, "renamed", f"{job.path.name} -> {new.path.name}")
            return True
        return False

    @staticmethod
    def _is_being_done(db: sqlite3.Connection, new: NewJob, identity: str) -> bool:
        """Tell if the rule is at work on the folder as it was before more came; that job sees it (`inputs.late_files`).

        Whatever becomes of it, the folder is judged again then.
        """
        found = db.execute(
            f"select 1 from job where path = ? and rule_name = ? and is_set and identity <> ? and state in {OPEN}",
            (stored(new.path), new.rule.name, identity),
        )
        return new.is_set and found.fetchone() is not None

    @staticmethod
    def _is_undone(db: sqlite3.Connection, new: NewJob, identity: str) -> bool:
        """Tell if a person has taken back what was done of it: no rule takes it until it changes, or is tried again."""
        found = db.execute(
            "select 1 from job where path = ? and state = 'undone' and kept"
            " and (identity = ? or (whole <> '' and whole = ?))",
            (stored(new.path), identity, new.whole),
        )
        return found.fetchone() is not None

    def _judged(self, db: sqlite3.Connection, new: NewJob) -> NewJob:
        """A set beside what was done lately under its name."""
        if not new.is_set:
            return new
        row = db.execute(
            f"{JOB} where path = ? and rule_name = ? and is_set and identity <> ? and finished > ?"
            " and state in ('done', 'warned', 'failed') order by id desc limit 1",
            (stored(new.path), new.rule.name, identity_of(new.members), time.time() - _COUNTED_SECONDS),
        ).fetchone()
        return new if row is None else _with_lateness(new, self._store.job(row))

    def _take_over(self, db: sqlite3.Connection, number: int, before: SetFacts | None, facts: SetFacts | None) -> None:
        """Write down what is known of a set now, in the place of what was."""
        row = db.execute("select warnings from job where id = ?", (number,)).fetchone()
        old = before.warnings if before is not None else ()
        kept = [text for text in json.loads(row["warnings"]) if text not in old]
        values = (facts_text(facts), json.dumps(kept, ensure_ascii=False), number)
        db.execute("update job set facts = ?, warnings = ? where id = ?", values)
        if facts is not None:
            self._store.warn(db, number, facts.warnings)

    def renew_rules(self, rules: Iterable[Rule]) -> None:
        """Have the open jobs of these rules go by them in all that changes no result, such as their priority."""
        with self._file.write() as db:
            for rule in rules:
                db.execute("update rule set spec = ? where fingerprint = ?", (rule_to_text(rule), rule.fingerprint))
                db.execute(
                    f"update job set priority = ? where state in {OPEN} and rule_name = ? and folder = ?",
                    (rule.priority, rule.name, stored(rule.folder)),
                )
        self._store.rules.update({rule.fingerprint: rule for rule in rules})

    def take_rule(self, job: Job, rule: Rule) -> None:
        """Have a job without files, which has made no call yet, go by its rule as it stands."""
        with self._file.write() as db:
            self._store.keep_rule(db, rule)
            db.execute("update job set rule = ? where id = ?", (rule.fingerprint, job.id))
        self._store.rules[rule.fingerprint] = rule

    def _file_at_last(self, db: sqlite3.Connection, number: int) -> int | None:
        """A job that left its original to another rule, which is not there any more, files it now; None for any other.

        (A rule was taken out of the file while its job had failed, and the original was put back.)
        """
        row = db.execute(f"{JOB} where job.id = ?", (number,)).fetchone()
        job = self._store.job(row)
        if job.rule.original == "keep" or job.state not in ("done", "warned"):
            return None
        others = f"select 1 from job where (state in {OPEN} or state = 'failed') and {COMPANION} limit 1"
        if db.execute(others, companion(job)).fetchone() is not None:
            return None
        db.execute("update job set unfiled = 1 where id = ?", (number,))
        return number if self._rearm(db, number) else None

    @staticmethod
    def _is_at_work(db: sqlite3.Connection, new: NewJob) -> bool:
        """Decide whether one of its files belongs to a set of the rule that will still run, and which is never split.

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
            note = _("Its result was there already when the journal was lost.")
            db.execute(
                "update job set state = 'done', stage = 'filing', finished = created, kept = 1, note = ? where id = ?",
                (note, number),
            )
            self._store.event(db, number, "done", note)

    def rearm(self, job: Job) -> bool:
        """A failed job whose original is back in its place runs again, its answered steps kept. False if not failed."""
        with self._file.write() as db:
            rearmed = self._rearm(db, job.id)
        self._store.arrivals.tell()
        return rearmed

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
            self._store.event(db, number, "retry", _("asked for"))
        return bool(changed)

    # ---------- what is due by a schedule ----------

    def open_due(self, new: NewJob, due: str, *, now: str, furthest: str) -> int | None:
        """Write down the job of a rule that was due at `due` for the last time; its id, None where there is none to do.

        There is none where that time has been seen to, where the rule is new, and while the job before is at work:
        then one follows when that has ended. Times are local, as ISO 8601 without a zone. furthest: what a time that
        was seen to cannot be behind, unless the clock was set back since.
        """
        name = _mark(new.rule)
        if due <= (self._store.settings.get(name) or "") <= furthest:
            return None  # it is asked several times a second, and mostly nothing is due
        with self._file.write() as db:
            row = db.execute("select value from setting where name = ?", (name,)).fetchone()
            number, seen = None, now
            if row is not None and row["value"] <= furthest:
                if due <= row["value"]:
                    return None
                self._store.keep_rule(db, new.rule)
                fingerprint = new.rule.fingerprint
                number, seen = self._insert(db, new, stored(new.path), identity_of(()), fingerprint), due
                if number is None:
                    return None
                self._store.event(db, number, "queued", _("it was due at {time}", time=due.replace("T", " ")))
            db.execute("insert or replace into setting values (?, ?)", (name, seen))
        self._store.rules[new.rule.fingerprint] = new.rule
        if number is not None:
            self._store.arrivals.tell()
        return number

    def keep_schedules(self, rules: Iterable[Rule]) -> None:
        """Forget how far the schedules of other rules than these were seen to: should one come back, it is new."""
        known = {_mark(rule) for rule in rules}
        with self._file.write() as db:
            rows = db.execute("select name from setting where substr(name, 1, ?) = ?", (len(_MARK), _MARK)).fetchall()
            db.executemany(
                "delete from setting where name = ?", [(row["name"],) for row in rows if row["name"] not in known]
            )


_MOST_HASHED = 256 << 20
"""Bytes of a file that is read to see whether it is a copy, while others wait to write to the journal."""


def _has_become(job: Job, new: NewJob) -> bool:
    """Decide whether what a job was made for is gone from its place and is now what `new` is for."""
    if len(job.members) != len(new.members) or (len(new.members) > 1 and not new.is_set):
        return False
    if not job.members or any(beneath.key_of(job.rule.folder, member.path) is not None for member in job.members):
        return False
    hashes = job.hashes or ("",) * len(job.members)
    return all(
        (old.key.inode and old.key == now.key)
        or (sha256 and old.key.size == now.key.size <= _MOST_HASHED and hash_of(now.path) == sha256)
        for old, now, sha256 in zip(job.members, new.members, hashes, strict=True)
    )


def _mark(rule: Rule) -> str:
    """Another schedule under the same name begins anew."""
    return f"{_MARK}{rule.schedule} {rule.name}"


_COUNTED_SECONDS = 3600.0
"""A folder that has the name of a set done so long ago is another set: nobody copies one for an hour."""


def _with_lateness(new: NewJob, done: Job) -> NewJob:
    """A set whose folder bears the name of one that was done lately, or failed: is it the rest of that one?

    What came too late for a set is never done unsaid: the rest alone fails with a sentence that names the job it came
    too late for, and that job is told.

    It is the rest where the two have no name in common, since what is dropped anew brings its files along; a rule that
    has a count or an end mark tells by these. A set that was left in its place and has grown, or that has
    lost some of its files, is done anew, and that is said.
    """
    if new.facts is None or new.facts.held:
        return new
    failed = done.state == "failed"
    before = {member.path.relative_to(done.path): member.key for member in done.members}
    now = {member.path.relative_to(new.path): member.key for member in new.members}
    when = time.strftime("%H:%M", time.localtime(done.finished))
    late = listed([name.name for name in now if name not in before])
    lacks = listed([name.name for name in before if name not in now])
    if new.rule.set_size or new.rule.set_end:
        lacks = ""
    if lacks and before.keys().isdisjoint(now.keys()):
        held = _came_late(new, done, late, when)
        return replace(new, facts=replace(new.facts, held=held, after=None if failed else done.id))
    if late and not failed and before.items() <= now.items():
        said = _(
            "The set was done at {time} (job {job}) without {files}: use this result instead.",
            time=when,
            job=done.id,
            files=late,
        )
        warnings = (*new.facts.warnings, said)
        return replace(new, facts=replace(new.facts, warnings=warnings, after=done.id))
    if lacks and not failed:
        said = _(
            "A set of this name was done at {time} (job {job}) with {files}, which this one lacks.",
            time=when,
            job=done.id,
            files=lacks,
        )
        return replace(new, facts=replace(new.facts, warnings=(*new.facts.warnings, said)))
    return new


def _came_late(new: NewJob, done: Job, files: str, when: str) -> str:
    """Return why the rest of a set is not done by itself."""
    if done.state == "failed":
        said = _(
            "{files} came after the set '{name}' failed at {time} (job {job}).",
            files=files,
            name=new.path.name,
            time=when,
            job=done.id,
        )
    else:
        said = _(
            "{files} came after the set '{name}' was done at {time} (job {job}).",
            files=files,
            name=new.path.name,
            time=when,
            job=done.id,
        )
    advice = _("Put the whole set together and drop it again, or try again to have this done as a set of its own.")
    return f"{said} {advice}"
