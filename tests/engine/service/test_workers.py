"""Hostile documents: each costs its own task, never the service."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from paperchute.engine.report import LONGEST, MOST
from tests.engine.service.running import (
    HTML,
    RunningEngine,
    data_of,
    ended,
    record_of,
    refusal_of,
    task_info,
    told_by,
    until,
)

_LIMITS = ("--memory", str(300 << 20), "--max-output", str(20 << 20))


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine with one worker that may take little memory and write little, but has the time to get there."""
    with RunningEngine(tmp_path_factory.mktemp("strict"), *_LIMITS) as running:
        yield running


@pytest.fixture(scope="module")
def unfenced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """As `strict`, on a system without fences, where a worker can start processes."""
    with RunningEngine(tmp_path_factory.mktemp("unfenced"), *_LIMITS, fenced=False) as running:
        yield running


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine with one worker that has little time for a task."""
    with RunningEngine(tmp_path_factory.mktemp("hurried"), "--task-seconds", "2") as running:
        yield running


def _failure(engine: RunningEngine, text: str) -> tuple[str, str]:
    record = record_of(engine.html(text))
    assert record["status"] == "failed"
    assert record["downloadUrl"] is None
    return record["failureCode"], record["failureReason"]


@pytest.mark.parametrize(
    ("action", "code", "reason"),
    [
        ("exit", "02210", "the document crashed the process that worked on it"),
        ("segfault", "02210", "the document crashed the process that worked on it"),
        ("eat", "02210", "the document needs more than the 300 MB of memory that a task may have"),
        ("flood", "02210", "the result is larger than a task may write"),
        ("files", "02210", "the document needs more open files than a task may have"),
        ("fail", "02210", "the document could not be processed"),
        ("nothing", "02210", "the operation produced no output"),
        ("refuse", "02201", "a.html is locked and no password was given"),
    ],
)
def test_a_bad_document_fails_alone_and_the_next_is_done(
    strict: RunningEngine, action: str, code: str, reason: str
) -> None:
    assert _failure(strict, f"do: {action}") == (code, reason)
    assert record_of(strict.html("next"))["status"] == "success"


def test_a_document_that_never_ends_fails_alone_and_the_next_is_done(hurried: RunningEngine) -> None:
    assert _failure(hurried, f"do: hang {os.devnull}") == ("190006", "it took longer than 2 seconds")
    assert record_of(hurried.html("next"))["status"] == "success"


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine with one worker that may hardly use the processor, but wait as long as it likes."""
    with RunningEngine(tmp_path_factory.mktemp("idle"), "--processor-seconds", "1") as running:
        yield running


@pytest.mark.parametrize(("text", "seconds"), [("do: spin", 1), ("do: spin\n" + "x" * 20_000, 3)])
def test_processor_time_goes_by_the_size_of_the_file(idle: RunningEngine, text: str, seconds: int) -> None:
    code, reason = _failure(idle, text)
    assert code == "190006"
    assert reason.startswith(f"it took more than the {seconds} seconds of processor time")
    assert record_of(idle.html("next"))["status"] == "success"


def test_each_page_that_is_done_gives_more_processor_time(idle: RunningEngine) -> None:
    assert record_of(idle.html("do: spin 6"))["status"] == "success"


def test_outputs_from_elsewhere_are_not_given_out(strict: RunningEngine) -> None:
    assert _failure(strict, "do: escape") == ("02210", "the document crashed the process that worked on it")


def test_trained_data_that_ends_the_worker_is_named_instead_of_the_document(strict: RunningEngine) -> None:
    code, reason = _failure(strict, "do: load rus")
    assert code == "190005"
    assert reason.startswith("Tesseract's data rus.traineddata cannot be used: it is damaged.")


def test_a_failure_says_nothing_of_this_machine_and_the_log_says_all_but_secrets(strict: RunningEngine) -> None:
    for data, quoted in (({"password": "hunter2"}, False), ({}, True)):
        answer = strict.html("do: fail", data=data)
        record = record_of(answer)
        assert str(strict.state) not in answer.text
        assert "ValueError" not in answer.text
        lines = [json.loads(line) for line in strict.log_file.read_text("utf-8").splitlines()]
        trace = next(line["trace"] for line in lines if line.get("task") == record["taskId"] and "trace" in line)
        assert "in _fail" in trace
        assert ("ValueError: cannot use" in trace) is quoted
    assert "hunter2" not in strict.log_file.read_text("utf-8")


