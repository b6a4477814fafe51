"""Who is next: priorities, fairness, pauses, dead workers, and a queue of any length."""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from paperchute.app.rulebook import Rulebook
from paperchute.app.status import Board, Surroundings
from paperchute.app.tally import Tally
from paperchute.events import Done, Event, Postponed
from paperchute.jobs.dispatcher import Dispatcher
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, Line, Outcome
from paperchute.jobs.runner import Runner
from paperchute.jobs.shares import Lanes
from paperchute.jobs.switchboard import Circuits
from paperchute.jobs.work import Settings, Standing
from paperchute.rules.model import Rule
from paperchute.rules.settings import RuleFile, ServiceSettings
from paperchute.service.model import Call, ServiceError
from tests.jobs.makers import make_rule, new_job
from tests.jobs.scripted import Scripted
from tests.observers import Told

LONG = 120.0  # seconds: the end of a hang, not a measure


class House:
    """A dispatcher over a scripted service; `order` lists what was called, in order."""

    def __init__(self, base: Path, workers: int, not_before: Callable[[Job], float] = lambda job: 0.0) -> None:
        self.base = base
        self.order: list[str] = []
        self.events = Told()
        work = base / "work"
        work.mkdir()
        self.journal = Journal(base / "journal.sqlite", owner=True)
        self.service = Scripted()
        self.service.on_call = self._called
        self.circuits = Circuits(self.events, lambda: ("default",))
        self.circuit = self.circuits.of("default")
        self.rules: dict[str, Rule] = {}
        settings = Settings(
            work,
            workers=workers,
            rules=lambda: list(self.rules.values()),
            standing=self.standing,
            not_before=not_before,
        )
        runner = Runner(self.journal, lambda name: self.service, settings, self.events)
        self.dispatcher = Dispatcher(self.journal, runner, self.circuits, settings, self.events)

    def _called(self, call: Call) -> None:
        path = call.files[0][1]
        self.order.append(f"{path.parent.name}/{path.name}")

    def standing(self, job: Job) -> Standing:
        """As the rulebook says it: what the rules as they are now make of a job."""
        rule = self.rules.get(job.rule.name)
        return Standing(changed=rule is not None and rule.fingerprint != job.rule.fingerprint, rule=rule)

    def ruled(self, folder: str, **rule: Any) -> Rule:
        """The rule of a hot folder, which the rule file has from now on."""
        hot = self.base / folder
        hot.mkdir(exist_ok=True)
        made = make_rule(hot, **{"name": folder, **rule})
        self.rules[made.name] = made
        return made

    def drop(self, folder: str, *names: str, **rule: Any) -> None:
        made = self.ruled(folder, **rule)
        hot = made.folder
        for name in names:
            (hot / name).write_bytes(b"%PDF " + name.encode())
        self.journal.inserts.open_jobs([new_job(made, hot / name) for name in names])
        self.dispatcher.wake()

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + LONG
        while not true():
            assert time.monotonic() < end, (self.order, self.journal.queries.counts())
            time.sleep(0.01)

    def until_done(self) -> None:
        self.until(lambda: not self.journal.queries.has_open_jobs())


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Callable[[int], House]]:
    made: list[House] = []

    def make(workers: int) -> House:
        made.append(House(tmp_path, workers))
        return made[-1]

    yield make
    for one in made:
        one.dispatcher.stop(LONG)


def test_a_call_that_an_orderly_stop_cuts_off_is_no_failure(tmp_path: Path) -> None:
    house, calls, cut = House(tmp_path, workers=1), threading.Event(), threading.Event()

    def call(call: Call) -> None:
        calls.set()
        assert cut.wait(LONG)
        raise ServiceError("The connection broke.", kind="lost")

    house.service.on_call, house.service.repeatable = call, False
    house.drop("hot", "a.pdf", retries=0)
    house.dispatcher.start()
    assert calls.wait(LONG)
    assert not house.dispatcher.stop(0.1)
    cut.set()  # as the end of the services does
    assert house.dispatcher.stop(LONG)
    (job,) = house.journal.queries.jobs()
    assert (job.state, job.attempts, job.error) == ("queued", 0, None), "the next start goes on with it"
    assert house.journal.calls.have_begun(job)
    (told,) = [event for event in house.events.events if isinstance(event, Postponed)]
    assert told.reason == "Stopping; unfinished work continues after the next start."
    house.journal.close()


