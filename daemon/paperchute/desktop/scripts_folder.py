"""The folder of scripts of Nautilus, Nemo and Caja, which are entries of the file manager's menu."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.desktop.sendto import Entry, free, is_marked, is_sealed, menu_title, sealed, take_sealed
from paperchute.files.names import safe_name
from paperchute.files.placement import write_whole


@dataclass(frozen=True)
class ScriptsFolder:
    """See `FileManager`. Each executable in the folder is an entry, each folder in it a menu in the menu."""

    name: str
    folder: Path

    def put(self, entries: Sequence[Entry]) -> None:
        """See `FileManager`."""
        place = self.folder / safe_name(menu_title())
        place.mkdir(parents=True, exist_ok=True)
        for entry in entries:
            script = free(place, entry.title)
            write_whole(script, sealed("#!/bin/sh", f'exec {shlex.join(entry.words)} "$@"\n'))
            script.chmod(0o755)

    def titles(self) -> list[str]:
        """See `FileManager`."""
        return sorted(path.name for path in self._ours() if is_sealed(path))

    def take_away(self) -> list[Path]:
        """See `FileManager`. A folder that then holds nothing goes too."""
        left = take_sealed(self._ours())
        for place in {path.parent for path in self._ours()} | {self.folder / safe_name(menu_title())}:
            if place.is_dir() and not any(place.iterdir()):
                place.rmdir()
        return left

    def _ours(self) -> list[Path]:
        """In folders of any name: it may have been made in another language."""
        return [path for path in sorted(self.folder.glob("*/*")) if is_marked(path)]
