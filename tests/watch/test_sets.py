"""A folder dropped into a gathering hot folder is one thing, and only when all of it is there."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.files.identity import key_of
from paperchute.files.sets import Inside
from paperchute.files.sets import inside as really_inside
from paperchute.watch.interface import HotFolder
from tests.watch.conftest import PDF, Watched

Watch = Callable[..., Watched]


def test_a_set_is_taken_once_with_all_its_files_in_natural_order(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot, gather=True))
    bundle = hot / "bundle"
    (bundle / "more").mkdir(parents=True)
    for name in ("page 10.pdf", "page 2.pdf", "more/a.pdf", "page 1.pdf"):
        time.sleep(0.3)
        (bundle / name).write_bytes(PDF)
    (bundle / ".DS_Store").write_bytes(b"x")
    (hot / "single.pdf").write_bytes(PDF)
    assert sorted(watched.files(2)) == [bundle, hot / "single.pdf"]
    (ready,) = (ready for ready in watched.readies if ready.is_set)
    names = [path.relative_to(bundle).as_posix() for path, _ in ready.members]
    assert names == ["more/a.pdf", "page 1.pdf", "page 2.pdf", "page 10.pdf"]
    assert all(key == key_of(path) for path, key in ready.members)
    assert len(watched.settled()) == 2


def test_a_set_waits_for_its_unfinished_and_open_files_and_running_downloads(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot, files=False, gather=True))
    for name in ("unfinished", "downloading", "empty", "good"):
        (hot / name).mkdir()
    (hot / "unfinished" / "a.pdf").write_bytes(PDF[:100])
    (hot / "downloading" / "a.pdf").write_bytes(PDF)
    (hot / "downloading" / "b.pdf.crdownload").write_bytes(PDF)
    (hot / "good" / "a.pdf").write_bytes(PDF)
    (hot / "single.pdf").write_bytes(PDF)
    assert watched.files(1) == [hot / "good"]
    watched.until(lambda: len(watched.watcher.waiting()) == 3)
    reasons = {wait.path.name: wait.reason for wait in watched.watcher.waiting()}
    assert reasons["downloading"] == "companion"
    with (hot / "unfinished" / "a.pdf").open("ab") as file:
        file.write(PDF[100:])
    (hot / "downloading" / "b.pdf.crdownload").rename(hot / "downloading" / "b.pdf")
    (hot / "empty" / "a.pdf").write_bytes(PDF)
    assert sorted(watched.files(4)) == sorted(hot / name for name in ("downloading", "empty", "good", "unfinished"))
    assert watched.settled() == watched.paths()[:4]


def test_a_set_that_may_not_be_looked_into_says_so_and_holds_up_nobody_who_waits_for_the_rest(
    hot: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's folder, with mode 0700: it "had just changed", and `run --once` waited for its end for ever."""
    may: list[bool] = []

    def inside(top: str) -> Inside:
        if not may and top.endswith("theirs"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), top)
        return really_inside(top)

    monkeypatch.setattr("paperchute.watch.judge.inside", inside)
    monkeypatch.setattr("paperchute.watch.judge._LATER", 0.5)
    (hot / "theirs").mkdir()
    (hot / "theirs" / "a.pdf").write_bytes(PDF)
    watched = watch(HotFolder(hot, files=False, gather=True))
    watched.until(lambda: [wait.reason for wait in watched.watcher.waiting()] == ["denied"])
    watched.until(watched.watcher.settled)
    may.append(True)
    assert watched.files(1) == [hot / "theirs"]


@pytest.mark.slow
def test_a_set_moved_in_whole_changed_later_and_dropped_again_is_taken_each_time(
    hot: Path, tmp_path: Path, watch: Watch
) -> None:
    watched = watch(HotFolder(hot, gather=True))
    made = tmp_path / "made"
    made.mkdir()
    (made / "a.pdf").write_bytes(PDF)
    made.rename(hot / "set")
    watched.files(1)
    (hot / "set" / "b.pdf").write_bytes(PDF)
    assert watched.files(2) == [hot / "set"] * 2
    assert [len(ready.members) for ready in watched.readies] == [1, 2]
    (hot / "set").rename(tmp_path / "done")
    watched.watcher.forget(hot / "set")
    watched.settled()
    shutil.copytree(tmp_path / "done", hot / "set")
    assert watched.files(3) == [hot / "set"] * 3
    watched.watcher.again(hot / "set")
    assert watched.files(4) == [hot / "set"] * 4


def test_sets_that_were_there_before_the_start_are_taken(hot: Path, watch: Watch) -> None:
    (hot / "set").mkdir()
    (hot / "set" / "a.pdf").write_bytes(PDF)
    watched = watch(HotFolder(hot, gather=True), wanted=lambda folder, path: path == hot / "set")
    assert watched.settled() == [hot / "set"]
