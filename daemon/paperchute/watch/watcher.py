"""The room's face: keeps hot folders watched, whatever happens to them, and tells what is ready."""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue, SimpleQueue

from loguru import logger
from watchdog.events import FileSystemEventHandler
from watchdog.observers.api import BaseObserver, ObservedWatch

from paperchute.files.names import is_temporary
from paperchute.files.writer import lease_works
from paperchute.watch.mounts import is_network
from paperchute.watch.records import HotFolder, Ready, Trouble, TroubleKind, Waiting
from paperchute.watch.scan import Scan
from paperchute.watch.settle import Ground, Settler

_TICK_SECONDS = 1.0
_POLL_SECONDS = 2.0
_SCAN_SECONDS = 60.0 if sys.platform == "linux" else 10.0 if sys.platform == "win32" else 30.0
_SCAN_SHARE = 100  # a scan may cost one hundredth of the time at most
_SLEPT_SECONDS = 5.0
_OVERFLOW_PAUSE_SECONDS = 0.05

Wanted = Callable[[HotFolder, Path], bool]


@dataclass
class _Root:
    """A hot folder at work. real: without symlinks, as events name it. identity: (device, inode) of what is watched."""

    folder: HotFolder
    real: str
    identity: tuple[int, int] | None = None
    watch: ObservedWatch | None = None
    ground: Ground = field(init=False)
    next_scan: float = 0.0
    troubles: dict[TroubleKind, Trouble] = field(default_factory=dict)
    polled: bool = False

    def __post_init__(self) -> None:
        self.ground = Ground(self.folder, trust_lease=False, polled=False)


