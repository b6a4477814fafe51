"""Telling people elsewhere what needs them: collected into few messages, sent by a thread that nobody waits for."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from loguru import logger

from paperchute.app.outbox import KIND, PAUSES, Outbox
from paperchute.app.outlets import Message
from paperchute.events import Done, Event, Failed, Health, Observer, Trouble
from paperchute.jobs.journal import Journal
from paperchute.language import _, ngettext
from paperchute.redaction import clean
from paperchute.rules.notify import NotifyKeys
from paperchute.rules.schedule import latest, recurrence

_LINES = 20
"""Of a message; more is said to be more."""
_LAST_SECONDS = 10.0
"""For what is to be sent at the end; the rest goes out after the next start."""
_DIGEST = "digest"
"""The setting of the journal that says when the last summary was made."""
_ELSEWHERE = ("polling", KIND)
"""Troubles that are none, or that the very way which fails would tell."""


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
            case Trouble(kind=kind) if "needs" in on and kind not in _ELSEWHERE:
                self.needs[f"{kind} {event.subject}"] = event.message
            case Health(state="closed"):
                self.needs.pop(f"service {event.service}", None)
            case Health() if "needs" in on:
                self.needs[f"service {event.service}"] = event.message
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


class Notices:
    """A subscriber. Nothing here waits for a server but its own thread."""

    def __init__(
        self, settings: Callable[[], NotifyKeys], journal: Journal, events: Observer, needs: Callable[[], int]
    ) -> None:
        """settings: as the rule file has them now. needs: how many things a person must see to."""
        self._settings = settings
        self._journal = journal
        self._needs = needs
        self._outbox = Outbox(journal, events)
        self._lock = threading.Lock()
        self._news = News()
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)

    def start(self) -> None:
        """Take up what an earlier run has left, and begin."""
        self._outbox.load()
        self._thread.start()

    def hear(self, event: Event, /) -> None:
        """Take in one event."""
        settings = self._settings()
        if settings.outlets():
            with self._lock:
                self._news.hear(event, settings.on, time.monotonic())
            self._wake.set()

    def look_now(self) -> None:
        """Look whether a summary is due: the clock on the wall has changed."""
        self._wake.set()

    def close(self) -> None:
        """Send what there is, within seconds, and keep the rest for the next start."""
        self._closing = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(_LAST_SECONDS)
        with self._lock:
            self._make_message()
        self._outbox.keep()

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
            return PAUSES[0]

    def _round(self) -> float | None:
        """Make and send what is due; the seconds until there may be more."""
        settings = self._settings()
        now = time.monotonic()
        with self._lock:
            if self._news.since and (self._closing or now >= self._news.since + settings.gather):
                self._make_message()
            if settings.digest and settings.outlets():
                self._make_digest(settings.digest)
        next_try = self._outbox.send(settings)
        with self._lock:
            ends = [next_try] if next_try is not None else []
            ends += [self._news.since + settings.gather - time.monotonic()] if self._news.since else []
            ends += [PAUSES[0]] if settings.digest else []  # by the clock on the wall, which people set
        return max(0.0, min(ends)) if ends else None

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
        self._outbox.put(message, self._settings().outlets())

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
