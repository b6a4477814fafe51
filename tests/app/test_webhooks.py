"""The receiver of webhooks, over real HTTP: who is heard, and who is not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from paperchute.app.webhooks import WebhookReceiver
from paperchute.errors import PaperchuteError

TOKEN = "agreed-token"


@pytest.fixture
def heard() -> list[str]:
    return []


@pytest.fixture
def receiver(heard: list[str]) -> Iterator[WebhookReceiver]:
    found = WebhookReceiver(("127.0.0.1", 0), TOKEN, heard.append)
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
        WebhookReceiver(("127.0.0.1", receiver.port), TOKEN, lambda task: None)
