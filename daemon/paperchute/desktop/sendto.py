"""Entries in the menus of file managers that hand files to a hot folder, and the seal on the files that hold them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from paperchute.files.names import safe_name, shorten
from paperchute.files.placement import numbered, remove
from paperchute.language import _

_SEAL = "Written by Paperchute; what is changed below is left alone: "


@dataclass(frozen=True)
class Entry:
    """One line of the menu."""

    title: str
    """The rule's name."""
    words: tuple[str, ...]
    """The command that it hands the files to, behind these words."""


class FileManager(Protocol):
    """One file manager's way to entries of others in its menu."""

    @property
    def name(self) -> str:
        """What people call it."""

    def put(self, entries: Sequence[Entry]) -> None:
        """Have these entries and no other of ours; `take_away` came before. Raises OSError; ValueError as that does."""

    def titles(self) -> list[str]:
        """Those of ours that are there. Raises OSError; ValueError where its file cannot be understood."""

    def take_away(self) -> list[Path]:
        """Take ours away; what somebody has changed is left, and returned. Raises as `titles` does."""


def menu_title() -> str:
    """Return what the menu's line, or the menu in the menu, is called."""
    return _("Send to Paperchute")


def sealed(first: str, text: str, comment: tuple[str, str] = ("# ", "")) -> str:
    """The text behind a line that says whose it is, and that shows when somebody changes it."""
    seal = hashlib.sha256(text.encode("utf-8")).hexdigest()
    start = f"{first}\n" if first else ""
    return f"{start}{comment[0]}{_SEAL}{seal}{comment[1]}\n{text}"


def free(folder: Path, title: str, suffix: str = "") -> Path:
    """Return where a file of this title can be made: a changed one stays, and rules may be called much alike."""
    wanted = folder / shorten(safe_name(title), suffix)
    return next(path for path in numbered(wanted) if not os.path.lexists(path))


def is_marked(path: Path) -> bool:
    """Decide whether it is a file that we once wrote."""
    return _SEAL in _text(path)


def is_sealed(path: Path) -> bool:
    """Decide whether it is as we wrote it."""
    _before, mark, after = _text(path).partition(_SEAL)
    line, _newline, text = after.partition("\n")
    return bool(mark) and line[:64] == hashlib.sha256(text.encode("utf-8")).hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8") if path.is_file() and not path.is_symlink() else ""
    except ValueError:
        return ""


def take_sealed(paths: Sequence[Path]) -> list[Path]:
    """Take away those that are as we wrote them; the others are returned."""
    left = []
    for path in paths:
        if is_sealed(path):
            remove(path)
        else:
            left.append(path)
    return left
