"""A worker process: takes one piece of work after the other from its standard input, within limits."""

from __future__ import annotations

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
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from paperchute.children import own_input
from paperchute.contract import contract, libreoffice, tesseract, without_effect
from paperchute.contract.built_in import MODELS_VARIABLE
from paperchute.engine import ledger, report
from paperchute.engine.expectation import expected_of
from paperchute.engine.html.fetch import ask_others
from paperchute.engine.operations import implementation
from paperchute.engine.printing.libreoffice import settle
from paperchute.engine.report import Told
from paperchute.engine.tasks.worker_line import INPUTS, OWN, SCRATCH, asking, failure, too_much_memory, work_from_json
from paperchute.engine.work import Refused, Work
from paperchute.language import _, speaking
from paperchute.sandbox import Fence, confine

_PR_SET_PDEATHSIG = 1  # prctl(2)
_GRACE_SECONDS = 10.0
_STACK = (255 if sys.platform == "win32" else 512) << 20
"""Bytes of address space: native readers follow deeply linked objects by calling themselves. Windows allows no 256 MB
(threading.stack_size)."""
_MEMORY_SHARE = 2  # the kernel's limit counts what was asked for; the engine ends a task by what it has really used


def main() -> None:
    """Serve until standard input closes.

    Arguments: the worker's folder, the largest output and the most memory in bytes, the longest time for a task in
    seconds. The first line that it writes says which fences stand.
    """
    folder, output, memory, seconds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library that prints must not speak to the engine
    orders = os.fdopen(own_input(), encoding="utf-8")
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    standing = confine(
        Fence(
            (folder / INPUTS, *_models(), *_office()),
            (folder / SCRATCH, folder / OWN),
            _MEMORY_SHARE * memory + 2 * _STACK,
            output,
        )
    )
    settle(folder / OWN)
    _reply(replies, {"up": standing.up, "missing": standing.missing})
    collect_rarely()
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(orders, lines), name="standard-input", daemon=True).start()
    threading.stack_size(_STACK)
    serving = threading.Thread(target=_serve, args=(lines, replies, memory, seconds), name="serving")
    serving.start()
    threading.stack_size(0)  # each further thread would take as much of what the process may have
    serving.join()


def _models() -> list[Path]:
    """Return what recognition may need: the folder of added models, the system's Tesseract with its trained data."""
    added = os.environ.get(MODELS_VARIABLE)
    places = [Path(added) if added else None, tesseract.shared_library(), tesseract.data_folder()]
    return [place for place in places if place is not None]


def _office() -> list[Path]:
    """Return what LibreOffice needs, where this engine prints with it."""
    return libreoffice.places() if libreoffice.choice() != "built-in" else []


def collect_rarely() -> None:
    """Let Python look for cycles of objects less often.

    A document's words are many objects and never such cycles, and looking through them all, again and again, takes a
    twentieth of the time of reading.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _serve(lines: queue.SimpleQueue[str], replies: TextIO, memory: int, seconds: float) -> None:
    def ask(wish: dict[str, Any]) -> str:
        _reply(replies, wish)
        return lines.get()

    ask_others(asking(ask))
    while True:
        work = work_from_json(lines.get())
        _reply(replies, {"taken": True})
        # The engine kills a late worker long before; this clock runs without it and without Python's lock.
        faulthandler.dump_traceback_later(seconds + _GRACE_SECONDS, exit=True)
        _reply(
            replies,
            _run(
                work,
                memory,
                lambda done, total: _reply(replies, {"done": done, "total": total}),
                lambda name: _reply(replies, {"loading": name}),
            ),
        )
        faulthandler.cancel_dump_traceback_later()


def _read(orders: TextIO, lines: queue.SimpleQueue[str]) -> None:
    """Hand on what the engine says; end at once, in the middle of a task even, when it is gone."""
    for line in orders:
        lines.put(line)
    os._exit(0)


def _reply(replies: TextIO, line: dict[str, Any]) -> None:
    replies.write(json.dumps(line) + "\n")
    replies.flush()


def _run(work: Work, memory: int, told: Told, loads: Callable[[str], None]) -> dict[str, Any]:
    tempfile.tempdir = os.environ["TMPDIR"] = str(work.folder)
    report.listen(told, loads)
    try:
        with (
            speaking(work.language),
            report.collected() as warnings,
            report.noted() as notes,
            report.asked() as questions,
            ledger.kept() as words,
        ):
            words.expected = expected_of(work)
            outcome = _outcome(work, memory)
            if "outputs" in outcome:
                _hold_to_account(words, outcome, work)
            said = {"warnings": warnings, "notes": notes, "words": words.counts(), "pages": report.handled()}
            return {**outcome, **said, "questions": [one.as_json() for one in questions]}
    finally:
        report.listen(None)
        sys.stdout.flush()
        sys.stderr.flush()


def _hold_to_account(words: ledger.Ledger, outcome: dict[str, Any], work: Work) -> None:
    """Say which words the result lacks. That they cannot be looked for is a fault of ours, and no reason to fail."""
    try:
        words.hold([Path(path) for path in outcome["outputs"]])
    except Exception as error:  # noqa: BLE001 -- see above
        outcome["trace"] = _trace(error, work)
    for sentence in words.sentences():
        work.warn(sentence)


def _outcome(work: Work, memory: int) -> dict[str, Any]:
    try:
        for name, why in without_effect(contract().operations[work.operation], work.parameters):
            work.warn(_("{name} has no effect here: {why}.", name=name, why=why))
        if (language := work.text("language")) not in ("", "1", "2"):
            work.warn(
                _("There are no messages in the language {language}; it changes nothing else.", language=language)
            )
        outputs = implementation(work.operation).run(work)
        if not outputs:
            return failure(_("the operation produced no output"))
        return {"outputs": [str(path) for path in outputs]}
    except Refused as error:
        return {"code": error.code, "reason": report.shortened(error.reason)}
    except MemoryError:
        return too_much_memory(memory)
    except Exception as error:  # noqa: BLE001 -- whatever a foreign document does to a library, the worker answers
        if isinstance(error, OSError) and error.errno == errno.EMFILE:
            traceback.clear_frames(error.__traceback__)  # they hold the files open, and to answer takes some
            return failure(_("the document needs more open files than a task may have"), _trace(error, work))
        trace = _trace(error, work)
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            return failure(_("the result is larger than a task may write"), trace)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return {"code": "01002", "reason": _("there is no room on the disk for the result"), "trace": trace}
        return failure(_("the document could not be processed"), trace=trace)


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


if __name__ == "__main__":
    main()
