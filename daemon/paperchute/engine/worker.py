"""A worker process: takes one piece of work after the other from its standard input, within limits.

Runs foreign documents through native libraries, so it must be able to die without harm: it holds no key, no
connection and no other task's files, and it ends when the engine's end of the pipe closes.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from paperchute.engine.operations import implementation
from paperchute.engine.work import FetchPolicy, Refused, Source, Work

if sys.platform != "win32":
    import resource

_PR_SET_PDEATHSIG = 1  # prctl(2)


def work_to_json(work: Work) -> str:
    """One line that `work_from_json` reads back."""
    return json.dumps(
        {
            "operation": work.operation,
            "sources": [[s.part, str(s.path), s.name, s.kind] for s in work.sources],
            "parameters": dict(work.parameters),
            "folder": str(work.folder),
            "hosts": list(work.fetch.hosts),
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
        FetchPolicy(tuple(raw["hosts"])),
    )


def main() -> None:
    """Serve until standard input closes. Arguments: memory and output limits in bytes."""
    memory, output = int(sys.argv[1]), int(sys.argv[2])
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library that prints must not speak to the engine
    _limit(memory, output)
    for line in sys.stdin:
        replies.write(json.dumps(_run(work_from_json(line))) + "\n")
        replies.flush()


def _run(work: Work) -> dict[str, Any]:
    tempfile.tempdir = os.environ["TMPDIR"] = str(work.folder)
    try:
        outputs = implementation(work.operation).run(work)
        if not outputs:
            return {"code": "02210", "reason": "the operation gave no output"}
        return {"outputs": [str(path) for path in outputs]}
    except Refused as error:
        return {"code": error.code, "reason": error.reason, "reason_zh": error.reason_zh}
    except MemoryError:
        return {"code": "02210", "reason": "the document needs more memory than a task may have"}
    except Exception as error:  # noqa: BLE001 -- whatever a foreign document does to a library, the worker answers
        traceback.print_exc()
        if isinstance(error, OSError) and error.errno == 27:  # EFBIG, by RLIMIT_FSIZE
            return {"code": "02210", "reason": "the result is larger than a task may write"}
        return {"code": "02210", "reason": "the document could not be processed"}


def _limit(memory: int, output: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "win32":
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
