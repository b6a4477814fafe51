"""Jobs cut off in the middle, as by a crash, and taken up again."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from paperchute.files.identity import key_of
from paperchute.files.names import OWN_TEMPORARY
from paperchute.jobs.journal.database import Database
from paperchute.jobs.model import Job, Member, NewJob
from tests.jobs.bench import Bench
from tests.jobs.makers import make_rule


class Crash(BaseException):
    """The end of the process, as far as the runner can tell."""


def crash(*_: Any, **__: Any) -> None:
    raise Crash


def then_crash(act: Callable[..., Any]) -> Callable[..., Any]:
    """`act`, and right after it the end."""

    def acted(*args: Any, **more: Any) -> None:
        act(*args, **more)
        raise Crash

    return acted


def crashes_at_write(number: int, run: Callable[[], object], *, after: bool) -> bool:
    """Run with the end at that write to a journal; whether it came so far.

    Writes are counted from 1, and it ends before or `after` the commit.
    """
    write = Database.write
    left = number

    @contextlib.contextmanager
    def crashing(database: Database, *, receipt: bool = False) -> Iterator[sqlite3.Connection]:
        nonlocal left
        left -= 1
        if left == 0 and not after:
            raise Crash
        with write(database, receipt=receipt) as db:
            yield db
        if left == 0 and after:
            raise Crash

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Crash):
        patch.setattr(Database, "write", crashing)
        run()
    return left <= 0


def interrupted(bench: Bench, job: Job) -> Job:
    """Run a job into its crash; the job as it is taken up again after the restart."""
    with pytest.raises(Crash):
        bench.runner.run(job)
    return taken_up(bench)


def taken_up(bench: Bench) -> Job:
    bench.journal.queue.recover()
    bench.journal.queue.retry_now()
    job = bench.journal.queue.next()
    assert job is not None
    return job


def gathered(bench: Bench, **rule: Any) -> Job:
    """A job for a set of two files."""
    members = tuple(bench.drop(f"set/{name}", b"%PDF " + name.encode()) for name in ("1.pdf", "2.pdf"))
    keys = tuple(Member(path, key) for path in members if (key := key_of(path)))
    made = make_rule(bench.hot, gather="folder", **rule)
    assert (
        bench.journal.inserts.open_job(NewJob(made, bench.hot / "set", PurePosixPath("set"), keys, is_set=True))
        is not None
    )
    return taken_up(bench)


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if OWN_TEMPORARY in path.name]
