"""Messages on their way to people elsewhere: kept until they are sent, tried again, and told where they cannot be."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from loguru import logger

from paperchute.app.outlets import Message, PartlySentError, send
from paperchute.errors import PaperchuteError
from paperchute.events import Observer, Trouble
from paperchute.jobs.journal import Journal
from paperchute.language import _, ngettext
from paperchute.moments import told_of_date
from paperchute.rules.notify import NotifyKeys

PAUSES = (60.0, 300.0, 900.0, 3600.0)
"""Seconds before a message is tried again; the last for as often as it takes."""
_TOLD_FROM = 2
"""Tries without success: that a mail server wants to be asked once more a minute later is common, and no trouble."""
_LONGEST = 24 * 3600.0
"""Seconds for which it is tried: what is older has been seen to, or stands in the status."""
_MOST = 50
"""Messages that wait for one way; more would not be read."""
_UNSENT = "notices"
"""The setting of the journal that has them."""

Way = tuple[str, tuple[str, ...]]
"""An outlet, and those of its addresses that are still to be told; none = all."""
KIND = "notify"
"""Of the trouble."""


@dataclass(frozen=True)
class Unsent:
    """A message that is not sent yet."""

    way: Way
    message: Message
    made: float
    """Unix time."""
    earlier: int = 0
    """Messages before it that were left out, since too many wait."""


@dataclass
class _Rest:
    """How often a way has failed, and until when it rests."""

    tries: int = 0
    until: float = 0.0
    """Of a clock that only goes forward."""


@dataclass
class _Held:
    unsent: list[Unsent] = field(default_factory=list)
    kept: str | None = None
    """What of it stands in the journal."""


class Outbox:
    """What waits for a way goes out as one message. Any thread may put; one sends."""

    def __init__(self, journal: Journal, events: Observer) -> None:
        self._journal = journal
        self._events = events
        self._lock = threading.Lock()
        self._held = _Held()
        self._rests: dict[Way, _Rest] = {}
        self._settings: NotifyKeys | None = None

    def load(self) -> None:
        """Take up what an earlier run has left."""
        text = self._journal.settings.get(_UNSENT)
        with self._lock:
            self._held = _Held(_loaded(text), text)

    def put(self, message: Message, outlets: Iterable[str]) -> None:
        """Have it sent by these, at the next `send`; from now on it outlives the process."""
        with self._lock:
            for outlet in outlets:
                self._held.unsent.append(Unsent((outlet, ()), message.masked(), time.time()))
                waiting = [one for one in self._held.unsent if one.way == (outlet, ())]
                if len(waiting) > _MOST:
                    oldest, next_ = waiting[:2]
                    self._replace([oldest, next_], [replace(next_, earlier=oldest.earlier + 1 + next_.earlier)])
            self._keep()

    def keep(self) -> None:
        """Write down what is not sent, should the journal's disk have been away."""
        with self._lock:
            self._keep()

    def send(self, settings: NotifyKeys) -> float | None:
        """Send what is due; the seconds until more is, None where nothing waits. Waits for servers."""
        with self._lock:
            if settings != self._settings:  # perhaps somebody has cured what was wrong
                self._settings = settings
                for rest in self._rests.values():
                    rest.until = 0.0
            self._held.unsent = [one for one in self._held.unsent if one.way[0] in settings.outlets()]
            ways = list(dict.fromkeys(one.way for one in self._held.unsent))
        for way in self._rests.keys() - set(ways):
            self._over(way)
        now = time.monotonic()
        for way in ways:
            if self._rests.setdefault(way, _Rest()).until <= now:
                with self._lock:
                    batch = [one for one in self._held.unsent if one.way == way]
                self._try(way, batch, settings)
        with self._lock:
            self._keep()
        return min((rest.until - time.monotonic() for rest in self._rests.values()), default=None)

    def _try(self, way: Way, batch: list[Unsent], settings: NotifyKeys) -> None:
        message = _joined(batch)
        try:
            send(way[0], settings, message)
        except PaperchuteError as error:
            left = batch
            if isinstance(error, PartlySentError):
                self._over(way)
                way = (way[0], error.left)
                left = [Unsent(way, message, batch[0].made)]
            logger.warning("{}", error.what)
            rest = self._rests.setdefault(way, _Rest())
            rest.tries += 1
            rest.until = time.monotonic() + PAUSES[min(rest.tries, len(PAUSES)) - 1]
            if given_up := [one for one in left if time.time() - one.made >= _LONGEST]:
                left = [one for one in left if one not in given_up]
                logger.error("given up {} messages by {}", len(given_up), way[0])
            with self._lock:
                self._replace(batch, left)
            if rest.tries >= _TOLD_FROM:
                waiting = ngettext("{n} message waits.", "{n} messages wait.", len(left))
                self._events.publish(Trouble(KIND, _subject(way), f"{error.what} {waiting}"))
        else:
            with self._lock:
                self._replace(batch, [])
            self._over(way)

    def _over(self, way: Way) -> None:
        rest = self._rests.pop(way, None)
        if rest is not None and rest.tries >= _TOLD_FROM:
            what = _("Messages by {outlet} are being sent again.", outlet=way[0])
            self._events.publish(Trouble(KIND, _subject(way), what, over=True))

    def _replace(self, old: list[Unsent], new: list[Unsent]) -> None:
        at = next((number for number, one in enumerate(self._held.unsent) if one in old), 0)
        self._held.unsent[:] = [one for one in self._held.unsent if one not in old]
        self._held.unsent[at:at] = new

    def _keep(self) -> None:
        text = _text(self._held.unsent)
        if text != self._held.kept:
            with contextlib.suppress(sqlite3.Error):  # its disk is away: it is not only this that waits for it
                self._journal.settings.set(_UNSENT, text)
                self._held.kept = text


