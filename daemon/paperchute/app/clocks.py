"""The machine's clocks, minded on the daemon's own thread: another time zone, a clock that is set, a new month."""

from __future__ import annotations

import time
from datetime import datetime
from datetime import time as clock_time

from loguru import logger

from paperchute.app.notices import Notices
from paperchute.app.zone import Zone
from paperchute.jobs import pause
from paperchute.jobs.circuit import months
from paperchute.jobs.dispatcher import Dispatcher
from paperchute.jobs.journal import Journal
from paperchute.jobs.switchboard import Circuits
from paperchute.moments import MORNING

_JUMP_SECONDS = 5.0


class Clocks:
    """Notices what changes of the clocks, and has what waits go by them as they are."""

    def __init__(self, journal: Journal, dispatcher: Dispatcher, circuits: Circuits, notices: Notices) -> None:
        self._journal = journal
        self._dispatcher = dispatcher
        self._circuits = circuits
        self._notices = notices
        self._zone = Zone()
        self._apart = time.time() - time.monotonic()
        self._months = months(time.time())

    def look(self) -> None:
        """Mind the clock first: what waits is then where the zone is asked about it."""
        self._mind_the_clock()
        self._mind_the_zone()

    def begin_month(self) -> None:
        """A quota of calls that is used up is fresh again with the new month."""
        now = months(time.time())
        if now != self._months:
            self._months = now
            for circuit in self._circuits.open_ones():
                if circuit.state == "stopped":
                    circuit.close()

    def _mind_the_zone(self) -> None:
        """Work out anew what waits for a time on the wall, where the system has another time zone now."""
        end = pause.end_of(self._journal.settings.get(pause.SETTING))
        morning = end if datetime.fromtimestamp(end).time() == clock_time(MORNING) else 0.0
        changed, until = self._zone.has_changed(morning)
        if not changed:
            return
        logger.info("the system's time zone has changed")
        if morning:
            self._journal.settings.set(pause.SETTING, pause.text_of(until))
        self._journal.queue.ask_rules_again()
        self._notices.look_now()

    def _mind_the_clock(self) -> None:
        """When the wall clock is set, what waits goes on waiting as long as it would have."""
        apart = time.time() - time.monotonic()
        jump = apart - self._apart
        if abs(jump) < _JUMP_SECONDS:
            return
        self._apart = apart
        if jump < 0:  # forward: perhaps the machine slept, and what waited has waited long enough
            self._journal.queue.adjust_for_clock_change(jump)
            self._dispatcher.wake()
