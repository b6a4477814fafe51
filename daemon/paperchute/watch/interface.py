"""What goes into the watcher, what comes out of it, and what keeps folders from being watched."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from paperchute.events import Observer, Trouble
from paperchute.files.identity import FileKey
from paperchute.files.names import is_half_made, is_hidden, is_private
from paperchute.files.sets import Unfit

TroubleKind = Literal["missing", "denied", "limit", "overflow", "unreachable", "polling", "thread", "deep", "watched"]
Reason = Literal[
    "open",
    "empty",
    "unfit",
    "incomplete",
    "companion",
    "cloud",
    "hidden",
    "denied",
    "settling",
    "more",
    "missing",
    "partner",
    "batch",
]
"""Why what has appeared is not taken yet. unfit: a set without a file of its own, but with links and the like.
more: a set, to which more may come. missing: a set that lacks its count or
end mark. partner, batch: it is complete, and waits for the rest of its set."""
How = Literal["closed", "renamed", "appeared", "listed"]
"""How a path was noticed: closed after writing, renamed into place, a new name (perhaps still being written), or found
by a reconcile scan."""


@dataclass(frozen=True)
class HotFolder:
    """One folder to watch. `path` as the user wrote it, made absolute.

    files: files directly in the folder are taken, one by one; `recursive` takes those of sub-folders too.
    gather: each direct sub-folder is taken whole as one set, once it is complete (`watch.judge`).
    prompt: a count or an end mark may complete a set at any change, so it is looked at soon after each.
    settle: seconds a file must have been quiet, 0 = as its format and writer allow (docs/watching.md#waiting-times).
    watch: by the system's events (native), by looking every two seconds (poll), or as its file system needs (auto).
    hidden: some rule names hidden folders, so they are looked into.
    """

    path: Path
    files: bool = True
    recursive: bool = False
    gather: bool = False
    prompt: bool = False
    settle: float = 0.0
    watch: Literal["auto", "native", "poll"] = "auto"
    hidden: bool = False

    def enters(self, parts: Sequence[str]) -> bool:
        """Decide whether the sub-folder that these names lead to is looked into, as those above it are.

        Never what programs keep for themselves or have not finished, and hidden ones inside a dropped folder alone, or
        where a rule names some.
        """
        name = parts[-1]
        if is_private(name) or is_half_made(name):
            return False
        return not is_hidden(name) or self.hidden or (self.gather and len(parts) > 1)


@dataclass(frozen=True)
class SetNames:
    """What the rules make of the names in a gathered sub-folder.

    complete: True when the count or end mark that they ask for is there, False while it is not, None where they ask for
    none. counted: the files that they take; what becomes of the others need not be waited for.
    """

    complete: bool | None
    counted: frozenset[str]


@dataclass(frozen=True)
class Ready:
    """A complete file, or a complete gathered set.

    `path` is the file, or the sub-folder of a set. `members` are the files of it with their keys: exactly one for
    a file; for a set all files below the sub-folder in natural order, as paths. `unfit` is what else lies in a set and
    may be missed: links, special files, and whole documents under the name of a temporary file.
    """

    folder: Path
    path: Path
    members: tuple[tuple[Path, FileKey], ...]
    is_set: bool = False
    unfit: tuple[tuple[Path, Unfit], ...] = ()


class Interest(Protocol):
    """What the rules make of what is in a hot folder. Asked on the watcher's threads, for each file: to be quick."""

    def wanted(self, folder: HotFolder, path: Path) -> bool:
        """Decide whether anybody would take a file, or a set: then `path` is the sub-folder."""

    def naming(self, folder: HotFolder, path: Path, names: Sequence[str]) -> SetNames:
        """Return what is to be made of a set at `path`, by the paths below it of the files in it."""


class Out(Protocol):
    """Where the watcher puts what it finds: any queue whose `put` does not block."""

    def put(self, item: Ready, /) -> None:
        """Take one record."""


class Troubles:
    """The troubles of now, one of a kind for each folder. May be used from any thread."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._now: dict[tuple[Path, TroubleKind], Trouble] = {}
        self._lock = threading.Lock()

    def tell(self, folder: Path, kind: TroubleKind, message: str) -> None:
        """Announce a trouble, unless it is known already."""
        with self._lock:
            if (folder, kind) not in self._now:
                trouble = self._now[folder, kind] = Trouble(kind, str(folder), message)
                self._observer.publish(trouble)

    def over(self, folder: Path, *kinds: TroubleKind) -> None:
        """Announce that troubles of these kinds are gone, where there were any."""
        with self._lock:
            for kind in kinds:
                if (trouble := self._now.pop((folder, kind), None)) is not None:
                    self._observer.publish(replace(trouble, over=True))

    def forget(self, folder: Path) -> None:
        """The folder is not watched any more: its troubles are over."""
        self.over(folder, *[kind for path, kind in list(self._now) if path == folder])

    def now(self) -> list[Trouble]:
        """All troubles that last."""
        with self._lock:
            return list(self._now.values())


class Sink(Protocol):
    """Who hears what an emitter notices. `root` is the watched folder, `path` a full path at or below it.

    Called on emitter threads: nothing here may block or raise.
    """

    def seen(self, root: str, path: str, how: How, folder: bool = False) -> None:
        """A file, or a folder, has appeared or changed."""

    def gone(self, root: str, path: str, folder: bool) -> None:
        """What was at `path` was deleted or moved away."""

    def lost(self, root: str) -> None:
        """The root itself was deleted, moved or unmounted."""

    def overflowed(self, root: str) -> None:
        """Events were lost."""

    def unsure(self, root: str) -> None:
        """Only a scan tells what is below the root now."""

    def refused(self, root: str, path: str, error: OSError) -> None:
        """The sub-folder `path` cannot be watched."""
