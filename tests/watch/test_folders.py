"""Hot folders disappear, come back, move, overlap and change; the watcher stays with them."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from paperchute.files import sets
from paperchute.watch import keeper, observer
from paperchute.watch.interface import HotFolder
from tests.systems import links, not_wine
from tests.watch.conftest import LONG, PDF, Watched

Watch = Callable[..., Watched]


def drop(*path: Path | str) -> Path:
    whole = Path(*path)
    whole.parent.mkdir(parents=True, exist_ok=True)
    whole.write_bytes(PDF)
    return whole


@not_wine("a folder that is deleted stays until nobody watches it any more")
def test_a_folder_that_is_deleted_and_made_again_is_watched_again(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot))
    drop(hot, "a.pdf")
    watched.files(1)
    shutil.rmtree(hot)
    watched.until(lambda: watched.told("missing"))
    assert [trouble.kind for trouble in watched.watcher.troubles()] == ["missing"]
    drop(hot, "b.pdf")
    assert watched.files(2) == [hot / "a.pdf", hot / "b.pdf"]
    watched.until(lambda: watched.told("missing", over=True))
    drop(hot, "c.pdf")
    assert watched.files(3)[2] == hot / "c.pdf"
    assert watched.watcher.troubles() == []


def test_a_folder_replaced_at_once_is_noticed(hot: Path, tmp_path: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot))
    watched.settled()
    hot.rename(tmp_path / "old")
    hot.mkdir()
    drop(tmp_path, "old", "stranger.pdf")
    drop(hot, "mine.pdf")
    assert watched.files(1) == [hot / "mine.pdf"]
    assert watched.settled() == [hot / "mine.pdf"]


@not_wine("a file that is deleted stays until nobody looks at it any more")
def test_a_file_in_the_way_of_a_hot_folder_is_told(tmp_path: Path, watch: Watch) -> None:
    hot = drop(tmp_path, "hot")
    watched = watch(HotFolder(hot))
    watched.until(lambda: watched.told("missing"))
    assert watched.watcher.until_settled(LONG) == []
    hot.unlink()
    drop(hot, "a.pdf")
    assert watched.files(1) == [hot / "a.pdf"]


@links
def test_a_hot_folder_behind_a_link_is_watched_under_the_users_name_and_follows_the_link(
    tmp_path: Path, watch: Watch
) -> None:
    hot = tmp_path / "hot"
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    hot.symlink_to(tmp_path / "first")
    watched = watch(HotFolder(hot, recursive=True))
    drop(tmp_path, "first", "a.pdf")
    assert watched.files(1) == [hot / "a.pdf"]
    hot.unlink()
    hot.symlink_to(tmp_path / "second")
    drop(tmp_path, "second", "sub", "b.pdf")
    assert watched.files(2)[1] == hot / "sub" / "b.pdf"


@links
def test_folders_inside_each_other_and_one_under_two_names_all_hear_of_a_file(tmp_path: Path, watch: Watch) -> None:
    outer, inner, alias = tmp_path / "outer", tmp_path / "outer" / "inner", tmp_path / "alias"
    inner.mkdir(parents=True)
    alias.symlink_to(inner)
    watched = watch(HotFolder(outer, recursive=True), HotFolder(inner), HotFolder(alias))
    watched.settled()
    drop(inner, "a.pdf")
    watched.files(3)
    drop(inner, "deep", "b.pdf")
    watched.settled()
    assert {(ready.folder, ready.path) for ready in watched.readies} == {
        (outer, inner / "a.pdf"),
        (inner, inner / "a.pdf"),
        (alias, alias / "a.pdf"),
        (outer, inner / "deep" / "b.pdf"),
    }
    assert len(watched.readies) == 4


def test_a_sub_folder_moved_away_is_no_longer_watched_and_one_moved_inside_still_is(
    hot: Path, tmp_path: Path, watch: Watch
) -> None:
    (hot / "a" / "b").mkdir(parents=True)
    (hot / "c").mkdir()
    watched = watch(HotFolder(hot, recursive=True))
    watched.settled()
    (hot / "c").rename(tmp_path / "gone")
    (hot / "a").rename(hot / "z")
    drop(tmp_path, "gone", "stranger.pdf")
    drop(hot, "z", "b", "mine.pdf")
    assert watched.files(1) == [hot / "z" / "b" / "mine.pdf"]
    (tmp_path / "gone").rename(hot / "back")
    assert watched.files(2)[1] == hot / "back" / "stranger.pdf"
    assert len(watched.settled()) == 2


def test_files_of_a_sub_folder_moved_out_and_in_again_are_taken_again(hot: Path, tmp_path: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot, recursive=True))
    path = drop(hot, "sub", "a.pdf")
    watched.files(1)
    (hot / "sub").rename(tmp_path / "out")
    watched.settled()
    (tmp_path / "out").rename(hot / "sub")
    assert watched.files(2) == [path, path]


@contextlib.contextmanager
def nobody() -> Iterator[None]:
    """Act as a user without rights for a while, if we have any."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    "error", [PermissionError(errno.EACCES, "Access denied"), OSError(errno.EINVAL, "Invalid name")]
)
def test_a_sub_folder_that_is_deleted_while_it_is_looked_at_is_no_trouble(
    error: OSError, hot: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows says such things of one that is about to be deleted."""

    def listed(folder: str) -> list[os.DirEntry[str]]:
        if folder.endswith("sub"):
            shutil.rmtree(folder)
            raise error
        return sets.listed(folder)

    drop(hot, "sub", "a.pdf")
    monkeypatch.setattr(keeper, "listed", listed)
    watched = watch(HotFolder(hot, recursive=True))
    drop(hot, "b.pdf")
    assert watched.settled() == [hot / "b.pdf"]
    assert watched.settled() == [hot / "b.pdf"]
    assert watched.troubles == []


def test_a_sub_folder_that_stays_closed_is_told(hot: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(folder: str) -> list[os.DirEntry[str]]:
        if folder.endswith("sub"):
            raise PermissionError(errno.EACCES, "Access denied")
        return sets.listed(folder)

    (hot / "sub").mkdir()
    monkeypatch.setattr(keeper, "listed", listed)
    watched = watch(HotFolder(hot, recursive=True))
    watched.until(lambda: watched.told("denied"))
    monkeypatch.undo()
    watched.until(lambda: watched.told("denied", over=True))


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are different there")
def test_a_folder_that_may_not_be_read_is_told_and_watched_once_it_may() -> None:
    base = Path(tempfile.mkdtemp())
    hot, locked = base / "hot", base / "hot" / "locked"
    locked.mkdir(parents=True)
    for folder, mode in ((base, 0o755), (locked, 0), (hot, 0)):  # within a closed one nobody changes anything
        folder.chmod(mode)
    watched = Watched(HotFolder(hot, recursive=True))
    try:
        with nobody():
            watched.watcher.start()
            watched.until(lambda: watched.told("denied"))
        hot.chmod(0o755)
        with nobody():
            watched.until(lambda: any("locked" in trouble.message for trouble in watched.troubles))
        locked.chmod(0o755)
        drop(locked, "a.pdf").chmod(0o644)
        with nobody():
            assert watched.files(1) == [locked / "a.pdf"]
            watched.until(lambda: watched.watcher.troubles() == [])
    finally:
        watched.watcher.stop()
        shutil.rmtree(base)


def test_on_macos_a_closed_folder_is_told_with_the_setting_that_opens_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """There an owner's permission is not enough: Desktop, Documents and Downloads ask for each program."""
    monkeypatch.setattr(observer, "sys", SimpleNamespace(platform="darwin"))
    assert "System Settings, Privacy & Security, Files and Folders" in observer.denied_message("/Users/me/Desktop/hot")
    monkeypatch.setattr(observer, "sys", SimpleNamespace(platform="linux"))
    assert "System Settings" not in observer.denied_message("/home/me/hot")


def test_new_rules_take_effect_while_running_and_nothing_known_is_taken_twice(tmp_path: Path, watch: Watch) -> None:
    kept, dropped, added = (tmp_path / name for name in ("kept", "dropped", "added"))
    for folder in (kept, dropped, added):
        folder.mkdir()
        drop(folder, "a.pdf")
        drop(folder, "a.txt")
    drop(kept, "sub", "b.pdf")
    suffixes = {".pdf"}
    watched = watch(HotFolder(kept), HotFolder(dropped), wanted=lambda folder, path: path.suffix in suffixes)
    assert sorted(watched.files(2)) == [dropped / "a.pdf", kept / "a.pdf"]
    suffixes.add(".txt")
    watched.watcher.replace([HotFolder(kept, recursive=True), HotFolder(added)])
    assert sorted(watched.files(6)[2:]) == [added / "a.pdf", added / "a.txt", kept / "a.txt", kept / "sub" / "b.pdf"]
    drop(dropped, "late.pdf")
    drop(kept, "sub", "late.pdf")
    assert watched.files(7)[6] == kept / "sub" / "late.pdf"
    assert len(watched.settled()) == 7


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_rule_that_raises_does_not_blind_the_watcher(hot: Path, watch: Watch) -> None:
    deadly: list[type[BaseException]] = []

    def wanted(folder: HotFolder, path: Path) -> bool:
        if path.name == "bad.pdf" and deadly:
            raise deadly.pop()
        return True

    watched = watch(HotFolder(hot), wanted=wanted)
    watched.settled()
    deadly += [ValueError, ValueError]  # at the file's appearance, and at its close
    drop(hot, "bad.pdf")
    drop(hot, "good.pdf")
    watched.files(1)
    watched.until(lambda: not deadly)
    deadly.append(SystemExit)  # ends the thread itself
    drop(hot, "bad.pdf")
    watched.until(lambda: watched.told("thread", over=True))
    assert sorted(watched.settled()) == [hot / "bad.pdf", hot / "good.pdf"]


def test_paths_too_long_to_be_opened_are_told_and_nothing_else_suffers(
    hot: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop(hot, "long", "a.pdf")
    drop(hot, "b.pdf")
    with monkeypatch.context() as patched:
        patched.setattr(keeper, "_is_too_long", lambda path: "long" in Path(path).name)
        watched = watch(HotFolder(hot, recursive=True))
        watched.until(lambda: watched.told("deep"))
        assert watched.files(1) == [hot / "b.pdf"]
        assert "259" in watched.troubles[0].message
    watched.watcher.rescan()
    watched.until(lambda: watched.told("deep", over=True))
    assert watched.files(2)[1] == hot / "long" / "a.pdf"


def test_folders_without_events_are_polled(tmp_path: Path, watch: Watch) -> None:
    folders = [tmp_path / str(number) for number in range(3)]
    for folder in folders:
        folder.mkdir()
    watched = watch(*[HotFolder(folder, recursive=True, watch="poll") for folder in folders])
    watched.settled()
    assert watched.troubles == [], "what the user asked for is no trouble"
    paths = {drop(folder, "sub", "a.pdf") for folder in folders}
    assert set(watched.files(3)) == paths
    changed = folders[0] / "sub" / "a.pdf"
    changed.write_bytes(PDF + PDF)
    assert watched.files(4)[3] == changed
    # and back to events, which come at once
    watched.watcher.replace([HotFolder(folder, recursive=True, watch="native") for folder in folders])
    drop(folders[1], "sub", "b.pdf")
    assert watched.files(5)[4] == folders[1] / "sub" / "b.pdf"
