"""What goes into the watcher and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from paperchute.files.identity import FileKey

TroubleKind = Literal["missing", "denied", "limit", "overflow", "unreachable", "polling", "thread", "deep"]
Reason = Literal["open", "empty", "incomplete", "companion", "settling", "partner", "batch"]


@dataclass(frozen=True)
class HotFolder:
    """One folder to watch. `path` as the user wrote it, made absolute.

    files: files directly in the folder are taken, one by one; `recursive` takes those of sub-folders too.
    gather: each direct sub-folder is taken whole as one set, once everything in it is complete and quiet.
    settle: seconds a file must have been quiet, 0 = as its format and writer allow (watching.md section 8).
    watch: by the system's events (native), by looking every two seconds (poll), or as its file system needs (auto).
    """

    path: Path
    files: bool = True
    recursive: bool = False
    gather: bool = False
    settle: float = 0.0
    watch: Literal["auto", "native", "poll"] = "auto"


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

    partner, batch: it is complete, and waits for the rest of its set.
    """

    path: Path
    reason: Reason
    seconds: float
