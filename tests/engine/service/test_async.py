"""The asynchronous mode and what clients ask about tasks."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from paperchute.contract import contract
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceAddress, ServiceError
from tests.engine.service.running import (
    HTML,
    KEY,
    PDF,
    PLAIN,
    RunningEngine,
    data_of,
    ended,
    record_of,
    refusal_of,
    task_info,
    until,
)

_PAGE = ("file", "page.html", HTML)
_PDF = ("file", "a.pdf", PDF)
_PATHS = contract().raw["async"]["call"]


def _submitted(engine: RunningEngine, *texts: str, **more: object) -> str:
    files = [("file", f"{number}.html", HTML + text.encode()) for number, text in enumerate(texts)]
    return str(data_of(engine.post_async("html/pdf", *files, **more))["taskId"])


def test_a_task_is_taken_at_once_and_its_record_comes_later(engine: RunningEngine, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    task = _submitted(engine, f"do: wait {marker}")
    until(marker.exists)
    running = task_info(engine, task)
    assert running["taskStatus"] == "TaskProcessing"
    assert running["fileInfoDTOList"][0]["status"] == "processing"
    assert running["fileInfoDTOList"][0]["downloadUrl"] is None
    Path(f"{marker}.go").touch()
    done = ended(engine, task)
    ours = {"pagesDone", "pagesTotal"}
    assert set(done) == {field["name"] for field in contract().raw["task_object"]["fields"]} | ours
    assert (done["taskId"], done["taskFileNum"], done["taskSuccessNum"], done["taskFailNum"]) == (task, 1, 1, 0)
    assert (done["sourceType"], done["targetType"], done["callbackUrl"]) == ("html", "pdf", "")
    record = done["fileInfoDTOList"][0]
    assert (record["status"], record["taskId"]) == ("success", task)
    assert set(record) == {*contract().record_fields, "warnings", "notes", "words", "questions", "pages"}
    assert len(PLAIN.get(record["downloadUrl"]).content) == record["convertSize"]


def test_several_files_are_one_task_with_a_record_each(engine: RunningEngine) -> None:
    done = ended(engine, _submitted(engine, "x", "do: refuse", "y"))
    records = done["fileInfoDTOList"]
    assert (done["taskFileNum"], done["taskSuccessNum"], done["taskFailNum"]) == (3, 2, 1)
    assert [(record["fileName"], record["status"], record["failureCode"]) for record in records] == [
        ("0.html", "success", None),
        ("1.html", "failed", "02201"),
        ("2.html", "success", None),
    ]
    assert len({record["fileKey"] for record in records}) == 3
    for record in (records[0], records[2]):
        assert PLAIN.get(record["downloadUrl"]).json()["sources"][0]["name"] == record["fileName"]


def test_files_that_belong_together_are_one_record(engine: RunningEngine) -> None:
    done = ended(engine, data_of(engine.post_async("pdf/merge", _PDF, _PDF, _PDF))["taskId"])
    assert [record["status"] for record in done["fileInfoDTOList"]] == ["success"]


def test_a_task_takes_five_files_and_no_more(engine: RunningEngine) -> None:
    assert ended(engine, _submitted(engine, *"abcde"))["taskSuccessNum"] == 5
    assert refusal_of(engine.post_async("html/pdf", *[_PAGE] * 6)) == (400, "05003")


def test_a_wrong_request_is_refused_before_there_is_a_task(engine: RunningEngine) -> None:
    assert refusal_of(engine.post_async("html/pdf")) == (400, "01005")
    assert refusal_of(engine.post_async("no/way", _PAGE)) == (404, "404")
    assert refusal_of(engine.post_async("pdf/convertType", _PDF)) == (400, "03000")
    assert refusal_of(engine.post_async("html/pdf", _PAGE, _PDF)) == (400, "02002")
    for url in ("file:///etc/passwd", "no address", "http://", "http://user:word@host/", "http://host:port/"):
        answer = engine.post_async("html/pdf", _PAGE, data={"callbackUrl": url})
        assert refusal_of(answer) == (400, "03000")
        assert "callbackUrl" in answer.json()["msg"]


def test_a_synchronous_call_ignores_the_callback(engine: RunningEngine) -> None:
    record = record_of(engine.post("html/pdf", _PAGE, data={"callbackUrl": "no address"}))
    assert task_info(engine, record["taskId"])["callbackUrl"] == ""


def test_a_synchronous_call_can_be_asked_about_by_its_task_id(engine: RunningEngine) -> None:
    record = record_of(engine.html("x"))
    info = task_info(engine, record["taskId"])
    assert (info["taskStatus"], info["fileInfoDTOList"]) == (record["taskStatus"], record["fileInfoDTOList"])


def test_a_failed_file_of_an_asynchronous_task_keeps_its_language(engine: RunningEngine) -> None:
    done = ended(engine, _submitted(engine, "do: refuse", data={"language": "2"}))
    assert done["fileInfoDTOList"][0]["failureReason"] == "a.html 文件已加密，需要密码"


@pytest.mark.parametrize("path", ["/v2/task/taskInfo", "/v2/execute/start", "/v2/task/closeTask"])
def test_a_task_must_be_named_and_known(engine: RunningEngine, path: str) -> None:
    method = "POST" if path.endswith("closeTask") else "GET"
    assert refusal_of(engine.client.request(method, path)) == (400, "01007")
    assert refusal_of(engine.client.request(method, path, params={"taskId": "  "})) == (400, "01007")
    assert refusal_of(engine.client.request(method, path, params={"taskId": "nobody"})) == (404, "05001")
    said = engine.client.request(method, path, params={"taskId": "nobody", "language": "2"}).json()["msg"]
    assert said == "任务不存在"
    assert refusal_of(PLAIN.request(method, engine.base_url + path, params={"taskId": "x"})) == (401, "401")


def test_the_list_comes_in_both_of_its_forms(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        tasks = [ended(engine, _submitted(engine, text))["taskId"] for text in "abc"]
        body = engine.client.get("/v2/task/list", params={"page": "1", "size": "2"}).json()
        assert body["data"] == {name: body[name] for name in ("records", "total", "size", "current", "pages")}
        assert (body["total"], body["size"], body["current"], body["pages"]) == (3, 2, 1, 2)
        assert [entry["taskId"] for entry in body["records"]] == [tasks[2], tasks[1]]
        fields = next(call["record_fields"] for call in _PATHS if call["id"] == "task-list")
        assert set(body["records"][0]) == set(fields)
        second = engine.client.get("/v2/task/list", params={"page": "2", "pageSize": "2"}).json()
        assert [entry["taskId"] for entry in second["data"]["records"]] == [tasks[0]]
        assert engine.client.get("/v2/task/list").json()["data"]["size"] == 10
        for query in ({"page": "0"}, {"size": "-1"}, {"size": "many"}, {"page": "9" * 30}, {"size": "²"}):
            assert refusal_of(engine.client.get("/v2/task/list", params=query)) == (400, "03000")


def test_a_queued_and_a_running_task_can_be_closed_and_a_finished_one_not(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    with RunningEngine(tmp_path / "state") as engine:
        running = _submitted(engine, f"do: hang {marker}")
        until(marker.exists)
        queued = _submitted(engine, "x")
        assert task_info(engine, queued)["taskStatus"] == "TaskWaiting"
        for task in (queued, running):
            closed = engine.client.post("/v2/task/closeTask", params={"taskId": task}).json()
            assert (closed["code"], closed["data"]) == ("200", None)
            info = task_info(engine, task)
            assert (info["taskStatus"], info["taskFailNum"]) == ("TaskFinish", 1)
            assert info["fileInfoDTOList"][0]["failureCode"] == "05002"
            again = engine.client.post("/v2/task/closeTask", params={"taskId": task})
            assert refusal_of(again) == (409, "05002")
        done = ended(engine, _submitted(engine, "x"))
        assert done["taskSuccessNum"] == 1
        answer = engine.client.post("/v2/task/closeTask", params={"taskId": done["taskId"]})
        assert refusal_of(answer) == (409, "05002")


def test_closing_at_any_moment_leaves_a_task_either_finished_or_gone(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, workers=2) as engine:
        tasks = []
        for number in range(40):
            task = _submitted(engine, "x", "y")
            time.sleep(number % 8 * 0.004)  # anywhere between queued and finished
            tasks.append((task, engine.client.post("/v2/task/closeTask", params={"taskId": task}).status_code))
        for task, status in tasks:
            done = ended(engine, task)
            downloads = [record["downloadUrl"] for record in done["fileInfoDTOList"]]
            if status == 200:
                assert (done["taskFailNum"], downloads) == (2, [None, None])
            else:
                assert (status, done["taskSuccessNum"]) == (409, 2)
                assert {PLAIN.get(str(url)).status_code for url in downloads} == {200}
        assert engine.html("still here").status_code == 200


def test_the_same_key_gets_the_same_task_and_another_mode_is_refused(engine: RunningEngine, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    Path(f"{marker}.go").touch()
    keyed = {"headers": {"Idempotency-Key": "async-1"}}
    first = _submitted(engine, f"do: wait {marker}", **keyed)
    assert _submitted(engine, f"do: wait {marker}", **keyed) == first
    ended(engine, first)
    assert _submitted(engine, f"do: wait {marker}", **keyed) == first
    assert len(marker.read_text("utf-8").splitlines()) == 1
    assert refusal_of(engine.html("x", **keyed)) == (400, "03000")


def test_an_expired_task_is_said_to_be_expired(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--result-seconds", "0.2") as engine:
        task = _submitted(engine, "x")
        query = {"taskId": task}
        until(lambda: engine.client.get("/v2/task/taskInfo", params=query).status_code == 410)
        assert refusal_of(engine.client.get("/v2/task/taskInfo", params=query)) == (410, "05004")


def test_older_paths_lead_to_the_operations_of_today(engine: RunningEngine) -> None:
    done = ended(engine, data_of(engine.post_async("pdf/png", _PDF))["taskId"])
    record = done["fileInfoDTOList"][0]
    assert (record["sourceType"], record["targetType"]) == ("pdf", "img")
    assert PLAIN.get(record["downloadUrl"]).json()["parameters"]["imageFormat"] == "PNG"
    assert refusal_of(engine.post("doc/pdf", ("file", "a.doc", b"x"))) == (400, "02002")  # a kind that is not printed


def test_every_call_of_the_contract_has_its_route_under_both_prefixes(engine: RunningEngine) -> None:
    calls = [(call["method"], call["path"]) for call in _PATHS]
    calls += [
        (c["method"], c["path"]) for c in contract().raw["presigned"]["call"] if c["id"] in ("create-generic", "start")
    ]
    calls += [("POST", o.path.replace("/process/", f"/{mode}/")) for o in contract().operations.values()
              for mode in ("process", "processAsync", "presignedUrl")]  # fmt: skip
    calls.append(("POST", contract().raw["upload"]["path"]))
    for method, path in calls:
        for base in (engine.base_url, engine.base_url.removesuffix("/server")):
            assert PLAIN.request(method, base + path).status_code == 401, path
            headers = {"x-api-key": KEY, "Authorization": f"Bearer {KEY}"}
            assert PLAIN.request(method, base + path, headers=headers).json()["code"] != "404", path


def test_a_call_that_nobody_wants_any_more_is_ended_by_the_daemons_client(tmp_path: Path) -> None:
    """Of a synchronous call the client knows no task, only its own idempotency key."""
    marker = tmp_path / "marker"
    source = tmp_path / "page.html"
    source.write_bytes(HTML + f"do: hang {marker}".encode())
    with RunningEngine(tmp_path / "state") as engine:
        address = ServiceAddress(engine.base_url, KEY, mode="sync", local=True)
        with closing(ServiceClient(address)) as client, ThreadPoolExecutor(1) as pool:
            running = pool.submit(client.call, Call("html-to-pdf", (("file", source),), {}, "key-of-the-call"))
            until(marker.exists)
            client.abandon("key-of-the-call", "")
            with pytest.raises(ServiceError) as ended_call:
                running.result(60)
            assert ended_call.value.code == "05002"
            source.write_bytes(HTML)
            assert client.call(Call("html-to-pdf", (("file", source),), {}, "another")).task_id  # its worker is free
