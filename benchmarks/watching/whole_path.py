"""From a dropped file to its result in place, beside bare loops that do nothing else."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.watching import bare
from benchmarks.watching.daemon import KIB10, Daemon, Service, daemon, until, write_rules
from benchmarks.watching.memory import MIB, forget_peak, peak_mib
from benchmarks.watching.tables import Row, spread, with_ratio

_PAUSE = 0.02
_SLOWEST = 20.0  # files a second below which the daemon counts as stuck
_MIB10 = b"%PDF-1.7\n" + b"a" * (10 * MIB - 1000) + b"\n%%EOF\n"  # with its form still sent in one request


def one_by_one(base: Path, service: Service, count: int) -> list[Row]:
    """Milliseconds from the rename into the hot folder until the result is in place, with nothing else to do."""
    rows = []
    with daemon(base, service) as running:
        took = []
        for number in range(count):
            result = base / "hot.out" / f"{number:05}.md"
            part = base / "next.part"
            part.write_bytes(KIB10)
            began = time.perf_counter()
            part.rename(base / "hot" / f"{number:05}.pdf")
            until(result.exists, 30.0, running, pause=0.0002)
            took.append((time.perf_counter() - began) * 1e3)
            time.sleep(_PAUSE)
        rows.append(_latency("paperchute", took))
    rows += [_latency(name, bare.took(name, base, service.port, count, KIB10, _PAUSE).each) for name in bare.LOOPS]
    return with_ratio(rows, "p50 ms", "who", bare.BARE)


def burst(base: Path, service: Service, count: int, workers: Sequence[int]) -> list[Row]:
    """Files a second and CPU a file for `count` files of 10 KiB dropped one after the other at full speed."""
    rows = []
    for number in workers:
        with daemon(base, service, concurrency=number) as running:
            rows.append(_burst(running, f"paperchute, {number} workers", count, KIB10))
    return _beside(rows, base, service, count, KIB10)


def large_files(base: Path, service: Service, count: int) -> list[Row]:
    """The same with files of 10 MiB, whose results are as large."""
    with daemon(base, service) as running:
        rows = [_burst(running, "paperchute, 4 workers", count, _MIB10)]
    return _beside(rows, base, service, count, _MIB10)


def backlog(base: Path, service: Service, count: int) -> list[Row]:
    """So many small files lie there when the daemon starts."""
    (hot,) = write_rules(base, service.port)
    for number in range(count):
        (hot / f"{number:06}.pdf").write_bytes(b"%PDF-1.7\n%%EOF\n")
    began = time.perf_counter()
    with daemon(base, service) as running:
        running.until_done(count, 60 + count / _SLOWEST)
        return [
            _speed(
                "paperchute, 4 workers",
                count,
                time.perf_counter() - began,
                running.cpu(),
                peak_mib(running.process.pid),
            )
        ]


def one_large(base: Path, service: Service, mib: int) -> list[Row]:
    """One input of `mib` MiB, sent in one request and, as large ones are by default, over a pre-signed address."""
    rows = []
    for mode in ("sync", "secure"):
        with daemon(base, service, mode=mode) as running:
            source = base / "large.part"
            with source.open("wb") as file:
                file.write(b"%PDF-1.7\n")
                for _ in range(mib):
                    file.write(os.urandom(MIB))
                file.write(b"\n%%EOF\n")
            time.sleep(1.0)
            forget_peak(running.process.pid)
            idle, began = running.mib(), time.perf_counter()
            source.rename(base / "hot" / "large.pdf")
            running.until_done(1, 600)
            rows.append(
                {
                    "mode": mode,
                    "input MiB": mib,
                    "seconds": round(time.perf_counter() - began, 1),
                    "idle MiB": round(idle, 1),
                    "peak MiB above idle": round(peak_mib(running.process.pid) - idle, 1),
                }
            )
    return rows


def _burst(running: Daemon, name: str, count: int, content: bytes) -> Row:
    time.sleep(1.0)
    forget_peak(running.process.pid)
    cpu, began = running.cpu(), time.perf_counter()
    for number in range(count):
        running.drop(f"{number:06}.pdf", content)
    running.until_done(count, 60 + count / _SLOWEST)
    return _speed(name, count, time.perf_counter() - began, running.cpu() - cpu, peak_mib(running.process.pid))


def _beside(rows: list[Row], base: Path, service: Service, count: int, content: bytes) -> list[Row]:
    for name in bare.LOOPS:
        took = bare.took(name, base, service.port, count, content)
        rows.append(_speed(name, count, took.seconds, took.cpu, None))
    for peer in bare.LOOPS:
        with_ratio(rows, "files/s", "who", peer)
    return with_ratio(rows, "cpu ms/file", "who", bare.BARE)


def _latency(name: str, took: Sequence[float]) -> Row:
    middle, most = spread(took)
    return {"who": name, "files": len(took), "p50 ms": middle, "p99 ms": most}


def _speed(name: str, count: int, seconds: float, cpu: float, peak: float | None) -> Row:
    return {
        "who": name,
        "files": count,
        "files/s": round(count / seconds, 1),
        "cpu ms/file": round(cpu / count * 1e3, 2),
        "peak MiB": None if peak is None else round(peak, 1),
    }
