"""Models that hang, cut off, send elsewhere and never end: a question is over in its time, and says why."""

from __future__ import annotations

import gzip
import json
import socket
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler

import pytest

from paperchute.app.model_endpoint import Endpoint, endpoint_of
from paperchute.jobs.model_questions import ModelError
from paperchute.rules.language_model import ModelKeys
from tests.app.model_server import ModelServer, answered

PATIENCE = 60.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def endpoint(url: str, timeout: float = PATIENCE, api_key: str | None = None) -> Endpoint:
    found = endpoint_of(ModelKeys(base_url=url, model="tiny", timeout=timeout, api_key=api_key))
    assert found is not None
    return found


def test_it_is_sent_the_body_as_it_is_and_its_text_comes_back(server: ModelServer) -> None:
    server.answers({"a": "b"})
    assert json.loads(endpoint(server.url + "/").ask(b"the body")) == {"a": "b"}
    ((headers, body),) = server.asked
    assert body == b"the body"
    assert "authorization" not in headers


def test_the_machine_itself_is_asked_without_a_proxy(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server.answers({})
    assert endpoint(server.url).ask(b"") == "{}"


def never_ends(one: BaseHTTPRequestHandler) -> None:
    """Say a letter now and then, each in time."""
    one.send_response(200)
    one.end_headers()
    with suppress(OSError):
        while True:
            one.wfile.write(b" ")
            time.sleep(0.05)


def says_no_head(one: BaseHTTPRequestHandler) -> None:
    """Never come to the end of the head."""
    with suppress(OSError):
        one.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            one.wfile.write(b"X: y\r\n")
            time.sleep(0.05)


def huge(one: BaseHTTPRequestHandler) -> None:
    one.send_response(200)
    one.end_headers()
    with suppress(OSError):
        for _number in range(1000):
            one.wfile.write(b" " * 65_536)


@pytest.mark.parametrize("lie", [never_ends, says_no_head])
def test_a_slow_one_is_given_up_in_its_time(lie: object, server: ModelServer) -> None:
    server.lie = lie  # type: ignore[assignment]
    with pytest.raises(ModelError, match="does not answer"):
        endpoint(server.url, timeout=1).ask(b"")
    assert len(server.asked) == 1


def test_a_huge_answer_is_cut_off(server: ModelServer) -> None:
    server.lie = huge
    with pytest.raises(ModelError, match="too long"):
        endpoint(server.url).ask(b"")


@pytest.mark.parametrize("packing", ["gzip", "gzip, gzip", "deflate"])
def test_a_packed_answer_is_not_unpacked(packing: str, server: ModelServer) -> None:
    packed = b" " * (4 << 20)
    for one in packing.split(", "):
        packed = gzip.compress(packed) if one == "gzip" else zlib.compress(packed)
    server.lie = lambda one: answered(one, packed, 200, **{"Content-Encoding": packing})
    with pytest.raises(ModelError, match="not the JSON"):  # unpacked, it would be too long
        endpoint(server.url).ask(b"")


def test_a_redirect_is_not_followed(server: ModelServer) -> None:
    with ModelServer() as other:
        server.lie = lambda one: answered(one, b"", 307, Location=f"{other.url}/chat/completions")
        with pytest.raises(ModelError, match="answered 307"):
            endpoint(server.url).ask(b"the text")
        assert other.asked == []


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 1}}]}', b"[" * 99_999]
)
def test_what_is_no_answer_is_none(body: bytes, server: ModelServer) -> None:
    server.lie = lambda one: answered(one, body)
    with pytest.raises(ModelError, match="not the JSON"):
        endpoint(server.url).ask(b"")


def test_a_refusal_tells_its_number_and_nothing_that_the_server_says(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "s3cret-word")
    server.lie = lambda one: answered(one, one.headers["Authorization"].encode(), 401)
    with pytest.raises(ModelError, match="answered 401") as refused:
        endpoint(server.url, api_key="env:MODEL_KEY").ask(b"")
    assert "s3cret-word" not in str(refused.value)
    assert len(server.asked) == 1, "what was heard is not asked twice"


def test_where_nobody_listens_it_says_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(ModelError, match="no server is listening"):
            endpoint(f"http://127.0.0.1:{taken.getsockname()[1]}/v1").ask(b"")


def test_a_key_that_is_not_there_is_told_by_its_reference(monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    monkeypatch.delenv("MODEL_KEY", raising=False)
    with pytest.raises(ModelError, match="MODEL_KEY is not set"):
        endpoint(server.url, api_key="env:MODEL_KEY").ask(b"")
    assert server.asked == []
