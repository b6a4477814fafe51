"""One engine serves most tests of a module; those that harm it start their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from paperchute.contract import contract
from tests.engine.service.running import RunningEngine


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine for requests that leave it as it was."""
    limits = ("--max-file", "2000000", "--max-text", "500000", "--max-merge", "3")
    with RunningEngine(tmp_path_factory.mktemp("engine"), *limits, workers=2) as running:
        yield running


@pytest.fixture(scope="session")
def every(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine that does every operation of the contract, by telling what it was given."""
    folder = tmp_path_factory.mktemp("operations")
    for id_ in contract().operations:
        (folder / f"{id_.replace('-', '_')}.py").write_text("from acting import run as run\n", "utf-8")
    with RunningEngine(tmp_path_factory.mktemp("every"), workers=2, more=str(folder)) as running:
        yield running
