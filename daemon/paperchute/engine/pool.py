"""Worker processes, one task each at a time; one that hangs or dies is replaced and costs its own task only.

concurrent.futures breaks its whole pool when one process dies, and a hostile PDF may kill its process; so each
worker here is a process and a pipe of its own, looked after by one thread.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loguru import logger

from paperchute.engine.settings import Settings
from paperchute.engine.work import Work
from paperchute.engine.worker import work_to_json

_TASKS_PER_WORKER = 200  # a native library that leaks is cleaned up by a fresh process


@dataclass(frozen=True)
class Result:
    """What a worker said: outputs' paths, or a code of the contract with a sentence in English and maybe Chinese."""

    outputs: tuple[str, ...] = ()
    code: str = ""
    reason: str = ""
    reason_zh: str = ""


class Busy(Exception):
    """The queue is full."""


class Pool:
    """Takes work, calls back with its Result on a thread of the pool."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._queue: queue.Queue[tuple[Work, Callable[[Result], None]] | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._serve, name=f"pool-{number}", daemon=True)
            for number in range(settings.workers)
        ]
        self._stopping = False
        self._processes: set[subprocess.Popen[str]] = set()
        for thread in self._threads:
            thread.start()

    def submit(self, work: Work, done: Callable[[Result], None]) -> None:
        """Run `work` as soon as a worker is free. Raises Busy."""
        if self._queue.qsize() >= self._settings.queue:
            raise Busy
        self._queue.put((work, done))

    def stop(self) -> None:
        """End all workers at once; their tasks come to nothing."""
        self._stopping = True
        for _ in self._threads:
            self._queue.put(None)
        for process in list(self._processes):
            process.kill()
        for thread in self._threads:
            thread.join(10.0)

    def _serve(self) -> None:
        process: subprocess.Popen[str] | None = None
        served = 0
        while not self._stopping:
            item = self._queue.get()
            if item is None or self._stopping:
                break
            work, done = item
            if process is None:
                process, served = self._start(), 0
            result, usable = self._run(process, work)
            served += 1
            done(result)
            if not usable or served >= _TASKS_PER_WORKER:
                self._end(process)
                process = None
        if process is not None:
            self._end(process)

    def _run(self, process: subprocess.Popen[str], work: Work) -> tuple[Result, bool]:
        """The result, and whether the process can be used again."""
        late = threading.Event()

        def too_late() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._settings.task_seconds, too_late)
        timer.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(work_to_json(work) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        if line.endswith("\n"):
            raw: dict[str, Any] = json.loads(line)
            return Result(**{**raw, "outputs": tuple(raw.get("outputs", ()))}), not late.is_set()
        if late.is_set():
            return Result(code="190006", reason=f"it took longer than {self._settings.task_seconds:g} seconds"), False
        process.wait()
        logger.warning("a worker ended with {} while doing {}", process.returncode, work.operation)
        return Result(code="02210", reason="the document made its worker process end"), False

    def _start(self) -> subprocess.Popen[str]:
        limits = [str(self._settings.memory), str(self._settings.max_output)]
        process = subprocess.Popen(
            [sys.executable, "-m", "paperchute.engine.worker", *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._processes.add(process)
        return process

    def _end(self, process: subprocess.Popen[str]) -> None:
        self._processes.discard(process)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was left in the pipe of a killed process has no reader
