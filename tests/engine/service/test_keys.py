"""API keys over HTTP: who gets in, how often, for how much, and that nobody sees what is another's."""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from paperchute.engine.tasks.sqlite import SqliteStore
from paperchute.engine.tasks.task import NewTask
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceAddress, ServiceError
from tests.engine.service.running import HTML, PATIENCE, PLAIN, RunningEngine, until

_PICTURE: Any = {"file": ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(40)), "mode": (None, "VisualExtract")}


class Named:
    """An engine, and what is done about its keys beside it."""

    def __init__(self, engine: RunningEngine) -> None:
        self.engine = engine

    def ask(self, what: str, name: str = "", **limits: int) -> dict[str, Any]:
        """What `python -m paperchute.engine.keys` answers."""
        command = [sys.executable, "-m", "paperchute.engine.keys", "--state", str(self.engine.state)]
        request = json.dumps({"do": what, "name": name, "limits": limits})
        done = subprocess.run(command, input=request, stdout=subprocess.PIPE, text=True, check=True)
        return dict(json.loads(done.stdout))

    @contextlib.contextmanager
    def client(self, **limits: int) -> Iterator[httpx.Client]:
        """A client with a key of its own."""
        self.name = f"k{secrets.token_hex(4)}"
        self.text = str(self.ask("add", self.name, **limits)["key"])
        headers = {"x-api-key": self.text}
        with httpx.Client(base_url=self.engine.base_url, headers=headers, timeout=PATIENCE, verify=False) as made:
            yield made

    def use(self) -> dict[str, Any]:
        """Of the last client's key."""
        return dict(next(key for key in self.ask("list")["keys"] if key["name"] == self.name))


@pytest.fixture
def named(engine: RunningEngine) -> Named:
    return Named(engine)


def _call(client: httpx.Client, text: str = "", path: str = "process", **headers: str) -> httpx.Response:
    files = {"file": ("page.html", HTML + text.encode())}
    return client.post(
        f"/v2/{path}/html/pdf", files=files, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def _ended(client: httpx.Client, task: str) -> dict[str, Any]:
    def told() -> dict[str, Any]:
        return dict(client.get("/v2/task/taskInfo", params={"taskId": task}).json()["data"])

    until(lambda: told()["taskStatus"] == "TaskFinish")
    return told()


def test_a_key_opens_the_service_until_it_is_revoked_and_its_name_is_in_the_log(named: Named) -> None:
    with named.client() as client:
        assert _call(client).status_code == 200
        assert client.get("/v2/asset/info").json()["data"]["tenantAsset"][0]["asset"] == 2**31 - 1
        assert client.get("/metrics").status_code == 403
        told = named.engine.client.get("/metrics").text
        assert f'\npaperchute_key_pages{{key="{named.name}"}} 1\n' in told
        assert f'\npaperchute_key_open_tasks{{key="{named.name}"}} 0\n' in told
        assert named.engine.calls()[-1]["caller"] == named.name
        assert _call(client, "do: unheard_of").status_code == 200
        lines = [json.loads(line) for line in named.engine.log_file.read_text("utf-8").splitlines()]
        assert named.name in [line.get("caller") for line in lines if line["message"] == "a task failed oddly"]
        named.ask("revoke", named.name)
        for answer in (_call(client), client.get("/v2/asset/info"), client.get("/v2/task/list")):
            assert (answer.status_code, answer.json()["code"]) == (401, "401")
        strict = httpx.get(
            f"{named.engine.base_url}/api/v2/tasks/x", headers={"Authorization": f"Bearer {named.text}"}, verify=False
        )
        assert strict.status_code == 401
    assert named.text not in named.engine.log_file.read_text("utf-8")
    files = [path.read_bytes() for path in named.engine.state.rglob("tasks.sqlite*")]
    assert files
    assert not any(named.text.encode() in content for content in files)


def test_nobody_sees_ends_or_starts_what_is_another_s(named: Named) -> None:
    own = named.engine.client
    with named.client() as one, named.client() as two:
        made = one.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]).json()["data"]
        task, headers = str(made["taskId"]), {"Idempotency-Key": secrets.token_hex(4)}
        under_key = _call(one, path="processAsync", Idempotency_Key=headers["Idempotency-Key"]).json()["data"]["taskId"]
        for other in (two, own):
            asked = [
                other.get("/v2/task/taskInfo", params={"taskId": task}),
                other.get("/v2/task/taskInfo", headers=headers),
                other.get("/v2/execute/start", params={"taskId": task}),
                other.post("/v2/task/closeTask", params={"taskId": task}),
                other.post("/v2/presignedUrl", files=[("fileName", (None, "b.html")), ("taskId", (None, task))]),
            ]
            assert {(answer.status_code, answer.json()["code"]) for answer in asked} == {(404, "05001")}
            listed = other.get("/v2/task/list", params={"size": 1000}).json()["data"]["records"]
            assert not {task, under_key} & {record["taskId"] for record in listed}
            again = _call(other, path="processAsync", Idempotency_Key=headers["Idempotency-Key"])
            assert again.json()["data"]["taskId"] != under_key, "an idempotency key belongs to its API key"
        assert len(one.get("/v2/task/list").json()["data"]["records"]) == 2
        assert one.post("/v2/task/closeTask", params={"taskId": task}).status_code == 200


