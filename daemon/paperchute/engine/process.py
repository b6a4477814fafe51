"""One worker process as the engine holds it: started, given work, watched, killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from loguru import logger

from paperchute.engine.settings import Limits
from paperchute.engine.work import Told, Work
from paperchute.engine.worker import ERRORS, work_to_json

_TASKS = 200  # a native library that leaks is cleaned up by a fresh process
_MOST_PROCESSES = 16  # that one task may have at a time, its worker included
_CENSUS_SECONDS = 0.5  # looking for them goes through all processes of the machine
_LAST_WORDS = 8000  # bytes of what a dying worker printed


@dataclass(frozen=True)
class Result:
    """What came of a task: the outputs' paths, or a code of the contract with a sentence in English, maybe Chinese.

    trace: for the log only. milliseconds: what the worker took. warnings: what a result lacks, each in English and
    Chinese.
    """

    outputs: tuple[Path, ...] = ()
    code: str = ""
    reason: str = ""
    reason_zh: str = ""
    trace: str = ""
    milliseconds: int = 0
    warnings: tuple[tuple[str, str], ...] = ()


class WorkerProcess:
    """One process and its pipe. `run` is for one thread; `check` and `kill` may come from others."""

    def __init__(self, limits: Limits) -> None:
        """Start it. Raises OSError and psutil.Error."""
        self._limits = limits
        self._lock = threading.Lock()
        self._ends: float | None = None  # monotonic; None while it has no task
        self._stopped: Result | None = None
        self._family: list[psutil.Process] = []  # what the task has started, as of the last census
        self._census = 0.0
        self._served = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "paperchute.engine.worker", str(limits.max_output), str(limits.task_seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            process_group=0,  # what an operation starts dies with it
        )
        self._watched = psutil.Process(self._process.pid)
        self.usable = True

    @property
    def alive(self) -> bool:
        """Whether the process still runs; the system may have ended an idle one."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def run(self, work: Work, told: Told) -> Result:
        """Have `work` done; `told` hears how far it is. Afterwards `usable` says whether this process can take
        another."""
        begun = time.monotonic()
        with self._lock:
            self._ends = begun + self._limits.task_seconds
            self._family, self._census = [], begun
        line = self._answer_to(work, told)
        with self._lock:
            self._ends = None
        self._served += 1
        milliseconds = int((time.monotonic() - begun) * 1000)
        if line.endswith("\n"):
            self.usable = self._stopped is None and self._served < _TASKS and self._used() < self._limits.memory // 2
            raw = json.loads(line)
            raw["outputs"] = tuple(map(Path, raw.get("outputs", ())))
            raw["warnings"] = tuple(map(tuple, raw["warnings"]))
            return Result(**raw, milliseconds=milliseconds)
        self.usable = False
        return self._died(work, milliseconds)

    def check(self) -> None:
        """Kill it when its task takes too long or too much memory."""
        limits = self._limits
        with self._lock:
            if self._ends is None or self._stopped is not None:
                return
            self._count_family()
            if time.monotonic() > self._ends:
                seconds = f"{limits.task_seconds:g}"
                self._stop(Result(code="190006", reason=f"it took longer than {seconds} seconds"))
            elif self._used() > limits.memory:
                megabytes = limits.memory >> 20
                self._stop(
                    Result(
                        code="02210",
                        reason=f"the document needs more than the {megabytes} MB of memory that a task may have",
                        reason_zh=f"内存超出限制（{megabytes} MB）",
                    )
                )
            elif len(self._family) >= _MOST_PROCESSES:
                self._stop(
                    Result(code="02210", reason=f"the document needs more than {_MOST_PROCESSES} processes at a time")
                )

    def kill(self) -> None:
        """End it at once, whatever it does."""
        with self._lock:
            self._stop(Result(code="01001", reason="the task was ended"))

    def end(self) -> None:
        """Kill it and clean up after it."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was left in the pipe of a killed process has no reader

    def _answer_to(self, work: Work, told: Told) -> str:
        """The last line of the answer; the lines before it tell how far the work is."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(work_to_json(work) + "\n")
            self._process.stdin.flush()
            while (line := self._process.stdout.readline()).startswith('{"done"') and line.endswith("\n"):
                found = json.loads(line)
                told(found["done"], found["total"])
            return line
        except OSError:
            return ""

    def _died(self, work: Work, milliseconds: int) -> Result:
        status = self._process.wait()
        if self._stopped is not None:
            return Result(**{**vars(self._stopped), "milliseconds": milliseconds})
        return Result(
            code="02210",
            reason="the document made its worker process end",
            reason_zh="文档导致处理进程异常终止",
            trace=f"the worker ended with {status}\n{_last_words(work.folder.parent / ERRORS)}",
            milliseconds=milliseconds,
        )

    def _stop(self, why: Result) -> None:
        self._stopped = self._stopped or why
        if self._process.poll() is not None:
            return
        try:
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        except OSError as error:
            logger.error("a worker could not be killed: {}", error)

    def _count_family(self) -> None:
        """What an operation has started counts as its own. Most tasks start nothing and end before the first census."""
        if time.monotonic() - self._census < _CENSUS_SECONDS:
            return
        self._census = time.monotonic()
        try:
            self._family = self._watched.children(recursive=True)
        except psutil.Error:
            self._family = []

    def _used(self) -> int:
        """Bytes of memory of its own: pages shared with files, such as a mapped PDF, do not count."""
        return sum(map(_own_memory, [self._watched, *self._family]))


def _own_memory(process: psutil.Process) -> int:
    try:
        info = process.memory_info()
    except psutil.Error:
        return 0
    return int(info.rss - getattr(info, "shared", 0))


def _last_words(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LAST_WORDS))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
