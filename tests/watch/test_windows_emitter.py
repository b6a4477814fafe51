"""ReadDirectoryChangesW itself: what is told, how soon, and that nothing is held on to."""

from __future__ import annotations

import os
import queue
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from watchdog.events import FileSystemEventHandler

from paperchute.watch.emitter import ReaderObserver

if sys.platform != "win32":
    pytest.skip("asks Windows", allow_module_level=True)
else:
    from paperchute.watch.windows import Reader, _kernel32

assert sys.platform == "win32"  # what follows is for mypy to check there alone
LONG = 60.0  # seconds: the end of a hang, not a measure


class Sink:
    """Keeps what it is told, in order."""

    def __init__(self) -> None:
        self.told: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()

    def __getattr__(self, kind: str) -> Any:
        def tell(root: str, *rest: Any, folder: bool | None = None) -> None:
            names = [one.removeprefix(root).lstrip(os.sep) if isinstance(one, str) else one for one in rest]
            self.told.put((Path(root).name, kind, *names, *([] if folder is None else [folder])))

        return tell

    def stuck(self, at: str) -> tuple[threading.Event, threading.Event]:
        """Be told no more once a file of this name has been told of: (when that is, what lets it go on)."""
        reached, free = threading.Event(), threading.Event()

        def seen(root: str, path: str, *rest: Any, folder: bool | None = None) -> None:
            if Path(path).name == at:
                reached.set()
                free.wait(LONG)
            self.told.put((Path(root).name, "seen", path.removeprefix(root).lstrip(os.sep), *rest))

        self.seen = seen
        return reached, free

    def until(self, *wanted: tuple[Any, ...]) -> None:
        """Wait until all of it has been told."""
        left = set(wanted)
        while left:
            left.discard(self.told.get(timeout=LONG))


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def reader(sink: Sink) -> Reader:
    return Reader(sink)


@pytest.fixture
def observer(reader: Reader) -> Iterator[ReaderObserver]:
    observer = ReaderObserver(reader)
    observer.start()
    yield observer
    observer.stop()
    observer.join(LONG)
    assert not reader.is_alive()
    assert not reader._questions, "the system has let go of every buffer"


def watched(observer: ReaderObserver, folder: Path) -> Any:
    return observer.schedule(FileSystemEventHandler(), str(folder), recursive=True)


def test_all_that_happens_to_files_and_folders_is_told(observer: ReaderObserver, sink: Sink, hot: Path) -> None:
    watched(observer, hot)
    (hot / "a.pdf").write_bytes(b"x")
    sink.until(("hot", "seen", "a.pdf", "appeared"))
    (hot / "a.pdf").rename(hot / "ü文🗂.pdf")
    sink.until(("hot", "gone", "a.pdf", False), ("hot", "seen", "ü文🗂.pdf", "renamed"))
    (hot / "ü文🗂.pdf").unlink()
    sink.until(("hot", "gone", "ü文🗂.pdf", False))
    (hot / "sub").mkdir()
    sink.until(("hot", "seen", "sub", "appeared", True), ("hot", "unsure"))
    (hot / "sub" / "b.pdf").write_bytes(b"x")
    sink.until(("hot", "seen", "sub\\b.pdf", "appeared"))
    shutil.rmtree(hot / "sub")
    sink.until(("hot", "gone", "sub", True))


def test_a_file_is_told_of_while_something_else_is_written_without_end(
    observer: ReaderObserver, sink: Sink, hot: Path
) -> None:
    watched(observer, hot)
    told = threading.Event()

    def write() -> None:
        with (hot / "scan.log").open("ab", buffering=0) as log:
            while not told.wait(0.05):
                log.write(b"a line\n")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        (hot / "first.pdf").write_bytes(b"x")
        sink.until(("hot", "seen", "first.pdf", "appeared"))
    finally:
        told.set()
        writer.join()


def test_many_folders_have_one_thread_and_are_let_go(observer: ReaderObserver, sink: Sink, tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(20)]
    before = threading.active_count()
    for folder in folders:
        folder.mkdir()
    watches = [watched(observer, folder) for folder in folders]
    for folder in folders:
        (folder / "a.pdf").write_bytes(b"x")
    sink.until(*[(folder.name, "seen", "a.pdf", "appeared") for folder in folders])
    assert threading.active_count() == before
    for watch in watches[1:]:
        observer.unschedule(watch)
    for folder in folders[1:]:
        shutil.rmtree(folder)
        folder.mkdir()  # which the system refuses while somebody holds the one that was there
    (folders[0] / "b.pdf").write_bytes(b"x")
    sink.until(("0", "seen", "b.pdf", "appeared"))


def test_a_folder_that_is_not_there_is_refused(observer: ReaderObserver, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        watched(observer, tmp_path / "none")


def test_changes_beyond_what_the_system_keeps_are_lost_in_silence(
    observer: ReaderObserver, sink: Sink, hot: Path
) -> None:
    watched(observer, hot)
    reached, free = sink.stuck("first.pdf")
    (hot / "first.pdf").write_bytes(b"x")
    assert reached.wait(LONG)
    for number in range(2_000):  # names of 400 bytes: more than twice what the buffer holds
        (hot / f"{number:0190}.pdf").touch()
    free.set()
    sink.until(("hot", "overflowed"))
    (hot / "last.pdf").write_bytes(b"x")
    sink.until(("hot", "seen", "last.pdf", "appeared"))


def test_a_folder_that_can_be_watched_no_more_counts_as_watched(
    observer: ReaderObserver, reader: Reader, sink: Sink, tmp_path: Path
) -> None:
    for name in ("share", "other"):
        (tmp_path / name).mkdir()
        watched(observer, tmp_path / name)
    for question in list(reader._questions.values()):
        if question.emitter.root.endswith("share"):
            _kernel32.CancelIoEx(question.handle, None)  # as when its server goes away: the reading ends with an error
    sink.until(("share", "lost"))
    (tmp_path / "other" / "a.pdf").write_bytes(b"x")
    sink.until(("other", "seen", "a.pdf", "appeared"))
