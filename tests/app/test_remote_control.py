"""What other processes ask of the daemon through the journal is done, also where the journal is away for a moment."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from paperchute.app.remote_control import RemoteControl
from paperchute.jobs import pause
from paperchute.jobs.asked import NUDGE
from paperchute.jobs.dispatcher import Dispatcher
from paperchute.jobs.journal import Journal
from paperchute.jobs.switchboard import Circuits
from paperchute.rules.service_names import DEFAULT
from tests.halves import Unwatched
from tests.observers import Told


class Resting(Dispatcher):
    """A dispatcher that has no jobs, and remembers whether it was paused."""

    def __init__(self) -> None:
        self.paused = False

    def pause(self, on: bool) -> None:
        self.paused = on

    def resume_folders(self) -> None:
        pass


def test_a_pause_that_another_process_wrote_down_is_kept_until_it_ends(tmp_path: Path) -> None:
    journal, dispatcher = Journal(tmp_path / "journal.sqlite", owner=True), Resting()
    control = RemoteControl(journal, dispatcher, Circuits(Told(), lambda: (DEFAULT,)), Unwatched())
    assert not control.read(), "nothing was asked"
    journal.settings.set(pause.SETTING, pause.text_of(0))
    assert control.read()
    assert (control.paused, dispatcher.paused) == (True, True)
    journal.settings.set(pause.SETTING, pause.text_of(1.0))  # a time that is over
    assert control.read()
    assert (control.paused, dispatcher.paused, journal.settings.get(pause.SETTING)) == (False, False, None)
    journal.close()


def test_a_retry_that_the_journal_could_not_take_is_made_in_the_next_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, tries = Journal(tmp_path / "journal.sqlite", owner=True), list[int]()

    def retry_now() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(journal.queue, "retry_now", retry_now)
    control = RemoteControl(journal, Resting(), Circuits(Told(), lambda: (DEFAULT,)), Unwatched())
    journal.settings.set(NUDGE, "now")
    with pytest.raises(sqlite3.OperationalError):
        control.read()
    assert control.read()
    assert not control.read()
    assert len(tries) == 2
    journal.close()
