"""What FSEvents would say, and what a watcher hears of it.

The event streams are written by hand after FSEvents.h and watchdog's sources; none was recorded on a Mac, and the
stream itself is a stand-in.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.watch.macos_changes import tell
from tests.systems import posix
from tests.watch.test_windows_changes import Heard

pytestmark = posix

# Flags of FSEvents.h.
FILE, FOLDER, LINK = 0x10000, 0x20000, 0x40000
CREATED, REMOVED, META, RENAMED, MODIFIED, XATTR, CLONED = 0x100, 0x200, 0x400, 0x800, 0x1000, 0x8000, 0x400000
Told = list[tuple[Any, ...]]


@pytest.fixture
def heard(tmp_path: Path) -> Callable[..., Told]:
    """What is heard of events, given by name below the folder."""

    def of(*events: tuple[str, int], deep: bool = True) -> Told:
        sink = Heard()
        tell(sink, str(tmp_path), deep, [(f"{tmp_path}/{name}".rstrip("/"), flags) for name, flags in events])
        return [(kind, *(str(one).removeprefix(f"{tmp_path}/") for one in rest)) for kind, *rest in sink.told]

    return of


@pytest.mark.parametrize(
    ("flags", "how"),
    [
        (CREATED | MODIFIED | FILE, "appeared"),  # cp
        (CREATED | MODIFIED | META | XATTR | FILE, "appeared"),  # a download, quarantined
        (RENAMED | FILE, "renamed"),  # mv
        (RENAMED | XATTR | META | FILE, "renamed"),  # saved by a Cocoa program
        (RENAMED | MODIFIED | FILE, "appeared"),  # moved in, and being written since
        (CREATED | RENAMED | FILE, "appeared"),
        (CREATED | CLONED | FILE, "appeared"),  # Finder's copy on APFS
        (CREATED | REMOVED | FILE, "appeared"),  # folded together; it is there again
    ],
)
def test_a_file_that_is_there_is_looked_at(flags: int, how: str, heard: Callable[..., Told], tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"x")
    assert heard(("a.pdf", flags)) == [("seen", "a.pdf", how, "False")]


@pytest.mark.parametrize("flags", [REMOVED, RENAMED, CREATED | REMOVED, CREATED | MODIFIED | RENAMED])
@pytest.mark.parametrize("kind", [FILE, FOLDER])
def test_what_is_not_there_is_gone_whatever_its_flags(flags: int, kind: int, heard: Callable[..., Told]) -> None:
    assert heard(("a", flags | kind)) == [("gone", "a", str(kind == FOLDER))]


def test_a_folder_that_comes_is_looked_through_and_one_whose_time_changes_is_not(
    heard: Callable[..., Told], tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    assert heard(("sub", RENAMED | FOLDER)) == [("seen", "sub", "appeared", "True"), ("unsure",)]
    assert heard(("sub", META | FOLDER)) == []
    assert heard(("sub", RENAMED | FOLDER), deep=False) == []


def test_what_is_below_is_heard_of_only_where_it_is_wanted(heard: Callable[..., Told], tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.pdf").write_bytes(b"x")
    assert heard(("sub/a.pdf", CREATED | FILE)) == [("seen", "sub/a.pdf", "appeared", "False")]
    assert heard(("sub/a.pdf", CREATED | FILE), deep=False) == []


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        (0x1, "unsure"),  # MustScanSubDirs alone: folded together to one event for a whole tree
        (0x1 | 0x2, "overflowed"),  # UserDropped
        (0x1 | 0x4, "overflowed"),  # KernelDropped
        (0x20, "lost"),  # RootChanged
        (0x40, "unsure"),  # Mount
        (0x80, "unsure"),  # Unmount
    ],
)
@pytest.mark.parametrize("name", ["", "sub"])
def test_every_gap_is_told(flags: int, kind: str, name: str, heard: Callable[..., Told]) -> None:
    assert heard((name, flags)) == [(kind,)]


def test_what_says_nothing_of_the_folder_is_not_told(heard: Callable[..., Told]) -> None:
    assert heard(("", 0x10), ("", META | FOLDER), ("", CREATED | FOLDER)) == []  # HistoryDone; the folder's own times


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_that_can_be_spelled_two_ways_is_taken_from_the_listing(
    form: Any, heard: Callable[..., Told], tmp_path: Path
) -> None:
    name = unicodedata.normalize(form, "Übersicht.pdf")
    (tmp_path / name).write_bytes(b"x")
    assert heard((name, CREATED | FILE)) == [("unsure",)]


def test_a_root_told_in_another_spelling_is_looked_through(tmp_path: Path) -> None:
    sink = Heard()
    tell(sink, str(tmp_path), True, [("/private" + str(tmp_path) + "/a.pdf", CREATED | FILE)])
    assert sink.told == [("unsure",)]


def test_links_and_pipes_are_no_files(heard: Callable[..., Told], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    assert heard(("link", CREATED | LINK)) == []


@given(name=st.sampled_from(["there.pdf", "not.pdf", "sub/there.pdf"]), flags=st.integers(0, 0xFF_FFFF))
def test_whatever_the_flags_no_change_is_kept_silent(
    tmp_path_factory: pytest.TempPathFactory, name: str, flags: int
) -> None:
    root = tmp_path_factory.getbasetemp() / "flags"
    (root / "sub").mkdir(parents=True, exist_ok=True)
    for there in ("there.pdf", "sub/there.pdf"):
        (root / there).write_bytes(b"x")
    sink = Heard()
    tell(sink, str(root), True, [(f"{root}/{name}", flags)])
    kinds = [kind for kind, *_ in sink.told]
    assert kinds in (["seen"], ["gone"], ["unsure"], ["overflowed"], ["lost"]) or (flags & 0x10 and not kinds)


class Stream:
    """Stands for FSEvents: calls back once with what it is given, as watchdog's own does, and waits to be stopped."""

    replies: ClassVar[list[tuple[str, int]]] = []

    def __init__(self, paths: list[str], latency: float) -> None:
        self.paths = paths

    def run(self, callback: Any, started: Callable[[], None]) -> None:
        started()
        paths, flags = zip(*self.replies, strict=True)
        callback(list(paths), [1] * len(paths), list(flags), [1] * len(paths))

    def stop(self) -> None:
        """Nothing waits."""


@pytest.fixture
def fsevents(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Watchdog's emitter can be loaded without a Mac."""
    module = ModuleType("_watchdog_fsevents")
    module.Stream = Stream  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "_watchdog_fsevents", module)
    yield
    for name in ("watchdog.observers.fsevents", "paperchute.watch.macos"):
        sys.modules.pop(name, None)


def test_watchdog_s_stream_is_heard_through_our_emitter(fsevents: None, tmp_path: Path) -> None:
    from watchdog.events import FileSystemEventHandler

    from paperchute.watch.macos import StreamObserver

    (tmp_path / "a.pdf").write_bytes(b"x")
    Stream.replies = [(f"{tmp_path}/a.pdf", RENAMED | FILE), (str(tmp_path), 0x1 | 0x4)]
    sink = Heard()
    observer = StreamObserver(sink)
    observer.start()
    watch = observer.schedule(FileSystemEventHandler(), str(tmp_path), recursive=True)
    observer.unschedule(watch)
    observer.stop()
    observer.join()
    assert sink.told == [("seen", f"{tmp_path}/a.pdf", "renamed", False), ("overflowed",)]
