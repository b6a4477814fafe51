"""Which folders are on another machine, as each system's own tables say it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from paperchute.watch.mounts import remote_among, remote_type

MACS = [  # as psutil gives them
    ("/", "apfs", "ro,local,rootfs,dovolfs,journaled,multilabel"),
    ("/dev", "devfs", "rw,local,dontbrowse,multilabel"),
    ("/System/Volumes/Data", "apfs", "rw,local,dovolfs,dontbrowse,journaled,multilabel"),
    ("/System/Volumes/Data/home", "autofs", "rw,dontbrowse,automounted,multilabel"),
    ("/Volumes/Stick", "exfat", "rw,nosuid,local,ignore-ownership"),
    ("/Volumes/Scans", "smbfs", "rw,nosuid"),
    ("/Volumes/Old", "afpfs", "rw,nosuid"),
    ("/Volumes/Web", "webdav", "rw,nosuid"),
    ("/Volumes/SSH", "macfuse", "rw,local,nosuid,synchronous"),
    ("/private/nfs", "nfs", "rw"),
]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/Users/anna/Hot", None),
        ("/Volumes/Stick/in", None),
        ("/Volumes/Scans", "smbfs"),
        ("/Volumes/Scans/in/deep", "smbfs"),
        ("/Volumes/Scans 2", None),
        ("/Volumes/Old/in", "afpfs"),
        ("/Volumes/Web/in", "webdav"),
        ("/Volumes/SSH/in", "macfuse"),
        ("/private/nfs/in", "nfs"),
        ("/System/Volumes/Data/home/anna", "autofs"),
    ],
)
def test_a_mac_s_mounts(path: str, kind: str | None) -> None:
    assert remote_among(path, MACS) == kind


def test_a_share_mounted_over_a_folder_hides_what_was_there() -> None:
    assert remote_among("/in/a", [("/in", "apfs", "local"), ("/in", "smbfs", "")]) == "smbfs"
    assert remote_among("/in/a", []) is None


def test_a_local_folder_is_local(tmp_path: Path) -> None:
    assert remote_type(tmp_path) is None


@pytest.mark.skipif(sys.platform != "win32", reason="paths of Windows")
@pytest.mark.parametrize("path", ["\\\\server\\share\\in", "\\\\?\\UNC\\server\\share\\in", "\\\\wsl$\\Debian\\in"])
def test_a_share_of_windows_is_remote_though_nobody_answers(path: str) -> None:
    assert remote_type(Path(path)) == "network drive"
