"""Calls that take long are asked about, quick ones and remote ones are not."""

from __future__ import annotations

import threading
import time

import pytest

from paperchute.service import client
from paperchute.service.answers import read_pages
from paperchute.service.client import PageWatch


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_SECONDS", 0.02)


def test_a_long_call_is_told_and_then_the_thread_ends() -> None:
    asked: list[str] = []
    heard = threading.Event()

    def ask(key: str) -> tuple[int, int] | None:
        asked.append(key)
        return (len(asked), 9) if len(asked) > 1 else None

    watch = PageWatch(ask)
    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        heard.set()

    with watch.watched("k", tell):
        assert heard.wait(120)
    for _ in range(6000):
        if watch._thread is None:
            break
        time.sleep(0.02)
    assert watch._thread is None
    assert set(asked) == {"k"}
    assert told[0] == (2, 9)
    count = len(told)
    with watch.watched("again", lambda done, total: None):
        pass
    assert len(told) == count


def test_a_service_that_cannot_be_asked_is_not() -> None:
    watch = PageWatch(None)
    with watch.watched("k", lambda done, total: None):
        assert watch._thread is None


@pytest.mark.parametrize(
    ("data", "pages"),
    [
        ('{"pagesDone": 3, "pagesTotal": 9}', (3, 9)),
        ('{"pagesDone": 0, "pagesTotal": 0}', None),
        ('{"pagesDone": 10, "pagesTotal": 9}', None),
        ('{"pagesDone": "3", "pagesTotal": true}', None),
        ('{"pagesTotal": 9}', None),
        ("null", None),
    ],
)
def test_only_sensible_numbers_count(data: str, pages: tuple[int, int] | None) -> None:
    assert read_pages(f'{{"code": "200", "data": {data}}}'.encode()) == pages
