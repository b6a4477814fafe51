"""One worker process as the engine holds it: started, given work, watched, killed."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
from loguru import logger

from paperchute.children import Group, apart
from paperchute.contract import contract, libreoffice, tesseract
from paperchute.contract.questions import Question, questions_from
from paperchute.contract.typesetters import TYPESETTERS
from paperchute.contract.words import word_counts
from paperchute.engine.report import MOST, Told
from paperchute.engine.settings import Limits
from paperchute.engine.tasks.worker_line import Broker, too_much_memory, work_to_json
from paperchute.engine.tasks.workplace import Workplace
from paperchute.engine.work import Work
from paperchute.language import _
from paperchute.sandbox import Standing, plain_environment

_TASKS = 200  # a native library that leaks is cleaned up by a fresh process
_MOST_PROCESSES = 16  # that one task may have at a time, its worker included
_MOST_THREADS = 256  # of one worker; recognition takes about a dozen
_CENSUS_SECONDS = 0.5  # looking for processes goes through all those of the machine
_SCRATCH_SECONDS = 5.0  # and looking at what has been written through all files of the task
_SCRATCH_SHARE = 2  # a result, and what it is made of
_BIRTH_SECONDS = 120.0  # until it says that it is there: a disk that sleeps, a virus scanner
_DEATH_SECONDS = 2.0
_PRINTERS = frozenset({libreoffice.NAME, *TYPESETTERS.values()})
"""Whose end is no fault of the task's: the next printer has the file."""
_MOST_OUTPUTS = 100_000
_MOST_PAGES = 10_000_000
_LONGEST_TEXT = 20_000  # a trace is the longest
_LONGEST_LINE = 16 << 20  # an answer names its outputs, and those may be thousands
_BYTES_A_SECOND = 10_000
"""For so many bytes of its files and fields a task has one more second of the processor. Reading takes a tenth."""
_PAGE_SECONDS = 30.0  # and for each page done: recognising a dense one takes ten, and a scan may have few bytes a page


@dataclass(frozen=True)
class Result:
    """What came of a task: the outputs' paths, or a code of the contract with a sentence in the task's language.

    trace: for the log only. milliseconds: what the worker took. warnings: sentences on what a result lacks; notes: on
    how it was made. words: what became of those of the document (`contract.words`). pages: that it had in hand.
    questions: for a person.
    broken: the printer that the task's file has broken; another one can have the file.
    """

    outputs: tuple[Path, ...] = ()
    code: str = ""
    reason: str = ""
    trace: str = ""
    milliseconds: int = 0
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    words: Mapping[str, int] = field(default_factory=dict)
    pages: int = 1
    questions: tuple[Question, ...] = ()
    broken: str = ""


def _offer(pid: int) -> None:
    """Have Linux end this process first where memory runs out: not the engine, which can say whose fault it was."""
    with contextlib.suppress(OSError):  # another system
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000", "ascii")


class StillbornError(Exception):
    """A worker process did not come up. The text is for the log."""


class UntakenError(Exception):
    """The process had ended before it took the work, so that no document did it harm."""


