"""What becomes of an original when the move is cut off, on one file system and across two."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperchute.files import copies
from paperchute.files.folder import Folder
from paperchute.files.identity import key_of
from paperchute.jobs import relocation
from tests.jobs.bench import Bench
from tests.jobs.interrupted import crash, gathered, interrupted, then_crash
from tests.jobs.makers import other_file_system


@pytest.fixture
def elsewhere(bench: Bench) -> Iterator[Path]:
    """A folder on another file system."""
    other = other_file_system(bench.hot)
    if other is None:
        pytest.skip("needs a second file system that can be written to")
    with tempfile.TemporaryDirectory(dir=other) as folder:
        yield Path(folder)


def test_an_original_is_filed_once_on_another_file_system(
    bench: Bench, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = bench.queue(bench.drop(), original=str(elsewhere / "filed"))
    with monkeypatch.context() as patch:
        patch.setattr(relocation, "_delete", crash)  # the copy is in place
        interrupted(bench, job)
    assert bench.again().kind == "done"
    assert [p.name for p in (elsewhere / "filed").rglob("*")] == ["a.pdf"]
    assert not (bench.hot / "a.pdf").exists()


def test_a_file_that_looks_like_one_filed_before_is_filed_too(bench: Bench, elsewhere: Path) -> None:
    for content in (b"%PDF one", b"%PDF two"):
        path = bench.drop(content=content)
        os.utime(path, (1_000_000_000, 1_000_000_000))
        assert bench.run(path, original=str(elsewhere)).kind == "done"
    assert sorted(p.read_bytes() for p in elsewhere.iterdir()) == [b"%PDF one", b"%PDF two"]


def test_a_half_made_copy_is_not_left_behind_when_the_original_goes(
    bench: Bench, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.drop()
    job = bench.queue(path, original=str(elsewhere))
    with monkeypatch.context() as patch:
        patch.setattr(copies, "copy", then_crash(copies.copy))
        interrupted(bench, job)
    path.unlink()
    assert bench.again().kind == "done"
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("original", ["delete", "elsewhere"])
def test_nobody_sees_a_part_of_a_set_that_is_deleted(
    bench: Bench, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, original: str
) -> None:
    job = gathered(bench, original=original if original == "delete" else str(elsewhere / "filed"))
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "unlink", then_crash(Folder.unlink))
        interrupted(bench, job)
    assert not (bench.hot / "set").exists()
    assert bench.again().kind == "done"
    assert list(bench.hot.iterdir()) == []


def test_what_came_into_a_deleted_set_later_stays(bench: Bench) -> None:
    job = gathered(bench, original="delete")
    bench.service.on_call = lambda call: (bench.hot / "set" / "late.pdf").write_bytes(b"late")
    assert bench.runner.run(job).kind == "done"
    assert {name for name in bench.tree() if name.startswith("hot/")} == {"hot/set/late.pdf"}


def test_a_deleted_original_that_is_dropped_again_after_a_crash_is_done_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.drop()
    key = key_of(path)
    job = bench.queue(path, original="delete")
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "unlink", then_crash(Folder.unlink))
        again = interrupted(bench, job)
    assert bench.runner.run(again).kind == "done"
    path.write_bytes(b"%PDF-1.7 %%EOF")
    assert key is not None
    os.utime(path, ns=(key.mtime, key.mtime))  # and where the file system gives the number again, the same file to us
    assert bench.run(path, original="delete").kind == "done"
    assert {"hot.out/a.md", "hot.out/a (2).md"} == set(bench.tree())
