"""`undo` on the command line: it shows before it does, and says what it leaves alone and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from paperchute.cli.front import app
from paperchute.errors import PaperchuteError
from paperchute.jobs.undo import trash
from tests.jobs.bench import Bench
from tests.jobs.conftest import made_bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    def refuse(path: str) -> None:
        raise PermissionError(13, "no trash", path)

    monkeypatch.setattr(trash, "send2trash", refuse)
    return made_bench(tmp_path)


def undo(bench: Bench, *arguments: str) -> Result:
    state = str(bench.hot.parent / "state")
    return CliRunner().invoke(app, ["--state", state, "undo", *arguments])


def test_it_is_shown_first_and_done_only_with_yes(bench: Bench) -> None:
    path = bench.drop()
    before = bench.tree()
    job = bench.run(path).job
    after = bench.tree()
    shown = undo(bench, "--last").output
    assert f"to the trash: {Path(f'{bench.hot}.out', 'a.md')}" in shown
    assert f"back to where it was dropped: {path}" in shown
    assert bench.tree() == after
    done = undo(bench, "--last", "--yes")
    assert (done.exit_code, done.output) == (0, f"Undone: {job.id}  Lock: a.pdf\n")
    assert bench.tree() == before
    assert "nothing to undo" in undo(bench, "--last").output
    assert "It has already been undone." in undo(bench, str(job.id)).output


def test_several_are_chosen_by_rule_and_time(bench: Bench) -> None:
    jobs = [bench.run(bench.drop(f"{name}.pdf", name.encode()), name=name.upper()).job for name in "ab"]
    jobs[0].outputs[0].write_bytes(b"mine")
    shown = undo(bench, "--since", "2020-01-01").output
    assert shown.index("b.pdf") < shown.index("Left as it is: 1  A: a.pdf: ")
    assert "was changed since it was delivered" in shown
    assert "a.pdf" not in undo(bench, "--rule", "B").output
    done = undo(bench, "--since", "2020-01-01 10:00", "--yes")
    assert done.exit_code == 1
    assert (bench.hot / "b.pdf").exists()
    assert not (bench.hot / "a.pdf").exists()


@pytest.mark.parametrize("wrong", [[], ["1", "--last"], ["--since", "soon"], ["--since", "2999-01-01"], ["77"]])
def test_what_it_cannot_make_sense_of_is_told(bench: Bench, wrong: list[str]) -> None:
    assert isinstance(undo(bench, *wrong).exception, PaperchuteError)


def test_what_was_undone_is_taken_again_by_retry(bench: Bench) -> None:
    job = bench.run(bench.drop()).job
    undo(bench, "--last", "--yes")
    state = str(bench.hot.parent / "state")
    assert CliRunner().invoke(app, ["--state", state, "retry", str(job.id)]).exit_code == 0
    assert bench.queue(job.path).id != job.id
