"""No remote service breaks a signature without a word: the history says it before the call, a warning after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest

from paperchute.app.facts import signed_of
from paperchute.rules.tables import Step
from tests.engine.operations.papers import locked, paper
from tests.engine.operations.test_joining import signed
from tests.jobs.bench import Bench
from tests.jobs.makers import runner_over, set_job

TURN = Step("pdf-rotate", {"angle": 90})
SAID = "{} was signed. This does not hold for the result, which is changed: keep the original as proof."


@pytest.fixture
def remote(bench: Bench) -> Bench:
    bench.service.repeatable = False
    work = bench.hot.parent / "state" / "work"
    bench.runner = runner_over(bench.journal, lambda: bench.service, work, signed=signed_of)
    return bench


def _noted(bench: Bench) -> list[str]:
    return [event.text for event in bench.journal.history.events(1) if event.kind == "noted"]


@pytest.mark.parametrize("visible", [True, False])
def test_a_remote_call_that_breaks_a_signature_is_told_before_and_after(remote: Bench, visible: bool) -> None:
    before: list[str] = []
    remote.service.on_call = lambda call: before.extend(_noted(remote))
    signed(remote.hot / "a.pdf", visible=visible)
    job = remote.run(remote.hot / "a.pdf", steps=(TURN, Step("pdf-compress", {}))).job
    assert before == [SAID.format("a.pdf")] * 2  # once for the job, seen at both calls
    assert (job.state, job.warnings) == ("warned", (SAID.format("a.pdf"),))


def test_each_signed_file_of_a_set_is_named_and_no_other(remote: Bench) -> None:
    (remote.hot / "set").mkdir()
    for name, make in (("a.pdf", signed), ("b.pdf", paper), ("c.pdf", signed)):
        make(remote.hot / "set" / name)
    job = set_job(remote.journal, remote.hot, gather="folder", steps=(Step("pdf-merge", {}),))
    assert remote.runner.run(job).job.warnings == (SAID.format("a.pdf"), SAID.format("c.pdf"))


def test_a_locked_one_is_opened_as_the_rule_says(remote: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERCHUTE_TEST_WORD", "u")
    locked(signed(remote.hot / "a.pdf"), user="u", owner="o")
    step = Step("pdf-decrypt", {"password": "env:PAPERCHUTE_TEST_WORD"})
    assert remote.run(remote.hot / "a.pdf", steps=(step,)).job.warnings == (SAID.format("a.pdf"),)


def test_a_task_from_before_a_crash_is_told_too_and_fetched_without_its_password(
    remote: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERCHUTE_TEST_WORD", "u")
    signed(remote.hot / "a.pdf")
    step = Step("pdf-decrypt", {"password": "env:PAPERCHUTE_TEST_WORD"})
    job = remote.queue(remote.hot / "a.pdf", steps=(step,))
    remote.journal.calls.intend(job, 0, receipt=True)
    remote.journal.calls.submitted(job, 0, "", "task-9", ["00"], receipt=True)
    monkeypatch.delenv("PAPERCHUTE_TEST_WORD")
    assert remote.again().job.warnings == (SAID.format("a.pdf"),)
    assert (remote.service.resumed, remote.service.calls) == (["task-9"], [])


def test_where_nothing_is_broken_nothing_is_said(remote: Bench) -> None:
    text = Step("pdf-to-txt", {})
    cases: list[tuple[Callable[[Path], Path], Step]] = [(signed, text), (paper, TURN), (_to_be_signed, TURN)]
    for number, (make, step) in enumerate(cases):
        job = remote.run(make(remote.hot / f"{number}.pdf"), steps=(step,)).job
        assert (job.state, job.warnings) == ("done", ()), step
    remote.service.repeatable = True  # our own engine looks into the file itself, and names who signed
    assert remote.run(signed(remote.hot / "own.pdf"), steps=(TURN,)).job.warnings == ()


def _to_be_signed(path: Path) -> Path:
    with pikepdf.open(signed(path), allow_overwriting_input=True) as pdf:
        del pdf.Root.AcroForm.Fields[0].V
        del pdf.Root.Perms
        pdf.save(path)
    return path
