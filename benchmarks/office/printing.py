"""One printer: a worker of the engine, closed in as in service, that prints one file after the other."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from paperchute.contract import libreoffice
from paperchute.engine.settings import Limits
from paperchute.engine.tasks.process import WorkerProcess
from paperchute.engine.work import Source, Work

_USUAL = ("was laid out by the engine", "was printed by LibreOffice")


@dataclass(frozen=True)
class Printing:
    """What came of a file. told: why nothing did, else what was said that is not said of every print."""

    output: Path | None
    seconds: float
    told: str

    @property
    def is_told(self) -> bool:
        """Whether more than the usual was said of what the print lacks."""
        return bool(self.told)


class Printer:
    """A worker that prints by one of `libreoffice.CHOICES`; another one after a file that broke it."""

    def __init__(self, choice: str, folder: Path) -> None:
        self._choice, self._folder = choice, folder
        self._worker: WorkerProcess | None = None

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._worker is not None:
            self._worker.end()
        shutil.rmtree(self._folder / "worker", ignore_errors=True)

    def printed(self, path: Path) -> Printing:
        """Print a file; the seconds are the worker's own."""
        if self._worker is None or not self._worker.usable:
            self._begin()
        assert self._worker is not None
        kind, task = path.suffix[1:], self._folder / "task" / "work"
        shutil.rmtree(task.parent, ignore_errors=True)
        task.mkdir(parents=True)
        source, begun = Source("file", path, path.name, kind), time.perf_counter()
        result = self._worker.run(Work(f"{kind}-to-pdf", (source,), {}, task), lambda done, of: None)
        seconds = result.milliseconds / 1000 or time.perf_counter() - begun
        said = [one for one in (*result.warnings, *result.notes) if not any(usual in one for usual in _USUAL)]
        if not result.outputs:
            return Printing(None, seconds, result.reason or result.code or result.broken)
        output = self._folder / f"{path.stem}.pdf"
        shutil.copyfile(result.outputs[0], output)
        return Printing(output, seconds, " ".join(said))

    def _begin(self) -> None:
        before = os.environ.get(libreoffice.CHOICE_VARIABLE)
        os.environ[libreoffice.CHOICE_VARIABLE] = self._choice
        try:
            self._worker = WorkerProcess(Limits(), self._folder / "worker")
        finally:
            if before is None:
                del os.environ[libreoffice.CHOICE_VARIABLE]
            else:
                os.environ[libreoffice.CHOICE_VARIABLE] = before
