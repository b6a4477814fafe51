"""The journal forgets what ended long ago, and nothing that anybody may still ask of it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paperchute.jobs import pruner
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.pruner import Pruner
from tests.jobs.makers import make_rule, new_job
from tests.observers import Told

DAY = 86_400.0
ROOT = Path(__file__).parents[2]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    (tmp_path / "hot").mkdir()
    found = Journal(tmp_path / "journal.sqlite", owner=True)
    yield found
    found.close()


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruner, "_PAUSE_SECONDS", 0.0)


def taken(journal: Journal, path: Path, content: str = "x", **rule: Any) -> Job:
    """The job, taken up, for a new file."""
    path.write_text(content)
    assert journal.inserts.open_job(new_job(make_rule(path.parent, **rule), path)) is not None
    job = journal.queue.next()
    assert job is not None
    return job


def pruned(journal: Journal, days: float = 91, **rule: Any) -> int:
    """So many jobs are forgotten, so many days from now."""
    return Pruner(journal, lambda: [make_rule(Path("hot"), **rule)], Told()).prune(time.time() + days * DAY)


def left(journal: Journal) -> set[str]:
    return {job.path.name for job in journal.queries.jobs(limit=1000)}


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The file itself, in a transaction."""
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        yield db


def count(path: Path, table: str) -> int:
    with opened(path) as db:
        return int(db.execute(f"select count(*) from {table}").fetchone()[0])


def test_what_ended_long_ago_goes_with_all_that_belongs_to_it(journal: Journal, tmp_path: Path) -> None:
    hot = tmp_path / "hot"
    done, cancelled, failed, waiting = (taken(journal, hot / name) for name in ("done", "cancelled", "failed", "wait"))
    journal.calls.intend(done, 0, receipt=True, most_calls=5)
    journal.calls.answered(done, 0, "", "{}", receipt=True)
    journal.completion.finish(done, "done", kept=False)
    journal.completion.cancel(cancelled, "", kept=False)
    journal.completion.finish(failed, "failed", kept=False)
    journal.queue.wait_until(waiting.id, time.time() + 1000 * DAY, "later", None, attempt=False)
    taken(journal, hot / "running")
    taken(journal, hot / "unfiled")
    unfiled = journal.queries.jobs(limit=1)[0]
    journal.completion.finish(unfiled, "done", kept=False, unfiled=True)
    assert pruned(journal, 89) == 0
    assert pruned(journal, 91) == 2
    assert left(journal) == {"failed", "wait", "running", "unfiled"}
    assert count(journal.path, "step") == 0
    assert journal.calls.this_month() == 1  # what was spent is spent
    assert pruned(journal, 91) == 0


def test_history_is_the_rule_files_own(journal: Journal, tmp_path: Path) -> None:
    for name in ("Short", "Long", "Gone"):
        journal.completion.finish(taken(journal, tmp_path / "hot" / name, name=name), "done", kept=False)
    rules = [make_rule(Path("hot"), name="Short", history=2), make_rule(Path("hot"), name="Long", history=400)]
    pruner = Pruner(journal, lambda: rules, Told())
    now = time.time()
    assert pruner.prune(now + DAY) == 0
    assert pruner.prune(now + 3 * DAY) == 1
    assert left(journal) == {"Long", "Gone"}
    assert pruner.prune(now + 91 * DAY) == 1  # a rule that is no longer there has the usual one
    assert pruner.prune(now + 401 * DAY) == 1


def test_a_file_that_stays_is_never_taken_again(journal: Journal, tmp_path: Path) -> None:
    hot = tmp_path / "hot"
    rule = {"original": "keep"}
    for name in ("here", "gone"):
        journal.completion.finish(taken(journal, hot / name, **rule), "done", kept=True)
    (hot / "gone").unlink()
    assert pruned(journal) == 1
    assert left(journal) == {"here"}
    assert journal.inserts.open_job(new_job(make_rule(hot, **rule), hot / "here")) is None


def test_of_a_file_that_changed_the_latest_is_remembered(journal: Journal, tmp_path: Path) -> None:
    path = tmp_path / "hot" / "a"
    for content in ("one", "two and more", "three and still more"):
        journal.completion.finish(taken(journal, path, content, original="keep"), "done", kept=True)
    assert pruned(journal) == 2
    assert journal.inserts.open_job(new_job(make_rule(path.parent, original="keep"), path)) is None


@pytest.mark.parametrize("away", ["gone", "bare"])
def test_on_a_share_that_is_away_nothing_is_forgotten(journal: Journal, tmp_path: Path, away: str) -> None:
    hot = tmp_path / "hot"
    journal.completion.finish(taken(journal, hot / "a", original="keep"), "done", kept=True)
    hot.rename(tmp_path / "share")
    if away == "bare":
        hot.mkdir()
    assert pruned(journal) == 0
    if away == "bare":
        hot.rmdir()
    (tmp_path / "share").rename(hot)
    assert journal.inserts.open_job(new_job(make_rule(hot, original="keep"), hot / "a")) is None


def test_what_another_rule_has_still_to_do_with_stays(journal: Journal, tmp_path: Path) -> None:
    path = tmp_path / "hot" / "a"
    path.write_text("x")
    rules = [make_rule(path.parent, name=name, also=True) for name in ("A", "B")]
    assert None not in journal.inserts.open_jobs([new_job(rule, path) for rule in rules])
    first, second = journal.queue.claim(journal.queue.lines(), 2)
    journal.completion.finish(first, "done", kept=True)
    journal.completion.finish(second, "failed", kept=False)
    path.rename(tmp_path / "aside")  # where failures are put
    (path.parent / "other").touch()
    assert pruned(journal) == 0
    (tmp_path / "aside").rename(path)
    assert journal.inserts.open_job(new_job(rules[0], path)) is None


