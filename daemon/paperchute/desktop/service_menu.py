"""The service menu of Dolphin: one file with an action for each entry (KDE's "Creating Dolphin service menus")."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.desktop.autostart import exec_key
from paperchute.desktop.sendto import Entry, is_sealed, menu_title, sealed, take_sealed
from paperchute.files.placement import write_whole


@dataclass(frozen=True)
class ServiceMenu:
    """See `FileManager`."""

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
        return take_sealed([self.path] if os.path.lexists(self.path) else [])


def _in_entry(text: str) -> str:
    """A value of type string ("Desktop Entry Specification" 1.5, "Possible value types")."""
    return " ".join(text.split()).replace("\\", "\\\\")
