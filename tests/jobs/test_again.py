"""What was done is done anew once: for a result that is gone, by the rules of today, and over nobody's file."""

from __future__ import annotations

import pytest

from paperchute.app import failures, undoing
from paperchute.app.places import State
from paperchute.jobs.model import Job
from paperchute.jobs.undo.assessment import CannotUndo
from tests.jobs.bench import Bench, failing
from tests.jobs.makers import make_rule, new_job
from tests.jobs.test_undo import TWO, bin_, done, finished, taken_again  # noqa: F401 -- a fixture


def again(bench: Bench, job: Job) -> None:
    undoing.make_again(bench.journal, State(bench.hot.parent / "state"), job.id)


def result(bench: Bench, job: Job) -> bytes:
    return (bench.hot.parent / "hot.out" / f"{job.path.stem}.md").read_bytes()


@pytest.mark.parametrize("original", ["done", "keep"])
def test_a_result_that_was_deleted_is_made_again_by_one_call(bench: Bench, original: str) -> None:
    job = done(bench, bench.drop(), original=original)
    job.outputs[0].unlink()
    again(bench, job)
    assert failures.to_look_at(bench.journal) == [job.path]
    assert taken_again(bench, job)
    assert not taken_again(bench, job)
    new = bench.again().job
    assert new.id != job.id
    assert finished(bench, new).outputs == job.outputs
    assert result(bench, job) == b"# result"
    assert len(bench.service.calls) == 2
    with pytest.raises(CannotUndo, match="already been undone"):
        again(bench, job)  # whoever asks a second time pays for nothing


@pytest.mark.parametrize("names", [("One",), ("One", "Two")])
def test_what_was_shared_and_is_tried_again_is_no_failure_of_ours_any_more(bench: Bench, names: tuple[str]) -> None:
    """Whichever Paperchute claims it does it; should that one fail too, it is that one's failure."""
    path, filed = bench.drop(), bench.hot.parent / "hot.failed" / "a.pdf"
    rules = [make_rule(bench.hot, name=name, shared=True, also=len(names) > 1, fingerprint=name) for name in names]

    def run() -> list[Job]:
        assert all(bench.journal.inserts.open_jobs([new_job(rule, path) for rule in rules]))
        return [bench.runner.run(job).job for job in iter(bench.journal.queue.next, None)]

    bench.service.on_call = failing("bad-input", code="02207")
    jobs = run()
    assert filed.exists()
    failures.retry(bench.journal, jobs[0].id)
    path.rename(filed)  # another Paperchute has claimed it, and has failed
    failures.settle_those_taken_away(bench.journal)
    assert [job.state for job in bench.journal.queries.jobs()] == ["cancelled"] * len(names)
    filed.rename(path)  # that one's is tried again, and now we are faster
    bench.service.on_call = lambda call: None
    assert [(job.id, job.state) for job in run()] == [(job.id, "done") for job in jobs]


def test_it_is_today_s_rule_that_does_it(bench: Bench) -> None:
    job = done(bench, bench.drop())
    again(bench, job)
    rule = make_rule(bench.hot, output=f"{bench.hot}.out/{{stem}} new.{{ext}}")
    assert bench.journal.inserts.open_job(new_job(rule, job.path))
    assert [path.name for path in finished(bench, bench.again().job).outputs] == ["a new.md"]


def test_a_result_that_somebody_changed_or_replaced_stays(bench: Bench) -> None:
    job = done(bench, bench.drop())
    job.outputs[0].write_bytes(b"corrected by hand")
    again(bench, job)
    assert taken_again(bench, job)
    (new,) = finished(bench, bench.again().job).outputs
    assert job.outputs[0].read_bytes() == b"corrected by hand"
    assert (new.name, new.read_bytes()) == ("a (2).md", b"# result")


def test_of_several_results_those_that_are_left_go_to_the_trash(bench: Bench) -> None:
    bench.service.outputs = TWO
    job = done(bench, bench.drop())
    job.outputs[0].unlink()
    again(bench, job)
    assert not any(path.exists() for path in job.outputs)
    assert taken_again(bench, job)
    assert [path.read_bytes() for path in finished(bench, bench.again().job).outputs] == [b"one", b"two"]


@pytest.mark.parametrize(
    ("rule", "reason"), [({"original": "delete"}, "deletes originals"), ({"shared": True}, "is shared")]
)
def test_without_its_original_it_is_told_why_not(bench: Bench, rule: dict[str, object], reason: str) -> None:
    job = done(bench, bench.drop(), **rule)
    before = bench.tree()
    with pytest.raises(CannotUndo, match=reason):
        again(bench, job)
    assert bench.tree() == before
    assert finished(bench, job).state == "done"
