"""Quick Actions of macOS: a workflow of Automator for each entry, which the Finder shows in its menu."""

from __future__ import annotations

import plistlib
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paperchute.desktop.sendto import Entry, free, is_marked, is_sealed, menu_title, sealed
from paperchute.files.placement import write_whole

_FLOW = "document.wflow"


@dataclass(frozen=True)
class QuickActions:
    """See `FileManager`."""

    folder: Path
    name: str = "Finder"

    def put(self, entries: Sequence[Entry]) -> None:
        """See `FileManager`."""
        for entry in entries:
            title = f"{menu_title()} - {entry.title}"
            contents = free(self.folder, title, ".workflow") / "Contents"
            contents.mkdir(parents=True)
            write_whole(contents / "Info.plist", _plist(_service(title)))
            write_whole(contents / _FLOW, _plist(_workflow(entry.words)))

    def titles(self) -> list[str]:
        """See `FileManager`."""
        return [path.stem.partition(" - ")[2] or path.stem for path in self._ours() if _is_whole(path)]

    def take_away(self) -> list[Path]:
        """See `FileManager`."""
        left = []
        for path in self._ours():
            if _is_whole(path):
                shutil.rmtree(path)
            else:
                left.append(path)
        return left

    def _ours(self) -> list[Path]:
        return [path for path in sorted(self.folder.glob("*.workflow")) if is_marked(path / "Contents" / _FLOW)]


def _is_whole(path: Path) -> bool:
    """Decide whether it is as we wrote it, with nothing beside."""
    files = {one.relative_to(path).as_posix() for one in path.rglob("*") if not one.is_dir()}
    wanted = {"Contents/Info.plist", f"Contents/{_FLOW}"}
    return files == wanted and all(is_sealed(path / name) for name in wanted)


def _plist(value: dict[str, Any]) -> str:
    first, _newline, rest = plistlib.dumps(value).decode("utf-8").partition("\n")
    return sealed(first, rest, ("<!-- ", " -->"))


def _service(title: str) -> dict[str, Any]:
    """Return what the Finder reads of it."""
    service = {
        "NSMenuItem": {"default": title},
        "NSMessage": "runWorkflowAsService",
        "NSRequiredContext": {"NSApplicationIdentifier": "com.apple.finder"},
        "NSSendFileTypes": ["public.item"],
    }
    return {"NSServices": [service]}


def _workflow(words: Sequence[str]) -> dict[str, Any]:
    """A workflow of one step, a shell script that is given the files as arguments."""
    step = {
        "ActionBundlePath": "/System/Library/Automator/Run Shell Script.action",
        "ActionName": "Run Shell Script",
        "ActionParameters": {
            "COMMAND_STRING": f'exec {shlex.join(words)} "$@"',
            "CheckedForUserDefaultShell": True,
            "inputMethod": 1,  # as arguments
            "shell": "/bin/sh",
            "source": "",
        },
        "AMAccepts": {"Container": "List", "Optional": True, "Types": ["com.apple.cocoa.path"]},
        "AMProvides": {"Container": "List", "Types": ["com.apple.cocoa.path"]},
        "BundleIdentifier": "com.apple.RunShellScript",
        "Class Name": "RunShellScriptAction",
    }
    return {
        "AMApplicationVersion": "2.10",
        "AMDocumentVersion": "2",
        "actions": [{"action": step, "isViewVisible": 1}],
        "connectors": {},
        "workflowMetaData": {
            "serviceInputTypeIdentifier": "com.apple.Automator.fileSystemObject",
            "serviceOutputTypeIdentifier": "com.apple.Automator.nothing",
            "serviceProcessesInput": 0,
            "workflowTypeIdentifier": "com.apple.Automator.servicesMenu",
        },
    }
