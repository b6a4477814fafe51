"""Is a folder on another machine? Then no events arrive for what others write, and the folder must be polled."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_REMOTE = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "lustre", "davfs"),
        *("9p", "drvfs", "virtiofs", "vboxsf", "prl_fs"),  # folders of the host, seen from a virtual machine
        *("fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "fuse.davfs", "fuse.gvfsd-fuse", "fuse.vmhgfs-fuse"),
        *("fuse.s3fs", "fuse.curlftpfs", "fuse.smbnetfs"),
    )
)
"""File-system types, as in /proc/self/mountinfo, that do not tell of changes made on the other side."""


def remote_type(path: Path) -> str | None:
    """The type of the network file system that holds `path`, as a word for messages; None for local disks.

    Known on Linux (mount table) and Windows (drive type). On macOS always None: there the periodic scan sees to it.
    """
    if sys.platform == "win32":
        import ctypes

        drive = path.drive
        remote = drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(drive + "\\") == 4  # DRIVE_REMOTE
        return "network drive" if remote else None
    if sys.platform == "linux":
        return _mounted_type(os.path.realpath(path), Path("/proc/self/mountinfo"))
    return None


def _mounted_type(path: str, table: Path) -> str | None:
    """The remote type of the innermost mount around `path`. Format of the table: proc(5), proc_pid_mountinfo(5)."""
    try:
        lines = table.read_bytes().splitlines()
    except OSError:
        return None
    best, kind = -1, ""
    for line in lines:
        fields, _, source = line.partition(b" - ")
        point = os.fsdecode(fields.split()[4].decode("unicode_escape").encode("latin-1"))
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= best:  # a later mount on the same point covers the earlier one
            best, kind = len(point), source.split()[0].decode()
    return kind if kind in _REMOTE else None
