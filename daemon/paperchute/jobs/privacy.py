"""Who may read a result: nobody beyond those who may read all of its originals."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":
    from paperchute.files.copies import set_mode

_GROUP, _OTHERS = 0o070, 0o007


@dataclass(frozen=True)
class Privacy:
    """What group and others may not do. group: whose members may read the originals, where others may not.

    The target folder's own way of giving rights (umask, default ACL, set-group-ID) stands in all else.
    """

    denied: int = 0
    group: int | None = None

    @property
    def file_mode(self) -> int:
        """What a new file is made with."""
        return 0o666 & ~self.denied

    @property
    def folder_mode(self) -> int:
        """What a new folder is made with."""
        return 0o777 & ~self.denied

    def narrow(self, file: int) -> None:
        """Take its group's rights from a new file whose group is not the originals' own."""
        if sys.platform != "win32" and self.group is not None and (status := os.fstat(file)).st_gid != self.group:
            set_mode(file, stat.S_IMODE(status.st_mode) & ~_GROUP)


def privacy_of(originals: Iterable[Path]) -> Privacy:
    """As narrow as the narrowest of these files; without any, on a schedule, as the system has it for new files.

    On Windows the target folder's own list decides.
    """
    originals = list(originals)
    if sys.platform == "win32" or not originals:
        return Privacy()
    denied, groups, found = 0, set(), False
    for path in originals:
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue  # taken away or filed meanwhile
        found = True
        mode = status.st_mode
        denied |= 0 if mode & stat.S_IROTH else _OTHERS
        denied |= 0 if mode & stat.S_IRGRP else _GROUP
        if not mode & stat.S_IROTH:
            groups.add(status.st_gid)
    if len(groups) > 1 or not found:
        denied |= _GROUP
    if not found:
        denied |= _OTHERS
    return Privacy(denied, groups.pop() if len(groups) == 1 else None)
