"""Files that come late into a dropped folder: one job has them all, or it is said loudly."""

from __future__ import annotations

import queue
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ParamSpec, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.app.ended_jobs import EndedJobs
from paperchute.app.selection import asking, naming, new_jobs
from paperchute.files.identity import FileKey
from paperchute.jobs import originals
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, Outcome
from paperchute.rules.model import Rule
from paperchute.rules.tables import Step
from paperchute.watch.interface import HotFolder
from paperchute.watch.watcher import Watcher
from tests.halves import unmade
from tests.jobs.makers import make_rule, runner_over
from tests.jobs.scripted import Scripted
from tests.watch.conftest import PDF
from tests.watch.filling import Filling

_P = ParamSpec("_P")
_T = TypeVar("_T")
MERGE: Mapping[str, Any] = {"gather": "folder", "match": ("*.pdf",), "steps": (Step("pdf-merge", {}),)}


class Office:
    """A hot folder for sets, from the first file to what becomes of it; its clock goes on in `wait` alone."""

    def __init__(self, base: Path, *rules: Mapping[str, Any]) -> None:
        self.hot = base / "hot"
        for folder in (self.hot, base / "state" / "work"):
            folder.mkdir(parents=True)
        self.rules: list[Rule] = [make_rule(self.hot, **{**MERGE, **rule}) for rule in rules or [{}]]
        prompt = any(rule.set_size or rule.set_end for rule in self.rules)
        self.filling = Filling(
            HotFolder(self.hot, gather=True, prompt=prompt),
            lambda folder, path, names: naming(self.rules, folder, path, names),
        )
        self.journal = Journal(base / "state" / "journal.sqlite")
        self.service = Scripted()
        self.runner = runner_over(self.journal, lambda: self.service, base / "state" / "work")

    def drop(self, *names: str, folder: str = "set") -> None:
        for name in names:
            self.filling.drop(f"{folder}/{name}", PDF + name.encode() + b"%%EOF\n")

    def wait(self, seconds: float = 600.0, *, work: bool = True) -> None:
        """Time passes, what is complete is written down; and with `work` done, as the daemon does it."""
        self.filling.wait(seconds)
        while self._take() | (work and self._work()):
            self.filling.wait(seconds)

    def jobs(self, *states: str) -> list[Job]:
        return [job for job in reversed(self.journal.queries.jobs()) if not states or job.state in states]

    def names(self, job: Job) -> set[str]:
        return {member.path.name for member in job.members}

    def tree(self) -> list[str]:
        base = self.hot.parent
        found = (p.relative_to(base).as_posix() for p in base.rglob("*") if p.is_file())
        return sorted(name for name in found if not name.startswith("state/"))

    def _take(self) -> bool:
        readies, self.filling.readies = self.filling.readies, []
        for ready in readies:
            self.journal.inserts.open_jobs(new_jobs(asking(self.rules, ready), ready, {}))
        return bool(readies)

    def _work(self) -> bool:
        outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        while job := self.journal.queue.next():
            outcomes.put(self.runner.run(job))
        worked = not outcomes.empty()
        ended = unmade(EndedJobs)
        ended._outcomes, ended._watcher = outcomes, Refilling(self.filling)
        ended.mind()
        return worked


class Refilling(Watcher):
    """Hands on to a `Filling` what work has found."""

    def __init__(self, filling: Filling) -> None:
        self.filling = filling

    def forget(self, path: Path) -> None:
        root = self.filling.root
        self.filling.settler._gone(root, str(path.relative_to(root.hot.path)))

    def again(self, path: Path, key: FileKey | None = None, gap: float = 0.0) -> None:
        root = self.filling.root
        self.filling.settler._again(root, str(path.relative_to(root.hot.path)), key, gap)


@contextmanager
def made(*rules: Mapping[str, Any]) -> Iterator[Office]:
    with TemporaryDirectory() as base:
        office = Office(Path(base), *rules)
        try:
            yield office
        finally:
            office.journal.close()


def during(office: Office, act: Callable[[], object]) -> None:
    """Do something once, while the next call is at work."""

    def on_call(call: object) -> None:
        office.service.on_call = lambda call: None
        act()

    office.service.on_call = on_call


