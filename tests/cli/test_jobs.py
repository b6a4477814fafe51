"""What `jobs`, `retry` and `status` say while no daemon runs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loguru import logger
from typer.testing import CliRunner

from paperchute.cli.front import app
from paperchute.errors import PaperchuteError
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.database import Database
from paperchute.jobs.journal.schema import MIGRATIONS
from paperchute.jobs.overview import STATES, told_of_count
from paperchute.language import speaking
from tests.jobs.makers import make_rule, new_job


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal.sqlite", owner=True)
    yield made
    made.close()


def run(base: Path, *arguments: str) -> Any:
    return CliRunner().invoke(app, ["--rules", str(base / "none.toml"), "--state", str(base), *arguments])


def with_job(journal: Journal, base: Path, name: str = "a.pdf") -> int:
    hot = base / "hot"
    hot.mkdir(exist_ok=True)
    (hot / name).write_bytes(b"%PDF")
    number = journal.inserts.open_job(new_job(make_rule(hot), hot / name))
    assert number is not None
    return number


def test_what_was_cut_off_is_queued_and_not_running_while_nobody_runs_it(tmp_path: Path, journal: Journal) -> None:
    with_job(journal, tmp_path)
    journal.queue.claim(journal.queue.lines(), 1)
    assert journal.queue.running()
    assert "1 queued, 0 running" in run(tmp_path, "status").output
    assert json.loads(run(tmp_path, "status", "--json").output)["jobs"]["queued"] == 1
    assert "queued" in run(tmp_path, "jobs").output
    assert [job["state"] for job in json.loads(run(tmp_path, "jobs", "--json").output)] == ["queued"]


def test_one_job_is_listed_alone(tmp_path: Path, journal: Journal) -> None:
    numbers = [with_job(journal, tmp_path, f"{name}.pdf") for name in "ab"]
    assert [one["job"] for one in json.loads(run(tmp_path, "jobs", str(numbers[0]), "--json").output)] == numbers[:1]
    assert "b.pdf" not in run(tmp_path, "jobs", str(numbers[0])).output
    assert "There is no job 77" in str(run(tmp_path, "jobs", "77").exception)
    assert "not both" in str(run(tmp_path, "jobs", "1", "--state", "done").exception)


def test_trying_again_says_so_where_nothing_has_failed(tmp_path: Path, journal: Journal) -> None:
    with_job(journal, tmp_path)
    said = run(tmp_path, "retry", "--all-failed")
    assert (said.exit_code, said.output) == (0, "No job has failed, so there is none to try again.\n")


def test_a_list_of_jobs_is_not_mixed_with_lines_of_a_log(tmp_path: Path, journal: Journal) -> None:
    number = with_job(journal, tmp_path)
    with sqlite3.connect(journal.path) as db:
        db.execute("update job set outputs = '?' where id = ?", (number,))
    logged: list[str] = []
    sink = logger.add(logged.append, format="{message}")
    try:
        assert "a.pdf" in run(tmp_path, "jobs").output
        assert not logged
        for _ in range(3):
            journal.queries.jobs()
        assert len([line for line in logged if f"the row of job {number} cannot be read" in line]) == 1
    finally:
        logger.remove(sink)


def test_a_journal_of_a_newer_release_is_told_with_what_to_do(tmp_path: Path) -> None:
    Database(tmp_path / "journal.sqlite").close()
    with sqlite3.connect(tmp_path / "journal.sqlite") as db:
        db.execute("pragma user_version = 99")
    failed = run(tmp_path, "jobs").exception
    assert isinstance(failed, PaperchuteError)
    assert failed.what.endswith(f"cannot be opened: its version 99 is newer than {len(MIGRATIONS)}.")
    assert failed.advice == "Use the newer Paperchute that wrote it, or give this one its own --state."


def test_a_status_file_that_cannot_be_read_is_no_reason_to_say_nothing(tmp_path: Path, journal: Journal) -> None:
    from paperchute.app.places import State

    with State(tmp_path).lock():
        (tmp_path / "status.json").write_text("{")
        said = run(tmp_path, "status")
    assert (said.exit_code, "Jobs: 0 queued" in said.output) == (0, True)


def test_the_word_goes_with_the_number() -> None:
    assert [told_of_count(state, 2).removeprefix("2 ") for state in STATES] == [
        *("queued", "running", "waiting", "done", "done with warnings", "failed", "cancelled", "undone"),
    ]
    with speaking("fr"):
        assert (told_of_count("done", 1), told_of_count("done", 2)) == ("1 terminé", "2 terminés")


def test_sentences_of_chinese_stand_without_a_blank_between() -> None:
    assert str(PaperchuteError("没有编号为 3 的失败作业。", "请重试。")) == "没有编号为 3 的失败作业。请重试。"
    assert str(PaperchuteError("It is gone.", "Try again.")) == "It is gone. Try again."
