"""An API server and a worker that share a database and a storage are one service."""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")
pytest.importorskip("opentelemetry.sdk", reason="paperchute[telemetry] is not installed")

from tests.engine.cluster.collector import Collector
from tests.engine.cluster.members import SECRET, Caller, Cluster, Member, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer, free_port, until
from tests.engine.service.outer import Outer
from tests.engine.service.running import HTML, KEY
from tests.engine.test_metrics import samples


@pytest.fixture(scope="module")
def outer() -> Iterator[Outer]:
    with Outer() as running:
        yield running


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    running = Collector()
    yield running
    running.close()


@pytest.fixture(scope="module")
def shared(
    postgres_server: PostgresServer,
    storage_server: MotoServer,
    outer: Outer,
    collector: Collector,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    with cluster(folder, postgres_server, {**storage_server.environment(), **collector.environment()}) as made:
        made.empty()
        flags = ("--webhook-url", outer.url + "/all", "--inner-host", "127.0.0.1")
        made.add("api", 1, *flags)
        made.add("worker", 1, "--drain-seconds", "1", "--metrics-port", str(free_port()), *flags)
        yield made


@pytest.fixture
def client(shared: Cluster) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=shared.members[0].base_url, headers={"x-api-key": KEY}, timeout=60.0) as made:
        yield made


def _submitted(client: httpx.Client, text: str, **data: str) -> str:
    files = {"file": ("page.html", HTML + text.encode())}
    answer = client.post("/v2/processAsync/html/pdf", files=files, data=data)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["data"]["taskId"])


def _task(client: httpx.Client, task: str) -> dict[str, Any]:
    return dict(client.get("/v2/task/taskInfo", params={"taskId": task}).json()["data"])


def test_a_call_is_done_by_the_worker_and_its_result_comes_from_the_storage(shared: Cluster) -> None:
    with Caller(shared.members[:1]) as caller:
        record = caller.html("x", key="once")
        told = json.loads(caller.fetched(record))
        assert caller.html("x", key="once")["taskId"] == record["taskId"]
    assert told["sources"][0]["text"] == (HTML + b"x").decode()
    assert not told["key_known"]
    first = httpx.get(record["downloadUrl"])
    assert first.status_code == 307
    assert first.headers["location"].startswith("http://127.0.0.1:")
    worker = shared.members[1]
    until(lambda: not list((worker.state / "working").iterdir()))
    assert not list((shared.members[0].state / "arriving").iterdir())


def test_keys_are_made_beside_the_service_and_hold_at_once(shared: Cluster) -> None:
    text = _keys(shared, do="add", name="scanner", limits={"pages": 2, "most_open": 5})["key"]
    url = shared.members[0].base_url
    with httpx.Client(base_url=url, headers={"x-api-key": text}, timeout=60.0) as scanner:
        task = _submitted(scanner, "mine", password="sealed as ever")
        until(lambda: _task(scanner, task)["taskStatus"] == "TaskFinish")
        (record,) = _task(scanner, task)["fileInfoDTOList"]
        assert record["status"] == "success"
        begun = next(line for line in _lines(shared.members[1]) if line.get("task") == task)
        assert (begun["message"], begun["caller"]) == ("run begun", "scanner")
        with httpx.Client(base_url=url, headers={"x-api-key": KEY}) as own:
            assert own.get("/v2/task/taskInfo", params={"taskId": task}).status_code == 404
            assert 'paperchute_key_pages{key="scanner"} 1\n' in own.get("/metrics").text
        assert _keys(shared, do="limit", name="scanner", limits={"pages": 1})["keys"][0]["pages_this_month"] == 1
        spent = scanner.post("/v2/processAsync/html/pdf", files={"file": ("page.html", HTML)})
        assert (spent.status_code, spent.json()["code"]) == (402, "06001")
        _keys(shared, do="revoke", name="scanner")
        assert scanner.get("/v2/task/list").status_code == 401
    assert text not in str(shared.rows("select * from api_key"))
    assert all(text not in (member.state / "engine.log").read_text() for member in shared.members)


def _keys(shared: Cluster, **request: object) -> dict[str, Any]:
    """What `python -m paperchute.engine.keys` answers at the shared database."""
    command = [sys.executable, "-m", "paperchute.engine.keys", "--state", str(shared.folder), "--database"]
    done = subprocess.run(
        [*command, shared.server.url], input=json.dumps(request), stdout=subprocess.PIPE, text=True, check=True
    )
    return dict(json.loads(done.stdout))


