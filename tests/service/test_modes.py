"""Tasks, pre-signed addresses, the choice between them, and what happens when one of the many requests goes wrong."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from paperchute.service import client as client_module
from paperchute.service import submission
from paperchute.service.client import ServiceClient
from paperchute.service.model import Answer, Asset, Call, ServiceAddress, ServiceError
from tests.ending import ends
from tests.service.script import Asked, Reply, Script, envelope
from tests.service.test_client import KEY, call, parts


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "a ü.pdf"
    path.write_bytes(b"%PDF-1.7 content %%EOF")
    return path


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_FIRST_POLL_REMOTE", 0.05)
    monkeypatch.setattr(client_module, "_LAST_POLL", 0.1)
    monkeypatch.setattr(client_module, "_POLL_BESIDE_WEBHOOKS", 0.1)


def made(script: Script, mode: str, **more: Any) -> ServiceClient:
    return ServiceClient(ServiceAddress(script.url, KEY, mode=mode, **more))  # type: ignore[arg-type]


RESULT = b"# ok"


class Provider:
    """The remote side of tasks and pre-signed uploads, as docs/contract.md#asynchronous-calls says."""

    def __init__(self, script: Script, *, answers_before_done: int = 2) -> None:
        self.script = script
        self.left = answers_before_done
        self.stored = b""
        self.started = False
        script.answer = self.answer

    def answer(self, asked: Asked) -> Reply | None:
        path = urlsplit(asked.path).path
        if path.startswith("/v2/processAsync/"):
            return envelope({"taskId": "task-7", "taskStatus": "TaskWaiting"})
        if path.startswith("/v2/presignedUrl/"):
            return envelope({"taskId": "task-7", "presignedUrl": f"{self.script.url}/store/7?signature=abc"})
        if path == "/store/7":
            self.stored = asked.body
            return Reply(b"")
        if path == "/v2/execute/start":
            self.started = True
            return envelope({"taskId": "task-7"})
        if path == "/v2/task/taskInfo":
            self.left -= 1
            running = {"taskId": "task-7", "status": "processing"}
            records = [self.script.record(taskId="task-7")] if self.left <= 0 else [running]
            status = "TaskFinish" if self.left <= 0 else "TaskProcessing"
            return envelope({"taskId": "task-7", "taskStatus": status, "fileInfoDTOList": records})
        return Reply(status=404)

    def paths(self) -> list[str]:
        return [urlsplit(asked.path).path for asked in self.script.asked]


def test_a_call_goes_out_as_a_task_and_is_asked_for_until_it_has_ended(script: Script, pdf: Path) -> None:
    provider = Provider(script)
    told: list[tuple[str, tuple[str, ...]]] = []
    answer = made(script, "async", callback_url="http://127.0.0.1:9/hook").call(
        call(pdf, pageRanges="1-2"), lambda task, hashes: told.append((task, hashes))
    )
    assert provider.paths() == ["/v2/processAsync/pdf/markdown", "/v2/task/taskInfo", "/v2/task/taskInfo"]
    sent = {name: content for name, _, content in parts(script.asked[0])}
    assert sent["pageRanges"] == b"1-2"
    assert sent["callbackUrl"] == b"http://127.0.0.1:9/hook"
    assert parse_qs(urlsplit(script.asked[1].path).query)["taskId"] == ["task-7"]
    digest = hashlib.sha256(pdf.read_bytes()).hexdigest()
    assert told == [("task-7", (digest,))], "before the first question, so that a crash finds the task"
    assert (answer.task_id, answer.hashes) == ("task-7", (digest,))
    assert answer.download_url


def test_a_file_goes_to_a_presigned_address_without_the_key(script: Script, pdf: Path) -> None:
    provider = Provider(script)
    answer = made(script, "secure").call(call(pdf, pageRanges="2"))
    assert provider.paths()[:3] == ["/v2/presignedUrl/pdf/markdown", "/store/7", "/v2/execute/start"]
    assert provider.stored == pdf.read_bytes()
    create, store = script.asked[0], script.asked[1]
    sent = {name: content for name, _, content in parts(create)}
    assert sent["fileName"].decode() == pdf.name
    assert "file" not in sent
    assert store.method == "PUT"
    assert "x-api-key" not in store.headers
    assert KEY not in store.path
    assert store.headers["content-type"] == "application/pdf"
    assert answer.hashes == (hashlib.sha256(pdf.read_bytes()).hexdigest(),)


@pytest.mark.parametrize("broken", [1, 2])
def test_a_start_that_is_not_answered_may_be_charged(script: Script, pdf: Path, broken: int) -> None:
    provider = Provider(script)
    answered, left = script.answer, [None] * broken

    def answer(asked: Asked) -> Reply | None:
        if urlsplit(asked.path).path != "/v2/execute/start":
            return answered(asked)
        reply = envelope(None, "05002") if provider.started else answered(asked)
        provider.started = True
        return left.pop() if left else reply

    script.answer = answer
    if broken == 1:  # a task starts once, so asking again costs nothing
        assert made(script, "secure").call(call(pdf)).task_id == "task-7"
    else:
        with pytest.raises(ServiceError) as caught:
            made(script, "secure").call(call(pdf))
        assert caught.value.kind == "lost"
    assert provider.paths().count("/v2/execute/start") == 2


def test_what_secure_mode_cannot_carry_goes_as_a_task(script: Script, pdf: Path) -> None:
    provider = Provider(script)
    made(script, "secure").call(call(pdf, pdf, operation="pdf-merge"))
    assert provider.paths()[0] == "/v2/processAsync/pdf/merge"


