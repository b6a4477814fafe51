"""What a store of tasks promises, asked of each that there is."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperchute.engine.tasks.ports import TaskStore, Told
from paperchute.engine.tasks.sqlite import SqliteStore
from paperchute.engine.tasks.task import NewTask, TaskState

_KEPT_SECONDS = 60.0


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TaskStore]:
    if request.param == "sqlite":
        made: TaskStore = SqliteStore(tmp_path, _KEPT_SECONDS)
    else:
        made = request.getfixturevalue("shared_store")(_KEPT_SECONDS)
    yield made
    made.close()


def _add(store: TaskStore, task: str, *, key: str | None = None, runs: int = 1, state: TaskState = "started") -> bool:
    with store.together():
        if not store.add(NewTask(task, "pdf-merge", "async", "en", key), state):
            return False
        for number in range(runs):
            store.add_run(
                f"{task}-{number}",
                task,
                "pdf-merge",
                state="waiting" if state == "started" else "draft",
                file_name="a.pdf",
                file_size=7,
                parameters="{}",
                order="an order",
                upload_seconds=0.0 if state == "started" else 60.0,
            )
    return True


def _run_state(store: TaskStore, run: str) -> str:
    found = store.by_id(run)
    assert found is not None
    return found.state


def test_a_run_goes_from_waiting_to_its_result_and_lets_go_of_its_order(store: TaskStore) -> None:
    _add(store, "t")
    epoch = store.begin("t-0", "1")
    assert epoch == 1
    assert store.finish("t-0", epoch, "a.pdf", 3, Told(5, ["w"], ["n"], {"kept": 2}))
    run = store.by_id("t-0")
    assert run is not None
    assert (run.state, run.output_name, run.output_size, run.milliseconds) == ("success", "a.pdf", 3, 5)
    assert (run.warnings, run.notes, run.order_text, run.starts) == ('["w"]', '["n"]', "", 1)
    assert store.by_token(run.token) == run
    task = store.get("t")
    assert task is not None
    assert task.runs == (run,)


def test_what_comes_late_changes_nothing(store: TaskStore) -> None:
    _add(store, "t")
    first = store.begin("t-0", "1")
    assert store.begin("t-0", "2") is None, "another job cannot take a run that is worked on"
    second = store.begin("t-0", "1")
    assert (first, second) == (1, 2)
    assert not store.finish("t-0", 1, "late.pdf", 1, Told(1))
    assert not store.fail("t-0", 1, "02210", "late", 1)
    assert store.finish("t-0", 2, "a.pdf", 1, Told(1))
    assert not store.finish("t-0", 2, "twice.pdf", 1, Told(1))
    assert not store.fail("t-0", 2, "02210", "twice", 1)
    assert store.begin("t-0", "1") is None


def test_what_is_put_back_waits_again_and_fences_who_had_it(store: TaskStore) -> None:
    _add(store, "t", runs=2)
    epoch = store.begin("t-0", "1")
    assert epoch is not None
    store.put_back("t")
    assert _run_state(store, "t-0") == "waiting"
    assert not store.finish("t-0", epoch, "late.pdf", 1, Told(1))
    assert store.begin("t-0", "2") == 2
    store.give_back("t")
    run = store.by_id("t-0")
    assert run is not None
    assert (run.state, run.starts) == ("waiting", 1)


def test_an_idempotency_key_belongs_to_whoever_came_first(store: TaskStore) -> None:
    assert _add(store, "one", key="k")
    assert not _add(store, "two", key="k")
    assert _add(store, "three", key="other")
    found = store.by_request_key("k")
    assert found is not None
    assert found.id == "one"
    assert store.get("two") is None
    store.forget("one")
    assert store.by_request_key("k") is None
    assert _add(store, "two", key="k")


def test_of_many_at_once_under_one_key_one_comes_first(store: TaskStore) -> None:
    won: list[str] = []
    threads = [
        threading.Thread(target=lambda name=str(n): won.append(name) if _add(store, name, key="k") else None)
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = store.by_request_key("k")
    assert found is not None
    assert won == [found.id]


def test_a_task_is_started_ended_and_dropped_once(store: TaskStore) -> None:
    _add(store, "t", state="open")
    run = store.by_id("t-0")
    assert run is not None
    assert store.by_upload(run.upload) == run
    assert run.upload_until > time.time()
    store.uploaded("t-0", 11)
    assert store.queue("t", {"t-0": "its order"})
    assert not store.queue("t", {"t-0": "another"})
    run = store.by_id("t-0")
    assert run is not None
    assert (run.state, run.order_text, run.file_size) == ("waiting", "its order", 11)
    assert store.drop("t", "closed", "05002", "it was closed")
    assert not store.drop("t", "overdue", "05004", "too late")
    assert not store.end("t", "finished")
    assert store.begin("t-0") is None
    task = store.get("t")
    assert task is not None
    assert (task.state, task.runs[0].state, task.runs[0].order_text) == ("closed", "failed", "")


def test_what_is_written_together_is_written_or_not(store: TaskStore) -> None:
    told: list[str] = []

    def broken_off() -> None:
        with store.together():
            _add(store, "t")
            store.on_commit(lambda: told.append("never"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken_off()
    assert store.get("t") is None
    with store.together():
        _add(store, "t")
        store.on_commit(lambda: told.append("written"))
        assert told == []
    assert told == ["written"]
    store.on_commit(lambda: told.append("at once"))
    assert told == ["written", "at once"]


def test_what_ended_is_found_when_its_time_is_over(store: TaskStore) -> None:
    _add(store, "waits")
    _add(store, "ended")
    store.end("ended", "finished")
    assert store.expired(time.time(), 0.0, 9) == []
    assert [task for task, _ in store.expired(time.time() + 2 * _KEPT_SECONDS, 0.0, 9)] == ["ended"]
    assert [task.id for task in store.unfinished()] == ["waits"]
    assert [task.id for task in store.waiting_since(time.time() + 1)] == ["waits"]
    store.begin("waits-0")
    assert store.waiting_since(time.time() + 1) == []


def test_pages_of_the_list_hold_the_newest_first(store: TaskStore) -> None:
    for name in "abc":
        _add(store, name)
    total, newest = store.page(0, 2)
    assert (total, [task.id for task in newest]) == (3, ["c", "b"])
    assert [task.id for task in store.page(2, 2)[1]] == ["a"]


def test_letters_wait_until_they_are_delivered(store: TaskStore) -> None:
    assert store.add_letter("http://a", "1", 2)
    assert store.add_letter("http://b", "2", 2)
    assert not store.add_letter("http://c", "3", 2)
    first, second = store.letters(10)
    assert (first.url, first.tries, second.url) == ("http://a", 0, "http://b")
    store.drop_letter(first.id)
    store.postpone_letter(second.id, -1.0)
    (again,) = store.letters(10)
    assert (again.id, again.tries) == (second.id, 1)


_STEPS = st.lists(st.sampled_from(["begin", "again", "finish", "late", "fail", "put", "give", "drop"]), max_size=12)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_STEPS)
def test_in_any_story_a_run_has_one_end(store: TaskStore, steps: list[str]) -> None:
    task = f"t{time.monotonic_ns()}"
    run = f"{task}-0"
    _add(store, task)
    epochs, ends = [0], 0
    for step in steps:
        before = _run_state(store, run)
        match step:
            case "begin" | "again":
                epoch = store.begin(run, "1" if step == "begin" else "2")
                assert epoch is None or epoch == epochs[-1] + 1
                epochs += [epoch] if epoch else []
            case "finish":
                ends += store.finish(run, epochs[-1], "a", 1, Told(1))
            case "late":
                assert not store.finish(run, epochs[-1] - 1, "a", 1, Told(1))
            case "fail":
                ends += store.fail(run, epochs[-1], "02210", "no", 1)
            case "put":
                store.put_back(task)
            case "give":
                store.give_back(task)
            case "drop":
                ends += store.drop(task, "closed", "05002", "closed") and before not in ("success", "failed")
        if before in ("success", "failed") and step != "drop":
            assert _run_state(store, run) == before
    assert ends <= 1
    assert (ends == 1) == (_run_state(store, run) in ("success", "failed"))
