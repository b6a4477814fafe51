"""Somebody, or a lifecycle rule, empties the bucket: whatever needed a file says so at once, and the service goes on.

Not in the ordinary run: `python -m pytest -m cluster -s tests/engine/cluster`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.members import Cluster, cluster
from tests.engine.cluster.servers import BUCKET, PostgresServer, until
from tests.engine.service.running import HTML, KEY, data_of, record_of, refusal_of

pytestmark = pytest.mark.cluster


@pytest.fixture
def shared(postgres_server: PostgresServer, storage: dict[str, str], tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "cluster", postgres_server, storage) as made:
        made.empty()
        made.add("api")
        made.add("worker", 1, "--result-seconds", "5")
        yield made


@pytest.fixture
def emptied(shared: Cluster) -> Callable[[], int]:
    """Removes every object of the cluster; how many there were."""
    import boto3  # comes with moto

    client = boto3.client(
        "s3",
        endpoint_url=shared.environment["AWS_ENDPOINT_URL"],
        region_name="us-east-1",
        aws_access_key_id=shared.environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=shared.environment["AWS_SECRET_ACCESS_KEY"],
    )

    def empty() -> int:
        prefix = urlsplit(shared.environment["PAPERCHUTE_FILES"]).path.strip("/")
        found = client.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])
        for entry in found:
            client.delete_object(Bucket=BUCKET, Key=entry["Key"])
        return len(found)

    return empty


@pytest.fixture
def client(shared: Cluster) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=shared.members[0].base_url, headers={"x-api-key": KEY}, timeout=60.0) as made:
        yield made


def _asked(client: httpx.Client, text: str, key: str = "") -> str:
    headers = {"Idempotency-Key": key} if key else {}
    answer = client.post("/v2/processAsync/html/pdf", files={"file": ("a.html", HTML + text.encode())}, headers=headers)
    return str(data_of(answer)["taskId"])


def _ended(client: httpx.Client, task: str) -> dict[str, Any]:
    def told() -> dict[str, Any]:
        return data_of(client.get("/v2/task/taskInfo", params={"taskId": task}))

    until(lambda: told()["taskStatus"] == "TaskFinish")
    return dict(told()["fileInfoDTOList"][0])


def test_while_tasks_wait_and_one_is_at_work(
    shared: Cluster, client: httpx.Client, emptied: Callable[[], int], tmp_path: Path
) -> None:
    works = _asked(client, f"do: wait {tmp_path / 'held'}")
    until((tmp_path / "held").exists)
    waits = _asked(client, "waits")
    made = data_of(client.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]))
    assert httpx.put(made["presignedUrl"], content=HTML).status_code == 200
    assert emptied() == 3
    assert refusal_of(client.get("/v2/execute/start", params={"taskId": made["taskId"]}))[1] == "05005"
    (tmp_path / "held.go").touch()
    record = _ended(client, works)
    assert record["status"] == "success"
    assert httpx.get(record["downloadUrl"], follow_redirects=True).status_code == 200
    record = _ended(client, waits)
    told = (record["status"], record["failureCode"], record["failureReason"])
    assert told == ("failed", "01001", "the file is no longer in the service's storage: send it again")
    assert [run["starts"] for run in shared.rows("select starts from run where code = '01001'")] == [1]
    assert record_of(client.post("/v2/process/html/pdf", files={"file": ("a.html", HTML)}))["status"] == "success"
    assert '"trace": "Traceback' not in (shared.members[1].state / "engine.log").read_text("utf-8")


def test_once_tasks_are_done(shared: Cluster, client: httpx.Client, emptied: Callable[[], int]) -> None:
    task = _asked(client, "x", key="once")
    record = _ended(client, task)
    assert emptied() >= 1
    assert refusal_of(httpx.get(record["downloadUrl"])) == (410, "05004")
    again = _asked(client, "x", key="once")  # whose result is gone: it is done again
    assert again != task
    assert httpx.get(_ended(client, again)["downloadUrl"], follow_redirects=True).status_code == 200
    emptied()
    until(lambda: shared.rows("select count(*) as tasks from task")[0]["tasks"] == 0)  # swept as ever
