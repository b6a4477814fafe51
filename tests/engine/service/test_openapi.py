"""The description agrees with the contract and with what the engine really answers; the page loads nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest

from paperchute.contract import Operation, contract
from tests.engine.service.running import HTML, KEY, PDF, PLAIN, RunningEngine, data_of, ended

_OPERATIONS = list(contract().operations.values())


@pytest.fixture(scope="module")
def described(engine: RunningEngine) -> dict[str, Any]:
    """The description as anybody gets it, without the key."""
    answer = PLAIN.get(engine.base_url + "/openapi.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    return dict(answer.json())


def _form(described: dict[str, Any], path: str) -> dict[str, Any]:
    return dict(described["paths"][path]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"])


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _check(described: dict[str, Any], path: str, answer: httpx.Response) -> None:
    """An answer is as the description says for its status."""
    item = described["paths"][path][answer.request.method.lower()]
    said = item["responses"].get(str(answer.status_code)) or item["responses"]["default"]
    if "$ref" in said:
        said = described["components"]["responses"][said["$ref"].rpartition("/")[2]]
    schema = said["content"]["application/json"]["schema"] | {"components": described["components"]}
    jsonschema.Draft202012Validator(schema).validate(answer.json())


@pytest.mark.parametrize("operation", _OPERATIONS, ids=lambda operation: operation.id)
def test_every_parameter_is_described_as_the_contract_has_it(described: dict[str, Any], operation: Operation) -> None:
    for path in (operation.path, operation.path.replace("/process/", "/processAsync/")):
        form = _form(described, path)
        assert {name for name in form["properties"] if name != "callbackUrl"} == {p.name for p in operation.parameters}
        assert form["required"] == [p.name for p in operation.parameters if p.required]
        for parameter in operation.parameters:
            schema = form["properties"][parameter.name]
            assert parameter.meaning in schema["description"]
            if parameter.type != "file":
                assert schema["type"] == parameter.type
                assert tuple(schema.get("enum", ())) == parameter.values
                assert schema.get("default") == parameter.default


def test_pre_signed_forms_name_the_file_instead_of_holding_it(described: dict[str, Any]) -> None:
    form = _form(described, "/v2/presignedUrl/pdf/markdown")
    assert "file" not in form["properties"]
    assert form["required"] == ["fileName"]
    assert "/v2/presignedUrl/pdf/merge" not in described["paths"]


def test_it_says_what_this_engine_does(engine: RunningEngine, described: dict[str, Any]) -> None:
    tools = engine.client.get("/v2/tool/support").json()["data"]
    done = {
        path for path, item in described["paths"].items() if item.get("post", {}).get("x-done") and "/process/" in path
    }
    assert done == {f"/v2/process/{tool['executeTypeUrl']}" for tool in tools}


def test_every_reference_leads_somewhere_and_every_name_is_used_once(described: dict[str, Any]) -> None:
    for reference in set(_references(described)):
        node: Any = described
        for step in reference.removeprefix("#/").split("/"):
            node = node[step]
    names = [
        call["operationId"] for item in described["paths"].values() for call in item.values() if isinstance(call, dict)
    ]
    assert len(names) == len(set(names))


def test_its_server_is_the_prefix_that_was_used(engine: RunningEngine, described: dict[str, Any]) -> None:
    assert described["servers"] == [{"url": "/server"}]
    bare = PLAIN.get(engine.base_url.removesuffix("/server") + "/openapi.json").json()
    assert bare["servers"] == [{"url": "/"}]


def test_answers_are_as_described(engine: RunningEngine, described: dict[str, Any]) -> None:
    files = [("file", ("a.pdf", PDF))]
    _check(described, "/v2/process/html/pdf", engine.html("x"))
    _check(described, "/v2/process/html/pdf", engine.html("do: refuse"))
    _check(described, "/v2/process/html/pdf", engine.post("html/pdf"))
    _check(described, "/v2/process/pdf/merge", engine.client.post("/v2/process/pdf/merge", files=files * 2))
    data = {"actionType": "BLANK", "index": "1"}
    _check(described, "/v2/process/pdf/insert", engine.post("pdf/insert", ("file", "a.pdf", PDF), data=data))
    taken = engine.post_async("html/pdf", ("file", "a.html", HTML))
    _check(described, "/v2/processAsync/html/pdf", taken)
    task = data_of(taken)["taskId"]
    ended(engine, task)
    for path, query in (
        ("/v2/task/taskInfo", {"taskId": task}),
        ("/v2/task/taskInfo", {}),
        ("/v2/task/list", {}),
        ("/v2/asset/info", {}),
        ("/v2/tool/support", {}),
        ("/v2/execute/start", {"taskId": task}),
        ("/health", {}),
        ("/ready", {}),
    ):
        _check(described, path, engine.client.get(path, params=query))
    _check(described, "/v2/task/closeTask", engine.client.post("/v2/task/closeTask", params={"taskId": task}))
    made = engine.client.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))])
    _check(described, "/v2/presignedUrl/html/pdf", made)
    _check(described, "/v2/upload/{token}", PLAIN.put(data_of(made)["presignedUrl"], content=HTML))
    bearer = {"Authorization": f"Bearer {KEY}"}
    upload = engine.base_url + "/api/v2/files/upload"
    good = PLAIN.post(upload, files=files, data={"mode": "VisualExtract"}, headers=bearer)
    for answer in (good, PLAIN.post(upload, files=files, headers=bearer), PLAIN.post(upload, files=files)):
        _check(described, "/api/v2/files/upload", answer)
    state = PLAIN.get(f"{engine.base_url}/api/v2/tasks/{good.json()['data']['taskIds'][0]}", headers=bearer)
    _check(described, "/api/v2/tasks/{id}", state)


@pytest.mark.parametrize("prefix", ["", "/server"])
def test_the_page_is_whole_in_itself_and_is_told_to_stay_so(engine: RunningEngine, prefix: str) -> None:
    base = engine.base_url.removesuffix("/server") + prefix
    moved = PLAIN.get(base + "/try")
    assert (moved.status_code, moved.headers["location"]) == (307, f"{prefix}/try/")
    html = PLAIN.get(base + "/try/")
    assert html.headers["content-type"].startswith("text/html")
    for name in re.findall(r'(?:src|href)="([^"]+)"', html.text):
        part = PLAIN.get(f"{base}/try/{name}")
        assert part.status_code == 200, name
        assert not re.search(r"https?://|//[a-z]|innerHTML|eval\(", part.text) or name.endswith(".json")
    assert "http" not in html.text
    policy = html.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert PLAIN.get(base + "/try/server.py").status_code == 404
    assert PLAIN.get(base + "/try/..%2fserver.py").status_code == 404


def test_the_description_and_the_page_hold_nothing_of_this_machine(engine: RunningEngine) -> None:
    for path in ("/openapi.json", "/try/", "/try/page.js"):
        text = PLAIN.get(engine.base_url + path).text
        assert str(engine.state) not in text
        assert KEY not in text
    assert json.loads(PLAIN.get(engine.base_url + "/openapi.json").text)["openapi"] == "3.1.0"
