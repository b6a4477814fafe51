"""`python -m benchmarks.scans.child READER OUT PICTURE...`: one reader over pictures, a line of JSON for each.

The first picture is read once before, so that loading counts apart. Seconds of the processor include those of
programs the reader starts.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

from benchmarks.scans.readers import READERS
from benchmarks.watching.memory import peak_mib


def main() -> None:
    """Write each picture's text to OUT and its figures to standard output."""
    name, out, pictures = sys.argv[1], Path(sys.argv[2]), [Path(p) for p in sys.argv[3:]]
    began = time.monotonic()
    read = READERS[name]()
    read(pictures[0])
    _say({"loaded": time.monotonic() - began})
    for picture in pictures:
        before, began = _processor(), time.monotonic()
        try:
            text, trouble = read(picture), ""
        except Exception as error:  # noqa: BLE001 -- a reader's failure is a result
            text, trouble = "", f"{type(error).__name__}: {error}"
        seconds = time.monotonic() - began
        (out / f"{picture.stem}.md").write_text(text, "utf-8")
        _say({"page": picture.stem, "seconds": seconds, "processor": _processor() - before, "trouble": trouble})
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    _say({"peak": max(peak_mib(), started)})


def _processor() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _say(figures: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
