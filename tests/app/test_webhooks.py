"""The receiver of webhooks, over real HTTP: who is heard, and who is not."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from paperchute.app import webhooks
from paperchute.app.webhooks import WebhookReceiver
from paperchute.errors import PaperchuteError

TOKEN = "agreed-token"


class Hearing:
    """Notes what the receiver says."""

    def __init__(self, tasks: list[str], refused: list[bool] | None = None) -> None:
        self._tasks = tasks
        self._refused = refused if refused is not None else []

    def announced(self, task: str, /) -> None:
        self._tasks.append(task)

    def refused(self) -> None:
        self._refused.append(True)


@pytest.fixture
def heard() -> list[str]:
    return []


@pytest.fixture
def receiver(heard: list[str]) -> Iterator[WebhookReceiver]:
    found = WebhookReceiver(("127.0.0.1", 0), TOKEN, Hearing(heard))
    yield found
    found.stop()


def post(receiver: WebhookReceiver, body: Any, signature: str | None = TOKEN) -> int:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {} if signature is None else {"ComPDF-Signature": signature}
    return httpx.post(
        f"http://127.0.0.1:{receiver.port}/", content=content, headers=headers, trust_env=False
    ).status_code


def event(**changes: Any) -> dict[str, Any]:
    return {
        "eventName": "task.finish",
        "webhookToken": TOKEN,
        "sendTime": "Thu Dec 15 14:45:47 GMT+08:00 2022",
        "eventObject": "task-7",
        **changes,
    }


def test_the_end_of_a_task_is_passed_on_however_often_it_is_said(receiver: WebhookReceiver, heard: list[str]) -> None:
    assert post(receiver, event()) == 200
    assert post(receiver, event()) == 200
    assert post(receiver, event(eventName="task.overdue", eventObject="task-8")) == 200
    assert heard == ["task-7", "task-7", "task-8"]


def test_other_events_are_taken_and_mean_nothing(receiver: WebhookReceiver, heard: list[str]) -> None:
    assert post(receiver, event(eventName="file.success", eventObject="key")) == 200
    assert post(receiver, event(eventName="from.the.future", eventObject={"a": 1})) == 200
    assert heard == []


@pytest.mark.parametrize(
    ("body", "signature", "status"),
    [
        (event(), None, 403),
        (event(), "another", 403),
        (event(webhookToken="another"), TOKEN, 403),
        (event(webhookToken=None), TOKEN, 403),
        (b"not json", TOKEN, 400),
        (b"[1]", TOKEN, 400),
        (b"[" * 5000, TOKEN, 400),
        (b"x" * 70_000, TOKEN, 413),
    ],
)
def test_who_does_not_know_the_token_or_talks_nonsense_is_refused(
    body: Any, signature: str | None, status: int, receiver: WebhookReceiver, heard: list[str]
) -> None:
    assert post(receiver, body, signature) == status
    assert heard == []


def test_a_taken_address_is_said(receiver: WebhookReceiver) -> None:
    with pytest.raises(PaperchuteError, match="webhook_listen"):
        WebhookReceiver(("127.0.0.1", receiver.port), TOKEN, Hearing([]))


def sent(receiver: WebhookReceiver, request: bytes) -> bytes:
    """Everything that comes back for these bytes."""
    with socket.create_connection(("127.0.0.1", receiver.port), timeout=60) as connection:
        connection.sendall(request)
        with contextlib.suppress(OSError):  # the listener may have hung up already
            connection.shutdown(socket.SHUT_WR)
        received = b""
        with contextlib.suppress(ConnectionError):
            while block := connection.recv(65_536):
                received += block
        return received


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nComPDF-Signature: agreed-token\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        HEAD + b"X: y\r\n" * 2000 + b"\r\n",
        HEAD + b"Content-Length: 29\r\n\r\n" + rb'{"webhookToken": "\ud800"}   ',
        HEAD + b"Content-Length: 400\r\n\r\n{",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0\xff\r\n\r\n",
        b"POST / HTTP/9.9\r\n\r\n",
        b"POST " + b"/" * 70_000 + b" HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nComPDF-Signature: ü\r\nContent-Length: 2\r\n\r\n{}".encode("latin-1"),
        b"",
    ],
)
def test_whatever_is_sent_no_traceback_and_no_version_comes_of_it(
    request_: bytes, receiver: WebhookReceiver, heard: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    answer = sent(receiver, request_)
    assert b"Python" not in answer
    assert b"BaseHTTP" not in answer
    assert post(receiver, event()) == 200
    assert heard == ["task-7"]
    assert "Traceback" not in "".join(capfd.readouterr())


def test_many_who_say_nothing_keep_nobody_out(receiver: WebhookReceiver, monkeypatch: pytest.MonkeyPatch) -> None:
    before = threading.active_count()
    idle = [socket.create_connection(("127.0.0.1", receiver.port)) for _ in range(150)]
    try:
        assert threading.active_count() - before <= 2 * webhooks._MOST_CONNECTIONS + 1  # each has a clock
        ended = 0
        for connection in idle:
            connection.settimeout(60)
            with contextlib.suppress(ConnectionError):
                ended += connection.recv(1) == b""
        assert ended >= 100
        assert post(receiver, event()) == 200
    finally:
        for connection in idle:
            connection.close()


def test_a_request_that_drips_has_an_end(heard: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "_MOST_SECONDS", 1.0)
    receiver = WebhookReceiver(("127.0.0.1", 0), TOKEN, Hearing(heard))
    try:
        with socket.create_connection(("127.0.0.1", receiver.port), timeout=60) as connection:
            dripping = threading.Event()

            def drip() -> None:
                with contextlib.suppress(OSError):
                    while not dripping.wait(0.05):
                        connection.sendall(b"X")

            threading.Thread(target=drip, daemon=True).start()
            try:
                with contextlib.suppress(ConnectionError):
                    while connection.recv(1000):
                        continue
            finally:
                dripping.set()
    finally:
        receiver.stop()


def test_a_wrong_token_is_told(heard: list[str]) -> None:
    refused: list[bool] = []
    receiver = WebhookReceiver(("127.0.0.1", 0), TOKEN, Hearing([], refused))
    try:
        assert post(receiver, event(), "another") == 403
        assert refused == [True]
    finally:
        receiver.stop()
