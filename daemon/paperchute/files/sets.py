"""What lies in a dropped folder: the same answer for who watches it, who works on it and who files it."""

from __future__ import annotations

import errno
import os
import stat

from paperchute.files.identity import FileKey, key_from
from paperchute.files.names import is_temporary, is_transfer

_RECALL = stat.FILE_ATTRIBUTE_OFFLINE | 0x0040_0000  # Windows: the bytes are still in the cloud (RECALL_ON_DATA_ACCESS)


class TransferError(Exception):
    """A download or upload into the folder is still going on."""


def key_if_file(path: str) -> FileKey | None:
    """The key of a regular file whose bytes are here; None for anything else. Raises OSError."""
    status = os.lstat(path)
    recalled = getattr(status, "st_file_attributes", 0) & _RECALL
    return key_from(status) if stat.S_ISREG(status.st_mode) and not recalled else None


def files_below(top: str) -> dict[str, FileKey]:
    """Every file in a folder and those below it, by its path relative to the folder, in the order of these paths.

    Links are not followed; temporary and housekeeping files of other programs do not count. Raises TransferError, and
    OSError, for a link in the place of the folder too.
    """
    if not stat.S_ISDIR(os.lstat(top).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), top)
    found: dict[str, FileKey] = {}
    folders = [top]
    while folders:
        with os.scandir(folders.pop()) as items:
            for item in items:
                if is_transfer(item.name):
                    raise TransferError(item.path)
                if is_temporary(item.name):
                    continue
                if item.is_dir(follow_symlinks=False):
                    folders.append(item.path)
                elif (key := key_if_file(item.path)) is not None:
                    found[item.path[len(top) :].lstrip(os.sep)] = key
    return dict(sorted(found.items()))
