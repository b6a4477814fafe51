"""Progress in the terminal, for `paperchute run --once` and `paperchute demo`."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from paperchute.desktop.menu import headline, shortened
from paperchute.desktop.model import Face, FaceState
from paperchute.redaction import clean

REFRESH = 10
"""Redraws a second at most."""
MOST_RUNNING = 8
BAR_WIDTH = 40
"""Terminal cells; less in a narrow terminal."""
BESIDE_BAR = 44
"""Cells that the numbers beside the bar may need."""
_HELD_UP: tuple[FaceState, ...] = ("paused", "down")


class TerminalProgress:
    """A bar for all jobs and a line for each running one; where no one watches, one plain line for each event.

    Use it as a context manager; `show` and `line` may be called from any thread. Names are made printable and fit
    the terminal's width.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(
            console=console, refresh_per_second=REFRESH, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._watched = console.is_terminal and not console.is_dumb_terminal
        self._started = time.monotonic()
        self._drawn = 0.0
        self._told: FaceState | None = None

    def __enter__(self) -> Self:
        self._started = time.monotonic()
        if self._watched:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watched:
            self._live.update(Text(""))
            self._live.stop()

    def show(self, face: Face) -> None:
        """Show how far the work is; in plain output only that it cannot go on is written, once."""
        if self._watched:
            now = time.monotonic()
            due = now - self._drawn > 1 / REFRESH
            if due:
                self._drawn = now
            self._live.update(self._picture(face), refresh=due)
        elif face.state != self._told:
            self._told = face.state
            if face.state in _HELD_UP:
                self.line(headline(face))

    def line(self, text: str) -> None:
        """Write a line that stays: an event such as a finished or failed file."""
        self._console.print(Text(clean(text)), soft_wrap=True)

    def _picture(self, face: Face) -> RenderableType:
        width = self._console.width
        rows: list[RenderableType] = [self._overall(face, width)]
        for job in face.now[:MOST_RUNNING]:
            rows.append(Spinner("dots", Text(shortened(clean(job), width - 4))))
        if len(face.now) > MOST_RUNNING:
            rows.append(Text(shortened(f"  and {len(face.now) - MOST_RUNNING} more", width - 1)))
        return Group(*rows)

    def _overall(self, face: Face, width: int) -> RenderableType:
        total, done = max(face.total, 0), min(max(face.done, 0), max(face.total, 0))
        numbers = Text(f"{done} of {total} done", no_wrap=True, overflow="ellipsis")
        if face.failures:
            numbers.append(f", {len(face.failures)} failed", style="red")
        if done:
            numbers.append(f", {done / max(time.monotonic() - self._started, 0.1):.1f} a second", style="dim")
        if face.state in _HELD_UP:
            numbers = Text(headline(face), style="yellow", no_wrap=True, overflow="ellipsis")
        row = Table.grid(padding=(0, 1))
        completed = min(done + max(face.part, 0.0), total)
        bar = ProgressBar(total=total or 1, completed=completed, width=max(1, min(BAR_WIDTH, width - BESIDE_BAR)))
        row.add_row(bar, numbers)
        return row
