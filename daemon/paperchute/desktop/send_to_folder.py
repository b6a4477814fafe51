"""The folder of Windows whose shortcuts are the Explorer's menu "Send to"."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from paperchute.children import apart
from paperchute.desktop.sendto import Entry, free
from paperchute.files.placement import remove

_MARK = "Paperchute sendto"
"""In the shortcut's own description; it says whose it is."""
_SCRIPT = (
    "$ErrorActionPreference = 'Stop';"
    "$link = (New-Object -ComObject WScript.Shell).CreateShortcut($env:PAPERCHUTE_LINK);"
    "$link.TargetPath = $env:PAPERCHUTE_TARGET; $link.Arguments = $env:PAPERCHUTE_ARGUMENTS;"
    "$link.Description = $env:PAPERCHUTE_DESCRIPTION; $link.Save()"
)
"""Windows has no other way to write a shortcut that needs no further library. No text of anybody stands in it."""
_ANSWER_SECONDS = 60
_MOST_BYTES = 1 << 16


def write_shortcut(link: Path, words: Sequence[str]) -> None:
    """Write a shortcut to this command. Raises OSError."""
    given = {
        "PAPERCHUTE_LINK": str(link),
        "PAPERCHUTE_TARGET": words[0],
        "PAPERCHUTE_ARGUMENTS": subprocess.list2cmdline(words[1:]),
        "PAPERCHUTE_DESCRIPTION": _MARK,
    }
    command = ["powershell", "-NoProfile", "-NonInteractive", "-WindowStyle", "Hidden", "-Command", _SCRIPT]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **given},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
            **apart(),
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(None, "PowerShell", str(link)) from error
    if done.returncode or not link.is_file():
        raise OSError(None, "PowerShell", str(link))


@dataclass(frozen=True)
class SendToFolder:
    """See `FileManager`."""

    folder: Path
    write: Callable[[Path, Sequence[str]], None] = write_shortcut
    name: str = "Explorer"

    def put(self, entries: Sequence[Entry]) -> None:
        """See `FileManager`."""
        for entry in entries:
            self.write(free(self.folder, f"Paperchute - {entry.title}", ".lnk"), entry.words)

    def titles(self) -> list[str]:
        """See `FileManager`."""
        return [path.stem.removeprefix("Paperchute - ") for path in self._ours()]

    def take_away(self) -> list[Path]:
        """See `FileManager`."""
        for path in self._ours():
            remove(path)
        return []

    def _ours(self) -> list[Path]:
        return [path for path in sorted(self.folder.glob("Paperchute - *.lnk")) if _is_ours(path)]


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return _MARK.encode("utf-16-le") in file.read(_MOST_BYTES)
