"""A day of arrivals: long and short, singly and in bursts, calls that hang, and a rule that is corrected."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from paperchute.events import Done, Event
from paperchute.rules.tables import Step
from paperchute.service.model import Call
from tests.jobs.makers import new_job
from tests.jobs.test_dispatcher import LONG, House

FILES = 1000
BILLS = 150
LONG_ONES = 20
HANGING = 10
WRONG, RIGHT = "pdf-to-html", "pdf-to-markdown"


@dataclass
class Day:
    """What has happened, and what holds the calls for long documents until it is their time."""

    house: House
    called: Counter[str] = field(default_factory=Counter)
    operations: dict[str, str] = field(default_factory=dict)
    gates: dict[str, threading.Event] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    """Names in the order in which they were done."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def on_call(self, call: Call) -> None:
        name = call.files[0][1].name
        with self.lock:
            self.called[name] += 1
            self.operations[name] = call.operation
        if gate := self.gates.get(name):
            assert gate.wait(LONG)

    def hear(self, event: Event, /) -> None:
        if isinstance(event, Done):
            self.ended.append(event.name)

    def drop(self, folder: str, *names: str, **rule: object) -> None:
        for name in names:
            if folder in ("scans", "hanging"):
                self.gates[name] = threading.Event()
        self.house.drop(folder, *names, **rule)

    def judge_anew(self) -> None:
        """As watching and intake do with what jobs have given back to them."""
        while not self.house.dispatcher.outcomes.empty():
            outcome = self.house.dispatcher.outcomes.get()
            for changed in outcome.changed:
                rule = self.house.rules[outcome.job.rule.name]
                assert self.house.journal.inserts.open_job(new_job(rule, changed.path)) is not None

    def until_done(self, *names: str) -> None:
        def are_done() -> bool:
            self.judge_anew()
            return set(names) <= set(self.ended)

        self.house.until(are_done)


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    made = Day(House(tmp_path, workers=4))
    made.house.service.on_call = made.on_call
    made.house.events.subscribers.append(made)
    for folder in ("letters", "scans", "hanging", "bills"):
        made.house.ruled(folder)
    yield made
    for gate in made.gates.values():
        gate.set()
    made.house.dispatcher.stop(LONG)


@pytest.mark.slow
def test_a_thousand_files_of_a_day_are_done_once_and_no_letter_waits_for_a_scan(day: Day) -> None:
    chance = random.Random(20261128)
    letters = iter(f"letter {number}.pdf" for number in range(FILES))
    count = FILES - BILLS - LONG_ONES - HANGING
    scans = [f"scan {number}.pdf" for number in range(LONG_ONES)]
    day.house.dispatcher.start()
    day.drop("hanging", *(f"hangs {number}.pdf" for number in range(HANGING)))
    ends = dropped = 0
    while dropped < count:
        if ends < LONG_ONES:
            day.drop("scans", scans[ends])  # one by one, and one ends only after the letters of its time
        burst = [next(letters) for _ in range(min(chance.choice((1, 1, 1, 2, 40)), count - dropped))]
        day.drop("letters", *burst)
        day.until_done(*burst)  # while every scan of this time is still held
        dropped += len(burst)
        if ends < LONG_ONES:
            assert scans[ends] not in day.ended
            day.gates[scans[ends]].set()
            ends += 1

    day.house.dispatcher.pause(True)
    bills = [f"bill {number}.pdf" for number in range(BILLS)]
    day.drop("bills", *bills, steps=(Step(WRONG, {}),))
    day.house.ruled("bills", steps=(Step(RIGHT, {}),))
    day.house.dispatcher.pause(False)
    day.until_done(*bills)
    assert not any(name.startswith("hangs") for name in day.ended), "all of that went past what hangs"

    for gate in day.gates.values():
        gate.set()
    day.house.until_done()
    assert len(day.called) == FILES, "none is lost"
    assert set(day.called.values()) == {1}, "and none is paid for twice"
    assert {day.operations[name] for name in bills} == {RIGHT}, "or by the wrong rule"
    counts = day.house.journal.queries.counts()
    assert (counts.of("done"), counts.of("cancelled"), counts.of("failed")) == (FILES, BILLS, 0)
