"""What happens to hot folders themselves: gone, replaced, linked, changed while running."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from paperchute.watch import inotify
from paperchute.watch.records import HotFolder
from tests.watch.hot import watching

PDF = b"%PDF-1.7\n%%EOF\n"


@pytest.fixture
def hot_path(tmp_path: Path) -> Path:
    path = tmp_path / "hot"
    path.mkdir()
    return path


def test_a_deleted_folder_is_reported_and_taken_up_again(hot_path: Path) -> None:
    with watching(HotFolder(hot_path)) as hot:
        shutil.rmtree(hot_path)
        hot.until(lambda: [t.kind for t in hot.watcher.troubles()] == ["missing"])
        hot_path.mkdir()
        (hot_path / "a.pdf").write_bytes(PDF)
        hot.until(lambda: hot.names() == ["a.pdf"])
        hot.until(lambda: not hot.watcher.troubles())
        (hot_path / "b.pdf").write_bytes(PDF)
        hot.until(lambda: hot.names() == ["a.pdf", "b.pdf"])


def test_a_folder_renamed_away_and_made_anew_is_watched_as_the_new_one(hot_path: Path) -> None:
    with watching(HotFolder(hot_path)) as hot:
        old = hot_path.with_name("old")
        hot_path.rename(old)
        hot_path.mkdir()
        (hot_path / "new.pdf").write_bytes(PDF)
        hot.until(lambda: hot.names() == ["new.pdf"])
        (old / "stray.pdf").write_bytes(PDF)
        (hot_path / "later.pdf").write_bytes(PDF)
        hot.until(lambda: hot.names() == ["later.pdf", "new.pdf"])
        hot.rest()
    assert hot.names() == ["later.pdf", "new.pdf"]


def test_a_hot_folder_behind_a_symlink_works_under_the_user_s_own_path(hot_path: Path) -> None:
    link = hot_path.with_name("link")
    link.symlink_to(hot_path, target_is_directory=True)
    with watching(HotFolder(link)) as hot:
        hot.until(hot.watcher.settled)
        (hot_path / "a.pdf").write_bytes(PDF)
        hot.until(lambda: bool(hot.ready))
    assert hot.ready[0].path == link / "a.pdf"


def test_an_overflow_of_the_kernel_s_queue_loses_nothing(hot_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take = inotify.InotifyReader._take

    def lossy(reader: inotify.InotifyReader, data: bytes) -> None:
        """As the kernel does it: the events are dropped and one overflow is said."""
        take(reader, inotify._HEAD.pack(-1, inotify.OVERFLOW, 0, 0))

    with watching(HotFolder(hot_path)) as hot:
        hot.until(hot.watcher.settled)
        monkeypatch.setattr(inotify.InotifyReader, "_take", lossy)
        for number in range(50):
            (hot_path / f"{number}.pdf").write_bytes(PDF)
        hot.until(lambda: len(hot.ready) == 50)


def test_a_real_overflow_loses_nothing(hot_path: Path) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 20_000:
        pytest.skip(f"the kernel queues {limit} events here; filling that takes too long")
    count = limit // 2 + 500
    with watching(HotFolder(hot_path)) as hot:
        hot.until(hot.watcher.settled)
        with hot.watcher._observer.reader._lock:
            for number in range(count):
                (hot_path / f"{number}.txt").write_bytes(b"text")
        hot.until(lambda: len(hot.ready) >= count, 120)
        hot.rest()
    assert len(hot.ready) == len(set(hot.names())) == count


def test_changing_the_folders_keeps_what_stays(hot_path: Path) -> None:
    other = hot_path.with_name("other")
    other.mkdir()
    (hot_path / "kept.pdf").write_bytes(PDF)
    with watching(HotFolder(hot_path)) as hot:
        hot.until(lambda: hot.names() == ["kept.pdf"])
        hot.watcher.replace([HotFolder(hot_path), HotFolder(other)])
        (other / "new.pdf").write_bytes(PDF)
        hot.until(lambda: hot.names() == ["kept.pdf", "new.pdf"])
        hot.watcher.replace([HotFolder(other)])
        (hot_path / "unwatched.pdf").write_bytes(PDF)
        hot.rest(1.5)
    assert hot.names() == ["kept.pdf", "new.pdf"]


def test_a_file_put_back_after_it_was_dealt_with_is_new(hot_path: Path) -> None:
    path, away = hot_path / "a.pdf", hot_path.with_name("away.pdf")
    path.write_bytes(PDF)
    with watching(HotFolder(hot_path)) as hot:
        hot.until(lambda: len(hot.ready) == 1)
        path.rename(away)
        hot.watcher.forget(path)
        away.rename(path)
        hot.until(lambda: len(hot.ready) == 2)


def test_a_file_that_grew_after_it_was_taken_comes_again_and_teaches_patience(hot_path: Path) -> None:
    path = hot_path / "a.txt"
    path.write_bytes(b"one")
    with watching(HotFolder(hot_path)) as hot:
        hot.until(lambda: len(hot.ready) == 1)
        path.write_bytes(b"one, two")
        hot.watcher.again(path, gap=1.0)
        begun = time.monotonic()
        hot.until(lambda: len(hot.ready) >= 2)
        assert time.monotonic() - begun > 1.5
        hot.rest()
    assert hot.content[path] == b"one, two"
    assert len(hot.ready) == 2


def test_overlapping_folders_each_get_their_files(hot_path: Path) -> None:
    inner = hot_path / "inner"
    inner.mkdir()
    with watching(HotFolder(hot_path, recursive=True), HotFolder(inner)) as hot:
        hot.until(hot.watcher.settled)
        (inner / "a.pdf").write_bytes(PDF)
        hot.until(lambda: len(hot.ready) == 2)
        hot.watcher.replace([HotFolder(inner)])
        (inner / "b.pdf").write_bytes(PDF)
        hot.until(lambda: len(hot.ready) == 3)
    assert {r.folder for r in hot.ready} == {hot_path, inner}


def test_an_unreadable_folder_is_a_plain_sentence(hot_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read anything")
    hot_path.chmod(0)
    try:
        with watching(HotFolder(hot_path)) as hot:
            hot.until(lambda: [t.kind for t in hot.watcher.troubles()] == ["denied"])
    finally:
        hot_path.chmod(0o700)
