"""What the system's Tesseract can read: its library and trained data, where they are installed.

The engine loads the library into its workers; the client looks for the same files to say before the first file what
is missing. Nothing of it is loaded here.
"""

from __future__ import annotations

import os
import shutil
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from paperchute.language import _

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

NAMES = frozenset(name for names in TRAINED.values() for name in names)
"""All trained data that may be loaded."""

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
_ANEW = {
    "apt-get": "sudo apt-get install --reinstall tesseract-ocr-{name}",
    "dnf": "sudo dnf reinstall tesseract-langpack-{name}",
    "zypper": "sudo zypper install --force tesseract-ocr-traineddata-{name}",
    "pacman": "sudo pacman -S tesseract-data-{name}",
    "brew": "brew reinstall tesseract-lang",
}
_HEADER = struct.Struct("<I")  # how many parts the file has (tessdatamanager.cpp); their places follow
_PLACE = struct.Struct("<q")
_MOST_PARTS = 24
_ABSENT = -1


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
    there = [name for name in TRAINED[language] if os.path.lexists(file_of(folder, name))]
    if there and there[0].startswith(_SCRIPTS):
        return (there[0],)
    return tuple(there[:_MOST_TOGETHER])


def file_of(folder: Path, name: str) -> Path:
    """Return where trained data of a name lies."""
    return folder / f"{name}.traineddata"


def unfit(language: str) -> str:
    """What is wrong with the installed trained data of a language, and the cure; empty where nothing is to be seen."""
    folder = data_folder()
    if folder is None:
        return ""
    for name in trained(language):
        if trouble := _trouble(file_of(folder, name)):
            return told_unfit(name, trouble)
    return ""


def told_unfit(names: str, trouble: str = "") -> str:
    """That trained data cannot be used, and the cure.

    Args:
        names: Of the data, with a plus between those that read together.
        trouble: What is wrong with it; empty for damage.
    """
    files = ", ".join(f"{name}.traineddata" for name in names.split("+"))
    trouble = trouble or _("it is damaged")
    command = next((command for program, command in _ANEW.items() if shutil.which(program)), "")
    if not command or _SCRIPTS in names or "+" in names:
        return _(
            "Tesseract's data {file} cannot be used: {trouble}. Replace it, or remove it.",
            file=files,
            trouble=trouble,
        )
    return _(
        "Tesseract's data {file} cannot be used: {trouble}. Reinstall it: {command}.",
        file=files,
        trouble=trouble,
        command=command.format(name=names),
    )


def _trouble(file: Path) -> str:
    """What keeps trained data from being read; its library ends the process over parts that lie outside of the file."""
    try:
        if file.is_dir():
            return _("it is a folder")
        size = file.stat().st_size
        with file.open("rb") as opened:
            head = opened.read(_HEADER.size + _MOST_PARTS * _PLACE.size)
    except OSError:
        return _("it may not be read")
    if not size:
        return _("it is empty")
    return "" if _is_whole(head, size) else _("it is damaged")


def _is_whole(head: bytes, size: int) -> bool:
    """Decide whether the parts that the head names follow each other within the file."""
    if len(head) < _HEADER.size:
        return False
    (count,) = _HEADER.unpack_from(head)
    end = _HEADER.size + count * _PLACE.size
    if not 0 < count <= _MOST_PARTS or end > len(head):
        return False
    places = [place for (place,) in _PLACE.iter_unpack(head[_HEADER.size : end]) if place != _ABSENT]
    return bool(places) and places[0] == end and places == sorted(places) and places[-1] < size


def install_command(language: str) -> str:
    """Return what to type here to have a language installed; empty where the system has no installer that is known."""
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
