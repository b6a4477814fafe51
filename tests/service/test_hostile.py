"""A service that does everything wrong: no call is lost without a word, none doubled, and memory stays flat."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paperchute.service import exchange, results
from paperchute.service.client import ServiceClient
from paperchute.service.model import Answer, Call, ServiceAddress, ServiceError
from tests.service.script import Reply, Script, envelope
from tests.service.test_client import KEY, call
from tests.systems import peak_memory


@contextmanager
def raw(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A TCP server that speaks as it likes, once for each connection."""
    server = socket.create_server(("127.0.0.1", 0))
    end = threading.Event()

    def serve() -> None:
        while not end.is_set():
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                if end.is_set():
                    return
                connection.settimeout(5)
                try:
                    answer(connection)
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
    finally:
        end.set()
        socket.create_connection(server.getsockname()).close()  # a thread that accepts does not hear of a close
        server.close()
        thread.join(6)


def read_request(connection: socket.socket) -> None:
    """Take the request until its end is seen."""
    received = b""
    while b"--\r\n" not in received:
        block = connection.recv(65_536)
        if not block:
            return
        received += block


def asking(url: str, pdf: Path, timeout: float = 3.0) -> ServiceError:
    client = ServiceClient(ServiceAddress(url, KEY, mode="sync"))
    with pytest.raises(ServiceError) as caught:
        client.call(Call("pdf-to-markdown", (("file", pdf),), {}, "k", timeout=timeout))
    client.close()
    assert KEY not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("phase", ["at once", "after the request", "in the head", "in the body"])
def test_a_cut_connection_is_a_lost_answer_whenever_it_comes(phase: str, pdf: Path) -> None:
    def answer(connection: socket.socket) -> None:
        if phase == "at once":
            return
        read_request(connection)
        if phase == "in the head":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Le")
        elif phase == "in the body":
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"code": "200"')

    with raw(answer) as url:
        assert asking(url, pdf).kind == "lost"


def test_an_answer_that_drips_for_ever_is_given_up_at_the_deadline(pdf: Path) -> None:
    left = threading.Event()

    def answer(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        try:
            for _ in range(2000):  # a hundred seconds
                connection.sendall(b" ")
                time.sleep(0.05)
        except OSError:
            left.set()

    with raw(answer) as url:
        assert asking(url, pdf, timeout=1.0).kind == "lost"
        assert left.wait(90), "the client hung up, and not the service"


def test_an_answer_without_end_takes_no_memory(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        block = b"10000\r\n" + b" " * 65_536 + b"\r\n"
        while True:
            connection.sendall(block)

    monkeypatch.setattr(exchange, "_ANSWER_BYTES", 4 << 20)
    before = peak_memory()
    with raw(answer) as url:
        assert asking(url, pdf, timeout=120.0).kind == "lost"
    assert peak_memory() - before < 60 << 20


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(b"<html>Sign in</html>", headers={"Content-Type": "text/html"}), "lost"),
        (Reply(b'{"code": 200, "msg": "success", "data": null}'), "permanent"),
        (Reply(b'{"code": "200", "data": {"status": "success"}}'), "permanent"),
        (Reply(b"[]"), "permanent"),
        (Reply(b""), "lost"),
        (Reply(b"\xff\xfe\x00"), "lost"),
        (Reply(b'{"success": false, "error_code": "x", "code": 500, "message": "m"}', status=500), "transient"),
        (Reply(b"<html>busy</html>", status=503, headers={"Retry-After": "9"}), "transient"),
        (Reply(b'{"code": "06001", "msg": "no units"}', status=402), "quota"),
        (Reply(b'{"code": 401, "message": "key"}'), "auth"),
    ],
)
def test_an_answer_of_any_shape_becomes_one_clear_error(reply: Reply, kind: str, script: Script, pdf: Path) -> None:
    script.answer = lambda asked: reply
    assert asking(script.url, pdf).kind == kind
    assert len(script.asked) == 1, "and nothing is asked twice behind the job's back"


def fetched(script: Script, place: Path, url: str, size: int | None = None) -> None:
    client = ServiceClient(ServiceAddress(script.url, KEY))
    try:
        client.fetch(Answer("", url, "a.md", size, (), "{}"), "pdf-to-markdown", place)
    finally:
        client.close()
        assert [asked for asked in script.asked if asked.headers.get("x-api-key") == KEY] == []


def test_a_result_is_followed_where_it_moved_but_not_for_ever(script: Script, tmp_path: Path) -> None:
    replies = {"/a": Reply(status=302, headers={"Location": "/b"}), "/b": Reply(b"# moved")}
    script.answer = lambda asked: replies[asked.path]
    fetched(script, tmp_path / "result", f"{script.url}/a")
    assert (tmp_path / "result").read_bytes() == b"# moved"
    replies["/b"] = Reply(status=302, headers={"Location": "/a"})
    with pytest.raises(ServiceError, match="redirected too often"):
        fetched(script, tmp_path / "result", f"{script.url}/a")
    assert not (tmp_path / "result").exists()


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:1/x",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]:1/",
        "http://10.0.0.1/",
        "file:///etc/passwd",
    ],
)
def test_a_service_out_in_the_world_does_not_lead_us_inside(target: str, tmp_path: Path) -> None:
    client = ServiceClient(ServiceAddress("https://service.example.com/server", KEY))
    with pytest.raises(ServiceError) as caught:
        client.fetch(Answer("", target, "a.md", None, (), "{}"), "pdf-to-markdown", tmp_path / "result")
    assert caught.value.kind == "permanent"
    assert "inside this network" in str(caught.value) or "cannot be used" in str(caught.value)


def test_a_bomb_does_not_fill_the_disk(script: Script, tmp_path: Path) -> None:
    bomb = gzip.compress(b"\0" * (64 << 20))
    script.answer = lambda asked: Reply(bomb, headers={"Content-Encoding": "gzip"})
    with pytest.raises(ServiceError, match="larger"):
        fetched(script, tmp_path / "result", f"{script.url}/bomb", size=1000)
    assert list(tmp_path.iterdir()) == []


def test_a_result_that_comes_too_slowly_is_given_up(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "TRANSFER_SECONDS", 0.5)

    def answer(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            connection.sendall(b"#")
            time.sleep(0.05)

    with raw(answer) as url, pytest.raises(ServiceError, match="too slowly"):
        fetched(script, tmp_path / "result", f"{url}/slow")
    assert list(tmp_path.iterdir()) == []


def test_unknown_words_for_a_state_are_waited_out(script: Script, pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.service.client._FIRST_POLL_REMOTE", 0.05)
    words = ["brewing", "TaskSimmering"]
    script.answer = lambda asked: (
        envelope({"taskId": "t", "status": words.pop(0), "downloadUrl": None}) if words else envelope(script.record())
    )
    assert ServiceClient(ServiceAddress(script.url, KEY, mode="sync")).call(call(pdf)).download_url
