"""Engines that are measured: one that works alone, or an API server and workers; and their time of the processor."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from tests.engine.cluster.members import Member, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer, SeaweedServer, weed

_DAEMON = str(Path(__file__).parents[2] / "daemon")
_REAL = {"PYTHONPATH": _DAEMON}
_WAITING = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent / "waiting"), _DAEMON])}


@dataclass(frozen=True)
class Engines:
    """What answers calls at `url`, and process ids by kind."""

    url: str
    servers: tuple[int, ...]
    """They answer calls; one that works alone hands the work over as well."""
    workers: tuple[int, ...] = ()
    database: int | None = None
    storage: int | None = None

    def seconds(self) -> dict[str, float | None]:
        """The processor's time that each kind has had; None where there is none of it.

        document: the processes that work on documents, of whichever engine.
        """
        return {
            "server": sum(map(_own, self.servers)),
            "worker": sum(map(_own, self.workers)) if self.workers else None,
            "document": sum(map(_below, (*self.servers, *self.workers))),
            "PostgreSQL": None if self.database is None else _own(self.database) + _below(self.database),
            "storage": None if self.storage is None else _own(self.storage) + _below(self.storage),
            "client": _own(os.getpid()),
        }


@contextlib.contextmanager
def alone(folder: Path, workers: int) -> Iterator[Engines]:
    """One engine with as many processes for documents."""
    member = Member(folder / f"alone-{workers}", "all", _REAL, ("--workers", str(workers)))
    try:
        member.started()
        yield Engines(member.base_url, (member.process.pid,))
    finally:
        member.close()


class Ground:
    """A database and a storage, on which one cluster after the other stands."""

    def __init__(self, folder: Path, database: PostgresServer, storage: MotoServer | SeaweedServer) -> None:
        self._folder = folder
        self._database = database
        self._storage = storage
        self._count = 0

    @contextlib.contextmanager
    def cluster(self, workers: int, *, waits: bool = False) -> Iterator[Engines]:
        """An API server and as many workers of one process each, on tables and folders of their own.

        waits: they wait instead of reading.
        """
        self._count += 1
        with cluster(self._folder / f"cluster-{self._count}", self._database, self._storage.environment()) as shared:
            shared.empty()
            (server,) = shared.add("api", more=_REAL)
            working = shared.add("worker", workers, more=_WAITING if waits else _REAL)
            yield Engines(
                server.base_url,
                (server.process.pid,),
                tuple(worker.process.pid for worker in working),
                self._database.pid,
                self._storage.pid,
            )


@contextlib.contextmanager
def storage(folder: Path) -> Iterator[MotoServer | SeaweedServer]:
    """SeaweedFS where it is installed, else moto."""
    folder.mkdir()
    server: MotoServer | SeaweedServer = SeaweedServer(folder) if weed() else MotoServer(folder / "log")
    try:
        yield server
    finally:
        server.close()


def _own(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def _below(pid: int) -> float:
    """Of what it has started: those that run, with all that they have outlived, and those that it has outlived."""
    root, total = psutil.Process(pid), 0.0
    for child in root.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = child.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    times = root.cpu_times()
    return float(total + times.children_user + times.children_system)
