"""The file managers of this system that "Send to Paperchute" can be put into."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from paperchute.desktop.quick_actions import QuickActions
from paperchute.desktop.scripts_folder import ScriptsFolder
from paperchute.desktop.send_to_folder import SendToFolder
from paperchute.desktop.sendto import FileManager
from paperchute.desktop.service_menu import ServiceMenu
from paperchute.desktop.thunar import ThunarActions
from paperchute.errors import PaperchuteError
from paperchute.language import _


def file_managers(home: Path | None = None, has: Callable[[str], object] = shutil.which) -> list[FileManager]:
    """Those of this system. home: default, the user's. has: whether a program is installed.

    Raises PaperchuteError where there is none that is known.
    """
    home = home or Path.home()
    if sys.platform == "win32":
        return [SendToFolder(Path(os.environ["APPDATA"]) / "Microsoft" / "Windows" / "SendTo")]
    if sys.platform == "darwin":
        return [QuickActions(home / "Library" / "Services")]
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
