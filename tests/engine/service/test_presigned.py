"""The pre-signed flow: create, upload without the key, start, poll."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.engine.service.running import (
    HTML,
    PATIENCE,
    PDF,
    PLAIN,
    RunningEngine,
    data_of,
    ended,
    refusal_of,
    task_info,
    until,
)

_FORM = [("parameter", (None, ""))]


def _create(engine: RunningEngine, path: str = "/html/pdf", **data: Any) -> httpx.Response:
    headers = data.pop("headers", None)
    return engine.client.post(
        f"/v2/presignedUrl{path}", data={"fileName": "a.html", **data}, files=_FORM, headers=headers
    )


def _put(url: str, content: bytes) -> httpx.Response:
    return PLAIN.put(url, content=content, headers={"Content-Type": "text/html"})


def _start(engine: RunningEngine, task: str) -> httpx.Response:
    return engine.client.get("/v2/execute/start", params={"taskId": task})


def test_the_whole_flow(engine: RunningEngine) -> None:
    made = data_of(_create(engine, password="hunter2"))
    assert task_info(engine, made["taskId"])["taskStatus"] == "TaskStart"
    assert _put(made["presignedUrl"], HTML).is_success
    assert data_of(_start(engine, made["taskId"])) == {"taskId": made["taskId"]}
    record = ended(engine, made["taskId"])["fileInfoDTOList"][0]
    assert (record["fileName"], record["fileSize"], record["status"]) == ("a.html", len(HTML), "success")
    told = PLAIN.get(record["downloadUrl"]).json()
    assert told["parameters"]["password"] == "hunter2"
    assert told["sources"][0]["text"] == HTML.decode()
    assert json.loads(record["fileParameter"]) == {"password": "***"}


def test_the_older_form_names_operation_or_task(engine: RunningEngine) -> None:
    first = data_of(_create(engine, "", executeTypeUrl="html/pdf", parameter='{"language": 1}'))
    second = data_of(_create(engine, "", taskId=first["taskId"], fileName="b.html"))
    assert second["taskId"] == first["taskId"]
    for made in (second, first):
        assert _put(made["presignedUrl"], HTML).is_success
    assert _start(engine, first["taskId"]).is_success
    done = ended(engine, first["taskId"])
    assert [record["fileName"] for record in done["fileInfoDTOList"]] == ["a.html", "b.html"]
    assert done["taskSuccessNum"] == 2


def test_no_task_takes_more_than_five_files(engine: RunningEngine) -> None:
    task = data_of(_create(engine))["taskId"]
    for _ in range(4):
        data_of(_create(engine, "", taskId=task))
    assert refusal_of(_create(engine, "", taskId=task)) == (400, "05003")


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("/html/pdf", {"fileName": ""}, (400, "03000")),
        ("/html/pdf", {"callbackUrl": "ftp://host/"}, (400, "03000")),
        ("/no/way", {}, (404, "404")),
        ("/pdf/convertType", {}, (400, "03000")),
        ("/pdf/merge", {}, (400, "03000")),
        ("/pdf/generate", {"html": "x"}, (400, "03000")),
        ("/pdf/markdown", {"enableOcr": "maybe"}, (400, "03000")),
        ("/pdf/markdown", {"parameter": "{"}, (400, "01006")),
        ("", {}, (400, "03000")),
        ("", {"executeTypeUrl": "no/way"}, (404, "404")),
        ("", {"executeTypeUrl": "../html/pdf"}, (404, "404")),
        ("", {"taskId": "nobody"}, (404, "05001")),
    ],
)
def test_a_wrong_creation_is_refused(
    engine: RunningEngine, path: str, data: dict[str, str], expected: tuple[int, str]
) -> None:
    assert refusal_of(_create(engine, path, **data)) == expected


def test_a_start_needs_the_file_and_is_done_once(engine: RunningEngine) -> None:
    made = data_of(_create(engine))
    assert refusal_of(_start(engine, made["taskId"])) == (400, "05005")
    assert _put(made["presignedUrl"], b"GIF89a").is_success
    assert refusal_of(_start(engine, made["taskId"])) == (400, "02002")
    assert _put(made["presignedUrl"], b"").is_success
    assert refusal_of(_start(engine, made["taskId"])) == (400, "04002")
    assert _put(made["presignedUrl"], HTML).is_success  # the last upload before the start counts
    assert _start(engine, made["taskId"]).is_success
    assert refusal_of(_start(engine, made["taskId"])) == (409, "05002")
    assert refusal_of(_put(made["presignedUrl"], HTML)) == (409, "05002")
    assert refusal_of(_create(engine, "", taskId=made["taskId"])) == (409, "05002")
    assert ended(engine, made["taskId"])["taskSuccessNum"] == 1


def test_rules_between_parameters_and_file_hold_at_the_start(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, real=True) as engine:
        made = data_of(_create(engine, "/pdf/insert", fileName="a.pdf", actionType="FROM_PDF", index="1"))
        assert _put(made["presignedUrl"], PDF).is_success
        assert refusal_of(_start(engine, made["taskId"])) == (400, "03000")


def test_an_address_that_was_guessed_or_is_too_old_takes_nothing(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--upload-seconds", "0.1") as engine:
        for token in ("x", "", "..", "%00"):
            assert _put(f"{engine.base_url}/v2/upload/{token}", HTML).status_code == 404
        made = data_of(_create(engine))
        until(lambda: _put(made["presignedUrl"], HTML).status_code == 410)
        assert refusal_of(_put(made["presignedUrl"], HTML)) == (410, "05004")


def test_too_large_a_file_is_refused_and_not_kept(engine: RunningEngine) -> None:
    made = data_of(_create(engine))
    assert refusal_of(_put(made["presignedUrl"], HTML + bytes(2_000_000))) == (413, "02209")
    assert refusal_of(_start(engine, made["taskId"])) == (400, "05005")
    assert not list((engine.state / "files" / made["taskId"] / "in").iterdir())


def test_an_upload_that_breaks_off_is_no_upload(engine: RunningEngine) -> None:
    made = data_of(_create(engine))

    def broken() -> Any:
        yield HTML
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 -- the one raised above
        PLAIN.put(made["presignedUrl"], content=broken())
    until(lambda: not list((engine.state / "files" / made["taskId"] / "in").iterdir()))
    assert refusal_of(_start(engine, made["taskId"])) == (400, "05005")


def test_an_address_takes_one_upload_at_a_time(engine: RunningEngine) -> None:
    made = data_of(_create(engine))
    began, go_on = threading.Event(), threading.Event()

    def slow() -> Iterator[bytes]:
        yield HTML
        began.set()
        go_on.wait(PATIENCE)
        yield b"the rest"

    with ThreadPoolExecutor(1) as beside:
        first = beside.submit(PLAIN.put, made["presignedUrl"], content=slow())
        assert began.wait(PATIENCE)
        folder = engine.state / "files" / made["taskId"] / "in"
        until(lambda: any(folder.iterdir()))
        second = _put(made["presignedUrl"], HTML)
        go_on.set()
        assert first.result().is_success
    assert refusal_of(second) == (409, "05002")
    assert _put(made["presignedUrl"], HTML).is_success
    assert _start(engine, made["taskId"]).is_success


def test_the_same_key_gets_the_same_address(engine: RunningEngine) -> None:
    keyed = {"Idempotency-Key": "secure-1"}
    assert data_of(_create(engine, headers=keyed)) == data_of(_create(engine, headers=keyed))


def test_the_address_to_upload_to_does_not_give_the_result(engine: RunningEngine) -> None:
    made = data_of(_create(engine))
    _put(made["presignedUrl"], HTML)
    _start(engine, made["taskId"])
    ended(engine, made["taskId"])
    token = made["presignedUrl"].rpartition("/")[2]
    assert refusal_of(PLAIN.get(f"{engine.base_url}/v2/download/{token}/told.json")) == (410, "05004")


def test_a_task_that_is_never_started_becomes_overdue(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--overdue-seconds", "0.001") as engine:
        task = data_of(_create(engine))["taskId"]
        until(lambda: task_info(engine, task)["taskStatus"] == "TaskOverdue")
        record = ended(engine, task)["fileInfoDTOList"][0]
        assert (record["status"], record["failureCode"]) == ("failed", "05004")
        assert refusal_of(_start(engine, task)) == (409, "05002")
