"""A watcher in a process of its own, asked from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT / 'daemon'}{os.pathsep}{ROOT}", "PYTHONWARNINGS": "ignore"}


class Child:
    """One watcher at work."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def armed(self) -> None:
        """Wait until it watches. Raises RuntimeError when it ends instead."""
        assert self.process.stdout is not None
        if not self.process.stdout.readline():
            raise RuntimeError(f"the watcher {self.process.args!r} did not start")

    def ask(self, question: str = "") -> dict[str, Any]:
        """What it has seen by now."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def until(self, count: int, quiet: float = 3.0) -> dict[str, Any]:
        """Its answer once it has seen `count` files, or nothing new for `quiet` seconds."""
        answer = self.ask()
        files, since = answer["files"], time.monotonic()
        while answer["files"] < count and time.monotonic() - since < quiet:
            time.sleep(0.05)
            answer = self.ask()
            if answer["files"] != files:
                files, since = answer["files"], time.monotonic()
        return answer


@contextmanager
def starting(kind: str, folders: Sequence[Path], busy: int = 0) -> Iterator[Child]:
    """A watcher of `kind` on `folders` that has just been started; it ends with the block."""
    command = [sys.executable, "-m", "benchmarks.watching.watchers"]
    command += [kind, os.pathsep.join(map(str, folders)), str(busy)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=ENVIRONMENT,
        cwd=ROOT,
    ) as process:
        try:
            yield Child(process)
        finally:
            process.kill()


@contextmanager
def watcher(kind: str, folders: Sequence[Path], busy: int = 0) -> Iterator[Child]:
    """The same, once it is armed."""
    with starting(kind, folders, busy) as child:
        child.armed()
        yield child
