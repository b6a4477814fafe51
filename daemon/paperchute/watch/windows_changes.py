"""What Windows says of changes in a folder, put into the words of a `Sink`.

A record is a FILE_NOTIFY_INFORMATION (winnt.h, "FILE_NOTIFY_INFORMATION structure"): offset of the next one, action,
length of the name in bytes, the name in UTF-16. Nothing in it says whether the name is that of a file or a folder,
so the two are asked for apart (`watch.windows`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from paperchute.watch.interface import How, Sink

ADDED, REMOVED, MODIFIED, RENAMED_OLD, RENAMED_NEW = 1, 2, 3, 4, 5
_HEAD = struct.Struct("<III")


def records(buffer: bytes) -> Iterator[tuple[int, str]]:
    """(action, name below the watched folder) of each record. Raises ValueError for what is none."""
    position = 0
    while True:
        if position + _HEAD.size > len(buffer):
            raise ValueError("a record goes on beyond what the system wrote")
        following, action, length = _HEAD.unpack_from(buffer, position)
        start = position + _HEAD.size
        if start + length > len(buffer) or 0 < following < _HEAD.size:
            raise ValueError("a record goes on beyond what the system wrote")
        yield action, buffer[start : start + length].decode("utf-16-le", "surrogatepass")
        if not following:
            return
        position += following


Asked = Callable[[str], bool]
LongName = Callable[[str], str]
"""Gives the path for one that may be told by short names (`REPORT~1.PDF`): nothing must be known under two names."""


def tell_of_files(sink: Sink, root: str, buffer: bytes, is_folder: Asked, long_name: LongName) -> None:
    """Tell of files that came, went or changed. A writer that adds a little at a time is told of once a buffer.

    is_folder: asked for what was modified, since that a folder has other times is told as well.
    """
    told: set[str] = set()
    for action, name in records(buffer):
        path = _below(root, name)
        if action in (REMOVED, RENAMED_OLD):
            told.discard(path)
            sink.gone(root, path, folder=False)
            continue
        path = long_name(path) if "~" in name else path
        if action != MODIFIED or not (path in told or is_folder(path)):
            told.add(path)
            how: How = "renamed" if action == RENAMED_NEW else "appeared"
            sink.seen(root, path, how)


def tell_of_folders(sink: Sink, root: str, buffer: bytes, long_name: LongName) -> None:
    """Tell of sub-folders that came or went. What is in one that was moved here only a scan finds."""
    came = False
    for action, name in records(buffer):
        path = _below(root, name)
        if action in (REMOVED, RENAMED_OLD):
            sink.gone(root, path, folder=True)
        elif action in (ADDED, RENAMED_NEW):
            came = True
            sink.seen(root, long_name(path) if "~" in name else path, "appeared", folder=True)
    if came:
        sink.unsure(root)


def _below(root: str, name: str) -> str:
    top = root.rstrip("\\")
    return f"{top}\\{name}"