def test_a_pre_signed_upload_goes_straight_to_the_storage(client: httpx.Client, shared: Cluster) -> None:
    made = client.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]).json()["data"]
    assert not made["presignedUrl"].startswith(shared.members[0].base_url)
    early = client.get("/v2/execute/start", params={"taskId": made["taskId"]})
    assert early.json()["code"] == "05005"
    assert httpx.put(made["presignedUrl"], content=HTML + b"signed").status_code == 200
    assert client.get("/v2/execute/start", params={"taskId": made["taskId"]}).status_code == 200
    until(lambda: _task(client, made["taskId"])["taskStatus"] == "TaskFinish")
    (record,) = _task(client, made["taskId"])["fileInfoDTOList"]
    found = httpx.get(record["downloadUrl"], follow_redirects=True)
    assert "signed" in found.json()["sources"][0]["text"]
    assert record["fileSize"] == len(HTML + b"signed")


def test_closing_a_task_ends_its_work(client: httpx.Client, shared: Cluster, tmp_path: Path) -> None:
    task = _submitted(client, f"do: hang {tmp_path / 'hangs'}")
    until((tmp_path / "hangs").exists)
    assert client.post("/v2/task/closeTask", params={"taskId": task}).status_code == 200
    with Caller(shared.members[:1]) as caller:
        assert caller.html("next")["status"] == "success"
    assert shared.rows("select count(*) as n from run where state in ('waiting', 'processing')") == [{"n": 0}]


def test_passwords_are_in_the_database_sealed_and_not_for_long(
    client: httpx.Client, shared: Cluster, tmp_path: Path
) -> None:
    task = _submitted(client, f"do: wait {tmp_path / 'waits'}", password="open it up")
    until((tmp_path / "waits").exists)
    assert 'paperchute_running{work="heavy"} 1\n' in client.get("/metrics").text
    (waiting,) = shared.rows(f"select order_text, parameters from run where task = '{task}'")
    assert "sealed" in waiting["order_text"]
    assert "open it up" not in str(waiting)
    Path(f"{tmp_path / 'waits'}.go").touch()
    until(lambda: _task(client, task)["taskStatus"] == "TaskFinish")
    (record,) = _task(client, task)["fileInfoDTOList"]
    assert httpx.get(record["downloadUrl"], follow_redirects=True).json()["parameters"]["password"] == "open it up"
    assert shared.rows(f"select order_text from run where task = '{task}'") == [{"order_text": ""}]


def test_each_process_tells_what_it_has_done_and_the_server_what_there_is_to_do(
    client: httpx.Client, shared: Cluster, tmp_path: Path
) -> None:
    worker = shared.members[1].said["metrics_url"]
    before = samples(httpx.get(worker).text)
    task = _submitted(client, f"do: wait {tmp_path / 'waits'}")
    until((tmp_path / "waits").exists)
    waiting = _submitted(client, "next")
    until(lambda: samples(client.get("/metrics").text)['paperchute_oldest_waiting_seconds{work="heavy"}'] >= 1.0)
    there = samples(client.get("/metrics").text)
    assert (there["paperchute_workers"], there["paperchute_database_up"]) == (1, 1)
    assert there['paperchute_waiting{work="heavy"}'] == 1
    assert samples(httpx.get(worker).text)["paperchute_pool_busy"] == 1
    Path(f"{tmp_path / 'waits'}.go").touch()
    for one in (task, waiting):
        until(lambda one=one: _task(client, one)["taskStatus"] == "TaskFinish")  # type: ignore[misc]
    after = samples(httpx.get(worker).text)
    runs, waits = (
        f'paperchute_{name}{{operation="html-to-pdf"}}' for name in ("run_seconds_count", "wait_seconds_sum")
    )
    assert after[runs] == before.get(runs, 0) + 2
    assert after[waits] - before.get(waits, 0.0) >= 1.0  # in the queue, not in the worker
    for name, value in (("ready", "ready"), ("health", "ok")):
        assert httpx.get(worker.replace("metrics", name)).json() == {"status": value}
    assert httpx.get(worker, headers={"Host": "rebound.example"}).status_code == 403


