"""`python -m benchmarks.scans.stacks [--pages 200] [--seed 1] [--memory 50 100] [--json FILE]`: a stack from a feeder.

`stack_pages` makes it. pdf-split has to part it at its sheets, and scan to make its pages upright, straight, searchable
and without blank backs, beside recognition alone (pdf-to-editable) and OCRmyPDF, each in a process of its own:

- splits missed and false; pages upright; skew after the work, measured by the sharpest profile of lines; blank backs
  taken out, and written pages among them; words of the truth that stand in the text of the result;
- seconds of the processor, also as a share of those of recognition alone; peak memory, and with `--memory` that of
  shorter stacks; size of the result.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pikepdf
import pypdfium2
from numpy.typing import NDArray

from benchmarks.scans.stack_pages import Made, Stack, made

ROOT = Path(__file__).parents[2]
_OCRMYPDF = ("ocrmypdf", "--quiet", "--rotate-pages", "--deskew", "--clean-final", "-O3")
_NEAR = 1.0  # degrees of what a page's lines are looked for in steps of 0.5, and around that of 0.05


@dataclass(frozen=True)
class Ran:
    """What a process took: seconds of the processor and MB of memory, and the files that it made."""

    seconds: float
    memory: float
    files: list[Path]

    @property
    def size(self) -> float:
        """MB of all files."""
        return sum(path.stat().st_size for path in self.files) / 1e6


def ran(command: Sequence[str | Path], folder: Path, *, pattern: str = "*.pdf") -> Ran:
    """Run a command that writes into a folder. Raises RuntimeError where it fails."""
    folder.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "daemon", ROOT)))}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([*map(str, command)], cwd=ROOT, env=environment, stderr=errors)
        _pid, status, usage = os.wait4(process.pid, 0)
        if status:
            errors.seek(0)
            raise RuntimeError(f"{command[0]}: {errors.read().decode(errors='replace')[-500:]}")
    return Ran(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, sorted(folder.glob(pattern)))


def ours(operation: str, source: Path, folder: Path, **parameters: str | int) -> Ran:
    """Run an operation of the engine on a file."""
    command: list[str | Path] = [sys.executable, "-m", "benchmarks.scans.stacks", "--run", operation, source, folder]
    return ran([*command, json.dumps(parameters)], folder)


def run_one(operation: str, source: Path, folder: Path, parameters: dict[str, Any]) -> None:
    """Do an operation in this process."""
    from paperchute.engine.operations import implementation
    from paperchute.engine.work import FetchPolicy, Source, Work

    work = Work(operation, (Source("file", source, source.name, "pdf"),), parameters, folder, FetchPolicy())
    implementation(operation).check(work)
    implementation(operation).run(work)


# ---------- what came of it ----------


def numbers(path: Path) -> list[int]:
    """Which pages of the stack a file has."""
    with pikepdf.open(path) as pdf:
        return [int(page.obj.Number) for page in pdf.pages]


def splits(stack: Stack, files: Sequence[Path]) -> dict[str, int]:
    """How many splits were missed, and how many are where there should be none."""
    own = {page for part in stack.parts for page in part if stack.pages[page].kind != "back"}
    starts = {min(own.intersection(part)) for part in stack.parts}
    kept = [[page for page in numbers(path) if page in own] for path in files]
    found = {pages[0] for pages in kept if pages}
    lost = own.difference(*kept)
    return {"splits": len(starts), "missed": len(starts - found), "false": len(found - starts), "lost pages": len(lost)}


def pages_of(stack: Stack, path: Path, names: Sequence[int]) -> dict[str, Any]:
    """How the pages of a result stand. names: which of the stack they are."""
    upright, skews, words, found = [], [], 0, 0
    document = pypdfium2.PdfDocument(path)
    for place, number in enumerate(names):
        page = stack.pages[number]
        if page.kind != "text":
            continue
        shown = np.asarray(document[place].render(scale=1.4, grayscale=True).to_numpy()).squeeze()
        upright.append(is_upright(shown, page))
        skews.append(abs(lean(shown)) if upright[-1] else None)
        said = Counter(re.findall(r"\S+", document[place].get_textpage().get_text_bounded()))
        words, found = words + len(page.words), found + sum((said & Counter(page.words)).values())
    document.close()
    straight = [skew for skew in skews if skew is not None]
    return {
        "text pages": len(upright),
        "upright": sum(upright),
        "skew p50": round(float(np.percentile(straight, 50)), 2) if straight else None,
        "skew p95": round(float(np.percentile(straight, 95)), 2) if straight else None,
        "words": round(found / max(words, 1), 4),
    }


def is_upright(shown: NDArray[np.uint8], page: Made) -> bool:
    """Decide whether a page stands as it was printed, by which turn of that is most like it."""
    truth = np.asarray(page.clean.convert("L"))
    likeness = []
    for turns in range(4):
        turned = np.ascontiguousarray(np.rot90(truth, turns))
        small = [cv2.blur(cv2.resize(one, (150, 150), interpolation=cv2.INTER_AREA), (5, 5)) for one in (turned, shown)]
        likeness.append(float(np.corrcoef(small[0].ravel(), small[1].ravel())[0, 1]))
    return likeness.index(max(likeness)) == 0


def lean(shown: NDArray[np.uint8]) -> float:
    """By how many degrees lines fall: the profile of rows is sharpest where they are level."""
    ink = (shown < 140).astype(np.float32)
    middle = ink.shape[1] / 2, ink.shape[0] / 2

    def sharp(degrees: float) -> float:
        turned = cv2.warpAffine(ink, cv2.getRotationMatrix2D(middle, degrees, 1), ink.shape[::-1])
        return float(np.square(np.diff(turned.sum(axis=1))).sum())

    near = max(np.arange(-4, 4.01, 0.5), key=sharp)
    return float(max(np.arange(near - _NEAR, near + _NEAR + 0.01, 0.05), key=sharp))


def measured(seed: int, count: int, shorter: Sequence[int], folder: Path) -> dict[str, Any]:
    """All figures of a stack."""
    stack = made(folder, seed, count)
    everything = list(range(len(stack.pages)))
    alone = ours("pdf-to-editable", stack.path, folder / "read", enableOcr=1)
    parted = ours("pdf-split", stack.path, folder / "split", separatorCode="PATCHT")
    scan = ours("scan", stack.path, folder / "scan")
    main = min(scan.files, key=lambda path: "blank" in path.name)
    out = [number for path in scan.files if path != main for number in numbers(path)]
    blank = {number for number, page in enumerate(stack.pages) if page.kind == "back"}
    figures: dict[str, Any] = {
        "seed": seed,
        "pages": len(stack.pages),
        "split": {**splits(stack, parted.files), "s/page": round(parted.seconds / len(stack.pages), 2)},
        "blank backs": len(blank),
        "blank backs out": len(blank.intersection(out)),
        "written pages out": len(set(out) - blank),
        "before": {**pages_of(stack, alone.files[0], everything), **_costs(alone, stack)},
        "scan": {**pages_of(stack, main, numbers(main)), **_costs(scan, stack)},
        "times recognition": round(scan.seconds / alone.seconds, 2),
        "source MB": round(stack.path.stat().st_size / 1e6, 1),
    }
    for pages in shorter:
        (folder / str(pages)).mkdir()
        short = ours("scan", made(folder / str(pages), seed, pages).path, folder / str(pages) / "scan")
        figures[f"MB at {pages} pages"] = round(short.memory)
    if missing := [name for name in ("ocrmypdf", "unpaper") if shutil.which(name) is None]:
        figures["ocrmypdf"] = f"left out: {', '.join(missing)} not installed"
        return figures
    try:
        peer = ran([*_OCRMYPDF, stack.path, folder / "peer" / "out.pdf"], folder / "peer")
    except RuntimeError as error:
        figures["ocrmypdf"] = f"failed: {error}"
    else:
        figures["ocrmypdf"] = {**pages_of(stack, peer.files[0], everything), **_costs(peer, stack)}
    return figures


def _costs(ran_: Ran, stack: Stack) -> dict[str, float]:
    pages = len(stack.pages)
    return {"s/page": round(ran_.seconds / pages, 2), "MB memory": round(ran_.memory), "MB": round(ran_.size, 1)}


def main() -> None:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", type=int, nargs="*", default=[])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        operation, source, folder, parameters = asked.run
        run_one(operation, Path(source), Path(folder), json.loads(parameters))
        return
    with tempfile.TemporaryDirectory() as folder:
        text = json.dumps(measured(asked.seed, asked.pages, asked.memory, Path(folder)), indent=1)
    print(text)  # noqa: T201
    if asked.json:
        asked.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