@pytest.mark.parametrize("others", [(), ("other",)])
def test_nobody_takes_a_job_again_before_all_know_that_its_service_is_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: tuple[str, ...]
) -> None:
    house, again = House(tmp_path, workers=2), threading.Event()
    house.circuits = Circuits(house.events, lambda: ("default", *others))
    house.dispatcher._circuits = house.circuits
    away = house.circuits.away

    def call(call: Call) -> None:
        house._called(call)
        if len(house.order) > 1:
            again.set()
        raise ServiceError("Nobody answers.", kind="down")

    def slowly(name: str, error: ServiceError) -> None:
        house.dispatcher.wake()
        again.wait(1.0)
        away(name, error)

    house.service.on_call = call
    monkeypatch.setattr(house.circuits, "away", slowly)
    house.dispatcher.start()
    house.drop("hot", "a.pdf")
    house.until(lambda: any(isinstance(event, Postponed) for event in house.events.events))
    assert house.dispatcher.stop(LONG)
    assert house.order == ["hot/a.pdf"]
    (job,) = house.journal.queries.jobs()
    assert job.state == ("waiting" if others else "queued")
    house.journal.close()


def iter_of(outcomes: queue.SimpleQueue[Outcome]) -> Iterator[Outcome]:
    while not outcomes.empty():
        yield outcomes.get()


def numbered(count: int) -> list[str]:
    return [f"{number:03}.pdf" for number in range(count)]


def test_a_small_drop_is_not_held_up_by_a_large_one(house: Callable[[int], House]) -> None:
    one = house(1)
    one.drop("large", *numbered(60))
    one.drop("small", *numbered(5))
    one.dispatcher.start()
    one.until_done()
    last_small = max(index for index, name in enumerate(one.order) if name.startswith("small"))
    assert last_small <= 20, "they take turns, but for what is put back when jobs turn slow"
    for folder in ("large", "small"):
        mine = [name for name in one.order if name.startswith(folder)]
        assert mine == sorted(mine), "and within one folder the oldest goes first"


def test_turns_are_kept_where_telling_how_jobs_ended_takes_long(house: Callable[[int], House]) -> None:
    class Slow:
        def hear(self, event: Event, /) -> None:
            if isinstance(event, Done):
                time.sleep(0.3)

    one = house(1)
    one.events.subscribers.append(Slow())
    one.drop("large", *numbered(12))
    one.drop("small", *numbered(3))
    one.dispatcher.start()
    one.until_done()
    last_small = max(index for index, name in enumerate(one.order) if name.startswith("small"))
    assert last_small <= 6, "what was taken ahead and put back has not had its turn"


def test_a_higher_priority_goes_first_and_starves_nobody(house: Callable[[int], House]) -> None:
    one = house(1)
    one.drop("plain", *numbered(4))
    one.drop("urgent", *numbered(60), priority=10)
    one.dispatcher.start()
    one.until_done()
    first_plain = one.order.index("plain/000.pdf")
    assert 4 <= first_plain <= 10, "not at once, but long before the urgent ones have ended"
    assert one.order.index("plain/003.pdf") < 60


def test_no_job_begins_while_paused_and_none_is_left_behind(house: Callable[[int], House]) -> None:
    one = house(2)
    release = threading.Event()
    called = one.service.on_call

    def held(call: Call) -> None:
        called(call)
        release.wait(LONG)

    one.service.on_call = held
    one.drop("hot", *numbered(12))
    one.dispatcher.start()
    one.until(lambda: len(one.order) == 2)
    one.dispatcher.pause(True)
    release.set()
    one.until(lambda: one.dispatcher.outcomes.qsize() == 2)
    one.until(lambda: one.journal.queries.counts().of("running") == 0)
    assert one.journal.queries.counts().of("queued") == 10
    one.dispatcher.pause(False)
    one.until_done()
    assert len(one.order) == 12


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_that_dies_is_replaced_and_its_job_is_done(house: Callable[[int], House]) -> None:
    one = house(1)
    deadly = [SystemExit()]
    called = one.service.on_call

    def die_once(call: Call) -> None:
        called(call)
        if deadly:
            raise deadly.pop()

    one.service.on_call = die_once
    one.drop("hot", "a.pdf", "b.pdf")
    one.dispatcher.start()
    one.until(lambda: one.dispatcher.revive())
    assert not one.dispatcher.revive()
    one.until_done()
    assert one.journal.queries.counts().of("done") == 2


