"""Webhooks out: which events, to whom, with what, how often, and never to where they must not go."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from paperchute.contract import contract
from paperchute.engine.keys.table import webhook_token_of
from paperchute.engine.tasks.sqlite import SqliteStore
from paperchute.engine.tasks.webhooks import RETRY_SECONDS, Webhooks
from tests.engine.service.outer import Outer
from tests.engine.service.running import HTML, TOKEN, RunningEngine, data_of, ended, record_of, until

_HOOKED = ("--webhook-token-env", "HOOK_TOKEN", "--inner-host", "127.0.0.1")


@pytest.fixture
def outer() -> Iterator[Outer]:
    with Outer() as running:
        yield running


def _submitted(engine: RunningEngine, *texts: str, **data: str) -> str:
    files = [("file", f"{number}.html", HTML + text.encode()) for number, text in enumerate(texts)]
    return str(data_of(engine.post_async("html/pdf", *files, data=data))["taskId"])


def _letters_on_disk(state: Path) -> int:
    store = SqliteStore(state, 60.0)
    try:
        return len(store.letters(100))
    finally:
        store.close()


def test_the_receiver_of_all_events_hears_of_tasks_and_files(tmp_path: Path, outer: Outer) -> None:
    with RunningEngine(tmp_path, "--webhook-url", outer.url + "/all", *_HOOKED) as engine:
        done = ended(engine, _submitted(engine, "x", "do: refuse"))
        until(lambda: len(outer.letters) == 6)
    told = {(body["eventName"], body["eventObject"]) for _, body in outer.letters}
    good, bad = (record["fileKey"] for record in done["fileInfoDTOList"])
    assert told == {
        ("task.start", done["taskId"]),
        ("file.start", good),
        ("file.start", bad),
        ("file.success", good),
        ("file.failed", bad),
        ("task.finish", done["taskId"]),
    }
    for headers, body in outer.letters:
        assert set(body) == {field["name"] for field in contract().raw["webhook"]["fields"]}
        assert headers["ComPDF-Signature"] == body["webhookToken"] == TOKEN
        assert headers["Content-Type"] == "application/json"
        assert datetime.datetime.fromisoformat(body["sendTime"]).tzinfo is not None


def test_a_callback_hears_of_its_own_tasks_end_only(tmp_path: Path, outer: Outer) -> None:
    with RunningEngine(tmp_path, *_HOOKED) as engine:
        _submitted(engine, "x")
        mine = _submitted(engine, "x", "y", callbackUrl=outer.url + "/mine")
        ended(engine, mine)
        until(lambda: bool(outer.letters))
        assert ended(engine, mine)["callbackUrl"] == outer.url + "/mine"
    assert [(body["eventName"], body["eventObject"]) for _, body in outer.letters] == [("task.finish", mine)]


def test_a_callback_of_another_key_has_that_key_s_token_and_never_the_service_s(tmp_path: Path, outer: Outer) -> None:
    with RunningEngine(tmp_path, "--webhook-url", outer.url + "/all", *_HOOKED) as engine:
        command = [sys.executable, "-m", "paperchute.engine.keys", "--state", str(tmp_path)]
        request = json.dumps({"do": "add", "name": "scanner"})
        made = json.loads(subprocess.run(command, input=request, stdout=subprocess.PIPE, text=True, check=True).stdout)
        answer = engine.client.post(
            "/v2/processAsync/html/pdf",
            files={"file": ("a.html", HTML)},
            data={"callbackUrl": outer.url + "/mine"},
            headers={"x-api-key": made["key"]},
        )
        task = data_of(answer)["taskId"]
        until(lambda: len(outer.letters) == 5)
    tokens = sorted((body["eventName"], headers["ComPDF-Signature"]) for headers, body in outer.letters)
    assert all(headers["ComPDF-Signature"] == body["webhookToken"] for headers, body in outer.letters)
    finish = [token for event, token in tokens if event == "task.finish"]
    assert sorted(finish) == sorted([TOKEN, made["webhook_token"]])
    assert {token for event, token in tokens if event != "task.finish"} == {TOKEN}
    assert {body["eventObject"] for _, body in outer.letters if body["eventName"] == "task.finish"} == {task}
    assert made["webhook_token"] != webhook_token_of(f"{made['key']}x")


def test_synchronous_calls_are_events_too_and_overdue_tasks(tmp_path: Path, outer: Outer) -> None:
    flags = ("--webhook-url", outer.url, "--overdue-seconds", "0.001", *_HOOKED)
    with RunningEngine(tmp_path, *flags) as engine:
        record_of(engine.html("x"))
        made = engine.client.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))])
        ended(engine, data_of(made)["taskId"])
        until(lambda: len(outer.letters) == 6)
    assert sorted(outer.events()) == sorted(
        ["task.start", "file.start", "file.success", "task.finish", "task.start", "task.overdue"]
    )


def test_what_was_not_delivered_is_tried_again_by_the_next_engine_too(tmp_path: Path, outer: Outer) -> None:
    outer.answers = [500]
    with RunningEngine(tmp_path, *_HOOKED) as engine:
        task = _submitted(engine, "x", callbackUrl=outer.url)
        until(lambda: len(outer.letters) == 1)
    with RunningEngine(tmp_path, *_HOOKED):
        until(lambda: len(outer.letters) == 2)
        until(lambda: _letters_on_disk(tmp_path) == 0)  # it is dropped once its answer has come
    assert outer.letters[0][1] == outer.letters[1][1]
    assert outer.letters[1][1]["eventObject"] == task


@pytest.mark.parametrize("answer", [302, 404, 500])
def test_a_receiver_that_never_takes_it_is_given_up_after_three_more_tries(
    tmp_path: Path, outer: Outer, answer: int
) -> None:
    outer.answers = [answer] * 10
    store = SqliteStore(tmp_path, 60.0)
    hooks = Webhooks(store, url="", token=TOKEN, inner={"127.0.0.1"}, retry_seconds=(0.0, 0.01, 0.02))
    hooks.start()
    hooks.about_task("task.finish", "t", outer.url)
    until(lambda: not store.letters(10))
    assert len(outer.letters) == 4
    hooks.stop()
    store.close()


def test_the_tries_are_spaced_as_the_contract_says() -> None:
    said = contract().raw["webhook"]["retry"]
    assert said.endswith(", ".join(f"{seconds:g} s" for seconds in RETRY_SECONDS))


def test_a_receiver_within_this_machine_is_not_reached_unless_it_is_allowed(tmp_path: Path, outer: Outer) -> None:
    with RunningEngine(tmp_path) as engine:
        task = _submitted(engine, "x", callbackUrl=outer.url)
        local = _submitted(engine, "x", callbackUrl=outer.url.replace("127.0.0.1", "localhost"))
        assert ended(engine, task)["taskSuccessNum"] == ended(engine, local)["taskSuccessNum"] == 1
    assert outer.letters == []
    assert _letters_on_disk(tmp_path) == 2  # tried, and kept for the next try


def test_many_letters_reach_their_receiver_while_another_is_dead(tmp_path: Path, outer: Outer) -> None:
    with httpx.Client() as client:
        assert client.get(outer.url).status_code == 404
    store = SqliteStore(tmp_path, 60.0)
    hooks = Webhooks(store, url=outer.url, token="", inner={"127.0.0.1"})
    for number in range(100):
        hooks.about_file("file.start", str(number))
    for _ in range(10):
        hooks.about_task("task.finish", "t", "http://127.0.0.1:9/")
    hooks.start()
    until(lambda: len(outer.letters) == 110)
    assert {body["eventObject"] for _, body in outer.letters} == {*map(str, range(100)), "t"}
    hooks.stop()
    store.close()
