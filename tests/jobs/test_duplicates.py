"""Files that were done before: skipped and filed, asked about, or done again, and never while the first is at work."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from paperchute.service.model import ServiceError
from tests.jobs.bench import Bench
from tests.jobs.interrupted import crashes_at_write
from tests.jobs.test_undo import undo

SAME, OTHER = b"%PDF-1.7 same %%EOF", b"%PDF-1.7 else %%EOF"


def test_a_file_that_was_done_is_filed_and_its_history_says_where_the_first_is(bench: Bench) -> None:
    bench.run(bench.drop("a.pdf", SAME), duplicates="skip")
    second = bench.run(bench.drop("b.pdf", SAME), duplicates="skip")
    assert second.kind == "done"
    assert second.job.note is not None
    assert "job 1" in second.job.note
    assert str(Path("hot.done", "a.pdf")) in second.job.note
    assert bench.run(bench.drop("c.pdf", OTHER), duplicates="skip").kind == "done"
    assert len(bench.service.calls) == 2
    assert set(bench.tree()) == {
        *("hot.done/a.pdf", "hot.done/b.pdf", "hot.done/c.pdf"),
        *("hot.out/a.md", "hot.out/c.md"),
    }


@pytest.mark.parametrize("rule", [{}, {"duplicates": "process"}])
def test_otherwise_it_is_done_again(bench: Bench, rule: dict[str, str]) -> None:
    for name in ("a.pdf", "b.pdf"):
        assert bench.run(bench.drop(name, SAME), **rule).kind == "done"
    assert len(bench.service.calls) == 2


def test_another_rule_and_a_first_that_failed_or_was_only_skipped_do_not_count(bench: Bench) -> None:
    def refuse(call: object) -> None:
        raise ServiceError("No.", kind="bad-input", code="02207")

    bench.run(bench.drop("a.pdf", SAME), duplicates="skip", name="Other")
    bench.service.on_call = refuse
    assert bench.run(bench.drop("b.pdf", SAME), duplicates="skip").kind == "failed"
    bench.service.on_call = lambda call: None
    first = bench.run(bench.drop("c.pdf", SAME), duplicates="skip").job
    assert first.outputs
    assert not bench.run(bench.drop("d.pdf", SAME), duplicates="skip").job.outputs
    undo(bench, first)
    (bench.hot / "c.pdf").unlink()
    assert bench.run(bench.drop("e.pdf", SAME), duplicates="skip").job.outputs, "d was skipped, and c taken back"


def test_one_is_asked_about_and_done_when_a_person_tries_it_again(bench: Bench) -> None:
    bench.run(bench.drop("a.pdf", SAME), duplicates="ask")
    asked = bench.run(bench.drop("b.pdf", SAME), duplicates="ask")
    assert asked.kind == "failed"
    assert asked.job.error_code == "duplicate"
    assert {"hot.failed/b.pdf", "hot.failed/b.pdf.needs-you.txt"} <= set(bench.tree())
    said = bench.tree()["hot.failed/b.pdf.needs-you.txt"].decode()
    assert str(Path("hot.done", "a.pdf")) in said
    bench.bring_back(asked.job)
    bench.journal.inserts.rearm(asked.job)
    assert bench.again().kind == "done"
    assert not any("failed" in name for name in bench.tree())
    assert len(bench.service.calls) == 2


@pytest.mark.parametrize("is_read", [False, True])
def test_while_the_first_may_be_at_work_the_second_waits(bench: Bench, is_read: bool) -> None:
    first = bench.queue(bench.drop("a.pdf", SAME), duplicates="skip")
    if is_read:
        bench.journal.calls.note_hashes(first, [hashlib.sha256(SAME).hexdigest()])
    second = bench.queue(bench.drop("b.pdf", SAME), duplicates="skip")
    assert bench.runner.run(second).kind == "waiting"
    assert bench.run(bench.drop("c.pdf", OTHER * 2), duplicates="skip").kind == "done", "of another size"
    assert bench.runner.run(first).kind == "done"
    assert bench.again().kind == "done"
    assert len(bench.service.calls) == 2


@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_write_skips_it_all_the_same(bench: Bench, after: bool) -> None:
    bench.run(bench.drop("a.pdf", SAME), duplicates="skip")
    number, crashed = 1, True
    while crashed:
        job = bench.queue(bench.drop(f"{number} {after}.pdf", SAME), duplicates="skip")
        crashed = crashes_at_write(number, lambda job=job: bench.runner.run(job), after=after)  # type: ignore[misc]
        bench.journal.queue.recover()
        while (left := bench.journal.queue.next()) is not None:
            assert bench.runner.run(left).kind == "done"
        assert f"hot.done/{number} {after}.pdf" in bench.tree()
        number += 1
    assert number > 3
    assert len(bench.service.calls) == 1