def test_the_upload_interface_keeps_them_apart_too(named: Named) -> None:
    with named.client() as one, named.client() as two:
        bearers = [{"Authorization": f"Bearer {client.headers['x-api-key']}"} for client in (one, two)]
        made = one.post("/api/v2/files/upload", files=_PICTURE, headers=bearers[0])
        batch = made.json()["data"]["batchId"]
        assert one.get(f"/api/v2/batches/{batch}", headers=bearers[0]).json()["code"] == 200
        assert two.get(f"/api/v2/batches/{batch}", headers=bearers[1]).json()["code"] == 5001


def test_over_its_rate_a_key_is_told_when_to_come_again_and_a_repeat_costs_nothing(named: Named) -> None:
    with named.client(rate=2) as client:
        first = _call(client, Idempotency_Key="once")
        again = _call(client, Idempotency_Key="once")
        assert first.json()["data"]["taskId"] == again.json()["data"]["taskId"]
        assert _call(client).status_code == 200
        refused = _call(client)
        assert (refused.status_code, refused.json()["code"], refused.json()["data"]) == (429, "01001", None)
        assert 1 <= int(refused.headers["Retry-After"]) <= 31
        assert _call(client, Idempotency_Key="once").status_code == 200
        assert client.get("/v2/task/list").status_code == 200


def test_over_its_open_tasks_a_key_waits_and_others_do_not(named: Named, tmp_path: Path) -> None:
    with named.client(most_open=1) as client:
        waits = tmp_path / "waits"
        task = _call(client, f"do: wait {waits}", path="processAsync").json()["data"]["taskId"]
        refused = _call(client)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")
        generic = client.post("/v2/presignedUrl", files=[("fileName", (None, "b.html"))])
        assert generic.status_code == 400, "it may be a further file of the open task"
        assert named.engine.html("x").status_code == 200
        until(waits.exists)
        Path(f"{waits}.go").touch()
        _ended(client, task)
        assert _call(client).status_code == 200
        assert named.use()["open"] == 0


def test_when_the_month_is_spent_a_key_is_told_so(named: Named, tmp_path: Path) -> None:
    (tmp_path / "go on").touch()
    twelve = f"do: pages {tmp_path}"
    with named.client(pages=20) as client:
        assert _call(client, twelve, Idempotency_Key="once").json()["data"]["status"] == "success"
        assert named.use()["pages_this_month"] == 12
        assert client.get("/v2/asset/info").json()["data"]["tenantAsset"][0]["asset"] == 8
        assert _call(client, "do: refuse").json()["data"]["status"] == "failed"
        assert _call(client, twelve, Idempotency_Key="once").status_code == 200
        assert named.use()["pages_this_month"] == 12, "what fails and what is repeated costs nothing"
        assert _call(client, twelve).json()["data"]["status"] == "success", "how many it has is known when it is read"
        spent = _call(client)
        assert (spent.status_code, spent.json()["code"], spent.json()["data"]) == (402, "06001", None)
        hub = client.post("/api/v2/files/upload", files=_PICTURE, headers={"Authorization": f"Bearer {named.text}"})
        assert (hub.status_code, hub.json()["code"]) == (402, 6001)
        named.ask("limit", named.name, pages=100)
        assert _call(client).status_code == 200
        assert named.engine.html("x").status_code == 200


