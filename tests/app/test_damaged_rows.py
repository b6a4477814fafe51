"""Whatever a journal's rows hold, the daemon's rounds go on: status, failures, and what is next."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from paperchute.app import failures
from paperchute.app.rulebook import Rulebook
from paperchute.app.status import Board, StatusFile, Surroundings
from paperchute.app.tally import Tally
from paperchute.events import Stream
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import FilingPlan, Job, State
from paperchute.jobs.overview import overview
from paperchute.jobs.switchboard import Circuits
from paperchute.rules.settings import RuleFile, ServiceSettings
from paperchute.watch.watcher import learned_before
from tests.jobs.makers import make_rule, new_job
from tests.observers import Told

STATES: tuple[State, ...] = ("done", "warned", "failed", "waiting", "queued", "running", "cancelled")
VALUES = ("", "garbage", "[]", '{"a": 1}', "null", "[" * 5000, -1, 10**30, b"\xff\x00", "a\0b", "x" * 5000)
KEYS = {"job": "id", "rule": "fingerprint", "plan": "job", "setting": "name"}


class Damaged:
    """A journal with a job in each state; what has been damaged can be put right again."""

    def __init__(self, base: Path) -> None:
        hot = base / "hot"
        hot.mkdir()
        rule = make_rule(hot)
        self.journal = Journal(base / "journal.sqlite", owner=True)
        for state in STATES:
            (hot / f"{state}.pdf").write_bytes(b"%PDF")
        self.journal.inserts.open_jobs([new_job(rule, hot / f"{state}.pdf") for state in STATES])
        jobs = self.journal.queries.jobs()
        for job in jobs:
            self.journal.plans.plan_filing(job, FilingPlan(job.path, base / "hot.failed" / job.path.name))
        self.db = sqlite3.connect(self.journal.path)
        for job in jobs:
            values = (job.path.stem, '["incomplete"]' if job.path.stem == "warned" else "[]", job.id)
            self.db.execute("update job set state = ?, warnings = ?, finished = 1 where id = ?", values)
        self.db.execute("insert into setting values (strftime('calls:%Y-%m', 'now', 'localtime'), '3')")
        self.db.commit()
        rulebook = Rulebook(RuleFile(base / "rules.toml", ServiceSettings(), (rule,)), Told())
        self.board = Board(self.journal, Circuits(Told(), lambda: ("built-in",)), rulebook, Tally())
        self.status_file = base / "status.json"

    def columns(self) -> Iterator[tuple[str, str]]:
        for table, key in KEYS.items():
            for row in self.db.execute(f"pragma table_info({table})").fetchall():
                if row[1] != key:
                    yield table, row[1]

    def rows(self, table: str) -> list[Any]:
        return self.db.execute(f"select * from {table}").fetchall()

    def round(self) -> list[Job]:
        """What a daemon and the command line do with the rows, round by round."""
        self.journal._store.rules.clear()
        self.board.status(Surroundings())
        StatusFile(self.status_file, Stream()).write(self.board.as_json(Surroundings()))
        failures.settle_those_taken_away(self.journal)
        failures.what_to_show(self.journal, None)
        overview(self.journal.path).waits()
        self.journal.queue.next_due()
        self.journal.queue.recover()
        self.journal.queue.claim(self.journal.queue.lines(), 4)
        return self.journal.queries.jobs([], 100)


def test_no_value_of_any_column_ends_the_daemon(tmp_path: Path) -> None:
    damaged = Damaged(tmp_path)
    ended = []
    with closing(damaged.db) as db:
        for table, column in list(damaged.columns()):
            for value in VALUES:
                kept = damaged.rows("job"), damaged.rows(table)
                try:
                    db.execute(f'update {table} set "{column}" = ?', (value,))
                    db.commit()
                except (sqlite3.IntegrityError, OverflowError):  # the file itself refuses it
                    db.rollback()
                    continue
                try:
                    assert len(damaged.round()) == len(STATES)
                except Exception as error:  # noqa: BLE001 - all of them are told at once
                    ended.append((table, column, value if isinstance(value, int) else value[:10], repr(error)))
                for name, rows in (("job", kept[0]), (table, kept[1])):
                    db.execute(f"delete from {name}")
                    db.executemany(f"insert into {name} values ({', '.join('?' * len(rows[0]))})", rows)
                db.commit()
    damaged.journal.close()
    assert not ended


@pytest.mark.parametrize("text", ["garbage", "[]", '{"/hot": 3}', '{"/hot": {".pdf": "long"}}', "[" * 100_000])
def test_what_was_learned_of_writers_is_learned_anew_where_it_cannot_be_read(text: str) -> None:
    assert learned_before(text) == {}
    assert learned_before('{"/hot": {".pdf": 3}}') == {"/hot": {".pdf": 3.0}}
    assert learned_before(None) == {}
