"""Jobs without a file: one for each time that their rule's schedule names, whatever stops or sleeps in between."""

from __future__ import annotations

from collections.abc import Iterable

from paperchute.jobs.journal.taking import Taking
from paperchute.jobs.records import NewJob
from paperchute.jobs.rows import identity_of, stored
from paperchute.rules.model import Rule

_MARK = "schedule "


class Scheduling(Taking):
    """The time up to which a rule's due times are seen to is a setting, written together with the job."""

    def open_due(self, new: NewJob, due: str, *, now: str, furthest: str) -> int | None:
        """Write down the job of a rule that was due at `due` for the last time; its id, None where there is none to do.

        There is none where that time has been seen to, where the rule is new, and while the job before is at work:
        then one follows when that has ended. Times are local, as ISO 8601 without a zone. furthest: what a time that
        was seen to cannot be behind, unless the clock was set back since.
        """
        name = _mark(new.rule)
        if due <= (self.setting(name) or "") <= furthest:
            return None  # it is asked several times a second, and mostly nothing is due
        with self._file.write() as db:
            row = db.execute("select value from setting where name = ?", (name,)).fetchone()
            number, seen = None, now
            if row is not None and row["value"] <= furthest:
                if due <= row["value"]:
                    return None
                self._keep_rule(db, new.rule)
                fingerprint = new.rule.fingerprint
                number, seen = self._insert(db, new, stored(new.path), identity_of(()), fingerprint), due
                if number is None:
                    return None
                self._event(db, number, "queued", f"it was due at {due.replace('T', ' ')}")
            db.execute("insert or replace into setting values (?, ?)", (name, seen))
        self._rules[new.rule.fingerprint] = new.rule
        return number

    def keep_schedules(self, rules: Iterable[Rule]) -> None:
        """Forget how far the schedules of other rules than these were seen to: should one come back, it is new."""
        known = {_mark(rule) for rule in rules}
        with self._file.write() as db:
            rows = db.execute("select name from setting where substr(name, 1, ?) = ?", (len(_MARK), _MARK)).fetchall()
            db.executemany(
                "delete from setting where name = ?", [(row["name"],) for row in rows if row["name"] not in known]
            )


def _mark(rule: Rule) -> str:
    """Another schedule under the same name begins anew."""
    return f"{_MARK}{rule.schedule} {rule.name}"
