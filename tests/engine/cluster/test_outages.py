"""The database or the storage is away for a minute, is full, is slow, errs, or tells half: nothing is lost by it.

Not in the ordinary run: `python -m pytest -m cluster -s tests/engine/cluster`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.between import Between
from tests.engine.cluster.load import Load, all_is_well
from tests.engine.cluster.members import Caller, Cluster, cluster
from tests.engine.cluster.servers import PostgresServer, until
from tests.engine.service.running import HTML, KEY

pytestmark = pytest.mark.cluster

_AWAY_SECONDS = 60.0


@pytest.fixture
def between(storage: dict[str, str]) -> Iterator[Between]:
    made = Between(storage["AWS_ENDPOINT_URL"])
    yield made
    made.go_away()


@pytest.fixture
def shared(postgres_server: PostgresServer, between: Between, tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path, postgres_server, between.environment()) as made:
        made.empty()
        yield made


class Asking:
    """Clients at work, and what one that does not ask again is told meanwhile."""

    def __init__(self, shared: Cluster, folder: Path, count: int) -> None:
        servers = shared.add("api", 2)
        shared.add("worker", 2)
        self.caller = Caller(servers)
        self.load = Load(self.caller, folder)
        self._url = servers[0].base_url
        self._thread = threading.Thread(target=self.load.run, args=(count,))
        self._thread.start()

    def done(self, count: int) -> None:
        until(lambda: len(self.load.seconds) >= count, 200.0)

    def upload(self) -> httpx.Response:
        return httpx.post(
            f"{self._url}/v2/processAsync/html/pdf",
            files={"file": ("page.html", HTML)},
            headers={"x-api-key": KEY},
            timeout=180.0,
        )

    def end(self) -> None:
        self._thread.join()
        self.caller.__exit__()


def test_the_storage_is_away_for_a_minute(shared: Cluster, between: Between, tmp_path: Path) -> None:
    asking = Asking(shared, tmp_path, 60)
    asking.done(15)
    between.go_away()
    begun = time.monotonic()
    refused = asking.upload()
    print(f"\n    an upload was refused after {time.monotonic() - begun:.1f} s")  # noqa: T201
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True), refused.text
    time.sleep(max(0.0, _AWAY_SECONDS - (time.monotonic() - begun)))
    between.come_back()
    asking.end()
    all_is_well(shared, asking.load, 60)


def test_postgresql_is_away_for_a_minute(shared: Cluster, postgres_server: PostgresServer, tmp_path: Path) -> None:
    asking = Asking(shared, tmp_path, 60)
    asking.done(15)
    postgres_server.stop()
    begun = time.monotonic()
    refused = asking.upload()
    print(f"\n    an upload was refused after {time.monotonic() - begun:.1f} s")  # noqa: T201
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True), refused.text
    time.sleep(max(0.0, _AWAY_SECONDS - (time.monotonic() - begun)))
    postgres_server.start()
    asking.end()
    all_is_well(shared, asking.load, 60)


def test_a_storage_that_takes_its_time(shared: Cluster, between: Between, tmp_path: Path) -> None:
    between.slow = 0.7
    asking = Asking(shared, tmp_path, 20)
    asking.end()
    all_is_well(shared, asking.load, 20)


def test_a_storage_that_errs_each_third_time(shared: Cluster, between: Between, tmp_path: Path) -> None:
    between.fails = lambda number: number % 3 == 0
    asking = Asking(shared, tmp_path, 40)
    asking.end()
    all_is_well(shared, asking.load, 40)


def test_a_storage_that_gives_half_of_what_it_has(shared: Cluster, between: Between, tmp_path: Path) -> None:
    between.cuts = lambda number: number % 3 == 0
    asking = Asking(shared, tmp_path, 40)
    asking.end()
    all_is_well(shared, asking.load, 40)
