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

from paperchute.desktop.lines import shortened
from paperchute.desktop.menu import headline, told
from paperchute.events import Activity, Done, Event, Failed, Status
from paperchute.language import _, ngettext
from paperchute.redaction import clean

REFRESH = 10
"""Redraws a second at most."""
MOST_RUNNING = 8
BAR_WIDTH = 40
"""Terminal cells; less in a narrow terminal."""
BESIDE_BAR = 44
"""Cells that the numbers beside the bar may need."""
_HELD_UP: tuple[Activity, ...] = ("paused", "down")


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
        self._told: Activity | None = None

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

    def hear(self, event: Event, /) -> None:
        """A subscriber: show what is of interest to whoever watches the terminal."""
        match event:
            case Status():
                self.show(event)
            case Done():
                ending = _("done with warnings") if event.warnings else _("done")
                self.line(f"{ending}: {event.name} -> {event.result or event.note}")
                for sentence in event.warnings:
                    self.line(f"  ! {sentence}")
            case Failed():
                self.line(_("failed: {reason}", reason=event.reason))
            case _ if text := told(event):
                self.line(text)

    def show(self, status: Status) -> None:
        """Show how far the work is; in plain output only that it cannot go on is written, once."""
        if self._watched:
            now = time.monotonic()
            due = now - self._drawn > 1 / REFRESH
            if due:
                self._drawn = now
            self._live.update(self._picture(status), refresh=due)
        elif status.activity != self._told:
            self._told = status.activity
            if status.activity in _HELD_UP:
                self.line(headline(status))

    def line(self, text: str) -> None:
        """Write a line that stays: an event such as a finished or failed file."""
        self._console.print(Text(clean(text)), soft_wrap=True)

    def _picture(self, status: Status) -> RenderableType:
        width = self._console.width
        rows: list[RenderableType] = [self._overall(status, width)]
        for job in status.now[:MOST_RUNNING]:
            rows.append(Spinner("dots", Text(shortened(clean(job), width - 4))))
        if len(status.now) > MOST_RUNNING:
            rows.append(Text(shortened("  " + _("and {n} more", n=len(status.now) - MOST_RUNNING), width - 1)))
        return Group(*rows)

    def _overall(self, status: Status, width: int) -> RenderableType:
        total, done = max(status.total, 0), min(max(status.done, 0), max(status.total, 0))
        numbers = Text(_("{done} of {total} done", done=done, total=total), no_wrap=True, overflow="ellipsis")
        if status.failures:
            numbers.append(", " + ngettext("{n} failed", "{n} failed", len(status.failures)), style="red")
        if done:
            rate = done / max(time.monotonic() - self._started, 0.1)
            numbers.append(", " + _("{rate} a second", rate=f"{rate:.1f}"), style="dim")
        if status.activity in _HELD_UP:
            numbers = Text(headline(status), style="yellow", no_wrap=True, overflow="ellipsis")
        row = Table.grid(padding=(0, 1))
        completed = min(done + max(status.part, 0.0), total)
        bar = ProgressBar(total=total or 1, completed=completed, width=max(1, min(BAR_WIDTH, width - BESIDE_BAR)))
        row.add_row(bar, numbers)
        return row
