"""Journals from the past and journals that broke: what was done stays done."""

from __future__ import annotations

import contextlib
import json
import os
import random
import sqlite3
import time
from pathlib import Path

import pytest

from paperchute.jobs.codec import members_text
from paperchute.jobs.journal import Journal, JournalError
from paperchute.jobs.journal.schema import MIGRATIONS
from paperchute.rules.model import Rule
from paperchute.rules.stored import rule_to_text
from tests.jobs.makers import make_rule, new_job


@pytest.fixture
def hot(tmp_path: Path) -> Path:
    folder = tmp_path / "hot"
    folder.mkdir()
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def drop(hot: Path, name: str) -> Path:
    file = hot / name
    file.write_bytes(b"%PDF " + name.encode())
    return file


def filled(path: Path, rule: Rule, count: int) -> None:
    """A journal in which the first half of `count` kept files is done; closed as a crash leaves it."""
    journal = Journal(path, owner=True)
    journal.inserts.open_jobs([new_job(rule, drop(rule.folder, f"{number}.pdf")) for number in range(count)])
    for _ in range(count // 2):
        job = journal.queue.next()
        assert job is not None
        journal.completion.finish(job, "done", kept=True)
    journal._store.file.close()  # without the mark of an orderly end


def test_a_journal_of_the_first_version_is_brought_up_to_date(path: Path, hot: Path) -> None:
    rule = make_rule(hot, original="keep")
    kept, waiting = (new_job(rule, drop(hot, name)) for name in ("kept.pdf", "waiting.pdf"))
    old = sqlite3.connect(path)
    old.executescript(MIGRATIONS[0][0])
    old.execute("pragma user_version = 1")
    old.execute("insert into rule values (?, ?)", (rule.fingerprint, rule_to_text(rule)))
    for new, state, is_kept in ((kept, "done", 1), (waiting, "waiting", 0)):
        (member,) = new.members
        with_device = [[str(member.path), 2049, member.key.inode, member.key.size, member.key.mtime]]
        old.execute(
            "insert into job (token, rule, rule_name, folder, path, relative, is_set, members, identity, state, stage,"
            " created, finished, kept) values (?, ?, ?, ?, ?, ?, 0, ?, 'old', ?, 'steps', 1.0, ?, ?)",
            (
                f"token of {new.path.name}",
                rule.fingerprint,
                rule.name,
                str(hot),
                str(new.path),
                new.path.name,
                json.dumps(with_device),
                state,
                1.0 if is_kept else None,
                is_kept,
            ),
        )
    old.commit()
    old.close()

    journal = Journal(path, owner=True)
    assert journal.salvage is None
    assert journal.inserts.open_jobs([kept, waiting]) == [None, None], "both are known"
    job = journal.queue.next()
    assert job is not None
    assert (job.path, job.members) == (waiting.path, waiting.members)
    assert members_text(job.members) == members_text(waiting.members)


def test_an_orderly_end_and_a_crash_of_a_sound_journal_need_no_salvage(path: Path, hot: Path) -> None:
    filled(path, make_rule(hot), 4)
    crashed = Journal(path, owner=True)
    assert crashed.salvage is None
    assert crashed.queries.counts().of("queued") == 2
    crashed.close()
    assert Journal(path, owner=True).salvage is None


@pytest.mark.parametrize("seed", range(6))
def test_of_a_journal_with_broken_pages_the_rest_is_kept(path: Path, hot: Path, seed: int) -> None:
    rule = make_rule(hot, original="keep")
    filled(path, rule, 300)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    pages = len(content) // 4096
    for page in chance.sample(range(30, pages), 3):  # behind the tables' own first pages
        content[page * 4096 : page * 4096 + 600] = chance.randbytes(600)
    path.write_bytes(content)

    journal = Journal(path, owner=True)
    assert journal.salvage is not None
    assert journal.salvage.aside.read_bytes()[:16] == b"SQLite format 3\0", "the damaged one is still there"
    assert journal.salvage.jobs >= 100, "three bad pages of many"
    assert [tuple(row) for row in journal._store.file.all("pragma integrity_check")] == [("ok",)]
    assert [tuple(row) for row in journal._store.file.all("pragma foreign_key_check")] == []
    done = {job.path for job in journal.queries.jobs(["done"], 1000)}
    news = [new_job(rule, file) for file in hot.iterdir()]
    again = {new.path for new, number in zip(news, journal.inserts.open_jobs(news), strict=True) if number is not None}
    assert not again & done, "what is known to be done is not done again"
    assert {job.path for job in journal.queries.jobs(["queued", "done"], 1000)} == set(hot.iterdir()), (
        "and nothing is forgotten"
    )


def test_a_journal_that_is_no_database_is_set_aside_and_results_tell_what_was_done(path: Path, hot: Path) -> None:
    rule = make_rule(hot, original="keep")
    done, open_ = drop(hot, "done.pdf"), drop(hot, "open.pdf")
    redone = drop(hot, "changed since.pdf")
    results = hot.with_name("hot.out")
    results.mkdir()
    for name in ("done.md", "changed since.md"):
        (results / name).write_text("# result")
    os.utime(redone, (time.time() + 5, time.time() + 5))
    path.write_bytes(b"this was once a journal" * 1000)

    journal = Journal(path, owner=True)
    assert journal.salvage is not None
    assert not journal.salvage.whole
    assert "damaged" in str(journal.salvage)
    numbers = journal.inserts.open_jobs([new_job(rule, file) for file in (done, open_, redone)])
    assert [number is not None for number in numbers] == [False, True, True]
    (adopted,) = journal.queries.jobs(["done"])
    assert adopted.path == done
    assert journal.inserts.open_job(new_job(rule, done)) is None


def test_who_only_looks_leaves_a_damaged_journal_where_it_is(path: Path) -> None:
    path.write_bytes(b"this was once a journal" * 1000)
    with pytest.raises(JournalError, match="sets it aside"):
        Journal(path)
    assert path.read_bytes().startswith(b"this was")


def test_damage_that_comes_while_in_use_is_noticed(path: Path, hot: Path) -> None:
    filled(path, make_rule(hot), 300)
    journal = Journal(path, owner=True)
    journal._store.file.one("pragma wal_checkpoint(truncate)")
    assert not journal.damaged
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(random.Random(1).randbytes(path.stat().st_size - 4096))
    journal._store.file.one("pragma shrink_memory")
    with pytest.raises(sqlite3.DatabaseError):
        journal.queries.jobs(["done", "queued"], 1000)
    assert journal.damaged