def test_a_trace_goes_through_the_queue_and_its_id_stands_in_the_logs(
    client: httpx.Client, shared: Cluster, collector: Collector
) -> None:
    trace = secrets.token_hex(16)
    files = {"file": ("page.html", HTML + b"x")}
    answer = client.post(
        "/v2/processAsync/html/pdf", files=files, headers={"traceparent": f"00-{trace}-{secrets.token_hex(8)}-01"}
    )
    task = answer.json()["data"]["taskId"]
    wanted = {"POST /v2/processAsync/{source}/{target}", "wait", "run", "webhook"}
    until(lambda: {name for one, name, service in collector.spans if one == trace} == wanted)
    assert {service for one, _, service in collector.spans if one == trace} == {"paperchute-engine"}

    def mine() -> list[dict[str, Any]]:
        return [line for line in _lines(shared.members[1]) if line.get("task") == task]

    # the letter may be on its way before the worker has written its last line
    until(lambda: [line["message"] for line in mine()] == ["run begun", "run ended"])
    for line in mine():
        assert (line["trace_id"], line["attempt"], line["operation"]) == (trace, 1, "html-to-pdf")
        assert line["run"]


def test_how_far_a_run_is_can_be_asked_of_the_server(client: httpx.Client, tmp_path: Path) -> None:
    task = _submitted(client, f"do: pages {tmp_path}")
    until(lambda: _task(client, task)["pagesTotal"] == 12)
    (tmp_path / "go on").touch()
    until(lambda: _task(client, task)["taskStatus"] == "TaskFinish")


def test_each_letter_comes_once(client: httpx.Client, outer: Outer) -> None:
    task = _submitted(client, "letters")
    until(lambda: ("task.finish", task) in _told(outer))
    time.sleep(1.5)  # another look at the table
    assert _told(outer).count(("task.start", task)) == _told(outer).count(("task.finish", task)) == 1


def test_what_a_stopped_worker_gives_back_does_not_count_and_is_done_by_the_next(
    client: httpx.Client, shared: Cluster, tmp_path: Path
) -> None:
    task = _submitted(client, f"do: wait {tmp_path / 'waits'}")
    until((tmp_path / "waits").exists)
    worker = shared.members[1]
    worker.signal(signal.SIGTERM)
    assert worker.process.wait(30) == 0
    (run,) = shared.rows(f"select state, starts from run where task = '{task}'")
    assert run == {"state": "waiting", "starts": 0}
    Path(f"{tmp_path / 'waits'}.go").touch()
    shared.add("worker")
    until(lambda: _task(client, task)["taskStatus"] == "TaskFinish")
    (record,) = _task(client, task)["fileInfoDTOList"]
    assert record["status"] == "success"


@pytest.mark.parametrize(
    ("flags", "secret", "sentence"),
    [
        (("--role", "worker"), "", "database"),
        (("--database", "postgresql://me:hidden@127.0.0.1/x", "--files", "s3://papers"), SECRET, "PGPASSWORD"),
        (("--database", "postgresql://127.0.0.1/x", "--files", "s3://papers"), "short", "32"),
        (("--database", "me:hidden@127.0.0.1/x", "--files", "s3://papers"), SECRET, "postgresql://user@host/name"),
        (("--database", "postgresql://127.0.0.1/x", "--files", "s3://no-such-bucket"), SECRET, "NoSuchBucket"),
    ],
)
def test_what_cannot_work_is_said_at_the_start(
    flags: tuple[str, ...], secret: str, sentence: str, storage_server: MotoServer, tmp_path: Path
) -> None:
    role = () if "--role" in flags else ("--role", "all")
    environment = {"PAPERCHUTE_SECRETS_KEY": secret, **storage_server.environment()}
    member = Member(tmp_path / "state", "all", environment, (*role, *flags), errors=True)
    try:
        assert member.process.wait(60) == 1
        assert member.process.stderr is not None
        said = member.process.stderr.read().decode()
        assert sentence in said
        assert "hidden" not in said
    finally:
        member.close()


def test_a_storage_whose_keys_are_missing_is_told_at_the_start(storage_server: MotoServer, tmp_path: Path) -> None:
    environment = {"PAPERCHUTE_SECRETS_KEY": SECRET, **storage_server.environment(), "AWS_SECRET_ACCESS_KEY": ""}
    flags = ("--database", "postgresql://127.0.0.1/x", "--files", "s3://papers")
    member = Member(tmp_path / "state", "all", environment, flags, errors=True)
    try:
        assert member.process.wait(60) == 1
        assert member.process.stderr is not None
        said = member.process.stderr.read().decode()
        assert "SecretAccessKey" in said
        assert "Traceback" not in said
    finally:
        member.close()


def _lines(member: Member) -> list[dict[str, Any]]:
    """Of its log."""
    return [json.loads(line) for line in (member.state / "engine.log").read_text("utf-8").splitlines()]


def _told(outer: Outer) -> list[tuple[str, str]]:
    return [(str(body["eventName"]), str(body["eventObject"])) for _, body in outer.letters]
