"""Those who have no key cannot keep out those who have it."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.engine.service.running import KEY, PATIENCE, RunningEngine, record_of, until

_CROWD = 300


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[RunningEngine]:
    """An engine that may have few files open."""
    if sys.platform == "win32":
        pytest.skip("Windows has no such limit")
    with RunningEngine(tmp_path, files=256) as engine:
        yield engine


def _connected(engine: RunningEngine, said: bytes = b"") -> socket.socket:
    url = httpx.URL(engine.base_url)
    connection = socket.create_connection((url.host, url.port or 80), PATIENCE)
    connection.sendall(said)
    return connection


def _is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    "said",
    [
        b"POST /v2/process/html/pdf HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A",
        b"",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"PUT /v2/upload/guessed HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n1",
    ],
    ids=["half a head", "nothing", "idle", "half a body"],
)
def test_a_crowd_without_the_key_keeps_nobody_out(narrow: RunningEngine, said: bytes) -> None:
    with contextlib.ExitStack() as stack:
        crowd = [stack.enter_context(_connected(narrow, said)) for _ in range(_CROWD)]
        assert record_of(narrow.html("x"))["status"] == "success"
        until(lambda: sum(map(_is_closed, crowd)) > _CROWD / 2)
        crowd += [stack.enter_context(_connected(narrow, said)) for _ in range(_CROWD)]
        assert record_of(narrow.html("x"))["status"] == "success"


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [b"GET /hea", b"", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    ids=["half a head", "nothing", "idle"],
)
def test_whoever_keeps_the_engine_waiting_is_cut_off(engine: RunningEngine, said: bytes) -> None:
    with _connected(engine, said) as connection:
        while connection.recv(4096):
            continue  # an answer, and then the end


def test_a_connection_that_has_shown_the_key_is_kept_in_a_crowd(narrow: RunningEngine) -> None:
    asked = f"GET /v2/asset/info HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {KEY}\r\n\r\n".encode()

    def answer() -> bytes:
        said = b""
        while not said.endswith(b"]}}"):
            more = mine.recv(4096)
            assert more, said
            said += more
        return said

    with contextlib.ExitStack() as stack:
        mine = stack.enter_context(_connected(narrow, asked))
        assert answer().startswith(b"HTTP/1.1 200 ")
        for _ in range(_CROWD):
            stack.enter_context(_connected(narrow, b"GET /"))
        mine.sendall(asked)
        assert answer().startswith(b"HTTP/1.1 200 ")


def test_what_is_sent_without_the_key_is_not_taken(engine: RunningEngine) -> None:
    size = 200 << 20
    head = f"POST /v2/process/html/pdf HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {size}\r\n\r\n".encode()
    sent = 0
    with _connected(engine, head) as connection, contextlib.suppress(ConnectionError):
        block = bytes(1 << 20)
        while sent < size:
            connection.sendall(block)
            sent += len(block)
    assert sent < size / 2
