"""A worker's own folder: a task's files are brought in, and what was made of them is taken out.

A worker is closed in for as long as it lives, so it cannot be let into each task's folder in turn. It has one folder
that it may read and one that it may write, and whatever it finds there belongs to the task at hand.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from paperchute.engine.tasks.worker_line import INPUTS, OWN, SCRATCH
from paperchute.engine.work import Work

_LAST_WORDS = 8000  # bytes of what a dying worker printed
_MOST_ENTRIES = 100_000  # more than that are not a document's pages


class Workplace:
    """One worker's folder. `bring` and `take` are for one thread."""

    def __init__(self, folder: Path) -> None:
        """Make it anew. Raises OSError."""
        self.folder = folder
        self.errors = folder / "errors.txt"
        self._inputs = folder / INPUTS
        self._scratch = folder / SCRATCH
        self._own = folder / OWN
        shutil.rmtree(folder, ignore_errors=True)
        for place in (self._inputs, self._scratch, self._own):
            place.mkdir(mode=0o700, parents=True)
        self._count = 0

    def bring(self, work: Work) -> Work:
        """The work as the worker is to see it, with its files where it can read them. Raises OSError."""
        self._clear()
        self._count += 1
        sources = []
        for number, source in enumerate(work.sources):
            here = self._inputs / f"{number:05d}"
            _link(source.path, here)
            sources.append(replace(source, path=here))
        scratch = self._scratch / str(self._count)
        scratch.mkdir(mode=0o700)
        if self.errors.exists():
            os.truncate(self.errors, 0)  # it is to hold the last words about this task
        return replace(work, sources=tuple(sources), folder=scratch)

    def take(self, work: Work, inside: Work, outputs: tuple[Path, ...]) -> tuple[Path, ...]:
        """Move all that the worker wrote to the task's own folder; the outputs where they are then. Raises OSError."""
        work.folder.rmdir()
        inside.folder.rename(work.folder)
        self._clear()
        return tuple(work.folder / path.relative_to(inside.folder) for path in outputs)

    def size(self) -> int:
        """Bytes of what the worker has written and printed; too many files count as too many bytes."""
        total, entries = self.errors.stat().st_size, 0
        folders = [self._scratch, self._own]
        while folders:
            try:
                with os.scandir(folders.pop()) as found:
                    for entry in found:
                        entries += 1
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(Path(entry.path))
                        else:
                            total += entry.stat(follow_symlinks=False).st_size
            except OSError:
                continue  # gone in the meantime
            if entries > _MOST_ENTRIES:
                return 1 << 62
        return total

    def last_words(self) -> str:
        """The end of what the worker printed."""
        try:
            with self.errors.open("rb") as file:
                file.seek(max(0, self.errors.stat().st_size - _LAST_WORDS))
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""

    def remove(self) -> None:
        """Once the worker has ended."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _clear(self) -> None:
        for place in (self._inputs, self._scratch):
            for entry in list(os.scandir(place)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)  # noqa: PTH108 -- an entry is no Path


def _link(source: Path, here: Path) -> None:
    """No file is copied where the file system has hard links."""
    try:
        os.link(source, here, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copyfile(source, here)
