"""The reconcile scan: what lies in a hot folder, beside what is known of it. Insurance against any missed event."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from paperchute.files.identity import key_from, key_of
from paperchute.files.names import is_temporary
from paperchute.watch.records import HotFolder
from paperchute.watch.settle import Settler, files_of_set


class Scan:
    """One listing of one hot folder."""

    def __init__(
        self,
        folder: HotFolder,
        settler: Settler,
        report: Callable[[Path], None],
        wanted: Callable[[HotFolder, Path], bool],
    ) -> None:
        """report: called for every path that is new or changed, with a file's path also where it belongs to a set."""
        self._folder = folder
        self._settler = settler
        self._report = report
        self._wanted = wanted
        self.found: set[Path] = set()

    def run(self) -> set[Path]:
        """All paths found, sets by their sub-folder. Raises OSError when the hot folder itself cannot be read."""
        self._list(self._folder.path, top=True)
        return self.found

    def _list(self, place: Path, *, top: bool) -> None:
        folders = []
        with os.scandir(place) as entries:
            for entry in entries:
                if is_temporary(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                elif self._folder.files:
                    self._file(entry)
        for path in folders:
            if self._folder.gather and top:
                self._set(path)
            elif self._folder.recursive:
                try:
                    self._list(path, top=False)
                except OSError:
                    continue  # gone again, or not ours to read; the emitter reports what stays denied

    def _file(self, entry: os.DirEntry[str]) -> None:
        path = Path(entry.path)
        self.found.add(path)
        place = self._folder.path
        if self._settler.is_pending(place, path) or not self._wanted(self._folder, path):
            return
        known = self._settler.known(place, path)
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return
        if stat.S_ISREG(status.st_mode) and (known is None or known[0][1] != key_from(status)):
            self._report(path)

    def _set(self, path: Path) -> None:
        self.found.add(path)
        if self._settler.is_pending(self._folder.path, path):
            return
        known = dict(self._settler.known(self._folder.path, path) or ())
        files, _ = files_of_set(path)
        if files and {file: key_of(file) for file in files} != known:
            self._report(files[0])
