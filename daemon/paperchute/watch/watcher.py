"""The face of the room: hot folders go in, complete files and troubles come out."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from loguru import logger

from paperchute.events import Observer, Trouble, Waiting
from paperchute.files.identity import FileKey
from paperchute.files.open_files import ignore_lease_signal
from paperchute.language import _
from paperchute.watch.interface import HotFolder, Interest, Out, Troubles
from paperchute.watch.keeper import Keeper
from paperchute.watch.mounts import remote_type
from paperchute.watch.roots import Root
from paperchute.watch.settle import Settler

_HUNG = 10.0  # seconds: a folder that takes longer to be looked at does not answer


class _Lane:
    """A settler and a keeper: one lane for local disks, one for network shares, which may hang without a word."""

    def __init__(self, name: str, out: Out, troubles: Troubles) -> None:
        self.settler = Settler(out)
        self.keeper = Keeper(name, self.settler, troubles)
        self.running = False

    def start(self) -> None:
        if not self.running:
            self.running = True
            self.settler.start()
            self.keeper.start()

    def stop(self) -> None:
        if self.running:
            self.running = False
            self.keeper.stop()
            self.settler.stop()


class Watcher:
    """Watches hot folders and puts on `out` what is complete (`Ready`), and what keeps it from watching (`Trouble`).

    A file is reported once for each state it was complete in (its `FileKey`), a set once for each state of all its
    files, and `Ready.path` is spelled as in `HotFolder.path`. `wanted(folder, path)` says whether anybody would take
    a file, or a set (then `path` is the sub-folder); it is asked on the watcher's thread and should be quick. Each
    path may stand in `folders` once; one folder under two paths, or inside another, is reported for each.
    """

    def __init__(
        self,
        folders: Sequence[HotFolder],
        interest: Interest,
        out: Out,
        observer: Observer,
        learned: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        """learned: what `learned()` of an earlier watcher gave."""
        self._interest = interest
        self._experience = learned or {}
        self._troubles = Troubles(observer)
        self._local = _Lane("keep", out, self._troubles)
        self._network = _Lane("keep-network", out, self._troubles)
        self._roots: dict[Path, tuple[Root, _Lane]] = {}
        self._lock = threading.Lock()  # guards the table above
        self.replace(folders)

    def start(self) -> None:
        """Begin: what lies in the folders already is reported too. Call from the main thread.

        On another one call `files.open_files.ignore_lease_signal` on the main thread before; ValueError otherwise.
        """
        ignore_lease_signal()
        self._local.start()
        with self._lock:
            network = any(lane is self._network for _, lane in self._roots.values())
        if network:
            self._network.start()

    def stop(self) -> None:
        """End all threads and watches. Nothing is reported afterwards."""
        self._network.stop()
        self._local.stop()

    def replace(self, folders: Sequence[HotFolder]) -> None:
        """Watch these folders from now on. Those that stay keep all that is known of their files.

        Every file not reported yet is asked for again with `wanted`, so call it whenever the answers change.
        """
        with self._lock:
            hot_folders = {hot.path: hot for hot in folders}
            for path in self._roots.keys() - hot_folders.keys():
                root, lane = self._roots.pop(path)
                lane.keeper.remove(root)
            for path, hot in hot_folders.items():
                if path in self._roots:
                    self._change(*self._roots[path], hot)
                else:
                    self._add(hot)

    def again(self, path: Path, key: FileKey | None = None, gap: float = 0.0) -> None:
        """The work on `path` found that it had changed since it was reported: judge it again, and report it again.

        `key`: what it was when reported; if the watcher has reported a newer state meanwhile, that stands and nothing
        more is reported. `gap`: seconds its writer paused, from which the wait for this folder and suffix is learned;
        taken from `key` and the file when 0.
        """
        for root, lane, relative in self._at(path):
            lane.settler.again(root, relative, key, gap)

    def forget(self, path: Path) -> None:
        """The original was moved away: what is dropped at `path` later is new, even the very same file."""
        for root, lane, relative in self._at(path):
            lane.settler.gone(root, relative)

    def expected(self, folder: Path) -> list[Path] | None:
        """Return what has appeared in the hot folder and may be taken yet; all that was ready before is on `out` then.

        None when there is no answer within a second.
        """
        with self._lock:
            found = self._roots.get(folder)
        if found is None:
            return []
        root, lane = found
        names = lane.settler.expected(root, 1.0)
        return None if names is None else [root.hot.path / name for name in names]

    def rescan(self) -> None:
        """Compare everything with what is known, now."""
        for root, lane in self._all():
            lane.keeper.gap(root, lost=False)

    def supervise(self) -> list[str]:
        """Look after our own threads; call it about once a second. Returns the names of those started again.

        A keeper looks after the threads below it, and somebody must look after the keepers. A folder that has not
        answered for ten seconds is told as trouble, and nobody waits for it.
        """
        restarted = []
        for lane in (self._local, self._network):
            if not lane.running:
                continue
            if not lane.keeper.alive():
                lane.keeper.start()
                restarted.append(lane.keeper.name)
            visiting = lane.keeper.visiting
            if visiting is not None and time.monotonic() - visiting[1] > _HUNG:
                root = visiting[0]
                message = _("{folder} does not respond: it will be scanned as soon as it does.", folder=root.hot.path)
                self._troubles.tell(root.hot.path, "unreachable", message)
                root.scanned = True
        return restarted

    def waiting(self) -> list[Waiting]:
        """Return what has appeared and is not taken yet."""
        now = time.monotonic()
        return [
            Waiting(root.hot.path / name, entry.reason, now - entry.since)
            for root, _ in self._all()
            for name, entry in root.table.copy().items()
            if entry.reason is not None
        ]

    def learned(self) -> dict[str, dict[str, float]]:
        """The waits that writers have taught, in seconds, to be kept over restarts: by hot folder and suffix.

        What was learned about sets stands under `/`.
        """
        return {str(root.hot.path): dict(root.learned) for root, _ in self._all() if root.learned}

    def troubles(self) -> list[Trouble]:
        """Return what keeps folders from being watched as they should, now."""
        return self._troubles.now()

    def until_settled(self, timeout: float | None = None) -> list[Waiting]:
        """Block until every folder was looked through and all that is about to be complete was reported.

        Returns what still waits: files that stay empty, unfinished or beside their unfinished download, for which
        nobody waits here after 10 s without a change, and sets that lack their count or end mark. Folders out of reach
        are not waited for. After `timeout` seconds it returns whatever waits then.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self.settled():
            if deadline is not None and time.monotonic() > deadline:
                break
            time.sleep(0.05)
        return self.waiting()

    def settled(self) -> bool:
        """Decide whether every folder was looked through and all that is about to be complete was reported."""
        lanes = [lane for lane in (self._local, self._network) if lane.running]
        if not all(lane.keeper.looked_through(timeout=1.0) for lane in lanes):
            return False
        roots = self._all()
        return all(lane.settler.unsettled([root for root, at in roots if at is lane], 1.0) == 0 for lane in lanes)

    def _add(self, hot: HotFolder) -> None:
        root = Root(hot, self._interest)
        root.learned.update(self._experience.get(str(hot.path), {}))
        lane = self._network if hot.watch != "native" and remote_type(hot.path) else self._local
        self._roots[hot.path] = root, lane
        lane.keeper.add(root)
        if self._local.running:
            lane.start()

    @staticmethod
    def _change(root: Root, lane: _Lane, hot: HotFolder) -> None:
        before = root.deep, root.hot.watch
        root.hot = hot
        lane.settler.refilter(root)
        lane.keeper.changed(root, rearm=before != (root.deep, hot.watch))

    def _all(self) -> list[tuple[Root, _Lane]]:
        with self._lock:
            return list(self._roots.values())

    def _at(self, path: Path) -> Iterable[tuple[Root, _Lane, str]]:
        for root, lane in self._all():
            if path.is_relative_to(root.hot.path):
                yield root, lane, str(path.relative_to(root.hot.path))


def learned_before(text: str | None) -> dict[str, dict[str, float]]:
    """Return what `learned()` gave, out of its JSON; nothing where that cannot be read."""
    try:
        folders = json.loads(text or "{}")
        return {str(at): {str(suffix): float(quiet) for suffix, quiet in of.items()} for at, of in folders.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        logger.warning("what was learned of writers cannot be read, and is learned anew: {!r}", error)
        return {}