@pytest.mark.parametrize(("limits", "kind"), [({"rate": 1}, "limited"), ({"pages": 1}, "quota"), ({}, "auth")])
def test_our_own_client_knows_what_each_refusal_means(
    named: Named, tmp_path: Path, limits: dict[str, int], kind: str
) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(HTML + b"x")
    with named.client(**limits):
        client = ServiceClient(ServiceAddress(named.engine.base_url, named.text))
        client.call(Call("html-to-pdf", (("file", page),), {}, "one"))
        if kind == "auth":
            named.ask("revoke", named.name)
        with pytest.raises(ServiceError) as caught:
            client.call(Call("html-to-pdf", (("file", page),), {}, "two"))
        assert caught.value.kind == kind
        assert (caught.value.retry_after is not None) == (kind == "limited")
        assert named.text not in str(caught.value)
        client.close()


def test_the_bytes_of_a_key_have_their_share_and_others_have_theirs(tmp_path: Path) -> None:
    text = "x" * 400_000  # a result tells the first letters alone
    with RunningEngine(tmp_path, "--max-key-storage", "1000000") as engine:
        named = Named(engine)
        with named.client() as greedy, named.client() as other:
            assert _call(greedy, "x" * 1_100_000).status_code == 429
            drafts = [greedy.post("/v2/presignedUrl/html/pdf", files={"fileName": (None, "a.html")}) for _ in range(3)]
            links = [draft.json()["data"]["presignedUrl"] for draft in drafts]
            assert [PLAIN.put(link, content=HTML + text.encode()).status_code for link in links] == [200, 200, 429]
            assert PLAIN.put(links[0], content=HTML + text.encode()).status_code == 429, "until the first is replaced"
            assert _call(other, text).status_code == 200
            assert _call(engine.client, text).status_code == 200
            key = greedy.headers["x-api-key"]
    with RunningEngine(tmp_path, "--max-key-storage", "1000000") as engine:
        headers = {"x-api-key": key}
        with httpx.Client(base_url=engine.base_url, headers=headers, timeout=PATIENCE) as greedy:
            refused = _call(greedy, text)
            assert refused.status_code == 429, "what lies there counts after a restart too"
            assert "this API key" in refused.json()["msg"]
            assert int(refused.headers["Retry-After"]) > 0


def test_what_a_key_has_begun_goes_on_when_it_is_revoked(named: Named, tmp_path: Path) -> None:
    waits = tmp_path / "waits"
    with named.client() as client:
        _call(client, f"do: wait {waits}", path="processAsync")
        until(waits.exists)
        named.ask("revoke", named.name)
        Path(f"{waits}.go").touch()
        until(lambda: named.use()["open"] == 0)
        assert named.use()["pages_this_month"] == 1


@pytest.mark.parametrize("key", ["pc_" + "A" * 43, "pc_", "' or 1=1 --", "é", "pc_" + "A" * 42 + "=", ""])
def test_what_is_no_key_opens_nothing(engine: RunningEngine, key: str) -> None:
    headers = {b"x-api-key": key.encode("utf-8")}
    answer = httpx.get(f"{engine.base_url}/v2/task/list", headers=headers, verify=False)
    assert (answer.status_code, answer.json()["code"]) == (401, "401")


def test_changing_keys_beside_an_engine_leaves_its_tasks_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, 60.0)
    with store.together():
        store.add(NewTask("t", "pdf-merge", "sync", "en"), "started")
    command = [sys.executable, "-m", "paperchute.engine.keys", "--state", str(tmp_path)]
    done = subprocess.run(command, input='{"do": "add", "name": "x"}', stdout=subprocess.PIPE, text=True, check=True)
    assert store.keys.find(json.loads(done.stdout)["key"]) is not None
    assert store.get("t") is not None
    store.close()