@pytest.mark.parametrize(("megabytes", "mode"), [(1, "process"), (20, "processAsync"), (60, "presignedUrl")])
def test_auto_goes_by_size(script: Script, tmp_path: Path, megabytes: int, mode: str) -> None:
    large = tmp_path / "large.pdf"
    with large.open("wb") as file:
        file.write(b"%PDF")
        file.truncate(megabytes << 20)
    provider = Provider(script)
    answered = script.answer
    script.answer = lambda asked: (
        envelope(script.record()) if asked.path.startswith("/v2/process/") else answered(asked)
    )
    made(script, "auto").call(call(large))
    assert provider.paths()[0].split("/")[2] == mode


def test_auto_falls_back_where_a_service_has_no_tasks(
    script: Script, pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "_SYNC_BYTES", 1)
    script.answer = lambda asked: envelope(script.record()) if "/process/" in asked.path else Reply(b"no", status=404)
    client = made(script, "auto")
    for _ in range(2):
        client.call(call(pdf))
    assert [asked.path.split("/")[2] for asked in script.asked] == ["processAsync", "process", "process"], "asked once"
    with pytest.raises(ServiceError, match='mode = "sync"'):
        made(script, "async").call(call(pdf))


def test_a_task_that_was_taken_before_is_asked_for_and_not_made_again(script: Script) -> None:
    provider = Provider(script)
    answer = made(script, "async").resume("task-7", "a.pdf", ("00",), 20.0)
    assert set(provider.paths()) == {"/v2/task/taskInfo"}
    assert answer.hashes == ("00",)


def test_a_task_nobody_knows_any_more_is_an_error_of_its_kind(script: Script) -> None:
    script.answer = lambda asked: envelope(None, code="05001", msg="no such task")
    with pytest.raises(ServiceError) as caught:
        made(script, "async").resume("gone", "a.pdf", (), 5.0)
    assert caught.value.kind == "task"


def test_trouble_between_the_questions_does_not_lose_a_task(script: Script, pdf: Path) -> None:
    provider = Provider(script, answers_before_done=2)
    troubles: list[Reply | None] = [None, Reply(b"<html>busy</html>", 503), Reply(b"not json", 502)]
    answered = script.answer

    def answer(asked: Asked) -> Reply | None:
        if "taskInfo" in asked.path and troubles:
            return troubles.pop()
        return answered(asked)

    script.answer = answer
    assert made(script, "async").call(call(pdf)).task_id == "task-7"
    assert provider.paths().count("/v2/processAsync/pdf/markdown") == 1


def test_a_task_that_never_ends_is_left_at_the_deadline_with_its_last_word(script: Script, pdf: Path) -> None:
    Provider(script, answers_before_done=10_000)
    impatient = Call("pdf-to-markdown", (("file", pdf),), {}, "k", timeout=0.6)
    with pytest.raises(ServiceError, match="in time") as caught:
        made(script, "async").call(impatient)
    assert caught.value.kind == "lost", "the task may still end: it is asked for later, and not made again"


def test_a_webhook_s_word_leads_to_a_question_at_once(
    script: Script, pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_POLL_BESIDE_WEBHOOKS", 3600.0)
    Provider(script, answers_before_done=1)
    client = made(script, "async", callback_url="http://127.0.0.1:9/")
    taken = threading.Event()
    found: list[Answer] = []
    called = threading.Thread(target=lambda: found.append(client.call(call(pdf), lambda *_: taken.set())), daemon=True)
    called.start()
    assert taken.wait(120)

    def poke() -> None:
        while called.is_alive():
            client.poke("another task")
            client.poke("task-7")
            called.join(0.1)

    ends(poke)
    assert [answer.task_id for answer in found] == ["task-7"]


def test_an_expired_link_is_asked_for_anew_by_its_task(script: Script, tmp_path: Path) -> None:
    Provider(script, answers_before_done=1)
    answered = script.answer
    script.answer = lambda asked: (
        Reply(status=403) if asked.path == "/old" else Reply(RESULT) if asked.path == "/result" else answered(asked)
    )
    place = tmp_path / "result"
    old = Answer("task-7", f"{script.url}/old", "a.md", None, (), "{}")
    fetched = made(script, "async").fetch(old, "pdf-to-markdown", place)
    assert place.read_bytes() == RESULT
    assert fetched.name.endswith(".md")


def test_names_can_be_those_of_another_provider(script: Script, pdf: Path) -> None:
    script.answer = lambda asked: envelope(script.record())
    made(script, "sync", names={"pageRanges": "pages"}).call(call(pdf, pageRanges="1"))
    names = [name for name, _, _ in parts(script.asked[0])]
    assert "pages" in names
    assert "pageRanges" not in names


def test_what_an_account_has_left_is_read_softly(script: Script) -> None:
    tenant = [
        {"assetTypeName": "PACKAGES", "asset": "190", "withholdingAsset": 2},
        {"assetTypeName": "SUBSCRIPTIONS", "asset": None},
        "odd",
    ]
    script.answer = lambda asked: envelope({"tenantAsset": tenant})
    assert made(script, "sync").assets() == (Asset("PACKAGES", 190, 2), Asset("SUBSCRIPTIONS", 0, 0))
    script.answer = lambda asked: Reply(json.dumps({"code": "200", "msg": "success", "data": []}).encode())
    assert made(script, "sync").assets() == ()
