"""What an engine of a cluster is made of, by its role: answering calls, working, or both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import psycopg
from loguru import logger
from obstore.store import S3Store
from psycopg.conninfo import make_conninfo

from paperchute.engine.cluster.database import Database, migrate
from paperchute.engine.cluster.dispatcher import QueueDispatcher
from paperchute.engine.cluster.jobs import JobQueue
from paperchute.engine.cluster.objects import ObjectBlobs, bucket_at, try_out
from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.cluster.pulse import Pulse
from paperchute.engine.cluster.runner import Runner
from paperchute.engine.cluster.sealing import Sealing, same_for_all
from paperchute.engine.cluster.upkeep import Upkeep
from paperchute.engine.metrics import Metrics
from paperchute.engine.settings import Settings
from paperchute.engine.tasks.alone import sweeping
from paperchute.engine.tasks.completion import Completion
from paperchute.engine.tasks.manager import Tasks
from paperchute.engine.tasks.webhooks import Webhooks
from paperchute.language import _
from paperchute.redaction import in_use
from paperchute.sandbox import take

_SECRETS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
"""What proves to the storage who asks; empty where a machine's role does."""
_CALL_SECONDS = 5.0
"""For which a call waits for a storage that is away, before its client is told to ask again; calls that come in the
next so many seconds are told at once."""
_START_SECONDS = 30.0  # in which a database that starts at the same time as the engines is there
_TALLY_SECONDS = 60.0
TROUBLE = (ValueError, psycopg.Error)
"""What `Member` raises beside OSError."""


@dataclass(frozen=True)
class Place:
    """Where a cluster's engines meet.

    secret: of the environment, seals the passwords of tasks that wait. password: of the database, where its address has
    none.
    """

    database: str = field(repr=False)
    files: str
    secret: str = field(repr=False)
    password: str = field(repr=False)
    drain_seconds: float


class Member:
    """One engine of a cluster. What stands behind its routes, and what works beside them."""

    def __init__(self, settings: Settings, place: Place) -> None:
        """Raises OSError, ValueError, psycopg.Error where the place is not to be had."""
        self._settings = settings
        self._place = place
        self._pulse = Pulse(place.drain_seconds)
        self._seal = Sealing(place.secret)
        known = {name: take(name) for name in _SECRETS}  # where no process of ours is to find them
        for secret in known.values():
            in_use(secret, lasting=True)
        self._asked = bucket_at(place.files, known, _CALL_SECONDS, _CALL_SECONDS)
        self._asked_bulk = bucket_at(place.files, known, _CALL_SECONDS)
        self._worked = bucket_at(place.files, known)
        try:
            try_out(self._asked)
        except OSError as error:
            logger.error("{}; the engine starts, and asks it again for each file", error)
        database = Database(_address(place), patience=_START_SECONDS)
        migrate(database)
        same_for_all(self._seal, database)
        self._queue = JobQueue(database)
        self.store = PostgresStore(database, settings.limits.result_seconds, settings.key)
        self.blobs = self._files("arriving", self._asked, bulk=self._asked_bulk, silence=_CALL_SECONDS)
        self.metrics = Metrics()
        self._check_workers: Callable[[], None] = lambda: None
        self._webhooks = Webhooks(
            self.store, url=settings.webhook_url, token=settings.webhook_token, inner=settings.inner_hosts
        )

    def begin(self) -> Tasks:
        """On the event loop, before the first call. Letters are delivered by engines that answer calls."""
        self._webhooks.start()
        return self._tasks(self.blobs)

    def regular(self, tasks: Tasks) -> Sequence[tuple[float, Callable[[], None]]]:
        """Nothing: one of the workers does it for all."""
        return ()

    def stop(self) -> None:
        """Deliver no more letters."""
        self._webhooks.stop()

    async def work(self) -> None:
        """Do the cluster's work until cancelled, and then until what was begun has ended or is given back."""
        blobs = self._files("working", self._worked)
        limits = self._settings.limits
        completion = Completion(
            self.store, blobs, self._webhooks, limits.max_output, self.metrics, lambda task, instead: None
        )
        runner = Runner(
            self.store, blobs, self._queue, completion, self._settings, self._seal, self.metrics, self._pulse
        )
        self._check_workers = runner.check_workers
        (sweep_seconds, sweep), (overdue_seconds, overdue) = sweeping(self._tasks(blobs), limits)
        regular = {
            "sweep": (sweep_seconds, sweep),
            "overdue": (overdue_seconds, overdue),
            "tally": (_TALLY_SECONDS, self.store.tally),
        }
        upkeep = Upkeep(self.store, self._queue, completion, regular, self._pulse)
        caring = asyncio.create_task(upkeep.work())
        try:
            await runner.work(self._place.drain_seconds)
        finally:
            caring.cancel()

    def check(self) -> None:
        """Raises AskLater while this engine cannot do the cluster's work. Asks nobody, and waits for nothing."""
        self._pulse.check_heard()
        self._check_workers()

    def check_alive(self) -> None:
        """Raises AskLater when a loop of this engine stands still, so that it must be started anew."""
        self._pulse.check_turns()

    def _tasks(self, blobs: ObjectBlobs) -> Tasks:
        dispatcher = QueueDispatcher(self.store, self._queue, self._settings.limits.queue, self._pulse)
        return Tasks(self.store, blobs, dispatcher, self._settings, self._webhooks, self._seal)

    def _files(self, name: str, bucket: S3Store, *, bulk: S3Store | None = None, silence: float = 0.0) -> ObjectBlobs:
        folder, limits = self._settings.state / name, self._settings.limits
        return ObjectBlobs(bucket, folder, limits, self.store.stored, bulk=bulk, silence=silence)


def _address(place: Place) -> str:
    """The database's, with its password. Raises ValueError that repeats nothing of it."""
    try:
        return make_conninfo(place.database, **({"password": place.password} if place.password else {}))
    except psycopg.ProgrammingError:
        raise ValueError(_("the database's address is not of the form postgresql://user@host/name")) from None
