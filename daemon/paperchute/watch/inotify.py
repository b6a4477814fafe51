"""Linux: our own emitter under watchdog's classes. One thread and one inotify descriptor for all folders.

watchdog's own emitter lost up to 80 % of a burst and stalls half a second on files that leave the tree, because it
pairs moves; a hot folder needs no pairs (watching.md sections 0 to 2). inotify(7) is the source of what follows.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import threading
from collections.abc import Callable
from typing import Any, Literal

from watchdog.observers.api import BaseObserver, EventEmitter, ObservedWatch

CLOSE_WRITE, MOVED_TO, CREATE, DELETE_SELF, MOVE_SELF = 0x8, 0x80, 0x100, 0x400, 0x800
UNMOUNT, OVERFLOW, IGNORED, ONLYDIR, EXCL_UNLINK, ISDIR = 0x2000, 0x4000, 0x8000, 0x1000000, 0x4000000, 0x40000000
_MASK = CLOSE_WRITE | MOVED_TO | CREATE | DELETE_SELF | MOVE_SELF | ONLYDIR | EXCL_UNLINK
_HEAD = struct.Struct("iIII")
_READ_BYTES = 1 << 18

How = Literal["closed", "renamed", "exists"]
Seen = Callable[[str, How], None]
Told = Callable[[str, str], None]


class InotifyReader:
    """Reads one inotify descriptor for any number of roots. `seen(path, how)` and `told(kind, path)` never raise.

    Kinds told: overflow (path empty: any root), lost (a root), limit and denied (a folder that cannot be watched).
    """

    def __init__(self, seen: Seen, told: Told) -> None:
        """Raises OSError when no inotify instance is to be had (limit of instances)."""
        self._seen = seen
        self._told = told
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), "inotify")
        self._wake_read, self._wake_write = os.pipe()
        self._lock = threading.RLock()
        self._folders: dict[int, str] = {}
        self._roots: dict[str, bool] = {}
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="inotify", daemon=True)

    def start(self) -> None:
        """Begin reading."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and give the descriptor back."""
        self._stopping = True
        os.write(self._wake_write, b"x")
        if self._thread.ident is not None:
            self._thread.join()
        for descriptor in (self._fd, self._wake_read, self._wake_write):
            os.close(descriptor)

    def is_alive(self) -> bool:
        """Whether the reading thread lives."""
        return self._thread.is_alive()

    def add_root(self, root: str, recursive: bool) -> None:
        """Watch a folder, and with `recursive` all below it. Raises OSError when the root itself cannot be watched."""
        with self._lock:
            self._roots[root] = recursive
            try:
                self._watch(root, recursive, announce=False, must=True)
            except OSError:
                del self._roots[root]
                raise

    def remove_root(self, root: str) -> None:
        """Stop watching a root; what other roots cover stays watched."""
        with self._lock:
            self._roots.pop(root, None)
            for number, folder in list(self._folders.items()):
                if not self._covered(folder):
                    self._libc.inotify_rm_watch(self._fd, number)
                    del self._folders[number]

    def _covered(self, folder: str) -> bool:
        return any(
            folder == root or (recursive and folder.startswith(root + "/")) for root, recursive in self._roots.items()
        )

    def _watch(self, top: str, recursive: bool, *, announce: bool, must: bool = False) -> None:
        """Watch a folder first, list it after: a file is then in the listing, in the events, or in both."""
        stack = [top]
        while stack:
            folder = stack.pop()
            number = self._libc.inotify_add_watch(self._fd, os.fsencode(folder), _MASK)
            if number < 0:
                code = ctypes.get_errno()
                if must and folder == top:
                    raise OSError(code, os.strerror(code), folder)
                if code not in (errno.ENOENT, errno.ENOTDIR):
                    self._told("limit" if code in (errno.ENOSPC, errno.ENOMEM) else "denied", folder)
                continue
            self._folders[number] = folder
            if recursive or announce:
                self._list(folder, recursive, announce, stack)

    def _list(self, folder: str, recursive: bool, announce: bool, stack: list[str]) -> None:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if recursive:
                            stack.append(entry.path)
                    elif announce:
                        self._seen(entry.path, "exists")
        except OSError:
            return  # gone again, or unreadable: the scan reports what stays wrong

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        while not self._stopping:
            ready = [descriptor for descriptor, _ in poll.poll()]
            if self._fd in ready:
                try:
                    data = os.read(self._fd, _READ_BYTES)
                except (BlockingIOError, InterruptedError):
                    continue
                with self._lock:
                    self._take(data)

    def _take(self, data: bytes) -> None:
        position, end = 0, len(data)
        while position < end:
            number, mask, _, length = _HEAD.unpack_from(data, position)
            position += _HEAD.size
            name = data[position : position + length]
            position += length
            if mask & OVERFLOW:
                self._told("overflow", "")
                continue
            folder = self._folders.get(number)
            if folder is None:
                continue
            if mask & (IGNORED | UNMOUNT | DELETE_SELF | MOVE_SELF):
                self._left(number, mask, folder)
                continue
            self._event(folder + "/" + os.fsdecode(name.rstrip(b"\0")), mask)

    def _left(self, number: int, mask: int, folder: str) -> None:
        if folder in self._roots:
            self._told("lost", folder)
        if mask & MOVE_SELF:  # its path is stale; where it went, MOVED_TO adds it again
            self._libc.inotify_rm_watch(self._fd, number)
        if mask & IGNORED:
            self._folders.pop(number, None)

    def _event(self, path: str, mask: int) -> None:
        if mask & ISDIR:
            recursive = any(r and path.startswith(root + "/") for root, r in self._roots.items())
            if recursive:
                self._watch(path, recursive, announce=True)
        elif mask & CLOSE_WRITE:
            self._seen(path, "closed")
        elif mask & MOVED_TO:
            self._seen(path, "renamed")
        elif mask & CREATE:
            self._seen(path, "exists")


class InotifyEmitter(EventEmitter):
    """watchdog's emitter of one watch; it has no thread of its own but registers with the shared reader."""

    def __init__(self, event_queue: Any, watch: ObservedWatch, *, reader: InotifyReader, **options: Any) -> None:
        super().__init__(event_queue, watch, **options)
        self._reader = reader

    def start(self) -> None:
        """Raises OSError when the folder cannot be watched."""
        self._reader.add_root(self.watch.path, self.watch.is_recursive)

    def stop(self) -> None:
        self._reader.remove_root(self.watch.path)


class InotifyObserver(BaseObserver):
    """watchdog's observer over `InotifyReader`. Events go straight to `seen`, one thread hop less."""

    def __init__(self, seen: Seen, told: Told) -> None:
        """Raises OSError when no inotify instance is to be had."""
        self.reader = InotifyReader(seen, told)
        super().__init__(InotifyEmitter, reader=self.reader)

    def on_thread_start(self) -> None:
        self.reader.start()

    def on_thread_stop(self) -> None:
        super().on_thread_stop()
        self.reader.stop()
