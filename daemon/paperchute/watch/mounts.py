"""Which folders send no events: shares whose other writers this machine's kernel never sees."""

from __future__ import annotations

import sys
from pathlib import Path

_NETWORK_TYPES = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "fuse.rclone", "vboxsf", "9p", "drvfs", "afs", "ceph",
    "fuse.glusterfs", "davfs", "fuse.davfs2", "vmhgfs", "fuse.vmhgfs-fuse", "prl_fs",
}  # fmt: skip


def is_network(path: Path) -> bool:
    """Whether `path` lies on a network or host-shared file system (proc(5) mountinfo; GetDriveTypeW)."""
    if sys.platform == "linux":
        return _type_on_linux(path) in _NETWORK_TYPES
    if sys.platform == "win32":
        return _is_remote_drive(path)
    return False


def _type_on_linux(path: Path) -> str:
    text = str(path)
    best, found = "", ""
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    for line in lines:
        left, _, right = line.partition(" - ")
        mount = left.split(" ")[4].replace("\\040", " ")
        if (text == mount or text.startswith(mount.rstrip("/") + "/")) and len(mount) >= len(best):
            best, found = mount, right.split(" ")[0]
    return found


if sys.platform == "win32":

    def _is_remote_drive(path: Path) -> bool:
        import ctypes

        drive_remote = 4
        return str(path).startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(path.anchor) == drive_remote
