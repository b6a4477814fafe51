"""The engine's process: up with an address, gone with the daemon, and a plain word when it does not come up."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from paperchute.service.client import ServiceClient
from paperchute.service.engine_process import EngineError, EngineProcess


def test_the_real_engine_comes_up_answers_and_ends(tmp_path: Path) -> None:
    engine = EngineProcess(tmp_path / "engine", workers=1)
    client = ServiceClient(engine.start())
    client.check()
    client.close()
    assert engine.alive()
    engine.stop()
    assert not engine.alive()


@pytest.mark.parametrize(
    "program", ["import sys; sys.exit('no disk left')", "print('no JSON'); import sys; sys.stderr.write('odd')"]
)
def test_an_engine_that_does_not_come_up_is_explained(tmp_path: Path, program: str) -> None:
    engine = EngineProcess(tmp_path / "engine", workers=1, command=[sys.executable, "-c", program])
    with pytest.raises(EngineError, match="The engine did not start"):
        engine.start()
    assert not engine.alive()
