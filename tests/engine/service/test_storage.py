"""What the engine keeps is bounded: it says so when there is no room, and frees itself as results expire."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.engine.tasks.storage import FolderBlobs
from paperchute.engine.work import AskLater, Refused
from tests.engine.service.outer import Outer
from tests.engine.service.running import HTML, KEY, PDF, PLAIN, RunningEngine, data_of, record_of, refusal_of, until

_NOISE = random.Random(1).randbytes(60_000)
_PAGE = HTML + _NOISE


def _told_to_wait(answer: httpx.Response) -> None:
    assert refusal_of(answer) == (503, "01001")
    assert "storage" in answer.json()["msg"]
    assert int(answer.headers["retry-after"]) > 0


def test_an_upload_beyond_the_room_is_told_to_come_later_in_every_mode(tmp_path: Path) -> None:
    with Outer() as outer, RunningEngine(tmp_path, "--max-storage", "50000", "--inner-host", "127.0.0.1") as engine:
        outer.pages["/x.pdf"] = (200, {}, PDF + _NOISE)
        _told_to_wait(engine.post("html/pdf", ("file", "a.html", _PAGE)))
        _told_to_wait(engine.post_async("html/pdf", ("file", "a.html", _PAGE)))
        made = data_of(engine.client.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]))
        _told_to_wait(PLAIN.put(made["presignedUrl"], content=_PAGE))
        form = [("url", (None, outer.url + "/x.pdf")), ("mode", (None, "VisualExtract"))]
        hub = PLAIN.post(
            engine.base_url + "/api/v2/files/upload", files=form, headers={"Authorization": f"Bearer {KEY}"}
        )
        assert (hub.status_code, hub.json()["code"]) == (503, 1001)
        assert "存储" in engine.post("html/pdf", ("file", "a.html", _PAGE), data={"language": "2"}).json()["msg"]
        assert record_of(engine.html("small"))["status"] == "success"  # what was refused has left its room


def test_an_upload_to_a_task_that_is_closed_meanwhile_ends_at_once(tmp_path: Path) -> None:
    """What it went on to send lay on the disk, counted to nobody, for as long as its sender wished."""
    with RunningEngine(tmp_path) as engine:
        made = data_of(engine.client.post("/v2/presignedUrl/html/pdf", files=[("fileName", (None, "a.html"))]))
        link = httpx.URL(made["presignedUrl"])
        with contextlib.closing(http.client.HTTPConnection(link.host, link.port or 80, timeout=60)) as sending:
            sending.putrequest("PUT", link.raw_path.decode())
            sending.putheader("Content-Length", str(1 << 30))
            sending.endheaders()
            sending.send(_PAGE)
            until(lambda: any(path.stat().st_size for path in tmp_path.glob("files/*/in/*")))
            engine.client.post("/v2/task/closeTask", params={"taskId": made["taskId"]})
            sending.send(_PAGE)
            answer = sending.getresponse()  # with most of the file to come
            assert (answer.status, json.loads(answer.read())["code"]) == (409, "05002")


def test_nothing_is_counted_to_a_task_that_is_gone(tmp_path: Path) -> None:
    files = FolderBlobs(tmp_path, 100, 50)
    task = files.new_task("a key")
    files.take(task, 40)
    files.discard(task)
    with pytest.raises(Refused):
        files.take(task, 1)
    other = files.new_task("a key")
    files.take(other, 50)
    with pytest.raises(AskLater):
        files.take(other, 1)


def test_results_take_room_until_they_expire(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--max-storage", "900", "--result-seconds", "10") as engine:
        records = [record_of(engine.html("x"))]
        while records[-1]["status"] == "success":
            records.append(record_of(engine.html("x")))
            assert len(records) < 20
        assert len(records) > 2
        assert records[-1]["failureCode"] == "01002"
        assert "storage" in records[-1]["failureReason"]
        until(lambda: record_of(engine.html("x"))["status"] == "success")


def test_a_result_beyond_the_room_is_a_failed_record(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--max-storage", "30") as engine:
        record = record_of(engine.html("x"))
        assert (record["status"], record["failureCode"], record["downloadUrl"]) == ("failed", "01002", None)
        assert record_of(engine.html("do: refuse"))["failureCode"] == "02201"


def test_a_restart_counts_what_lies_there(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        kept = record_of(engine.html("x"))["convertSize"]
    with RunningEngine(tmp_path, "--max-storage", str(kept)) as engine:
        answer = engine.html("x")
        _told_to_wait(answer)
        assert "1 MB" in answer.json()["msg"]


@given(
    st.lists(st.tuples(st.sampled_from(["take", "count", "drop", "discard"]), st.integers(0, 2), st.integers(0, 60)))
)
@settings(max_examples=50, deadline=None)
def test_the_count_is_what_lies_on_disk_after_any_story(
    tmp_path_factory: pytest.TempPathFactory, story: list[tuple[str, int, int]]
) -> None:
    root = tmp_path_factory.mktemp("files")
    files = FolderBlobs(root, 100)
    tasks = [files.new_task() for _ in range(3)]
    for number, (action, which, size) in enumerate(story):
        task = tasks[which]
        if action == "take" and files.inputs(task).is_dir():
            try:
                files.take(task, size)
            except AskLater:
                assert _lying(root) + size > 100
            else:
                (files.inputs(task) / str(number)).write_bytes(bytes(size))
        elif action == "count":
            files.count_again(task)
        elif action == "drop":
            files.drop_inputs(task)
        elif action == "discard":
            files.discard(task)
        assert _lying(root) <= 100
    left, other = 100 - _lying(root), files.new_task()
    files.take(other, left)
    with pytest.raises(AskLater):
        files.take(other, 1)


def _lying(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def test_expired_results_go_without_a_restart(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--result-seconds", "0.3") as engine:
        task = record_of(engine.html("x"))["taskId"]
        until(lambda: not (tmp_path / "files" / task).exists())
