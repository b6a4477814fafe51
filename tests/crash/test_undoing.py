"""kill -9 in the middle of undoing, at any line: at its end the tree is byte for byte as before the jobs.

`PAPERCHUTE_TEST_UNDOS=1000` undoes so many jobs instead of a few (some minutes).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import paperchute

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


_JOBS = int(os.environ.get("PAPERCHUTE_TEST_UNDOS", "10"))


def test_all_jobs_are_undone_and_nothing_else_has_changed(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    sources = (Path(paperchute.__file__).parents[1], Path(__file__).parents[2])
    seed = pytestconfig.getoption("hypothesis_seed") or 0
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.undoing", str(tmp_path), str(_JOBS), str(seed)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))},
        capture_output=True,
        text=True,
        timeout=60 * _JOBS,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kills"]
    assert found["in_trash"] == _JOBS
