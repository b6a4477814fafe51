"""The benchmark itself works: a small burst, seen whole by ours, in the shape that is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.watching import bursts, watchers
from benchmarks.watching.__main__ import machine


@pytest.mark.parametrize("stopped", [False, True])
def test_a_small_burst_is_measured(stopped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bursts, "KINDS", ("paperchute",))
    assert watchers.installed("paperchute")
    (row,) = bursts.bursts(tmp_path / "burst", {".part, rename": (200,)}, stopped=stopped)
    assert row["files"] == 200
    assert row["lost %"] == 0.0
    assert row["cpu / inotify"] is None, "no peer was measured"
    assert not (tmp_path / "burst").exists()


def test_the_figures_say_what_they_depend_on() -> None:
    assert {"kernel", "python", "cores", "packages"} <= machine().keys()
