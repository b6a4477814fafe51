"""Where LibreOffice is installed, whose library lays out office files as people know them.

The engine loads the library into its workers, on Linux alone, where nothing of it gets past the fence around them. The
client looks for the same files to say before the first file what is missing. Nothing of it is loaded here.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from paperchute.language import _

NAME = "LibreOffice"
"""As records and the engine's own lines have it."""

CHOICES = ("auto", "libreoffice", "built-in")
"""What prints office files: LibreOffice where it is there, else the engine; LibreOffice alone; the engine alone."""

CHOICE_VARIABLE = "PAPERCHUTE_OFFICE"
"""How an engine tells its workers which of `CHOICES` it was given."""

KINDS = frozenset({"doc", "docx", "xls", "xlsx", "ppt", "pptx", "rtf"})
"""What it prints. Texts, tables of text and web pages are the engine's own."""

_FOLDERS = ("/usr/lib/libreoffice/program", "/usr/lib64/libreoffice/program", "/usr/local/lib/libreoffice/program")
_ELSEWHERE = "libreoffice*/program"  # below /opt, where its own packages put it
_LIBRARIES = ("libmergedlo.so", "libsofficeapp.so")
"""Of which one has the entry of LibreOfficeKit: the first where all is linked into one library, else the second."""
_INSTALLERS = (
    ("apt-get", "sudo apt-get install libreoffice-writer libreoffice-calc libreoffice-impress"),
    ("dnf", "sudo dnf install libreoffice-writer libreoffice-calc libreoffice-impress"),
    ("zypper", "sudo zypper install libreoffice-writer libreoffice-calc libreoffice-impress"),
    ("pacman", "sudo pacman -S libreoffice-still"),
)


def choice() -> str:
    """Return which of `CHOICES` this process was started with."""
    return os.environ.get(CHOICE_VARIABLE, CHOICES[0])


def shared_library() -> Path | None:
    """The library to load, None where LibreOffice is not installed or not used on this system."""
    if sys.platform != "linux":
        return None
    return next((place for folder in _folders() for name in _LIBRARIES if (place := folder / name).is_file()), None)


def places() -> list[Path]:
    """Return what of the system's files it reads: its own folder, and what links in that lead to.

    A distribution keeps its settings and what it has of extensions elsewhere, and LibreOffice does not start without
    them.
    """
    found = shared_library()
    if found is None:
        return []
    home = found.parent.parent
    folders = [home, home / "program", home / "share", *filter(Path.is_dir, home.glob("share/*"))]
    links = [entry for folder in folders for entry in _entries(folder) if entry.is_symlink()]
    return list(dict.fromkeys([home, *(link.resolve() for link in links)]))


def absent() -> str:
    """Return why LibreOffice prints nothing here, and the cure; empty where it does."""
    if sys.platform != "linux":
        return _("LibreOffice is only used on Linux, where the system keeps it from the network and from other files")
    if shared_library() is not None:
        return ""
    command = next((command for program, command in _INSTALLERS if shutil.which(program)), "")
    if not command:
        return _("LibreOffice is not installed")
    return _("LibreOffice is not installed. Install it: {command}", command=command)


def _folders() -> Iterator[Path]:
    yield from map(Path, _FOLDERS)
    yield from sorted(Path("/opt").glob(_ELSEWHERE), reverse=True)  # the newest first


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
