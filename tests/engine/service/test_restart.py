"""Tasks outlive the engine that took them, however it ended; what cannot be gone on with says so."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.engine.service.outer import Outer
from tests.engine.service.running import (
    HTML,
    PATIENCE,
    PLAIN,
    RunningEngine,
    data_of,
    ended,
    refusal_of,
    task_info,
    until,
)


def _submitted(engine: RunningEngine, text: str, **more: object) -> str:
    return str(data_of(engine.post_async("html/pdf", ("file", "a.html", HTML + text.encode()), **more))["taskId"])


def _stop(engine: RunningEngine, how: str) -> None:
    if how == "killed":
        engine.process.kill()
    else:
        engine.process.terminate()
    engine.process.wait(PATIENCE)


def _begun(marker: Path) -> int:
    return len(marker.read_text("utf-8").splitlines()) if marker.exists() else 0


@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_running_and_waiting_tasks_are_gone_on_with(tmp_path: Path, how: str) -> None:
    marker = tmp_path / "marker"
    state = tmp_path / "state"
    with RunningEngine(state) as engine:
        finished = _submitted(engine, "x")
        ended(engine, finished)
        running = _submitted(engine, f"do: wait {marker}", headers={"Idempotency-Key": "k"})
        until(lambda: _begun(marker) == 1)
        waiting = _submitted(engine, "y")
        _stop(engine, how)
    Path(f"{marker}.go").touch()
    with RunningEngine(state) as engine:
        for task in (finished, running, waiting):
            done = ended(engine, task)
            assert (done["taskStatus"], done["taskSuccessNum"]) == ("TaskFinish", 1)
            assert PLAIN.get(done["fileInfoDTOList"][0]["downloadUrl"]).status_code == 200
        assert _submitted(engine, f"do: wait {marker}", headers={"Idempotency-Key": "k"}) == running
        total = engine.client.get("/v2/task/list").json()["data"]["total"]
        assert total == 3
    assert _begun(marker) == 2


def test_the_files_of_a_task_that_were_done_stay_done(tmp_path: Path) -> None:
    marker, once = tmp_path / "marker", tmp_path / "once"
    Path(f"{once}.go").touch()
    with RunningEngine(tmp_path / "state") as engine:
        files = [("file", "a.html", HTML + f"do: wait {path}".encode()) for path in (once, marker)]
        task = data_of(engine.post_async("html/pdf", *files))["taskId"]
        until(lambda: _begun(marker) == 1)
        _stop(engine, "killed")
    Path(f"{marker}.go").touch()
    with RunningEngine(tmp_path / "state") as engine:
        assert ended(engine, task)["taskSuccessNum"] == 2
    assert (_begun(once), _begun(marker)) == (1, 2)


def test_passwords_are_not_kept_and_their_tasks_say_so(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    state = tmp_path / "state"
    with RunningEngine(state) as engine:
        task = _submitted(engine, f"do: wait {marker}", data={"password": "hunter2", "language": "2"})
        until(marker.exists)
        made = data_of(
            engine.client.post(
                "/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html")), ("password", (None, "hunter2"))]
            )
        )
        _stop(engine, "killed")
    kept = b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())
    assert b"hunter2" not in kept
    with RunningEngine(state) as engine:
        record = ended(engine, task)["fileInfoDTOList"][0]
        assert (record["status"], record["failureCode"]) == ("failed", "01001")
        assert "密码" in record["failureReason"]
        assert PLAIN.put(
            made["presignedUrl"].replace(_netloc(made["presignedUrl"]), _netloc(engine.base_url)), content=HTML
        )
        answer = engine.client.get("/v2/execute/start", params={"taskId": made["taskId"]})
        assert refusal_of(answer) == (404, "05001")
        assert "passwords" in answer.json()["msg"]
    assert _begun(marker) == 1


def test_a_pre_signed_task_waits_for_its_file_over_a_restart(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        form = [("fileName", (None, "a.html")), ("language", (None, "1"))]
        made = data_of(engine.client.post("/v2/presignedUrl/html/pdf", files=form))
        _stop(engine, "killed")
    with RunningEngine(tmp_path) as engine:
        url = made["presignedUrl"].replace(_netloc(made["presignedUrl"]), _netloc(engine.base_url))
        assert PLAIN.put(url, content=HTML).status_code == 200
        _stop(engine, "stopped")
    with RunningEngine(tmp_path) as engine:
        assert engine.client.get("/v2/execute/start", params={"taskId": made["taskId"]}).status_code == 200
        assert ended(engine, made["taskId"])["taskSuccessNum"] == 1


def test_a_task_that_takes_the_engine_down_each_time_is_given_up(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    for number in range(1, 4):
        with RunningEngine(tmp_path / "state") as engine:
            if number == 1:
                task = _submitted(engine, f"do: hang {marker}")
            until(lambda: _begun(marker) == number)  # noqa: B023 -- used within this round
            _stop(engine, "killed")
    with RunningEngine(tmp_path / "state") as engine:
        assert ended(engine, task)["fileInfoDTOList"][0]["failureCode"] == "02210"
    assert _begun(marker) == 3


def test_an_orderly_end_does_not_count_against_a_task(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    for number in range(1, 5):
        with RunningEngine(tmp_path / "state") as engine:
            if number == 1:
                task = _submitted(engine, f"do: wait {marker}")
            until(lambda: _begun(marker) == number)  # noqa: B023 -- used within this round
            _stop(engine, "stopped")
    Path(f"{marker}.go").touch()
    with RunningEngine(tmp_path / "state") as engine:
        assert ended(engine, task)["taskSuccessNum"] == 1


def test_the_callback_of_a_task_is_called_by_the_engine_that_finishes_it(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    hosts = ("--inner-host", "127.0.0.1")
    with Outer() as outer:
        with RunningEngine(tmp_path / "state", *hosts) as engine:
            task = _submitted(engine, f"do: wait {marker}", data={"callbackUrl": outer.url})
            until(marker.exists)
            _stop(engine, "killed")
        Path(f"{marker}.go").touch()
        with RunningEngine(tmp_path / "state", *hosts):
            until(lambda: bool(outer.letters))
        assert [(body["eventName"], body["eventObject"]) for _, body in outer.letters] == [("task.finish", task)]


def test_a_long_rest_does_not_make_a_waiting_task_overdue(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    with RunningEngine(tmp_path / "state", "--overdue-seconds", "10") as engine:
        first = _submitted(engine, f"do: wait {marker}")  # its worker is born within that time, on a busy machine too
        until(marker.exists)
        waiting = _submitted(engine, "x")
        until(lambda: task_info(engine, waiting)["taskStatus"] == "TaskOverdue")
        assert task_info(engine, first)["taskStatus"] == "TaskProcessing"  # it waited, but no longer
        record = task_info(engine, waiting)["fileInfoDTOList"][0]
        assert (record["status"], record["failureCode"]) == ("failed", "05004")


def _netloc(url: str) -> str:
    return httpx.URL(url).netloc.decode()
