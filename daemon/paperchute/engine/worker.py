"""A worker process: takes one piece of work after the other from its standard input, within limits.

Runs foreign documents through native libraries, so it must be able to die without harm: it holds no key, no
connection and no other task's files, and it ends when the engine's end of the pipe closes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import faulthandler
import gc
import json
import os
import queue
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from paperchute.contract import contract, without_effect
from paperchute.engine import notices, progress
from paperchute.engine.operations import implementation
from paperchute.engine.work import FetchPolicy, Refused, Source, Told, Work

if sys.platform != "win32":
    import resource

ERRORS = "errors.txt"  # beside the task's folder: what libraries and dying processes print
_PR_SET_PDEATHSIG = 1  # prctl(2)
_OPEN_FILES = 4096
_GRACE_SECONDS = 10.0
_STACK = 512 << 20  # bytes of address space: native readers follow deeply linked objects by calling themselves


def work_to_json(work: Work) -> str:
    """One line that `work_from_json` reads back."""
    return json.dumps(
        {
            "operation": work.operation,
            "sources": [[s.part, str(s.path), s.name, s.kind] for s in work.sources],
            "parameters": dict(work.parameters),
            "folder": str(work.folder),
            "hosts": list(work.fetch.hosts),
            "inner": list(work.fetch.inner),
        }
    )


def work_from_json(line: str) -> Work:
    """The work of one line."""
    raw = json.loads(line)
    return Work(
        raw["operation"],
        tuple(Source(part, Path(path), name, kind) for part, path, name, kind in raw["sources"]),
        raw["parameters"],
        Path(raw["folder"]),
        FetchPolicy(tuple(raw["hosts"]), tuple(raw["inner"])),
    )


def main() -> None:
    """Serve until standard input closes. Arguments: largest output in bytes, longest time for a task in seconds."""
    output, seconds = int(sys.argv[1]), float(sys.argv[2])
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")  # dup'ed: closed in any process that an operation starts
    os.dup2(2, 1)  # a library that prints must not speak to the engine
    _limit(output)
    collect_rarely()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    threading.stack_size(_STACK)
    serving = threading.Thread(target=_serve, args=(lines, replies, seconds))
    serving.start()
    serving.join()


def collect_rarely() -> None:
    """Let Python look for cycles of objects less often: a document's words are many objects and never such cycles, and
    looking through them all, again and again, takes a twentieth of the time of reading."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _serve(lines: queue.SimpleQueue[str], replies: TextIO, seconds: float) -> None:
    while True:
        work = work_from_json(lines.get())
        # The engine kills a late worker long before; this clock runs without it and without Python's lock.
        faulthandler.dump_traceback_later(seconds + _GRACE_SECONDS, exit=True)
        _reply(replies, _run(work, lambda done, total: _reply(replies, {"done": done, "total": total})))
        faulthandler.cancel_dump_traceback_later()


def _read(lines: queue.SimpleQueue[str]) -> None:
    """Hand on what the engine says; end at once, in the middle of a task even, when it is gone."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def _reply(replies: TextIO, line: dict[str, Any]) -> None:
    replies.write(json.dumps(line) + "\n")
    replies.flush()


def _run(work: Work, told: Told) -> dict[str, Any]:
    tempfile.tempdir = os.environ["TMPDIR"] = str(work.folder)
    with _printing_to(work.folder.parent / ERRORS), notices.collected() as warnings:
        progress.listen(told)
        try:
            return {**_outcome(work), "warnings": warnings}
        finally:
            progress.listen(None)


@contextlib.contextmanager
def _printing_to(path: Path) -> Iterator[None]:
    """Libraries print what they like; the last words of a process that dies tell what it died of."""
    before = os.dup(2)
    with path.open("w", encoding="utf-8") as errors:
        os.dup2(errors.fileno(), 1)
        os.dup2(errors.fileno(), 2)
    faulthandler.enable()
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(before, 1)
        os.dup2(before, 2)
        os.close(before)


def _outcome(work: Work) -> dict[str, Any]:
    try:
        for name, why in without_effect(contract().operations[work.operation], work.parameters):
            work.warn(f"{name} changes nothing here: {why}.", f"{name} 在此不起作用。")
        outputs = implementation(work.operation).run(work)
        if not outputs:
            return _failure("the operation gave no output")
        return {"outputs": [str(path) for path in outputs]}
    except Refused as error:
        return {"code": error.code, "reason": error.reason, "reason_zh": error.reason_zh}
    except MemoryError:
        return _failure("the document needs more memory than there is", "内存不足")
    except Exception as error:  # noqa: BLE001 -- whatever a foreign document does to a library, the worker answers
        if isinstance(error, OSError) and error.errno == errno.EMFILE:
            traceback.clear_frames(error.__traceback__)  # they hold the files open, and to answer takes some
            reason = "the document needs more open files than a task may have"
            return _failure(reason, "打开的文件过多", _trace(error, work))
        trace = _trace(error, work)
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            return _failure("the result is larger than a task may write", "结果超出大小限制", trace)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return {"code": "01002", "reason": "there is no room on the disk for the result", "trace": trace}
        return _failure("the document could not be processed", trace=trace)


def _failure(reason: str, reason_zh: str = "", trace: str = "") -> dict[str, Any]:
    return {"code": "02210", "reason": reason, "reason_zh": reason_zh, "trace": trace}


def _trace(error: BaseException, work: Work) -> str:
    """For the engine's log. Messages of libraries may quote what they were given, so none with a secret gets there."""
    trace = "".join(traceback.format_exception(error))
    known = contract().operations[work.operation]
    for parameter in known.parameters:
        value = work.parameters.get(parameter.name, "")
        secrets = value if isinstance(value, list) else [str(value)]
        if parameter.is_secret and any(secret and secret in trace for secret in secrets):
            return "".join(traceback.format_tb(error.__traceback__)) + f"{type(error).__name__} (it quotes a secret)\n"
    return trace


def _limit(output: int) -> None:
    """What the kernel enforces by itself; time and memory are the pool's to watch, alike on every system."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "win32":
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = _OPEN_FILES if most == resource.RLIM_INFINITY else min(_OPEN_FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
