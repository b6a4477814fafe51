"""What happens in the daemon, as one stream: every room publishes, and whoever shows or keeps it subscribes.

Events carry plain values, so that a subscriber (terminal, tray, notifications, status, log) needs no room's records.
"""

from __future__ import annotations

import queue
import threading
import time
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
    path: Path
    """The file, or the sub-folder of a set."""


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
    service: str = ""
    """Who is asked to do it, for people; empty where the rule names nobody."""


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
    note: str = ""
    """What is to be said of the result, or why there is none."""
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
class Waiting:
    """Something has appeared in a hot folder and is not taken yet; told once for each reason, and when it is over."""

    path: Path
    reason: str
    """A word of `watch.interface.Reason`."""
    seconds: float
    """For how long already."""
    over: bool = False


@dataclass(frozen=True)
class Trouble:
    """Something keeps a folder, the rule file or a service from working as it should; or no longer does."""

    kind: str
    """What sort of trouble it is: of `TroubleKind`, or rules (their file is broken), webhooks, journal, storage,
    state (its folder cannot be written), notify (people elsewhere are not told), expiry (originals
    cannot go to the trash), upgrade (of the program), tray."""
    subject: str
    """What has it, such as the folder's path. Kind and subject are the same at the beginning and the end of one."""
    message: str
    """One sentence that a person can act on; the last one that was told where the trouble is over."""
    over: bool = False


@dataclass(frozen=True)
class Health:
    """Whether a service does work."""

    state: Literal["closed", "open", "stopped"]
    """Of its circuit: closed while it answers, open while it is down, stopped until a person does something."""
    message: str = ""
    service: str = ""
    """Its name; empty for that of `[service]` and the built-in engine."""


@dataclass(frozen=True)
class NeedsAttention:
    """The number of things that a person must see to has changed: failures and warnings not seen yet, and troubles."""

    count: int


Activity = Literal["idle", "working", "paused", "attention", "down"]


@dataclass(frozen=True)
class Status:
    """The present picture of everything, for people; told when it has changed, at most once a second."""

    activity: Activity
    done: int = 0
    """Jobs of the present burst that have ended."""
    total: int = 0
    """All jobs of the present burst; 0 = nothing to do."""
    part: float = 0.0
    """How much of the running jobs is done besides, counted in jobs, as far as the service tells their pages."""
    attention: int = 0
    """As `NeedsAttention` counts."""
    now: tuple[str, ...] = ()
    """What runs, and what waits, a line each."""
    results: tuple[tuple[int, Path], ...] = ()
    """The latest results, newest first, each with its job before it."""
    failures: tuple[tuple[str, str], ...] = ()
    """Of each failed job its id, and the file's name with the reason in one sentence."""
    warned: tuple[tuple[str, str], ...] = ()
    """The same of jobs that were done with warnings."""
    troubles: tuple[str, ...] = ()
    """Everything that is wrong, a sentence each."""
    untaken: tuple[tuple[Path, str], ...] = ()
    """What lies in hot folders and no rule takes: the folder to look into, and a line that says what and why."""
    untaken_files: int = 0
    """How many files these are."""
    hot_folders: tuple[Path, ...] = ()
    stopped_by: Literal["", "auth", "quota"] = ""
    """Why the service does no work though it answers: its key is refused, or its units are used up."""
    paused_until: float = 0.0
    """Unix time at which a pause ends by itself; 0 = somebody ends it, or there is none."""


Event = (
    Found
    | Queued
    | StepStarted
    | Pages
    | Done
    | Failed
    | Postponed
    | Waiting
    | Trouble
    | Health
    | NeedsAttention
    | Status
)


class Observer(Protocol):
    """Whoever is told of events. Rooms take one, and know nothing of who listens."""

    def publish(self, event: Event, /) -> None:
        """Take one event, on any thread. Never blocks and never raises."""


class Subscriber(Protocol):
    """Whoever shows or keeps what happens."""

    def hear(self, event: Event, /) -> None:
        """One event. Always called on one and the same thread, which is the subscriber's own: it may take its time."""


class Stream:
    """The one stream of a daemon: any thread publishes, and each subscriber hears it all on a thread of its own.

    All hear the events in one order, in which those of a job stand as they happened. One that fails or hangs keeps
    nothing from the others, and holds up nobody's work.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # makes the order the same for all
        self._lines: list[_Line] = []
        self._closed = False

    def subscribe(self, subscriber: Subscriber) -> None:
        """Have all further events."""
        with self._lock:
            self._lines.append(_Line(subscriber))

    def publish(self, event: Event, /) -> None:
        """Take one event, on any thread. What comes after `close` is heard by nobody."""
        with self._lock:
            if not self._closed:
                for line in self._lines:
                    line.tell(event)

    def close(self, timeout: float) -> bool:
        """End, once everything published was heard; False when a subscriber has not done that in `timeout` seconds."""
        with self._lock:
            ending = not self._closed
            self._closed = True
        deadline = time.monotonic() + timeout
        for line in self._lines:
            if ending:
                line.events.put(None)
        for line in self._lines:
            line.thread.join(max(0.0, deadline - time.monotonic()))
        return not any(line.thread.is_alive() for line in self._lines)


_PICTURES = (Pages, Status)
_MOST_UNHEARD = 10_000
"""Events that wait for a subscriber that hangs, as on a terminal that was stopped, before pictures are left out."""

_GATHERING_SECONDS = 0.02
"""Nobody sees so short a delay, and in a burst a subscriber's thread is woken for many events at once."""


class _Line:
    """One subscriber, and what it has not heard yet."""

    def __init__(self, subscriber: Subscriber) -> None:
        self.events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._subscriber = subscriber
        name = f"events-{type(subscriber).__name__.lower()}"
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

    def tell(self, event: Event) -> None:
        """Have it heard, unless it is one of many pictures of the moment that nobody has looked at for long."""
        if not (isinstance(event, _PICTURES) and self.events.qsize() >= _MOST_UNHEARD):
            self.events.put(event)

    def _run(self) -> None:
        while (event := self.events.get()) is not None:
            try:
                self._subscriber.hear(event)
            except Exception:  # noqa: BLE001 - whoever shows events must not stop the work
                logger.exception("an event could not be shown")
            if self.events.empty():
                time.sleep(_GATHERING_SECONDS)
