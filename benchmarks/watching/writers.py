"""How programs put many files into a folder: each writer makes `count` small files below `hot`, on one disk."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

CONTENT = b"%PDF-1.7\n" + b"content of a page\n" * 20 + b"%%EOF\n"


def written(hot: Path, aside: Path, count: int) -> None:
    """Two writes to each file, then close."""
    half = len(CONTENT) // 2
    for number in range(count):
        with (hot / f"{number:06}.pdf").open("wb", buffering=0) as file:
            file.write(CONTENT[:half])
            file.write(CONTENT[half:])


def renamed(hot: Path, aside: Path, count: int) -> None:
    """Written as NAME.part and renamed when whole, as browsers and careful programs do."""
    for number in range(count):
        part = hot / f"{number:06}.pdf.part"
        part.write_bytes(CONTENT)
        part.rename(hot / f"{number:06}.pdf")


def moved(hot: Path, aside: Path, count: int) -> None:
    """Moved in from a folder beside."""
    for number in range(count):
        (aside / f"{number:06}.pdf").rename(hot / f"{number:06}.pdf")


def copied(hot: Path, aside: Path, count: int) -> None:
    """`cp -r` of a folder's content."""
    subprocess.run(["cp", "-r", f"{aside}/.", hot], check=True)


def synced(hot: Path, aside: Path, count: int) -> None:
    """`rsync -a` of a folder's content."""
    subprocess.run(["rsync", "-a", f"{aside}/", f"{hot}/"], check=True)


def unzipped(hot: Path, aside: Path, count: int) -> None:
    """An archive with 50 files to a folder, extracted by Python's zipfile."""
    with zipfile.ZipFile(aside / "all.zip") as archive:
        archive.extractall(hot)


def deep(hot: Path, aside: Path, count: int) -> None:
    """`mkdir -p a/b/c` and five files in it at once, again and again."""
    for number in range(count):
        folder = hot / f"{number // 5:06}" / "b" / "c"
        if number % 5 == 0:
            folder.mkdir(parents=True)
        (folder / f"{number:06}.pdf").write_bytes(CONTENT)


Writer = Callable[[Path, Path, int], None]

WRITERS: dict[str, Writer] = {
    "write, close": written,
    ".part, rename": renamed,
    "mv in": moved,
    "cp -r": copied,
    "rsync -a": synced,
    "unzip, sub-folders": unzipped,
    "mkdir a/b/c + write": deep,
}


_PROGRAMS = {"cp -r": "cp", "rsync -a": "rsync"}


def available(name: str) -> bool:
    """Whether what the writer needs is installed."""
    return name not in _PROGRAMS or shutil.which(_PROGRAMS[name]) is not None


def prepare(name: str, aside: Path, count: int) -> None:
    """Make what the writer starts from, before anything is measured."""
    aside.mkdir(parents=True)
    if name in ("mv in", "cp -r", "rsync -a"):
        for number in range(count):
            (aside / f"{number:06}.pdf").write_bytes(CONTENT)
    elif name == "unzip, sub-folders":
        with zipfile.ZipFile(aside / "all.zip", "w") as archive:
            for number in range(count):
                archive.writestr(f"{number // 50:04}/{number:06}.pdf", CONTENT)
