"""Results and their repetition: ZIPs, ranges, expiry, restarts, and the idempotency key."""

from __future__ import annotations

import io
import sqlite3
import threading
import zipfile
from contextlib import closing
from pathlib import Path

import httpx

from tests.engine.service.running import PLAIN, RunningEngine, record_of, refusal_of, told_by, until


def _keyed(engine: RunningEngine, text: str, key: str, **more: object) -> httpx.Response:
    return engine.html(text, headers={"Idempotency-Key": key}, **more)


def _begun(marker: Path) -> int:
    return len(marker.read_text("utf-8").splitlines()) if marker.exists() else 0


def _expire_all(state: Path) -> None:
    with closing(sqlite3.connect(state / "tasks.sqlite")) as database, database:
        database.execute("update task set expires = 1")


def test_several_outputs_come_as_one_zip_named_after_the_source(engine: RunningEngine) -> None:
    record = record_of(engine.html("do: several"))
    assert record["downFileName"] == "page.zip"
    assert record["pages"] == 1
    with zipfile.ZipFile(io.BytesIO(PLAIN.get(record["downloadUrl"]).content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "page 1.txt": b"output 0",
            "images/ü.txt": b"output 1",
        }


def test_what_a_result_lacks_stands_in_its_record_in_the_language_of_the_call(engine: RunningEngine) -> None:
    assert record_of(engine.html("x"))["warnings"] == []
    assert record_of(engine.html("do: warn incomplete"))["warnings"] == ["a.html has no pages.", "incomplete"]
    chinese = record_of(engine.html("do: warn incomplete", data={"language": "2"}))
    assert chinese["warnings"] == ["a.html 没有页面。", "incomplete"]
    assert record_of(engine.html("y"))["warnings"] == []  # the same worker, another task


def test_the_tasks_of_the_release_before_are_kept(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        task = record_of(_keyed(engine, "x", "once"))["taskId"]
    with closing(sqlite3.connect(tmp_path / "tasks.sqlite")) as database, database:
        for column in ("warnings", "notes", "words", "epoch", "job", "pages", "questions"):
            database.execute(f"alter table run drop column {column}")
        database.execute("pragma user_version = 2")
    with RunningEngine(tmp_path) as engine:
        record = record_of(_keyed(engine, "x", "once"))
        assert (record["taskId"], record["warnings"], record["pages"], record["questions"]) == (task, [], 0, [])


def test_a_broken_download_can_go_on_where_it_stopped(engine: RunningEngine) -> None:
    url = record_of(engine.html("x"))["downloadUrl"]
    whole = PLAIN.get(url).content
    rest = PLAIN.get(url, headers={"Range": "bytes=10-"})
    assert (rest.status_code, rest.content) == (206, whole[10:])


def test_a_guessed_address_gives_nothing(engine: RunningEngine) -> None:
    record = record_of(engine.html("x"))
    for token in (record["taskId"], "x", "..", "%2e%2e%2ftasks.sqlite"):
        answer = PLAIN.get(f"{engine.base_url}/v2/download/{token}/told.json")
        assert answer.status_code in (404, 410)
        assert answer.json()["data"] is None


def test_an_expired_result_is_gone_for_good(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        answer = _keyed(engine, "x", "once")
        url = record_of(answer)["downloadUrl"]
        assert PLAIN.get(url).status_code == 200
        _expire_all(tmp_path)
        assert refusal_of(PLAIN.get(url)) == (410, "05004")
        again = record_of(_keyed(engine, "x", "once"))  # its answer would be of no use: it is done again
        assert again["taskId"] != record_of(answer)["taskId"]
        assert PLAIN.get(again["downloadUrl"]).status_code == 200


def test_expired_results_are_removed_from_disk_at_the_next_start(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        engine.html("x")
    _expire_all(tmp_path)
    with RunningEngine(tmp_path):
        assert list((tmp_path / "files").iterdir()) == []


def test_a_result_outlives_the_engine_that_made_it(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        record = record_of(engine.html("x"))
        content = PLAIN.get(record["downloadUrl"]).content
        path = record["downloadUrl"].removeprefix(engine.base_url)
    with RunningEngine(tmp_path) as engine:
        assert PLAIN.get(engine.base_url + path).content == content


def test_a_broken_list_of_tasks_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "tasks.sqlite").write_bytes(b"no database at all" * 1000)
    with RunningEngine(tmp_path) as engine:
        assert record_of(engine.html("x"))["status"] == "success"
    assert (tmp_path / "broken-tasks.sqlite").is_file()


def test_the_same_key_gets_the_same_answer_without_doing_it_again(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    Path(f"{marker}.go").touch()
    with RunningEngine(tmp_path / "state") as engine:
        first = record_of(_keyed(engine, f"do: wait {marker}", "k1"))
        assert record_of(_keyed(engine, f"do: wait {marker}", "k1")) == first
        failed = record_of(_keyed(engine, "do: refuse", "k2"))
        assert record_of(_keyed(engine, "do: refuse", "k2")) == failed
    with RunningEngine(tmp_path / "state") as engine:
        after = record_of(_keyed(engine, f"do: wait {marker}", "k1"))
        assert after["taskId"] == first["taskId"]
        assert PLAIN.get(after["downloadUrl"]).status_code == 200  # at the new port
        assert record_of(_keyed(engine, f"do: wait {marker}", "k3"))["taskId"] != first["taskId"]
    assert _begun(marker) == 2


def test_the_same_key_joins_a_task_that_still_runs(engine: RunningEngine, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    answers: list[httpx.Response] = []
    threads = [
        threading.Thread(target=lambda: answers.append(_keyed(engine, f"do: wait {marker}", "joined"))) for _ in "abc"
    ]
    for thread in threads:
        thread.start()
    until(lambda: _begun(marker) > 0)
    Path(f"{marker}.go").touch()
    for thread in threads:
        thread.join()
    assert len({record_of(answer)["taskId"] for answer in answers}) == 1
    assert _begun(marker) == 1


def test_a_client_that_went_away_finds_its_answer_under_its_key(engine: RunningEngine, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    with engine.left_alone(f"do: wait {marker}", {"Idempotency-Key": "gone"}):
        until(lambda: _begun(marker) > 0)
    Path(f"{marker}.go").touch()
    assert told_by(_keyed(engine, f"do: wait {marker}", "gone"))
    assert _begun(marker) == 1


def test_a_task_that_died_with_its_engine_is_done_again_when_asked_again(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    with RunningEngine(tmp_path / "state") as engine:
        with engine.left_alone(f"do: wait {marker}", {"Idempotency-Key": "died"}):
            until(lambda: _begun(marker) > 0)
        engine.process.kill()
        engine.process.wait()
    Path(f"{marker}.go").touch()
    with RunningEngine(tmp_path / "state") as engine:
        assert record_of(_keyed(engine, f"do: wait {marker}", "died"))["status"] == "success"
    assert _begun(marker) == 2


def test_one_key_serves_one_operation(engine: RunningEngine) -> None:
    _keyed(engine, "x", "mixed")
    other = engine.post("pdf/markdown", ("file", "a.pdf", b"%PDF-1.7"), headers={"Idempotency-Key": "mixed"})
    assert refusal_of(other) == (400, "03000")
    assert "html-to-pdf" in other.json()["msg"]


def test_a_refused_request_does_not_use_its_key_up(engine: RunningEngine) -> None:
    assert refusal_of(engine.post("html/pdf", headers={"Idempotency-Key": "fresh"})) == (400, "01005")
    assert record_of(_keyed(engine, "x", "fresh"))["status"] == "success"


def test_every_call_is_one_line_in_the_log(engine: RunningEngine) -> None:
    done = record_of(_keyed(engine, "x", "logged"))
    engine.post("html/pdf", headers={"Idempotency-Key": "logged-2"})
    lines = {line["key"]: line for line in engine.calls() if str(line.get("key", "")).startswith("logged")}
    line = lines["logged"]
    assert (line["operation"], line["task"], line["outcome"]) == ("html-to-pdf", done["taskId"], "success")
    assert (line["in"], line["out"]) == (done["fileSize"], done["convertSize"])
    assert {"time", "ms", "worker_ms"} <= set(line)
    assert (lines["logged-2"]["outcome"], lines["logged-2"]["code"]) == ("refused", "01005")
