"""Running one reader over pictures in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def lines_of(kind: str, name: str, pictures: list[Path], out: Path, python: Path | None = None) -> list[dict[str, Any]]:
    """What `benchmarks.scans.child` tells of a reader: loading, each picture, the peak of memory.

    kind: `text` or `tables`. out: a folder to be made, for what is read. python: another environment's, with the
    project's benchmarks but not the project on its path. Raises RuntimeError when the process ends badly.
    """
    out.mkdir(parents=True)
    paths = [ROOT] if python else [ROOT / "daemon", ROOT]
    done = subprocess.run(
        [python or sys.executable, "-m", "benchmarks.scans.child", kind, name, out, *pictures],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
    )
    if done.returncode:
        words = done.stderr.strip().splitlines()
        raise RuntimeError(f"{name} ended with {done.returncode}: {words[-1][:300] if words else ''}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
