"""What somebody asks of the daemon through the journal, from this process or another: pause, go on, try again."""

from __future__ import annotations

import time

from paperchute.app import failures
from paperchute.jobs import pause
from paperchute.jobs.asked import ASKED, NUDGE, TAKEN
from paperchute.jobs.dispatcher import Dispatcher
from paperchute.jobs.journal import Journal
from paperchute.jobs.switchboard import Circuits
from paperchute.watch.watcher import Watcher


class RemoteControl:
    """Has the daemon go by the journal's settings. All but `pause` is called on the daemon's own thread."""

    def __init__(self, journal: Journal, dispatcher: Dispatcher, circuits: Circuits, watcher: Watcher) -> None:
        self._journal = journal
        self._dispatcher = dispatcher
        self._circuits = circuits
        self._watcher = watcher
        self.paused = False
        self._nudge = journal.settings.get(NUDGE)
        self._asked: str | None = None

    def start(self) -> None:
        """Pause again what was paused when the last daemon stopped."""
        self.paused = pause.is_paused(self._journal.settings.get(pause.SETTING), time.time())
        self._dispatcher.pause(self.paused)

    def pause(self, on: bool, until: float = 0.0) -> None:
        """Pause or resume, and remember it over restarts. until: Unix time at which work goes on by itself."""
        self._journal.settings.set(pause.SETTING, pause.text_of(until) if on else None)
        self.paused = on
        self._dispatcher.pause(on)

    def paused_until(self) -> float:
        """Return the Unix time at which the pause ends; 0 where somebody has to end it, or there is none."""
        return pause.end_of(self._journal.settings.get(pause.SETTING))

    def read(self) -> bool:
        """Read what was asked and do it; return whether it changes what people are shown. Raises sqlite3.Error."""
        said = self._journal.settings.several(pause.SETTING, NUDGE, ASKED, TAKEN)
        setting, nudge = said.get(pause.SETTING), said.get(NUDGE)
        self._asked = said.get(ASKED) if said.get(ASKED) != said.get(TAKEN) else None
        paused = pause.is_paused(setting, time.time())
        if setting is not None and not paused:
            self._journal.settings.set(pause.SETTING, None)
        news = (paused, nudge) != (self.paused, self._nudge)
        if paused != self.paused:
            self.paused = paused
            self._dispatcher.pause(paused)
        if nudge != self._nudge:
            self._try_again()
            self._nudge = nudge  # once that is done: where the journal is away it is read again
        return news

    def answer(self) -> None:
        """Tell who waits for it that settings and rules are in force as they were when it asked."""
        if self._asked is not None:
            self._dispatcher.agree()
            self._journal.settings.set(TAKEN, self._asked)
            self._asked = None

    def _try_again(self) -> None:
        self._circuits.close()
        self._journal.queue.retry_now()
        self._dispatcher.resume_folders()
        for path in failures.to_look_at(self._journal):
            self._watcher.again(path)
