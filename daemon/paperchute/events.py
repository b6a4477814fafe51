"""What happens in the daemon, as one stream: every room publishes, and whoever shows or keeps it subscribes.

Events carry plain values, so that a subscriber (terminal, tray, notifications, status, log) needs no room's records.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from loguru import logger


@dataclass(frozen=True)
class Found:
    """A complete file, or a complete set, has been taken out of a hot folder."""

    path: Path
    """The file, or the sub-folder of a set."""


@dataclass(frozen=True)
class Queued:
    """A job has been written down."""

    job: int
    name: str
    """The name of the file or set it is about."""
    rule: str


@dataclass(frozen=True)
class StepStarted:
    """A step of a job begins."""

    job: int
    name: str
    rule: str
    operation: str
    step: int
    """Its number, from 1."""
    steps: int


@dataclass(frozen=True)
class Pages:
    """How far the present step of a job is, where the service says so."""

    job: int
    done: int
    total: int


@dataclass(frozen=True)
class Done:
    """A job has ended, and its results are in place."""

    job: int
    name: str
    rule: str
    result: Path | None
    """The result, or the folder of several; None where the rule delivers nothing."""
    warnings: tuple[str, ...] = ()
    """What the result lacks of what was asked for. With any, the job is "done with warnings"."""


@dataclass(frozen=True)
class Failed:
    """A job has ended without a result, and a person must see to it."""

    job: int
    name: str
    rule: str
    reason: str
    """One sentence for people."""


@dataclass(frozen=True)
class Postponed:
    """A job's run has ended, and it will run again by itself: its service, a disk, or its rule's hours made it wait."""

    job: int
    name: str
    rule: str
    why: Literal["waiting", "service", "storage", "cancelled"]
    reason: str = ""


@dataclass(frozen=True)
class Trouble:
    """Something keeps a folder, the rule file or a service from working as it should; or no longer does."""

    key: str
    """The same for the beginning and the end of one trouble."""
    message: str
    """One sentence that a person can act on; the last one that was told where the trouble is over."""
    over: bool = False


@dataclass(frozen=True)
class Health:
    """Whether a service does work."""

    state: Literal["closed", "open", "stopped"]
    """Of its circuit: closed while it answers, open while it is down, stopped until a person does something."""
    message: str = ""


Event = Found | Queued | StepStarted | Pages | Done | Failed | Postponed | Trouble | Health


class Observer(Protocol):
    """Whoever is told of events. Rooms take one, and know nothing of who listens."""

    def publish(self, event: Event, /) -> None:
        """Take one event, on any thread. Never blocks and never raises."""


class Stream:
    """The one stream of a daemon. Any thread publishes; subscribers are called on the thread that calls `deliver`."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._subscribers: list[Callable[[Event], None]] = []

    def subscribe(self, subscriber: Callable[[Event], None]) -> None:
        """Have all further events, in the order in which they were published. To be done before the first one."""
        self._subscribers.append(subscriber)

    def publish(self, event: Event, /) -> None:
        """Take one event, on any thread."""
        self._events.put(event)

    def deliver(self) -> None:
        """Hand everything published so far to the subscribers. One that fails keeps nothing from the others."""
        while not self._events.empty():
            event = self._events.get()
            for subscriber in self._subscribers:
                try:
                    subscriber(event)
                except Exception:  # noqa: BLE001 - whoever shows events must not stop the work
                    logger.exception("an event could not be shown")
