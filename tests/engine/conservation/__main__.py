"""`python -m tests.engine.conservation FIRST COUNT [--shapes ...] [--operations ...] [--seconds N]`: by the thousand.

Each seed makes a document of the next shape, and the next operation reads it. What is lost, said twice, out of order,
or a changed amount is printed with its seed; 1 where anything is.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from loguru import logger

from tests.engine.conservation.judging import OPERATIONS, SHAPES, drawn, judged


def main() -> int:
    """Make, read, compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine.conservation", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--shapes", nargs="+", choices=list(SHAPES), default=list(SHAPES))
    parser.add_argument("--operations", nargs="+", choices=OPERATIONS, default=list(OPERATIONS))
    parser.add_argument("--seconds", type=float, default=3600, help="stop after so long")
    given = parser.parse_args()
    logger.remove()
    counts: Counter[str] = Counter()
    end = time.monotonic() + given.seconds
    for seed in range(given.first, given.first + given.count):
        if time.monotonic() > end:
            print(f"stopped before {seed}")  # noqa: T201 - the answer
            break
        shape = given.shapes[seed % len(given.shapes)]
        operation = given.operations[seed // len(given.shapes) % len(given.operations)]
        with tempfile.TemporaryDirectory() as folder:
            try:
                verdict = judged(drawn(shape, seed), operation, Path(folder))
            except Exception:  # noqa: BLE001 - whatever it is, it is told, and the next document read
                verdict = None
                counts["failed"] += 1
                print(seed, shape, operation, traceback.format_exc(limit=-3))  # noqa: T201
        counts["documents"] += 1
        if verdict is not None and verdict.faults:
            counts["with faults"] += 1
            counts["of these with a warning"] += bool(verdict.warnings)
            print(seed, shape, operation, *verdict.faults, *verdict.warnings, sep=" | ")  # noqa: T201
    print(dict(counts))  # noqa: T201
    return int(counts["with faults"] + counts["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
