"""kill -9 at a line, then a restart: whatever line it was, every promise of the design holds.

`PAPERCHUTE_TEST_POINTS=all` tries every line of every scenario instead of a sample (about an hour), and a point's
name, such as `jobs.runner:Runner._call:167#1`, that one alone.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.crash.forge import Forge, forge
from tests.crash.scenarios import SCENARIOS, Scenario
from tests.crash.service import LedgerService, ledger_service
from tests.crash.world import world
from tests.jobs.makers import other_file_system

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]

_POINTS = os.environ.get("PAPERCHUTE_TEST_POINTS", "")
_SAMPLE = 6
_PAIRS = 2


@dataclass(frozen=True)
class Bench:
    """What all worlds of this file share."""

    service: LedgerService
    forge: Forge
    at: Path
    other: Path | None
    chance: random.Random
    """Of this run: each draws other points."""
    known: dict[str, list[str]] = field(default_factory=dict)

    def points(self, name: str) -> list[str]:
        """Every point of an undisturbed life of that scenario, in their order."""
        if name not in self.known:
            self.known[name] = self._points(SCENARIOS[name])
        return self.known[name]

    def _points(self, scenario: Scenario) -> list[str]:
        with world(scenario, self.service, self.forge, self.at, self._other(scenario)) as made:
            file = made.base / "state" / "points"
            assert made.live(points=file)
            made.check_end()
            found: list[str] = json.loads(file.read_text("utf-8"))
            return found

    def survives(self, scenario: Scenario, kills: Sequence[str]) -> str:
        """Kill at these points one life after the other, then live on; what is wrong afterwards, empty when nothing."""
        with world(scenario, self.service, self.forge, self.at, self._other(scenario)) as made:
            try:
                for point in kills:
                    made.live(kill_at=point)
                made.live()
                made.check_end()
            except AssertionError as error:
                return f"killed at {' and '.join(kills)}: {error}\n"
        return ""

    def _other(self, scenario: Scenario) -> Path | None:
        if scenario.elsewhere and self.other is None:
            pytest.skip("needs a second file system that can be written to")
        return self.other if scenario.elsewhere else None


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[Bench]:
    chance = random.Random(pytestconfig.getoption("hypothesis_seed"))
    at = tmp_path_factory.mktemp("crash")
    with ledger_service() as service, forge() as made:
        yield Bench(service, made, at, other_file_system(at), chance)


def chosen(points: list[str], chance: random.Random) -> list[str]:
    """The points to try."""
    if _POINTS == "all":
        return points
    if _POINTS:
        return [point for point in points if point == _POINTS]
    return chance.sample(points, _SAMPLE)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_job_is_done_once_wherever_it_was_killed(bench: Bench, name: str) -> None:
    points = chosen(bench.points(name), bench.chance)
    wrong = [problem for point in points if (problem := bench.survives(SCENARIOS[name], [point]))]
    print(f"{name}: {len(points)} points, {len(wrong)} wrong")  # noqa: T201
    assert not wrong, f"{len(wrong)} of {len(points)} points\n{''.join(wrong[:5])}"


@pytest.mark.skipif(bool(_POINTS) and _POINTS != "all", reason="one point is asked for")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_job_is_done_once_when_its_recovery_is_killed_too(bench: Bench, name: str) -> None:
    points = bench.points(name)
    pairs = [bench.chance.sample(points, 2) for _ in range(len(points) // 4 if _POINTS else _PAIRS)]
    wrong = [problem for pair in pairs if (problem := bench.survives(SCENARIOS[name], pair))]
    print(f"{name}: {len(pairs)} pairs, {len(wrong)} wrong")  # noqa: T201
    assert not wrong, f"{len(wrong)} of {len(pairs)} pairs\n{''.join(wrong[:5])}"
