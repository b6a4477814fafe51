"""kill -9 in the middle of undoing, at any line: at its end the tree is byte for byte as before the jobs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import paperchute

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.mark.parametrize("jobs", [12, pytest.param(1000, marks=pytest.mark.slow)])
def test_all_jobs_are_undone_and_nothing_else_has_changed(
    tmp_path: Path, jobs: int, request: pytest.FixtureRequest
) -> None:
    sources = (Path(paperchute.__file__).parents[1], Path(__file__).parents[2])
    seed = request.config.getoption("hypothesis_seed") or 0
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.undoing", str(tmp_path), str(jobs), str(seed)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kills"]
    assert found["in_trash"] == jobs
