"""The upload interface: a file or an address goes in, and nothing inside this machine can be had through it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from paperchute.engine.http.openapi import description
from tests.engine.reading.printing import printed
from tests.engine.service.outer import Outer
from tests.engine.service.running import KEY, PDF, PLAIN, RunningEngine, until

_BEARER = {"Authorization": f"Bearer {KEY}"}
_UPLOAD = "/api/v2/files/upload"


@pytest.fixture(scope="module")
def outer() -> Iterator[Outer]:
    with Outer() as running:
        running.pages["/a%20b.pdf"] = (200, {}, PDF)
        running.pages["/large.pdf"] = (200, {}, PDF + bytes(300_000))
        running.pages["/onward"] = (302, {"Location": "/a%20b.pdf"}, b"")
        running.pages["/around"] = (302, {"Location": "/around"}, b"")
        running.pages["/inside"] = (302, {"Location": "http://localhost:1/x.pdf"}, b"")
        running.pages["/nowhere"] = (302, {"Location": "http://[x"}, b"")
        running.pages["/file"] = (302, {"Location": "file:///etc/passwd"}, b"")
        running.pages["/cut.pdf"] = (200, {"Content-Length": "5000"}, PDF)
        yield running


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine that may reach 127.0.0.1 under that name, and takes files up to 200 kB."""
    flags = ("--inner-host", "127.0.0.1", "--max-file", "200000")
    with RunningEngine(tmp_path_factory.mktemp("hub"), *flags) as running:
        yield running


def _upload(engine: RunningEngine, file: bytes | None = None, **data: str) -> httpx.Response:
    headers = _BEARER | ({"Idempotency-Key": data.pop("key")} if "key" in data else {})
    files = [("file", ("a.pdf", file))] if file is not None else [("colour", (None, "blue"))]
    return PLAIN.post(engine.base_url + _UPLOAD, data=data, files=files, headers=headers)


def _accepted(response: httpx.Response) -> tuple[str, str]:
    body = response.json()
    assert (response.status_code, body["code"]) == (200, 200), body
    assert isinstance(body["code"], int)
    assert len(body["data"]["taskIds"]) == 1
    return body["data"]["batchId"], body["data"]["taskIds"][0]


def _looked_up(engine: RunningEngine, path: str) -> dict[str, Any]:
    body = PLAIN.get(f"{engine.base_url}/api/v2/{path}", headers=_BEARER).json()
    assert body["code"] == 200, body
    return dict(body["data"])


def _ended(engine: RunningEngine, task: str) -> dict[str, Any]:
    until(lambda: _looked_up(engine, f"tasks/{task}")["status"] != "processing")
    return _looked_up(engine, f"tasks/{task}")


@pytest.mark.parametrize(("mode", "meaning"), [("VisualExtract", "vision"), ("LayoutExtract", "layout")])
def test_both_modes_with_a_file(hub: RunningEngine, mode: str, meaning: str) -> None:
    batch, task = _accepted(_upload(hub, PDF, mode=mode, metadata='{"order": 7}'))
    found = _ended(hub, task)
    assert (found["taskId"], found["batchId"], found["status"]) == (task, batch, "success")
    assert found["metadata"] == {"order": 7}
    assert _looked_up(hub, f"batches/{batch}") == found
    told = PLAIN.get(found["record"]["downloadUrl"]).json()
    assert told["parameters"]["mode"] == meaning
    assert [source["name"] for source in told["sources"]] == ["a.pdf"]


@pytest.mark.parametrize("path", ["/a%20b.pdf", "/onward"])
def test_an_address_with_and_without_a_redirect(hub: RunningEngine, outer: Outer, path: str) -> None:
    _, task = _accepted(_upload(hub, url=outer.url + path, mode="VisualExtract"))
    found = _ended(hub, task)
    assert found["metadata"] is None
    assert found["record"]["fileSize"] == len(PDF)
    assert found["record"]["fileName"] == ("a b.pdf" if path == "/a%20b.pdf" else "onward")


def test_the_key_must_stand_after_bearer_and_one_space(hub: RunningEngine) -> None:
    for value in (
        "",
        KEY,
        f"bearer {KEY}",
        f"Bearer  {KEY}",
        f"Bearer{KEY}",
        f"Basic {KEY}",
        "Bearer x",
        f"Bearer {KEY}x",
    ):
        for method, path in (("POST", _UPLOAD), ("GET", "/api/v2/tasks/x"), ("GET", "/api/v2/batches/x")):
            headers = {"Authorization": value, "x-api-key": KEY}
            answer = PLAIN.request(method, hub.base_url + path, headers=headers)
            assert (answer.status_code, answer.json()["code"], answer.json()["data"]) == (401, 401, None), value


