"""Putting a file or folder in place: whole or not at all, and never over something else by accident."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import io
import os
import secrets
import shutil
import stat
import sys
import threading
from collections.abc import Iterator, Set
from pathlib import Path

from paperchute.files.names import OWN_TEMPORARY
from paperchute.files.sharing import when_free

_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
_NOTHING_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
_AT_FDCWD = -2 if sys.platform == "darwin" else -100
_RENAME_NOREPLACE = 1  # linux/fs.h
_RENAME_EXCL = 4  # sys/stdio.h of macOS
_SWAP = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_one_looks = threading.Lock()


def temporary_name(token: str) -> str:
    """The hidden name under which a job's output lies in its target folder until it is published."""
    return f".{token}{OWN_TEMPORARY}"


def archive_of(place: Path) -> Path:
    """Return where an archive lies while it is unpacked to the hidden name `place`."""
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
        rename_new(str(source), str(target))
    except FileExistsError:
        # A crash between link and unlink of the fall-back leaves both names of one file: that was our own success.
        if _same_file(source, target):
            source.unlink()
            return True
        return False
    return True


def place_over(source: Path, target: Path) -> Path:
    """Rename the file `source` over `target`, atomically; `target`. Raises OSError."""
    return when_free(lambda: source.replace(target))


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


def create_apart(path: Path) -> io.BufferedWriter:
    """A new file to be written: `path`, or a numbered one where something bears that name. Raises OSError.

    Names that differ by letter case or composition alone are one on Windows, macOS and many shares.
    """
    for candidate in numbered(path):
        try:
            return candidate.open("xb")
        except FileExistsError:
            continue
    raise AssertionError("numbered() never ends")


def remove(path: Path) -> None:
    """Remove a file or folder of our own; nothing there, or no place where it could be, is fine. Raises OSError."""
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            when_free(lambda: shutil.rmtree(path))
        else:
            when_free(path.unlink)
    except OSError as error:
        if error.errno not in _NOTHING_THERE:
            raise


def remove_others(folder: Path, kept: Set[str]) -> None:
    """Remove everything of our own in a folder but what has these names. Raises OSError."""
    for path in folder.iterdir():
        if path.name not in kept:
            remove(path)


def write_whole(path: Path, text: str, newline: str | None = None) -> None:
    """Write a small text file so that it appears whole, replacing what was there. Raises OSError.

    newline: what ends a line in the file; None = what the platform uses.
    """
    temporary = path.with_name(temporary_name(secrets.token_hex(16)))  # so nobody can have put a link there
    try:
        with temporary.open("x", encoding="utf-8", newline=newline) as file:
            file.write(text)
        when_free(lambda: temporary.replace(path))
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _fit(stem: str, suffix: str, limit: int = 255) -> str:
    room = limit - len(os.fsencode(suffix))
    while len(os.fsencode(stem)) > room:
        stem = stem[:-1]
    return stem


def _same_file(one: Path, other: Path) -> bool:
    try:
        a, b = one.lstat(), other.lstat()
    except OSError:
        return False
    return stat.S_ISREG(a.st_mode) and (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino) and a.st_ino != 0


def rename_new(old: str, new: str, old_at: int | None = None, new_at: int | None = None) -> None:
    """Rename atomically to a name that nothing bears. Raises FileExistsError, and OSError.

    old_at, new_at: handles of the folders that the names are in; None = the names are paths.
    """
    if sys.platform == "win32":
        when_free(lambda: os.rename(old, new))  # noqa: PTH104 -- as below; it refuses an existing target by itself
        return
    try:
        _native_exclusive(old, new, old_at, new_at)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        _portable_exclusive(old, new, old_at, new_at)


def swap(one: Path, other: Path) -> bool:
    """Have two files of one folder change places, atomically; False where that cannot be had. Raises OSError."""
    if sys.platform == "win32":
        return False
    try:
        _native(str(one), str(other), None, None, _SWAP)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        return False
    return True


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _native_exclusive(old: str, new: str, old_at: int | None, new_at: int | None) -> None:
    _native(old, new, old_at, new_at, _RENAME_EXCL if sys.platform == "darwin" else _RENAME_NOREPLACE)


def _native(old: str, new: str, old_at: int | None, new_at: int | None, how: int) -> None:
    libc = _libc()
    source = _AT_FDCWD if old_at is None else old_at
    target = _AT_FDCWD if new_at is None else new_at
    if sys.platform == "darwin" and hasattr(libc, "renameatx_np"):
        failed = libc.renameatx_np(source, os.fsencode(old), target, os.fsencode(new), ctypes.c_uint(how))
    elif hasattr(libc, "renameat2"):
        failed = libc.renameat2(source, os.fsencode(old), target, os.fsencode(new), ctypes.c_uint(how))
    else:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if failed:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), old, None, new)


def _portable_exclusive(old: str, new: str, old_at: int | None = None, new_at: int | None = None) -> None:
    """For file systems without an exclusive rename (NFS, some FUSE): link, then unlink; folders by plain rename.

    A plain rename of a folder fails on anything but an empty folder, so it takes nothing away either.
    """
    if stat.S_ISDIR(os.stat(old, dir_fd=old_at, follow_symlinks=False).st_mode):
        _look_and_rename(old, new, old_at, new_at)
        return
    try:
        os.link(old, new, src_dir_fd=old_at, dst_dir_fd=new_at, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        # No hard links either (some FUSE and SMB). To claim the name with an empty file first would show everybody
        # something half; looking first leaves microseconds in which only another program could take the name.
        _look_and_rename(old, new, old_at, new_at)
        return
    os.unlink(old, dir_fd=old_at)


def _look_and_rename(old: str, new: str, old_at: int | None, new_at: int | None) -> None:
    with _one_looks:
        try:
            os.stat(new, dir_fd=new_at, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(old, new, src_dir_fd=old_at, dst_dir_fd=new_at)
            return
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
