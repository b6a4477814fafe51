"""Several rules on one file: each does its work, and the original ends once, when the last of them is done."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from paperchute.jobs import originals
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, Outcome
from paperchute.jobs.runner import Runner
from paperchute.rules.stored import among_several
from paperchute.service.model import Call, ServiceError
from tests.jobs.interrupted import crashes_at_write
from tests.jobs.makers import make_rule, new_job, runner_over
from tests.jobs.scripted import Scripted


@dataclass
class Pair:
    """Two rules, A and B, that have the same file."""

    hot: Path
    journal: Journal
    service: Scripted
    runner: Runner
    original: str = "done"

    def drop(self) -> list[int | None]:
        path = self.hot / "a.pdf"
        if not path.exists():
            path.write_bytes(b"%PDF-1.7 %%EOF")
        return self.take()

    def take(self) -> list[int | None]:
        """What the intake writes down when the file is reported."""
        rules = [among_several(make_rule(self.hot, name=name), self.original) for name in "AB"]
        return self.journal.inserts.open_jobs([new_job(rule, self.hot / "a.pdf") for rule in rules])

    def jobs(self) -> list[Job]:
        lines = self.journal.queue.lines()
        return sorted(self.journal.queue.claim(lines, 8), key=lambda job: job.id) if lines else []

    def run_all(self) -> list[Outcome]:
        return [self.runner.run(job) for job in self.jobs()]

    def tree(self) -> list[str]:
        return sorted(p.relative_to(self.hot.parent).as_posix() for p in self.hot.parent.rglob("hot*/*") if p.is_file())

    def fail(self, *names: str) -> None:
        """Let the calls of these rules be refused from now on."""
        tokens = [job.token for job in self.journal.queries.jobs() if job.rule.name in names]

        def on_call(call: Call) -> None:
            if call.idempotency_key.split("-")[0] in tokens:
                raise ServiceError("It is broken.", kind="bad-input", code="02207")

        self.service.on_call = on_call


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return _pair(tmp_path)


def _pair(base: Path) -> Pair:
    (base / "hot").mkdir(parents=True)
    (base / "state" / "work").mkdir(parents=True)
    journal = Journal(base / "state" / "journal.sqlite")
    service = Scripted()
    return Pair(base / "hot", journal, service, runner_over(journal, lambda: service, base / "state" / "work"))


def test_both_do_their_work_and_the_last_one_files_the_original(pair: Pair) -> None:
    pair.drop()
    first, second = pair.jobs()
    assert pair.runner.run(first).kind == "done"
    assert pair.tree() == ["hot.out/a.md", "hot/a.pdf"]
    assert pair.take() == [None, None], "the one is done and the other at work"
    assert pair.runner.run(second).kind == "done"
    assert pair.tree() == ["hot.done/a.pdf", "hot.out/a (2).md", "hot.out/a.md"]
    (pair.hot.parent / "hot.done" / "a.pdf").rename(pair.hot / "a.pdf")
    assert None not in pair.drop(), "dropped again by a person, both take it again"


@pytest.mark.parametrize("original", ["delete", "keep"])
def test_other_fates_of_the_original(pair: Pair, original: str) -> None:
    pair.original = original
    pair.drop()
    pair.run_all()
    kept = ["hot/a.pdf"] if original == "keep" else []
    assert pair.tree() == ["hot.out/a (2).md", "hot.out/a.md", *kept]
    if original == "keep":
        assert pair.take() == [None, None]


@pytest.mark.parametrize("broken", ["A", "B"])
def test_where_one_fails_the_original_goes_where_that_is_put_right(pair: Pair, broken: str) -> None:
    pair.drop()
    pair.fail(broken)
    kinds = [outcome.kind for outcome in pair.run_all()]
    assert sorted(kinds) == ["done", "failed"]
    assert pair.tree() == ["hot.failed/a.pdf", "hot.failed/a.pdf.error.txt", "hot.out/a.md"]
    pair.service.on_call = lambda call: None
    (job,) = pair.journal.queries.jobs(["failed"])
    assert job.rule.name == broken
    originals.bring_back(pair.journal, job)
    numbers = pair.take()
    assert numbers.count(None) == 1, "what was done is not done, or paid, again"
    assert [outcome.kind for outcome in pair.run_all()] == ["done"]
    assert pair.tree() == ["hot.done/a.pdf", "hot.out/a (2).md", "hot.out/a.md"]


def test_where_both_fail_one_text_tells_of_both_and_both_are_tried_again(pair: Pair) -> None:
    pair.drop()
    pair.fail("A", "B")
    assert [outcome.kind for outcome in pair.run_all()] == ["failed", "failed"]
    assert pair.tree() == ["hot.failed/a.pdf", "hot.failed/a.pdf.error.txt"]
    text = (pair.hot.parent / "hot.failed" / "a.pdf.error.txt").read_text("utf-8")
    assert text.count("02207") >= 2
    for job in pair.journal.queries.jobs(["failed"]):
        assert originals.is_waiting_for_help(pair.journal, job)
    originals.bring_back(pair.journal, pair.journal.queries.jobs(["failed"])[0])
    pair.service.on_call = lambda call: None
    assert None not in pair.take()
    assert [outcome.kind for outcome in pair.run_all()] == ["done", "done"]
    assert pair.tree() == ["hot.done/a.pdf", "hot.out/a (2).md", "hot.out/a.md"]


def test_a_later_file_of_the_same_name_settles_an_old_failure_but_not_a_companion_s(pair: Pair) -> None:
    pair.drop()
    pair.fail("A")
    pair.run_all()
    assert len(pair.journal.queries.jobs(["failed"])) == 1
    (pair.hot / "a.pdf").write_bytes(b"%PDF-1.7 another %%EOF")
    pair.service.on_call = lambda call: None
    pair.take()
    pair.run_all()
    assert pair.journal.queries.jobs(["failed"]) == []


def test_a_rule_alone_with_its_file_files_it_as_ever(pair: Pair) -> None:
    path = pair.hot / "a.pdf"
    path.write_bytes(b"%PDF-1.7 %%EOF")
    pair.journal.inserts.open_job(new_job(make_rule(pair.hot, also=True), path))
    assert [outcome.kind for outcome in pair.run_all()] == ["done"]
    assert pair.tree() == ["hot.done/a.pdf", "hot.out/a.md"]


@pytest.mark.parametrize("broken", [(), ("A",), ("A", "B")])
@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_commit_leaves_nothing_undone_and_nothing_twice(
    tmp_path: Path, broken: tuple[str, ...], after: bool
) -> None:
    for crash_at in range(1, 200):
        pair = _pair(tmp_path / str(crash_at))
        pair.drop()
        pair.fail(*broken)
        reached = crashes_at_write(crash_at, pair.run_all, after=after)
        pair.journal.queue.recover()
        pair.run_all()
        done = sum(job.state == "done" for job in pair.journal.queries.jobs())
        assert done == 2 - len(broken), (crash_at, pair.journal.queries.jobs())
        assert len(pair.tree()) == 1 + done + bool(broken), (crash_at, pair.tree())
        assert ("hot.failed/a.pdf" if broken else "hot.done/a.pdf") in pair.tree(), crash_at
        pair.journal.close()
        if not reached:
            return
    raise AssertionError("it never came to its end")
