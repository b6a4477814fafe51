"""What API keys promise: limits that hold however many ask at once, and pages that are counted once. For each store."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperchute.engine.keys.table import ApiKey, KeyTroubleError, KeyUse
from paperchute.engine.tasks.ports import TaskStore, Told
from paperchute.engine.tasks.sqlite import SqliteStore
from paperchute.engine.tasks.task import NewTask
from paperchute.engine.work import AskLater, Refused
from tests.engine.tasks.test_store import store

__all__ = ["store"]

_JANUARY_ENDS = 1_769_903_999.0  # 2026-01-31 23:59:59 UTC


def _key(store: TaskStore, name: str = "scanner", **limits: int) -> ApiKey:
    found = store.keys.find(store.keys.add(name, limits))
    assert found is not None
    return found


def _add(store: TaskStore, task: str, owner: str, *, key: str | None = None, runs: int = 1) -> None:
    with store.together():
        assert store.add(NewTask(task, "pdf-merge", "async", "en", key, owner=owner), "started")
        for number in range(runs):
            store.add_run(
                f"{task}-{number}",
                task,
                "pdf-merge",
                state="waiting",
                file_name="a.pdf",
                file_size=7,
                parameters="{}",
                order="an order",
            )
        store.keys.check(owner)


def _end(store: TaskStore, task: str, pages: int, runs: int = 1) -> None:
    for number in range(runs):
        epoch = store.begin(f"{task}-{number}")
        assert epoch is not None
        assert store.finish(f"{task}-{number}", epoch, "a.pdf", 1, Told(1, pages=pages))
    store.end(task, "finished")


def _use(store: TaskStore, name: str = "scanner") -> KeyUse:
    return next(use for use in store.keys.all() if use.key.name == name)


def test_a_key_is_known_by_its_hash_alone_until_it_is_revoked(store: TaskStore) -> None:
    text = store.keys.add("scanner", {"pages": 10})
    found = store.keys.find(text)
    assert found is not None
    assert (found.name, found.pages, found.rate) == ("scanner", 10, 0)
    rows = store._rows("select * from api_key")  # type: ignore[attr-defined]
    assert text not in str(rows)
    assert rows[0]["hash"] == hashlib.sha256(text.encode()).hexdigest()
    assert store.keys.find(text[:-1] + ("A" if text[-1] != "A" else "B")) is None
    assert store.keys.find(rows[0]["hash"]) is None
    assert abs(_use(store).key.used - time.time()) < 60
    store.keys.limit("scanner", {"pages": 0, "rate": 3})
    found = store.keys.find(text)
    assert found is not None
    assert (found.pages, found.rate) == (0, 3)
    store.keys.revoke("scanner")
    assert store.keys.find(text) is None
    assert _use(store).key.revoked > 0
    for change in (lambda: store.keys.revoke("scanner"), lambda: store.keys.limit("nobody", {})):
        with pytest.raises(KeyTroubleError):
            change()


@pytest.mark.parametrize("name", ["scanner", "", "a b", 'a"b', "a\nb", "x" * 65, "-x", "é"])
def test_a_name_stands_in_logs_and_metrics_and_is_used_once(store: TaskStore, name: str) -> None:
    store.keys.add("scanner", {})
    with pytest.raises(KeyTroubleError):
        store.keys.add(name, {})
    assert len(store.keys.all()) == 1


def test_one_key_does_not_see_what_is_another_s(store: TaskStore) -> None:
    mine, other = _key(store, "mine"), _key(store, "other")
    _add(store, "a", mine.id, key="again")
    _add(store, "b", other.id, key="again")
    _add(store, "c", "", key="again")
    for owner, task in ((mine.id, "a"), (other.id, "b"), ("", "c")):
        found = store.by_request_key("again", owner)
        assert found is not None
        assert (found.id, found.owner) == (task, owner)
        total, tasks = store.page(0, 10, owner)
        assert (total, [one.id for one in tasks]) == (1, [task])
    assert store.by_request_key(f"{mine.id}:again") is None
    store.forget("a")
    assert store.page(0, 10, mine.id) == (0, [])


def test_pages_are_counted_once_and_only_for_what_went_well(store: TaskStore) -> None:
    key = _key(store)
    _add(store, "a", key.id)
    late = store.begin("a-0", "1")
    assert late is not None
    epoch = store.begin("a-0", "1")
    assert epoch is not None
    assert not store.finish("a-0", late, "a.pdf", 1, Told(1, pages=7))
    assert store.finish("a-0", epoch, "a.pdf", 1, Told(1, pages=7))
    assert not store.finish("a-0", epoch, "a.pdf", 1, Told(1, pages=7))
    store.end("a", "finished")
    _add(store, "b", key.id)
    epoch = store.begin("b-0")
    assert store.fail("b-0", epoch, "02207", "no", 1)
    store.end("b", "finished")
    _add(store, "c", "")
    _end(store, "c", 5)
    assert (_use(store).pages, _use(store).open, _use(store).held) == (7, 0, 0)


def test_a_month_is_spent_when_its_pages_are_and_the_next_begins_in_utc(
    store: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [_JANUARY_ENDS]
    monkeypatch.setattr(store.keys, "_now", lambda: now[0])
    key = _key(store, pages=10)
    _add(store, "a", key.id)
    _end(store, "a", 25)  # its pages were not known before: it is done, and the next is refused
    with pytest.raises(Refused) as refused:
        store.keys.check(key.id, more=1)
    assert refused.value.code == "06001"
    assert store.keys.left(key) == (0, 0)
    now[0] += 2.0
    store.keys.check(key.id, more=1)
    assert store.keys.left(key) == (10, 0)
    now[0] -= 2.0  # a clock that is set back gives nobody a fresh month
    with pytest.raises(Refused):
        store.keys.check(key.id, more=1)


def test_runs_under_way_hold_a_page_each(store: TaskStore) -> None:
    key = _key(store, pages=3)
    _add(store, "a", key.id, runs=2)
    assert store.keys.left(key) == (3, 2)
    _add(store, "b", key.id)
    with pytest.raises(AskLater) as later:
        _add(store, "c", key.id)
    assert later.value.status == 429
    assert store.get("c") is None
    _end(store, "a", 1, runs=2)
    with pytest.raises(AskLater):
        store.keys.check(key.id, more=1)
    store.drop("b", "closed", "05002", "closed")
    store.keys.check(key.id, more=1)


def test_of_many_at_once_no_more_than_the_limit_come_in(store: TaskStore) -> None:
    key = _key(store, most_open=3)
    outcomes: list[int] = []

    def ask(number: int) -> None:
        try:
            _add(store, f"t{number}", key.id)
            outcomes.append(200)
        except AskLater as error:
            outcomes.append(error.status)

    _at_once([lambda number=number: ask(number) for number in range(8)])
    assert sorted(outcomes) == [200] * 3 + [429] * 5
    assert _use(store).open == 3


def test_pages_add_up_however_many_book_at_once(store: TaskStore) -> None:
    key = _key(store)
    for number in range(8):
        _add(store, f"t{number}", key.id)
    _at_once([lambda number=number: _end(store, f"t{number}", number) for number in range(8)])
    assert _use(store).pages == sum(range(8))


def test_of_many_at_once_no_more_ask_than_the_rate_allows(store: TaskStore) -> None:
    key = _key(store, rate=4)
    outcomes: list[bool] = []
    _at_once([lambda: outcomes.append(_is_let_in(store, key)) for _ in range(10)])
    assert sum(outcomes) == 4


def _at_once(works: list[Any]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _is_let_in(store: TaskStore, key: ApiKey) -> bool:
    try:
        store.keys.take_request(key)
    except AskLater as error:
        return (error.status, error.seconds >= 1) != (429, True)
    return True


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rate=st.integers(1, 90), pauses=st.lists(st.floats(0.0, 30.0), max_size=40))
def test_in_any_minute_a_key_asks_no_more_than_twice_its_rate_and_never_waits_for_longer_than_told(
    store: TaskStore, rate: int, pauses: list[float]
) -> None:
    key = _key(store, f"k{time.monotonic_ns()}", rate=rate)
    moment, let_in = 1_800_000_000.0, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.keys, "_now", lambda: moment)
        for _at_once_too in range(rate - 1):
            store.keys.take_request(key)
            let_in.append(moment)
        for pause in (0.0, *pauses):
            moment += pause
            try:
                store.keys.take_request(key)
            except AskLater as error:
                moment += error.seconds
                store.keys.take_request(key)
            let_in.append(moment)
    for first in set(let_in):
        assert sum(first <= other < first + 60.0 for other in let_in) <= 2 * rate


@pytest.mark.parametrize("jump", [-3600.0, 3600.0])
def test_a_clock_that_is_set_locks_nobody_out(store: TaskStore, monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    now = [1_800_000_000.0]
    monkeypatch.setattr(store.keys, "_now", lambda: now[0])
    key = _key(store, rate=2)
    assert [_is_let_in(store, key) for _ in range(3)] == [True, True, False]
    now[0] += jump
    assert [_is_let_in(store, key) for _ in range(3)] == [True, True, False]


_EVENTS = st.lists(
    st.tuples(st.sampled_from(["add", "begin", "finish", "late", "fail", "put", "drop"]), st.integers(0, 2)),
    max_size=25,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=_EVENTS, pages=st.integers(1, 9))
def test_in_any_story_a_key_has_the_pages_of_what_went_well_and_its_limits_hold(
    store: TaskStore, events: list[tuple[str, int]], pages: int
) -> None:
    name = f"k{time.monotonic_ns()}"
    key = _key(store, name, most_open=2, pages=12)
    tasks: list[str] = []
    epochs: dict[str, int] = {}
    booked = 0
    for number, (event, which) in enumerate(events):
        if event == "add":
            task = f"{name}-{number}"
            before = _use(store, name)
            try:
                _add(store, task, key.id)
            except Refused as error:
                if error.code == "06001":
                    assert before.pages >= 12
                else:
                    assert before.open == 2 or before.pages + before.held == 12
            else:
                tasks.append(task)
                assert before.open < 2
                assert before.pages + before.held < 12
        elif which < len(tasks):
            task = tasks[-1 - which]
            run = f"{task}-0"
            match event:
                case "begin":
                    epochs[run] = store.begin(run, "1") or epochs.get(run, 0)
                case "finish" if store.finish(run, epochs.get(run, 0), "a", 1, Told(1, pages=pages)):
                    booked += pages
                    store.end(task, "finished")
                case "late":
                    assert not store.finish(run, epochs.get(run, 0) - 1, "a", 1, Told(1, pages=pages))
                case "fail" if store.fail(run, epochs.get(run, 0), "02210", "no", 1):
                    store.end(task, "finished")
                case "put":
                    store.put_back(task)
                case "drop":
                    store.drop(task, "closed", "05002", "closed")
        assert _use(store, name).pages == booked
        assert booked <= 12 + 2 * (pages - 1), "no further than the runs that were open at the end of its pages"


def test_keys_outlive_a_broken_list_of_tasks(tmp_path: Path) -> None:
    old = SqliteStore(tmp_path, 60.0)
    text = old.keys.add("scanner", {"pages": 9})
    _add(old, "a", _use(old).key.id)
    _end(old, "a", 4)
    page = old._rows("select rootpage from sqlite_schema where name = 'run'")[0]["rootpage"]
    old._rows("pragma wal_checkpoint(truncate)")
    old.close()
    file = tmp_path / "tasks.sqlite"
    with sqlite3.connect(file) as database:
        size = database.execute("pragma page_size").fetchone()[0]
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    file.write_bytes(content)
    new = SqliteStore(tmp_path, 60.0)
    assert new.page(0, 10) == (0, [])
    assert new.keys.find(text) is not None
    assert _use(new).pages == 4
    new.close()
