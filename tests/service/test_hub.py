"""The upload interface: a receipt for a document, and what is no receipt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceAddress, ServiceError
from tests.service.script import Asked, Reply, Script
from tests.service.test_client import parts

KEY = "hub-key-nobody-may-see"


@pytest.fixture
def client(script: Script) -> ServiceClient:
    return ServiceClient(
        ServiceAddress("http://127.0.0.1:9", "other", hub_url=script.url, hub_key=KEY, hub_lookup="/tasks/{taskId}")
    )


def accepted(asked: Asked) -> Reply:
    return Reply(json.dumps({"code": 200, "data": {"batchId": "b1", "taskIds": ["t1", "t2"]}}).encode())


def handed_in(path: Path, **parameters: Any) -> Call:
    return Call("document-upload", (("file", path),), {"mode": "LayoutExtract", **parameters}, "k", timeout=120.0)


def test_a_document_is_handed_in_and_its_receipt_kept(script: Script, client: ServiceClient, tmp_path: Path) -> None:
    script.answer = accepted
    path = tmp_path / "Vertrag.docx"
    path.write_bytes(b"PK\x03\x04 docx")
    answer = client.call(handed_in(path, metadata='{"case": 7, "source": "Vertrag.docx"}'))
    (asked,) = script.asked
    assert asked.path == "/api/v2/files/upload"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in asked.headers
    sent = {name: content for name, _, content in parts(asked)}
    assert sent["mode"] == b"LayoutExtract"
    assert json.loads(sent["metadata"]) == {"case": 7, "source": "Vertrag.docx"}
    assert sent["file"] == path.read_bytes()
    place = tmp_path / "receipt"
    fetched = client.fetch(answer, "document-upload", place)
    assert fetched.name == "Vertrag.json"
    receipt = json.loads(place.read_text("utf-8"))
    assert (receipt["batchId"], receipt["taskIds"], receipt["state"]) == ("b1", ["t1", "t2"], "accepted")
    assert receipt["lookup"] == f"{script.url}/tasks/t1"
    assert KEY not in place.read_text("utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_shortcut_hands_in_the_address_it_holds(
    encoding: str, script: Script, client: ServiceClient, tmp_path: Path
) -> None:
    script.answer = accepted
    shortcut = tmp_path / "page.url"
    shortcut.write_text("[InternetShortcut]\r\nURL=https://example.com/a%20b.pdf?x=1\r\n", encoding, newline="")
    client.call(handed_in(shortcut))
    sent = {name: content for name, _, content in parts(script.asked[0])}
    assert sent["url"] == b"https://example.com/a%20b.pdf?x=1"
    assert "file" not in sent


@pytest.mark.parametrize("content", ["", "[InternetShortcut]\nURL=file:///etc/passwd\n", "no shortcut at all"])
def test_a_shortcut_without_a_web_address_fails_without_a_call(
    content: str, script: Script, client: ServiceClient, tmp_path: Path
) -> None:
    shortcut = tmp_path / "page.url"
    shortcut.write_text(content)
    with pytest.raises(ServiceError, match="holds no web address"):
        client.call(handed_in(shortcut))
    assert script.asked == []


@pytest.mark.parametrize(
    ("reply", "kind", "word"),
    [
        (Reply(b'{"code": 401, "msg": "bad key"}', status=401), "auth", "bad key"),
        (Reply(b'{"code": 500, "msg": "url cannot be fetched"}'), "permanent", "cannot be fetched"),
        (Reply(b'{"code": "200", "data": {}}'), "permanent", "without a receipt"),
        (Reply(b"<html>gateway</html>", status=502), "transient", "502"),
        (Reply(b'{"code": 503, "msg": "later"}', status=503, headers={"Retry-After": "7"}), "transient", "later"),
    ],
)
def test_an_http_success_alone_is_no_receipt(
    reply: Reply, kind: str, word: str, script: Script, client: ServiceClient, tmp_path: Path
) -> None:
    script.answer = lambda asked: reply
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF")
    with pytest.raises(ServiceError) as caught:
        client.call(handed_in(path))
    assert caught.value.kind == kind
    assert word in str(caught.value)
    assert KEY not in str(caught.value)
    if reply.headers:
        assert caught.value.retry_after == 7


def test_without_a_hub_the_way_out_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF")
    with pytest.raises(ServiceError, match="hub_url"):
        ServiceClient(ServiceAddress("http://127.0.0.1:9", "k")).call(handed_in(path))


def test_a_receipt_is_short_and_plain_whatever_the_hub_says(
    script: Script, client: ServiceClient, tmp_path: Path
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF")
    ids = ["../../admin?x=1", "a\nb", "x" * 5000, KEY, {"a": [1]}, 7, None, "\ud800", *map(str, range(5000))]
    data = {"batchId": "9" * 100_000, "taskIds": ids}
    script.answer = lambda asked: Reply(json.dumps({"code": 200, "data": data}).encode())
    receipt = json.loads(client.call(handed_in(path)).raw)
    assert receipt["batchId"] == ""
    assert receipt["taskIds"][:5] == ["../../admin?x=1", "***", "7", "?", "0"]
    assert len(receipt["taskIds"]) <= 1000
    assert receipt["lookup"] == f"{script.url}/tasks/..%2F..%2Fadmin%3Fx%3D1"


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b'{"code": 200, "msg": "' + b"x\\n" * 100_000 + b'"}', b'{"code": 1e999}', b"9" * 5000]
)
def test_a_refusal_is_one_sentence_whatever_the_hub_says(
    content: bytes, script: Script, client: ServiceClient, tmp_path: Path
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF")
    script.answer = lambda asked: Reply(content)
    with pytest.raises(ServiceError) as caught:
        client.call(handed_in(path))
    assert len(str(caught.value)) < 1200
    assert "\n" not in str(caught.value)
