"""Entries in the menus of file managers that hand files to a hot folder: "Send to Paperchute"."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from paperchute.desktop.autostart import exec_key
from paperchute.errors import PaperchuteError
from paperchute.files.names import safe_name, shorten
from paperchute.files.placement import numbered, remove, write_whole
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
    """What the menu's line, or the menu in the menu, is called."""
    return _("Send to Paperchute")


@dataclass(frozen=True)
class ScriptsFolder:
    """Of Nautilus, Nemo and Caja: each executable in a folder is an entry, each folder in it a menu in the menu."""

    name: str
    folder: Path

    def put(self, entries: Sequence[Entry]) -> None:
        """See `FileManager`."""
        place = self.folder / safe_name(menu_title())
        place.mkdir(parents=True, exist_ok=True)
        for entry in entries:
            script = free(place, entry.title)
            write_whole(script, sealed("#!/bin/sh", f'exec {shlex.join(entry.words)} "$@"\n'))
            script.chmod(0o755)

    def titles(self) -> list[str]:
        """See `FileManager`."""
        return sorted(path.name for path in self._ours() if is_sealed(path))

    def take_away(self) -> list[Path]:
        """See `FileManager`. A folder that then holds nothing goes too."""
        left = _take_sealed(self._ours())
        for place in {path.parent for path in self._ours()} | {self.folder / safe_name(menu_title())}:
            if place.is_dir() and not any(place.iterdir()):
                place.rmdir()
        return left

    def _ours(self) -> list[Path]:
        """In folders of any name: it may have been made in another language."""
        return [path for path in sorted(self.folder.glob("*/*")) if is_marked(path)]


@dataclass(frozen=True)
class ServiceMenu:
    """Of Dolphin: one file with an action for each entry (KDE's "Creating Dolphin service menus")."""

    path: Path
    name: str = "Dolphin"

    def put(self, entries: Sequence[Entry]) -> None:
        """See `FileManager`."""
        if os.path.lexists(self.path):
            return
        names = [f"drop{number}" for number, _entry in enumerate(entries)]
        lines = [
            "[Desktop Entry]",
            "Type=Service",
            "MimeType=application/octet-stream;inode/directory;",
            f"Actions={';'.join(names)};",
            f"Name={_in_entry(menu_title())}",
            f"X-KDE-Submenu={_in_entry(menu_title())}",
        ]
        for name, entry in zip(names, entries, strict=True):
            lines += ["", f"[Desktop Action {name}]", f"Name={_in_entry(entry.title)}", "Icon=document-send"]
            lines.append(f"Exec={exec_key(entry.words)} %F")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, sealed("", "\n".join(lines) + "\n"))
        self.path.chmod(0o755)  # KDE asks this of what is not the system's own

    def titles(self) -> list[str]:
        """See `FileManager`."""
        if not is_sealed(self.path):
            return []
        lines = self.path.read_text("utf-8").split("\n")
        names = [line.removeprefix("Name=").replace("\\\\", "\\") for line in lines if line.startswith("Name=")]
        return names[1:]  # the first is the menu's

    def take_away(self) -> list[Path]:
        """See `FileManager`."""
        return _take_sealed([self.path] if os.path.lexists(self.path) else [])


def _in_entry(text: str) -> str:
    """A value of type string ("Desktop Entry Specification" 1.5, "Possible value types")."""
    return " ".join(text.split()).replace("\\", "\\\\")


def sealed(first: str, text: str, comment: tuple[str, str] = ("# ", "")) -> str:
    """The text behind a line that says whose it is, and that shows when somebody changes it."""
    seal = hashlib.sha256(text.encode("utf-8")).hexdigest()
    start = f"{first}\n" if first else ""
    return f"{start}{comment[0]}{_SEAL}{seal}{comment[1]}\n{text}"


def free(folder: Path, title: str, suffix: str = "") -> Path:
    """Where a file of this title can be made: a changed one stays, and rules may be called much alike."""
    wanted = folder / shorten(safe_name(title), suffix)
    return next(path for path in numbered(wanted) if not os.path.lexists(path))


def is_marked(path: Path) -> bool:
    """Whether it is a file that we once wrote."""
    return _SEAL in _text(path)


def is_sealed(path: Path) -> bool:
    """Whether it is as we wrote it."""
    _before, mark, after = _text(path).partition(_SEAL)
    line, _newline, text = after.partition("\n")
    return bool(mark) and line[:64] == hashlib.sha256(text.encode("utf-8")).hexdigest()


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8") if path.is_file() and not path.is_symlink() else ""
    except ValueError:
        return ""


def _take_sealed(paths: Sequence[Path]) -> list[Path]:
    left = []
    for path in paths:
        if is_sealed(path):
            remove(path)
        else:
            left.append(path)
    return left


def file_managers(home: Path | None = None, has: Callable[[str], object] = shutil.which) -> list[FileManager]:
    """Those of this system. home: default, the user's. has: whether a program is installed.

    Raises PaperchuteError where there is none that is known.
    """
    home = home or Path.home()
    if sys.platform == "win32":
        from paperchute.desktop.send_to_folder import SendToFolder

        return [SendToFolder(Path(os.environ["APPDATA"]) / "Microsoft" / "Windows" / "SendTo")]
    if sys.platform == "darwin":
        from paperchute.desktop.quick_actions import QuickActions

        return [QuickActions(home / "Library" / "Services")]
    from paperchute.desktop.thunar import ThunarActions

    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    defaults = [Path(one) for one in (os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":") if one]
    known: dict[str, FileManager] = {
        "nautilus": ScriptsFolder("Nautilus", data / "nautilus" / "scripts"),
        "nemo": ScriptsFolder("Nemo", data / "nemo" / "scripts"),
        "caja": ScriptsFolder("Caja", config / "caja" / "scripts"),
        "dolphin": ServiceMenu(data / "kio" / "servicemenus" / "paperchute.desktop"),
        "thunar": ThunarActions(config / "Thunar" / "uca.xml", tuple(defaults)),
    }
    found = [manager for program, manager in known.items() if has(program)]
    if not found:
        raise PaperchuteError(
            _(
                "There is no file manager here that Paperchute knows: {names}.",
                names=", ".join(map(_named, known.values())),
            ),
            _("Drop files into the hot folders themselves."),
        )
    return found


def _named(manager: FileManager) -> str:
    return manager.name
