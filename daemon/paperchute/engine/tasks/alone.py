"""What stands behind the routes of an engine that works alone: SQLite, folders, and a pool of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paperchute.engine.metrics import Metrics
from paperchute.engine.settings import Limits, Settings
from paperchute.engine.tasks.local import PoolDispatcher
from paperchute.engine.tasks.manager import Tasks
from paperchute.engine.tasks.sqlite import SqliteStore
from paperchute.engine.tasks.storage import FolderBlobs
from paperchute.engine.tasks.webhooks import Webhooks

_SWEEP_SECONDS = 600.0
_OVERDUE_SECONDS = 30.0


class Alone:
    """Everything on this machine, in the engine's state folder."""

    def __init__(self, settings: Settings) -> None:
        """Raises OSError, sqlite3.Error."""
        self._settings = settings
        self.store = SqliteStore(settings.state, settings.limits.result_seconds)
        limits = settings.limits
        self.blobs = FolderBlobs(settings.state / "files", limits.max_storage, limits.max_key_storage)
        self.metrics = Metrics()
        self._webhooks = Webhooks(
            self.store, url=settings.webhook_url, token=settings.webhook_token, inner=settings.inner_hosts
        )

    def begin(self) -> Tasks:
        """On the event loop, before the first call."""
        dispatcher = PoolDispatcher(self.store, self.blobs, self._settings, self._webhooks, self.metrics)
        tasks = Tasks(self.store, self.blobs, dispatcher, self._settings, self._webhooks)
        tasks.sweep()
        self.blobs.sweep(self._is_known)
        self._webhooks.start()
        return tasks

    def _is_known(self, task: str) -> bool:
        """Decide whether there is such a task, whose files are then its owner's."""
        found = self.store.get(task)
        if found is not None:
            self.blobs.belongs(task, found.owner)
        return found is not None

    def regular(self, tasks: Tasks) -> Sequence[tuple[float, Callable[[], None]]]:
        """Sweeps; see `sweeping`."""
        return sweeping(tasks, self._settings.limits)

    def check(self) -> None:
        """Nothing: calls are answered by the engine that works."""

    def check_alive(self) -> None:
        """Nothing: it waits for no other machine."""

    def stop(self) -> None:
        """Deliver no more letters."""
        self._webhooks.stop()


def sweeping(tasks: Tasks, limits: Limits) -> tuple[tuple[float, Callable[[], None]], ...]:
    """Return how often what has expired is removed, and what waits for too long is dropped."""
    return (
        (min(_SWEEP_SECONDS, limits.result_seconds / 10 + 0.1), tasks.sweep),
        (min(_OVERDUE_SECONDS, limits.overdue_seconds / 10 + 0.1), tasks.drop_overdue),
    )