class WorkerProcess:
    """One process and its pipe. `run` is for one thread; `check` and `kill` may come from others."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        """Start it, with a new folder of its own, and wait until it is closed in. Raises StillbornError."""
        self._limits = limits
        self._lock = threading.Lock()
        self._ends: float | None = None  # monotonic; None while it has no task
        self._allowed = self._spent = 0.0  # processor seconds: of the task, and of the process before it
        self._stopped: Result | None = None
        self._family: list[psutil.Process] = []  # what the task has started, as of the last census
        self._census = self._weighed = 0.0
        self._taken = False  # whether the worker has said that it has the task
        self._loading = ""  # the trained data that it loads just now, or the printer that it is at work with
        self.served = 0
        self.usable = True
        try:
            self._place = Workplace(folder)
            # -P: the folder that the engine was started in is not searched for modules, nor open to workers
            command = [sys.executable, "-P", "-m", "paperchute.engine.tasks.worker", str(folder)]
            command += [str(limits.max_output), str(limits.memory), str(limits.task_seconds)]
            with self._place.errors.open("ab") as errors:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                    encoding="utf-8",
                    errors="replace",
                    env=plain_environment(
                        OPENBLAS_NUM_THREADS="1",  # a pool of threads that nothing of ours uses
                        **{libreoffice.CHOICE_VARIABLE: libreoffice.choice()},
                    ),
                    **({"process_group": 0} if sys.platform != "win32" else apart()),
                )
            _offer(self._process.pid)
            self._group = Group(self._process)  # what an operation starts dies with it
            self._watched = psutil.Process(self._process.pid)
        except (OSError, psutil.Error) as error:
            raise StillbornError(str(error)) from error
        self.standing = self._born()

    def _born(self) -> Standing:
        assert self._process.stdout is not None
        clock = threading.Timer(_BIRTH_SECONDS, self.kill)
        clock.daemon = True
        clock.start()
        try:
            said = json.loads(self._process.stdout.readline(_LONGEST_LINE))
            return Standing(tuple(said["up"]), tuple(said["missing"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            words = self._place.last_words().strip()
            self.end()
            raise StillbornError(f"it ended with {self._process.returncode}. {words}") from error
        finally:
            clock.cancel()

    @property
    def alive(self) -> bool:
        """Whether the process still runs; the system may have ended an idle one."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def run(self, work: Work, told: Told) -> Result:
        """Have `work` done; `told` hears how far it is.

        Afterwards `usable` says whether this process can take another. Raises UntakenError, and OSError when its files
        cannot be brought or taken.
        """
        begun = time.monotonic()
        inside = self._place.bring(work)
        order = work_to_json(inside)
        size = len(order) + sum(source.path.stat().st_size for source in inside.sources)
        granted = self._limits.processor_seconds + size / _BYTES_A_SECOND
        self._taken, self._loading = False, ""
        with self._lock:
            self._family, self._census, self._weighed = [], begun, begun
            self._allowed, self._spent = granted, self._processor()
            self._ends = time.monotonic() + self._limits.task_seconds

        def reported(done: int, total: int) -> None:
            self._allowed = granted + _PAGE_SECONDS * done
            told(done, total)

        answer = self._answer_to(order, inside, reported)
        with self._lock:
            self._ends = None
        self.served += 1
        if answer is None and not self._taken and self._stopped is None:
            self.usable = False
            raise UntakenError
        result = self._died() if answer is None else answer
        self.usable = (
            answer is not None
            and self._stopped is None
            and self.served < _TASKS
            and self._used() < self._limits.memory // 2
        )
        if result.broken:
            return result
        outputs = self._place.take(work, inside, result.outputs)
        return replace(result, outputs=outputs, milliseconds=int((time.monotonic() - begun) * 1000))

    def check(self) -> None:
        """Kill it when its task takes too long, too much of the processor, or too much memory."""
        limits = self._limits
        with self._lock:
            if self._ends is None or self._stopped is not None:
                return
            self._count_family()
            if time.monotonic() > self._ends:
                seconds = f"{limits.task_seconds:g}"
                self._stop(Result(code="190006", reason=_("it took longer than {seconds} seconds", seconds=seconds)))
            elif self._processor() - self._spent > self._allowed:
                self._stop(
                    Result(
                        code="190006",
                        reason=_(
                            "it took more than the {seconds} seconds of processor time that a file of its size and "
                            "pages may have",
                            seconds=int(self._allowed),
                        ),
                    )
                )
            elif self._used() > limits.memory:
                self._stop(Result(**too_much_memory(limits.memory)))
            elif len(self._family) >= _MOST_PROCESSES:
                self._stop(
                    Result(
                        code="02210",
                        reason=_("the document needs more than {most} processes at a time", most=_MOST_PROCESSES),
                    )
                )
            elif self._threads() > _MOST_THREADS:
                self._stop(
                    Result(
                        code="02210",
                        reason=_("the document needs more than {most} threads at a time", most=_MOST_THREADS),
                    )
                )
            elif self._written() > _SCRATCH_SHARE * limits.max_output:
                self._stop(
                    Result(
                        code="02210",
                        reason=_("the document fills the disk"),
                    )
                )

    def kill(self) -> None:
        """End it at once, whatever it does."""
        with self._lock:
            self._stop(Result(code="01001", reason=_("the task was ended")))

    def end(self) -> None:
        """Kill it and clean up after it."""
        self.kill()
        self._process.wait()
        self._group.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was left in the pipe of a killed process has no reader
        self._place.remove()

    def _answer_to(self, order: str, work: Work, told: Told) -> Result | None:
        """Return what the worker answers to an order, None when it died or says what no worker says.

        Before its answer it says that it has the work, tells how far that is and which trained data it loads, and asks
        for what it may not do itself.
        """
        assert self._process.stdout is not None
        broker = Broker(work.fetch)
        try:
            self._say(order)
            while (line := self._process.stdout.readline(_LONGEST_LINE)).endswith("\n"):
                match json.loads(line):
                    case {"taken": True}:
                        self._taken = True
                    case {"done": int(done), "total": int(total)} if 0 <= done <= total <= _MOST_PAGES:
                        told(done, total)
                    case {"loading": str(name)} if name in ("", *_PRINTERS) or _is_trained(name):
                        self._loading = name
                    case {"fetch": str(url)}:
                        self._say(broker.answer(url))
                    case dict(answer):
                        return _result_of(answer, work.folder)
                    case _:
                        return None
        except (OSError, ValueError, TypeError, RecursionError):
            return None  # a worker that has been taken over may say anything
        return None

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _died(self) -> Result:
        if self._stopped is None:
            try:
                self._process.wait(_DEATH_SECONDS)
            except subprocess.TimeoutExpired:
                logger.error("a worker stopped speaking, and is ended")
        status = self._process.poll()
        with self._lock:
            trace = f"the worker ended with {status}\n{self._place.last_words()}"
            if self._loading and self._loading not in _PRINTERS:
                self._stop(Result(code="190005", reason=tesseract.told_unfit(self._loading), trace=trace))
            elif sys.platform != "win32" and status == -signal.SIGKILL:  # from outside, as a document cannot send it
                reason = _("the system ended the process that worked on it, as it does when memory runs out")
                self._stop(Result(code="190008", reason=reason, trace=trace))
            else:
                self._stop(
                    Result(code="02210", reason=_("the document crashed the process that worked on it"), trace=trace)
                )
            assert self._stopped is not None
        self._process.wait()
        return replace(self._stopped, broken=self._loading) if self._loading in _PRINTERS else self._stopped

    def _stop(self, why: Result) -> None:
        self._stopped = self._stopped or why
        if self._process.poll() is not None:
            return
        try:
            self._group.kill()
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

    def _processor(self) -> float:
        """Seconds of processor time that the process and what its task has started have used."""
        return sum(map(_processor_time, [self._watched, *self._family]))

    def _threads(self) -> int:
        try:
            return int(self._watched.num_threads())
        except psutil.Error:
            return 0

    def _written(self) -> int:
        if time.monotonic() - self._weighed < _SCRATCH_SECONDS:
            return 0
        self._weighed = time.monotonic()
        return self._place.size()

    def _used(self) -> int:
        """Bytes of memory of its own: pages shared with files, such as a mapped PDF, do not count."""
        return sum(map(_own_memory, [self._watched, *self._family]))


