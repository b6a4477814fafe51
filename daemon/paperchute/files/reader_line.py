"""The line to a process that reads what may be hostile: a request and its answer at a time, each within a time.

`SocketLine` is a pair of connected sockets, which can be waited for with an end: whoever asks does so itself. Windows
gives a process pipes only, which cannot, so `PipeLine` has a thread that waits for them.
"""

from __future__ import annotations

import contextlib
import io
import json
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO, Any, Protocol

from paperchute.baton import baton
from paperchute.children import apart
from paperchute.sandbox import plain_environment

Said = tuple[dict[str, Any], bytes]
"""What one side tells the other: an object, and bytes that belong to it."""

_MOST_HEAD = 16 << 20  # of an answer's JSON: 200,000 characters of a document are 2.4 MB at most
_MOST_BYTES = 512 << 20  # of an answer: the largest page with what lies beside it has some 100 MB
_BLOCK = 1 << 16


class Line(Protocol):
    """A process that was started, and the line to it."""

    process: subprocess.Popen[bytes]

    def ask(self, request: bytes, seconds: float) -> Said | None:
        """The answer to a request; None where it is none, or is not there in that time. Then the line is spent."""

    def close(self) -> None:
        """Let the line go; the process has ended, or ends by that."""


class SocketLine:
    """By a pair of sockets."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the process. Raises OSError."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self.process = _started(command, theirs.fileno(), theirs.fileno())
            except BaseException:
                ours.close()
                raise
        self._end = ours
        self._incoming = _Incoming(ours)
        self._buffered = io.BufferedReader(self._incoming, _BLOCK)

    def ask(self, request: bytes, seconds: float) -> Said | None:
        """As `Line` has it."""
        self._incoming.deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            self._end.settimeout(seconds)  # for all of what is sent
            self._end.sendall(request)
            with baton.handed_on():
                return _said(self._buffered)
        return None

    def close(self) -> None:
        """As `Line` has it."""
        self._end.close()


class _Incoming(io.RawIOBase):
    """What comes by a socket until a deadline, in monotonic seconds. Raises TimeoutError after it."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self.deadline = 0.0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As any stream has it. Raises OSError."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._end.settimeout(left)
        return self._end.recv_into(buffer)


_Request = tuple[bytes, "queue.SimpleQueue[Said | None]"]
"""What is asked, and where the answer goes."""


class PipeLine:
    """By standard input and output, and a thread that writes and reads them."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the process. Raises OSError."""
        self.process = _started(command, subprocess.PIPE, subprocess.PIPE)
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        threading.Thread(target=_talk, args=(self.process, self._requests), name="request", daemon=True).start()

    def ask(self, request: bytes, seconds: float) -> Said | None:
        """As `Line` has it."""
        said: queue.SimpleQueue[Said | None] = queue.SimpleQueue()
        self._requests.put((request, said))
        with contextlib.suppress(queue.Empty), baton.handed_on():
            return said.get(timeout=seconds)
        return None

    def close(self) -> None:
        """As `Line` has it. The pipes of a process that hangs stay open, since closing them could hang too."""
        self._requests.put(None)
        for end in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if end is not None and self.process.returncode is not None:
                    end.close()


def line_to(command: Sequence[str]) -> Line:
    """Start a process, with the line that suits the system. Raises OSError."""
    return PipeLine(command) if sys.platform == "win32" else SocketLine(command)


def _talk(process: subprocess.Popen[bytes], requests: queue.SimpleQueue[_Request | None]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    while (asked := requests.get()) is not None:
        request, said = asked
        answer = None
        with contextlib.suppress(OSError, ValueError):  # ValueError: of a pipe that was closed
            process.stdin.write(request)
            process.stdin.flush()
            answer = _said(process.stdout)
        said.put(answer)  # None: whoever waits need not wait any longer


def _started(command: Sequence[str], stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env=plain_environment(),
        **apart(),  # Ctrl-C in the terminal is for the daemon
    )


def _said(incoming: IO[bytes] | io.BufferedReader) -> Said | None:
    """The answer that comes in; None for what is none. Raises OSError."""
    with contextlib.suppress(ValueError, TypeError, AttributeError, RecursionError, KeyError):
        head = json.loads(incoming.readline(_MOST_HEAD))
        size = int(head.pop("bytes"))
        if 0 <= size <= _MOST_BYTES:
            made = incoming.read(size)
            return (head, made) if len(made) == size else None
    return None
