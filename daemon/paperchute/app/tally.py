"""What the events add up to: what runs, what has ended lately, and what is wrong."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from paperchute.events import Done, Event, Failed, Pages, Postponed, StepStarted, Trouble

_REFUSED_SHOWN = 3
_QUIET_SECONDS = 3.0  # as long as notifications wait for the end of a burst


@dataclass(frozen=True)
class Running:
    """A job at work, as people are shown it."""

    job: int
    name: str
    rule: str
    operation: str
    step: int
    """Its number, from 1."""
    steps: int
    since: float
    """Unix time."""
    pages_done: int = 0
    """Of the present step; 0 where the service does not tell."""
    pages: int = 0
    service: str = ""
    """Who is asked to do the step, for people; empty where the rule names nobody."""

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1, as far as its pages are known."""
        within = self.pages_done / self.pages if self.pages else 0.0
        return (self.step - 1 + within) / self.steps


class Tally:
    """A subscriber. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, Running] = {}
        self._troubles: dict[tuple[str, str], Trouble] = {}
        self._storage: dict[int, Postponed] = {}
        self._finished = 0
        self._finished_at = 0.0

    def hear(self, event: Event, /) -> None:
        """Take one event in."""
        with self._lock:
            match event:
                case StepStarted():
                    who = (event.job, event.name, event.rule)
                    step = (event.operation, event.step, event.steps)
                    self._running[event.job] = Running(*who, *step, time.time(), service=event.service)
                case Pages() if event.job in self._running:
                    running = self._running[event.job]
                    self._running[event.job] = replace(running, pages_done=event.done, pages=event.total)
                case Done() | Failed() | Postponed():
                    self._ended(event)
                case Trouble(over=False):
                    self._troubles[event.kind, event.subject] = event
                case Trouble():
                    self._troubles.pop((event.kind, event.subject), None)

    def running(self) -> list[Running]:
        """The jobs at work now, the longest first."""
        with self._lock:
            return sorted(self._running.values(), key=lambda running: running.since)

    def finished(self, left: int) -> int:
        """How many jobs have ended in the present burst; one is over some seconds after nothing was `left` to do."""
        with self._lock:
            if left == 0 and time.monotonic() - self._finished_at > _QUIET_SECONDS:
                self._finished = 0
            return self._finished

    def troubles(self) -> list[Trouble]:
        """Return what is wrong now, in the order in which it began."""
        with self._lock:
            return list(self._troubles.values())

    def refused_by_disks(self) -> list[str]:
        """Return why jobs wait for a disk or share, in sentences: of each rule the first few."""
        with self._lock:
            told: dict[str, list[str]] = {}
            for event in self._storage.values():
                told.setdefault(event.rule, []).append(event.reason)
            return [reason for reasons in told.values() for reason in filter(None, reasons[:_REFUSED_SHOWN])]

    def _ended(self, event: Done | Failed | Postponed) -> None:
        self._running.pop(event.job, None)
        if isinstance(event, Postponed) and event.why == "storage":
            self._storage[event.job] = event
            return
        self._storage.pop(event.job, None)
        if isinstance(event, Postponed):
            return
        self._finished += 1
        self._finished_at = time.monotonic()
