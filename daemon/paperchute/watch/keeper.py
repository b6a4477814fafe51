"""The reconcile scan: what is really in a hot folder, whatever the events said. Some 3 microseconds a file."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from pathlib import Path

from loguru import logger

from paperchute.files.identity import key_from
from paperchute.files.open_files import probe_lease
from paperchute.files.presence import is_there
from paperchute.files.sets import listed
from paperchute.language import _
from paperchute.watch.actor import Actor
from paperchute.watch.interface import TroubleKind, Troubles
from paperchute.watch.mounts import remote_type
from paperchute.watch.observer import LIMITS, Observing, deep_message, denied_message, limit_message, long_message
from paperchute.watch.roots import DEEPEST, Entry, Root
from paperchute.watch.settle import Settler

_SHORT_ENOUGH = 247  # characters: as long as the path of a folder can always be on Windows


def scan(root: Root, settler: Settler, troubles: Troubles, observing: Observing) -> None:
    """Tell `settler` of every file and set that the table of `root` lacks, or still has though it is gone.

    Known ones are compared by stat only when `root.full_scan` says so. Sub-folders that are not watched yet become so,
    before they are listed; those that may not be listed are told as trouble. Raises OSError when the root itself may
    not be, or does not answer.
    """
    present: set[str] = set()
    denied: set[str] = set()
    too_deep = too_long = False
    folders = [root.real]
    while folders:
        folder = folders.pop()
        try:
            for item in listed(folder):
                relative = root.relative(item.path)
                if _is_too_long(item.path):
                    too_long = True
                    continue
                if item.is_dir(follow_symlinks=False):
                    if not root.deep or not root.hot.enters(relative.split(os.sep)):  # noqa: PTH206 - for every folder
                        continue
                    if relative.count(os.sep) >= DEEPEST:
                        too_deep = True
                        continue
                    observing.ensure(root, item.path)
                    folders.append(item.path)
                if _tell(root, settler, item, relative):
                    present.add(relative)
        except PermissionError:
            if folder == root.real:
                raise
            denied.add(folder)
        except OSError as error:
            if folder == root.real or (error.errno != errno.ENAMETOOLONG and is_there(folder)):
                raise
            too_deep = too_deep or error.errno == errno.ENAMETOOLONG
    _tell_of_denied(root, denied, troubles)
    if too_deep:
        troubles.tell(root.hot.path, "deep", deep_message(root.hot.path))
    elif too_long:
        troubles.tell(root.hot.path, "deep", long_message(root.hot.path))
    else:
        troubles.over(root.hot.path, "deep")
    for name in root.table.copy().keys() - present:
        settler.gone(root, name)


def _tell_of_denied(root: Root, denied: set[str], troubles: Troubles) -> None:
    """Tell of a sub-folder that may not be listed once it may not again: Windows says so of one being deleted, too."""
    for folder in sorted(denied & root.denied):
        troubles.tell(root.hot.path, "denied", denied_message(folder))
    root.denied = denied
    root.refused = root.refused or bool(denied)


def _is_too_long(path: str) -> bool:
    """Tell if what is listed cannot be opened by its name: without a setting Windows takes paths of 259 characters."""
    return sys.platform == "win32" and len(path) >= _SHORT_ENOUGH and not is_there(path)


def _tell(root: Root, settler: Settler, item: os.DirEntry[str], relative: str) -> bool:
    """Tell of a file or set that is new or changed; False when `item` is neither."""
    inside_set = root.hot.gather and os.sep in relative
    is_set = root.hot.gather and not inside_set and item.is_dir(follow_symlinks=False)
    if inside_set or not (is_set or item.is_file(follow_symlinks=False)):
        return False
    entry = root.table.get(relative)
    if entry is None or (_at_rest(root, entry) and (is_set or _changed(item.path, entry))):
        settler.seen(root, relative, "listed", folder=is_set)
    return True


def _at_rest(root: Root, entry: Entry) -> bool:
    """Decide whether nobody is about to look at it, though it may have changed."""
    return not entry.due and (root.full_scan or entry.stuck)


def _changed(path: str, entry: Entry) -> bool:
    try:
        return key_from(os.lstat(path)) != entry.look  # not the stat of os.DirEntry: it has no inode on Windows
    except FileNotFoundError:
        return True


_ROUND = 2.0  # seconds between two looks at the folders; the kernel tells of most things that happen to them
_AFTER_A_GAP = 0.05  # events lost: a moment for the burst to end, then a scan
_SLEPT = 5.0  # seconds by which the wall clock outran the monotonic one: the machine was asleep
_LONGEST_BACK_OFF = 30.0


class Keeper(Actor):
    """Looks after the folders of one lane on one thread."""

    def __init__(self, name: str, settler: Settler, troubles: Troubles) -> None:
        super().__init__(name)
        self._settler = settler
        self._troubles = troubles
        self._observing = Observing(settler, troubles, self.gap)
        self._roots: list[Root] = []
        self._clocks_apart = time.time() - time.monotonic()
        self.visiting: tuple[Root, float] | None = None  # the folder being looked at, and since when

    def start(self) -> None:
        """See `Actor`."""
        self.visiting = None
        super().start()

    # What others may ask, from any thread.

    def add(self, root: Root) -> None:
        """Look after one more folder."""
        self._post(self._roots.append, root)

    def remove(self, root: Root) -> None:
        """Look after it no longer."""
        root.removed = True
        self._post(self._remove, root)

    def changed(self, root: Root, rearm: bool) -> None:
        """Its record has changed: look again at what was not wanted before.

        rearm: sub-folders matter now and did not before, or the other way round.
        """
        self._post(self._gap_seen, root, rearm, 0.0)

    def gap(self, root: Root, lost: bool) -> None:
        """Events of the folder were lost; `lost`: the folder itself is not the watched one any more."""
        self._post(self._gap_seen, root, lost, _AFTER_A_GAP)

    def looked_through(self, timeout: float) -> bool:
        """Decide whether every scan asked for before is done, in the folders within reach.

        A keeper held up by a hung share gives no answer in `timeout` seconds; then what is known of its folders counts.
        """
        scanned = self._ask(timeout, self._is_scanned)
        return self._is_scanned() if scanned is None else scanned

    # The thread.

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._round()
                self._take_in(self._pause())
            except Exception:  # noqa: BLE001 - the folders must be looked after whatever happens
                logger.exception("The keeper of the hot folders stumbled and goes on.")
                time.sleep(_ROUND)
        self._observing.stop()

    def _pause(self) -> float:
        """Seconds until a scan or the next round is due."""
        now = time.monotonic()
        due = [root.scan_at - now for root in self._roots if root.identity is not None]
        return max(0.01, min([_ROUND, *due]))

    def _round(self) -> None:
        self._mind_the_clock()
        self._mind_the_threads()
        for root in list(self._roots):
            self.visiting = root, time.monotonic()
            self._visit(root)
        self.visiting = None

    def _mind_the_clock(self) -> None:
        apart = time.time() - time.monotonic()
        if abs(apart - self._clocks_apart) > _SLEPT:
            for root in self._roots:
                root.want_scan()
        self._clocks_apart = apart

    def _mind_the_threads(self) -> None:
        folders = [root.hot.path for root in self._roots]
        observing = self._observing.alive()
        if observing and self._settler.alive():
            for folder in folders:
                self._troubles.over(folder, "thread")
            return
        logger.error("A thread of the watcher has died; it is started again.")
        for folder in folders:
            self._troubles.tell(folder, "thread", _("A part of the watcher had stopped and was started again."))
        if not self._settler.alive():
            self._settler.start()
        if not observing:
            self._observing.stop()
        for root in self._roots:
            root.want_scan()
            root.identity = root.identity if observing else None

    def _visit(self, root: Root) -> None:
        if root.retry_at > time.monotonic():
            return
        try:
            self._check(root)
            if root.identity is not None and root.scan_at <= time.monotonic():
                self._scan(root)
        except OSError as error:
            self._out_of_reach(root, error)

    def _check(self, root: Root) -> None:
        """Arm the folder if it is not the one that is armed. Raises OSError when there is no folder to be watched."""
        status = root.hot.path.stat()
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(root.hot.path, os.R_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        root.pause = 0.0
        self._troubles.over(root.hot.path, "missing", "unreachable")
        identity = (status.st_dev, status.st_ino)
        if identity != root.identity:
            self._disarm(root)
            self._troubles.over(root.hot.path, "denied")
            root.real = os.path.realpath(root.hot.path)
            self._arm(root)
            root.identity = identity
            root.want_scan()

    def _arm(self, root: Root) -> None:
        """Watch the folder, or see to it that it is polled. Watch first, list after: nothing falls between."""
        kind = remote_type(root.hot.path)
        root.remote = root.hot.watch == "poll" or (root.hot.watch == "auto" and kind is not None)
        if root.hot.watch == "auto" and kind is not None:
            message = _(
                "{folder} is on a network file system ({kind}), which reports no changes: it is polled.",
                folder=root.hot.path,
                kind=kind,
            )
            self._troubles.tell(root.hot.path, "polling", message)
        else:
            self._troubles.over(root.hot.path, "polling")
        root.leases = sys.platform == "win32" or (kind is None and probe_lease(Path(root.real)))
        self._watch(root)

    def _watch(self, root: Root) -> None:
        root.polled = True
        if root.remote:
            return
        try:
            self._observing.watch(root)
            root.polled = False
        except OSError as error:
            if error.errno not in LIMITS:
                raise
            self._troubles.tell(root.hot.path, "limit", limit_message(root.hot.path, error))

    def _disarm(self, root: Root) -> None:
        if not root.polled:
            self._observing.unwatch(root)
        root.polled = True
        root.identity = None

    def _scan(self, root: Root) -> None:
        if root.polled and not root.remote:
            self._watch(root)  # perhaps the system has watches to give by now
        root.refused = False
        began, gaps = time.monotonic(), root.gaps
        scan(root, self._settler, self._troubles, self._observing)
        root.scan_done(time.monotonic() - began)
        self._settler.listed(root, gaps)
        self._troubles.over(root.hot.path, "overflow")
        if not root.refused:
            self._troubles.over(root.hot.path, "denied")
            if not root.polled:
                self._troubles.over(root.hot.path, "limit")

    def _out_of_reach(self, root: Root, error: OSError) -> None:
        self._disarm(root)
        root.scanned = True  # nobody need wait for it
        kind: TroubleKind
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            kind = "missing"
            message = _(
                "The hot folder {folder} is missing: put it back, and it will be watched again.", folder=root.hot.path
            )
        elif isinstance(error, PermissionError):
            kind, message = "denied", denied_message(root.hot.path)
        else:
            kind = "unreachable"
            message = _(
                "The hot folder {folder} cannot be reached ({why}): it will be tried again.",
                folder=root.hot.path,
                why=error.strerror,
            )
            root.pause = min(_LONGEST_BACK_OFF, max(_ROUND, 2 * root.pause))
            root.retry_at = time.monotonic() + root.pause
        self._troubles.tell(root.hot.path, kind, message)

    # The messages.

    def _is_scanned(self) -> bool:
        return all(root.scanned for root in self._roots)

    def _remove(self, root: Root) -> None:
        self._disarm(root)
        self._roots.remove(root)
        self._troubles.forget(root.hot.path)

    def _gap_seen(self, root: Root, rearm: bool, pause: float) -> None:
        if rearm:
            self._disarm(root)
        root.want_scan(pause)
