"""One task with every tool that can do it: rows of seconds, memory, and whether the result is sound."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.pages import chromium, documents, inside, looks, programs
from benchmarks.watching.tables import Row, with_ratio
from paperchute.engine.settings import Limits
from paperchute.engine.tasks.process import WorkerProcess
from paperchute.engine.work import Source, Work

ROOT = Path(__file__).parents[2]
_RUNS = 3
_OUTPUTS = {
    "merge": "merged.pdf",
    "insert": "inserted.pdf",
    "encrypt": "encrypted.pdf",
    "delete": "rest.pdf",
    "compress": "small.pdf",
    "html": "report.pdf",
}
_PRINTERS = ("plutoprint", "weasyprint")
_TOOLS = {
    **dict.fromkeys(("merge", "insert", "encrypt", "split", "delete"), ("pypdf",)),
    "compress": (),
    "html": _PRINTERS,
    "invoices": _PRINTERS,
}
_FAILURES = (OSError, RuntimeError, subprocess.SubprocessError, ValueError)


def joined(place: Path, task: str, peers: str, size: tuple[int, int]) -> list[Row]:
    """Page operations: the first of size is files of a merge, else pages of the target.

    The second is pages of each file of a merge, or of what is inserted.
    """
    for name, (first, second) in (("in", size), ("warm", (2, 2))):
        folder = place / name
        folder.mkdir(parents=True)
        if task == "merge":
            for number in range(first):
                documents.paper(folder / f"{number:05}.pdf", second, number)
        else:
            documents.paper(folder / "target.pdf", first)
            documents.paper(folder / "source.pdf", second or 1, 2)
            (folder / "index.txt").write_text(str(first // 2 + 1))
    rows = _libraries(place, task, peers)
    for name, commands in (("qpdf", programs.qpdf), ("pdftk", programs.pdftk)):
        if programs.installed(name):
            rows.append(_row(place, task, name, partial(_program, place, commands(task))))
    return _with_ratios(rows, "qpdf")


def compressed(place: Path, made: Callable[[Path, int], Path], pages: int) -> list[Row]:
    """So many pages of a kind, at each level of pdf-compress."""
    rows = []
    for name, count in (("in", pages), ("warm", 1)):
        (place / name).mkdir(parents=True)
        made(place / name / "target.pdf", count)
    for level in ("lossless", "same", "small"):
        for name in ("in", "warm"):
            (place / name / "level.txt").write_text(level)
        measured = _row(
            place, "compress", f"paperchute, {level}", lambda: _library(sys.executable, "ours", "compress", place)
        )
        rows.append(measured)
    recipe = partial(_library, sys.executable, "pikepdf", "compress", place)
    rows.append(_row(place, "compress", "pikepdf", recipe))
    for name, command in (("ocrmypdf", programs.ocrmypdf), ("gs", programs.ghostscript)):
        if programs.installed(name):
            rows.append(_row(place, "compress", name, partial(_program, place, command)))
    source = (place / "in" / "target.pdf").stat().st_size / 1024
    return [{**row, "share": round(row["KiB"] / source, 3) if row.get("KiB") else None} for row in rows]


def printed(place: Path, peers: str, chapters: int) -> list[Row]:
    """A report of so many chapters."""
    for name, count in (("in", chapters), ("warm", 1)):
        (place / name).mkdir(parents=True)
        documents.report(place / name / "report.html", count)
    rows = _libraries(place, "html", peers)
    if programs.installed(chromium.PROGRAM):
        rows.append(_row(place, "html", "chromium", lambda: chromium.took("html", place)))
    return _with_ratios(rows, "paperchute")


def generated(place: Path, peers: str, count: int) -> list[Row]:
    """So many invoices of one page, from one template."""
    for name, many in (("in", count), ("warm", 3)):
        (place / name).mkdir(parents=True)
        (place / name / "template.html").write_text(documents.INVOICE, "utf-8")
        for number, data in enumerate(documents.invoices(many)):
            (place / name / f"{number:05}.json").write_text(data, "utf-8")
    rows = [_row(place, "invoices", "paperchute, worker", lambda: _worker(place))]
    rows += _libraries(place, "invoices", peers)
    if programs.installed(chromium.PROGRAM):
        rows.append(_row(place, "invoices", "chromium", lambda: chromium.took("invoices", place)))
    return _with_ratios(rows, "paperchute, worker")


def _libraries(place: Path, task: str, peers: str) -> list[Row]:
    rows = [_row(place, task, "paperchute", lambda: _library(sys.executable, "ours", task, place))]
    for tool in _TOOLS[task]:
        python = sys.executable if tool == "plutoprint" else peers
        if _has(python, tool):
            rows.append(_row(place, task, tool, partial(_library, python, tool, task, place)))
    return rows


def _row(place: Path, task: str, tool: str, measure: Callable[[], programs.Took]) -> Row:
    """The median of a few runs; what came out last is looked at."""
    row: Row = {"tool": tool, "seconds": None, "cpu s": None, "peak MiB": None}
    try:
        runs = []
        for _ in range(1 if task == "invoices" else _RUNS):
            shutil.rmtree(place / "out", ignore_errors=True)
            (place / "out").mkdir()
            runs.append(measure())
        row["seconds"] = round(statistics.median(run.seconds for run in runs), 3)
        row["cpu s"] = round(statistics.median(run.cpu for run in runs), 3)
        row["peak MiB"] = round(statistics.median(run.peak for run in runs))
        return {**row, **_judged(place, task)}
    except _FAILURES as error:
        return {**row, "failed": f"{type(error).__name__}: {error}"[:80]}


def _judged(place: Path, task: str) -> Row:
    outputs = [place / "out" / _OUTPUTS[task]] if task in _OUTPUTS else sorted((place / "out").rglob("*.pdf"))
    password = "user" if task == "encrypt" else ""
    chosen = outputs[:: max(1, len(outputs) // 10)]
    with tempfile.TemporaryDirectory() as scratch:
        worst = max(looks.same_look(path, Path(scratch), password) for path in chosen)
    return {
        "files": len(outputs),
        "KiB": round(sum(path.stat().st_size for path in outputs) / 1024),
        "qpdf --check": "clean" if all(looks.sound(path, password) for path in chosen) else "complains",
        "two renderers": "same" if looks.alike(worst) else "differ",
        **({"off by": looks.off_by(place / "in" / "target.pdf", outputs[0])} if task == "compress" else {}),
    }


def _library(python: str, tool: str, task: str, place: Path) -> programs.Took:
    path = os.pathsep.join([str(ROOT / "daemon"), str(ROOT)]) if python == sys.executable else ""
    done = subprocess.run(
        [python, inside.__file__, tool, task, str(place)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}")
    told = json.loads(done.stdout.splitlines()[-1])
    return programs.Took(**told)


def _program(place: Path, command: programs.Command) -> programs.Took:
    empty = programs.took(command(place / "warm", place / "out"))
    whole = programs.took(command(place / "in", place / "out"))
    return programs.Took(max(0.0, whole.seconds - empty.seconds), max(0.0, whole.cpu - empty.cpu), whole.peak)


def _worker(place: Path) -> programs.Took:
    """Through a worker process of the engine, one order after the other, as `rows` sends them."""
    worker = WorkerProcess(Limits(), place / "worker")
    try:
        template = Source("templateFile", place / "in" / "template.html", "template.html", "html")

        def one(data: Path) -> None:
            folder = place / "task" / "work"
            folder.mkdir(parents=True)
            text = data.read_text("utf-8")
            result = worker.run(Work("pdf-generate", (template,), {"data": text}, folder), lambda done, of: None)
            if not result.outputs:
                raise RuntimeError(result.reason)
            result.outputs[0].rename(place / "out" / f"{data.stem}.pdf")
            shutil.rmtree(place / "task")

        for data in sorted((place / "warm").glob("*.json")):
            one(data)
        watch = programs.MemoryWatch(worker.pid)
        cpu, began = time.thread_time() + programs.cpu_of(worker.pid), time.perf_counter()
        for data in sorted((place / "in").glob("*.json")):
            one(data)
        cpu = time.thread_time() + programs.cpu_of(worker.pid) - cpu  # the watch on its memory aside
        return programs.Took(time.perf_counter() - began, cpu, watch.stop())
    finally:
        worker.end()


def _with_ratios(rows: list[Row], peer: str) -> list[Row]:
    return with_ratio(with_ratio(rows, "seconds", "tool", peer), "cpu s", "tool", peer)


def _has(python: str, library: str) -> bool:
    return subprocess.run([python, "-c", f"import {library}"], capture_output=True, check=False).returncode == 0
