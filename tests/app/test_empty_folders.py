"""Folders that a drop brought go once they are empty and quiet; all others stay, and what a copy still fills."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paperchute.app.empty_folders import EmptyFolders
from paperchute.jobs.journal import Journal
from tests.jobs.makers import make_rule, new_job, runner_over
from tests.jobs.scripted import Scripted


class World:
    """A hot folder that is looked through by a clock of the test's own."""

    def __init__(self, home: Path, **rule: Any) -> None:
        self.hot = home / "hot"
        self.hot.mkdir()
        self.journal = Journal(home / "journal.sqlite", owner=True)
        self.rule = make_rule(self.hot, **{"recursive": True, **rule})
        self.folders = EmptyFolders(self.journal)
        self.clock = 0.0

    def look(self, seconds: float = 20.0) -> set[str]:
        self.clock += seconds
        found = self.folders.look(self.hot, [self.rule], frozenset(), 0.0, self.clock)
        return {path.relative_to(self.hot).as_posix() for path in found}

    def drop(self, *names: str) -> None:
        for name in names:
            (self.hot / name).parent.mkdir(parents=True, exist_ok=True)
            (self.hot / name).write_bytes(b"%PDF-1.7 %%EOF")

    def work(self, *names: str) -> None:
        for name in names:
            self.journal.inserts.open_job(new_job(self.rule, self.hot / name))
            job = self.journal.queue.next()
            assert job is not None
            assert runner_over(self.journal, Scripted, self.hot.parent / "work").run(job).kind == "done"

    def left(self) -> set[str]:
        return {path.relative_to(self.hot).as_posix() for path in self.hot.rglob("*")}


@pytest.fixture(name="world")
def _world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.journal.close()


def test_a_drop_goes_whole_once_all_of_it_is_done_and_quiet(world: World) -> None:
    world.look()
    world.drop("batch/a/1.pdf", "batch/b/2.pdf")
    (world.hot / "batch" / "empty").mkdir()
    world.look()
    world.work("batch/a/1.pdf", "batch/b/2.pdf")
    assert not world.look()
    assert not world.look(599)
    assert world.look(2) == {"batch", "batch/a", "batch/b", "batch/empty"}
    assert world.hot.is_dir()
    assert (world.hot.parent / "hot.done" / "batch" / "a" / "1.pdf").is_file()


def test_what_was_there_before_stays_with_what_is_in_it(world: World) -> None:
    world.drop("customers/miller/1.pdf")
    world.look()
    world.work("customers/miller/1.pdf")
    assert not any(world.look(700) for _ in range(3))
    world.drop("customers/new batch/2.pdf")
    world.look()
    world.work("customers/new batch/2.pdf")
    world.look()
    assert world.look(700) == {"customers/new batch"}
    assert world.left() == {"customers", "customers/miller"}


def test_a_folder_made_by_hand_stays_under_any_name(world: World) -> None:
    world.look()
    (world.hot / "inbox").mkdir()
    world.look()
    world.look(61)
    (world.hot / "inbox").rename(world.hot / "in tray")
    world.drop("in tray/1.pdf")
    world.look()
    world.work("in tray/1.pdf")
    assert not any(world.look(700) for _ in range(3))


def test_a_copy_that_goes_on_loses_no_folder(world: World) -> None:
    world.look()
    world.drop("batch/a/1.pdf", "batch/b/large.pdf.part")
    (world.hot / "batch" / "c").mkdir()
    world.work("batch/a/1.pdf")
    assert not any(world.look(700) for _ in range(3))
    (world.hot / "batch" / "b" / "large.pdf.part").unlink()
    world.look()
    (world.hot / "batch" / "d").mkdir()  # the next one comes
    assert not world.look(700)
    assert world.look(700) == {"batch", "batch/a", "batch/b", "batch/c", "batch/d"}


@pytest.mark.parametrize("name", ["left.xyz", ".hidden", ".git/config", "@eaDir/a"])
def test_whatever_lies_in_it_keeps_it(world: World, name: str) -> None:
    world.look()
    world.drop("batch/1.pdf", f"batch/{name}")
    world.work("batch/1.pdf")
    assert not any(world.look(700) for _ in range(3))


def test_an_open_job_keeps_it_and_nothing_goes_that_was_not_done_here(world: World) -> None:
    world.look()
    world.drop("batch/1.pdf", "other/2.pdf")
    world.journal.inserts.open_job(new_job(world.rule, world.hot / "batch" / "1.pdf"))
    world.look()
    for name in ("batch/1.pdf", "other/2.pdf"):
        (world.hot / name).unlink()
    assert not any(world.look(700) for _ in range(3))


def test_a_restart_forgets_no_drop_and_another_disk_has_none(world: World) -> None:
    world.look()
    world.drop("batch/1.pdf", "second/2.pdf")
    world.look()
    world.folders = EmptyFolders(world.journal)
    world.look()
    world.work("batch/1.pdf")
    world.look()
    assert world.look(700) == {"batch"}
    world.hot.rename(world.hot.with_name("away"))
    world.drop("stick/3.pdf")
    world.look()
    world.work("stick/3.pdf")
    assert not any(world.look(700) for _ in range(3))


@pytest.mark.parametrize("keys", [{"empty_folders": "keep"}, {"shared": True}, {"original": "keep"}])
def test_rules_that_keep_them_keep_them(tmp_path: Path, keys: dict[str, Any]) -> None:
    world = World(tmp_path, **keys)
    world.look()
    world.drop("batch/1.pdf")
    world.work("batch/1.pdf")
    (world.hot / "batch" / "1.pdf").unlink(missing_ok=True)
    assert not any(world.look(700) for _ in range(3))
    world.journal.close()
