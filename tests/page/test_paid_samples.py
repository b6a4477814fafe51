"""Samples of the workshop at a service that counts: asked for by a person, counted, and told of in words."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Shown, page_over
from tests.page.test_workshop import ask, left, put
from tests.service.script import Reply, Script, envelope, scripted

REMOTE = """version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
mode = "sync"
monthly_calls = 3
[[rule]]
name = "Read PDFs"
folder = "in"
operation = "pdf-to-markdown"
"""


@pytest.fixture(name="script")
def _script() -> Iterator[Script]:
    with scripted() as script:
        script.answer = lambda asked: (
            Reply(b"# Dear reader") if asked.path == "/result" else envelope([script.record(convertSize=13)])
        )
        yield script


@pytest.fixture(name="paid")
def _paid(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shown]:
    """A page over a daemon whose service counts."""
    monkeypatch.setenv("PAPERCHUTE_TEST_KEY", "key-of-the-test")
    with page_over(tmp_path, REMOTE.replace("{url}", script.url)) as shown:
        shown.daemon._services.start()
        shown.enter()
        yield shown


def processed(script: Script) -> int:
    """How many calls the service had that count."""
    return sum("/process/" in asked.path for asked in script.asked)


def attempt(shown: Shown, **more: Any) -> Any:
    answer = ask(shown, "try", draft={"rule": "Read PDFs"}, sample=put(shown), **more)
    assert answer.status_code == 200
    return answer.json()["trial"]


def test_a_service_that_counts_is_asked_when_somebody_has_agreed(paid: Shown, script: Script) -> None:
    trial = attempt(paid)
    assert (trial["remote"], trial["results"], processed(script)) == (script.url, [], 0)
    assert trial["pages"] is None  # of something damaged nobody knows
    trial = attempt(paid, paid=True)
    assert (trial["problem"], trial["results"], processed(script)) == ("", ["a.md"], 1)
    assert trial["text"] == ["# Dear reader"]
    assert [(used.rule, used.calls) for used in paid.daemon.journal.usage.latest(1)] == [("Read PDFs", 1)]
    assert paid.daemon.journal.calls.this_month() == 1
    attempt(paid, paid=True)
    attempt(paid, paid=True)
    assert attempt(paid, paid=True)["problem"].startswith("This month's 3 calls to the service are used up.")
    assert processed(script) == 3


def test_a_service_that_the_file_has_just_named_is_waited_for(
    paid: Shown, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = paid.daemon._services
    taken = services._file
    other = taken.service.model_copy(update={"monthly_calls": 9})
    services.replace(replace(taken, service=other))  # the daemon has not read the file yet
    with monkeypatch.context() as impatient:
        impatient.setattr("paperchute.app.services._REPLACED_SECONDS", 0.0)
        assert attempt(paid, paid=True)["problem"].startswith("The rule file names another service than")
    assert processed(script) == 0
    reading = threading.Timer(0.5, services.replace, (taken,))
    reading.start()
    assert attempt(paid, paid=True)["results"] == ["a.md"]
    assert processed(script) == 1
    reading.join()


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(b'{"code": "402", "msg": "no units"}', 402), "The service has no units left."),
        (Reply(b'{"code": "429", "msg": "slow down"}', 429), "accepts no more from this API key just now"),
        (Reply(b"<html>Bad gateway</html>", 502), ""),
        (Reply(b"<html>Log in to the hotel</html>", 200), "something between here and the service has changed it"),
        (Reply(b'{"code": "401"}', 401), "The service refuses the API key."),
        (None, ""),
    ],
)
def test_what_a_service_answers_wrongly_is_told_in_words(
    paid: Shown, script: Script, reply: Reply | None, words: str
) -> None:
    script.answer = lambda asked: reply
    problem = attempt(paid, paid=True)["problem"]
    assert words in problem
    assert "Samples are not tried again automatically" in problem
    assert "automatically as long" not in problem
    assert "Traceback" not in problem
    assert "key-of-the-test" not in problem
    assert left(paid) == []


def test_a_service_that_never_ends_is_left_and_the_next_sample_is_told_to_wait(
    paid: Shown, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.app.sample_calls._LONGEST_SECONDS", 2.0)
    waiting = threading.Event()

    def slow(asked: Any) -> Reply:
        waiting.wait(60)
        return Reply(status=500)

    script.answer = slow
    told: list[str] = []
    first = threading.Thread(target=lambda: told.append(attempt(paid, paid=True)["problem"]))
    first.start()
    while not processed(script):
        assert first.is_alive()
    sample = paid.client.put("/api/workshop/sample/c.pdf", content=b"x")
    assert (sample.status_code, "Another sample" in sample.json()["reason"]) == (409, True)
    first.join(60)
    waiting.set()
    assert "Samples are not tried again automatically" in told[0]


def test_reading_what_conditions_ask_is_a_call_too_and_nothing_follows_where_it_fails(
    paid: Shown, script: Script
) -> None:
    draft = {"rule": "Read PDFs", "keys": {"when": {"kind": "toml", "text": '{ kind = "invoice" }'}}}

    def tried(**more: Any) -> Any:
        return ask(paid, "try", draft=draft, sample=put(paid), **more).json()["trial"]

    assert (tried()["calls"], processed(script)) == (2, 0)
    trial = tried(paid=True)
    assert trial["problem"].startswith("The service sent a result of kind txt, where json was due.")
    assert (trial["results"], processed(script)) == ([], 1)
