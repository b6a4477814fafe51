"""What the system's Tesseract can read: its library and trained data, where they are installed.

The engine loads the library into its workers; the client looks for the same files to say before the first file what
is missing. Nothing of it is loaded here.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

DATA_VARIABLE = "TESSDATA_PREFIX"
"""Tesseract's own name for the folder of its trained data."""

TRAINED = {
    "KOREAN": ("kor",),
    "DEVANAGARI": ("script/Devanagari", "hin", "mar", "nep", "san"),
    "CYRILLIC": ("script/Cyrillic", "rus", "ukr", "bul", "srp", "bel", "mkd", "kaz"),
    "ARABIC": ("script/Arabic", "ara", "fas", "urd"),
    "TAMIL": ("tam",),
    "TELUGU": ("tel",),
    "KANNADA": ("kan",),
    "THAI": ("tha",),
    "GREEK": ("ell",),
    "ESLAV": ("rus", "ukr", "bel"),
}
"""Trained data by language of the contract. What has a whole script serves alone; of the others those that are there
read together."""

_MOST_TOGETHER = 3
"""Trained data that one line is read with: each takes its time."""

_SCRIPTS = "script/"
_LINUX = ("libtesseract.so.5", "libtesseract.so.4")
_LINUX_FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/lib", "/lib64")
_MAC = (
    "/opt/homebrew/lib/libtesseract.5.dylib",
    "/usr/local/lib/libtesseract.5.dylib",
    "/opt/local/lib/libtesseract.5.dylib",
)
_DATA = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/opt/local/share/tessdata",
)
_INSTALLERS = (
    ("apt-get", "sudo apt-get install tesseract-ocr tesseract-ocr-{name}"),
    ("dnf", "sudo dnf install tesseract tesseract-langpack-{name}"),
    ("zypper", "sudo zypper install tesseract-ocr tesseract-ocr-traineddata-{name}"),
    ("pacman", "sudo pacman -S tesseract tesseract-data-{name}"),
    ("brew", "brew install tesseract tesseract-lang"),
)


def shared_library() -> Path | None:
    """The file of Tesseract's library, None where it is not installed."""
    return next((place for place in _libraries() if place.is_file()), None)


def data_folder() -> Path | None:
    """The folder of its trained data, None where there is none."""
    named = os.environ.get(DATA_VARIABLE, "")
    if named:
        places = [Path(named), Path(named, "tessdata")]
    elif sys.platform == "win32":
        places = [folder / "tessdata" for folder in _windows_folders()]
    else:
        places = [Path(place) for place in _DATA]
    return next((place for place in places if any(place.glob("*.traineddata"))), None)


def trained(language: str) -> tuple[str, ...]:
    """The names of the installed trained data that read a language of the contract together; none for what is not."""
    folder = data_folder()
    if folder is None or language not in TRAINED or shared_library() is None:
        return ()
    there = [name for name in TRAINED[language] if (folder / f"{name}.traineddata").is_file()]
    if there and there[0].startswith(_SCRIPTS):
        return (there[0],)
    return tuple(there[:_MOST_TOGETHER])


def install_command(language: str) -> str:
    """What to type here to have a language installed; empty where the system has no installer that is known."""
    name = package_name(language)
    for program, command in _INSTALLERS:
        if shutil.which(program):
            return command.format(name=name)
    return ""


def package_name(language: str) -> str:
    """The trained data that systems call their packages after."""
    return next(name for name in TRAINED[language] if not name.startswith(_SCRIPTS))


def _libraries() -> Iterator[Path]:
    if sys.platform == "win32":
        yield from (folder / "libtesseract-5.dll" for folder in _windows_folders())
    elif sys.platform == "darwin":
        yield from map(Path, _MAC)
    else:
        for name in _LINUX:
            for folder in _LINUX_FOLDERS:
                yield Path(folder, name)
                yield from Path(folder).glob(f"*-linux-*/{name}")


def _windows_folders() -> Iterator[Path]:
    for variable in ("PROGRAMFILES", "LOCALAPPDATA"):
        if base := os.environ.get(variable):
            yield Path(base, *(("Programs",) if variable == "LOCALAPPDATA" else ()), "Tesseract-OCR")