def _is_trained(names: str) -> bool:
    return tesseract.NAMES.issuperset(names.split("+"))


def _processor_time(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _own_memory(process: psutil.Process) -> int:
    try:
        info = process.memory_info()
    except psutil.Error:
        return 0
    return int(info.rss - getattr(info, "shared", 0))


def _result_of(answer: dict[str, Any], folder: Path) -> Result:
    """Raises ValueError, TypeError for what no worker answers that is still its own master.

    folder: the task's own, as the worker sees it; every output lies there.
    """
    outputs = answer.pop("outputs", [])
    warnings, notes = answer.pop("warnings", []), answer.pop("notes", [])
    words, pages = word_counts(answer.pop("words", {})), answer.pop("pages", 1)
    questions = questions_from(answer.pop("questions", []))
    if len(outputs) > _MOST_OUTPUTS or max(len(warnings), len(notes)) > MOST:
        raise ValueError("an answer is longer than any")
    if type(pages) is not int or not 1 <= pages <= _MOST_PAGES:
        raise ValueError("an answer is of no number of pages")
    if not all(isinstance(text, str) for text in (*outputs, *warnings, *notes, *answer.values())):
        raise TypeError("an answer is made of texts")
    if any(_well_formed(name) != name for name in outputs):
        raise ValueError("an output has a name that no file can have everywhere")
    made = tuple(map(Path, outputs))
    if not all(path.is_relative_to(folder) and ".." not in path.parts for path in made):
        raise ValueError("an output lies elsewhere")
    said, told = (tuple(_well_formed(text[:_LONGEST_TEXT]) for text in texts) for texts in (warnings, notes))
    texts: dict[str, Any] = {name: _well_formed(text[:_LONGEST_TEXT]) for name, text in answer.items()}
    if texts.get("code", "") not in ("", *contract().errors):
        raise ValueError("an answer has a code that nobody knows")
    return Result(**texts, outputs=made, warnings=said, notes=told, words=words, pages=pages, questions=questions)


def _well_formed(text: str) -> str:
    """With a mark in the place of half letters and NUL, which documents bring along and no database takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
