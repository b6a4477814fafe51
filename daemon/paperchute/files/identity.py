"""Which file this is: the fast key of a path, and the hash of a file's bytes."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from paperchute.files.presence import is_there

_SHIFTING = ("vfat", "msdos", "exfat", "fuse", "9p", "drvfs", "vboxsf")
"""File systems that make inode numbers up, anew after each mount or sooner (their own documentation)."""

if sys.platform == "win32":
    from paperchute.files.open_files import reading_beside
else:
    _READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

    def reading_beside(path: str | Path) -> int:
        """A descriptor to read the file itself at `path`. Raises OSError."""
        return os.open(path, _READ)


@dataclass(frozen=True, slots=True)
class FileKey:
    """The stat tuple that tells one content at one path from another. `mtime` in nanoseconds, `size` in bytes.

    `inode` is 0 where the file system has no lasting ones. The device is no part of it: its number changes when a
    share is mounted again, and the path says which file is meant.
    """

    inode: int
    size: int
    mtime: int

    def same_bytes_likely(self, other: FileKey) -> bool:
        """True when only the times differ: unzip, rsync --inplace and touch change them after the close."""
        return (self.inode, self.size) == (other.inode, other.size)


def key_from(status: os.stat_result) -> FileKey:
    """The key of an already taken stat."""
    inode = 0 if _inodes_shift(status.st_dev) else status.st_ino
    return FileKey(inode, status.st_size, status.st_mtime_ns)


def key_of(path: Path) -> FileKey | None:
    """The key of the regular file at `path`; None when nothing, or something else (folder, symlink), is there.

    Raises OSError for any other trouble (permission, lost share).
    """
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        if is_there(path):
            raise
        return None  # nothing can bear that name: one that we make of another may be too long
    return key_from(status) if stat.S_ISREG(status.st_mode) else None


def opened(path: str | Path, key: FileKey | None = None) -> io.FileIO:
    """The regular file at `path` itself, to be read. key: what it must be, by what is open and not by its path.

    Between a look at a path and its opening somebody may have put another thing there: a link to a file that only we
    may read, or a pipe, which would be waited for without end. Raises FileNotFoundError for that, and OSError.
    """
    try:
        handle = reading_beside(path)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO):  # a link; a socket
            raise
        raise _gone(path) from error
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and (key is None or key_from(status).same_bytes_likely(key)):
        return io.FileIO(handle)
    os.close(handle)
    raise _gone(path)


def hash_of(path: Path) -> str:
    """sha256 of the bytes, as hex. Raises OSError."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _gone(path: str | Path) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "another thing has taken the place of the file", str(path))


_known: dict[int, bool] = {}


def _inodes_shift(device: int) -> bool:
    """Tell whether inode numbers on this device cannot be relied on; asked of the mount table once for each device."""
    known = _known.get(device)
    if known is None:
        known = _known[device] = sys.platform == "linux" and _type_of(device).startswith(_SHIFTING)
    return known


def _type_of(device: int) -> str:
    """The file-system type of a mounted device; empty when unknown. Format: proc_pid_mountinfo(5)."""
    if sys.platform == "win32":
        return ""
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        fields, _, source = line.partition(" - ")
        if fields.split()[2] == number:
            return source.split()[0]
    return ""