class Watcher:
    """Watches hot folders and puts each complete file or set on `out` once; troubles too.

    `wanted(folder, path)` says whether any rule takes a path, and is asked often: it must be quick. Files are given
    under the path as the user wrote it. Symlinks inside a hot folder are not followed.
    """

    def __init__(self, folders: Sequence[HotFolder], wanted: Wanted, out: Queue[Ready | Trouble | None]) -> None:
        self._wanted = wanted
        self._out = out
        self._lock = threading.RLock()
        self._roots: dict[Path, _Root] = {f.path: _Root(f, os.path.realpath(f.path)) for f in folders}
        # Watching threads read this tuple without a lock: they hold locks of their own that arming a folder needs.
        self._view: tuple[_Root, ...] = tuple(self._roots.values())
        self._tidings: SimpleQueue[tuple[str, str]] = SimpleQueue()
        self._settler = Settler(out.put)
        self._observer = _observer(self._seen, self._told)
        self._wake = threading.Event()
        self._stopping = False
        self._scanned_once = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise, name="watch", daemon=True)

    # ---------- for the daemon ----------

    def start(self) -> None:
        """Arm every folder, then list it: what is there already is reported, and nothing falls between."""
        self._settler.start()
        self._observer.start()
        with self._lock:
            for root in self._view:
                self._arm(root)
        self._supervisor.start()

    def stop(self) -> None:
        """End all threads."""
        self._stopping = True
        self._wake.set()
        if self._supervisor.ident is not None:
            self._supervisor.join()
        if self._observer.ident is not None:
            self._observer.stop()
            self._observer.join()
        self._settler.stop()

    def replace(self, folders: Sequence[HotFolder]) -> None:
        """Watch these folders from now on; one that stays as it was keeps its state."""
        with self._lock:
            new = {folder.path: folder for folder in folders}
            for path in [p for p, root in self._roots.items() if new.get(p) != root.folder]:
                self._disarm(self._roots.pop(path))
                self._settler.drop_folder(path)
            for path, folder in new.items():
                if path not in self._roots:
                    root = self._roots[path] = _Root(folder, os.path.realpath(path))
                    self._arm(root)
            self._view = tuple(self._roots.values())
        self.rescan()

    def rescan(self) -> None:
        """List every folder again, soon: rules have changed, or something may have been missed."""
        for root in self._view:
            root.next_scan = 0.0
        self._wake.set()

    def again(self, path: Path, gap: float) -> None:
        """The worker found the file or set at `path` changed after it was given out: learn and judge it anew.

        gap: seconds between what was given out and the change, 0 where unknown.
        """
        if gap > 0:
            self._settler.learn(path, gap)
        self._settler.forget(path)
        for root in self._view:
            if root.folder.gather and path.parent == root.folder.path and path.is_dir():
                self._settler.report(root.ground, path, is_set=True, closed=False, renamed=False)
            elif path.is_relative_to(root.folder.path):
                self._report(root, path, "exists")

    def forget(self, path: Path) -> None:
        """`path` has been dealt with: a file that appears there later is new."""
        self._settler.forget(path)

    def waiting(self) -> list[Waiting]:
        """What has appeared and is not taken yet."""
        return self._settler.waiting()

    def troubles(self) -> list[Trouble]:
        """What is wrong with the folders just now."""
        return [trouble for root in self._view for trouble in list(root.troubles.values())]

    def settled(self) -> bool:
        """The first listing is done and nothing is being judged any more (but for files kept open for long)."""
        return self._scanned_once.is_set() and self._settler.settled()

    # ---------- reports ----------

    def _seen(self, path: str, how: str) -> None:
        """An event, on a watcher's thread: cheap, and never raises."""
        try:
            for root in self._view:
                if path.startswith(root.real + os.sep):
                    self._report(root, root.folder.path / path[len(root.real) + 1 :], how)
        except Exception:  # noqa: BLE001 -- a fault here would end the watching thread for good
            logger.exception("a fault while noting {}", path)

    def _report(self, root: _Root, path: Path, how: str) -> None:
        folder = root.folder
        parts = path.relative_to(folder.path).parts
        if folder.gather and len(parts) > 1:
            unit = folder.path / parts[0]
            if not is_temporary(parts[0]) and self._wanted(folder, unit):
                self._settler.report(root.ground, unit, is_set=True, closed=False, renamed=False)
            return
        if not folder.files or (len(parts) > 1 and not folder.recursive) or any(map(is_temporary, parts)):
            return
        if self._wanted(folder, path):
            self._settler.report(root.ground, path, is_set=False, closed=how == "closed", renamed=how == "renamed")

    def _told(self, kind: str, path: str) -> None:
        """A watching thread's own trouble. That thread holds its locks, so the supervisor sees to it."""
        self._tidings.put((kind, path))
        self._wake.set()

    def _hear(self) -> None:
        while not self._tidings.empty():
            kind, path = self._tidings.get()
            for root in self._view:
                if kind == "overflow":
                    root.next_scan = time.monotonic() + _OVERFLOW_PAUSE_SECONDS
                elif kind == "lost" and root.real == path:
                    root.identity = None
                elif kind in ("limit", "denied") and (path + os.sep).startswith(root.real + os.sep):
                    self._cannot_watch(root, kind, path)

    def _cannot_watch(self, root: _Root, kind: str, path: str) -> None:
        if kind == "limit":
            root.polled = True
            self._trouble(
                root,
                "limit",
                f"{root.folder.path}: the system's limit of watched folders is reached, so it is listed every"
                f" {_POLL_SECONDS:g} seconds instead. To raise it: sysctl fs.inotify.max_user_watches=524288",
            )
        else:
            self._trouble(root, "denied", f"{path} may not be read. Give Paperchute's user access to it.")

    def _trouble(self, root: _Root, kind: TroubleKind, message: str) -> None:
        known = root.troubles.get(kind)
        if known is None or known.message != message:
            root.troubles[kind] = Trouble(root.folder.path, kind, message)
            self._out.put(root.troubles[kind])

    def _over(self, root: _Root, *kinds: TroubleKind) -> None:
        for kind in kinds:
            if root.troubles.pop(kind, None):
                self._out.put(Trouble(root.folder.path, kind, f"{root.folder.path}: all right again.", over=True))

    # ---------- keeping folders watched ----------

    def _arm(self, root: _Root) -> bool:
        """Watch a root if it is there. What cannot be watched is listed regularly instead."""
        self._disarm(root)
        root.identity = None  # a new folder may get the old one's inode number
        root.real = os.path.realpath(root.folder.path)
        try:
            status = Path(root.real).stat()
            next(Path(root.real).iterdir(), None)
        except FileNotFoundError:
            self._trouble(root, "missing", f"The hot folder {root.folder.path} is not there. It is waited for.")
            return False
        except OSError as error:
            kind: TroubleKind = "denied" if error.errno in (errno.EACCES, errno.EPERM) else "unreachable"
            self._trouble(root, kind, f"The hot folder {root.folder.path} cannot be read ({error.strerror}).")
            return False
        root.identity = (status.st_dev, status.st_ino)
        network = is_network(Path(root.real))
        root.polled = network
        if not network:
            self._schedule(root)
        trust = not network and lease_works(Path(root.real))
        root.ground = Ground(root.folder, trust_lease=trust, polled=root.polled)
        root.next_scan = 0.0
        self._over(root, "missing", "denied", "unreachable")
        self._wake.set()
        return True

    def _schedule(self, root: _Root) -> None:
        recursive = root.folder.recursive or root.folder.gather
        try:
            root.watch = self._observer.schedule(_handler(self._seen), root.real, recursive=recursive)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EMFILE, errno.ENOMEM):
                self._cannot_watch(root, "limit", root.real)
            else:
                root.polled = True
                logger.warning("{} sends no events ({}); it is listed regularly", root.folder.path, error)

    def _disarm(self, root: _Root) -> None:
        if root.watch is not None:
            watch, root.watch = root.watch, None
            still_used = any(r.watch == watch for r in self._view)
            if not still_used:
                self._observer.unschedule(watch)

    def _supervise(self) -> None:
        wall, steady = time.time(), time.monotonic()
        while not self._stopping:
            now_wall, now_steady = time.time(), time.monotonic()
            if abs((now_wall - wall) - (now_steady - steady)) > _SLEPT_SECONDS:
                logger.info("the clock jumped or the machine slept; all folders are listed again")
                self.rescan()
            wall, steady = now_wall, now_steady
            try:
                self._round()
            except Exception:  # noqa: BLE001 -- the supervisor must outlive any fault
                logger.exception("a fault while looking after the hot folders")
            self._wake.wait(self._pause())
            self._wake.clear()

    def _round(self) -> None:
        self._hear()
        for root in self._view:
            with self._lock:
                if root.folder.path not in self._roots or (not self._same(root) and not self._arm(root)):
                    continue
            if root.next_scan <= time.monotonic():
                self._scan(root)
        self._scanned_once.set()

    def _same(self, root: _Root) -> bool:
        """Whether the folder that is watched still is the one at the root's path."""
        if root.identity is None:
            return False
        try:
            status = root.folder.path.stat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == root.identity

    def _scan(self, root: _Root) -> None:
        begun = time.monotonic()
        folder = root.folder
        try:
            found = Scan(folder, self._settler, lambda p: self._report(root, p, "exists"), self._wanted).run()
        except OSError as error:
            self._trouble(root, "unreachable", f"The hot folder {folder.path} cannot be read ({error.strerror}).")
            root.next_scan = time.monotonic() + _POLL_SECONDS
            return
        self._over(root, "unreachable")
        self._settler.drop_missing(folder.path, found)
        took = time.monotonic() - begun
        rest = _POLL_SECONDS if root.polled else _SCAN_SECONDS
        root.next_scan = time.monotonic() + max(rest, _SCAN_SHARE * took if not root.polled else rest)

    def _pause(self) -> float:
        nearest = min((root.next_scan for root in self._view), default=float("inf"))
        return max(0.01, min(_TICK_SECONDS, nearest - time.monotonic()))


def _observer(seen: Callable[[str, str], None], told: Callable[[str, str], None]) -> BaseObserver:
    if sys.platform == "linux":
        from paperchute.watch.inotify import InotifyObserver

        return InotifyObserver(seen, told)
    from watchdog.observers import Observer

    return Observer()


def _handler(seen: Callable[[str, str], None]) -> FileSystemEventHandler:
    """For the stock emitters: every event is a hint to look at a path, a rename one that it is done."""
    from paperchute.watch.hints import HintHandler

    return HintHandler(seen)
