"""A real daemon in a process of its own, as a user starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import paperchute
from paperchute.files.names import WATCHERS

SOURCE = Path(paperchute.__file__).parents[1]


class Paperchute:
    """The command line against one rule file and one state folder."""

    def __init__(self, folder: Path, rules: str) -> None:
        self.folder = folder
        self.rules = folder / "rules.toml"
        self.state = folder / "state"
        self.rules.write_text(rules, "utf-8")
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "PAPERCHUTE_TEST_KEY": "key-of-the-test",
            "COLUMNS": "200",
        }
        self.process: subprocess.Popen[bytes] | None = None

    def command(self, *arguments: str) -> list[str]:
        return [
            sys.executable, "-m", "paperchute", "--rules", str(self.rules), "--state", str(self.state), *arguments,
        ]  # fmt: skip

    def run(self, *arguments: str, timeout: float = 240) -> subprocess.CompletedProcess[str]:
        """Run a verb to its end."""
        return subprocess.run(
            self.command(*arguments),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def json(self, *arguments: str) -> Any:
        """What a verb prints with --json."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def said(self) -> dict[str, Any]:
        """What the running daemon last published, which is what `status --json` prints; waits for the first time.

        For waiting: a command line takes longer to start than what is waited for.
        """
        found: list[dict[str, Any]] = []

        def look() -> bool:
            assert self.process is not None
            try:
                found[:] = [json.loads(self.published().read_text("utf-8"))]
            except OSError:
                return False
            return bool(found[0]["pid"] == self.process.pid)  # and not one that was killed

        wait_until(look)
        return found[0]

    def until_it_runs(self) -> None:
        """Wait until the daemon started last has published its status."""
        self.said()

    def published(self) -> Path:
        """The file in which the daemon publishes its status."""
        return self.state / "status.json"

    def start(self, *arguments: str, creationflags: int = 0) -> None:
        """Start a headless daemon in the background; creationflags: of Windows."""
        log = (self.folder / "daemon.log").open("ab")
        self.process = subprocess.Popen(
            self.command("run", "--headless", *arguments),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            creationflags=creationflags,
        )
        log.close()

    def kill(self) -> None:
        """`kill -9`, as a crash would end it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(120)

    def stop(self) -> int:
        """End it as a session manager would; its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(120)

    def close(self) -> None:
        """Leave nothing running, whatever the test did."""
        if self.process is not None and self.process.poll() is None:
            self.kill()


def wait_until(true: Callable[[], object], seconds: float = 120) -> None:
    """Wait for a fact; fails when it does not come."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def names(folder: Path) -> Sequence[str]:
    """Names of all files below a folder but marks, hidden ones included, sorted; empty when there is no folder."""
    files = (path for path in folder.rglob("*") if path.is_file() and WATCHERS not in path.parts)
    return sorted(path.relative_to(folder).as_posix() for path in files)
