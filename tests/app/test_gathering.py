"""When a set is whole, what belongs to it, and that no file is ever in two sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from paperchute.app import sets
from paperchute.app.sets import Gathering
from paperchute.files.identity import key_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Member, NewJob
from paperchute.rules.model import Rule
from paperchute.rules.tables import Step
from tests.jobs.makers import make_rule


class Clock:
    """Time that only passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@dataclass
class Desk:
    """A hot folder, and what gathers there."""

    hot: Path
    journal: Journal
    gathering: Gathering
    clock: Clock
    rule: Rule
    coming: Collection[Path] | None = ()
    anew: list[Path] = field(default_factory=list)

    def drop(self, *names: str, rule: Rule | None = None) -> None:
        """Files come and are ready."""
        for name in names:
            path = self.hot / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_bytes(b"%PDF " + name.encode())
            self.gathering.add(self.part(name, rule))

    def part(self, name: str, rule: Rule | None = None) -> NewJob:
        path = self.hot / name
        members = tuple(Member(p, key) for p in (path, Path(f"{path}.toml")) if (key := key_of(p)) is not None)
        return NewJob(rule or self.rule, path, PurePosixPath(name), members)

    def whole(self, rules: list[Rule] | None = None) -> list[NewJob]:
        made, anew = self.gathering.whole([self.rule] if rules is None else rules, lambda folder: self.coming)
        self.anew += anew
        return made

    def sets(self) -> list[list[str]]:
        """The sets that are whole now, by names."""
        return [self.names(new) for new in self.whole()]

    def names(self, new: NewJob) -> list[str]:
        return [member.path.relative_to(self.hot).as_posix() for member in new.members]

    def waiting(self) -> dict[str, str]:
        return {w.path.name: w.reason for w in self.gathering.waiting()}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Desk]]:
    clock = Clock()
    monkeypatch.setattr(sets, "time", clock)
    journal = Journal(tmp_path / "journal.sqlite")
    hot = tmp_path / "hot"
    hot.mkdir()

    def desk(**rule: Any) -> Desk:
        fields = {"match": ("*.pdf",), "steps": (Step("pdf-merge", {}),), **rule}
        return Desk(hot, journal, Gathering(journal), clock, make_rule(hot, **fields))

    yield desk
    journal.close()


@pytest.fixture
def batch(made: Callable[..., Desk]) -> Desk:
    return made(gather="batch", quiet=10.0, batch_size=4)


@pytest.fixture
def pair(made: Callable[..., Desk]) -> Desk:
    return made(gather="pair", partner=(".insert.pdf",))


def test_a_batch_is_what_came_until_it_was_quiet_in_natural_order(batch: Desk) -> None:
    batch.drop("10.pdf", "9.pdf")
    batch.clock.now += 9
    assert batch.sets() == []
    batch.drop("1.pdf")
    batch.clock.now += 9
    assert batch.sets() == []
    assert batch.gathering.is_about_to_close()
    batch.clock.now += 1
    assert batch.sets() == [["1.pdf", "9.pdf", "10.pdf"]]
    assert batch.gathering.is_empty()
    batch.drop("2.pdf", "3.pdf")
    batch.clock.now += 10
    assert batch.sets() == [["2.pdf", "3.pdf"]]


def test_a_batch_waits_for_what_is_on_its_way_and_for_nothing_else(batch: Desk) -> None:
    batch.drop("1.pdf", "2.pdf")
    batch.clock.now += 60
    for coming in ([batch.hot / "slow.pdf"], None):
        batch.coming = coming
        assert batch.sets() == []
    batch.coming = [batch.hot / "notes.txt", batch.hot / "sub" / "a.pdf"]
    assert batch.sets() == [["1.pdf", "2.pdf"]]


def test_a_full_batch_does_not_wait_and_the_rest_is_the_next(batch: Desk) -> None:
    batch.drop(*(f"{number}.pdf" for number in range(1, 7)))
    assert batch.sets() == [["1.pdf", "2.pdf", "3.pdf", "4.pdf"]]
    batch.clock.now += 10
    assert batch.sets() == [["5.pdf", "6.pdf"]]


def test_too_few_for_the_operation_wait_and_hold_up_nobody(batch: Desk) -> None:
    batch.drop("1.pdf")
    batch.clock.now += 3600
    assert batch.sets() == []
    assert not batch.gathering.is_about_to_close()
    assert batch.waiting() == {"1.pdf": "partner"}
    batch.drop("2.pdf")
    assert batch.waiting() == {"1.pdf": "batch", "2.pdf": "batch"}
    batch.clock.now += 10
    assert batch.sets() == [["1.pdf", "2.pdf"]]


