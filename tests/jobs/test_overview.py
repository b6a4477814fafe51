"""What `status` reads of the journal's file agrees with what the journal itself says."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.store import POSTPONED
from paperchute.jobs.model import Job, State
from paperchute.jobs.overview import STATES, Overview, overview, told_of_state
from tests.jobs.makers import make_rule, new_job

FATES = (*get_args(State), POSTPONED)
"""What becomes of a job in these tests: its state, or that it waits for its rule's hours."""


def _come_to(journal: Journal, job: Job, fate: str, due: float) -> None:
    """The job, which runs, is brought to where it is to be by the same calls as in daily life."""
    match fate:
        case "running":
            pass
        case "queued":
            journal.queue.requeue(job.id)
        case "waiting":
            journal.queue.wait_until(job.id, due, f"{job.path.name} is locked.", "storage", attempt=False)
        case "hours":
            journal.queue.postpone(job, due, "It waits for the hours of its rule.")
        case "warned":
            journal.completion.warn(job, "A page is missing.")
            journal.completion.finish(job, "done", kept=False)
        case "done" | "failed" | "cancelled" as state:
            journal.completion.finish(job, state, kept=False)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(FATES), st.integers(1, 10**6)), max_size=10), st.booleans())
def test_it_agrees_with_the_journal(fates: list[tuple[str, int]], paused: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _compare(Path(folder), fates, paused=paused)


def test_it_agrees_with_the_journal_for_every_fate(tmp_path: Path) -> None:
    _compare(tmp_path, [(fate, number) for number, fate in enumerate(FATES * 2, start=1)], paused=True)


def _compare(folder: Path, fates: list[tuple[str, int]], *, paused: bool) -> None:
    journal = Journal(folder / "journal.sqlite", owner=True)
    try:
        for number, (fate, ahead) in enumerate(fates):
            hot = folder / f"hot {number}"  # one each: what is queued for a rule waits for its hours together
            hot.mkdir()
            path = hot / f"{number}.pdf"
            path.write_bytes(b"%PDF")
            assert journal.inserts.open_job(new_job(make_rule(hot), path)) is not None
            (job,) = journal.queue.claim([line for line in journal.queue.lines() if line.folder == hot], 1)
            _come_to(journal, job, fate, time.time() + 3600 + ahead)
        journal.settings.set("paused", "1" if paused else None)
        _agree(overview(folder / "journal.sqlite"), journal)
        assert overview(folder / "journal.sqlite").paused is paused
    finally:
        journal.close()


def _agree(seen: Overview, journal: Journal) -> None:
    counts = journal.queries.counts()
    assert dict(seen.counts) == {state: counts.of(state) for state in get_args(State)}
    assert (seen.postponed, seen.begin) == journal.queries.postponed()
    others = [job for job in journal.queries.jobs(["waiting"]) if job.error_code != POSTPONED]
    assert list(seen.retried) == [(job.path.name, job.error) for job in others[:3]]
    left = counts.of("queued", "running", "waiting")
    assert journal.queries.has_open_jobs() is (left > seen.postponed)
    if not left:
        assert seen.waits() == []


def test_it_knows_every_state_and_has_a_word_for_it() -> None:
    assert get_args(State) == STATES
    words = {state: told_of_state(state) for state in STATES}
    assert words == {**{state: state for state in STATES}, "warned": "done with warnings"}
