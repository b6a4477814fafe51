"""Threads that die, clocks that jump, and shares that hang: the watch goes on."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paperchute.watch import keeper, settle
from paperchute.watch.interface import HotFolder
from paperchute.watch.watcher import Watcher
from tests.systems import posix
from tests.watch.conftest import LONG, PDF, Watched

# Whose method a thread runs round by round, and its name. What reads the system's events is ours on two systems.
THREADS: list[tuple[type, str, str]] = [(settle.Settler, "_take_in", "settle"), (keeper.Keeper, "_round", "keep")]
if sys.platform == "linux":
    from paperchute.watch import linux

    THREADS.append((linux.Reader, "_take", "inotify"))
elif sys.platform == "win32":
    from paperchute.watch import windows

    THREADS.append((windows.Reader, "_take", "directory-changes"))

Watch = Callable[..., Watched]


def drop(folder: Path, name: str) -> Path:
    part = folder / f"{name}.part"
    part.write_bytes(PDF + name.encode())
    return part.rename(folder / name)


@pytest.fixture
def supervised(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Watcher], list[str]]]:
    """Call `supervise` a few times a second, as the daemon does; what it restarted is collected."""
    end = threading.Event()
    threads: list[threading.Thread] = []

    def start(watcher: Watcher) -> list[str]:
        restarted: list[str] = []

        def run() -> None:
            while not end.wait(0.1):
                restarted.extend(watcher.supervise())

        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()
        return restarted

    yield start
    end.set()
    for thread in threads:
        thread.join(LONG)


def dying(function: Callable[..., Any], *, when: Callable[[], bool]) -> Callable[..., Any]:
    """The function, but the first time that `when` holds it ends its thread."""
    left = [SystemExit()]

    def wrapped(*arguments: Any, **named: Any) -> Any:
        if left and when():
            raise left.pop()
        return function(*arguments, **named)

    return wrapped


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize(("owner", "name", "thread"), THREADS)
def test_a_thread_that_dies_is_replaced_and_nothing_is_lost(
    owner: type,
    name: str,
    thread: str,
    hot: Path,
    watch: Watch,
    supervised: Callable[[Watcher], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    armed = threading.Event()
    mine = lambda: armed.is_set() and threading.current_thread().name == thread  # noqa: E731
    monkeypatch.setattr(owner, name, dying(getattr(owner, name), when=mine))
    watched = watch(HotFolder(hot))
    supervised(watched.watcher)
    drop(hot, "before.pdf")
    watched.files(1)
    victim = next(each for each in threading.enumerate() if each.name == thread)
    armed.set()
    names = [f"{number}.pdf" for number in range(20)]
    for each in names:
        drop(hot, each)
    watched.until(lambda: not victim.is_alive())
    assert sorted(path.name for path in watched.files(21)) == sorted([*names, "before.pdf"])
    drop(hot, "after.pdf")
    assert watched.files(22)[21] == hot / "after.pdf"
    assert len(watched.settled()) == 22, "and nothing twice"


@pytest.mark.parametrize("jump", [86_400.0, -86_400.0])
def test_a_clock_that_jumps_leads_to_a_look_and_to_nothing_else(
    jump: float, hot: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = watch(HotFolder(hot))
    drop(hot, "a.pdf")
    watched.files(1)
    looks: list[Path] = []
    looked = keeper.scan
    monkeypatch.setattr(keeper, "scan", lambda root, *more: (looks.append(root.hot.path), looked(root, *more)))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + jump)
    watched.until(lambda: bool(looks))
    drop(hot, "b.pdf")
    watched.files(2)
    assert watched.settled() == [hot / "a.pdf", hot / "b.pdf"]


@pytest.mark.parametrize("code", [errno.EIO, errno.ESTALE, errno.EHOSTDOWN])
def test_a_share_that_answers_with_errors_is_told_and_comes_back(
    code: int, tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    share, local = tmp_path / "share", tmp_path / "local"
    share.mkdir()
    local.mkdir()
    down = threading.Event()
    down.set()
    listed = os.scandir

    def scandir(path: Any) -> Any:
        if down.is_set() and os.fspath(path).startswith(str(share)):
            raise OSError(code, os.strerror(code), os.fspath(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    watched = watch(HotFolder(share, watch="poll"), HotFolder(local))
    watched.until(lambda: watched.told("unreachable"))
    drop(share, "a.pdf")
    drop(local, "b.pdf")
    assert watched.files(1) == [local / "b.pdf"], "the others go on"
    down.clear()
    assert watched.files(2)[1] == share / "a.pdf"
    watched.until(lambda: watched.told("unreachable", over=True))
    assert sum(trouble.kind == "unreachable" and not trouble.over for trouble in watched.troubles) == 1


def test_a_share_that_hangs_holds_up_nobody_else(
    tmp_path: Path,
    watch: Watch,
    supervised: Callable[[Watcher], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    share, local = tmp_path / "share", tmp_path / "local"
    share.mkdir()
    local.mkdir()
    answers = threading.Event()
    listed = os.scandir

    def scandir(path: Any) -> Any:
        if os.fspath(path).startswith(str(share)):
            answers.wait(LONG)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.setattr("paperchute.watch.watcher.remote_type", lambda path: "nfs" if path == share else None)
    monkeypatch.setattr(keeper, "remote_type", lambda path: "nfs" if path == share else None)
    monkeypatch.setattr("paperchute.watch.watcher._HUNG", 0.5)
    watched = watch(HotFolder(share), HotFolder(local))
    supervised(watched.watcher)
    drop(share, "a.pdf")
    drop(local, "b.pdf")
    assert watched.files(1) == [local / "b.pdf"]
    watched.until(lambda: watched.told("unreachable"))
    answers.set()
    assert watched.files(2)[1] == share / "a.pdf"
    watched.until(lambda: watched.told("unreachable", over=True))


@posix
def test_very_deep_folders_and_links_in_circles_hold_up_nothing(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot, recursive=True))
    watched.settled()
    (hot / "round").symlink_to(hot)
    where = os.open(hot, os.O_RDONLY)
    for _ in range(1200):  # deeper than a path can be named in one piece
        os.mkdir("deep", dir_fd=where)
        below = os.open("deep", os.O_RDONLY, dir_fd=where)
        os.close(where)
        where = below
    os.close(where)
    drop(hot / "deep" / "deep", "a.pdf")
    drop(hot, "b.pdf")
    assert sorted(watched.files(2)) == [hot / "b.pdf", hot / "deep" / "deep" / "a.pdf"]
    watched.until(lambda: watched.told("deep"))
    assert len(watched.settled()) == 2
    assert [trouble.kind for trouble in watched.watcher.troubles()] == ["deep"]
    (hot / "deep").rename(hot.with_name("elsewhere"))
    subprocess.run(["rm", "-r", hot.with_name("elsewhere")], check=True)  # deeper than Python's own way reaches
    watched.until(lambda: watched.told("deep", over=True))
    assert [trouble.kind for trouble in watched.troubles] == ["deep", "deep"], "said once, and once that it is over"