def _joined(batch: list[Unsent]) -> Message:
    """Return what waits for one way as one message, which is the same each time it is made of the same."""
    first = batch[0]
    made = "".join(f"{one.way} {one.made!r} {one.message.title} {one.message.text}\n" for one in batch)
    id_ = first.message.id or hashlib.sha256(made.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    if len(batch) == 1 and not first.earlier:
        return replace(first.message, id=id_, to=first.way[1])
    count = sum(one.earlier + 1 for one in batch)
    left_out = sum(one.earlier for one in batch)
    notes = [ngettext("{n} earlier message is left out.", "{n} earlier messages are left out.", left_out)]
    told = [f"{_told_of_time(one)}: {one.message.title}\n{one.message.text}" for one in batch]
    title = ngettext("{n} message that could not be sent before", "{n} messages that could not be sent before", count)
    return Message(f"Paperchute: {title}", "\n\n".join([*(notes if left_out else []), *told]), id_, first.way[1])


def _told_of_time(one: Unsent) -> str:
    return told_of_date(datetime.fromtimestamp(one.made))


def _subject(way: Way) -> str:
    return " ".join((way[0], *way[1]))


def _text(unsent: list[Unsent]) -> str | None:
    kept = [
        {
            "outlet": one.way[0],
            "to": list(one.way[1]),
            "made": one.made,
            "earlier": one.earlier,
            "title": one.message.title,
            "text": one.message.text,
            "id": one.message.id,
        }
        for one in unsent
    ]
    return json.dumps(kept) if kept else None


def _loaded(text: str | None) -> list[Unsent]:
    """Return what an earlier run has kept; nothing where it cannot be read."""
    try:
        kept: list[dict[str, Any]] = json.loads(text or "[]")
        return [
            Unsent(
                (str(one["outlet"]), tuple(map(str, one.get("to", ())))),
                Message(str(one["title"]), str(one["text"]), str(one.get("id", ""))),
                float(one["made"]),
                int(one.get("earlier", 0)),
            )
            for one in kept
        ]
    except (ValueError, TypeError, KeyError, AttributeError):
        return []
