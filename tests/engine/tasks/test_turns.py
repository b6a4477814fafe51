"""One API key's long queue holds up no other key: of the rounds alone, and of each dispatcher that there is."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.engine.tasks.turns import Turns, has_room
from paperchute.engine.work import AskLater
from tests.engine.tasks.floors import House
from tests.engine.tasks.test_dispatcher import house

__all__ = ["house"]

_OWNERS = ("", "a", "b", "c")
_STEPS = st.lists(st.one_of(st.sampled_from(_OWNERS), st.none()), max_size=80)
"""Who brings a piece of work; None: the next is done."""


class Queue:
    """What waits, in the order in which it is done."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._waiting: list[tuple[int, int, str]] = []
        self._count = 0

    def put(self, owner: str) -> None:
        self._count += 1
        due = self._waiting[0][0] if self._waiting else None
        self._waiting.append((self._turns.next(owner, due), self._count, owner))
        self._waiting.sort()

    def take(self) -> tuple[int, str]:
        _turn, number, owner = self._waiting.pop(0)
        return number, owner

    def owners(self) -> Counter[str]:
        return Counter(owner for _turn, _number, owner in self._waiting)


@given(_STEPS)
def test_between_two_of_one_key_comes_at_most_one_of_each_other_and_none_overtakes_its_own(
    steps: list[str | None],
) -> None:
    queue = Queue()
    since: dict[str, Counter[str]] = {}
    latest: dict[str, int] = {}
    for step in [*steps, *([None] * len(steps))]:
        if step is not None:
            if not queue.owners()[step]:
                since[step] = Counter()
            queue.put(step)
        elif queue.owners():
            number, owner = queue.take()
            assert number > latest.get(owner, 0), "each key's own work is done in the order in which it came"
            latest[owner] = number
            for other in since:
                if other != owner and queue.owners()[other]:
                    since[other][owner] += 1
                    assert since[other][owner] <= 2
            since[owner] = Counter()


def test_who_comes_with_one_stands_behind_one_of_each_other_and_nobody_starves() -> None:
    queue = Queue()
    for _ in range(10_000):
        queue.put("a")
    for _ in range(500):
        queue.take()
    queue.put("b")
    assert [queue.take()[1] for _ in range(3)] == ["a", "b", "a"]
    served = Counter[str]()
    for _ in range(300):  # b comes with ten more as soon as it has less than ten, and a has its half all the same
        for _more in range(10 - queue.owners()["b"]):
            queue.put("b")
        served[queue.take()[1]] += 1
    assert abs(served["a"] - served["b"]) <= 2


@given(
    most=st.integers(1, 50),
    asked=st.lists(st.sampled_from(_OWNERS), max_size=300),
)
def test_whoever_has_less_than_a_share_comes_in_and_the_queue_stays_bounded(most: int, asked: list[str]) -> None:
    waiting: Counter[str] = Counter()
    for owner in asked:
        if has_room(most, waiting, owner):
            waiting[owner] += 1
        else:
            assert waiting.total() >= most
            assert waiting[owner] >= most // len({*waiting, owner})
    assert waiting.total() <= most * sum(1 / count for count in range(1, len(_OWNERS) + 1)) + len(_OWNERS)


def test_one_key_s_many_tasks_do_not_hold_up_another_s_one(house: House) -> None:
    house.submit("at work", owner="many")
    house.floor.until(house.floor.begun, 1)
    many = house.submit("m1", "m2", "m3", owner="many")
    (one,) = house.submit("one", owner="few")
    names = ["at work", "m1", "m2", "m3", "one"]
    house.floor.let(*names)
    for task in (*many, one):
        house.wait(task).result(30.0)
    assert house.floor.begun in (["at work", "m1", "one", "m2", "m3"], ["at work", "one", "m1", "m2", "m3"])


def test_a_queue_full_of_heavy_work_takes_quick_work_and_other_keys_and_does_the_quick_at_once(house: House) -> None:
    house.submit("at work", owner="many")
    house.floor.until(house.floor.begun, 1)
    house.submit("m1", "m2", "m3", "m4", owner="many")
    with pytest.raises(AskLater):
        house.dispatcher.check_free("pdf-to-markdown", "many")
    house.dispatcher.check_free("pdf-to-markdown", "few")
    house.dispatcher.check_free("pdf-merge", "many")
    house.dispatcher.check_free()
    house.floor.let("merge")
    (quick,) = house.submit("merge", operation="pdf-merge", owner="many")
    ended = house.wait(quick).result(30.0)
    assert ended is not None
    assert ended.runs[0].state == "success"
    assert house.floor.ended == ["merge"]
    house.floor.let("at work", "m1", "m2", "m3", "m4")
