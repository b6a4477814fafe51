"""Who gets in: the key in its two headers, the host names, and what needs no key."""

from __future__ import annotations

import httpx
import pytest

from tests.engine.service.running import KEY, PLAIN, RunningEngine, record_of, refusal_of, told_by


@pytest.mark.parametrize(
    "headers", [{}, {"x-api-key": "wrong"}, {"x-api-key": ""}, {"Authorization": "Bearer wrong"}, {"x-api-key": "ü"}]
)
@pytest.mark.parametrize("path", ["/v2/asset/info", "/v2/tool/support", "/v2/process/html/pdf", "/v2/process/no/way"])
def test_without_the_key_nothing_is_told(engine: RunningEngine, path: str, headers: dict[str, str]) -> None:
    raw = {name.encode(): value.encode() for name, value in headers.items()}
    method = "POST" if "process" in path else "GET"
    assert refusal_of(PLAIN.request(method, engine.base_url + path, headers=raw)) == (401, "401")


def test_either_header_carries_the_key(engine: RunningEngine) -> None:
    for headers in ({"X-API-Key": KEY}, {"Authorization": f"Bearer {KEY}"}, {"authorization": f"bearer {KEY}"}):
        answer = PLAIN.get(engine.base_url + "/v2/asset/info", headers=headers)
        assert answer.json()["code"] == "200"
        assert set(answer.json()["data"]["tenantAsset"][0]) == {"assetTypeName", "asset", "withholdingAsset"}


def test_a_wrong_key_is_told_as_such_to_those_who_are_still_uploading(engine: RunningEngine) -> None:
    files = {"file": ("a.html", b"<html>" + bytes(30_000_000))}
    url = engine.base_url + "/v2/process/html/pdf"
    assert refusal_of(PLAIN.post(url, files=files, headers={"x-api-key": "wrong"})) == (401, "401")


def test_a_web_page_under_a_rebound_name_gets_nothing(engine: RunningEngine) -> None:
    odd = ("[::1]evil.example", "[::1", "127.0.0.1:80:80", "127.0.0.1@evil.example", "localhost/", "localhost:x")
    for host in (*odd, "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example:1", ""):
        for path in ("/health", "/v2/asset/info", "/v2/download/x/y"):
            answer = engine.client.get(path, headers={"Host": host})
            assert refusal_of(answer) == (403, "403"), host


def test_every_loopback_name_is_its_own(engine: RunningEngine) -> None:
    port = httpx.URL(engine.base_url).port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}", "[::1]", "localhost"):
        assert engine.client.get("/health", headers={"Host": host}).status_code == 200


def test_pages_of_other_addresses_get_nothing(engine: RunningEngine) -> None:
    url = httpx.URL(engine.base_url)
    own = f"http://127.0.0.1:{url.port}"
    for origin in (
        "http://evil.example",
        "null",
        "",
        "http://[::1",
        f"http://localhost:{url.port}",
        "http://127.0.0.1",
    ):
        for path in ("/health", "/v2/asset/info"):
            assert refusal_of(engine.client.get(path, headers={"Origin": origin})) == (403, "403"), origin
    assert engine.client.get("/v2/asset/info", headers={"Origin": own}).status_code == 200


def test_results_are_offered_at_the_address_that_the_client_used(engine: RunningEngine) -> None:
    port = httpx.URL(engine.base_url).port
    files = {"file": ("a.html", b"<html>")}
    for base in (f"http://localhost:{port}", f"http://127.0.0.1:{port}/server"):
        answer = PLAIN.post(base + "/v2/process/html/pdf", files=files, headers={"x-api-key": KEY})
        assert record_of(answer)["downloadUrl"].startswith(base + "/v2/download/")
        told_by(answer)


def test_an_unknown_path_is_an_envelope_too(engine: RunningEngine) -> None:
    assert refusal_of(engine.post("no/way")) == (404, "404")
    assert refusal_of(engine.client.get("/v3/anything")) == (404, "404")
    assert refusal_of(engine.client.get("/v2/process/html/pdf")) == (404, "404")


def test_an_operation_that_is_not_there_yet_is_refused_by_name(engine: RunningEngine) -> None:
    answer = engine.post("pdf/ofd", ("file", "a.pdf", b"%PDF-1.7"))
    assert refusal_of(answer) == (400, "03000")
    assert "pdf-to-ofd" in answer.json()["msg"]


def test_only_what_is_done_is_listed(engine: RunningEngine) -> None:
    tools = engine.client.get("/v2/tool/support").json()["data"]
    assert {"sourceTypeName": "pdf", "targetTypeName": "merge", "executeTypeUrl": "pdf/merge"} in tools
    assert "pdf/ofd" not in {tool["executeTypeUrl"] for tool in tools}


def test_a_wrong_key_is_told_in_the_language_of_the_call(engine: RunningEngine) -> None:
    url = f"{engine.base_url}/v2/process/pdf/markdown"
    headers = {"x-api-key": "wrong"}

    def told(**query: str) -> str:
        return str(PLAIN.post(url, params=query, files={"file": ("a.pdf", b"%PDF-")}, headers=headers).json()["msg"])

    assert told(language="1") == "the API key is missing or wrong"
    assert told(language="2") == "API 密钥缺失或无效"
    assert told() == "the API key is missing or wrong (API 密钥缺失或无效)", "a form's wish is not read"
