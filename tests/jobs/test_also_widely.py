"""Several rules on one sub-folder, and in a shared folder: one original, which ends once, whoever is last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from paperchute.app.ended_jobs import EndedJobs
from paperchute.app.intake import Intake
from paperchute.app.selection import asking, claimed, new_jobs
from paperchute.files.identity import key_of
from paperchute.files.names import CLAIM, natural_order
from paperchute.jobs import originals
from paperchute.jobs.claims import Claims
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, NewJob, Outcome
from paperchute.rules.model import Rule
from paperchute.rules.tables import Step
from paperchute.service.model import Call, ServiceError
from paperchute.watch.interface import Ready
from tests.halves import Unwatched
from tests.jobs.interrupted import crashes_at_write
from tests.jobs.makers import make_rule, runner_over
from tests.jobs.scripted import Scripted

MERGE = (Step("pdf-merge", {}),)


class Untaking(Intake):
    """An intake that holds nothing."""

    def __init__(self) -> None:
        pass

    def let_go(self, job: Job) -> None:
        pass


class Office:
    """One hot folder with rules, up to the end of their jobs."""

    def __init__(self, base: Path, *rules: dict[str, Any]) -> None:
        self.hot = base / "hot"
        self.hot.mkdir(parents=True)
        (base / "state" / "work").mkdir(parents=True)
        self.rules: list[Rule] = [make_rule(self.hot, **rule) for rule in rules]
        self.journal = Journal(base / "state" / "journal.sqlite")
        self.service = Scripted()
        self.runner = runner_over(self.journal, lambda: self.service, base / "state" / "work")
        self.claims = Claims("us")

    def drop(self, *names: str) -> list[int | None]:
        for name in names:
            path = self.hot / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(f"%PDF-1.7 {name} %%EOF".encode())
        return self.take()

    def take(self) -> list[int | None]:
        """What the intake writes down of what lies there."""
        return [number for news in self._news() for number in self.journal.inserts.open_jobs(self._ours(news))]

    def _news(self) -> Iterator[Sequence[NewJob]]:
        for path in natural_order(path for path in self.hot.iterdir() if not path.name.startswith(".")):
            files = natural_order(path.iterdir()) if path.is_dir() else [path]
            members = tuple((file, key) for file in files if (key := key_of(file)))
            ready = Ready(self.hot, path, members, is_set=path.is_dir())
            yield new_jobs(asking(self.rules, ready), ready, {})

    def _ours(self, news: Sequence[NewJob]) -> Sequence[NewJob]:
        return claimed(news, self.claims) if news and news[0].rule.shared else news

    def run(self, most: int = 8) -> list[Outcome]:
        """Run jobs, and let go of what was claimed as the daemon does."""
        lines = self.journal.queue.lines()
        jobs = sorted(self.journal.queue.claim(lines, most), key=lambda job: job.id) if lines else []
        outcomes = [self.runner.run(job) for job in jobs]
        ended = EndedJobs(SimpleQueue(), self.journal, self.claims, Unwatched(), Untaking())
        for outcome in outcomes:
            if outcome.job.rule.shared:
                ended.release(outcome)
        return outcomes

    def fail(self, *names: str) -> None:
        """Let the calls of these rules be refused from now on."""
        tokens = [job.token for job in self.journal.queries.jobs() if job.rule.name in names]

        def on_call(call: Call) -> None:
            if call.idempotency_key.split("-")[0] in tokens:
                raise ServiceError("It is broken.", kind="bad-input", code="02207")

        self.service.on_call = on_call

    def tree(self) -> list[str]:
        found = (p.relative_to(self.hot.parent) for p in self.hot.parent.rglob("hot*/**/*") if p.is_file())
        return sorted({p.as_posix() for p in found if p.name != ".heartbeat"})


SETS = (
    {"name": "Merge", "gather": "folder", "match": ("*.pdf",), "steps": MERGE, "also": True},
    {"name": "All", "gather": "folder", "match": ("*",), "steps": MERGE, "output": "all/{set}.{ext}"},
)
SHARED = ({"name": "A", "shared": True, "also": True}, {"name": "B", "shared": True, "output": "b/{stem}.{ext}"})
FILES = ("set/1.pdf", "set/2.pdf", "set/notes.html")


def test_a_sub_folder_is_worked_on_by_each_rule_and_filed_once(tmp_path: Path) -> None:
    office = Office(tmp_path, *SETS)
    assert None not in office.drop(*FILES)
    assert [len(job.members) for job in reversed(office.journal.queries.jobs())] == [2, 3]
    assert [outcome.kind for outcome in office.run(1)] == ["done"]
    assert office.tree() == ["hot.out/set.md", *(f"hot/{name}" for name in FILES)]
    assert office.take() == [None, None], "the one is done and the other will be"
    assert [outcome.kind for outcome in office.run()] == ["done"]
    assert office.tree() == [*(f"hot.done/{name}" for name in FILES), "hot.out/set.md"]
    assert (tmp_path / "all" / "set.md").exists()


@pytest.mark.parametrize("original", ["delete", "keep"])
@pytest.mark.parametrize("order", [1, -1])
def test_all_files_that_some_rule_took_have_one_fate(tmp_path: Path, original: str, order: int) -> None:
    rules = [{**rule, "also": True, "original": original} for rule in SETS[::order]]
    rules[1 if order == 1 else 0]["match"] = ("*.html", "1.pdf")
    office = Office(tmp_path, *rules)
    office.drop(*FILES, "set/nobody.docx")
    office.run()
    assert {job.state for job in office.journal.queries.jobs()} == {"warned"}
    kept = FILES if original == "keep" else ()
    said = ["hot.failed/set.warnings (2).txt", "hot.failed/set.warnings.txt", "hot.out/set.md"]
    assert office.tree() == [*said, *(f"hot/{name}" for name in sorted([*kept, "set/nobody.docx"]))]
    if original == "keep":
        assert office.take() == [None, None]


@pytest.mark.parametrize("broken", ["Merge", "All"])
def test_a_failed_rule_alone_is_tried_again_on_a_sub_folder(tmp_path: Path, broken: str) -> None:
    office = Office(tmp_path, *SETS)
    office.drop(*FILES)
    office.fail(broken)
    assert sorted(outcome.kind for outcome in office.run()) == ["done", "failed"]
    assert "hot.failed/set/notes.html" in office.tree()
    office.service.on_call = lambda call: None
    originals.bring_back(office.journal, office.journal.queries.jobs(["failed"])[0])
    assert office.take().count(None) == 1
    assert [outcome.kind for outcome in office.run()] == ["done"]
    assert office.tree() == [*(f"hot.done/{name}" for name in FILES), "hot.out/set.md"]


def test_a_file_that_only_one_rule_wants_starts_only_that_one_over(tmp_path: Path) -> None:
    office = Office(tmp_path, *SETS)
    office.drop(*FILES)
    office.run(1)
    (office.hot / "set" / "more.html").write_text("more")
    assert office.take() == [None, None], "the job that has begun sees it"
    assert [outcome.kind for outcome in office.run()] == ["cancelled"]
    numbers = office.take()
    assert numbers[0] is None
    assert numbers[1] is not None
    office.run()
    assert office.tree()[:4] == [
        f"hot.done/{name}" for name in ("set/1.pdf", "set/2.pdf", "set/more.html", "set/notes.html")
    ]


def test_a_claimed_file_is_worked_on_by_each_rule_and_filed_once(tmp_path: Path) -> None:
    office = Office(tmp_path, *SHARED)
    assert None not in office.drop("a.pdf")
    assert office.tree() == [f"hot/{CLAIM}us/a.pdf"]
    assert [outcome.kind for outcome in office.run(1)] == ["done"]
    assert office.tree() == ["hot.out/a.md", f"hot/{CLAIM}us/a.pdf"], "it stays claimed for the other rule"
    assert [outcome.kind for outcome in office.run()] == ["done"]
    assert office.tree() == ["hot.done/a.pdf", "hot.out/a.md"]
    assert (tmp_path / "b" / "a.md").exists()


@pytest.mark.parametrize("broken", ["A", "B"])
def test_a_claimed_file_is_tried_again_by_the_rule_that_failed(tmp_path: Path, broken: str) -> None:
    office = Office(tmp_path, *SHARED)
    office.drop("a.pdf")
    office.fail(broken)
    office.run()
    assert "hot.failed/a.pdf" in office.tree()
    office.service.on_call = lambda call: None
    originals.bring_back(office.journal, office.journal.queries.jobs(["failed"])[0])
    assert office.take().count(None) == 1
    assert [outcome.kind for outcome in office.run()] == ["done"]
    assert office.tree() == ["hot.done/a.pdf", "hot.out/a.md"]


@pytest.mark.parametrize("rules", [SHARED, SETS])
def test_when_the_rule_that_failed_is_gone_the_original_is_filed(
    tmp_path: Path, rules: tuple[dict[str, Any], ...]
) -> None:
    office = Office(tmp_path, *rules)
    office.drop(*(FILES if rules is SETS else ["a.pdf"]))
    failing = office.rules[1].name
    office.fail(failing)
    office.run()
    originals.bring_back(office.journal, office.journal.queries.jobs(["failed"])[0])
    for job in office.journal.queries.jobs(["failed"]):
        office.journal.completion.settle_failure(job, "gone")
    del office.rules[1]
    calls = len(office.service.calls)
    assert None not in office.take()
    assert [outcome.kind for outcome in office.run()] == ["done"]
    assert len(office.service.calls) == calls, "what was done is not done again"
    assert [name for name in office.tree() if name.startswith(("hot/", "hot.failed"))] == []


@pytest.mark.parametrize("rules", [SHARED, SETS, tuple(dict(rule, original="delete") for rule in SETS)])
@pytest.mark.parametrize("broken", [(), (0,), (1,)])
@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_commit_leaves_nothing_undone_and_nothing_twice(
    tmp_path: Path,
    rules: tuple[dict[str, Any], ...],
    broken: tuple[int, ...],
    after: bool,
) -> None:
    for crash_at in range(1, 200):
        office = Office(tmp_path / str(crash_at), *rules)
        office.drop(*(FILES if "gather" in rules[0] else ["a.pdf"]))
        office.fail(*(office.rules[number].name for number in broken))
        reached = crashes_at_write(crash_at, office.run, after=after)
        office.journal.queue.recover()
        office.claims.restore(office.hot, office.journal.queries.open_paths())
        office.take()  # as after a start: what lies there is reported before the work goes on
        office.run()
        done = [job for job in office.journal.queries.jobs() if job.state == "done"]
        assert len(done) == 2 - len(broken), (crash_at, office.journal.queries.jobs())
        assert len(office.journal.queries.jobs()) == 2
        tree = office.tree()
        assert not [name for name in tree if name.startswith("hot/")], (crash_at, tree)
        originals = [name for name in tree if name.startswith(("hot.done/", "hot.failed/")) and ".error" not in name]
        deleted = rules[0].get("original") == "delete" and not broken
        assert len(originals) == (0 if deleted else len(FILES) if "gather" in rules[0] else 1), (crash_at, tree)
        assert all(name.startswith("hot.failed/" if broken else "hot.done/") for name in originals)
        office.journal.close()
        if not reached:
            return
    raise AssertionError("it never came to its end")
