"""Copies, and moves to another file system, between open folders (`files.beneath`)."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys

from paperchute.files import placement
from paperchute.files.folder import Folder

_BLOCK = 1 << 20
_ORIGIN = ":Zone.Identifier"  # the stream of the mark (MS-FSCC)


def copy(source: Folder, name: str, folder: Folder, new: str) -> None:
    """Copy a file, a link as a link, or a folder to a new place, times kept and bytes on disk.

    Raises OSError; then nothing of the copy is left.
    """
    try:
        _copy(source, name, folder, new)
    except BaseException:
        folder.remove(new)
        raise


def move_across(source: Folder, name: str, folder: Folder, new: str, token: str) -> bool:
    """As `Folder.place_new`, to another file system too, where a copy comes first.

    token: names that copy. False when something is at the new place. Raises OSError.
    """
    try:
        return source.place_new(name, folder, new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    temporary = placement.temporary_name(token)
    folder.remove(temporary)
    copy(source, name, folder, temporary)
    copied = folder.hash(temporary) if folder.key(temporary) is not None else None
    if not folder.place_new(temporary, folder, new):
        folder.remove(temporary)
        return False
    if copied is None or (source.key(name) is not None and source.hash(name) == copied):
        source.remove(name)  # else it was saved anew meanwhile, and stays
    return True


def _copy(source: Folder, name: str, folder: Folder, new: str) -> None:
    status = source.status(name)
    if status is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(source.path / name))
    if stat.S_ISDIR(status.st_mode):
        with source.child(name) as inside, folder.child(new, make=True, mode=0o700) as target:
            for inner in inside.names():
                _copy(inside, inner, target, inner)
            if sys.platform != "win32":
                with target.listable() as handle:
                    _keep_status(handle, status)
    elif stat.S_ISLNK(status.st_mode):
        source.copy_link(name, folder, new)
    else:
        with source.open(name) as reader, folder.naming(new), folder.create(new, 0o600) as writer:
            shutil.copyfileobj(reader, writer, _BLOCK)
            writer.flush()
            _keep_attributes(reader.fileno(), writer.fileno())
            os.fsync(writer.fileno())
            if sys.platform != "win32":
                _keep_status(writer.fileno(), status)
        if sys.platform == "win32":
            _keep_origin(source, name, folder, new)
            os.utime(folder.path / new, ns=(status.st_atime_ns, status.st_mtime_ns))


def _keep_attributes(source: int, target: int) -> None:
    """Tags and the like that people gave a file."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for name in os.listxattr(source):
                if name.startswith("user."):
                    os.setxattr(target, name, os.getxattr(source, name))


def _keep_origin(source: Folder, name: str, folder: Folder, new: str) -> None:
    """Windows opens guarded what bears the mark of the web; NTFS keeps it in a stream of the file, FAT nowhere."""
    with (
        contextlib.suppress(OSError),
        source.open(f"{name}{_ORIGIN}") as mark,
        folder.create(f"{new}{_ORIGIN}") as kept,
    ):
        kept.write(mark.read(_BLOCK))


if sys.platform != "win32":

    def set_mode(handle: int, mode: int) -> None:
        """Give an open file a mode, where its file system has modes to give (FAT and many shares have none)."""
        try:
            os.fchmod(handle, mode)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP):
                raise

    def _keep_status(handle: int, status: os.stat_result) -> None:
        set_mode(handle, stat.S_IMODE(status.st_mode))
        os.utime(handle, ns=(status.st_atime_ns, status.st_mtime_ns))
