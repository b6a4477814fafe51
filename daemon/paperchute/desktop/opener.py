"""Opens a file or folder with whatever the person has chosen for it on this desktop."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from paperchute.children import apart
from paperchute.contract.kinds import PICTURES, canonical
from paperchute.errors import PaperchuteError
from paperchute.language import _

_DOCUMENTS = frozenset(
    (
        *("pdf", "ofd", "docx", "xlsx", "pptx", "rtf", "odt", "ods", "odp", "md", "txt", "csv", "html", *PICTURES),
        *("json", "toml", "log"),  # text in every program that takes them
    )
)
ANSWER_TIME = 5.0
"""Seconds an opener gets to report a failure. One that runs longer has become the viewer itself."""


class CannotOpen(PaperchuteError):
    """A file or folder could not be opened on this desktop."""


def open_path(path: Path) -> None:
    """Open a folder or document as a double click would, and for any other file the folder it lies in.

    Results come from services and names from anybody, and a double click runs some files. No shell is involved,
    whatever the name.

    Raises CannotOpen if the path is gone, there is no desktop, or the desktop's opener refuses.
    """
    place = path.absolute()
    if not place.exists():
        raise CannotOpen(_("{path} is no longer there.", path=place), _("It may have been moved or renamed."))
    if not _is_document(place):
        place = place.parent
    if sys.platform == "win32":
        try:
            os.startfile(place)
        except OSError as error:
            raise CannotOpen(
                _("{path} could not be opened: {reason}.", path=place, reason=error.strerror), _("Open it by hand.")
            ) from error
    else:
        _call(_opener(place), place)


def _is_document(place: Path) -> bool:
    """Decide whether to open it runs nothing. On macOS a folder may be a program, by its suffix."""
    real = place.resolve()
    if real.is_dir():
        return sys.platform != "darwin" or not real.suffix
    return all(canonical(path.suffix) in _DOCUMENTS for path in (place, real))


def _opener(place: Path) -> str:
    if sys.platform == "darwin":
        return "/usr/bin/open"
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise CannotOpen(
            _("{path} cannot be shown here: there is no desktop.", path=place), _("Open it on your own machine.")
        )
    opener = shutil.which("xdg-open")
    if opener is None:
        raise CannotOpen(
            _("{path} cannot be opened: xdg-open is missing.", path=place), _("Install the package xdg-utils.")
        )
    return opener


def _call(opener: str, place: Path) -> None:
    advice = _("Open it by hand, or choose a program for this kind of file.")
    try:
        process = subprocess.Popen(
            [opener, str(place)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **apart(),  # a viewer outlives the daemon
        )
        status = process.wait(ANSWER_TIME)
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, name="viewer", daemon=True).start()  # leaves no zombie
    except OSError as error:
        raise CannotOpen(
            _("{path} could not be opened: {reason}.", path=place, reason=error.strerror), advice
        ) from error
    else:
        if status:
            raise CannotOpen(_("{path} could not be opened: no program accepted it.", path=place), advice)