def test_a_rule_without_jobs_goes_and_comes_back_with_its_next_job(journal: Journal, tmp_path: Path) -> None:
    journal.completion.finish(taken(journal, tmp_path / "hot" / "a"), "done", kept=False)
    assert pruned(journal) == 1
    assert count(journal.path, "rule") == 0
    assert taken(journal, tmp_path / "hot" / "b").state == "running"


def fill(path: Path, hot: Path, many: int) -> None:
    """So many done jobs, each with its step and history; every hundredth was left in its place, and is there."""
    journal = Journal(path, owner=True)
    job = taken(journal, hot / "first")
    journal.completion.finish(job, "done", kept=False)
    journal.close()
    with opened(path) as db:
        db.execute(
            "with recursive n(i) as (select 2 union all select i + 1 from n where i <= ?) insert into job (token, rule,"
            " rule_name, folder, path, relative, is_set, members, identity, state, stage, created, finished, kept)"
            " select 't' || i, rule, rule_name, folder, folder || '/' || i, i, 0,"
            " replace(members, path, folder || '/' || i), 'i' || i, 'done', 'filing', created, finished - 86400,"
            " i % 100 = 0"
            " from n, job where job.id = ?",
            (many, job.id),
        )
        db.execute("insert into step (job, number, answer) select id, 0, hex(zeroblob(300)) from job")
        db.executemany(
            "insert into event (job, at, kind, text) select id, 0, ?, '' from job",
            [(kind,) for kind in ("queued", "sent", "answered", "done")],
        )
    for number in range(100, many + 1, 100):
        (hot / str(number)).touch()


@pytest.mark.slow
def test_of_a_hundred_thousand_jobs_the_file_shrinks_and_others_work_meanwhile(tmp_path: Path) -> None:
    hot = tmp_path / "hot"
    hot.mkdir()
    path = tmp_path / "journal.sqlite"
    fill(path, hot, 100_000)
    before = path.stat().st_size
    journal = Journal(path, owner=True)
    pruner = Pruner(journal, list, Told())
    forgotten, written = [], 0

    def forget(numbers: Any, real: Any = journal.retention.forget) -> int:
        nonlocal written
        forgotten.append(real(numbers))
        if len(forgotten) % 50 == 0:
            journal.completion.finish(taken(journal, hot / f"new-{len(forgotten)}"), "done", kept=False)
            written += 1
        return forgotten[-1]

    journal.retention.forget = forget  # type: ignore[method-assign]
    assert pruner.prune(time.time() + 89.5 * DAY) == sum(forgotten) == 99_000
    assert max(forgotten) <= 200
    assert written > 5
    assert journal.queries.counts().by_state == {"done": 1001 + written}
    journal.close()
    assert path.stat().st_size < before / 20
    with opened(path) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
        assert db.execute("pragma foreign_key_check").fetchall() == []
        assert db.execute("select count(*) from step").fetchone() == (1001,)


def test_a_file_of_before_shrinks_too(tmp_path: Path) -> None:
    (tmp_path / "hot").mkdir()
    path = tmp_path / "journal.sqlite"
    fill(path, tmp_path / "hot", 3000)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("pragma journal_mode=delete")
        db.execute("pragma auto_vacuum=none")
        db.execute("vacuum")
    before = path.stat().st_size
    journal = Journal(path, owner=True)
    assert pruned(journal) == 2971
    journal.close()
    assert path.stat().st_size < before / 5


def test_the_file_gives_back_as_many_pages_at_once_as_asked(tmp_path: Path) -> None:
    (tmp_path / "hot").mkdir()
    path = tmp_path / "journal.sqlite"
    fill(path, tmp_path / "hot", 2000)
    with opened(path) as db:
        db.execute("delete from event")
        db.execute("delete from step")
    journal = Journal(path, owner=True)
    with opened(path) as db:
        (free,) = db.execute("pragma freelist_count").fetchone()
    assert journal.retention.shrink(free - 1)
    assert not journal.retention.shrink(free)
    journal.close()
    with opened(path) as db:
        assert db.execute("pragma freelist_count").fetchone() == (0,)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs kill -9")
def test_kill_it_anywhere_and_nothing_is_half_forgotten(tmp_path: Path) -> None:
    hot = tmp_path / "hot"
    hot.mkdir()
    path = tmp_path / "journal.sqlite"
    fill(path, hot, 8000)
    code = (
        "import sys, time; from pathlib import Path; from paperchute.jobs.journal import Journal\n"
        "from paperchute.events import Stream; from paperchute.jobs import pruner; pruner._PAUSE_SECONDS = 0.0\n"
        "journal = Journal(Path(sys.argv[1]), owner=True); print('open', flush=True)\n"
        "pruner.Pruner(journal, list, Stream()).prune(time.time() + 91 * 86400)"
    )
    kills = 0
    for pause in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(path)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT / "daemon")},
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(pause)
        process.kill()
        kills += process.wait() == -9
        process.stdout.close()
        with opened(path) as db:
            assert db.execute("pragma integrity_check").fetchone() == ("ok",)
            assert db.execute("pragma foreign_key_check").fetchall() == []
            assert db.execute("select count(*) from job where kept").fetchone() == (80,)
            assert (
                db.execute("select count(*) from step").fetchone() == db.execute("select count(*) from job").fetchone()
            )
    assert kills
    journal = Journal(path, owner=True)
    pruned(journal)
    assert journal.queries.counts().by_state == {"done": 80}
    journal.close()
