"""A bench for each test that asks for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.jobs.journal import Journal
from tests.jobs.bench import Bench
from tests.jobs.makers import runner_over
from tests.jobs.scripted import Scripted


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return made_bench(tmp_path)


def made_bench(tmp_path: Path) -> Bench:
    hot = tmp_path / "hot"
    hot.mkdir()
    work = tmp_path / "state" / "work"
    work.mkdir(parents=True)
    journal = Journal(tmp_path / "state" / "journal.sqlite")
    service = Scripted()
    made = Bench(hot, journal, service, runner_over(journal, lambda: service, work))
    made.runner = made.made_runner(lanes=4)
    return made
