"""Files that another rule has by now, while a job of theirs is open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from paperchute.app.begun_jobs import without_begun
from paperchute.app.rulebook import Rulebook
from paperchute.app.selection import asking, new_jobs
from paperchute.files.identity import key_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.store import OUTLIVED
from paperchute.jobs.model import Job
from paperchute.rules.file import load
from paperchute.watch.interface import Ready
from tests.observers import Told

SETS = 'gather = "folder"'


def rule(name: str, more: str = "") -> str:
    operation = "pdf-merge" if more == SETS else "pdf-to-markdown"
    return f'[[rule]]\nname = "{name}"\nfolder = "hot"\noperation = "{operation}"\n{more}\n'


@dataclass
class House:
    """A rule file, a hot folder and a journal, where a start looks at everything that lies there."""

    base: Path
    journal: Journal

    @property
    def hot(self) -> Path:
        return self.base / "hot"

    def starts(self, *rules: str, path: Path | None = None) -> list[str]:
        """The names of the rules that get a job for what lies in the hot folder."""
        (self.base / "rules.toml").write_text("version = 1\n" + "".join(rules), "utf-8")
        book = Rulebook(load(self.base / "rules.toml"), Told())
        path = path or self.hot / "a.pdf"
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        members = tuple((file, key) for file in files if (key := key_of(file)))
        ready = Ready(self.hot, path, members, is_set=path.is_dir())
        found = without_begun(self.journal, book, new_jobs(asking(book.rules, ready), ready, {}))
        opened = self.journal.inserts.open_jobs(found)
        return [new.rule.name for new, number in zip(found, opened, strict=True) if number is not None]

    def begin(self) -> Job:
        """The oldest job makes a call."""
        job = self.journal.queue.next()
        assert job is not None
        self.journal.calls.intend(job, 0, receipt=False)
        return job

    def left(self, job: Job) -> list[str]:
        """What the history of a job says of others that leave its file to it."""
        return [event.text for event in self.journal.history.events(job.id) if event.kind == OUTLIVED]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    (tmp_path / "hot").mkdir()
    (tmp_path / "hot" / "a.pdf").write_bytes(b"%PDF-1.7 %%EOF")
    journal = Journal(tmp_path / "journal.sqlite")
    yield House(tmp_path, journal)
    journal.close()


def test_what_has_begun_is_left_to_the_rule_that_is_gone_and_that_is_said_once(house: House) -> None:
    assert house.starts(rule("Old")) == ["Old"]
    job = house.begin()
    for _ in range(2):
        assert house.starts(rule("New")) == []
    (said,) = house.left(job)
    assert "'New'" in said
    assert "'Old'" in said


def test_what_has_not_begun_goes_by_the_rules_as_they_stand(house: House) -> None:
    assert house.starts(rule("Old")) == ["Old"]
    assert house.starts(rule("New")) == ["New"], "the job of the other one is judged anew before its first call"


def test_a_rule_that_stands_as_it_was_keeps_its_file_when_another_comes_before_it(house: House) -> None:
    assert house.starts(rule("Old")) == ["Old"]
    assert house.starts(rule("New"), rule("Old")) == []


def test_what_waits_for_a_rule_that_is_off_is_left_to_nobody(house: House) -> None:
    assert house.starts(rule("Old")) == ["Old"]
    assert house.starts(rule("Old", "enabled = false"), rule("New")) == ["New"]


def test_a_further_rule_for_the_same_file_gets_its_own_job(house: House) -> None:
    assert house.starts(rule("Old")) == ["Old"]
    job = house.begin()
    assert house.starts(rule("New", "also = true"), rule("Old")) == ["New"]
    assert house.left(job) == []


def test_a_file_that_was_kept_is_left_to_the_rule_that_had_begun_on_it(house: House) -> None:
    assert house.starts(rule("Old", 'original = "keep"')) == ["Old"]
    job = house.begin()
    assert house.starts(rule("New", 'original = "keep"')) == []
    house.journal.completion.finish(job, "done", kept=True)
    assert house.starts(rule("New", 'original = "keep"')) == []
    (house.hot / "a.pdf").write_bytes(b"%PDF-1.7 another one %%EOF")
    assert house.starts(rule("New", 'original = "keep"')) == ["New"]


def test_the_files_of_a_set_are_left_to_its_job(house: House) -> None:
    file = house.hot / "set" / "a.pdf"
    file.parent.mkdir()
    file.write_bytes(b"%PDF-1.7 %%EOF")
    assert house.starts(rule("Old", SETS), path=file.parent) == ["Old"]
    house.begin()
    assert house.starts(rule("New", SETS), path=file.parent) == []
    assert house.starts(rule("New", "recursive = true"), path=file) == []
    assert house.starts(rule("New", "recursive = true"), path=house.hot / "a.pdf") == ["New"]
