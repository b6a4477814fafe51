"""What the tray menu says, as plain data; each panel turns it into a menu of its own kind."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.cells import cell_len

from paperchute.events import Event, Health, Status, Trouble
from paperchute.language import _, ngettext
from paperchute.redaction import clean

LINE_WIDTH = 70
MOST_RUNNING = 5
MOST_RESULTS = 10
MOST_FAILURES = 15
MOST_TROUBLES = 5


@dataclass(frozen=True)
class Command:
    """What a person asked for in a menu.

    argument: for "open" the path of a file or folder; for "retry" the id of a job, "" for all failed ones; for "seen"
    the id of a job whose warnings need no more attention, "" for all; for "show" the id of a failed or warned job whose
    reason is wanted, "" for the state of everything. The others have none.
    """

    verb: Literal["pause", "resume", "retry", "seen", "open", "show", "page", "edit-rules", "quit"]
    argument: str = ""


@dataclass(frozen=True)
class Entry:
    """One line of a menu: a heading (no command, no children), a choice, or the door to a sub-menu.

    default: what a plain click on the icon does, where the panel has such a thing; exactly one entry of a menu.
    """

    text: str
    command: Command | None = None
    children: tuple[Entry, ...] = ()
    default: bool = False


SEPARATOR = Entry("")


def headline(status: Status) -> str:
    """One line of at most 60 ASCII characters: what the daemon does now."""
    progress = _("{done} of {total} done", done=status.done, total=status.total)
    match status.activity:
        case "idle":
            return _("Waiting for files")
        case "working":
            return _("Working: {progress}", progress=progress)
        case "paused":
            return _("Paused")
        case "attention":
            things = ngettext("{n} thing needs your attention", "{n} things need your attention", status.attention)
            return things + (f"; {progress}" if status.done < status.total else "")
        case "down" if status.stopped_by == "auth":
            return _("The service refuses the API key; work waits")
        case "down" if status.stopped_by == "quota":
            return _("Calls or units are used up; work waits")
        case "down":
            return _("The service does not answer; work goes on when it is back")


def told(event: Event) -> str:
    """What people are told at once of the rule file and of the service, in a sentence; empty of any other event."""
    match event:
        case Health(state="closed"):
            return _("The service answers again; work goes on.")
        case Health(message=message) | Trouble(kind="rules" | "webhooks", message=message):
            return message
        case _:
            return ""


def entries(status: Status) -> tuple[Entry, ...]:
    """The whole menu of a status. Texts are printable, short and not yet escaped for any toolkit."""
    sections = (
        _now(status),
        _results(status),
        _failures(status),
        _warned(status),
        _troubles(status),
        _untaken(status),
        (
            Entry(_("Open Paperchute"), Command("page")),
            _pause_or_resume(status),
            *_hot_folders(status),
            Entry(_("Edit rules"), Command("edit-rules")),
        ),
        (Entry(_("Quit Paperchute"), Command("quit")),),
    )
    lines: list[Entry] = []
    for section in filter(None, sections):
        lines += (SEPARATOR, *section) if lines else section
    return tuple(lines)


def _now(status: Status) -> tuple[Entry, ...]:
    running = (Entry(_line(text)) for text in status.now[:MOST_RUNNING])
    return (Entry(headline(status)), *running, *_more(len(status.now), MOST_RUNNING))


def _results(status: Status) -> tuple[Entry, ...]:
    latest = tuple(Entry(_line(path.name), Command("open", str(path))) for path in status.results[:MOST_RESULTS])
    return (Entry(_("Last results"), children=latest),) if latest else ()


def _failures(status: Status) -> tuple[Entry, ...]:
    if not status.failures:
        return ()
    each = (
        Entry(
            _line(reason),
            children=(Entry(_("Show"), Command("show", job)), Entry(_("Try again"), Command("retry", job))),
        )
        for job, reason in status.failures[:MOST_FAILURES]
    )
    return (
        Entry(
            _("Failed ({n})", n=len(status.failures)),
            children=(
                *each,
                *_more(len(status.failures), MOST_FAILURES),
                SEPARATOR,
                Entry(_("Try all again"), Command("retry")),
            ),
        ),
    )


def _warned(status: Status) -> tuple[Entry, ...]:
    """What was done, but lacks something: to look at, and to put away."""
    if not status.warned:
        return ()
    each = (
        Entry(
            _line(text), children=(Entry(_("Show"), Command("show", job)), Entry(_("Put away"), Command("seen", job)))
        )
        for job, text in status.warned[:MOST_FAILURES]
    )
    more = _more(len(status.warned), MOST_FAILURES)
    everything = (*each, *more, SEPARATOR, Entry(_("Put all away"), Command("seen")))
    return (Entry(_("Done with warnings ({n})", n=len(status.warned)), children=everything),)


def _troubles(status: Status) -> tuple[Entry, ...]:
    show = Command("show")
    default = _needs_a_look(status)
    if not status.troubles:
        return (Entry(_("Show what is wrong"), show, default=True),) if default else ()
    first, *others = (Entry(_line(text), show) for text in status.troubles[:MOST_TROUBLES])
    return (Entry(first.text, show, default=default), *others, *_more(len(status.troubles), MOST_TROUBLES))


def _untaken(status: Status) -> tuple[Entry, ...]:
    """No fault, and yet whoever dropped it may be waiting for a result."""
    if not status.untaken:
        return ()
    each = (Entry(_line(text), Command("open", str(folder))) for folder, text in status.untaken[:MOST_FAILURES])
    return (Entry(_("Not taken by any rule"), children=(*each, *_more(len(status.untaken), MOST_FAILURES))),)


def _pause_or_resume(status: Status) -> Entry:
    return Entry(_("Resume"), Command("resume")) if status.activity == "paused" else Entry(_("Pause"), Command("pause"))


def _hot_folders(status: Status) -> tuple[Entry, ...]:
    default = not _needs_a_look(status)
    if not status.hot_folders:
        return (Entry(_("Show status"), Command("show"), default=True),) if default else ()
    folders = tuple(Entry(_line(folder.name), Command("open", str(folder))) for folder in status.hot_folders)
    everything = Entry(_("Open hot folders"), Command("open", str(_home_of(status.hot_folders))), default=default)
    return (everything,) if len(folders) == 1 else (everything, Entry(_("Hot folders"), children=folders))


def _home_of(folders: tuple[Path, ...]) -> Path:
    """The only hot folder, or the deepest folder above them all; the first one if they share no drive."""
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:
        return folders[0]


def _needs_a_look(status: Status) -> bool:
    return status.activity in ("attention", "down")


def _more(count: int, shown: int) -> tuple[Entry, ...]:
    return (Entry(_("and {n} more", n=count - shown)),) if count > shown else ()


def _line(text: str) -> str:
    return shortened(clean(text), LINE_WIDTH) or _("(no name)")


def shortened(text: str, width: int) -> str:
    """The text in at most `width` terminal cells (a CJK character takes two), its middle left out if need be.

    The end stays readable, because that is where a file name has its number and suffix.
    """
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    tail = _beginning(text[::-1], (width - 1) // 2)[::-1]
    return _beginning(text, width - 1 - cell_len(tail)) + "…" + tail


def _beginning(text: str, width: int) -> str:
    end = min(len(text), width)
    while cell_len(text[:end]) > width:
        end -= 1
    return text[:end]