def test_a_set_copied_with_a_pause_is_one_job_with_all_files() -> None:
    with made() as office:
        office.drop("1.pdf", "2.pdf")
        office.wait(3)
        office.drop("3.pdf")
        office.wait()
        (job,) = office.jobs()
        assert (job.state, office.names(job)) == ("done", {"1.pdf", "2.pdf", "3.pdf"})
        assert office.tree() == [*(f"hot.done/set/{n}.pdf" for n in (1, 2, 3)), "hot.out/set.md"]


@pytest.mark.parametrize("original", ["done", "keep", "delete"])
def test_a_file_that_comes_before_delivery_begins_the_job_anew_with_all_files(original: str) -> None:
    with made({"original": original}) as office:
        office.drop("1.pdf", "2.pdf")
        during(office, lambda: office.drop("3.pdf"))
        office.wait()
        assert [job.state for job in office.jobs()] == ["cancelled", "done"]
        assert office.names(office.jobs()[1]) == {"1.pdf", "2.pdf", "3.pdf"}
        assert len([name for name in office.tree() if name.startswith("hot.out/")]) == 1


def test_a_set_that_fails_while_more_of_it_comes_is_not_pulled_away(monkeypatch: pytest.MonkeyPatch) -> None:
    with made() as office:
        office.drop("1.pdf")
        plan_failure = office.journal.plans.plan_failure

        def then_more(*arguments: Any, **more: Any) -> None:
            plan_failure(*arguments, **more)
            office.drop("2.pdf")

        monkeypatch.setattr(office.journal.plans, "plan_failure", then_more)
        office.wait()
        assert [job.state for job in office.jobs()] == ["cancelled", "done"]


def test_the_rest_of_a_set_that_failed_is_not_done_by_itself() -> None:
    with made() as office:
        office.drop("1.pdf")
        office.wait()
        office.drop("2.pdf", "3.pdf")
        office.wait()
        first, late = office.jobs()
        assert (first.state, late.state) == ("failed", "failed")
        assert "'set' failed at" in (late.error or "")
        assert office.service.calls == []


