"""Are more workers ever slower? Files a second by their number, over services that answer at once and later."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.watching import bare
from benchmarks.watching.daemon import KIB10, daemon, service
from benchmarks.watching.tables import Row

_WARM = 10  # files before the first that counts: threads and readers are started by them
_COUNTS = {0.0: 300, 0.02: 150, 0.2: 40}
"""Files by the seconds that the service takes over a call."""


def by_number(base: Path, numbers: Sequence[int], rounds: int) -> list[Row]:
    """Medians over the rounds; in each, every number of workers runs right after the loops that it is held against.

    These are the bare loop, and as many workers of the loop that also keeps the promises ("promises"), which share
    their waits for the disk.

    On a machine with other work only such ratios say something, and the processor's time a file.
    """
    rows = []
    for pause, count in _COUNTS.items():
        found: dict[int, list[Row]] = {number: [] for number in numbers}
        for turn in range(rounds):
            for number in sorted(numbers, reverse=turn % 2 == 1):
                found[number].append(_one(base, pause, number, count))
        rows += [
            {"call ms": round(pause * 1e3), "workers": number}
            | {column: round(median(run[column] for run in runs), 2) for column in runs[0]}
            for number, runs in found.items()
        ]
    return rows


def _one(base: Path, pause: float, workers: int, count: int) -> Row:
    with service(pause) as idler:
        plain = bare.took(bare.BARE, base / "bare", idler.port, count, KIB10)
        promising = bare.took(bare.PROMISING, base / "bare", idler.port, count, KIB10, workers=workers)
        with daemon(base / "daemon", idler, concurrency=workers) as running:
            for number in range(_WARM):
                running.drop(f"warm {number}.pdf")
            running.until_done(_WARM, 60)
            cpu, before, began = running.cpu(), running.switches(), time.perf_counter()
            for number in range(count):
                running.drop(f"{number:06}.pdf")
            running.until_done(count + _WARM, 60 + count)
            seconds = time.perf_counter() - began
            waits, losses = (now - then for now, then in zip(running.switches(), before, strict=True))
            cpu = running.cpu() - cpu
            return {
                "files/s": count / seconds,
                "/ bare loop": plain.seconds / seconds,
                "promises / bare loop": plain.seconds / promising.seconds,
                "/ promises": promising.seconds / seconds,
                "cpu ms/file": cpu / count * 1e3,
                "cpu of promises": promising.cpu / count * 1e3,
                "cpu of bare loop": plain.cpu / count * 1e3,
                "waits a file": waits / count,
                "preempted a file": losses / count,
            }
