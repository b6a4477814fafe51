"""Programs as peers: what they took, less what they take for next to nothing."""

from __future__ import annotations

import resource
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.watching.memory import peak_mib

Command = Callable[[Path, Path], list[str]]
"""The command line for the files of one folder, its result into another."""


def qpdf(task: str) -> Command:
    """qpdf, as its manual shows each."""

    def merge(given: Path, out: Path) -> list[str]:
        return ["qpdf", "--empty", "--pages", *_files(given), "--", f"{out}/merged.pdf"]

    def insert(given: Path, out: Path) -> list[str]:
        at = int((given / "index.txt").read_text())
        target, source = f"{given}/target.pdf", f"{given}/source.pdf"
        pages = [target, f"1-{at - 1}", source, target, f"{at}-z"]
        return ["qpdf", target, "--pages", *pages, "--", f"{out}/inserted.pdf"]

    def encrypt(given: Path, out: Path) -> list[str]:
        return ["qpdf", "--encrypt", "user", "owner", "256", "--", f"{given}/target.pdf", f"{out}/encrypted.pdf"]

    def split(given: Path, out: Path) -> list[str]:
        return ["qpdf", "--split-pages", f"{given}/target.pdf", f"{out}/%d.pdf"]

    def delete(given: Path, out: Path) -> list[str]:
        at = int((given / "index.txt").read_text())
        last = "" if given.name == "warm" else f",{at + 1}-z"  # there the second of two pages goes
        return ["qpdf", f"{given}/target.pdf", "--pages", ".", f"1-{at - 1}{last}", "--", f"{out}/rest.pdf"]

    return {"merge": merge, "insert": insert, "encrypt": encrypt, "split": split, "delete": delete}[task]


def pdftk(task: str) -> Command:
    """The program pdftk. Its strongest encryption is AES with 128 bits."""

    def merge(given: Path, out: Path) -> list[str]:
        return ["pdftk", *_files(given), "cat", "output", f"{out}/merged.pdf"]

    def insert(given: Path, out: Path) -> list[str]:
        at = int((given / "index.txt").read_text())
        files = [f"A={given}/target.pdf", f"B={given}/source.pdf"]
        return ["pdftk", *files, "cat", f"A1-{at - 1}", "B", f"A{at}-end", "output", f"{out}/inserted.pdf"]

    def encrypt(given: Path, out: Path) -> list[str]:
        words = ["owner_pw", "owner", "user_pw", "user", "encrypt_aes128"]
        return ["pdftk", f"{given}/target.pdf", "output", f"{out}/encrypted.pdf", *words]

    def split(given: Path, out: Path) -> list[str]:
        return ["pdftk", f"{given}/target.pdf", "burst", "output", f"{out}/%05d.pdf"]

    def delete(given: Path, out: Path) -> list[str]:
        at = int((given / "index.txt").read_text())
        return ["pdftk", f"{given}/target.pdf", "cat", f"1-{at - 1}", f"{at + 1}-end", "output", f"{out}/rest.pdf"]

    return {"merge": merge, "insert": insert, "encrypt": encrypt, "split": split, "delete": delete}[task]


def ocrmypdf(given: Path, out: Path) -> list[str]:
    """Ocrmypdf's optimiser alone: no page is recognised, and pictures are recoded as far as it goes."""
    untouched = ["--tesseract-timeout", "0", "--skip-text", "--output-type", "pdf"]
    return ["ocrmypdf", *untouched, "-O3", f"{given}/target.pdf", f"{out}/small.pdf"]


def ghostscript(given: Path, out: Path) -> list[str]:
    """Ghostscript, with the settings that people are told to use for mail: pictures of 150 dpi."""
    command = ["gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", "-dPDFSETTINGS=/ebook"]
    return [*command, f"-sOutputFile={out}/small.pdf", f"{given}/target.pdf"]


@dataclass(frozen=True)
class Took:
    """Seconds by the clock, seconds of CPU (which other work on the machine disturbs less), peak of memory in MiB."""

    seconds: float
    cpu: float
    peak: float


def took(command: Sequence[str]) -> Took:
    """Of a program and what it starts. Raises CalledProcessError."""
    before, began = _children(), time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        watch = MemoryWatch(process.pid)
        process.wait()
        seconds = time.perf_counter() - began
        peak = watch.stop()
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Took(seconds, _children() - before, peak)


def cpu_of(pid: int) -> float:
    """Seconds of CPU of a process and its children, so far."""
    total = 0.0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for member in [process, *process.children(recursive=True)]:
            with suppress(psutil.Error):
                total += sum(member.cpu_times()[:4])
    return total


def _children() -> float:
    """Seconds of CPU of the children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class MemoryWatch:
    """The most memory of a process and its children: the sum of their own peaks.

    What several processes share, as those of a browser do, counts for each of them.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._over = threading.Event()
        self._peaks: dict[int, float] = {}
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """The peak in MiB."""
        self._over.set()
        self._thread.join()
        return sum(self._peaks.values())

    def _look(self) -> None:
        members, census = [self._pid], 0.0
        while not self._over.wait(0.01):
            if time.monotonic() - census > 0.5:  # looking for children goes through all processes of the machine
                census = time.monotonic()
                with suppress(psutil.Error):
                    members = [self._pid, *(child.pid for child in psutil.Process(self._pid).children(recursive=True))]
            for pid in members:
                with suppress(OSError, AssertionError):
                    self._peaks[pid] = peak_mib(pid)


def installed(name: str) -> bool:
    """Whether a program is there."""
    return shutil.which(name) is not None


def _files(given: Path) -> list[str]:
    return [str(path) for path in sorted(given.glob("*.pdf"))]
