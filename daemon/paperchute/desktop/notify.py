"""Desktop notifications: one for each burst of work, not one for each file."""

from __future__ import annotations

import asyncio
import html
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from loguru import logger

from paperchute.desktop.icon import draw
from paperchute.desktop.lines import line_of
from paperchute.desktop.menu import NEEDS, Command, told
from paperchute.desktop.panels import APP_NAME
from paperchute.events import Done, Event, Failed, Status
from paperchute.files.names import listed
from paperchute.language import N_, _, ngettext
from paperchute.redaction import clean

if TYPE_CHECKING:
    from desktop_notifier import DesktopNotifier

QUIET = 3.0
"""Seconds without a finished job that end a burst."""
TITLE_WIDTH = 60
TEXT_WIDTH = 200
Ending = Literal["done", "warned", "failed"]

_OF_ONE = {"done": N_("{name} is done"), "warned": N_("{name} is done with warnings"), "failed": N_("{name} failed")}
_HOW_TO_SEE = {
    "warned": N_("The .warnings.txt file in the failed folder says what is missing."),
    "failed": N_("The text beside it says why."),
}

ANSWER_TIME = 10.0
"""Seconds the desktop gets to take a notification."""
_SCRIPT = ("on run argv", "display notification (item 3 of argv) with title (item 2 of argv)", "end run")
"""No text of anybody stands in it."""

logging.getLogger("desktop_notifier").setLevel(logging.CRITICAL)  # it logs stack traces; what matters is told below


@dataclass(frozen=True)
class Message:
    """A notification. Both texts are shown as they are: no markup."""

    title: str
    text: str


@dataclass
class BurstSummary:
    """Collects the ends of jobs and sums them up once none has ended for `quiet` seconds.

    Pure: the caller brings the time, in seconds of any clock that only goes forward.
    """

    quiet: float = QUIET
    _done: list[str] = field(default_factory=list)
    _warned: list[str] = field(default_factory=list)
    _failed: list[str] = field(default_factory=list)
    _latest: float = 0.0

    def add(self, name: str, ending: Ending, now: float) -> None:
        """A job on the file or set of this name has ended."""
        {"done": self._done, "warned": self._warned, "failed": self._failed}[ending].append(name)
        self._latest = now

    def wait(self, now: float) -> float | None:
        """Seconds until `take` has something if nothing else ends; None if nothing was collected."""
        return max(0.0, self._latest + self.quiet - now) if self._done or self._warned or self._failed else None

    def take(self, now: float) -> Message | None:
        """The summary of a burst that is over, once; None while there is none."""
        if self.wait(now) != 0.0:
            return None
        return self.finish()

    def finish(self) -> Message | None:
        """The summary of what was collected, over or not; None if there is nothing."""
        ended = ((self._failed, "failed"), (self._warned, "warned"), (self._done, "done"))
        self._done, self._warned, self._failed = [], [], []
        found = [(names, ending) for names, ending in ended if names]
        if not found:
            return None
        first, ending = found[0]  # what needs a person stands in front
        how_to_see = _(_HOW_TO_SEE[ending]) if ending in _HOW_TO_SEE else ""
        if len(found) == len(first) == 1:
            return Message(_(_OF_ONE[ending], name=first[0]), how_to_see)
        counts = [_told_of_count(ending, len(names)) for names, ending in reversed(found)]
        return Message(", ".join(counts), f"{listed(first, 3)}. {how_to_see}".strip())


def _told_of_count(ending: str, n: int) -> str:
    """Return how many files have ended so; the word goes with the number."""
    match ending:
        case "done":
            return ngettext("{n} done", "{n} done", n)
        case "warned":
            return ngettext("{n} done with warnings", "{n} done with warnings", n)
    return ngettext("{n} failed", "{n} failed", n)


