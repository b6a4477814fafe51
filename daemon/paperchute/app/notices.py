"""Telling people elsewhere what needs them: collected into few messages, sent by a thread that nobody waits for."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from loguru import logger

from paperchute.app.outlets import Message, send
from paperchute.errors import PaperchuteError
from paperchute.events import Done, Event, Failed, Health, Trouble
from paperchute.jobs.journal import Journal
from paperchute.language import _, ngettext
from paperchute.redaction import clean
from paperchute.rules.notify import NotifyKeys
from paperchute.rules.schedule import latest, recurrence

_LINES = 20
"""Of a message; more is said to be more."""
_PAUSES = (60.0, 300.0, 900.0, 3600.0)
"""Seconds before a message is tried again; the last for as often as it takes."""
_LONGEST = 24 * 3600.0
"""Seconds for which it is tried: what is older has been seen to, or stands in the status."""
_MOST_UNSENT = 50
_LAST_SECONDS = 10.0
"""For what is to be sent at the end; the rest goes out after the next start."""
_UNSENT = "notices"
_DIGEST = "digest"
"""Settings of the journal: what is not sent yet, and when the last summary was made."""


@dataclass
class News:
    """What has come since the last message."""

    failed: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    needs: dict[str, str] = field(default_factory=dict)
    """By what has it, so that what is over by the time of the message is not told."""
    since: float = 0.0
    """Of a clock that only goes forward: when the first of it came; 0 = nothing has."""

    def hear(self, event: Event, on: tuple[str, ...], now: float) -> None:
        """Take in an event, if it is one of those that are to be told."""
        match event:
            case Failed() if "failed" in on:
                self.failed.append(f"{event.name}: {event.reason}")
            case Done() if event.warnings and "warned" in on:
                self.warned.append(f"{event.name}: {' '.join(event.warnings)}")
            case Trouble(over=True):
                self.needs.pop(f"{event.kind} {event.subject}", None)
            case Trouble(kind=kind) if "needs" in on and kind != "polling":
                self.needs[f"{kind} {event.subject}"] = event.message
            case Health(state="closed"):
                self.needs.pop("service", None)
            case Health() if "needs" in on:
                self.needs["service"] = event.message
        if not (self.failed or self.warned or self.needs):
            self.since = 0.0
        elif not self.since:
            self.since = now

    def message(self) -> Message:
        """All of it as one."""
        counts = [
            ngettext("{n} failed", "{n} failed", len(self.failed)) if self.failed else "",
            ngettext("{n} done with warnings", "{n} done with warnings", len(self.warned)) if self.warned else "",
            ngettext("{n} thing needs you", "{n} things need you", len(self.needs)) if self.needs else "",
        ]
        lines = [clean(line) for line in (*self.needs.values(), *self.failed, *self.warned)]
        more = [_("and {n} more", n=len(lines) - _LINES)] if len(lines) > _LINES else []
        return Message(f"Paperchute: {', '.join(filter(None, counts))}", "\n".join([*lines[:_LINES], *more]))


@dataclass
class Unsent:
    """A message on its way by one outlet."""

    outlet: str
    message: Message
    made: float
    """Unix time."""
    tries: int = 0
    due: float = 0.0
    """Of a clock that only goes forward."""


class Notices:
    """A subscriber. Nothing here waits for a server but its own thread."""

    def __init__(self, settings: Callable[[], NotifyKeys], journal: Journal, needs: Callable[[], int]) -> None:
        """settings: as the rule file has them now. needs: how many things a person must see to."""
        self._settings = settings
        self._journal = journal
        self._needs = needs
        self._lock = threading.Lock()
        self._news = News()
        self._unsent: list[Unsent] = []
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)

    def start(self) -> None:
        """Take up what an earlier run has left, and begin."""
        self._unsent = _loaded(self._journal.settings.get(_UNSENT))
        self._thread.start()

    def hear(self, event: Event, /) -> None:
        """Take in one event."""
        settings = self._settings()
        if settings.outlets():
            with self._lock:
                self._news.hear(event, settings.on, time.monotonic())
            self._wake.set()

    def close(self) -> None:
        """Send what there is, within seconds, and keep the rest for the next start."""
        self._closing = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(_LAST_SECONDS)
        with self._lock:
            self._make_message()
            self._keep()

    # ---------- the thread ----------

    def _run(self) -> None:
        wait: float | None = 0.0
        while not self._closing:
            self._wake.wait(wait)
            self._wake.clear()
            wait = self._safe_round()
        self._safe_round()

    def _safe_round(self) -> float | None:
        try:
            return self._round()
        except Exception as error:  # noqa: BLE001 -- telling people elsewhere must not end for one fault
            logger.error("what was to be told elsewhere could not be: {!r}", error)
            return _PAUSES[0]

    def _round(self) -> float | None:
        """Make and send what is due; the seconds until there may be more."""
        settings = self._settings()
        outlets = settings.outlets()
        now = time.monotonic()
        with self._lock:
            if self._news.since and (self._closing or now >= self._news.since + settings.gather):
                self._make_message()
            if settings.digest and outlets:
                self._make_digest(settings.digest)
            self._unsent = [one for one in self._unsent if one.outlet in outlets]
            due = [one for one in self._unsent if one.due <= now]
        for one in due:
            self._try(one, settings)
        with self._lock:
            if due:
                self._keep()
            ends = [one.due - now for one in self._unsent]
            ends += [self._news.since + settings.gather - now] if self._news.since else []
            ends += [_PAUSES[0]] if settings.digest else []  # by the clock on the wall, which people set
        return max(0.0, min(ends)) if ends else None

    def _try(self, one: Unsent, settings: NotifyKeys) -> None:
        try:
            send(one.outlet, settings, one.message)
        except PaperchuteError as error:
            one.tries += 1
            one.due = time.monotonic() + _PAUSES[min(one.tries, len(_PAUSES)) - 1]
            if time.time() - one.made < _LONGEST:
                logger.warning("{}", error.what)
                return
            logger.error("given up: {}", error.what)
        with self._lock:
            self._unsent = [other for other in self._unsent if other is not one]

    def _make_message(self) -> None:
        if self._news.since:
            self._put(self._news.message())
            self._news = News()

    def _make_digest(self, text: str) -> None:
        now = time.time()
        last = self._setting(_DIGEST)
        since = float(last) if last else 0.0
        if since >= latest(recurrence(text), datetime.fromtimestamp(now)).timestamp():
            return
        with contextlib.suppress(sqlite3.Error):
            counts = self._journal.queries.ended_since(since)
            self._journal.settings.set(_DIGEST, repr(now))
            if last:  # from the first day on that it is asked for
                self._put(_digest(counts, self._needs()))

    def _put(self, message: Message) -> None:
        self._unsent += [Unsent(outlet, message, time.time()) for outlet in self._settings().outlets()]
        self._unsent = self._unsent[-_MOST_UNSENT:]

    def _keep(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # the journal's disk is away: it is not only this that waits for it
            kept = [{"outlet": one.outlet, "made": one.made, **asdict(one.message.masked())} for one in self._unsent]
            self._journal.settings.set(_UNSENT, json.dumps(kept) if kept else None)

    def _setting(self, name: str) -> str | None:
        with contextlib.suppress(sqlite3.Error):
            return self._journal.settings.get(name)
        return None


def _digest(counts: dict[str, int], needs: int) -> Message:
    done = counts.get("done", 0) + counts.get("warned", 0)
    documents = ngettext("{n} document done", "{n} documents done", done)
    wanting = ngettext("{n} thing needs you", "{n} things need you", needs) if needs else _("nothing needs you")
    lines = [
        ngettext("{n} done with warnings", "{n} done with warnings", n) if (n := counts.get("warned", 0)) else "",
        ngettext("{n} failed", "{n} failed", n) if (n := counts.get("failed", 0)) else "",
    ]
    return Message(f"Paperchute: {documents}, {wanting}", "\n".join(filter(None, [f"{documents}, {wanting}.", *lines])))


def _loaded(text: str | None) -> list[Unsent]:
    """What an earlier run has kept; nothing where it cannot be read."""
    try:
        kept: list[dict[str, Any]] = json.loads(text or "[]")
        return [
            Unsent(str(one["outlet"]), Message(str(one["title"]), str(one["text"])), float(one["made"])) for one in kept
        ]
    except (ValueError, TypeError, KeyError, AttributeError):
        return []
