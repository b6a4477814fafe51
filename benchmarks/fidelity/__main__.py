"""`python -m benchmarks.fidelity [--write]`: measure, and fail where something is worse than `figures.json` says.

With --write the figures become those of the file, which a change that makes something better ought to do.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.fidelity.measuring import falls, measured

FIGURES = Path(__file__).with_name("figures.json")


def main() -> int:
    """Measure, print, compare or write; 1 when something is worse."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fidelity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the figures")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        now = measured(Path(folder))
    text = json.dumps(now, indent=1) + "\n"
    if given.write:
        FIGURES.write_text(text, "utf-8")
        return 0
    print(text)  # noqa: T201 - the answer
    worse = falls(json.loads(FIGURES.read_text("utf-8")), now)
    print(*worse, sep="\n", file=sys.stderr)  # noqa: T201
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
