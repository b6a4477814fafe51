"""What a copy keeps of its file on Windows, and what is told where there is no room for one."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from paperchute.files import copies
from paperchute.files.beneath import opened
from paperchute.files.copies import copy
from tests.systems import largest_file, not_wine, posix
from tests.windows import windows

_MARK = "[ZoneTransfer]\nZoneId=3\n"


@windows
@not_wine("its files have no streams")
def test_a_copy_of_what_came_from_the_web_is_opened_unguarded(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"x")
    Path(f"{tmp_path}\\a.pdf:Zone.Identifier").write_text(_MARK, "ascii")
    with opened(tmp_path) as folder:
        copy(folder, "a.pdf", folder, "b.pdf")
    assert Path(f"{tmp_path}\\b.pdf:Zone.Identifier").read_text("ascii") == _MARK
    assert (tmp_path / "b.pdf").read_bytes() == b"x"


@posix
def test_the_mark_of_the_web_stays_behind_as_windows_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream has a file's name here, of which Windows makes a part of the other one."""
    monkeypatch.setattr(copies, "sys", SimpleNamespace(platform="win32"))
    (tmp_path / "a.pdf").write_bytes(b"x")
    (tmp_path / "a.pdf:Zone.Identifier").write_text(_MARK, "ascii")
    with opened(tmp_path) as folder:
        copy(folder, "a.pdf", folder, "b.pdf")
    assert (tmp_path / "b.pdf:Zone.Identifier").read_text("ascii") == _MARK


@windows
def test_a_copy_of_what_has_no_mark_gets_one(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"x")
    os.utime(tmp_path / "a.pdf", ns=(0, 1_700_000_000_000_000_000))
    with opened(tmp_path) as folder:
        copy(folder, "a.pdf", folder, "b.pdf")
    assert sorted(os.listdir(tmp_path)) == ["a.pdf", "b.pdf"]  # noqa: PTH208
    assert (tmp_path / "b.pdf").stat().st_mtime_ns == 1_700_000_000_000_000_000


@posix
def test_what_does_not_fit_is_told_with_its_place(tmp_path: Path) -> None:
    """Most of it is still in memory when it does not fit, and would be written again, without a name, on closing."""
    (tmp_path / "a.pdf").write_bytes(bytes(3_000_000))
    with opened(tmp_path) as folder, largest_file(1_500_000), pytest.raises(OSError, match="too large") as raised:
        copy(folder, "a.pdf", folder, "b.pdf")
    assert raised.value.filename == str(tmp_path / "b.pdf")
    assert os.listdir(tmp_path) == ["a.pdf"]  # noqa: PTH208
