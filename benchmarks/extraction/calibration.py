"""`python -m benchmarks.extraction.calibration [--count N]`: how often a value is right, by its kind of evidence.

The made documents and those with traps, of both halves: even seeds may be looked at, odd ones only count. A value's
kind is the figure of `CONFIDENCE` that it was given; all of them are born digital, so that nothing lessens it. What is
made is tidier than what people send: a figure that is higher than the share of right values is wrong, one that is lower
may be right.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console

from benchmarks.extraction.__main__ import extracted
from benchmarks.extraction.documents import LANGUAGES, Made, make
from benchmarks.extraction.printing import printed
from benchmarks.extraction.scores import judged
from benchmarks.extraction.traps import trap
from benchmarks.watching.tables import table
from paperchute.engine.extraction.confidence import CONFIDENCE

KINDS: dict[str, float] = dataclasses.asdict(CONFIDENCE)


def main() -> None:
    """Measure and print, the half to look at and the unseen one beside each other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction.calibration", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="documents of each half, and half as many with traps")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder:
        halves = [_counted(_made(half, count), Path(folder)) for half in (0, 1)]
    rows = [_row(kind, halves) for kind in KINDS]
    Console(width=120, highlight=False).print(table("right values by kind of evidence", rows))


def kind_of(confidence: float) -> str:
    """Name the kind of evidence whose figure a confidence is nearest to."""
    return min(KINDS, key=lambda name: abs(KINDS[name] - confidence))


def _made(half: int, count: int) -> Iterator[Made]:
    for seed in range(half, 2 * count, 2):
        yield make(seed, LANGUAGES)
    for seed in range(half, count, 2):
        yield trap(seed, LANGUAGES)


def _counted(documents: Iterable[Made], folder: Path) -> Counter[tuple[str, str]]:
    """Count the outcomes of values that were told, by kind of evidence."""
    counts = Counter[tuple[str, str]]()
    for number, made in enumerate(documents):
        found = extracted(printed(made, folder), "pdf", folder / f"{number}-{made.seed}")["Document"]
        for name, outcome in judged(made.truth, found).items():
            if found.get(name, {}).get("value") is not None:
                counts[kind_of(found[name]["confidence"]), outcome] += 1
    return counts


def _row(kind: str, halves: Iterable[Counter[tuple[str, str]]]) -> dict[str, str]:
    row = {"kind": kind, "figure": f"{KINDS[kind]:.2f}"}
    for name, counts in zip(("seen", "unseen"), halves, strict=True):
        right, wrong = counts[kind, "right"], counts[kind, "wrong"]
        row |= {f"{name} n": str(right + wrong), f"{name} wrong": str(wrong)}
        # by the rule of three: so many of a hundred such values are right, with a certainty of 95 %
        row[f"{name} at least"] = f"{1 - (wrong + 3) / max(right + wrong, 3):.3f}"
    return row


if __name__ == "__main__":
    main()
