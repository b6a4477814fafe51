"""The daemon in a process of its own, with a service that does nothing in another."""

from __future__ import annotations

import contextlib
import http.client
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from benchmarks.watching.child import ENVIRONMENT, ROOT
from benchmarks.watching.memory import MIB

KIB10 = b"%PDF-1.7\n" + b"a" * 10_200 + b"\n%%EOF\n"
_START_SECONDS = 30.0


class Service:
    """A running service that does nothing."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._line = http.client.HTTPConnection("127.0.0.1", port)

    def fetched(self) -> int:
        """How many results were fetched so far."""
        self._line.request("GET", "/count")
        return int(self._line.getresponse().read())


@contextlib.contextmanager
def service(pause: float = 0.0) -> Iterator[Service]:
    """One that lives for the length of the block, and takes so many seconds over each call."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "uvicorn", "benchmarks.watching.service:app", "--port", str(port)]
    command += ["--log-level", "error", "--no-access-log", "--timeout-keep-alive", "3600"]
    with subprocess.Popen(command, env={**ENVIRONMENT, "BENCHMARK_PAUSE": str(pause)}, cwd=ROOT) as process:
        try:
            until(lambda: _answers(port), _START_SECONDS, "the service")
            yield Service(port)
        finally:
            process.kill()


class Daemon:
    """A running daemon on hot folders below `base`."""

    def __init__(self, base: Path, process: psutil.Process, service: Service) -> None:
        self.base = base
        self.process = process
        self.service = service
        self._before = service.fetched()

    def drop(self, name: str, content: bytes = KIB10) -> None:
        """Write a file beside the hot folder and rename it in."""
        part = self.base / f"{name}.part"
        part.write_bytes(content)
        part.rename(self.base / "hot" / name)

    def until_done(self, count: int, seconds: float) -> None:
        """Wait until so many originals are filed. Raises TimeoutError with the daemon's last words.

        The service is asked first, since listing a large folder again and again would be measured too.
        """
        end = time.monotonic() + seconds
        until(lambda: self.service.fetched() - self._before >= count, seconds, self, pause=0.02)
        until(lambda: self.filed() >= count, max(10.0, end - time.monotonic()), self, pause=0.02)

    def filed(self) -> int:
        """How many originals were moved away after their results were in place."""
        try:
            return sum(1 for _ in (self.base / "hot.done").iterdir())
        except FileNotFoundError:
            return 0

    def cpu(self) -> float:
        """Seconds so far, with those of the processes that read files for it, whether they still run or have ended."""
        seconds = float(sum(self.process.cpu_times()[:4]))
        for child in self.process.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                seconds += sum(child.cpu_times()[:2])
        return seconds

    def switches(self) -> tuple[int, int]:
        """How often its threads have let go of the processor so far: waiting for something, and because they had to."""
        waits = losses = 0
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):  # one that has ended meanwhile
                told = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines())
                waits += int(told["voluntary_ctxt_switches"])
                losses += int(told["nonvoluntary_ctxt_switches"])
        return waits, losses

    def mib(self) -> float:
        """Resident memory now."""
        return float(self.process.memory_info().rss) / MIB

    def __str__(self) -> str:
        """What it said last, for whoever waits in vain."""
        log = self.base / "state" / "paperchute.log"
        lines = log.read_text("utf-8").splitlines() if log.exists() else []
        return "the daemon; its last words: " + (lines[-1] if lines else "none")


def command_for(base: Path) -> list[str]:
    """What starts the daemon on the rules of `write_rules`."""
    place = ["--rules", str(base / "rules.toml"), "--state", str(base / "state")]
    return [sys.executable, "-m", "paperchute", *place, "run", "--headless"]


def environment_for() -> dict[str, str]:
    """Its environment, with the key that its rules name."""
    return {**ENVIRONMENT, "BENCHMARK_KEY": "key"}


def write_rules(base: Path, port: int, *, concurrency: int = 4, folders: int = 1, mode: str = "sync") -> list[Path]:
    """A rule file with one rule for each hot folder; the folders, made. mode: how calls go out."""
    hot = [base / (f"hot{number}" if number else "hot") for number in range(folders)]
    text = f'version = 1\n[service]\nbase_url = "http://127.0.0.1:{port}"\napi_key = "env:BENCHMARK_KEY"\n'
    text += f'concurrency = {concurrency}\nmode = "{mode}"\n'
    for folder in hot:
        folder.mkdir(parents=True, exist_ok=True)
        text += f'[[rule]]\nname = "{folder.name}"\nfolder = "{folder.name}"\noperation = "pdf-to-markdown"\n'
    (base / "rules.toml").write_text(text)
    return hot


@contextlib.contextmanager
def daemon(
    base: Path, service: Service, *, concurrency: int = 4, folders: int = 1, mode: str = "sync"
) -> Iterator[Daemon]:
    """The real program, headless; up and at rest, unless its folders held something already."""
    write_rules(base, service.port, concurrency=concurrency, folders=folders, mode=mode)
    with subprocess.Popen(command_for(base), env=environment_for(), stderr=subprocess.DEVNULL) as process:
        try:
            running = Daemon(base, psutil.Process(process.pid), service)
            until((base / "state" / "status.json").exists, _START_SECONDS, running)
            yield running
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
    shutil.rmtree(base)


def until(true: Callable[[], bool], seconds: float, whom: object, pause: float = 0.05) -> None:
    """Wait for a fact. Raises TimeoutError, which says whom it waited for."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:.0f} s in vain for {whom}")
        time.sleep(pause)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
    except OSError:
        return False
    return True
