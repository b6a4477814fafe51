"""Progress in a terminal: an overall bar and what runs now; plain lines where the output is no terminal."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from paperchute.desktop.records import Face
from paperchute.desktop.wording import printable, shortened

_SHOWN_JOBS = 6


class TerminalProgress:
    """A live view for the length of a `with` block. Names from outside are made fit for a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = console.is_terminal
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=32),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not self._live,
        )
        self._all = self._progress.add_task("waiting for files", total=None)
        self._jobs: dict[str, int] = {}

    def __enter__(self) -> TerminalProgress:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, face: Face) -> None:
        """Show the present state."""
        self._progress.update(
            self._all, description="all jobs", completed=face.done, total=face.total if face.total else None
        )
        width = max(20, self._console.width - 60)
        now = {shortened(printable(line), width) for line in face.now[:_SHOWN_JOBS]}
        for line in self._jobs.keys() - now:
            self._progress.remove_task(self._jobs.pop(line))  # type: ignore[arg-type]
        for line in sorted(now - self._jobs.keys()):
            self._jobs[line] = self._progress.add_task(line, total=None)

    def line(self, text: str) -> None:
        """Print one line above the bars."""
        self._progress.console.print(printable(text))
