"""Which folders the operating system watches for us, and who hears of what."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEventHandler
from watchdog.observers.api import BaseObserver, ObservedWatch

from paperchute.language import _
from paperchute.watch.emitter import Emitter, ReaderObserver
from paperchute.watch.interface import How, Sink, Troubles
from paperchute.watch.roots import DEEPEST, Root
from paperchute.watch.settle import Settler

if sys.platform == "darwin":
    from paperchute.watch.macos import StreamObserver
elif sys.platform == "win32":
    from paperchute.watch.windows import Reader
else:
    from paperchute.watch.linux import Reader

LIMITS = (errno.ENOSPC, errno.EMFILE, errno.ENOMEM)
"""What the system answers when it has no watch, or no inotify instance, left (inotify_add_watch(2))."""


class Observing(Sink):
    """Hands what the emitters notice to the settler; what only the keeper can repair to `gap(root, lost)`.

    Two hot folders may be one and the same folder, by way of a symlink: it is watched once and both hear of it.
    """

    def __init__(self, settler: Settler, troubles: Troubles, gap: Callable[[Root, bool], None]) -> None:
        self._settler = settler
        self._troubles = troubles
        self._gap = gap
        self._observer: BaseObserver | None = None
        self._watches: dict[str, ObservedWatch] = {}
        self._roots: dict[str, tuple[Root, ...]] = {}

    def watch(self, root: Root) -> None:
        """Have `root.real` watched. Raises OSError when the system refuses it."""
        others = self._others(root)
        try:
            self._share(root.real, (*others, root))
        except OSError:
            self._lose(others)
            raise

    def unwatch(self, root: Root) -> None:
        """Have `root.real` no longer watched for this root."""
        others = self._others(root)
        try:
            self._share(root.real, others)
        except OSError:
            self._lose(others)

    def ensure(self, root: Root, path: str) -> None:
        """Watch the sub-folder `path` if that was missed."""
        for emitter in self._observer.emitters if self._observer is not None else ():
            if isinstance(emitter, Emitter) and emitter.root == root.real:
                emitter.ensure(path)

    def alive(self) -> bool:
        """False when one of the threads has died."""
        return self._observer is None or (
            self._observer.is_alive() and all(emitter.is_alive() for emitter in self._observer.emitters)
        )

    def stop(self) -> None:
        """End all watches and threads; `watch` starts anew."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(2.0)
        self._observer = None
        self._watches.clear()
        self._roots.clear()

    def _others(self, root: Root) -> tuple[Root, ...]:
        return tuple(other for other in self._roots.get(root.real, ()) if other is not root)

    def _share(self, real: str, roots: tuple[Root, ...]) -> None:
        """Watch the folder `real` for `roots`: anew, since it may be another folder by now, or be needed deeper."""
        if (watch := self._watches.pop(real, None)) is not None and self._observer is not None:
            self._observer.unschedule(watch)
            for root in roots:
                self._gap(root, False)
        self._roots[real] = roots
        if not roots:
            del self._roots[real]
            return
        if self._observer is None:
            self._observer = self._new_observer()
        deep = any(root.deep for root in roots)
        try:
            self._watches[real] = self._observer.schedule(FileSystemEventHandler(), real, recursive=deep)
        except OSError:
            del self._roots[real]
            raise

    def _lose(self, roots: tuple[Root, ...]) -> None:
        for root in roots:
            self._gap(root, True)

    def _new_observer(self) -> BaseObserver:
        observer: BaseObserver
        if sys.platform == "darwin":
            observer = StreamObserver(self)
        else:
            observer = ReaderObserver(Reader(self))
        observer.start()
        return observer

    # What the emitters tell, on their threads.

    def seen(self, root: str, path: str, how: How, folder: bool = False) -> None:
        """See Sink."""
        for each in self._roots.get(root, ()):
            self._settler.seen(each, each.relative(path), how, folder)

    def gone(self, root: str, path: str, folder: bool) -> None:
        """See Sink."""
        for each in self._roots.get(root, ()):
            self._settler.gone(each, each.relative(path))
            if folder and each.hot.recursive:
                self._gap(each, False)  # what was below it is gone as well

    def lost(self, root: str) -> None:
        """See Sink."""
        self._lose(self._roots.get(root, ()))

    def overflowed(self, root: str) -> None:
        """See Sink."""
        for each in self._roots.get(root, ()):
            message = _(
                "More happened in {folder} at once than the system could report: it is being scanned again.",
                folder=each.hot.path,
            )
            self._troubles.tell(each.hot.path, "overflow", message)
        self.unsure(root)

    def unsure(self, root: str) -> None:
        """See Sink."""
        for each in self._roots.get(root, ()):
            self._gap(each, False)

    def refused(self, root: str, path: str, error: OSError) -> None:
        """See Sink."""
        for each in self._roots.get(root, ()):
            if error.errno == errno.ENAMETOOLONG:
                self._troubles.tell(each.hot.path, "deep", deep_message(each.hot.path))
                continue
            each.refused = True
            if error.errno in LIMITS:
                self._troubles.tell(each.hot.path, "limit", limit_message(each.hot.path, error))
            else:
                self._troubles.tell(each.hot.path, "denied", denied_message(path))


def denied_message(folder: str | Path) -> str:
    """Return what to do when a folder may not be looked into."""
    if sys.platform == "darwin":
        return _(
            "The folder {folder} may not be looked into: allow it in System Settings, Privacy & Security, Files and "
            "Folders, for the program that started Paperchute, or give yourself permission to list and open it.",
            folder=repr(str(folder)),
        )
    return _(
        "The folder {folder} may not be looked into: give Paperchute permission to list and open it.",
        folder=repr(str(folder)),
    )


def deep_message(folder: Path) -> str:
    """Return what to do when sub-folders go too deep to be looked into."""
    return _(
        "{folder} has sub-folders more than {deepest} levels deep: what lies below that is not taken. Move it up.",
        folder=folder,
        deepest=DEEPEST,
    )


def long_message(folder: Path) -> str:
    """Return what to do when paths are longer than Windows takes them."""
    return _(
        "{folder} has files whose whole paths are longer than 259 characters, which this Windows does not open: they "
        "are not taken. Shorten their names or folders, or switch on long paths (LongPathsEnabled) and start again.",
        folder=folder,
    )


def limit_message(folder: Path, error: OSError) -> str:
    """Return what to do when the system has no watches left."""
    name, value = ("max_user_instances", 1024) if error.errno == errno.EMFILE else ("max_user_watches", 1_048_576)
    return _(
        "The system cannot watch any more folders, so {folder} is scanned every few seconds instead. To"
        " raise the limit: sudo sysctl fs.inotify.{name}={value}",
        folder=repr(str(folder)),
        name=name,
        value=value,
    )
