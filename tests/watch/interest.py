"""What watching asks the rules, answered by functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from paperchute.watch.interface import HotFolder, SetNames

Wanted = Callable[[HotFolder, Path], bool]
Naming = Callable[[HotFolder, Path, Sequence[str]], SetNames]


def all_count(hot: HotFolder, path: Path, names: Sequence[str]) -> SetNames:
    """No rule says when a set is complete, and all of its files count."""
    return SetNames(None, frozenset(names))


class Interest:
    """Everything is wanted, and each file of a set counts, unless the functions say otherwise."""

    def __init__(self, wanted: Wanted = lambda folder, path: True, naming: Naming = all_count) -> None:
        self._wanted = wanted
        self._naming = naming

    def wanted(self, folder: HotFolder, path: Path) -> bool:
        return self._wanted(folder, path)

    def naming(self, folder: HotFolder, path: Path, names: Sequence[str]) -> SetNames:
        return self._naming(folder, path, names)
