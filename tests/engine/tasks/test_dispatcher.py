"""What a dispatcher promises, asked of each that there is: the pool of one engine, and the queue of many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paperchute.engine.tasks import pool as pools
from paperchute.engine.work import AskLater, Refused
from tests.engine.service.running import until
from tests.engine.tasks.floors import PAGES, PATIENCE, Embedded, Floor, House, Shared, StandIn

_QUEUE = 4


@pytest.fixture(params=["pool", "queue"])
def house(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """With one worker; what takes seconds elsewhere takes tenths."""
    floor = StandIn.floor = Floor()
    monkeypatch.setattr(pools, "WorkerProcess", StandIn)
    if request.param == "pool":
        made: House = Embedded(tmp_path, floor, _QUEUE)
    else:
        store = request.getfixturevalue("shared_store")(60.0)  # skips where there is no database
        _hasten(monkeypatch)
        made = Shared(tmp_path, floor, _QUEUE, store)
    made.worker()
    yield made
    made.close()


def _hasten(monkeypatch: pytest.MonkeyPatch) -> None:
    from paperchute.engine.cluster import dispatcher, runner, upkeep

    monkeypatch.setattr(runner, "HEARTBEAT_SECONDS", 0.2)
    monkeypatch.setattr(runner, "STALLED_SECONDS", 1.0)
    monkeypatch.setattr(upkeep, "STALLED_SECONDS", 1.0)
    monkeypatch.setattr(upkeep, "_ROUND_SECONDS", 0.2)
    monkeypatch.setattr(upkeep, "_ORPHANS_SECONDS", 0.5)
    monkeypatch.setattr(runner, "_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(dispatcher, "_COUNT_SECONDS", 0.0)


def test_what_is_handed_over_is_done_and_whoever_waits_has_it(house: House) -> None:
    (task,) = house.submit("a")
    waiting = house.wait(task)
    house.floor.until(house.floor.begun, 1)
    assert not waiting.done()
    house.floor.let("a")
    ended = waiting.result(PATIENCE)
    assert ended is not None
    assert (ended.state, ended.runs[0].state, ended.runs[0].starts) == ("finished", "success", 1)
    assert house.result(task) == b"SOURCE OF A"
    later = house.wait(task).result(PATIENCE)
    assert later is not None
    assert later.state == "finished"
    assert house.wait("unknown").result(PATIENCE) is None


def test_what_is_not_written_down_is_not_done(house: House) -> None:
    new, order = house.order("a", "pdf-to-markdown")

    def written() -> None:
        with house.store.together():
            house.store.add(new, "started")
            house.dispatcher.enqueue(new.id, [order])
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        written()
    (task,) = house.submit("b")
    house.floor.let("a", "b")
    house.wait(task).result(PATIENCE)
    assert house.floor.begun == ["b"]
    assert house.store.get(new.id) is None


def test_work_of_one_kind_is_begun_in_the_order_in_which_it_came(house: House) -> None:
    names = ["a", "b", "c", "d"]
    tasks = house.submit(*names)
    house.floor.let(*names)
    for task in tasks:
        house.wait(task).result(PATIENCE)
    assert house.floor.begun == house.floor.ended == names


@pytest.mark.parametrize("which", ["waiting", "running"])
def test_what_is_closed_is_ended_and_the_worker_has_the_next(house: House, which: str) -> None:
    first, second, third = house.submit("a", "b", "c")
    house.floor.until(house.floor.begun, 1)
    closed, other = (second, first) if which == "waiting" else (first, second)
    waiting = house.wait(closed)
    house.asking.make(lambda: house.tasks.close(closed))
    with pytest.raises(Refused) as refused:
        waiting.result(PATIENCE)
    assert refused.value.code == "05002"
    house.floor.let("a" if which == "waiting" else "b", "c")
    for task in (other, third):
        ended = house.wait(task).result(PATIENCE)
        assert ended is not None
        assert ended.runs[0].state == "success"
    assert house.known(closed).state == "closed"
    assert house.floor.ended == (["a", "c"] if which == "waiting" else ["b", "c"])


def test_a_dead_worker_s_run_is_another_s_and_begun_once_more(house: House) -> None:
    (task,) = house.submit("a")
    house.floor.until(house.floor.begun, 1)
    house.die()
    house.worker()
    house.floor.until(house.floor.begun, 2)
    house.floor.let("a")
    ended = house.wait(task).result(PATIENCE)
    assert ended is not None
    starts = 1 if house.store.remote else 2  # a machine that is gone counts apart: see `PostgresStore.lose`
    assert (ended.runs[0].state, ended.runs[0].starts, ended.runs[0].epoch) == ("success", starts, 2)


def test_who_comes_late_changes_nothing_and_takes_the_next(house: House) -> None:
    (task,) = house.submit("a")
    house.floor.until(house.floor.begun, 1)
    house.die()
    house.worker()
    house.floor.until(house.floor.begun, 2)
    house.revive()
    house.floor.let("a")
    ended = house.wait(task).result(PATIENCE)
    assert ended is not None
    assert (ended.runs[0].state, ended.runs[0].epoch) == ("success", 2)
    assert house.result(task) == b"SOURCE OF A"
    (more,) = house.submit("b")
    house.floor.let("b")
    assert house.wait(more).result(PATIENCE) is not None
    assert house.known(task) == ended


def test_what_takes_the_engine_along_three_times_is_refused_and_of_many_machines_is_not(house: House) -> None:
    (task,) = house.submit("a")
    for start in (1, 2, 3):
        house.floor.until(house.floor.begun, start)
        house.die()
        house.worker()
    if house.store.remote:  # of many machines three may die, and it is no fault of the document
        house.floor.let("a")
    ended = house.wait(task).result(PATIENCE)
    assert ended is not None
    if house.store.remote:
        assert (ended.runs[0].state, house.floor.begun) == ("success", ["a"] * 4)
    else:
        assert (ended.runs[0].state, ended.runs[0].code) == ("failed", "02210")
        assert house.floor.begun == ["a"] * 3
    (more,) = house.submit("b")
    house.floor.let("b")
    assert house.wait(more).result(PATIENCE) is not None


def test_pages_can_be_asked_for_while_they_are_worked_on(house: House) -> None:
    (task,) = house.submit("a")
    assert house.dispatcher.pages(house.known(task)) in ((0, 0), PAGES)
    until(lambda: house.dispatcher.pages(house.known(task)) == PAGES)
    house.floor.let("a")
    house.wait(task).result(PATIENCE)
    assert house.dispatcher.pages(house.known(task)) == (0, 0)


def test_an_engine_that_stops_gives_back_what_it_had_and_that_does_not_count(house: House) -> None:
    first, second = house.submit("a", "b")
    waiting = [house.wait(first), house.wait(second)]
    house.floor.until(house.floor.begun, 1)
    house.stop()
    for asked in waiting:
        with pytest.raises(AskLater):
            asked.result(PATIENCE)
    with pytest.raises(AskLater):
        house.dispatcher.check_free()
    until(lambda: house.known(first).runs[0].state == "waiting")
    assert [house.known(task).runs[0].starts for task in (first, second)] == [0, 0]
    house.floor.let("a", "b")
    house.worker()
    until(lambda: all(house.known(task).state == "finished" for task in (first, second)))


def test_no_more_is_taken_than_may_wait(house: House) -> None:
    names = [str(number) for number in range(_QUEUE + 1)]
    tasks = house.submit(*names[:1])
    house.floor.until(house.floor.begun, 1)
    tasks += house.submit(*names[1:])
    with pytest.raises(AskLater):
        house.dispatcher.check_free("pdf-to-markdown")
    with pytest.raises(AskLater):
        house.submit("one too many")
    waits: Callable[[], int] = lambda: sum(house.dispatcher.load().waiting.values())  # noqa: E731
    assert waits() == _QUEUE
    house.floor.let(*names)
    for task in tasks:
        house.wait(task).result(PATIENCE)
    house.dispatcher.check_free()
    assert waits() == 0
