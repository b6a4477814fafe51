"""Putting things in place: whole, and never over something else."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.files import placement
from tests.systems import not_wine

SEPARATORS = "/\0" if os.name == "posix" else "/\0\\:"


@pytest.fixture(params=["native", "portable"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to rename exclusively: the kernel's own, and the fall-back for file systems without it."""
    if request.param == "portable":
        monkeypatch.setattr(placement, "rename_new", placement._portable_exclusive)
    return str(request.param)


def test_a_new_name_is_taken(tmp_path: Path, way: str) -> None:
    source = tmp_path / "a"
    source.write_bytes(b"new")
    assert placement.place_new(source, tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"new"
    assert not source.exists()


def test_an_existing_file_is_never_overwritten(tmp_path: Path, way: str) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(b"new")
    target.write_bytes(b"old")
    assert not placement.place_new(source, target)
    assert (source.read_bytes(), target.read_bytes()) == (b"new", b"old")


def test_a_folder_with_files_is_never_overwritten(tmp_path: Path, way: str) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").write_text(name)
    assert not placement.place_new(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b" / "x").read_text() == "b"


@not_wine("renaming one name of a file to its other name leaves both")
def test_a_crash_between_link_and_unlink_is_completed(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_bytes(b"new")
    os.link(source, target)
    assert placement.place_new(source, target)
    assert not source.exists()
    assert target.read_bytes() == b"new"


def test_text_appears_whole_under_the_longest_name(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 127)
    placement.write_whole(path, "text")
    assert path.read_text() == "text"
    assert list(tmp_path.iterdir()) == [path]


@given(st.text(st.characters(exclude_characters=SEPARATORS, exclude_categories=["Cs"]), min_size=1, max_size=80))
def test_numbered_names_differ_and_fit(name: str) -> None:
    if name in (".", ".."):
        return
    while len(name.encode()) > 255:
        name = name[:-1]
    names = [p.name for p in itertools.islice(placement.numbered(Path("/x") / name), 30)]
    assert len(set(names)) == 30
    assert all(len(n.encode()) <= 255 for n in names)
    assert names[0] == name
