"""What a task costs: how often the storage is asked and the database writes, and which bytes pass whom.

python -m pytest -m cluster -s tests/engine/cluster/test_traffic.py
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.between import Between
from tests.engine.cluster.members import Caller, Cluster, Member, cluster
from tests.engine.cluster.servers import PostgresServer, until
from tests.engine.service.running import HTML, KEY

pytestmark = pytest.mark.cluster

_SIZE = 300_000
_SLACK = 20_000  # bytes of XML, of names and of a file's first bytes
_TASKS = 20


class Ways:
    """A cluster whose server and worker reach the storage by ways of their own, on which bytes are counted."""

    def __init__(self, shared: Cluster, storage: str) -> None:
        self.asked, self.worked = Between(storage), Between(storage)
        (self.server,) = shared.add("api", more={"AWS_ENDPOINT_URL": self.asked.url})
        (self.worker,) = shared.add("worker", more={"AWS_ENDPOINT_URL": self.worked.url})

    def count(self) -> tuple[Counter[str], Counter[str]]:
        """Bytes since the last time: of the server, and of the worker."""
        found = Counter(self.asked.bytes), Counter(self.worked.bytes)
        for way in (self.asked, self.worked):
            way.bytes.clear()
            way.calls.clear()
        return found


@pytest.fixture
def shared(postgres_server: PostgresServer, storage: dict[str, str], tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path, postgres_server, storage) as made:
        made.empty()
        yield made


@pytest.fixture
def ways(shared: Cluster, storage: dict[str, str]) -> Iterator[Ways]:
    made = Ways(shared, storage["AWS_ENDPOINT_URL"])
    yield made
    made.asked.go_away()
    made.worked.go_away()


def _letters() -> str:
    return secrets.token_hex(_SIZE // 2)


def _task(server: Member, task: str) -> dict[str, Any]:
    answer = httpx.get(
        f"{server.base_url}/v2/task/taskInfo", params={"taskId": task}, headers={"x-api-key": KEY}, timeout=30.0
    )
    return dict(answer.json()["data"])


def test_no_file_passes_a_server_twice(ways: Ways) -> None:
    text = f"do: echo {_letters()}"
    with Caller([ways.server]) as caller:
        ways.count()
        record = caller.html(text)
        assert len(caller.fetched(record)) > _SIZE
    asked, worked = ways.count()
    # By form: in through the server once. The result goes from the worker to the storage, and to the client by a link.
    assert _SIZE < asked["PUT"] < _SIZE + _SLACK
    assert asked["GET"] < _SLACK
    assert _SIZE < asked["signed GET"] < _SIZE + _SLACK
    assert _SIZE < worked["GET"] < _SIZE + _SLACK
    assert _SIZE < worked["PUT"] < _SIZE + _SLACK
    assert not any(what.startswith("signed") for what in worked)


def test_what_is_uploaded_by_link_passes_no_server(ways: Ways) -> None:
    content = HTML + f"do: echo {_letters()}".encode()
    with httpx.Client(base_url=ways.server.base_url, headers={"x-api-key": KEY}, timeout=60.0) as client:
        made = client.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]).json()["data"]
        ways.count()
        assert httpx.put(made["presignedUrl"], content=content).status_code == 200
        assert client.get("/v2/execute/start", params={"taskId": made["taskId"]}).status_code == 200
        until(lambda: _task(ways.server, made["taskId"])["taskStatus"] == "TaskFinish")
        (record,) = _task(ways.server, made["taskId"])["fileInfoDTOList"]
        answer = client.get(record["downloadUrl"].partition("/server")[2])
        assert (answer.status_code, len(answer.content) < _SLACK) == (307, True)
        assert len(httpx.get(answer.headers["location"]).content) > _SIZE
    asked, worked = ways.count()
    assert _SIZE < asked["signed PUT"] < _SIZE + _SLACK
    assert asked["PUT"] + asked["GET"] < (64 << 10) + _SLACK  # its first bytes, which tell its kind
    assert _SIZE < worked["GET"] < _SIZE + _SLACK


def test_what_a_task_asks_of_the_storage_and_the_database(ways: Ways, shared: Cluster) -> None:
    with Caller([ways.server]) as caller:
        caller.html("warm")
        time.sleep(2.0)
        idle = _commits(shared)
        begun = time.monotonic()
        time.sleep(4.0)
        a_second = (_commits(shared) - idle) / (time.monotonic() - begun)
        ways.count()
        begun, before = time.monotonic(), _commits(shared)
        for number in range(_TASKS):
            caller.html(f"document {number}")
        took = time.monotonic() - begun
        commits = (_commits(shared) - before - a_second * took) / _TASKS
    calls = {
        name: {what: round(count / _TASKS, 1) for what, count in way.calls.items()}
        for name, way in (("server", ways.asked), ("worker", ways.worked))
    }
    print(f"\n    a task: {calls}, {commits:.0f} commits; idle {a_second:.0f} commits a second")  # noqa: T201
    assert sum(calls["server"].values()) <= 1.2
    assert sum(calls["worker"].values()) <= 4.2


def _commits(shared: Cluster) -> int:
    time.sleep(1.2)  # servers tell their numbers once a second
    (row,) = shared.rows("select xact_commit as n from pg_stat_database where datname = 'postgres'")
    return int(row["n"])
