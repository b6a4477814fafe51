"""What FSEvents says of changes in a folder, put into the words of a `Sink`.

Its events say where to look, and not what happened (FSEvents.h, and Apple's "File System Events Programming Guide"):
all that happens to one item within some seconds may come folded into one event that bears the flags of all of it, flags
come again with later events, and what was too much to be told comes as "look through all that is below". So the disk
says whether something is there, and flags decide only what it cannot know.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from paperchute.watch.interface import How, Sink

MUST_SCAN, USER_DROPPED, KERNEL_DROPPED, HISTORY_DONE = 0x1, 0x2, 0x4, 0x10  # kFSEventStreamEventFlag...
ROOT_CHANGED, MOUNTED, UNMOUNTED = 0x20, 0x40, 0x80
CREATED, REMOVED, RENAMED, MODIFIED = 0x100, 0x200, 0x800, 0x1000
IS_FILE, IS_FOLDER = 0x1_0000, 0x2_0000


def tell(sink: Sink, root: str, deep: bool, events: Iterable[tuple[str, int]]) -> None:
    """Tell of the events: (path, flags) of each. deep: of those in sub-folders too, which FSEvents always sends."""
    for path, flags in events:
        if flags & ROOT_CHANGED:
            sink.lost(root)
        elif flags & (USER_DROPPED | KERNEL_DROPPED):
            sink.overflowed(root)
        elif flags & (MUST_SCAN | MOUNTED | UNMOUNTED):
            sink.unsure(root)
        elif not flags & HISTORY_DONE:
            _tell_of_item(sink, root, deep, path, flags)


def _tell_of_item(sink: Sink, root: str, deep: bool, path: str, flags: int) -> None:
    name = path.removeprefix(f"{root.rstrip('/')}/")
    if name == path or not name.isascii():
        # It may be spelled with other code points there than the folder's own listing has it, and one file must not
        # be heard of under two names. Nothing but the folder itself is told without its root before it.
        if path.rstrip("/") != root.rstrip("/"):
            sink.unsure(root)
        return
    if "/" in name and not deep:
        return
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        sink.gone(root, path, folder=bool(flags & IS_FOLDER))
        return
    except OSError:
        sink.unsure(root)  # the scan says what is wrong with it
        return
    if stat.S_ISDIR(status.st_mode):
        if deep and flags & (CREATED | REMOVED | RENAMED):
            sink.seen(root, path, "appeared", folder=True)
            sink.unsure(root)  # what was moved in with it is told of by nobody
    elif stat.S_ISREG(status.st_mode):
        # A rename alone gave a whole file its name; folded together with anything else it may be written yet.
        how: How = "renamed" if flags & (CREATED | RENAMED | MODIFIED) == RENAMED else "appeared"
        sink.seen(root, path, how)
