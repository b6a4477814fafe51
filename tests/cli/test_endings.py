"""How Windows tells the program to end, asked of a daemon as it is installed there: one with no console."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.journeys.daemon import Paperchute, names, wait_until

if sys.platform != "win32":
    pytest.skip("a matter of Windows", allow_module_level=True)
else:
    from tests.windows import (
        CLOSE,
        CONSOLE_CLOSED,
        CTRL_BREAK,
        DETACHED,
        END_SESSION,
        QUERY_END_SESSION,
        say,
        shown_by,
        tell,
        windows_of,
    )

assert sys.platform == "win32"  # what follows is for mypy to check there alone
LETTERS = 40
RULES = """
version = 1
[[rule]]
name = "Read"
folder = "hot"
operation = "html-to-pdf"
"""


@pytest.fixture
def paperchute(tmp_path: Path) -> Iterator[Paperchute]:
    paperchute = Paperchute(tmp_path, RULES)
    hot = tmp_path / "hot"
    hot.mkdir()
    for number in range(LETTERS):
        (hot / f"{number}.html").write_text(f"<!doctype html><h1>Letter {number}</h1>", "utf-8")
    paperchute.start(**DETACHED)
    yield paperchute
    paperchute.close()


def at_work(paperchute: Paperchute) -> list[psutil.Process]:
    """Wait until letters are delivered, with more to do; the daemon's engine and its workers."""
    assert paperchute.process is not None
    wait_until(lambda: names(paperchute.folder / "hot.out"))
    assert names(paperchute.folder / "hot")
    children = psutil.Process(paperchute.process.pid).children(recursive=True)
    assert len(children) >= 2
    return children


def test_log_off_cuts_work_off(paperchute: Paperchute) -> None:
    children = at_work(paperchute)
    assert paperchute.process is not None
    all_windows = windows_of(paperchute.process.pid)
    for window in all_windows:
        assert say(window, QUERY_END_SESSION) == 1
    for window in all_windows:
        say(window, END_SESSION)  # somebody else has said no
    assert paperchute.process.poll() is None
    for window in all_windows:
        say(window, END_SESSION, certain=True)
    assert stopped(paperchute), "by the time all have answered: the process may be ended from then on"
    assert paperchute.process.wait(120) == 0
    goes_on(paperchute, children)


def test_taskkill_cuts_work_off(paperchute: Paperchute) -> None:
    children = at_work(paperchute)
    assert paperchute.process is not None
    for window in windows_of(paperchute.process.pid):
        say(window, CLOSE)
    assert paperchute.process.wait(120) == 0
    goes_on(paperchute, children)


def test_a_console_that_closes_cuts_work_off(paperchute: Paperchute) -> None:
    children = at_work(paperchute)
    assert paperchute.process is not None
    tell(paperchute.process.pid, CONSOLE_CLOSED)
    assert stopped(paperchute), "by the time it has been told: the process is ended then"
    assert paperchute.process.wait(120) == 0
    goes_on(paperchute, children)


def test_ctrl_break_cuts_work_off(paperchute: Paperchute) -> None:
    children = at_work(paperchute)
    assert paperchute.process is not None
    tell(paperchute.process.pid, CTRL_BREAK)
    assert paperchute.process.wait(120) == 0
    goes_on(paperchute, children)


def test_black_windows_come_and_go(paperchute: Paperchute) -> None:
    """A program that has no console and starts one that wants one has it opened in a window of its own."""
    children = at_work(paperchute)
    assert [child.pid for child in children if shown_by(child.pid)] == []


def test_a_killed_daemon_leaves_its_engine_behind(paperchute: Paperchute) -> None:
    children = at_work(paperchute)
    paperchute.kill()
    wait_until(lambda: not any(child.is_running() for child in children))


def stopped(paperchute: Paperchute) -> bool:
    """Whether the daemon has put all down: SQLite takes its log away only when a journal is closed in order."""
    state = paperchute.state
    return (state / "journal.sqlite").exists() and not (
        (state / "journal.sqlite-wal").exists() or (state / "status.json").exists()
    )


def goes_on(paperchute: Paperchute, children: list[psutil.Process]) -> None:
    """Nothing was left behind, and the next start does the rest, each letter once."""
    assert stopped(paperchute)
    wait_until(lambda: not any(child.is_running() for child in children))
    done = paperchute.run("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert names(paperchute.folder / "hot") == []
    letters = range(LETTERS)
    assert names(paperchute.folder / "hot.done") == sorted(f"{number}.html" for number in letters)
    assert names(paperchute.folder / "hot.out") == sorted(f"{number}.pdf" for number in letters)
    journal = sqlite3.connect(paperchute.state / "journal.sqlite")
    assert journal.execute("select state, count(*) from job group by state").fetchall() == [("done", LETTERS)]
    journal.close()
