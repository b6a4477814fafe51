"""One daemon to a state folder; who only asks whether one runs keeps none from starting."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paperchute.app.places import AlreadyRunningError, State

_ASKING = """
import sys
from pathlib import Path
from paperchute.app.places import State
state = State(Path(sys.argv[1]))
print("asking", flush=True)
while True:
    state.locked()
"""


def test_who_asks_whether_it_runs_keeps_it_from_starting(tmp_path: Path) -> None:
    state = State(tmp_path)
    with state.lock():
        pass
    asking = subprocess.Popen([sys.executable, "-c", _ASKING, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert asking.stdout is not None
    try:
        asking.stdout.readline()
        for _ in range(200):
            with state.lock():
                pass
    finally:
        asking.kill()
        asking.wait()
        asking.stdout.close()


def test_who_starts_while_another_one_is_ending_waits_for_it(tmp_path: Path) -> None:
    state = State(tmp_path)

    def start() -> str:
        with State(tmp_path).lock():
            return (tmp_path / "daemon.lock").read_text()

    with ThreadPoolExecutor() as pool:
        with state.lock():
            state.tell_ending()
            after = pool.submit(start)
            with pytest.raises(TimeoutError):  # of one that goes on it is told by then
                after.result(2.0)
        assert after.result(60.0) == str(os.getpid())
    with state.lock(), pytest.raises(AlreadyRunningError), State(tmp_path).lock():
        pass


def test_a_second_one_does_not_start_beside_it(tmp_path: Path) -> None:
    state = State(tmp_path)
    with state.lock(), pytest.raises(AlreadyRunningError), State(tmp_path).lock():
        pass
    with state.lock():
        assert state.locked()
    assert not state.locked()
