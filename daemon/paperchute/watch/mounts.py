"""Which folders are on another machine, whose changes the system tells nobody of."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

_REMOTE = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "lustre", "davfs"),
        *("afpfs", "webdav", "ftp"),  # macOS
        *("9p", "drvfs", "virtiofs", "vboxsf", "prl_fs", "vmhgfs"),  # folders of the host, seen from a virtual machine
        *("fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "fuse.davfs", "fuse.gvfsd-fuse", "fuse.vmhgfs-fuse"),
        *("fuse.s3fs", "fuse.curlftpfs", "fuse.smbnetfs", "macfuse", "osxfuse"),
    )
)
"""File-system types, as /proc/self/mountinfo and macOS name them, that tell of no changes made on the other side."""


def remote_type(path: Path) -> str | None:
    """The type of the network file system that holds `path`, as a word for messages; None for local disks."""
    if sys.platform == "win32":
        return "network drive" if _on_network_drive(path) else None
    if sys.platform == "linux":
        return _mounted_type(os.path.realpath(path), Path("/proc/self/mountinfo"))
    import psutil

    mounted = [(one.mountpoint, one.fstype, one.opts) for one in psutil.disk_partitions(all=True)]
    return remote_among(os.path.realpath(path), mounted)


def remote_among(path: str, mounted: Iterable[tuple[str, str, str]]) -> str | None:
    """The remote type of the innermost mount around `path`, by (mount point, type, options) of each as macOS has them.

    There each mount says by an option whether it is local; FUSE says so of whatever it shows.
    """
    _, kind, options = _innermost(path, mounted)
    return kind if kind in _REMOTE or (kind and "local" not in options.split(",")) else None


def _innermost(path: str, mounted: Iterable[tuple[str, str, str]]) -> tuple[str, str, str]:
    best = "", "", ""
    for one in mounted:
        point = one[0]
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best[0]):  # a later mount on the same point covers the earlier one
            best = one
    return best


def _mounted_type(path: str, table: Path) -> str | None:
    """The remote type of the innermost mount around `path`. Format of the table: proc(5), proc_pid_mountinfo(5)."""
    try:
        lines = table.read_bytes().splitlines()
    except OSError:
        return None
    mounted = []
    for line in lines:
        fields, _, source = line.partition(b" - ")
        point = os.fsdecode(fields.split()[4].decode("unicode_escape").encode("latin-1"))
        mounted.append((point, source.split()[0].decode(), ""))
    kind = _innermost(path, mounted)[1]
    return kind if kind in _REMOTE else None


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _DRIVE_REMOTE = 4
    _LONGEST = 1 << 15
    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel32.GetVolumePathNameW.argtypes = (wintypes.LPCWSTR, wintypes.LPWSTR, wintypes.DWORD)
    _kernel32.GetDriveTypeW.argtypes = (wintypes.LPCWSTR,)

    def _on_network_drive(path: Path) -> bool:
        """By the drive, and by what is behind it: a junction, a link, `subst`, DFS, or a volume mounted at a folder."""
        if _is_remote(str(path)):  # said at once, though the share hang
            return True
        return _is_remote(os.path.realpath(path))

    def _is_remote(path: str) -> bool:
        plain = path.removeprefix("\\\\?\\")
        if plain.startswith(("\\\\", "UNC\\")):
            return True
        volume = ctypes.create_unicode_buffer(_LONGEST)
        if not _kernel32.GetVolumePathNameW(path, volume, _LONGEST):
            volume.value = f"{Path(path).drive}\\"
        return bool(_kernel32.GetDriveTypeW(volume.value) == _DRIVE_REMOTE)
