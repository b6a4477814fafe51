"""What lies in a dropped folder: the same answer for who watches it, who works on it and who files it."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from typing import Literal

from paperchute.files.identity import FileKey, key_from
from paperchute.files.names import is_half_made, is_private, is_temporary, is_transfer

# Windows: FILE_ATTRIBUTE_RECALL_ON_OPEN and _RECALL_ON_DATA_ACCESS (winnt.h), as OneDrive and its like set them.
_RECALL = stat.FILE_ATTRIBUTE_OFFLINE | 0x0004_0000 | 0x0040_0000
_HIDDEN = stat.FILE_ATTRIBUTE_HIDDEN | stat.FILE_ATTRIBUTE_SYSTEM
_DATALESS = 0x4000_0000  # macOS: SF_DATALESS (sys/stat.h), as iCloud Drive and its like set it


class TransferError(Exception):
    """A download or upload into the folder is still going on."""


class ElsewhereError(TransferError):
    """The bytes are still in the cloud: who reads them has them fetched."""


class HiddenError(Exception):
    """Somebody has hidden the file, or it is the system's own."""


def key_if_file(path: str) -> FileKey | None:
    """The key of a regular file; None for anything else. Raises OSError, ElsewhereError and HiddenError."""
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    if _is_elsewhere(status):
        raise ElsewhereError(path)
    if getattr(status, "st_file_attributes", 0) & _HIDDEN or getattr(status, "st_flags", 0) & stat.UF_HIDDEN:
        raise HiddenError(path)
    return key_from(status)


def _is_elsewhere(status: os.stat_result) -> bool:
    return bool(getattr(status, "st_file_attributes", 0) & _RECALL or getattr(status, "st_flags", 0) & _DATALESS)


Unfit = Literal["link", "special", "temporary"]
"""Why something in a dropped folder is no file of the set: a link, which is not followed; a pipe or the like; a name
that programs give to files of their own."""


@dataclass(frozen=True)
class Inside:
    """What lies in a dropped folder and those below it, by its path relative to the folder, in the order of these."""

    files: dict[str, FileKey]
    unfit: dict[str, Unfit]


def inside(top: str) -> Inside:
    """Look through a dropped folder. Folders of programs (`names.PRIVATE_FOLDERS`) are passed over.

    Raises TransferError, and OSError, for a link in the place of the folder too.
    """
    if not stat.S_ISDIR(os.lstat(top).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), top)
    files: dict[str, FileKey] = {}
    unfit: dict[str, Unfit] = {}
    folders = [top]
    while folders:
        for item in listed(folders.pop()):
            if is_transfer(item.name):
                raise TransferError(item.path)
            relative = item.path[len(top) :].lstrip(os.sep)
            if item.is_dir(follow_symlinks=False):
                if is_half_made(item.name):
                    unfit[relative] = "temporary"
                elif not is_private(item.name):
                    folders.append(item.path)
                continue
            status = os.lstat(item.path)  # not that of the item: it has no inode on Windows
            if stat.S_ISLNK(status.st_mode):
                unfit[relative] = "link"
            elif not stat.S_ISREG(status.st_mode):
                unfit[relative] = "special"
            elif is_temporary(item.name):
                unfit[relative] = "temporary"
            elif _is_elsewhere(status):
                raise ElsewhereError(item.path)
            else:
                files[relative] = key_from(status)
    return Inside(dict(sorted(files.items())), dict(sorted(unfit.items())))


def listed(folder: str) -> list[os.DirEntry[str]]:
    """What lies in a folder, which is open no longer: on Windows nobody renames or deletes one that is being listed."""
    with os.scandir(folder) as items:
        return list(items)