def test_a_crash_leaves_its_last_words_in_the_log(strict: RunningEngine) -> None:
    _failure(strict, "do: segfault")
    assert "in _segfault" in strict.log_file.read_text("utf-8")


def test_what_a_library_prints_is_not_taken_for_an_answer(strict: RunningEngine) -> None:
    assert told_by(strict.html("do: chatter"))["sources"]


@pytest.mark.skipif(sys.platform != "linux", reason="the pipe is found in /proc")
@pytest.mark.parametrize(
    "lie",
    [
        *("garbage", "list", "deep", "endless", "code", "key", "pages", "number", "outputs", "many", "warnings"),
        *("name", "fetch", "loading", "elsewhere", "above"),
    ],
)
def test_a_worker_that_says_what_no_worker_says_is_ended(strict: RunningEngine, lie: str) -> None:
    assert _failure(strict, f"do: lie {lie}") == ("02210", "the document crashed the process that worked on it")
    assert record_of(strict.html("next"))["status"] == "success"


@pytest.mark.parametrize("kind", ["null", "half", "long"])
def test_what_a_document_brings_along_and_no_database_takes_is_told_in_part(strict: RunningEngine, kind: str) -> None:
    warned = record_of(strict.html(f"do: say {kind}"))
    assert (warned["status"], len(warned["warnings"])) == ("success", MOST)
    code, reason = _failure(strict, f"do: say refused-{kind}")
    for said in (*warned["warnings"], reason):
        assert len(said) == LONGEST if kind == "long" else "a\N{REPLACEMENT CHARACTER}b" in said
    assert code == "02201"


def test_a_worker_is_warm_from_task_to_task_and_new_after_a_death(strict: RunningEngine) -> None:
    first, second = (told_by(strict.html("x"))["process"] for _ in range(2))
    assert first == second
    _failure(strict, "do: exit")
    assert told_by(strict.html("x"))["process"] != first


def test_a_worker_that_the_system_ended_costs_nobody_a_task(strict: RunningEngine) -> None:
    idle = psutil.Process(told_by(strict.html("x"))["process"])
    idle.kill()
    until(lambda: not idle.is_running() or idle.status() == "zombie")
    assert record_of(strict.html("x"))["status"] == "success"


@pytest.mark.skipif(sys.platform != "linux", reason="whether each thread is halted stands in /proc")
def test_a_task_that_its_worker_never_took_goes_to_another(strict: RunningEngine) -> None:
    halted = psutil.Process(told_by(strict.html("x"))["process"])
    halted.suspend()
    threads = Path("/proc", str(halted.pid), "task")  # the signal reaches one after the other
    until(lambda: all(") T " in stat.read_text() for stat in threads.glob("*/stat")))
    task = data_of(strict.post_async("html/pdf", ("file", "page.html", HTML + b"waits")))["taskId"]
    until(lambda: task_info(strict, task)["taskStatus"] == "TaskProcessing")
    halted.kill()
    (record,) = ended(strict, task)["fileInfoDTOList"]
    assert record["status"] == "success"


def test_a_worker_knows_no_key_and_keeps_its_scratch_in_the_task(strict: RunningEngine) -> None:
    answer = strict.html("x")
    told = told_by(answer)
    assert told["key_known"] is False
    assert str(strict.state / "workers") in told["temporary"]


def test_what_a_worker_starts_counts_as_its_own(unfenced: RunningEngine) -> None:
    reason = "the document needs more than the 300 MB of memory that a task may have"
    assert _failure(unfenced, "do: greedy_child") == ("02210", reason)
    assert record_of(unfenced.html("next"))["status"] == "success"


def test_what_a_worker_starts_dies_with_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    with RunningEngine(tmp_path / "engine", "--task-seconds", "2", fenced=False) as engine:
        assert _failure(engine, f"do: child {pid_file}")[0] == "190006"
        pid = int(pid_file.read_text("utf-8"))
        until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie")


