"""`keep_done`: originals go to the trash when their time is over, as they were filed, and nobody else's."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from paperchute.events import Trouble
from paperchute.jobs import expiry
from paperchute.jobs.expiry import Expiry
from paperchute.jobs.pruner import Pruner
from paperchute.jobs.undo.assessment import CannotUndo, assess
from tests.jobs.bench import Bench
from tests.jobs.makers import make_rule
from tests.observers import Told

DAY = 86_400.0


@pytest.fixture(name="bin_", autouse=True)
def _bin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setattr(expiry, "send2trash", lambda path: Path(path).rename(place / Path(path).name))
    return place


def sweep(bench: Bench, days: float, **rule: Any) -> int:
    return Expiry(bench.journal, Told()).sweep([make_rule(bench.hot, **rule)], time.time() + days * DAY)


def test_only_when_its_time_is_over_and_undo_says_so(bench: Bench, bin_: Path) -> None:
    keys = {"keep_done": 30, "recursive": True}
    job = bench.run(bench.drop("sub/a.pdf"), **keys).job
    stranger = bench.hot.parent / "hot.done" / "stranger.pdf"
    stranger.write_bytes(b"not ours")
    assert sweep(bench, 29, **keys) == 0
    assert sweep(bench, 31) == 0, "never without the key"
    assert sweep(bench, 31, **keys) == 1
    assert sweep(bench, 31, **keys) == 0
    assert [path.name for path in bin_.iterdir()] == ["a.pdf"]
    assert [*stranger.parent.rglob("*")] == [stranger]
    done = bench.journal.queries.job(job.id)
    assert done is not None
    with pytest.raises(CannotUndo, match="`keep_done`"):
        assess(bench.journal, done)


def test_what_somebody_has_changed_or_replaced_stays(bench: Bench, bin_: Path) -> None:
    for name in ("changed.pdf", "gone.pdf", "link.pdf"):
        bench.run(bench.drop(name), keep_done=1)
    filed = bench.hot.parent / "hot.done"
    (filed / "changed.pdf").write_bytes(b"notes of mine, in the same place")
    (filed / "gone.pdf").unlink()
    (filed / "link.pdf").unlink()
    (filed / "link.pdf").symlink_to(filed / "changed.pdf")
    assert sweep(bench, 2, keep_done=1) == 0
    assert not [*bin_.iterdir()]
    assert {path.name for path in filed.iterdir()} == {"changed.pdf", "link.pdf"}


def test_another_rule_of_the_same_name_has_no_say(bench: Bench, tmp_path: Path) -> None:
    bench.run(bench.drop(), keep_done=1)
    other = make_rule(tmp_path / "elsewhere", keep_done=1)
    assert Expiry(bench.journal, Told()).sweep([other], time.time() + 2 * DAY) == 0


def test_what_the_trash_refuses_stays_and_is_told_and_tried_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(bench.drop(), keep_done=1)
    told = Told()
    sweeper = Expiry(bench.journal, told)
    rules, later = [make_rule(bench.hot, keep_done=1)], time.time() + 2 * DAY

    def refuse(path: str) -> None:
        raise PermissionError(13, "no trash here", path)

    with monkeypatch.context() as patched:
        patched.setattr(expiry, "send2trash", refuse)
        assert [sweeper.sweep(rules, later) for _ in range(2)] == [0, 0]
    assert sweeper.sweep(rules, later) == 1
    troubles = [event for event in told.events if isinstance(event, Trouble)]
    assert [(trouble.over, "no trash here" in trouble.message) for trouble in troubles] == [(False, True), (True, True)]


def test_the_journal_forgets_no_job_before_its_original_goes(bench: Bench, bin_: Path) -> None:
    bench.run(bench.drop(), keep_done=200, history=10)
    rules = [make_rule(bench.hot, keep_done=200, history=10)]
    pruner = Pruner(bench.journal, lambda: rules, Told())
    assert pruner.prune(time.time() + 100 * DAY) == 0
    assert not [*bin_.iterdir()]
    assert pruner.prune(time.time() + 201 * DAY) == 1
    assert [path.name for path in bin_.iterdir()] == ["a.pdf"]
