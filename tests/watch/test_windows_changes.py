"""What Windows writes of changes in a folder, as recorded, and what a watcher hears of it."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.watch.windows_changes import (
    ADDED,
    MODIFIED,
    REMOVED,
    RENAMED_NEW,
    RENAMED_OLD,
    records,
    tell_of_files,
    tell_of_folders,
)

ROOT = "C:\\Hot"
RECORDED = bytes.fromhex(  # under Wine: a file renamed from a.pdf to ü.pdf
    "18000000040000000a00000061002e00700064006600000000000000050000000a000000fc002e00700064006600"
)


class Heard:
    """A sink that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda root, *rest, folder=False: self.told.append((name, *rest, folder) if rest else (name,))


def written(*changes: tuple[int, str], gap: int = 0) -> bytes:
    """As the system writes them: each at a multiple of four, and perhaps with room between them."""
    found = b""
    for index, (action, name) in enumerate(changes):
        raw = name.encode("utf-16-le", "surrogatepass")
        size = -(-(12 + len(raw)) // 4) * 4 + 4 * gap
        last = index == len(changes) - 1
        found += struct.pack("<III", 0 if last else size, action, len(raw))
        found += raw if last else raw.ljust(size - 12, b"\xaa")
    return found


def long_name(path: str) -> str:
    return path.replace("REPORT~1.PDF", "Report of the year.pdf").replace("SUBFOL~1", "Sub-folder")


def heard_of_files(*changes: tuple[int, str], folders: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    heard = Heard()
    tell_of_files(heard, ROOT, written(*changes), lambda path: path in folders, long_name)
    return heard.told


def test_what_was_recorded_is_read() -> None:
    assert list(records(RECORDED)) == [(RENAMED_OLD, "a.pdf"), (RENAMED_NEW, "ü.pdf")]


@given(st.lists(st.tuples(st.integers(1, 5), st.text(st.characters(), max_size=40)), min_size=1), st.integers(0, 3))
def test_every_record_is_read_whatever_its_name(changes: list[tuple[int, str]], gap: int) -> None:
    assert list(records(written(*changes, gap=gap))) == changes


@given(st.binary(max_size=60))
def test_what_is_no_record_is_no_endless_loop(buffer: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert len(list(records(buffer))) <= len(buffer) // 12


def test_a_writer_that_adds_little_by_little_is_heard_of_once() -> None:
    changes = [(ADDED, "a.log"), *[(MODIFIED, "a.log")] * 500]
    assert heard_of_files(*changes) == [("seen", f"{ROOT}\\a.log", "appeared", False)]


def test_a_file_that_goes_and_comes_again_is_heard_of_again() -> None:
    path = f"{ROOT}\\a.pdf"
    assert heard_of_files((ADDED, "a.pdf"), (REMOVED, "a.pdf"), (ADDED, "a.pdf")) == [
        ("seen", path, "appeared", False),
        ("gone", path, False),
        ("seen", path, "appeared", False),
    ]


def test_a_rename_ends_the_writing() -> None:
    assert heard_of_files((RENAMED_OLD, "x\\a.part"), (RENAMED_NEW, "x\\a.pdf")) == [
        ("gone", f"{ROOT}\\x\\a.part", False),
        ("seen", f"{ROOT}\\x\\a.pdf", "renamed", False),
    ]


def test_a_folder_whose_time_changes_is_no_file() -> None:
    assert heard_of_files((MODIFIED, "x"), folders=(f"{ROOT}\\x",)) == []


@pytest.mark.parametrize("action", [ADDED, RENAMED_NEW])
def test_a_folder_that_comes_has_everything_looked_through(action: int) -> None:
    heard = Heard()
    tell_of_folders(heard, "C:\\", written((RENAMED_OLD, "x"), (action, "y")), long_name)
    assert heard.told == [("gone", "C:\\x", True), ("seen", "C:\\y", "appeared", True), ("unsure",)]


def test_what_is_told_by_its_short_name_is_known_by_its_own_alone() -> None:
    path = f"{ROOT}\\Sub-folder\\Report of the year.pdf"
    assert heard_of_files((ADDED, "SUBFOL~1\\REPORT~1.PDF"), (MODIFIED, "Sub-folder\\Report of the year.pdf")) == [
        ("seen", path, "appeared", False)
    ]
    heard = Heard()
    tell_of_folders(heard, ROOT, written((ADDED, "SUBFOL~1")), long_name)
    assert heard.told[0] == ("seen", f"{ROOT}\\Sub-folder", "appeared", True)
