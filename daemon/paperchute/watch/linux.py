"""inotify for hot folders: one reader thread and one inotify descriptor for all of them; nothing is lost unnoticed.

Stands behind `watch.emitter` in place of watchdog's `InotifyEmitter`, which pairs the two halves of a rename (holding
events up to 0.5 s, quadratic in a burst), forgets what it had read when the kernel's queue overflows, and is silent
about folders it may not watch. Here a renamed file is simply new at its new path; a new folder is watched first and
listed afterwards, so that its files are in the listing, in the events, or in both; and every gap is told.

Masks and struct: inotify(7), <sys/inotify.h>.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
import threading

from loguru import logger

from paperchute.files.names import is_private
from paperchute.watch.emitter import Emitter
from paperchute.watch.interface import How, Sink
from paperchute.watch.roots import DEEPEST

assert sys.platform == "linux"  # nobody else imports it, and mypy looks no further on other systems

_CLOSE_WRITE, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x8, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _Q_OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_ONLYDIR, _DONT_FOLLOW, _EXCL_UNLINK, _ISDIR = 0x0100_0000, 0x0200_0000, 0x0400_0000, 0x4000_0000
_MASK = (
    _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
    | _ONLYDIR | _DONT_FOLLOW | _EXCL_UNLINK
)  # fmt: skip
_EVENT = struct.Struct("iIII")
_BUFFER = 1 << 18
_libc = ctypes.CDLL(None, use_errno=True)


class _Folder:
    """A watched directory. `owners` are the roots that want to hear of it."""

    __slots__ = ("children", "number", "owners", "path")

    def __init__(self, path: str, number: int) -> None:
        self.path = path
        self.number = number  # inotify's watch descriptor
        self.owners: set[Emitter] = set()
        self.children: dict[str, _Folder] = {}


class Reader(threading.Thread):
    """Reads the kernel's queue and tells the sink. Raises OSError (EMFILE) when no inotify instance is to be had."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(name="inotify", daemon=True)
        self._sink = sink
        self._lock = threading.RLock()  # guards the two tables; held while watches are added, never while waiting
        self._by_number: dict[int, _Folder] = {}
        self._by_path: dict[str, _Folder] = {}
        self._inotify = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._inotify < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        self._wake_out, self._wake_in = os.pipe()
        self._closing = False
        self._left: tuple[int, frozenset[Emitter]] = (0, frozenset())  # the last rename away, and whose it was

    def register(self, emitter: Emitter) -> None:
        """Watch the emitter's root. Raises OSError when the kernel refuses it."""
        with self._lock:
            self._add(emitter.root, {emitter}, tell=None)

    def unregister(self, emitter: Emitter) -> None:
        """Stop watching for the emitter; folders that other roots share stay watched."""
        with self._lock:
            for folder in [folder for folder in self._by_path.values() if emitter in folder.owners]:
                folder.owners.discard(emitter)
                if not folder.owners:
                    self._forget(folder)

    def ensure(self, path: str, emitter: Emitter) -> None:
        """See `Emitter.ensure`."""
        with self._lock:
            folder = self._by_path.get(path)
            if folder is None or emitter not in folder.owners:
                self._add_below(path, {emitter}, tell=None)

    def close(self) -> None:
        """End the thread and give the descriptors back."""
        self._closing = True
        os.write(self._wake_in, b"x")
        if self.is_alive():
            self.join()
        for descriptor in (self._inotify, self._wake_out, self._wake_in):
            os.close(descriptor)

    def run(self) -> None:
        """Read and tell until it is closed, whatever happens."""
        waiting = select.poll()
        waiting.register(self._inotify, select.POLLIN)
        waiting.register(self._wake_out, select.POLLIN)
        while not self._closing:
            waiting.poll()
            try:
                self._take(os.read(self._inotify, _BUFFER))
            except BlockingIOError:
                continue
            except Exception:  # noqa: BLE001 - whatever it was, the other folders must stay watched, and a scan repairs
                logger.exception("The inotify reader stumbled and goes on.")
                self._overflowed()

    def _take(self, buffer: bytes) -> None:
        position, end = 0, len(buffer)
        with self._lock:
            while position < end:
                number, mask, cookie, length = _EVENT.unpack_from(buffer, position)
                position += _EVENT.size
                name = buffer[position : position + length]
                position += length
                if mask & _Q_OVERFLOW:
                    self._overflowed()
                elif (folder := self._by_number.get(number)) is not None:
                    self._tell(folder, mask, os.fsdecode(name.rstrip(b"\0")), cookie)

    def _tell(self, folder: _Folder, mask: int, name: str, cookie: int) -> None:
        if mask & (_IGNORED | _UNMOUNT | _DELETE_SELF | _MOVE_SELF):
            self._detach(folder, watched=not mask & _IGNORED)
            return
        path = f"{folder.path.rstrip('/')}/{name}"
        if mask & (_MOVED_FROM | _DELETE):
            self._left = cookie, frozenset(folder.owners)
            if mask & _ISDIR and (child := folder.children.get(name)) is not None:
                self._detach(child, watched=True)
            for owner in folder.owners:
                self._sink.gone(owner.root, path, folder=bool(mask & _ISDIR))
        elif mask & _ISDIR and is_private(name):
            return  # nothing in it is anybody's
        elif mask & _ISDIR:
            number, owners = self._left  # the two halves of a rename bear one cookie, and follow one another
            inside = number == cookie and not owners.isdisjoint(folder.owners)
            self._folder_appeared(path, folder.owners, whole=bool(mask & _MOVED_TO) and not inside)
        else:
            how: How = "closed" if mask & _CLOSE_WRITE else "renamed" if mask & _MOVED_TO else "appeared"
            for owner in folder.owners:
                self._sink.seen(owner.root, path, how)

    def _folder_appeared(self, path: str, owners: set[Emitter], whole: bool) -> None:
        """whole: it was moved in from outside, with all that is in it; one that got its name here may be filled yet."""
        deep = {owner for owner in owners if owner.watch.is_recursive}
        for owner in deep:
            self._sink.seen(owner.root, path, "renamed" if whole else "appeared", folder=True)
        if deep:
            self._add_below(path, deep, tell="listed" if whole else "appeared")

    def _add_below(self, path: str, owners: set[Emitter], tell: How | None) -> None:
        """Watch a sub-folder and what is below it; what the kernel refuses is told, not raised."""
        try:
            self._add(path, owners, tell)
        except OSError as error:
            self._refused(error, path, owners)

    def _add(self, top: str, owners: set[Emitter], tell: How | None) -> None:
        """Watch a folder first, list it after, and tell what was found, unless `tell` is None.

        Raises OSError for `top` alone.
        """
        self._watch(top, owners)
        deep = {owner for owner in owners if owner.watch.is_recursive}
        pending = [top] if deep or tell else []
        while pending:
            try:
                with os.scandir(pending.pop()) as items:
                    for item in items:
                        if not item.is_dir(follow_symlinks=False):
                            if tell:
                                for owner in owners:
                                    self._sink.seen(owner.root, item.path, tell)
                        elif deep and not is_private(item.name) and self._watch_below(item.path, deep):
                            pending.append(item.path)
                            if tell:
                                for owner in deep:
                                    self._sink.seen(owner.root, item.path, tell, folder=True)
            except OSError as error:
                self._refused(error, error.filename or top, owners)

    def _watch_below(self, path: str, owners: set[Emitter]) -> bool:
        try:
            self._watch(path, owners)
        except OSError as error:
            self._refused(error, path, owners)
            return False
        return True

    def _watch(self, path: str, owners: set[Emitter]) -> None:
        if all(path.count("/", len(owner.root)) > DEEPEST for owner in owners):
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), path)
        number = _libc.inotify_add_watch(self._inotify, os.fsencode(path), _MASK)
        if number < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), path)
        folder = self._by_number.get(number)
        if folder is not None and folder.path != path:  # renamed while we could not see it
            self._forget(folder, watched=False)
            folder = None
        if folder is None:
            stale = self._by_path.get(path)  # another folder had this path before
            if stale is not None:
                self._forget(stale)
            folder = self._by_number[number] = self._by_path[path] = _Folder(path, number)
            above, _, name = path.rpartition("/")
            if (parent := self._by_path.get(above)) is not None:
                parent.children[name] = folder
        folder.owners |= owners

    def _refused(self, error: OSError, path: str, owners: set[Emitter]) -> None:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return  # gone again, or a link by now
        for owner in owners:
            self._sink.refused(owner.root, path, error)

    def _detach(self, folder: _Folder, watched: bool) -> None:
        """A folder has left its path, with all below it. Roots among them are lost."""
        for child in list(folder.children.values()):
            self._detach(child, watched=True)
        for owner in folder.owners:
            if owner.root == folder.path:
                self._sink.lost(owner.root)
        self._forget(folder, watched)

    def _forget(self, folder: _Folder, watched: bool = True) -> None:
        if watched:
            _libc.inotify_rm_watch(self._inotify, folder.number)
        if self._by_number.get(folder.number) is folder:
            del self._by_number[folder.number]
        if self._by_path.get(folder.path) is folder:
            del self._by_path[folder.path]
        above, _, name = folder.path.rpartition("/")
        parent = self._by_path.get(above)
        if parent is not None and parent.children.get(name) is folder:
            del parent.children[name]

    def _overflowed(self) -> None:
        for root in {owner.root for folder in self._by_path.values() for owner in folder.owners}:
            self._sink.overflowed(root)
