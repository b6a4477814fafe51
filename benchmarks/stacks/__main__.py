"""`python -m benchmarks.stacks [STACKS]`: the figures of both halves; faults are told of the half to look at."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.stacks.measuring import measured
from paperchute.cli.terminal import out
from paperchute.engine.fonts import use_carried_fonts


def main(stacks: int) -> None:
    """Measure so many stacks of each half, and a third as many documents with annexes."""
    use_carried_fonts()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        seen = measured(range(0, 2 * stacks, 2), folder)
        out.print(f"to look at: {seen}")
        for one in seen.wrong:
            out.print(f"  {one}")
        out.print(f"unseen: {measured(range(1, 2 * stacks, 2), folder)}")
        out.print(f"with annexes: {measured(range(2 * stacks // 3), folder, attached=True)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