@pytest.mark.parametrize(
    ("file", "data", "code"),
    [
        (None, {"mode": "VisualExtract"}, 3000),
        (PDF, {"mode": "VisualExtract", "url": "http://127.0.0.1/"}, 3000),
        (PDF, {}, 3000),
        (PDF, {"mode": "Extract"}, 3000),
        (PDF, {"mode": "VisualExtract", "metadata": "[1]"}, 1006),
        (PDF, {"mode": "VisualExtract", "metadata": "{"}, 1006),
        (PDF, {"mode": "VisualExtract", "metadata": "[" * 100_000}, 1006),
        (b"", {"mode": "VisualExtract"}, 4002),
        (b"PK\x03\x04", {"mode": "VisualExtract"}, 2002),
        (PDF + bytes(300_000), {"mode": "VisualExtract"}, 2209),
    ],
)
def test_what_is_wrong_shows_in_the_body_alone(
    hub: RunningEngine, file: bytes | None, data: dict[str, str], code: int
) -> None:
    answer = _upload(hub, file, **data)
    assert (answer.status_code, answer.json()["code"], answer.json()["data"]) == (200, code, None)
    if data.get("mode") == "Extract":
        assert "VisualExtract | LayoutExtract" in answer.json()["msg"]


@pytest.mark.parametrize("path", ["/missing", "/around", "/nowhere", "/file", "/inside", "/large.pdf", "/cut.pdf"])
def test_an_address_that_cannot_be_fetched_shows_in_the_body_alone(hub: RunningEngine, outer: Outer, path: str) -> None:
    answer = _upload(hub, url=outer.url + path, mode="VisualExtract")
    assert (answer.status_code, answer.json()["code"]) == (200, 1004)
    chinese = _upload(hub, url=outer.url + path, mode="VisualExtract", language="2").json()["msg"]
    assert chinese.startswith("无法获取远程文件：")


def test_nothing_inside_is_fetched_unless_its_name_is_allowed(tmp_path: Path, outer: Outer) -> None:
    asked = len(outer.asked)
    port = httpx.URL(outer.url).port
    with RunningEngine(tmp_path) as engine:
        for host in ("127.0.0.1", "localhost", "0.0.0.0", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"):
            answer = _upload(engine, url=f"http://{host}:{port}/a%20b.pdf", mode="VisualExtract")
            assert (answer.status_code, answer.json()["code"]) == (200, 1004), host
        for url in (
            "file:///etc/passwd",
            "ftp://127.0.0.1/x",
            "http://169.254.169.254/latest",
            f"http://u:p@127.0.0.1:{port}/",
        ):
            assert _upload(engine, url=url, mode="VisualExtract").json()["code"] == 1004
        assert list((tmp_path / "files").iterdir()) == []
    assert len(outer.asked) == asked


def test_the_same_key_gets_the_same_batch(hub: RunningEngine) -> None:
    first = _accepted(_upload(hub, PDF, mode="VisualExtract", key="hub-1"))
    assert _accepted(_upload(hub, PDF, mode="VisualExtract", key="hub-1")) == first


def test_only_what_was_uploaded_here_is_looked_up_here(hub: RunningEngine) -> None:
    other = hub.post("pdf/markdown", ("file", "a.pdf", PDF)).json()["data"]
    for path in ("tasks/nobody", "batches/nobody", f"tasks/{other['fileKey']}", f"batches/{other['taskId']}"):
        answer = PLAIN.get(f"{hub.base_url}/api/v2/{path}", headers=_BEARER)
        assert (answer.status_code, answer.json()["code"], answer.json()["data"]) == (200, 5001, None)


def test_a_full_queue_is_the_one_fault_that_shows_in_the_status(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--queue", "1") as engine, engine.full(tmp_path / "hangs"):
        answer = _upload(engine, PDF, mode="VisualExtract")
        assert (answer.status_code, answer.json()["code"]) == (503, 1001)
        assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize(("mode", "value"), [("VisualExtract", "2024-0042"), ("LayoutExtract", {"page": 1})])
def test_the_product_extracts_what_a_document_shows(tmp_path: Path, mode: str, value: Any) -> None:
    document = printed(tmp_path / "a.pdf", "<p>Invoice No: 2024-0042</p>")
    with RunningEngine(tmp_path / "state", real=True) as engine:
        _, task = _accepted(_upload(engine, document.read_bytes(), mode=mode))
        record = _ended(engine, task)["record"]
        assert record["status"] == "success", record
        found = PLAIN.get(record["downloadUrl"]).json()["Page-1"]["Invoice No"]
    assert found == value or (found["value"] == "2024-0042" and found["page"] == value["page"])


@pytest.mark.parametrize("path", ["tasks", "batches"])
@pytest.mark.parametrize("prefix", ["", "/server"])
def test_an_id_of_a_form_that_none_has_gets_an_answer_of_the_description(
    hub: RunningEngine, prefix: str, path: str
) -> None:
    described = description("/server")["paths"][f"/api/v2/{path}/{{id}}"]["get"]["responses"]
    root = hub.base_url.removesuffix("/server")
    for odd in ("x%0A", "%0A", "x%0D%0A", "%00", "x%2Fy"):
        answer = PLAIN.get(f"{root}{prefix}/api/v2/{path}/{odd}", headers=_BEARER)
        assert str(answer.status_code) in described
        assert answer.json()["data"] is None
