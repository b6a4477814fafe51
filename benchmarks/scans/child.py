"""`python -m benchmarks.scans.child text|tables READER OUT PICTURE...`: one reader over pictures, a line of JSON each.

The first picture is read once before, so that loading counts apart. Seconds of the processor include those of
programs the reader starts. What takes longer than five minutes for a picture has failed on it.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

from benchmarks.scans.readers import READERS, Reader
from benchmarks.scans.table_readers import TABLE_READERS
from benchmarks.watching.memory import peak_mib

_SECONDS = 300  # for one picture


def main() -> None:
    """Write each picture's text to OUT and its figures to standard output."""
    kind, name, out, pictures = sys.argv[1], sys.argv[2], Path(sys.argv[3]), [Path(p) for p in sys.argv[4:]]
    signal.signal(signal.SIGALRM, _expired)
    began = time.monotonic()
    read = (TABLE_READERS if kind == "tables" else READERS)[name]()
    _tried(read, pictures[0])
    _say({"loaded": time.monotonic() - began})
    for picture in pictures:
        before, began = _processor(), time.monotonic()
        text, trouble = _tried(read, picture)
        seconds = time.monotonic() - began
        (out / f"{picture.stem}.md").write_text(text, "utf-8", "replace")
        _say({"page": picture.stem, "seconds": seconds, "processor": _processor() - before, "trouble": trouble})
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    _say({"peak": max(peak_mib(), started)})


def _tried(read: Reader, picture: Path) -> tuple[str, str]:
    """Text and trouble."""
    signal.alarm(_SECONDS)
    try:
        return read(picture), ""
    except Exception as error:  # noqa: BLE001 -- a reader's failure is a result
        return "", f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.alarm(0)


def _expired(*_: object) -> None:
    raise TimeoutError(f"longer than {_SECONDS} s")


def _processor() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _say(figures: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
