"""Rules on a schedule: one job for each due time, over restarts, sleep, changed clocks and failures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.app import failures
from paperchute.app.preview import Rehearsal
from paperchute.app.rulebook import Rulebook
from paperchute.app.schedules import Schedules, upcoming
from paperchute.events import Queued
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Outcome
from paperchute.rules.explain import explain
from paperchute.rules.match import FileFacts
from paperchute.rules.model import Rule
from paperchute.rules.settings import RuleFile, ServiceSettings
from paperchute.rules.tables import Step
from paperchute.service.model import Call, ServiceError
from tests.jobs.makers import make_rule, runner_over
from tests.jobs.scripted import Scripted
from tests.observers import Told

NOON = datetime(2026, 11, 22, 12, 0)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Place:
    """A folder with a journal, one rule that is due daily at six, and a service that prints."""

    def __init__(self, folder: Path, schedule: str = "daily 06:00") -> None:
        self.hot = folder / "hot"
        self.hot.mkdir(parents=True)
        self.rules = [scheduled(self.hot, schedule)]
        self.events = Told()
        self.service = Scripted(("page.pdf", b"%PDF-"))
        self.open()

    def open(self) -> None:
        """As after a start."""
        self.journal = Journal(self.hot.parent / "journal.sqlite", owner=True)
        self.schedules = Schedules(self.journal, Book(self), self.events)
        self.runner = runner_over(self.journal, lambda: self.service, self.hot.parent / "work")

    def restart(self) -> None:
        self.journal.close()
        self.open()
        self.journal.queue.recover()

    def look(self, now: datetime) -> int:
        """How many jobs there are by then."""
        self.schedules.look(now)
        return len(self.journal.queries.jobs([], limit=1000))

    def work(self) -> list[Outcome]:
        done: list[Outcome] = []
        while (job := self.journal.queue.next()) is not None:
            done.append(self.runner.run(job))
            assert done[-1].kind in ("done", "failed"), done[-1].job  # what waits comes up again at once
        return done


class Book(Rulebook):
    """The rules of a place, which a test may exchange."""

    def __init__(self, place: Place) -> None:
        self.place = place

    @property
    def rules(self) -> Sequence[Rule]:
        return self.place.rules


def scheduled(hot: Path, schedule: str, name: str = "Price list v1.2") -> Rule:
    steps = (Step("pdf-generate", {"htmlUrl": "http://intranet.example/prices"}),)
    output = "{folder.name}.out/{stem} {counter:02}.{ext}"
    return make_rule(hot, name=name, steps=steps, match=(), schedule=schedule, output=output)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_due_time_becomes_one_job_that_needs_no_file(place: Place) -> None:
    assert place.look(NOON) == 0  # a new rule begins with its next time
    assert place.look(NOON + 17 * HOUR) == 0
    for _ in range(3):
        assert place.look(NOON + 18 * HOUR) == 1
    assert [type(event) for event in place.events.events] == [Queued]
    (outcome,) = place.work()
    assert outcome.kind == "done"
    assert place.service.calls[0].parameters == {"htmlUrl": "http://intranet.example/prices"}
    assert [path.name for path in (place.hot.parent / "hot.out").iterdir()] == ["Price list v1_2 01.pdf"]
    (job,) = place.journal.queries.jobs([], limit=5)
    assert (job.state, job.members) == ("done", ())
    assert list(place.hot.iterdir()) == []
    assert place.look(NOON + 20 * HOUR) == 1
    assert place.look(NOON + 18 * HOUR + DAY) == 2


@pytest.mark.parametrize("name", ["x" * 400, "ü" * 300, "../../out", "CON", "a/b: c?", ".", "…"])
def test_any_name_of_a_rule_is_a_name_of_a_file(tmp_path: Path, name: str) -> None:
    place = Place(tmp_path)
    place.rules = [scheduled(place.hot, "daily 06:00", name)]
    place.look(NOON)
    assert place.look(NOON + DAY) == 1
    assert [outcome.kind for outcome in place.work()] == ["done"]
    (made,) = (place.hot.parent / "hot.out").iterdir()
    assert made.suffix == ".pdf"


def test_a_restart_at_any_moment_neither_repeats_nor_forgets_it(place: Place) -> None:
    place.look(NOON)
    place.restart()
    assert place.look(NOON + 18 * HOUR) == 1
    place.restart()
    assert place.look(NOON + 18 * HOUR) == 1
    assert place.journal.queue.next() is not None  # at work when the process ends
    place.restart()
    assert place.look(NOON + 19 * HOUR) == 1
    assert [outcome.kind for outcome in place.work()] == ["done"]
    place.restart()
    assert place.look(NOON + 20 * HOUR) == 1
    assert len(place.service.calls) == 1


def test_of_what_was_missed_one_time_is_made_up_for(place: Place) -> None:
    place.look(NOON)
    assert place.look(NOON + 10 * DAY) == 1
    place.work()
    assert place.look(NOON + 10 * DAY + HOUR) == 1
    assert place.look(NOON + 11 * DAY) == 2


def test_while_one_is_at_work_the_next_waits_and_is_not_lost(place: Place) -> None:
    place.look(NOON)
    assert place.look(NOON + DAY) == 1
    assert place.look(NOON + 2 * DAY) == 1
    assert place.look(NOON + 3 * DAY) == 1
    place.work()
    assert place.look(NOON + 3 * DAY) == 2


def test_a_clock_that_is_set_back_repeats_nothing(place: Place) -> None:
    place.look(NOON)
    assert place.look(NOON + DAY) == 1
    place.work()
    for hours in (7, 6, 5, 1):
        assert place.look(NOON + DAY - hours * HOUR) == 1
    assert place.look(NOON + 2 * DAY) == 2


def test_a_clock_that_was_years_ahead_stops_nothing_for_years(place: Place) -> None:
    place.look(NOON)
    assert place.look(NOON + 2000 * DAY) == 1
    place.work()
    assert place.look(NOON + HOUR) == 1
    assert place.look(NOON + 18 * HOUR) == 2


def test_hours_that_come_twice_and_hours_that_are_skipped(tmp_path: Path) -> None:
    """Local time without a zone, as the machine's clock shows it when summer time begins and ends."""
    place = Place(tmp_path, "daily 02:30")
    place.look(datetime(2026, 10, 25, 1, 0))
    assert place.look(datetime(2026, 10, 25, 2, 30)) == 1
    place.work()
    for minute in (0, 29, 30, 59):  # two o'clock once more
        assert place.look(datetime(2026, 10, 25, 2, minute)) == 1
    place.look(datetime(2027, 3, 27, 12, 0))
    place.work()
    before = place.look(datetime(2027, 3, 28, 1, 59))
    assert place.look(datetime(2027, 3, 28, 3, 0)) == before + 1


