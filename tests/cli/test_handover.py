"""When an upgrade is seen, how the daemon drains for it, and what becomes of one that does not start."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from paperchute.app.daemon import Daemon
from paperchute.cli import handover
from paperchute.cli.context import Context
from paperchute.cli.handover import Handover, files_of_program
from paperchute.events import Trouble
from tests.journeys.daemon import wait_until

MINE: frozenset[Any] = frozenset([("a.py", 1, 1, 1)])
THEIRS: frozenset[Any] = frozenset([("a.py", 2, 2, 2)])


@dataclass
class Stage(Daemon):
    """A daemon that notes what it is told, files that a test replaces, and a clock that it sets."""

    now: float = 1000.0
    files: frozenset[Any] = MINE
    busy: bool = False
    draining: bool = False
    troubles: list[Trouble] = field(default_factory=list)

    def drain(self, on: bool) -> bool:
        self.draining = on
        return not self.busy

    def tell(self, trouble: Trouble) -> None:
        self.troubles.append(trouble)

    def rounds(self, its: Handover, seconds: float) -> bool:
        """One each second; what the other version says is waited for."""
        for _ in range(int(seconds)):
            self.now += 1
            due = its.look(self)
            if its._asking:
                wait_until(lambda: not its._answers.empty())
            if due:
                return True
        return False


@pytest.fixture(name="stage")
def _stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage()

    class Clock:
        monotonic = staticmethod(lambda: stage.now)

    monkeypatch.setattr(handover, "time", Clock)
    monkeypatch.setattr(handover, "files_of_program", lambda: stage.files)
    return stage


Other = Callable[[str], None]


@pytest.fixture(name="other")
def _other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Other:
    """What is in place then, as Python: by default it starts."""

    def be(script: str) -> None:
        path = tmp_path / "other.py"
        path.write_text(script, "utf-8")
        monkeypatch.setattr(handover, "again", lambda: [sys.executable, str(path)])

    be("")
    return be


def of(tmp_path: Path) -> Handover:
    (tmp_path / "rules.toml").write_text("version = 1\n", "utf-8")
    return Handover(Context(tmp_path / "rules.toml", tmp_path / "state"))


def test_nothing_happens_while_the_files_stay(stage: Stage, tmp_path: Path) -> None:
    assert not stage.rounds(of(tmp_path), 300)
    assert not stage.draining
    assert stage.troubles == []


def test_it_drains_at_once_and_ends_when_nothing_is_at_work(stage: Stage, other: Other, tmp_path: Path) -> None:
    other("import sys; open(__file__ + '.asked', 'a').write(' '.join(sys.argv[1:]) + '\\n')")
    its = of(tmp_path)
    stage.files, stage.busy = THEIRS, True
    assert not stage.rounds(its, 120)
    assert stage.draining
    (told,) = stage.troubles
    assert "takes over once the current work has finished" in told.message
    stage.busy = False
    assert stage.rounds(its, 30)
    assert its.is_due
    options = f"--rules {tmp_path / 'rules.toml'} --state {tmp_path / 'state'}"
    asked = (tmp_path / "other.py.asked").read_text("utf-8").splitlines()
    assert asked == [f"{options} rule list", f"{options} jobs --limit 1"]


def test_files_that_are_still_being_replaced_are_waited_for(stage: Stage, other: Other, tmp_path: Path) -> None:
    its = of(tmp_path)
    for number in range(30):
        stage.files = frozenset([("a.py", number, 0, 0)])
        assert not stage.rounds(its, 10)
    assert stage.rounds(its, 40)


def test_what_is_at_work_for_ever_holds_up_nothing_for_ever(stage: Stage, other: Other, tmp_path: Path) -> None:
    its = of(tmp_path)
    stage.files, stage.busy = THEIRS, True
    assert not stage.rounds(its, 640)
    assert stage.rounds(its, 60)


def test_an_upgrade_that_is_undone_is_none(stage: Stage, other: Other, tmp_path: Path) -> None:
    its = of(tmp_path)
    stage.files, stage.busy = THEIRS, True
    stage.rounds(its, 150)
    stage.files = MINE
    assert not stage.rounds(its, 20)
    assert not stage.draining
    assert [trouble.over for trouble in stage.troubles] == [False, True]


def test_one_that_does_not_start_is_told_once_and_asked_again_later(stage: Stage, other: Other, tmp_path: Path) -> None:
    other("import sys; sys.exit('rules.toml:3: there is no operation \\x1b[31mfax')")
    its = of(tmp_path)
    stage.files = THEIRS
    assert not stage.rounds(its, 100)
    assert not stage.draining
    assert not stage.rounds(its, 1300)
    (told,) = stage.troubles
    assert "does not start (rules.toml:3: there is no operation" in told.message
    assert "\x1b" not in told.message
    other("")
    assert stage.rounds(its, 700)


def test_a_program_that_was_taken_away_is_not_handed_over_to(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    its = of(tmp_path)
    stage.files = frozenset()
    monkeypatch.setattr(handover, "again", lambda: [str(tmp_path / "gone")])
    assert not stage.rounds(its, 100)
    assert not stage.draining
    assert len(stage.troubles) == 1


def test_the_files_are_those_of_this_package() -> None:
    before = files_of_program()
    assert {Path(path).suffix for path, *_ in before} == {".py"}
    assert str(Path(handover.__file__)) in {path for path, *_ in before}
    assert files_of_program() == before
