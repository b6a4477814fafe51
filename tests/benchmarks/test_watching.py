"""The benchmark itself works: a small burst, seen whole by ours, in the shape that is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.watching import bursts, whole_path
from benchmarks.watching.__main__ import machine
from benchmarks.watching.child import watcher
from benchmarks.watching.daemon import service
from benchmarks.watching.tables import spread, with_ratio


@pytest.mark.parametrize("stopped", [False, True])
def test_a_small_burst_is_measured(stopped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bursts, "KINDS", ("paperchute",))
    (row,) = bursts.bursts(tmp_path / "burst", (".part, rename",), 200, stopped=stopped)
    assert row["files"] == 200
    assert row["lost %"] == 0.0
    assert {"writer", "watcher", "lag s", "written in s", "cpu s", "cpu us/file", "peak MiB"} <= row.keys()
    assert row["cpu s / inotify"] is None, "no peer was measured"
    assert json.loads(json.dumps(row)) == row
    assert not (tmp_path / "burst").exists()


def test_the_memory_of_a_watcher_is_its_own_and_not_that_of_the_benchmark(tmp_path: Path) -> None:
    ballast = b"x" * (300 << 20)
    with watcher("paperchute", [tmp_path]) as child:
        assert 5 < child.ask()["peak_mib"] < 150
    assert len(ballast) > 0


def test_a_large_input_is_measured_whatever_way_it_is_sent(tmp_path: Path) -> None:
    with service() as idler:
        rows = whole_path.one_large(tmp_path / "large", idler, 1)
    assert [row["mode"] for row in rows] == ["sync", "secure"]
    assert all(row["idle MiB"] > 1 for row in rows)


def test_a_ratio_is_taken_within_the_same_run_and_the_same_question() -> None:
    rows = [
        {"files": 1, "who": "ours", "ms": 3.0},
        {"files": 1, "who": "peer", "ms": 2.0},
        {"files": 2, "who": "ours", "ms": 8.0},
        {"files": 2, "who": "peer", "ms": None},
    ]
    assert [row["ms / peer"] for row in with_ratio(rows, "ms", "who", "peer", same=("files",))] == [
        1.5,
        1.0,
        None,
        None,
    ]


def test_nothing_measured_is_no_figure() -> None:
    assert spread([]) == (None, None)
    assert spread([float(number) for number in range(100)]) == (50.0, 99.0)


def test_the_figures_say_what_they_depend_on(tmp_path: Path) -> None:
    assert {"date", "kernel", "python", "cores", "packages", "not installed"} <= machine(tmp_path).keys()