def test_another_schedule_and_a_rule_that_comes_back_begin_anew(place: Place) -> None:
    place.look(NOON)
    place.rules = [scheduled(place.hot, "daily 09:00")]
    assert place.look(NOON + HOUR) == 0
    place.rules = [place.rules[0].model_copy(update={"enabled": False})]
    place.look(NOON + 5 * DAY)
    place.rules = [place.rules[0].model_copy(update={"enabled": True})]
    assert place.look(NOON + 6 * DAY) == 0
    assert place.look(NOON + 7 * DAY) == 1


@given(st.lists(st.tuples(st.integers(-30, 200), st.booleans(), st.booleans()), max_size=12))
def test_however_time_goes_no_due_time_has_two_jobs(
    tmp_path_factory: pytest.TempPathFactory, moves: list[tuple[int, bool, bool]]
) -> None:
    place = Place(tmp_path_factory.mktemp("times"))
    now = latest = NOON
    place.look(now)
    for minutes, restarts, works in moves:
        now += timedelta(minutes=7 * minutes)
        latest = max(latest, now)
        if restarts:
            place.restart()
        count = place.look(now)
        passed = (latest - NOON + 6 * HOUR) // DAY  # how often it has been six o'clock since
        assert count <= passed
        if works:
            place.work()
    place.journal.close()


def test_a_failure_is_told_and_tried_again_by_hand(place: Place) -> None:
    def refuse(call: Call) -> None:
        raise ServiceError("The page cannot be had.", "Look at the address.", kind="permanent", code="03000")

    place.service.on_call = refuse
    place.look(NOON)
    place.look(NOON + DAY)
    (outcome,) = place.work()
    assert outcome.kind == "failed"
    text = place.hot.parent / "hot.failed" / "Price list v1_2.error.txt"
    assert f"paperchute retry {outcome.job.id}" in text.read_text("utf-8")
    assert "move the" not in text.read_text("utf-8")
    assert failures.what_to_show(place.journal, None) == text
    failures.settle_those_taken_away(place.journal)
    assert len(place.journal.queries.jobs(["failed"], limit=5)) == 1
    place.service.on_call = lambda call: None
    assert failures.retry(place.journal, outcome.job.id) == []
    assert [outcome.kind for outcome in place.work()] == ["done"]
    assert not text.exists()


def test_the_next_time_that_goes_well_and_a_text_taken_away_settle_a_failure(place: Place) -> None:
    def refuse(call: Call) -> None:
        raise ServiceError("No.", "", kind="permanent", code="03000")

    place.service.on_call = refuse
    place.look(NOON)
    for day in (1, 2):
        place.look(NOON + day * DAY)
        place.work()
        assert len(place.journal.queries.jobs(["failed"], limit=5)) == 1
        if day == 1:
            (place.hot.parent / "hot.failed" / "Price list v1_2.error.txt").unlink()
            failures.settle_those_taken_away(place.journal)
            assert place.journal.queries.jobs(["failed"], limit=5) == []
    place.service.on_call = lambda call: None
    place.look(NOON + 3 * DAY)
    place.work()
    assert place.journal.queries.jobs(["failed"], limit=5) == []


def test_what_comes_is_told(place: Place) -> None:
    (found,) = upcoming(place.rules, NOON)
    assert found == (place.rules[0], datetime(2026, 11, 23, 6, 0))
    rehearsal = Rehearsal(NOON.timestamp())
    rehearsal.go_through(place.rules)
    told = "\n".join(rehearsal.lines)
    assert "rule 'Price list v1.2': next on Monday 2026-11-23 06:00" in told
    assert "htmlUrl = http://intranet.example/prices" in told
    rules = RuleFile(place.hot, ServiceSettings(), tuple(place.rules))
    assert "it takes no file" in explain(rules, place.hot / "a.html", FileFacts(), NOON.timestamp()).text()