def test_while_the_service_is_down_what_needs_none_goes_on(house: Callable[[int], House]) -> None:
    one = house(1)
    one.drop("hot", "a.pdf", "b.pdf")
    first = one.journal.queue.next()
    assert first is not None
    one.journal.plans.plan_failure(first, "no", None, "why")
    one.circuit.open(ServiceError("Nobody there.", kind="down"))
    one.dispatcher.start()
    one.until(lambda: one.journal.queries.counts().of("failed") == 1)
    assert one.order == []
    one.circuit.close()
    one.dispatcher.wake()
    one.until_done()
    assert one.order == ["hot/b.pdf"]


def test_what_was_taken_while_its_service_went_away_is_put_back(
    house: Callable[[int], House], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, claimed = house(1), threading.Event()
    claim = one.journal.queue.claim

    def late(lines: Sequence[Line], limit: int, *, local: bool) -> list[Job]:
        one.circuit.open(ServiceError("Nobody there.", kind="down"))  # as another worker's call has just found
        found = claim(lines, limit, local=local)
        claimed.set()
        return found

    monkeypatch.setattr(one.journal.queue, "claim", late)
    one.drop("hot", "a.pdf")
    one.dispatcher.start()
    assert claimed.wait(LONG)
    one.until(lambda: one.journal.queries.counts().of("queued") == 1)
    assert one.dispatcher.stop(LONG)
    assert one.order == []


def test_the_next_job_is_found_in_an_index_and_not_by_looking_at_all(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    asked: list[str] = []
    journal._store.file._db.set_trace_callback(asked.append)
    hot = tmp_path / "hot"
    hot.mkdir()
    (hot / "a.pdf").write_bytes(b"%PDF")
    journal.inserts.open_job(new_job(make_rule(hot), hot / "a.pdf"))
    for local in (True, False):
        journal.queue.claim(journal.queue.lines(local=local), 4, local=local)
    journal._store.file._db.set_trace_callback(None)
    looked = [sql for sql in asked if "indexed by" in sql]
    assert len(looked) >= 4
    for sql in looked:
        plan = " ".join(row["detail"] for row in journal._store.file.all(f"explain query plan {sql}"))
        assert "USING INDEX job_" in plan or "USING COVERING INDEX job_" in plan
        assert "TEMP B-TREE" not in plan, "the length of the queue must not matter"


def test_the_pages_of_a_running_job_reach_the_status(tmp_path: Path) -> None:
    house = House(tmp_path, workers=1)
    told: list[tuple[float, tuple[str, ...], int, int]] = []

    tally = Tally()
    house.events.subscribers.append(tally)
    rulebook = Rulebook(RuleFile(tmp_path / "rules.toml", ServiceSettings(), ()), house.events)
    board = Board(house.journal, house.circuits, rulebook, tally)

    def called(call: Call) -> None:
        call.on_pages(3, 12)
        status = board.status(Surroundings())
        (now,) = board.as_json(Surroundings())["now"]
        told.append((status.part, status.now, now["pages_done"], now["pages"]))

    house.service.on_call = called
    house.drop("a", "one.pdf")
    house.dispatcher.start()
    try:
        house.until(lambda: house.dispatcher.outcomes.qsize() == 1)
    finally:
        house.dispatcher.stop(LONG)
    assert told == [(0.25, ("one.pdf: pdf-to-markdown, page 4 of 12",), 3, 12)]
    assert tally.running() == [], "its run has ended"


# ---------- what takes long, and what hangs ----------


class Held:
    """Calls for files whose name begins with `long` do not end before `release`."""

    def __init__(self, house: House) -> None:
        self.release = threading.Event()
        self._called = house.service.on_call
        house.service.on_call = self._on_call

    def _on_call(self, call: Call) -> None:
        self._called(call)
        if call.files[0][1].name.startswith("long"):
            assert self.release.wait(LONG)


def test_small_files_that_come_one_by_one_are_done_while_a_long_one_is_at_work(house: Callable[[int], House]) -> None:
    one = house(4)
    held = Held(one)
    one.dispatcher.start()
    one.drop("scans", "long.pdf")
    one.until(lambda: one.order == ["scans/long.pdf"])
    for number, folder in enumerate(("letters", "scans", "letters", "urgent")):
        one.drop(folder, f"{number}.pdf", priority=5 if folder == "urgent" else 0)
        one.until(lambda done=number + 1: one.journal.queries.counts().of("done") == done)  # type: ignore[misc]
    assert one.journal.queries.counts().of("running") == 1
    held.release.set()
    one.until_done()


def test_a_retry_that_falls_due_does_not_wait_for_a_long_job(house: Callable[[int], House]) -> None:
    one = house(2)
    held = Held(one)
    called = one.service.on_call
    fails = [ServiceError("Not now.", kind="transient", retry_after=0.0)]

    def fail_once(call: Call) -> None:
        if fails and call.files[0][1].name == "again.pdf":
            raise fails.pop()
        called(call)

    one.service.on_call = fail_once
    one.dispatcher.start()
    one.drop("hot", "again.pdf")
    one.until(lambda: one.journal.queries.counts().of("waiting") == 1)
    one.drop("hot", "long.pdf")
    one.until(lambda: "hot/again.pdf" in one.order)
    one.until(lambda: one.journal.queries.counts().of("done") == 1)
    held.release.set()
    one.until_done()


@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.parametrize("others", [{"folder": "other"}, {"folder": "hot", "name": "second rule of the folder"}])
def test_calls_that_hang_leave_a_worker_to_the_others(
    others: dict[str, str], workers: int, house: Callable[[int], House]
) -> None:
    one = house(workers)
    held = Held(one)
    one.dispatcher.start()
    one.ruled(**others)
    one.drop("hot", *(f"long{number}.pdf" for number in range(6)))
    one.until(lambda: len(one.order) == workers // 2)
    for name in ("a.pdf", "b.pdf"):
        one.drop(others["folder"], name, name=others.get("name", "other"))
        one.until(lambda: any(called.endswith(name) for called in one.order))  # noqa: B023
    assert len(one.order) == workers // 2 + 2, "no more of those that hang were begun meanwhile"
    held.release.set()
    one.until_done()


def test_the_only_hot_folder_has_all_workers(house: Callable[[int], House]) -> None:
    one = house(3)
    held = Held(one)
    one.dispatcher.start()
    one.drop("hot", "long1.pdf", "long2.pdf", "long3.pdf")
    one.until(lambda: len(one.order) == 3)
    held.release.set()
    one.until_done()


def test_the_parts_of_one_job_leave_a_call_to_the_others() -> None:
    here, there = make_rule(Path("/a"), name="A"), make_rule(Path("/b"), name="B")
    lanes = Lanes(2, lambda: [here, there])
    with lanes.held(here):
        second = threading.Thread(target=lambda: lanes.held(here).__enter__(), daemon=True)
        second.start()
        with lanes.held(there):
            pass
        assert second.is_alive(), "it waits, and the other does not"


def test_a_hot_folder_whose_disk_refuses_holds_up_no_other(house: Callable[[int], House]) -> None:
    one = house(1)
    called = one.service.on_call

    def refused(call: Call) -> None:
        if call.files[0][1].parent.name == "away":
            raise OSError(28, "No space left on device")
        called(call)

    one.service.on_call = refused
    one.dispatcher.start()
    one.drop("away", "a.pdf", "b.pdf")
    one.until(lambda: bool(one.dispatcher.outcomes.qsize()))
    one.drop("hot", "c.pdf")
    one.until(lambda: one.order == ["hot/c.pdf"])


# ---------- faults of ours ----------


def test_a_disk_that_refuses_the_journal_is_said_in_a_sentence(
    house: Callable[[int], House], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.jobs.dispatcher._STORAGE_PAUSE_SECONDS", 0.0)
    made = house(1)
    faults = [sqlite3.OperationalError("database or disk is full"), sqlite3.OperationalError()]
    called = made.service.on_call

    def on_call(call: Call) -> None:
        if faults:
            raise faults.pop(0)
        called(call)

    made.service.on_call = on_call
    made.drop("hot", "a.pdf")
    made.dispatcher.start()
    made.until_done()
    assert [event.reason for event in made.events.events if isinstance(event, Postponed)] == [
        "The journal cannot be written to (database or disk is full); a.pdf is waiting for the disk.",
        "The journal cannot be written to (OperationalError); a.pdf is waiting for the disk.",
    ]


@pytest.mark.parametrize(
    "fault", [ValueError("5,000 digits"), MemoryError(), sqlite3.DataError("too big"), RecursionError(), KeyError("x")]
)
def test_a_fault_that_comes_again_and_again_fails_its_job_and_no_other(
    fault: Exception, house: Callable[[int], House], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.jobs.dispatcher._FAULT_PAUSE_SECONDS", 0.0)
    made = house(1)
    called = made._called

    def on_call(call: Call) -> None:
        called(call)
        if call.files[0][1].name == "evil.pdf":
            raise fault

    made.service.on_call = on_call
    made.drop("a", "evil.pdf", "good.pdf", retries=10)
    made.dispatcher.start()
    made.until_done()
    assert made.order.count("a/evil.pdf") == 3
    (failed,) = made.journal.queries.jobs(["failed"])
    assert failed.path.name == "evil.pdf"
    assert "three times" in (failed.error or "")
    assert (made.base / "a.failed" / "evil.pdf").exists()
    assert "three times" in (made.base / "a.failed" / "evil.pdf.error.txt").read_text("utf-8")
    assert made.journal.queries.counts().of("done") == 1


def test_a_fault_that_passes_costs_a_pause(house: Callable[[int], House], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperchute.jobs.dispatcher._FAULT_PAUSE_SECONDS", 0.0)
    made = house(1)
    faults: list[Exception] = [ValueError("once"), KeyError("twice")]

    def on_call(call: Call) -> None:
        if faults:
            raise faults.pop()

    made.service.on_call = on_call
    made.drop("a", "1.pdf", retries=0)
    made.dispatcher.start()
    made.until_done()
    assert made.journal.queries.counts().of("done") == 1


def test_a_job_that_cannot_even_be_filed_stands_in_nobody_s_way(
    house: Callable[[int], House], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.jobs.dispatcher._FAULT_PAUSE_SECONDS", 0.0)
    made = house(1)

    def broken(*_: object) -> bool:
        raise ValueError("nor that")

    monkeypatch.setattr("paperchute.jobs.originals.file_failure", broken)
    made.service.on_call = lambda call: (_ for _ in ()).throw(ValueError("no"))
    made.drop("a", "1.pdf")
    made.dispatcher.start()
    made.until_done()
    (failed,) = made.journal.queries.jobs(["failed"])
    assert failed.error == "1.pdf could not be done: Paperchute met an internal error three times."
    assert (made.base / "a" / "1.pdf").exists()


def test_a_job_that_may_run_again_at_once_is_one_worker_s_at_a_time_in_the_books(
    house: Callable[[int], House], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusing disk makes a job due again at once: another worker has it before the first has signed off."""
    made = house(2)
    again, run = threading.Event(), made.dispatcher._runner.run
    runs: list[int] = []

    def refused_once(job: Job) -> Outcome:
        runs.append(job.id)
        if len(runs) == 1:
            made.journal.queue.wait_until(job.id, time.time(), "the disk refuses", "storage", attempt=False)
            assert again.wait(LONG)
            return Outcome("waiting", job)
        again.set()
        made.until(lambda: not made.dispatcher.outcomes.empty())  # the first has signed off
        return run(job)

    monkeypatch.setattr(made.dispatcher._runner, "run", refused_once)
    made.drop("hot", "a.pdf")
    made.dispatcher.start()  # first, as it queues again what it takes for cut off
    made.until_done()
    made.until(lambda: not made.dispatcher.is_busy())
    assert made.dispatcher.stop(LONG)
    assert [outcome.kind for outcome in iter_of(made.dispatcher.outcomes)] == ["waiting", "done"], "both were told"


def test_what_was_taken_ahead_of_quick_jobs_goes_back_when_they_turn_slow(house: Callable[[int], House]) -> None:
    one = house(1)
    called = one.service.on_call
    names = numbered(60)

    def slow_from_the_thirtieth(call: Call) -> None:
        called(call)
        if len(one.order) == 30:
            one.drop("urgent", "urgent.pdf", priority=10)
            time.sleep(0.5)  # longer than anything is held for

    one.service.on_call = slow_from_the_thirtieth
    one.drop("plain", *names)
    one.dispatcher.start()
    one.until_done()
    assert one.order.index("urgent/urgent.pdf") == 30
    assert len(one.order) == len(set(one.order)) == 61
