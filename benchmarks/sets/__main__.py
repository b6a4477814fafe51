"""`python -m benchmarks.sets OUT [--only latex ...] [--count N] [--half seen|unseen]`: documents with their truth.

The same arguments make the same words and layouts. Causes are looked for in the half `seen`; of `unseen` only the
figures are looked at. What a set needs (TeX Live, Chromium, LibreOffice) is said when it is missing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.sets.kinds import KINDS
from benchmarks.sets.writing import HALVES, write


def main() -> int:
    """Make the sets; 1 when one could not be made."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sets", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder to write the sets into")
    parser.add_argument("--only", nargs="+", choices=list(KINDS), help="kinds to make; default: all")
    parser.add_argument("--count", type=int, help="documents of each kind; default: one in each layout")
    parser.add_argument("--half", choices=HALVES, help="default: both")
    given = parser.parse_args()
    missing = 0
    for name in given.only or list(KINDS):
        kind = KINDS[name]
        if lacking := kind.lacking():
            print(f"{name}: not made, {', '.join(lacking)} missing", file=sys.stderr)  # noqa: T201 - the answer
            missing = 1
            continue
        for half in [given.half] if given.half else HALVES:
            with tempfile.TemporaryDirectory() as place:
                made = write(given.out, name, half, given.count or kind.count, kind.maker, Path(place))
            print(*(f"{folder}: {documents} documents" for folder, documents in made.items()), sep="\n")  # noqa: T201
    return missing


if __name__ == "__main__":
    sys.exit(main())
