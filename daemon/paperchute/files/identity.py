"""Which file this is: the fast key of a path, and the hash of a file's bytes."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileKey:
    """The stat tuple that tells one content at one path from another. `mtime` in nanoseconds, `size` in bytes.

    `inode` is 0 where the file system gives none (some FAT and SMB mounts).
    """

    device: int
    inode: int
    size: int
    mtime: int

    def same_bytes_likely(self, other: FileKey) -> bool:
        """True when only the times differ: unzip, rsync --inplace and touch change them after the close."""
        return (self.device, self.inode, self.size) == (other.device, other.inode, other.size)


def key_from(status: os.stat_result) -> FileKey:
    """The key of an already taken stat."""
    return FileKey(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def key_of(path: Path) -> FileKey | None:
    """The key of the regular file at `path`; None when nothing, or something else (folder, symlink), is there.

    Raises OSError for any other trouble (permission, lost share).
    """
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return key_from(status) if stat.S_ISREG(status.st_mode) else None


def hash_of(path: Path) -> str:
    """sha256 of the bytes, as hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