def test_a_crowd_of_processes_is_ended_whole(tmp_path: Path) -> None:
    pid_file = tmp_path / "pids"
    with RunningEngine(tmp_path / "engine", "--memory", str(1 << 30), fenced=False) as engine:
        assert _failure(engine, f"do: crowd {pid_file}") == (
            "02210",
            "the document needs more than 16 processes at a time",
        )
    for pid in map(int, pid_file.read_text("utf-8").split()):
        until(lambda pid=pid: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie")  # type: ignore[misc]


def test_nothing_of_a_finished_task_but_its_result_stays_on_disk(strict: RunningEngine) -> None:
    done, failed = record_of(strict.html("x")), record_of(strict.html("do: fail"))
    kept = [path for path in (strict.state / "files" / done["taskId"]).rglob("*") if path.is_file()]
    assert [path.name for path in kept] == ["result"]
    assert not (strict.state / "files" / failed["taskId"]).exists()


def test_the_service_answers_while_every_worker_is_busy(strict: RunningEngine, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    strict.post_async("html/pdf", ("file", "a.html", HTML + f"do: wait {marker}".encode()))
    until(marker.exists)
    assert strict.client.get("/health").json() == {"status": "ok"}
    assert refusal_of(strict.post("html/pdf")) == (400, "01005")
    Path(f"{marker}.go").touch()


def test_an_engine_whose_workers_do_not_come_up_says_so_at_once_and_goes_on_when_they_do(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, broken=True) as engine:
        until(lambda: engine.client.get("/v2/asset/info").status_code == 503)
        for answer in (engine.html("x"), engine.client.get("/v2/asset/info"), engine.client.get("/ready")):
            assert refusal_of(answer) == (503, "01001")
            assert "cannot start its worker processes" in answer.json()["msg"]
            assert int(answer.headers["retry-after"]) > 0
        assert "a part of the installation is missing" in engine.log_file.read_text("utf-8")
        engine.wanted.unlink()
        until(lambda: engine.client.get("/v2/asset/info").status_code == 200)
        assert engine.client.get("/ready").json() == {"status": "ready"}
        assert record_of(engine.html("x"))["status"] == "success"


def test_a_full_queue_is_said_at_once_and_with_when_to_come_back(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--queue", "1") as engine, engine.full(tmp_path / "hangs"):
        answer = engine.html("x")
        assert refusal_of(answer) == (503, "01001")
        assert int(answer.headers["retry-after"]) > 0


def test_hosts_that_may_be_fetched_from_reach_the_operation(tmp_path: Path) -> None:
    with RunningEngine(tmp_path, "--allow-host", "a.example", "--allow-host", "b.example") as engine:
        assert told_by(engine.html("x"))["hosts"] == ["a.example", "b.example"]
        named = {"Paperchute-Hosts": "c.example"}
        assert told_by(engine.html("x", headers=named))["hosts"] == ["a.example", "b.example"], "where calls may not"


def test_a_call_may_name_hosts_where_the_engine_lets_it(tmp_path: Path) -> None:
    named = {"Paperchute-Hosts": "B.example, c.example,"}
    with RunningEngine(tmp_path, "--allow-host", "a.example", "--hosts-by-call") as engine:
        assert told_by(engine.html("x", headers=named))["hosts"] == ["a.example", "b.example", "c.example"]
        assert told_by(engine.html("x"))["hosts"] == ["a.example"]


def test_what_a_call_says_of_locked_documents_reaches_the_operation(tmp_path: Path) -> None:
    with RunningEngine(tmp_path) as engine:
        assert told_by(engine.html("x"))["protection"] == "keep"
        assert told_by(engine.html("x", headers={"Paperchute-Protection": "Drop"}))["protection"] == "drop"
        assert refusal_of(engine.html("x", headers={"Paperchute-Protection": "off"})) == (400, "03000")


def test_a_base_address_may_be_on_a_host_that_is_allowed(tmp_path: Path) -> None:
    asked = {"html": "<p>shown", "baseUri": "http://a.example/"}
    with RunningEngine(tmp_path / "free", "--allow-host", "a.example", real=True) as engine:
        assert record_of(engine.post("pdf/generate", data=asked))["status"] == "success"
    with RunningEngine(tmp_path / "strict", real=True) as engine:
        assert refusal_of(engine.post("pdf/generate", data=asked))[1] == "03000"
