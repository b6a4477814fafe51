"""Jobs undone by processes that are killed at any line, over and over, until all of it has ended; a program of its own.

It has one thread, so that it can fork. `python -m tests.crash.undoing FOLDER JOBS SEED` prints what it found as JSON.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from loguru import logger

import paperchute
from paperchute.files.names import OWN_TEMPORARY
from paperchute.jobs.journal import Journal
from paperchute.jobs.undo import trash as trash_module
from paperchute.jobs.undo.assessment import assess
from paperchute.jobs.undo.execution import carry_on, carry_out
from paperchute.jobs.undo.trash import Trash
from tests.jobs.conftest import made_bench
from tests.jobs.makers import new_job

_ROOMS = tuple(f"{Path(paperchute.__file__).parent / room}{os.sep}" for room in ("jobs", "files"))
_LINES = 1500
"""A little more than undoing takes, so that some are not killed."""
_MOST_TRIES = 200
"""Of undoing one job, which takes some five."""


class Killer:
    """SIGKILL before the n-th line of the rooms that move files."""

    def __init__(self, at: int) -> None:
        self._left = at

    def enter(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        """For `sys.settrace`."""
        return self._line if frame.f_code.co_filename.startswith(_ROOMS) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        if event == "line":
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return self._line


def in_child(at: int, act: Callable[[], None]) -> bool:
    """Run it in a process that is killed at that line; whether it was."""
    child = os.fork()
    if child == 0:
        sys.settrace(Killer(at).enter)
        act()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, -signal.SIGKILL), code
    return code != 0


def main(base: Path, jobs: int, seed: int) -> dict[str, int]:
    """Do a number of jobs, and undo them one by one under fire. Raises AssertionError for a promise that is broken."""
    chance = random.Random(seed)
    bin_ = base / "bin"
    bin_.mkdir()
    discard = lambda path: Path(path).rename(bin_ / f"{chance.getrandbits(64)}")  # noqa: E731
    pytest.MonkeyPatch().setattr(trash_module, "send2trash", discard)
    bench = made_bench(base)
    for number in range(jobs):
        bench.drop(f"{number % 7}/{number}.pdf", f"%PDF {number}".encode())
    before = bench.tree()
    done = []
    for number in range(jobs):
        bench.service.outputs = (("1.md", b"1"), ("2.md", b"2")) if number % 3 == 0 else (("r.md", b"%d" % number),)
        done.append(bench.run(bench.hot / f"{number % 7}/{number}.pdf", recursive=True).job)
    path, trash = bench.journal.path, Trash(base / "state" / "trash")
    bench.journal.close()

    def undo(number: int) -> None:
        journal = Journal(path)
        job = journal.queries.job(number)
        assert job is not None
        if job.state == "done":
            carry_out(journal, assess(journal, job), trash)

    def go_on() -> None:
        carry_on(Journal(path), trash)

    kills = 0
    for job in done:
        for _ in range(_MOST_TRIES):
            kills += in_child(chance.randrange(1, _LINES), partial(undo, job.id))
            kills += in_child(chance.randrange(1, _LINES), go_on)
            go_on()
            journal = Journal(path)
            found = journal.queries.job(job.id)
            assert found is not None
            assert not journal.undos.pending()
            assert found.state in ("done", "undone"), found.state
            if found.state == "undone":
                assert journal.inserts.open_job(new_job(job.rule, job.path)) is None, f"{job.path} was taken again"
            journal.close()
            if found.state == "undone":
                break
        else:
            raise AssertionError(f"job {job.id} is never undone: {sorted(bench.tree())}")
    after = bench.tree()
    assert after == before, sorted(set(before.items()) ^ set(after.items()))[:5]
    assert not [one for one in base.rglob("*") if OWN_TEMPORARY in one.name]
    return {"jobs": jobs, "kills": kills, "in_trash": len(list(bin_.iterdir()))}


if __name__ == "__main__":
    logger.remove()
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))  # noqa: T201 -- the answer
