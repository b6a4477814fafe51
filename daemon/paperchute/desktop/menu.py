"""What the tray menu says, as plain data; each panel turns it into a menu of its own kind."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from paperchute.desktop.lines import line_of
from paperchute.events import Event, Health, Status, Trouble
from paperchute.language import _, ngettext
from paperchute.moments import MORNING, told_of_hour
from paperchute.redaction import clean

LINE_WIDTH = 70
MOST_RUNNING = 5
MOST_RESULTS = 10
MOST_FAILURES = 15
MOST_TROUBLES = 5


@dataclass(frozen=True)
class Command:
    """What a person asked for in a menu.

    argument: for "open" the path of a file or folder; for "page" the view of it; for "pause" until when: "hour",
    "tomorrow", or "" for until "resume"; for "retry" the id of a job, "" for all failed ones; for "seen"
    the id of a job whose warnings need no more attention, "" for all; for "show" the id of a failed or warned job whose
    reason is wanted, "" for the state of everything. The others have none.
    """

    verb: Literal["pause", "resume", "retry", "seen", "open", "show", "page", "edit-rules", "autostart", "quit"]
    argument: str = ""


@dataclass(frozen=True)
class Entry:
    """One line of a menu: a heading (no command, no children), a choice, or the door to a sub-menu.

    default: what a plain click on the icon does, where the panel has such a thing; exactly one entry of a menu.
    checked: of a switch, whether it is on; None of any other entry.
    """

    text: str
    command: Command | None = None
    children: tuple[Entry, ...] = ()
    default: bool = False
    checked: bool | None = None


SEPARATOR = Entry("")
NEEDS = Command("page", "needs")


def headline(status: Status) -> str:
    """One line of at most 60 ASCII characters: what the daemon does now."""
    progress = _("{done} of {total} done", done=status.done, total=status.total)
    match status.activity:
        case "idle":
            return _("Waiting for files")
        case "working":
            return _("Working: {progress}", progress=progress)
        case "paused":
            if status.paused_until:
                return _("Paused until {time}", time=told_of_hour(datetime.fromtimestamp(status.paused_until)))
            return _("Paused")
        case "attention":
            things = ngettext("{n} thing needs your attention", "{n} things need your attention", status.attention)
            return things + (f"; {progress}" if status.done < status.total else "")
        case "down" if status.stopped_by == "auth":
            return _("The service refuses the API key; work is waiting")
        case "down" if status.stopped_by == "quota":
            return _("Calls or units are used up; work is waiting")
        case "down":
            return _("The service does not answer; work continues when it is back")


def told(event: Event) -> str:
    """Return what people are told at once of the rule file, of the service and of the state folder, in a sentence.

    Empty of any other event.
    """
    match event:
        case Health(state="closed", service=service) if service:
            return _("{service} answers again; work continues.", service=service)
        case Health(state="closed"):
            return _("The service answers again; work continues.")
        case Health(message=message) | Trouble(kind="rules" | "webhooks" | "notify", message=message):
            return message
        case Trouble(kind="state", over=False, message=message):
            return message
        case _:
            return ""


def entries(status: Status, starts: bool | None = None) -> tuple[Entry, ...]:
    """The whole menu of a status. Texts are printable, short and not yet escaped for any toolkit.

    Whatever happens, each line stays where it is, since menus are redrawn while a person points at them: what comes and
    goes does so in sub-menus.

    Args:
        status: What to tell.
        starts: Whether Paperchute starts at log-in; None where nothing starts programs so.
    """
    at_login = () if starts is None else (Entry(_("Start when you log in"), Command("autostart"), checked=starts),)
    return (
        Entry(headline(status)),
        _foremost(status),
        SEPARATOR,
        Entry(_("Open Paperchute"), Command("page")),
        _needs(status),
        _at_work(status),
        _results(status),
        SEPARATOR,
        _pause_or_resume(status),
        *_hot_folders(status),
        Entry(_("Edit rules"), Command("edit-rules")),
        *at_login,
        SEPARATOR,
        Entry(_("Quit Paperchute"), Command("quit")),
    )


def _foremost(status: Status) -> Entry:
    """The one thing that a person wants to read: what is wrong, else what runs."""
    named = (text for _job, text in (*status.failures, *status.warned))
    wrong = next(iter((*status.troubles, *named)), "")
    if wrong or needs_a_look(status):
        return Entry(_line(wrong) if wrong else _("Show what is wrong"), NEEDS, default=needs_a_look(status))
    if status.now:
        return Entry(_line(status.now[0]), Command("page", "now"))
    left = next((text for _folder, text in status.untaken), "")
    return Entry(_line(left) if left else _("Nothing needs you."), NEEDS)


def _needs(status: Status) -> Entry:
    troubles = tuple(Entry(_line(text), NEEDS) for text in status.troubles[:MOST_TROUBLES])
    inside = (
        *troubles,
        *_more(len(status.troubles), MOST_TROUBLES),
        *_failures(status),
        *_warned(status),
        *_untaken(status),
    )
    title = _("Needs you ({n})", n=status.attention) if status.attention > 0 else _("Needs you")
    return Entry(title, children=inside or (Entry(_("Nothing needs you.")),))


def _at_work(status: Status) -> Entry:
    running = tuple(Entry(_line(text)) for text in status.now[:MOST_RUNNING])
    inside = (*running, *_more(len(status.now), MOST_RUNNING))
    return Entry(_("At work"), children=inside or (Entry(_("Nothing is being worked on.")),))


def _results(status: Status) -> Entry:
    latest = tuple(Entry(_line(path.name), Command("open", str(path))) for _job, path in status.results[:MOST_RESULTS])
    return Entry(_("Last results"), children=latest or (Entry(_("No results yet.")),))


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
    """Return what was done, but lacks something: to look at, and to put away."""
    if not status.warned:
        return ()
    each = (
        Entry(_line(text), children=(Entry(_("Show"), Command("show", job)), Entry(_("Dismiss"), Command("seen", job))))
        for job, text in status.warned[:MOST_FAILURES]
    )
    more = _more(len(status.warned), MOST_FAILURES)
    everything = (*each, *more, SEPARATOR, Entry(_("Dismiss all"), Command("seen")))
    return (Entry(_("Done with warnings ({n})", n=len(status.warned)), children=everything),)


def _untaken(status: Status) -> tuple[Entry, ...]:
    """No fault, and yet whoever dropped it may be waiting for a result."""
    if not status.untaken:
        return ()
    each = (Entry(_line(text), Command("open", str(folder))) for folder, text in status.untaken[:MOST_FAILURES])
    title = _("Not taken by any rule ({n})", n=max(status.untaken_files, len(status.untaken)))
    return (Entry(title, children=(*each, *_more(len(status.untaken), MOST_FAILURES))),)


def _pause_or_resume(status: Status) -> Entry:
    if status.activity == "paused":
        return Entry(_("Resume"), Command("resume"))
    tomorrow = Command("pause", "tomorrow")
    return Entry(
        _("Pause"),
        children=(
            Entry(_("For an hour"), Command("pause", "hour")),
            Entry(_("Until tomorrow, {time}", time=f"{MORNING:02}:00"), tomorrow),
            Entry(_("Until I resume"), Command("pause")),
        ),
    )


def _hot_folders(status: Status) -> tuple[Entry, ...]:
    default = not needs_a_look(status)
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


def needs_a_look(status: Status) -> bool:
    """Decide whether a click on the icon leads to what is wrong."""
    return status.activity in ("attention", "down") or status.attention > 0


def _more(count: int, shown: int) -> tuple[Entry, ...]:
    return (Entry(_("and {n} more", n=count - shown)),) if count > shown else ()


def _line(text: str) -> str:
    return line_of(clean(text), LINE_WIDTH) or _("(no name)")
