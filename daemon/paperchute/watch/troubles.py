"""What keeps folders from being watched as they should, told once when it begins and once when it is over."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from paperchute.watch.records import Out, Trouble, TroubleKind


class Troubles:
    """The troubles of now, one of a kind for each folder. May be used from any thread."""

    def __init__(self, out: Out) -> None:
        self._out = out
        self._now: dict[tuple[Path, TroubleKind], Trouble] = {}
        self._lock = threading.Lock()

    def tell(self, folder: Path, kind: TroubleKind, message: str) -> None:
        """Announce a trouble, unless it is known already."""
        with self._lock:
            if (folder, kind) not in self._now:
                trouble = self._now[folder, kind] = Trouble(folder, kind, message)
                self._out.put(trouble)

    def over(self, folder: Path, *kinds: TroubleKind) -> None:
        """Announce that troubles of these kinds are gone, where there were any."""
        with self._lock:
            for kind in kinds:
                if (trouble := self._now.pop((folder, kind), None)) is not None:
                    self._out.put(replace(trouble, over=True))

    def forget(self, folder: Path) -> None:
        """The folder is not watched any more: its troubles are over."""
        self.over(folder, *[kind for path, kind in list(self._now) if path == folder])

    def now(self) -> list[Trouble]:
        """All troubles that last."""
        with self._lock:
            return list(self._now.values())
