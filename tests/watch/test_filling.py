"""A dropped folder is complete by evidence, however slowly it is filled; and what is empty so far is not there yet."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from watchdog.events import FileSystemEventHandler

from paperchute.app.selection import naming
from paperchute.watch.emitter import ReaderObserver
from paperchute.watch.interface import HotFolder, How, SetNames
from paperchute.watch.roots import SET_QUIET, SET_QUIET_MOST
from tests.jobs.makers import make_rule
from tests.watch.conftest import LONG, PDF
from tests.watch.filling import Filling, names
from tests.watch.interest import Naming, all_count


@contextmanager
def filling(*, naming: Naming = all_count, polled: bool = False, learned: Any = None, **hot: Any) -> Iterator[Filling]:
    with TemporaryDirectory() as base:
        folder = HotFolder(Path(base), **{"gather": True, **hot})
        yield Filling(folder, naming, polled=polled, learned=learned)


def fill(filled: Filling, gaps: Sequence[float], name: str = "set") -> set[str]:
    """One file, and one more after each gap; then none for long."""
    for number, gap in enumerate([0.0, *gaps]):
        filled.wait(gap)
        filled.drop(f"{name}/{number}.pdf")
    filled.wait(5 * SET_QUIET_MOST)
    return {f"{number}.pdf" for number in range(len(gaps) + 1)}


@pytest.mark.parametrize("polled", [False, True])
@pytest.mark.parametrize("gap", [1, 2, 3, 5, 7])
def test_a_folder_that_is_copied_slowly_is_one_set(gap: float, polled: bool) -> None:
    with filling(polled=polled) as filled:
        assert [names(ready) for ready in [*fill_and_report(filled, [gap] * 5)]] == [{f"{n}.pdf" for n in range(6)}]


def fill_and_report(filled: Filling, gaps: Sequence[float]) -> Any:
    fill(filled, gaps)
    return filled.readies


@given(st.lists(st.floats(0, 0.99), max_size=8))
@example([0.2, 0.5, 0.75])  # the second file comes at the very moment of a look
def test_pauses_may_grow_to_three_times_the_longest_so_far(shares: list[float]) -> None:
    gaps: list[float] = []
    for share in shares:
        gaps.append(share * min(SET_QUIET_MOST, max([SET_QUIET, *(3 * gap for gap in gaps)])))
    with filling() as filled:
        whole = fill(filled, gaps)
        assert [names(ready) for ready in filled.readies] == [whole]


@given(st.floats(SET_QUIET, SET_QUIET_MOST / 3), st.lists(st.floats(0, 1), max_size=6))
def test_what_one_set_taught_holds_for_the_next(gap: float, shares: list[float]) -> None:
    """The first set is taken too early once, and no later one with such pauses is."""
    with filling() as filled:
        first = fill(filled, [gap], "first")
        assert names(filled.readies[-1]) == first
        filled.readies.clear()
        second = fill(filled, [share * gap for share in shares], "second")
        assert [names(ready) for ready in filled.readies] == [second]


@given(st.lists(st.floats(0, 400), max_size=6), st.booleans())
def test_whatever_the_pauses_the_last_report_has_every_file(gaps: list[float], polled: bool) -> None:
    with filling(polled=polled) as filled:
        whole = fill(filled, gaps)
        seen = [names(ready) for ready in filled.readies]
        assert seen[-1] == whole
        assert seen == sorted(seen, key=len), "each report has all of the one before"
        assert filled.root.set_patience(0.0) <= SET_QUIET_MOST


def test_what_was_learned_fades_with_quicker_sets() -> None:
    with filling(learned={"/": 100.0}) as filled:
        for number in range(20):
            fill(filled, [0.5], f"set {number}")
        assert filled.root.learned == {}


def test_a_folder_moved_in_whole_is_taken_at_once_and_one_that_grows_afterwards_is_not() -> None:
    with filling() as filled:
        for name in ("whole", "grows"):
            (filled.hot / name).mkdir()
            (filled.hot / name / "1.pdf").write_bytes(PDF)
            filled.tell(name, "renamed", folder=True)
            filled.tell(f"{name}/1.pdf", "listed")
        filled.drop("grows/2.pdf")
        filled.wait(1.0)
        assert [ready.path.name for ready in filled.readies] == ["whole"]
        filled.drop("grows/3.pdf")
        filled.wait(3600)
        assert [sorted(names(ready)) for ready in filled.readies[1:]] == [["1.pdf", "2.pdf", "3.pdf"]]


def test_files_that_are_renamed_into_a_folder_one_by_one_do_not_complete_it() -> None:
    with filling() as filled:
        for number in range(4):  # as rsync does
            filled.wait(4.0)
            (filled.hot / "set").mkdir(exist_ok=True)
            (filled.hot / "set" / f"{number}.pdf").write_bytes(PDF)
            filled.tell("set", "appeared", folder=True)
            filled.tell(f"set/{number}.pdf", "renamed")
        filled.wait(3600)
        assert [len(ready.members) for ready in filled.readies] == [4]


@pytest.mark.skipif(sys.platform != "linux", reason="the emitter is inotify's")
def test_only_a_folder_that_comes_from_outside_comes_whole(hot: Path, tmp_path: Path) -> None:
    if sys.platform != "linux":
        raise AssertionError("its mark skips it")
    from paperchute.watch import linux

    heard: list[tuple[str, How]] = []

    class Heard:
        def seen(self, root: str, path: str, how: How, folder: bool = False) -> None:
            if folder:
                heard.append((PurePath(path).name, how))

        def __getattr__(self, name: str) -> Any:
            return lambda *arguments, **named: None

    observer = ReaderObserver(linux.Reader(Heard()))
    observer.schedule(FileSystemEventHandler(), str(hot), recursive=True)
    observer.start()
    try:
        (hot / "New folder").mkdir()
        (hot / "New folder").rename(hot / "named")
        for name in ("moved", "end"):
            (tmp_path / name).mkdir()
            (tmp_path / name).rename(hot / name)
        end = time.monotonic() + LONG
        while heard[-1:] != [("end", "renamed")] and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        observer.stop()
        observer.join()
    assert heard == [("New folder", "appeared"), ("named", "appeared"), ("moved", "renamed"), ("end", "renamed")]


def by_rule(**fields: Any) -> Naming:
    """As the daemon asks, for one rule."""

    def ask(folder: HotFolder, path: Path, inside: Sequence[str]) -> SetNames:
        rule = make_rule(folder.path, gather="folder", **{"match": ("*.pdf",), **fields})
        return naming([rule], folder, path, inside)

    return ask


@pytest.mark.parametrize("polled", [False, True])
def test_a_count_completes_a_set_and_nothing_else_does(polled: bool) -> None:
    with filling(naming=by_rule(set_size=3), prompt=True, polled=polled) as filled:
        for name in ("1.pdf", "2.pdf", "notes.docx"):
            filled.drop(f"set/{name}")
        filled.wait(3 * 3600)
        assert filled.readies == []
        assert filled.reasons() == {"set": "missing"}
        assert filled.unsettled() == 0, "whoever works off what is there does not wait for it"
        filled.drop("set/3.pdf")
        filled.wait(SET_QUIET - 1)
        assert [len(ready.members) for ready in filled.readies] == [4]


def test_an_end_mark_completes_a_set_though_it_is_empty() -> None:
    with filling(naming=by_rule(set_end=("*.end",)), prompt=True) as filled:
        fill_slowly = [60.0, 500.0, 4000.0]
        for number, gap in enumerate(fill_slowly):
            filled.wait(gap)
            filled.drop(f"set/{number}.pdf")
        filled.wait(3600)
        assert filled.readies == []
        filled.drop("set/all.end", b"")
        filled.wait(1.0)
        assert [len(ready.members) for ready in filled.readies] == [4]


def test_a_set_without_its_end_mark_is_given_out_after_a_day_so_that_somebody_hears_of_it() -> None:
    with filling(naming=by_rule(set_end=("*.end",)), prompt=True) as filled:
        filled.drop("set/1.pdf")
        filled.wait(23 * 3600)
        assert filled.readies == []
        filled.wait(2 * 3600)
        assert [names(ready) for ready in filled.readies] == [{"1.pdf"}]


def test_an_empty_file_that_no_rule_takes_does_not_hold_up_a_set() -> None:
    with filling(naming=by_rule()) as filled:
        filled.drop("set/1.pdf")
        filled.drop("set/marker", b"")
        filled.wait(30.0)
        assert len(filled.readies) == 1
        filled.drop("other/1.pdf", b"")
        filled.wait(30.0)
        assert len(filled.readies) == 1
        assert filled.reasons() == {"other": "empty"}


@pytest.mark.parametrize(("settle", "hours"), [(0.0, 1), (6.0, 6)])
@pytest.mark.parametrize("polled", [False, True])
def test_an_empty_file_waits_for_its_scan(settle: float, hours: int, polled: bool) -> None:
    with filling(gather=False, settle=settle, polled=polled) as filled:
        for name in ("scan.pdf", "never.pdf"):
            filled.drop(name, b"")
        filled.wait(hours * 3600 - 100)
        assert filled.readies == []
        assert filled.reasons() == {"scan.pdf": "empty", "never.pdf": "empty"}
        assert filled.unsettled() == 0
        filled.drop("scan.pdf")
        filled.wait(30)
        assert [ready.path.name for ready in filled.readies] == ["scan.pdf"]
        filled.wait(200)
        assert [ready.path.name for ready in filled.readies] == ["scan.pdf", "never.pdf"]


def test_a_file_that_has_been_empty_for_long_before_the_start_is_given_out_soon() -> None:
    import os

    with filling(gather=False) as filled:
        filled.drop("old.pdf", b"")
        os.utime(filled.hot / "old.pdf", (1e9, 1e9))
        filled.wait(30)
        assert [ready.path.name for ready in filled.readies] == ["old.pdf"]


@pytest.mark.parametrize("settle", [0.0, 6.0])
def test_a_cut_file_waits_longer_where_writers_pause(settle: float) -> None:
    with filling(gather=False, settle=settle, polled=True) as filled:
        filled.drop("scan.pdf", PDF[:100])
        filled.wait(55 + 60 * settle)
        assert filled.readies == []
        filled.drop("scan.pdf", PDF)
        filled.wait(30)
        assert [ready.members[0][1].size for ready in filled.readies] == [len(PDF)]
