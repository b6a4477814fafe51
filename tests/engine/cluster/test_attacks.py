"""What callers try at a cluster of two servers: others' keys, links used again, names that are statements, floods."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.members import Cluster, cluster
from tests.engine.cluster.servers import PostgresServer, until
from tests.engine.service.running import HTML, KEY, data_of, record_of, refusal_of

pytestmark = pytest.mark.cluster

_MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def shared(
    postgres_server: PostgresServer, storage: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), postgres_server, storage) as made:
        made.empty()
        made.add("api", 2, "--max-file", str(_MEGABYTE), "--upload-seconds", "4")
        made.add("worker", 1, "--result-seconds", "60")
        yield made


@contextmanager
def _key(shared: Cluster, name: str, **limits: int) -> Iterator[list[httpx.Client]]:
    """A client of each server with a key of this name."""
    text = str(_keys(shared, "add", name, **limits)["key"])
    clients = [
        httpx.Client(base_url=member.base_url, headers={"x-api-key": text}, timeout=60.0, verify=False)
        for member in shared.members[:2]
    ]
    yield clients
    for client in clients:
        client.close()


def _keys(shared: Cluster, what: str, name: str, **limits: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "paperchute.engine.keys", "--state", str(shared.folder), "--database"]
    request = json.dumps({"do": what, "name": name, "limits": limits})
    done = subprocess.run([*command, shared.server.url], input=request, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def _asked(client: httpx.Client, text: str, name: str = "page.html", key: str = "", **data: str) -> httpx.Response:
    return client.post(
        "/v2/processAsync/html/pdf",
        files={"file": (name, HTML + text.encode())},
        data=data,
        headers={"Idempotency-Key": key} if key else {},
    )


def _ended(client: httpx.Client, task: str) -> dict[str, Any]:
    """The record of a task with one file."""

    def told() -> dict[str, Any]:
        return data_of(client.get("/v2/task/taskInfo", params={"taskId": task}))

    until(lambda: told()["taskStatus"] == "TaskFinish")
    return dict(told()["fileInfoDTOList"][0])


def _own(shared: Cluster, number: int = 0) -> httpx.Client:
    return httpx.Client(
        base_url=shared.members[number].base_url, headers={"x-api-key": KEY}, timeout=60.0, verify=False
    )


def test_what_a_revoked_key_has_waiting_is_done_and_nobody_else_s(shared: Cluster, tmp_path: Path) -> None:
    with _key(shared, "leaver") as (here, there), _key(shared, "other") as (stranger, _):
        held = data_of(_asked(here, f"do: wait {tmp_path / 'held'}"))["taskId"]
        waits = data_of(_asked(there, "waits", key="once"))["taskId"]
        until((tmp_path / "held").exists)
        _keys(shared, "revoke", "leaver")
        for client in (here, there):
            assert refusal_of(_asked(client, "more")) == (401, "401")
            assert refusal_of(client.post("/v2/task/closeTask", params={"taskId": waits})) == (401, "401")
        assert refusal_of(stranger.get("/v2/task/taskInfo", params={"taskId": waits})) == (404, "05001")
        assert refusal_of(stranger.post("/v2/task/closeTask", params={"taskId": held})) == (404, "05001")
        (tmp_path / "held.go").touch()
        until(lambda: shared.rows(f"select state from task where id = '{waits}'")[0]["state"] == "finished")
        (run,) = shared.rows(f"select token from run where task = '{waits}' and state = 'success'")
        found = httpx.get(f"{stranger.base_url}v2/download/{run['token']}/x", follow_redirects=True, verify=False)
        assert b"waits" in found.content


def test_one_idempotency_key_of_two_callers_is_two_tasks_whichever_server_hears_of_it(shared: Cluster) -> None:
    with _key(shared, "one") as ones, _key(shared, "two") as twos, _own(shared) as own:
        tasks = [
            {data_of(_asked(client, "x", key="same"))["taskId"] for client in clients}
            for clients in (ones, twos, (own, own))
        ]
        assert [len(named) for named in tasks] == [1, 1, 1]
        assert len(set.union(*tasks)) == 3


def test_a_key_with_five_tasks_at_most_has_no_more_and_ends_with_none(shared: Cluster) -> None:
    refused = most = 0

    def call(number: int) -> str:
        nonlocal refused, most
        while (answer := clients[number % 2].post("/v2/process/html/pdf", files={"file": ("a.html", HTML)})).is_error:
            assert (answer.status_code, "Retry-After" in answer.headers) == (429, True), answer.text
            refused += 1
            most = max(most, _keys(shared, "list", "")["keys"][-1]["open"]) if refused % 16 == 1 else most
            time.sleep(0.2)
        return str(record_of(answer)["taskId"])

    with _key(shared, "five", most_open=5) as clients, ThreadPoolExecutor(16) as pool:
        tasks = set(pool.map(call, range(60)))
    assert len(tasks) == 60
    assert refused > 0
    assert most <= 5
    (use,) = [key for key in _keys(shared, "list", "")["keys"] if key["name"] == "five"]
    assert (use["open"], use["pages_this_month"]) == (0, 60)


def test_an_upload_link_is_good_until_the_task_is_started_and_for_its_time(shared: Cluster, request: Any) -> None:
    is_moto = "moto" in request.node.name  # which looks at no signature
    with _own(shared) as own:
        made = data_of(own.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]))
        link = made["presignedUrl"]
        for text in (b"first", b"second"):
            assert httpx.put(link, content=HTML + text).status_code == 200
        assert own.get("/v2/execute/start", params={"taskId": made["taskId"]}).status_code == 200
        httpx.put(link, content=HTML + b"third, too late")
        record = _ended(own, made["taskId"])
        assert b"second" in httpx.get(record["downloadUrl"], follow_redirects=True, verify=False).content
        assert record["fileSize"] == len(HTML + b"second")
        assert refusal_of(own.get("/v2/execute/start", params={"taskId": made["taskId"]}))[1] == "05002"
        late = data_of(own.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]))
        if not is_moto:
            assert httpx.put(link.partition("?")[0], content=HTML).status_code == 403
            assert httpx.put(late["presignedUrl"].replace("/in/", "/in/x"), content=HTML).status_code == 403
            time.sleep(5.0)
            assert httpx.put(late["presignedUrl"], content=HTML).status_code == 403


def test_an_upload_link_is_for_putting_a_file_and_for_nothing_else(shared: Cluster, request: Any) -> None:
    if "moto" in request.node.name:
        pytest.skip("moto looks at no signature")
    wrong = base64.b64encode(bytes(32)).decode()

    def tried(method: str, content: bytes = HTML, **headers: str) -> httpx.Response:
        """And the task has no file then."""
        made = data_of(own.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]))
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = httpx.request(method, made["presignedUrl"], headers=named, content=content, timeout=30.0)
        assert refusal_of(own.get("/v2/execute/start", params={"taskId": made["taskId"]}))[1] == "05005"
        return answer

    with _own(shared) as own:
        other = data_of(own.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]))["presignedUrl"]
        assert httpx.put(other, content=HTML + b"another's").status_code == 200
        for answer in (
            tried("GET", b""),
            tried("HEAD", b""),
            tried("DELETE", b""),
            tried("POST"),
            tried("PUT", x_amz_checksum_sha256=wrong),
            tried("PUT", Content_MD5=wrong),
            tried("PUT", x_amz_meta_sha256="0" * 64),
            tried("PUT", b"", x_amz_copy_source=urlsplit(other).path),
            tried("PUT", x_amz_acl="public-read"),
            tried("PUT", x_amz_tagging="a=b"),
        ):
            assert answer.status_code in (400, 403, 405), answer.request.headers
            assert b"another's" not in answer.content


@pytest.mark.parametrize("head", [b"%PDF-1.7\n", b"PK\x03\x04"])
def test_what_is_larger_than_a_file_may_be_is_refused_by_form_and_by_link(shared: Cluster, head: bytes) -> None:
    large = head + bytes(2 * _MEGABYTE)
    server = shared.members[0]
    with _own(shared) as own:
        by_form = own.post("/v2/processAsync/html/pdf", files={"file": ("large", large)})
        assert refusal_of(by_form)[1] == "02209"
        made = data_of(own.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]))
        assert httpx.put(made["presignedUrl"], content=large).status_code == 200
        for _ in range(3):
            assert refusal_of(own.get("/v2/execute/start", params={"taskId": made["taskId"]}))[1] == "02209"
        here = sum(path.stat().st_size for path in (server.state / "arriving").rglob("*") if path.is_file())
        assert here < _MEGABYTE, "what is refused was brought here first"


def test_nothing_is_there_once_a_result_has_expired(shared: Cluster) -> None:
    with _own(shared) as own, _own(shared, 1) as other:
        task = data_of(_asked(own, "x"))["taskId"]
        record = _ended(own, task)
        signed = httpx.get(record["downloadUrl"], verify=False).headers["location"]
        assert httpx.get(signed).status_code == 200
        shared.do(f"update task set expires = 1 where id = '{task}'")
        until(lambda: httpx.get(signed).status_code == 404, 90.0)
        assert refusal_of(httpx.get(record["downloadUrl"], verify=False))[1] == "05004"
        assert refusal_of(other.get("/v2/task/taskInfo", params={"taskId": task}))[0] in (404, 410)


_NAMES = (
    "'); drop table run; --.html",
    "%s %(x)s ? $1 {0}.html",
    "a\x00b.html",
    "\ud800.html",
    "..\\..\\x.html",
    "ü" * 5000 + ".html",
)


@pytest.mark.parametrize("name", _NAMES)
def test_names_are_names(shared: Cluster, name: str) -> None:
    encoded = name.encode("utf-8", "surrogatepass")
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="' + encoded + b'"\r\n\r\n' + HTML + b"\r\n--b--"
    )
    with _own(shared) as own:
        headers = {"Content-Type": "multipart/form-data; boundary=b", "Idempotency-Key": "k" + str(hash(name))}
        answer = own.post("/v2/processAsync/html/pdf", content=body, headers=headers)
        if answer.status_code == 200:
            assert _ended(own, answer.json()["data"]["taskId"])["status"] == "success"
        else:
            assert answer.status_code < 500, answer.text
        quoted = {"Idempotency-Key": "'; delete from task; -- %s ?"}
        assert own.get("/v2/task/taskInfo", headers=quoted).status_code == 404
        assert own.get("/v2/task/taskInfo", params={"taskId": name.encode("utf-8", "replace")}).status_code == 404


@pytest.mark.parametrize("text", ["\x00", "\ud800", "a\x00b"])
def test_texts_that_no_database_takes_are_refused_or_taken_and_not_for_later(shared: Cluster, text: str) -> None:
    with _own(shared) as own:
        told = json.dumps({"x": text})
        for data in ({"outputFileName": text.encode("utf-8", "surrogatepass")}, {"password": told}):
            answer = own.post("/v2/processAsync/html/pdf", files={"file": ("a.html", HTML)}, data=data)
            assert answer.status_code < 500, answer.text
        for field, value in (("taskId", text), ("callbackUrl", f"http://a.example/{text}")):
            raw = value.encode("utf-8", "surrogatepass")
            answer = own.post("/v2/presignedUrl", files=[("fileName", (None, "a.html")), (field, (None, raw))])
            assert answer.status_code < 500, answer.text
        assert own.post("/v2/task/closeTask", params={"taskId": text.encode("utf-8", "replace")}).status_code < 500


def test_a_service_answers_a_call_in_the_ordinary_way_after_all_that(shared: Cluster) -> None:
    with _own(shared, 1) as own:
        assert record_of(own.post("/v2/process/html/pdf", files={"file": ("a.html", HTML)}))["status"] == "success"
    for member in shared.members:
        assert '"trace": "Traceback' not in (member.state / "engine.log").read_text("utf-8")
