"""The watchers, each run in a process of its own: `python -m benchmarks.watching.watchers KIND FOLDERS [BUSY]`.

Prints a line when it is armed. Answers each line on standard input with one of JSON: what it has seen so far. All times
are monotonic nanoseconds, the same in all processes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.watching.memory import peak_mib

KINDS = ("paperchute", "watchdog", "watchfiles", "inotify")
_NEEDS = {"watchdog": "watchdog", "watchfiles": "watchfiles", "inotify": "inotify_simple"}
_NAMES = (".pdf", ".txt")  # what the writers make; the temporary names of rsync and the like have other ends


def installed(kind: str) -> bool:
    """Whether a peer is there."""
    return kind not in _NEEDS or importlib.util.find_spec(_NEEDS[kind]) is not None


class Seen:
    """Every file once, with the time it was first told of."""

    def __init__(self) -> None:
        self.at: dict[str, int] = {}
        self.last = 0  # when the last new one was told of
        self.listed = 0  # how many have appeared, complete or not, as far as the watcher tells, and when the last did
        self.listed_last = 0
        self.told: dict[str, int] = {}  # troubles by kind, and when each was told first

    def file(self, path: str) -> None:
        """A watcher tells of a file."""
        if path.endswith(_NAMES) and path not in self.at:
            self.at[path] = self.last = time.monotonic_ns()

    def wanted(self) -> bool:
        """Our watcher asks this of each file that has appeared."""
        self.listed += 1
        self.listed_last = time.monotonic_ns()
        return True


def _paperchute(folders: list[str], seen: Seen) -> None:
    from benchmarks.watching.taking import Taking
    from paperchute.events import Event, Trouble
    from paperchute.watch.interface import HotFolder, Ready
    from paperchute.watch.watcher import Watcher

    class Noting(Taking):
        def wanted(self, folder: HotFolder, path: Path) -> bool:
            return seen.wanted()

        def put(self, item: Ready, /) -> None:
            seen.file(str(item.path))

        def publish(self, event: Event, /) -> None:
            if isinstance(event, Trouble):
                seen.told.setdefault(event.kind, time.monotonic_ns())

    hot = [HotFolder(Path(folder), recursive=True) for folder in folders]
    noting = Noting()
    watcher = Watcher(hot, noting, noting, noting)
    watcher.start()
    watcher.until_settled()


def _watchdog(folders: list[str], seen: Seen) -> None:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers import Observer

    class Handler(FileSystemEventHandler):
        def dispatch(self, event: FileSystemEvent) -> None:
            if event.event_type in ("created", "closed", "moved") and not event.is_directory:
                seen.file(os.fsdecode(event.dest_path or event.src_path))

    observer = Observer()
    for folder in folders:
        observer.schedule(Handler(), folder, recursive=True)
    observer.start()


def _watchfiles(folders: list[str], seen: Seen) -> None:
    """With pauses far shorter than its own (1,600 ms), which favours its latency."""
    import watchfiles

    def run() -> None:
        for changes in watchfiles.watch(*folders, step=20, debounce=20, rust_timeout=1000, yield_on_timeout=False):
            for change, path in changes:
                if change != watchfiles.Change.deleted and Path(path).is_file():
                    seen.file(path)

    threading.Thread(target=run, daemon=True).start()
    time.sleep(0.5)


def _inotify(folders: list[str], seen: Seen) -> None:
    """The least that a correct program can do: read, and list new folders. It judges nothing."""
    import inotify_simple

    flags = inotify_simple.flags
    mask = flags.CLOSE_WRITE | flags.MOVED_TO | flags.CREATE
    inotify = inotify_simple.INotify()
    paths: dict[int, str] = {}

    def add(folder: str) -> None:
        paths[inotify.add_watch(folder, mask)] = folder
        with os.scandir(folder) as items:
            for item in items:
                if item.is_dir(follow_symlinks=False):
                    add(item.path)
                else:
                    seen.file(item.path)

    def run() -> None:
        while True:
            for event in inotify.read():
                if event.mask & flags.Q_OVERFLOW:
                    for folder in list(paths.values()):
                        add(folder)
                    continue
                path = f"{paths[event.wd]}/{event.name}"
                if event.mask & flags.ISDIR:
                    add(path)
                elif event.mask & (flags.CLOSE_WRITE | flags.MOVED_TO):
                    seen.file(path)

    for folder in folders:
        add(folder)
    threading.Thread(target=run, daemon=True).start()


_START: dict[str, Callable[[list[str], Seen], None]] = {
    "paperchute": _paperchute,
    "watchdog": _watchdog,
    "watchfiles": _watchfiles,
    "inotify": _inotify,
}


def _busy() -> None:
    while True:
        sum(range(1000))


def main(kind: str, folders: list[str], busy: int) -> None:
    """Watch, and answer. busy: so many threads compute in the same process, as workers would."""
    if busy:
        sys.setswitchinterval(0.0005)  # as the daemon sets it
    seen = Seen()
    _START[kind](folders, seen)
    for _ in range(busy):
        threading.Thread(target=_busy, daemon=True).start()
    idle = time.process_time()
    _say({"armed": True})
    for line in sys.stdin:
        answer: dict[str, object] = {
            "files": len(seen.at),
            "last": seen.last,
            "listed": seen.listed,
            "listed_last": seen.listed_last,
            "told": seen.told,
            "cpu": time.process_time() - idle,
            "peak_mib": peak_mib(),
        }
        if line.strip() == "times":
            answer["at"] = seen.at.copy()
        _say(answer)


def _say(answer: object) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2].split(os.pathsep), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