@pytest.mark.parametrize("original", ["done", "delete", "else"])
def test_the_folder_stays_with_what_came_while_the_result_was_put_in_place(
    original: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with made() as office:
        office.rules[:] = [
            make_rule(
                office.hot,
                **{**MERGE, "original": str(office.hot.parent / "else") if original == "else" else original},
            )
        ]
        office.drop("1.pdf", "2.pdf")
        delivered = office.journal.plans.delivered

        def then_more(*arguments: Any) -> Any:
            found = delivered(*arguments)
            monkeypatch.undo()
            office.drop("3.pdf")
            return found

        monkeypatch.setattr(office.journal.plans, "delivered", then_more)
        office.wait(5, work=False)
        office.wait(8, work=False)
        assert office._work()
        assert "hot/set/3.pdf" in office.tree()
        filed = {"done": "hot.done/", "delete": "", "else": "else/"}[original]
        if filed:
            assert {f"{filed}set/1.pdf", f"{filed}set/2.pdf"} <= set(office.tree())
        assert not {"hot/set/1.pdf", "hot/set/2.pdf"} & set(office.tree())
        office.wait()
        first, late = office.jobs()
        assert (first.state, late.state) == ("warned", "failed")
        assert "3.pdf" in first.warnings[0]
        assert late.error is not None
        assert "'set'" in late.error
        assert f"job {first.id}" in late.error
        assert "hot.failed/set/3.pdf" in office.tree()
        assert {"hot.failed/set.error.txt", "hot.failed/set.warnings.txt"} <= set(office.tree())


def test_what_is_tried_again_though_it_came_late_is_done_and_says_so() -> None:
    with made() as office:
        office.drop("1.pdf", "2.pdf")
        office.wait()
        office.drop("3.pdf", "4.pdf")
        office.wait()
        originals.bring_back(office.journal, office.jobs("failed")[0])
        office.filling.tell("set", "renamed", folder=True)
        office.wait()
        first, late = office.jobs()
        assert (first.state, late.state) == ("warned", "warned")
        assert "3.pdf, 4.pdf came after the set 'set' was done" in late.warnings[0]


def test_the_same_set_dropped_again_is_done_again() -> None:
    with made() as office:
        for _ in range(2):
            office.drop("1.pdf", "2.pdf")
            office.wait()
        assert [job.state for job in office.jobs()] == ["done", "done"]


def test_a_set_dropped_again_without_some_of_its_files_says_so() -> None:
    with made() as office:
        office.drop("1.pdf", "2.pdf")
        office.wait()
        office.drop("2.pdf", "3.pdf")
        office.wait()
        first, second = office.jobs()
        assert (first.state, second.state) == ("done", "warned")
        assert "1.pdf" in second.warnings[0]


def test_a_link_in_the_place_of_the_folder_is_never_looked_into(tmp_path: Path) -> None:
    with made() as office:
        office.drop("1.pdf", "2.pdf")
        (tmp_path / "private" / "empty").mkdir(parents=True)
        (tmp_path / "private" / "3.pdf").write_bytes(PDF)

        def plant() -> None:
            shutil.rmtree(office.hot / "set")
            (office.hot / "set").symlink_to(tmp_path / "private")

        during(office, plant)
        office.wait()
        assert [job.state for job in office.jobs()] == ["cancelled"]
        assert sorted(path.name for path in (tmp_path / "private").iterdir()) == ["3.pdf", "empty"]


def test_a_set_that_stays_and_grows_is_done_anew_and_both_jobs_say_so() -> None:
    with made({"original": "keep"}) as office:
        office.drop("1.pdf", "2.pdf")
        office.wait()
        office.drop("3.pdf")
        office.wait()
        first, second = office.jobs()
        assert (first.state, second.state) == ("warned", "warned")
        assert office.names(second) == {"1.pdf", "2.pdf", "3.pdf"}
        assert f"job {second.id}" in first.warnings[0]
        assert f"job {first.id}" in second.warnings[0]


def test_files_that_no_rule_takes_are_a_warning_at_the_job() -> None:
    with made({"except_": ("draft*",)}) as office:
        office.drop("1.pdf", "2-anlage.jpg", "3-anhang.docx", "4.pdf", "draft.txt", "Thumbs.db", ".DS_Store")
        office.wait()
        (job,) = office.jobs()
        assert job.state == "warned"
        assert "2-anlage.jpg, 3-anhang.docx" in job.warnings[0]
        assert "draft" not in "".join(job.warnings)
        assert {"hot.done/set/2-anlage.jpg", "hot.done/set/draft.txt"} <= set(office.tree())


def test_files_that_another_rule_takes_are_not_left_out() -> None:
    rules = ({"name": "PDFs", "also": True}, {"name": "Pictures", "match": ("*.jpg",), "output": "pics/{set}.{ext}"})
    with made(*rules) as office:
        office.drop("1.pdf", "2.pdf", "3.jpg", "4.jpg")
        office.wait()
        assert {job.state for job in office.jobs()} == {"done"}


def test_a_set_that_would_lack_something_is_held_until_that_is_put_right() -> None:
    with made({"left_out": "hold"}) as office:
        office.drop("1.pdf", "2.pdf", "3.docx")
        office.wait()
        (job,) = office.jobs()
        assert (job.state, office.service.calls) == ("failed", [])
        assert "3.docx" in (job.error or "")
        for again in ("failed", "done"):
            originals.bring_back(office.journal, job)
            if again == "done":
                (office.hot / "set" / "3.docx").unlink()
            office.filling.tell("set", "renamed", folder=True)
            office.wait()
            (job,) = office.jobs()
            assert job.state == again
        assert "hot.out/set.md" in office.tree()


@pytest.mark.parametrize(("count", "state"), [(3, "done"), (4, "failed")])
def test_a_set_of_another_size_than_the_rule_says_is_not_guessed_at(count: int, state: str) -> None:
    with made({"set_size": 3}) as office:
        for number in range(count):
            (office.hot / "set").mkdir(exist_ok=True)
            (office.hot / "set" / f"{number}.pdf").write_bytes(PDF)
        office.filling.tell("set", "renamed", folder=True)
        office.wait()
        (job,) = office.jobs()
        assert job.state == state
        assert bool(office.service.calls) == (state == "done")


def test_the_end_mark_is_no_input_is_not_left_out_and_goes_with_the_set() -> None:
    for original in ("done", "delete"):
        with made({"set_end": ("*.end",), "match": ("*",), "original": original}) as office:
            office.drop("1.pdf", "2.pdf")
            office.wait(200)
            assert office.jobs() == []
            office.filling.drop("set/all.end", b"")
            office.wait()
            (job,) = office.jobs()
            assert (job.state, office.names(job)) == ("done", {"1.pdf", "2.pdf"})
            assert [name for name in office.tree() if name.startswith("hot/")] == []
            assert ("hot.done/set/all.end" in office.tree()) == (original == "done")


GAPS = st.lists(st.tuples(st.floats(0, 200), st.booleans(), st.booleans()), min_size=1, max_size=5)


@given(GAPS, st.sampled_from(["done", "keep", "delete"]), st.booleans())
def test_nothing_is_ever_left_out_in_silence(
    gaps: Sequence[tuple[float, bool, bool]], original: str, lost: bool
) -> None:
    """Each file comes after a gap, perhaps while a job is at work, and perhaps nobody works for a while.

    lost: a copying program makes the folder anew when it has gone.
    """
    with made({"original": original}) as office:
        (office.hot / "set").mkdir()
        office.filling.tell("set", "appeared", folder=True)
        dropped = set()
        for number, (gap, work, amid) in enumerate(gaps):
            name = f"{number}.pdf"
            if amid:
                during(office, partial(office.drop, name))
                office.wait(gap, work=work)
                office.service.on_call = lambda call: None
            else:
                office.wait(gap, work=work)
            if not (office.hot / "set" / name).exists() and not any(
                name in office.names(job) for job in office.jobs() if job.state != "cancelled"
            ):
                office.drop(name)
            dropped.add(name)
        office.wait(3000)
        ended = office.jobs("done", "warned", "failed")
        assert not office.jobs("queued", "running", "waiting")
        in_jobs = set().union(*(office.names(job) for job in ended))
        assert in_jobs == dropped, "each file is in a job that has come to its end"
        silent = office.jobs("done")
        assert len(silent) <= 1
        for job in silent:
            assert office.names(job) == dropped, "what is done without a word has everything"
        for job in office.jobs("warned"):
            assert job.warnings


def followed(first: Callable[_P, _T], then: Callable[[], object]) -> Callable[_P, _T]:
    """Does one thing as before, and then another."""

    def both(*arguments: _P.args, **named: _P.kwargs) -> _T:
        found = first(*arguments, **named)
        then()
        return found

    return both


def come_late(office: Office, came: list[str]) -> None:
    office.drop("late.pdf")
    came.append("late.pdf")


def test_a_crash_while_the_files_of_a_set_are_filed_one_by_one_loses_and_doubles_nothing() -> None:
    from tests.jobs.interrupted import crashes_at_write

    for after in (False, True):
        for crash_at in range(1, 100):
            with made() as office:
                office.drop("1.pdf", "2.pdf", "more/3.pdf")
                office.wait(15, work=False)
                job = office.journal.queue.next()
                assert job is not None
                came: list[str] = []
                plans = office.journal.plans
                plans.delivered = followed(plans.delivered, partial(come_late, office, came))  # type: ignore[method-assign]
                reached = crashes_at_write(crash_at, partial(office.runner.run, job), after=after)
                office.journal.queue.recover()
                office.wait(100)
                tree = office.tree()
                for name in ("1.pdf", "2.pdf", "3.pdf", *came):
                    assert len([path for path in tree if path.endswith(f"/{name}")]) == 1, (crash_at, tree)
                assert len([path for path in tree if path.startswith("hot.out/")]) >= 1
            if not reached:
                break
        assert crash_at > 5


def test_what_lies_in_a_folder_from_before_counts_as_before_after_a_restart(tmp_path: Path) -> None:
    """A job without the facts of its set, from an older journal, is done and filed as it was then."""
    office = Office(tmp_path)
    office.drop("1.pdf", "2.pdf", "notes.txt")
    office.wait(15, work=False)
    with office.journal._store.file.write() as db:
        db.execute("update job set facts = null, warnings = '[]'")
    office.wait()
    assert [job.state for job in office.jobs()] == ["done"]
    assert "hot.done/set/notes.txt" in office.tree()
    office.journal.close()


def test_a_link_into_a_dropped_folder_is_no_late_file(tmp_path: Path) -> None:
    office = Office(tmp_path)
    office.drop("1.pdf", "2.pdf")
    (tmp_path / "secret.pdf").write_bytes(PDF)
    during(office, lambda: (office.hot / "set" / "3.pdf").symlink_to(tmp_path / "secret.pdf"))
    office.wait()
    assert [job.state for job in office.jobs()] == ["done"]
    assert (tmp_path / "secret.pdf").read_bytes() == PDF
    office.journal.close()
    shutil.rmtree(office.hot, ignore_errors=True)
