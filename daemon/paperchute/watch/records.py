"""What goes into the watcher and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from paperchute.files.identity import FileKey

TroubleKind = Literal["missing", "denied", "limit", "overflow", "unreachable", "polling", "thread", "deep"]
Reason = Literal["open", "empty", "incomplete", "companion", "settling", "more", "missing", "partner", "batch"]


@dataclass(frozen=True)
class HotFolder:
    """One folder to watch. `path` as the user wrote it, made absolute.

    files: files directly in the folder are taken, one by one; `recursive` takes those of sub-folders too.
    gather: each direct sub-folder is taken whole as one set, once it is complete (`watch.judge`).
    prompt: a count or an end mark may complete a set at any change, so it is looked at soon after each.
    settle: seconds a file must have been quiet, 0 = as its format and writer allow (watching.md section 8).
    watch: by the system's events (native), by looking every two seconds (poll), or as its file system needs (auto).
    """

    path: Path
    files: bool = True
    recursive: bool = False
    gather: bool = False
    prompt: bool = False
    settle: float = 0.0
    watch: Literal["auto", "native", "poll"] = "auto"


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
    a file; for a set all files below the sub-folder in natural order, as paths.
    """

    folder: Path
    path: Path
    members: tuple[tuple[Path, FileKey], ...]
    is_set: bool = False


@dataclass(frozen=True)
class Trouble:
    """Something that keeps a folder from being watched as it should, in one sentence a person can act on.

    The watcher repairs what it can by itself; `over=True` announces that a trouble of this kind is gone.
    """

    folder: Path
    kind: TroubleKind
    message: str
    over: bool = False


class Out(Protocol):
    """Where the watcher puts what it finds: any queue whose `put` does not block."""

    def put(self, item: Ready | Trouble, /) -> None:
        """Take one record."""


@dataclass(frozen=True)
class Waiting:
    """A file that has appeared but is not taken yet, for `status`: why, and for how long already (seconds).

    more: a set, to which more may come. missing: a set that lacks its count or end mark. partner, batch: it is
    complete, and waits for the rest of its set.
    """

    path: Path
    reason: Reason
    seconds: float
