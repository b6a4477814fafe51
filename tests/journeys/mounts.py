"""A mount namespace of a test's own: disks that are full, read-only or lost, and nobody else notices."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.journeys.daemon import Paperchute

_USER = [] if sys.platform != "linux" or os.geteuid() == 0 else ["--user", "--map-root-user"]
_PATIENCE_SECONDS = 120.0


class Enclosure:
    """The namespace, held open by a sleeping process. Mounts made in it are seen by what is started in it alone."""

    def __init__(self, holder: subprocess.Popen[bytes]) -> None:
        self._holder = holder
        target = ["nsenter", "--target", str(holder.pid), "--mount"]
        self.prefix = [*target, *(["--user", "--preserve-credentials"] if _USER else [])]

    def run(self, *command: str | Path) -> None:
        """Run a command in it; raises CalledProcessError."""
        subprocess.run([*self.prefix, *map(str, command)], check=True, capture_output=True)

    def mount_memory(self, at: Path, size: str) -> None:
        """A file system in memory, of a size such as 64k."""
        self.run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", at)

    def seen(self, path: Path) -> Path:
        """The path as it is inside, to be used from outside."""
        return Path(f"/proc/{self._holder.pid}/root", *path.parts[1:])


@contextmanager
def enclosure() -> Iterator[Enclosure]:
    """A namespace for the length of the block; the test is skipped where the system grants none."""
    command = ["unshare", *_USER, "--mount", "--propagation", "private", "sleep", "infinity"]
    try:
        holder = subprocess.Popen(command, stderr=subprocess.PIPE)
    except FileNotFoundError:
        pytest.skip("needs unshare of util-linux")
    try:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while _is_outside(holder.pid):
            if holder.poll() is not None:
                assert holder.stderr
                pytest.skip(f"no mount namespace here: {holder.stderr.read().decode().strip()}")
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield Enclosure(holder)
    finally:
        holder.kill()
        holder.wait()


def _is_outside(pid: int) -> bool:
    try:
        started = Path(f"/proc/{pid}/comm").read_text().strip() == "sleep"
        return not started or os.readlink(f"/proc/{pid}/ns/mnt") == os.readlink("/proc/self/ns/mnt")  # noqa: PTH115
    except OSError:
        return True


class EnclosedPaperchute(Paperchute):
    """Paperchute inside an enclosure."""

    def __init__(self, inside: Enclosure, folder: Path, rules: str) -> None:
        super().__init__(folder, rules)
        self._inside = inside

    def published(self) -> Path:
        """That file, as it is inside."""
        return self._inside.seen(super().published())

    def command(self, *arguments: str) -> list[str]:
        """The command line, entered into the namespace."""
        return [*self._inside.prefix, *super().command(*arguments)]
