"""A process that parses what may be hostile: what breaks it, or takes too long, costs that process and not the daemon.

`paperchute.app.reader_worker` is what runs there, and sets its limits of memory and processor time. One request and one
answer are a line of JSON each, with a number of bytes behind it where it says so.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loguru import logger

from paperchute.baton import baton
from paperchute.errors import PaperchuteError
from paperchute.files.reader_line import Line, Said, line_to
from paperchute.language import _, current

SECONDS = 5.0
"""Of the processor for one request. Each MiB of content adds some: HTML takes 0.8 s a MiB, lists and overrides less."""

_SECONDS_A_MIB = 2.0
_BUSY = 4  # times as long it may take on a busy machine or a slow share
_START_SECONDS = 60.0
"""It takes 0.6 s on a machine with other work, and half a minute where twenty programs want each processor."""
_KEPT_BYTES = 4 << 20  # a reader that has had more in its hands keeps much memory, so it ends when it is done
_MOST_AT_ONCE = 4  # each may take 2 GB (`app.reader_worker`)
_MOST_ASKED = 1000  # a native library that leaks is cleaned up by a fresh process
_IDLE_SECONDS = 30.0  # each has 40 MB, and takes half a second of the processor to start


class ReaderError(PaperchuteError):
    """What was to be read broke the reader, or took too long."""


class ReaderProcess:
    """One such process, for one thread at a time. It starts with the first request, and again after it has broken."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """command: what to run instead of our reader (for tests).

        -P: the daemon may have been started in a hot folder, and nothing that lies there is to be imported.
        """
        self._command = list(command) if command else [sys.executable, "-P", "-m", "paperchute.app.reader_worker"]
        self._line: Line | None = None
        self.asked = 0
        """How many requests the process has had."""
        self.is_late = False
        """Whether the last request had no answer because its time was over, and not because the process broke."""

    @property
    def is_fresh(self) -> bool:
        """Whether it has not been asked anything yet, or has broken since."""
        return self._line is None

    @property
    def start_seconds(self) -> float:
        """How long it may take until it begins with the next request."""
        return _START_SECONDS if self.is_fresh else 0.0

    def ask(self, request: Mapping[str, Any], content: bytes = b"", *, seconds: float) -> Said | None:
        """The answer to a request; None when the process broke, or took longer than that, and was ended.

        Raises OSError when it cannot be started.
        """
        if self._line is not None and self._line.process.poll() is not None:
            self.end()  # the system may have ended an idle one
        if self._line is None:
            with baton.handed_on():
                self._line = line_to(self._command)
        self.asked += 1
        head = json.dumps({**request, "language": current(), "bytes": len(content)}).encode()
        end = time.monotonic() + seconds
        found = self._line.ask(head + b"\n" + content, seconds)
        self.is_late = found is None and time.monotonic() >= end
        if found is None:
            self.end()
        return found

    def end(self) -> None:
        """End the process; another one answers the next request."""
        line, self._line, self.asked = self._line, None, 0
        if line is None:
            return
        line.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # it may hang on a share, where no signal reaches it
            line.process.wait(2.0)
        line.close()


class Readers:
    """Reader processes for any number of threads. Few work at a time, since each may take much memory."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """seconds: of the processor, for one request; more for one with much content."""
        self._seconds = seconds
        self._idle: list[tuple[float, ReaderProcess]] = []  # since when, as monotonic seconds; the latest last
        self._lock = threading.Lock()  # guards the list
        self._turns = threading.BoundedSemaphore(_MOST_AT_ONCE)

    @contextlib.contextmanager
    def lent(self) -> Iterator[ReaderProcess]:
        """A reader for the length of the block. It goes on to whoever comes next, unless it has broken."""
        with self._turn():
            reader = self._one()
            try:
                yield reader
            except BaseException:
                reader.end()
                raise
            self._put_by(reader, is_clean=not reader.is_fresh)

    def end_idle(self) -> None:
        """End those that nobody has needed for some time. Called now and then by whoever lives long."""
        before = time.monotonic() - _IDLE_SECONDS
        with self._lock:
            tired = [reader for since, reader in self._idle if since <= before]
            self._idle = [(since, reader) for since, reader in self._idle if since > before]
        for reader in tired:
            reader.end()

    def read(self, name: str, request: Mapping[str, Any], content: bytes) -> Said:
        """Return what the reader makes of some content. name: of its file, for people.

        Raises PaperchuteError as the parser refuses it, ReaderError where that cannot be said, and OSError.
        """
        with self._turn():
            reader, found = self._asked(request, content)
        if reader.is_late:
            logger.warning("{} could not be read in time", name)
            raise ReaderError(
                _("{name} could not be read in time.", name=name),
                _("Try again when the computer has less to do; if it comes back, make the file simpler or shorter."),
            )
        if found is None or "fault" in found[0]:
            logger.warning("{} could not be read: {}", name, found[0]["fault"] if found else "its reader was ended")
            raise ReaderError(
                _("{name} is too complicated to be read.", name=name), _("Make it simpler or shorter, and try again.")
            )
        if "refused" in found[0]:
            what, advice = found[0]["refused"]
            raise PaperchuteError(str(what), str(advice))
        return found

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(blocking=False):
            with baton.handed_on():
                self._turns.acquire()
        try:
            yield
        finally:
            self._turns.release()

    def _asked(self, request: Mapping[str, Any], content: bytes) -> tuple[ReaderProcess, Said | None]:
        seconds = self._seconds + _SECONDS_A_MIB * len(content) / (1 << 20)
        request = {**request, "seconds": seconds}
        reader = self._one()
        waits = _START_SECONDS + _BUSY * seconds
        was_fresh = reader.is_fresh
        found = reader.ask(request, content, seconds=waits)
        if found is None and not was_fresh and not reader.is_late:  # it may have ended since its last request
            found = reader.ask(request, content, seconds=waits)
        if found is not None:
            self._put_by(reader, is_clean="fault" not in found[0] and len(content) + len(found[1]) <= _KEPT_BYTES)
        return reader, found

    def _put_by(self, reader: ReaderProcess, *, is_clean: bool) -> None:
        if not is_clean or reader.asked >= _MOST_ASKED:
            reader.end()
            return
        with self._lock:
            self._idle.append((time.monotonic(), reader))

    def _one(self) -> ReaderProcess:
        with self._lock:
            return self._idle.pop()[1] if self._idle else ReaderProcess()


readers = Readers()
"""Those of this process. Each ends by itself when its pipe is closed, however this process ends."""
