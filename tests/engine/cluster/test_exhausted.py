"""The database or the storage is there and takes no more: callers ask again later, logs say why, nothing is lost.

Not in the ordinary run: `python -m pytest -m cluster -s tests/engine/cluster`.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

import psycopg

from tests.engine.cluster.between import Between
from tests.engine.cluster.members import Caller, Cluster, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer, until
from tests.engine.service.running import HTML, KEY

pytestmark = pytest.mark.cluster

_FULL = """
create function full_disk() returns trigger language plpgsql as $$ begin
  raise exception 'could not extend file "base/5/1": No space left on device' using errcode = '53100';
end $$;
create trigger full_disk before insert or update on run execute function full_disk();
"""


@pytest.fixture
def between(storage_server: MotoServer) -> Iterator[Between]:
    made = Between(storage_server.url)
    yield made
    made.go_away()


@pytest.fixture
def shared(postgres_server: PostgresServer, between: Between, tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "cluster", postgres_server, between.environment()) as made:
        made.empty()
        yield made


def _refused(shared: Cluster, sentence: str) -> None:
    """A call is, with a sentence, and may be made again."""
    answer = httpx.post(
        f"{shared.members[0].base_url}/v2/processAsync/html/pdf",
        files={"file": ("page.html", HTML)},
        headers={"x-api-key": KEY},
        timeout=60.0,
    )
    told = (answer.status_code, answer.json()["code"], answer.json()["msg"], "Retry-After" in answer.headers)
    assert told == (503, "01001", sentence, True)


def _says(shared: Cluster, member: int, reason: str) -> bool:
    return reason in (shared.members[member].state / "engine.log").read_text("utf-8")


def _held(shared: Cluster, folder: Path, pool: ThreadPoolExecutor, caller: Caller) -> list[Future[dict[str, Any]]]:
    """Calls under way: one is worked on and one waits."""
    shared.add("worker")
    texts = [f"do: wait {folder / 'held'}", "another"]
    calls = [pool.submit(caller.html, text, key=text[-7:]) for text in texts]
    until((folder / "held").exists)
    until(lambda: shared.rows("select count(*) as n from run")[0]["n"] == 2)
    return calls


def _all_end_well(shared: Cluster, calls: list[Future[dict[str, Any]]]) -> None:
    assert [call.result()["status"] for call in calls] == ["success", "success"]
    told = shared.rows("select state, starts from run order by number")
    assert [run["state"] for run in told] == ["success", "success"]
    assert all(run["starts"] <= 2 for run in told)


def test_the_database_s_disk_is_full(shared: Cluster, tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool, Caller(shared.add("api")) as caller:
        calls = _held(shared, tmp_path, pool, caller)
        shared.do(_FULL)
        (tmp_path / "held.go").touch()
        _refused(shared, "the service's database cannot be used at present; try again later")
        assert _says(shared, 0, "DiskFull: could not extend file")
        until(lambda: _says(shared, 1, "No space left on device"))
        shared.do("drop trigger full_disk on run")
        _all_end_well(shared, calls)


def test_the_database_takes_no_more_connections(shared: Cluster, tmp_path: Path) -> None:
    shared.do("drop role if exists papers")
    shared.do("create role papers login")
    shared.do("grant all on schema public to papers")
    shared.environment["PAPERCHUTE_DATABASE"] = shared.server.url.replace("test@", "papers@")
    try:
        with ThreadPoolExecutor() as pool, Caller(shared.add("api")) as caller:
            calls = _held(shared, tmp_path, pool, caller)
            shared.do("alter role papers connection limit 0")
            shared.rows("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'papers'")
            (tmp_path / "held.go").touch()
            _refused(shared, "the service's database cannot be used at present; try again later")
            until(lambda: _says(shared, 0, 'too many connections for role \\"papers\\"'))
            shared.do("alter role papers connection limit -1")
            _all_end_well(shared, calls)
    finally:
        shared.close()
        with psycopg.connect(shared.server.url, autocommit=True) as connection:
            connection.execute("drop owned by papers cascade")
            connection.execute("drop role papers")


@pytest.mark.parametrize(
    "error",
    [(403, "AccessDenied"), (403, "QuotaExceeded"), (403, "RequestTimeTooSkewed"), (507, "InsufficientStorage")],
)
def test_the_storage_refuses(error: tuple[int, str], shared: Cluster, between: Between, tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool, Caller(shared.add("api")) as caller:
        calls = _held(shared, tmp_path, pool, caller)
        between.error, between.fails = error, lambda number: True
        (tmp_path / "held.go").touch()
        _refused(shared, "the service's storage cannot be used at present; try again later")
        assert _says(shared, 0, f"the storage does not do it: {error[1]}")
        if error[0] < 500:  # which is not asked again for a minute
            until(lambda: _says(shared, 1, f"the storage does not do it: {error[1]}"))
        between.fails = lambda number: False
        _all_end_well(shared, calls)
