"""What CI is there to run is not left out unseen: a set-up that fails is a failure there, and elsewhere a sentence."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="Wine runs on Linux on x86-64 only"
)


def _set_up(folder: Path, environment_sh: str, **variables: str) -> tuple[int, str]:
    """Of a checkout whose environment is made by these lines, for somebody who may install nothing."""
    there = folder / "checkout" / "packaging"
    shutil.copytree(ROOT / "packaging" / "windows", there / "windows")
    shutil.copy(ROOT / "packaging" / "requirements-dev.lock", there)
    script = there / "windows" / "test.sh"
    script.write_text(script.read_text("utf-8").replace("\nSETUP=400 ", "\nSETUP=1 "), "utf-8")
    (there / "windows" / "environment.sh").write_text(f"#!/bin/sh\n{environment_sh}\n", "utf-8")
    (programs := folder / "bin").mkdir()
    (programs / "id").write_text("#!/bin/sh\necho 1000\n", "utf-8")
    (programs / "id").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    known = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run(
        ["bash", script, "contract"],
        env={**known, "PATH": path, "XDG_CACHE_HOME": str(folder / "cache"), **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("environment_sh", ["echo 'no such host' >&2; exit 1", "sleep 60"])
@pytest.mark.parametrize(("variables", "code"), [({"CI": "true"}, 1), ({}, 0), ({"CI": "false"}, 0)])
def test_a_set_up_that_fails_or_takes_too_long_is_a_failure_in_ci_alone(
    environment_sh: str, variables: dict[str, str], code: int, tmp_path: Path
) -> None:
    found, said = _set_up(tmp_path, environment_sh, **variables)
    assert "Windows: not run, because" in said
    assert found == code, said
    if "set-up of its environment" in said:  # where there is Wine
        assert "try 2: " in said
        assert "try 3: " not in said