class Notifier:
    """Sends notifications from a thread of its own. No method raises or waits for the desktop.

    Where there is no notification service the messages go nowhere, and the log says so.
    """

    def __init__(self, choose: Callable[[Command], None], quiet: float = QUIET) -> None:
        """choose: takes what a click on a message asks for; called on any thread, returns at once."""
        self._choose = choose
        self._loop = asyncio.new_event_loop()
        self._inbox: asyncio.Queue[tuple[str, Ending] | Message | None] = asyncio.Queue()
        self._summary = BurstSummary(quiet)
        self._shown = True
        self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)
        self._thread.start()

    def hear(self, event: Event, /) -> None:
        """A subscriber: the ends of jobs are summed up; what stops the work is shown at once, by itself."""
        match event:
            case Done():
                self.done(event.name, warned=bool(event.warnings))
            case Failed():
                self.failed(event.name)
            case _ if text := told(event):
                self.say(APP_NAME, text)

    def done(self, name: str, *, warned: bool = False) -> None:
        """The job on this file or set is done; warned: its result lacks something."""
        self._put((name, "warned" if warned else "done"))

    def failed(self, name: str) -> None:
        """The job on this file or set has failed."""
        self._put((name, "failed"))

    def say(self, title: str, text: str) -> None:
        """Show a message of its own at once, as for a trouble that stops the work."""
        self._put(Message(title, text))

    def close(self) -> None:
        """Send what was collected and end the thread; returns after seconds at most."""
        self._put(None)
        self._thread.join(ANSWER_TIME)

    def _put(self, news: tuple[str, Ending] | Message | None) -> None:
        with suppress(RuntimeError):  # closed
            self._loop.call_soon_threadsafe(self._inbox.put_nowait, news)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        with TemporaryDirectory(prefix="paperchute-") as folder:
            desktop = await _desktop(Path(folder))
            while True:
                try:
                    news = await asyncio.wait_for(self._inbox.get(), self._summary.wait(time.monotonic()))
                except TimeoutError:
                    await self._send(desktop, self._summary.take(time.monotonic()))
                    continue
                if news is None:
                    await self._send(desktop, self._summary.finish())
                    return
                if isinstance(news, Message):
                    await self._send(desktop, news)
                else:
                    self._summary.add(*news, now=time.monotonic())

    async def _send(self, desktop: DesktopNotifier | ScriptNotifier | None, message: Message | None) -> None:
        if message is None:
            return
        shown = desktop is not None and await _sent(desktop, message, lambda: self._choose(NEEDS))
        if self._shown and not shown:
            logger.info("This desktop shows no notifications.")
        self._shown = shown


class ScriptNotifier:
    """Notifications by macOS's own `osascript`. Clicks on them lead to the Script Editor, not to us."""

    async def send(self, title: str, text: str, on_dispatched: Callable[[], None], on_clicked: object) -> None:
        """See DesktopNotifier. Raises OSError and subprocess.SubprocessError."""
        lines = [part for line in _SCRIPT for part in ("-e", line)]
        words = ["osascript", *lines, APP_NAME, title, text]  # our name first: a title may look like an option
        await asyncio.to_thread(
            subprocess.run, words, stdin=subprocess.DEVNULL, capture_output=True, timeout=ANSWER_TIME, check=True
        )
        on_dispatched()


async def _desktop(folder: Path) -> DesktopNotifier | ScriptNotifier | None:
    """The desktop's notifications, with our icon kept in the folder; None where there are none."""
    try:
        from desktop_notifier import DesktopNotifier, Icon

        picture = folder / "paperchute.png"
        draw(Status("idle"), 128).save(picture)
        desktop = DesktopNotifier(app_name=APP_NAME, app_icon=Icon(path=picture))
        if sys.platform == "darwin" and not await desktop.get_capabilities():
            return ScriptNotifier()  # what is no app bundle gets a stand-in from desktop-notifier that shows nothing
        return desktop
    except Exception as error:  # noqa: BLE001 (the desktop's libraries raise anything; work goes on without)
        logger.debug("Notifications could not be set up: {!r}", error)
        return None


async def _sent(desktop: DesktopNotifier | ScriptNotifier, message: Message, clicked: Callable[[], None]) -> bool:
    """Decide whether the desktop took the message."""
    taken = asyncio.Event()
    title = line_of(clean(message.title), TITLE_WIDTH)
    text = line_of(clean(message.text), TEXT_WIDTH)
    if sys.platform.startswith("linux"):
        text = html.escape(text, quote=False)  # the Desktop Notifications Specification has markup in bodies
    try:
        async with asyncio.timeout(ANSWER_TIME):
            await desktop.send(title, text, on_dispatched=taken.set, on_clicked=clicked)
    except Exception as error:  # noqa: BLE001 (as above)
        logger.debug("A notification could not be sent: {!r}", error)
    return taken.is_set()
