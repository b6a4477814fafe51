"""Parts of the daemon that a test makes without what they are otherwise made of."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from paperchute.files.identity import FileKey
from paperchute.watch.watcher import Watcher

_T = TypeVar("_T")


def unmade(kind: type[_T]) -> _T:
    """An object that its `__init__` has not made: the test gives it what the methods that it calls ask for.

    Other than for a namespace in its place, the types of all of it are checked.
    """
    return kind.__new__(kind)


class Unwatched(Watcher):
    """A watcher that watches nothing."""

    def __init__(self) -> None:
        pass

    def again(self, path: Path, key: FileKey | None = None, gap: float = 0.0) -> None:
        pass

    def expected(self, folder: Path) -> list[Path] | None:
        return []
