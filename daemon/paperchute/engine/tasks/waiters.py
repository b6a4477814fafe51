"""Those who wait for tasks to end, and how they hear of it."""

from __future__ import annotations

import asyncio

from paperchute.engine.tasks.task import Task
from paperchute.engine.work import Refused

Outcome = Task | Refused | None
"""What whoever waits gets: the task, or a refusal to be raised."""


class Waiters:
    """On one event loop, the one that it is made on; `tell` may come from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended: dict[str, asyncio.Future[Task | None]] = {}

    def __contains__(self, task: str) -> bool:
        """Decide whether an end of the task is expected here."""
        return task in self._ended

    def tasks(self) -> list[str]:
        """Whose end is expected."""
        return list(self._ended)

    def expect(self, task: str) -> None:
        """From now on somebody may wait for the task."""
        ended: asyncio.Future[Task | None] = self._loop.create_future()
        ended.add_done_callback(_seen)
        self._ended[task] = ended

    def ended(self, task: str) -> asyncio.Future[Task | None]:
        """The end of a task that is expected, for one who waits; Refused where nothing comes of it."""
        return asyncio.shield(self._ended[task])

    def tell(self, task: str, outcome: Outcome) -> None:
        """A task has ended."""
        self._loop.call_soon_threadsafe(self.tell_now, task, outcome)

    def tell_now(self, task: str, outcome: Outcome) -> None:
        """As `tell`, on the loop itself."""
        ended = self._ended.pop(task, None)
        if ended is None or ended.done():
            return
        if isinstance(outcome, Refused):
            ended.set_exception(outcome)
        else:
            ended.set_result(outcome)


def _seen(ended: asyncio.Future[Task | None]) -> None:
    """Nobody may be waiting any more; a failure is not to be reported as forgotten then."""
    if not ended.cancelled():
        ended.exception()
