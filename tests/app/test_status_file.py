"""Where the state folder cannot be written, nothing looks well: status, tray and page say so until it can."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paperchute.app import status
from paperchute.app.places import State
from paperchute.app.status import StatusFile
from paperchute.cli.front import app
from paperchute.events import Event, Trouble


class Events(list[Event]):
    def publish(self, event: Event, /) -> None:
        self.append(event)


def test_a_state_folder_that_cannot_be_written_is_told_once_and_when_it_can_again(tmp_path: Path) -> None:
    events = Events()
    folder = tmp_path / "state"
    file = StatusFile(folder / "status.json", events)
    for _ in range(3):
        file.write({})
    (told,) = events
    assert isinstance(told, Trouble)
    assert (told.kind, told.subject, told.over) == ("state", str(folder), False)
    assert "No such file" in told.message
    folder.mkdir()
    for _ in range(2):
        file.write({"running": True})
    assert len(events) == 2
    assert isinstance(events[1], Trouble)
    assert events[1].over


def test_an_old_word_of_the_daemon_is_told_as_old(tmp_path: Path) -> None:
    state = State(tmp_path)
    around = {"running": True, "pid": 1, "paused": False, "rules": {"path": "r"}, "jobs": {}, "postponed": {"jobs": 0}}
    empty: dict[str, list[str]] = {name: [] for name in ("now", "settling", "untaken", "upcoming", "troubles")}
    service = {"base_url": "x", "state": "closed", "message": "", "monthly_calls": None, "calls_this_month": 0}
    StatusFile(state.status, Events()).write({**around, **empty, "service": {**service, "assets": []}})
    with state.lock():
        assert " old:" not in CliRunner().invoke(app, ["--state", str(tmp_path), "status"]).output
        old = time.time() - 60
        os.utime(state.status, (old, old))
        said = CliRunner().invoke(app, ["--state", str(tmp_path), "status"])
    assert said.exit_code == 0, said.exception
    assert "s old: the disk of the state folder is full or not there" in " ".join(said.output.split())


def test_what_has_not_changed_is_marked_as_of_now_and_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "_TOUCH_SECONDS", -1.0)
    path = tmp_path / "status.json"
    file = StatusFile(path, Events())
    file.write({"a": 1})
    written = path.stat().st_ino
    os.utime(path, (1.0, 1.0))
    file.write({"a": 1})
    assert (path.stat().st_ino, path.stat().st_mtime > 1.0) == (written, True)
    path.unlink()
    file.write({"a": 1})
    assert path.exists()