def test_each_sub_folder_has_batches_of_its_own(made: Callable[..., Desk]) -> None:
    desk = made(gather="batch", recursive=True)
    desk.drop("a.pdf", "x/b.pdf", "c.pdf", "x/d.pdf")
    desk.clock.now += 10
    assert desk.sets() == [["a.pdf", "c.pdf"], ["x/b.pdf", "x/d.pdf"]]


@pytest.mark.parametrize("names", [("a.pdf", "a.insert.pdf"), ("A.INSERT.pdf", "a.pdf")])
def test_two_halves_are_a_pair_in_whatever_order_they_come(pair: Desk, names: tuple[str, str]) -> None:
    pair.drop(names[0])
    assert pair.sets() == []
    assert pair.waiting() == {names[0]: "partner"}
    pair.drop(names[1])
    assert [sorted(one) for one in pair.sets()] == [sorted(names)]
    assert pair.gathering.is_empty()


def test_halves_of_different_stems_do_not_meet(pair: Desk) -> None:
    pair.drop("a.pdf", "b.insert.pdf")
    assert pair.sets() == []
    pair.drop("a.insert.pdf", "b.pdf")
    assert pair.sets() == [["a.pdf", "a.insert.pdf"], ["b.pdf", "b.insert.pdf"]]


def test_what_lies_beside_a_file_comes_behind_the_pair(pair: Desk) -> None:
    (pair.hot / "a.pdf.toml").write_text("", "utf-8")
    pair.drop("a.pdf", "a.insert.pdf")
    assert pair.sets() == [["a.pdf", "a.insert.pdf", "a.pdf.toml"]]


def test_a_half_that_was_taken_away_waits_no_longer_and_a_changed_one_is_judged_anew(pair: Desk) -> None:
    pair.drop("a.pdf", "b.pdf")
    (pair.hot / "a.pdf").unlink()
    (pair.hot / "b.pdf").write_bytes(b"%PDF longer than before")
    assert pair.sets() == []
    assert pair.gathering.is_empty()
    assert pair.anew == [pair.hot / "b.pdf"]


def test_files_of_a_rule_that_has_changed_are_judged_anew(pair: Desk) -> None:
    pair.drop("a.pdf")
    changed = make_rule(pair.hot, gather="pair", partner=("-back.pdf",))
    assert pair.whole([changed]) == []
    assert pair.anew == [pair.hot / "a.pdf"]
    assert pair.gathering.is_empty()


def test_a_file_of_a_set_that_is_written_down_is_in_no_other(batch: Desk) -> None:
    batch.drop("1.pdf", "2.pdf")
    batch.clock.now += 10
    (new,) = batch.whole()
    assert batch.journal.inserts.open_job(new) is not None
    batch.drop("1.pdf", "2.pdf", "3.pdf", "4.pdf")  # as a scan after a restart reports them
    batch.clock.now += 10
    assert batch.sets() == [["3.pdf", "4.pdf"]]


def test_the_journal_itself_takes_no_file_twice(batch: Desk) -> None:
    batch.drop("1.pdf", "2.pdf", "3.pdf")
    first, second = batch.part("1.pdf"), batch.part("2.pdf")
    both = NewJob(batch.rule, first.path, first.relative, (*first.members, *second.members))
    other = NewJob(batch.rule, second.path, second.relative, (*second.members, *batch.part("3.pdf").members))
    assert batch.journal.inserts.open_jobs([both, other, second]) == [1, None, None]


def test_a_set_that_was_left_in_place_is_not_gathered_again(made: Callable[..., Desk]) -> None:
    desk = made(gather="batch", original="keep")
    desk.drop("1.pdf", "2.pdf")
    desk.clock.now += 10
    (new,) = desk.whole()
    desk.journal.inserts.open_job(new)
    job = desk.journal.queue.next()
    assert job is not None
    desk.journal.completion.finish(job, "done", kept=True)
    desk.drop("1.pdf", "2.pdf")
    assert desk.gathering.is_empty()
    os.utime(desk.hot / "2.pdf", (1, 1))
    desk.drop("2.pdf", "3.pdf")
    desk.clock.now += 10
    assert desk.sets() == [["2.pdf", "3.pdf"]], "one that has changed since is new"


def test_a_failed_set_that_is_brought_back_is_the_same_set_whatever_came_meanwhile(batch: Desk) -> None:
    batch.drop("1.pdf", "2.pdf")
    batch.clock.now += 10
    (new,) = batch.whole()
    number = batch.journal.inserts.open_job(new)
    job = batch.journal.queue.next()
    assert job is not None
    batch.journal.completion.finish(job, "failed", kept=False)
    batch.drop("2.pdf", "3.pdf", "1.pdf")
    (again,) = batch.whole()
    assert batch.names(again) == ["1.pdf", "2.pdf"]
    assert batch.journal.inserts.open_job(again) == number
    assert batch.waiting() == {"3.pdf": "partner"}
