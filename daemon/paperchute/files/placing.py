"""Putting a file or folder in place: whole or not at all, and never over something else by accident."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from paperchute.files.names import OWN_TEMPORARY

_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
_NOTHING_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
_AT_FDCWD = -100
_RENAME_NOREPLACE = 1  # linux/fs.h
_RENAME_EXCL = 4  # sys/stdio.h of macOS
_one_looks = threading.Lock()


def temporary_name(token: str) -> str:
    """The hidden name under which a job's output lies in its target folder until it is published."""
    return f".{token}{OWN_TEMPORARY}"


def archive_of(place: Path) -> Path:
    """Where an archive lies while it is unpacked to the hidden name `place`."""
    return place.with_name(f"{place.name}.zip{OWN_TEMPORARY}")


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError in the block says which file it is about: a write to a full disk does not by itself."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def place_new(source: Path, target: Path) -> bool:
    """Rename `source` to `target` on the same file system, atomically; False when something is there already.

    Raises OSError, with EXDEV across file systems.
    """
    try:
        _rename_exclusive(source, target)
    except FileExistsError:
        # A crash between link and unlink of the fall-back leaves both names of one file: that was our own success.
        if _same_file(source, target):
            source.unlink()
            return True
        return False
    return True


def place_over(source: Path, target: Path) -> None:
    """Rename the file `source` over `target`, atomically. Raises OSError."""
    source.replace(target)


def numbered(target: Path) -> Iterator[Path]:
    """`name.ext`, `name (2).ext`, `name (3).ext`, ... without end; the stem is cut where a name grows too long."""
    yield target
    suffix = target.suffix
    stem = target.name[: len(target.name) - len(suffix)]
    number = 2
    while True:
        mark = f" ({number})"
        yield target.with_name(_fit(stem, mark + suffix) + mark + suffix)
        number += 1


def copy_tree(source: Path, target: Path) -> None:
    """Copy a file or a folder's files to a new place, times kept and bytes on disk; a leftover copy there is replaced.

    Raises OSError; then nothing of the copy is left.
    """
    remove(target)
    try:
        if source.is_dir():
            shutil.copytree(source, target, copy_function=_copy_file, symlinks=True)
        else:
            _copy_file(source, target)
    except BaseException:
        remove(target)
        raise


def remove(path: Path) -> None:
    """Remove a file or folder of our own; nothing there, or no place where it could be, is fine. Raises OSError."""
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError as error:
        if error.errno not in _NOTHING_THERE:
            raise


def write_whole(path: Path, text: str, newline: str | None = None) -> None:
    """Write a small text file so that it appears whole, replacing what was there. Raises OSError.

    newline: what ends a line in the file; None = what the platform uses.
    """
    temporary = path.with_name(_fit("." + path.name, OWN_TEMPORARY) + OWN_TEMPORARY)
    try:
        temporary.write_text(text, "utf-8", newline=newline)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _fit(stem: str, suffix: str, limit: int = 255) -> str:
    room = limit - len(os.fsencode(suffix))
    while len(os.fsencode(stem)) > room:
        stem = stem[:-1]
    return stem


def _copy_file(source: str | Path, target: str | Path) -> str:
    with naming(Path(target)), Path(source).open("rb") as reader, Path(target).open("xb") as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
        writer.flush()
        os.fsync(writer.fileno())
    shutil.copystat(source, target)
    return str(target)


def _same_file(one: Path, other: Path) -> bool:
    try:
        a, b = one.lstat(), other.lstat()
    except OSError:
        return False
    return stat.S_ISREG(a.st_mode) and (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino) and a.st_ino != 0


def _rename_exclusive(source: Path, target: Path) -> None:
    if sys.platform == "win32":
        source.rename(target)  # refuses an existing target by itself
        return
    try:
        _native_exclusive(source, target)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        _portable_exclusive(source, target)


def _native_exclusive(source: Path, target: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    old, new = os.fsencode(source), os.fsencode(target)
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        failed = libc.renamex_np(old, new, ctypes.c_uint(_RENAME_EXCL))
    elif hasattr(libc, "renameat2"):
        failed = libc.renameat2(_AT_FDCWD, old, _AT_FDCWD, new, ctypes.c_uint(_RENAME_NOREPLACE))
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if failed:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(source), None, str(target))


def _portable_exclusive(source: Path, target: Path) -> None:
    """For file systems without an exclusive rename (NFS, some FUSE): link, then unlink; folders by plain rename.

    A plain rename of a folder fails on anything but an empty folder, so it takes nothing away either.
    """
    if source.is_dir():
        _look_and_rename(source, target)
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        # No hard links either (some FUSE and SMB). To claim the name with an empty file first would show everybody
        # something half; looking first leaves microseconds in which only another program could take the name.
        _look_and_rename(source, target)
        return
    source.unlink()


def _look_and_rename(source: Path, target: Path) -> None:
    with _one_looks:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        source.rename(target)
