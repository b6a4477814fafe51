"""What the tray menu says, as plain data; each panel turns it into a menu of its own kind."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len

from paperchute.desktop.model import Command, Face
from paperchute.redaction import clean

LINE_WIDTH = 70
MOST_RUNNING = 5
MOST_RESULTS = 10
MOST_FAILURES = 15
MOST_TROUBLES = 5


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


def headline(face: Face) -> str:
    """One line of at most 60 ASCII characters: what the daemon does now."""
    progress = f"{face.done} of {face.total} done"
    match face.state:
        case "idle":
            return "Waiting for files"
        case "working":
            return f"Working: {progress}"
        case "paused":
            return "Paused"
        case "attention":
            things = "1 thing needs" if face.attention == 1 else f"{face.attention} things need"
            return f"{things} your attention" + (f"; {progress}" if face.done < face.total else "")
        case "down" if face.stopped_by == "auth":
            return "The service refuses the API key; work waits"
        case "down" if face.stopped_by == "quota":
            return "Calls or units are used up; work waits"
        case "down":
            return "The service does not answer; work goes on when it is back"


def entries(face: Face) -> tuple[Entry, ...]:
    """The whole menu of a face. Texts are printable, short and not yet escaped for any toolkit."""
    sections = (
        _now(face),
        _results(face),
        _failures(face),
        _warned(face),
        _troubles(face),
        (_pause_or_resume(face), *_hot_folders(face), Entry("Edit rules", Command("edit-rules"))),
        (Entry("Quit Paperchute", Command("quit")),),
    )
    lines: list[Entry] = []
    for section in filter(None, sections):
        lines += (SEPARATOR, *section) if lines else section
    return tuple(lines)


def _now(face: Face) -> tuple[Entry, ...]:
    running = (Entry(_line(text)) for text in face.now[:MOST_RUNNING])
    return (Entry(headline(face)), *running, *_more(len(face.now), MOST_RUNNING))


def _results(face: Face) -> tuple[Entry, ...]:
    latest = tuple(Entry(_line(path.name), Command("open", str(path))) for path in face.results[:MOST_RESULTS])
    return (Entry("Last results", children=latest),) if latest else ()


def _failures(face: Face) -> tuple[Entry, ...]:
    if not face.failures:
        return ()
    each = (
        Entry(
            _line(reason),
            children=(Entry("Show", Command("show", job)), Entry("Try again", Command("retry", job))),
        )
        for job, reason in face.failures[:MOST_FAILURES]
    )
    return (
        Entry(
            f"Failed ({len(face.failures)})",
            children=(
                *each,
                *_more(len(face.failures), MOST_FAILURES),
                SEPARATOR,
                Entry("Try all again", Command("retry")),
            ),
        ),
    )


def _warned(face: Face) -> tuple[Entry, ...]:
    """What was done, but lacks something: to look at, and to put away."""
    if not face.warned:
        return ()
    each = (
        Entry(_line(text), children=(Entry("Show", Command("show", job)), Entry("Put away", Command("seen", job))))
        for job, text in face.warned[:MOST_FAILURES]
    )
    more = _more(len(face.warned), MOST_FAILURES)
    everything = (*each, *more, SEPARATOR, Entry("Put all away", Command("seen")))
    return (Entry(f"Done with warnings ({len(face.warned)})", children=everything),)


def _troubles(face: Face) -> tuple[Entry, ...]:
    show = Command("show")
    default = _needs_a_look(face)
    if not face.troubles:
        return (Entry("Show what is wrong", show, default=True),) if default else ()
    first, *others = (Entry(_line(text), show) for text in face.troubles[:MOST_TROUBLES])
    return (Entry(first.text, show, default=default), *others, *_more(len(face.troubles), MOST_TROUBLES))


def _pause_or_resume(face: Face) -> Entry:
    return Entry("Resume", Command("resume")) if face.state == "paused" else Entry("Pause", Command("pause"))


def _hot_folders(face: Face) -> tuple[Entry, ...]:
    default = not _needs_a_look(face)
    if not face.hot_folders:
        return (Entry("Show status", Command("show"), default=True),) if default else ()
    folders = tuple(Entry(_line(folder.name), Command("open", str(folder))) for folder in face.hot_folders)
    everything = Entry("Open hot folders", Command("open", str(_home_of(face.hot_folders))), default=default)
    return (everything,) if len(folders) == 1 else (everything, Entry("Hot folders", children=folders))


def _home_of(folders: tuple[Path, ...]) -> Path:
    """The only hot folder, or the deepest folder above them all; the first one if they share no drive."""
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:
        return folders[0]


def _needs_a_look(face: Face) -> bool:
    return face.state in ("attention", "down")


def _more(count: int, shown: int) -> tuple[Entry, ...]:
    return (Entry(f"and {count - shown} more"),) if count > shown else ()


def _line(text: str) -> str:
    return shortened(clean(text), LINE_WIDTH) or "(no name)"


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
