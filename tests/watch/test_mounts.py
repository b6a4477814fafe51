"""Which folders are on another machine, as each system's own tables say it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from paperchute.watch import mounts
from paperchute.watch.mounts import remote_among, remote_type
from tests.systems import not_wine

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


@pytest.mark.skipif(sys.platform != "win32", reason="drives of Windows")
def test_a_mapped_drive_is_taken_for_a_local_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "win32":
        raise AssertionError("its mark skips it")
    system = mounts._kernel32
    says_remote = SimpleNamespace(GetDriveTypeW=lambda _: 4, GetVolumePathNameW=system.GetVolumePathNameW)
    assert remote_type(tmp_path) is None
    monkeypatch.setattr(mounts, "_kernel32", says_remote)
    assert remote_type(tmp_path) == "network drive"
    assert remote_type(tmp_path / "not" / "there") == "network drive"


@pytest.mark.skipif(sys.platform != "win32", reason="drives of Windows")
@not_wine("a drive that is made of a folder leads nowhere")
def test_a_drive_that_stands_for_a_folder_is_what_the_folder_is(tmp_path: Path) -> None:
    with substituted(tmp_path) as drive:
        assert drive.is_dir()
        assert remote_type(drive) is None


@pytest.mark.skipif(sys.platform != "win32", reason="links of Windows")
@not_wine("it has no junctions")
def test_a_junction_is_what_it_leads_to(tmp_path: Path) -> None:
    if sys.platform != "win32":
        raise AssertionError("its mark skips it")
    import _winapi

    (tmp_path / "in").mkdir()
    _winapi.CreateJunction(str(tmp_path / "in"), str(tmp_path / "junction"))
    assert remote_type(tmp_path / "junction") is None
    assert mounts._on_network_drive(tmp_path / "junction") is False


@contextlib.contextmanager
def substituted(folder: Path) -> Iterator[Path]:
    """A drive made of a folder, as `subst` makes it."""
    if sys.platform != "win32":
        raise AssertionError("there are none elsewhere")
    import ctypes

    define = ctypes.windll.kernel32.DefineDosDeviceW
    assert define(0, "Q:", str(folder))
    try:
        yield Path("Q:/")
    finally:
        define(2, "Q:", str(folder))  # DDD_REMOVE_DEFINITION
