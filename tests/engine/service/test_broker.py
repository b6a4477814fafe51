"""What a worker asks the engine to fetch: both ends of the talk, with the web played."""

from __future__ import annotations

from typing import Any

import pytest

from paperchute.engine.html.fetch import FetchRefused
from paperchute.engine.tasks import worker_line
from paperchute.engine.tasks.worker_line import Broker, asking
from paperchute.engine.work import FetchPolicy


def test_what_is_fetched_reaches_the_worker_byte_by_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    given = (bytes(range(256)) * 40, "image/png", "https://a.example/b.png")
    monkeypatch.setattr(worker_line, "follow", lambda url, policy: given)
    engine = Broker(FetchPolicy(("a.example",)))
    fetched = asking(lambda wish: engine.answer(wish["fetch"]))
    assert fetched("https://a.example/a.png") == given


@pytest.mark.parametrize("url", ["https://b.example/", "file:///etc/passwd", "http://a.example@b.example/", ""])
def test_the_engine_goes_by_the_tasks_own_list_whatever_a_worker_asks_for(url: str) -> None:
    engine = Broker(FetchPolicy(("a.example",)))
    with pytest.raises(FetchRefused):
        asking(lambda wish: engine.answer(wish["fetch"]))(url)


def test_a_worker_cannot_fetch_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def follow(url: str, policy: FetchPolicy) -> Any:
        asked.append(url)
        return b"x" * (32 << 20), "text/plain", url

    monkeypatch.setattr(worker_line, "follow", follow)
    engine = Broker(FetchPolicy(("a.example",)))
    while "refused" not in engine.answer("https://a.example/")[:20]:
        assert len(asked) < 20
