"""Unmounts and the system's watch limits, in namespaces of their own, so that nothing outside is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.files.open_files import ignore_lease_signal
from paperchute.watch.interface import HotFolder
from tests.watch.conftest import LONG, PDF, Watched

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")


def inside(kinds: str, body: str, folder: Path, module: str = __name__) -> None:
    """Run the function `body` of a module on `folder` in a process with namespaces of its own."""
    unshare = ["unshare", *kinds.split()]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("the kernel refuses namespaces here")
    code = f"from pathlib import Path; from {module} import {body}; {body}(Path({str(folder)!r}))"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'daemon'}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [*unshare, sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=4 * LONG,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True)


def drop(folder: Path, name: str) -> Path:
    part = folder / f"{name}.part"
    part.write_bytes(PDF + name.encode())
    return part.rename(folder / name)


def started(*folders: HotFolder) -> Watched:
    ignore_lease_signal()
    watched = Watched(*folders)
    watched.watcher.start()
    return watched


def unmounted(base: Path, *how: str) -> None:
    """A share with a hot folder goes and comes back, with what was in it and with something new."""
    share, elsewhere = base / "share", base / "elsewhere"
    share.mkdir()
    elsewhere.mkdir()
    mount("-t", "tmpfs", "none", elsewhere)
    mount("--bind", elsewhere, share)
    hot = share / "hot"
    hot.mkdir()
    watched = started(HotFolder(hot))
    drop(hot, "before.pdf")
    watched.files(1)
    watched.until(lambda: subprocess.run(["umount", *how, str(share)], check=False).returncode == 0)  # busy for a look
    watched.until(lambda: watched.told("missing"))
    drop(elsewhere / "hot", "meanwhile.pdf")  # by somebody else, on the share itself
    mount("--bind", elsewhere, share)
    watched.until(lambda: watched.told("missing", over=True))
    assert watched.files(2)[1] == hot / "meanwhile.pdf"
    drop(hot, "after.pdf")
    assert watched.files(3)[2] == hot / "after.pdf"
    assert len(watched.settled()) == 3, "what was reported before is not reported again"
    watched.watcher.stop()


def lazily_unmounted(base: Path) -> None:
    unmounted(base, "-l")


def mount_point(base: Path) -> None:
    """The hot folder is the mount point itself, so that an empty folder stays behind when its share goes."""
    hot, elsewhere = base / "hot", base / "elsewhere"
    hot.mkdir()
    elsewhere.mkdir()
    mount("-t", "tmpfs", "none", elsewhere)
    mount("--bind", elsewhere, hot)
    watched = started(HotFolder(hot))
    drop(hot, "before.pdf")
    watched.files(1)
    subprocess.run(["umount", "-l", str(hot)], check=True)
    watched.settled()
    drop(hot, "beneath.pdf")  # into the bare folder
    assert watched.files(2)[1] == hot / "beneath.pdf"
    mount("--bind", elsewhere, hot)
    drop(elsewhere, "after.pdf")
    watched.until(lambda: hot / "after.pdf" in watched.paths())
    watched.watcher.stop()


def remounted_elsewhere(base: Path) -> None:
    """Another share is mounted in the place of the first."""
    hot = base / "hot"
    hot.mkdir()
    mount("-t", "tmpfs", "one", hot)
    watched = started(HotFolder(hot))
    drop(hot, "one.pdf")
    watched.files(1)
    mount("-t", "tmpfs", "two", hot)
    drop(hot, "two.pdf")
    assert watched.files(2)[1] == hot / "two.pdf"
    drop(hot, "three.pdf")
    assert watched.files(3)[2] == hot / "three.pdf"
    watched.watcher.stop()


def few_watches(base: Path) -> None:
    """More sub-folders than the system has watches for."""
    limit = Path("/proc/sys/user/max_inotify_watches")  # of this namespace alone
    limit.write_text("20")
    hot = base / "hot"
    for number in range(60):
        (hot / f"{number:02}").mkdir(parents=True)
    watched = started(HotFolder(hot, recursive=True))
    watched.until(lambda: watched.told("limit"))
    for number in range(60):
        drop(hot / f"{number:02}", "a.pdf")
    assert len(set(watched.files(60))) == 60
    (told,) = [trouble.message for trouble in watched.troubles if trouble.kind == "limit"]
    assert "sysctl fs.inotify.max_user_watches" in told
    limit.write_text("1000")
    watched.until(lambda: watched.told("limit", over=True))
    drop(hot / "59", "b.pdf")
    assert watched.files(61)[60] == hot / "59" / "b.pdf"
    assert len(watched.settled()) == 61
    watched.watcher.stop()


def no_instance(base: Path) -> None:
    """No inotify instance is to be had at all: everything is polled until there is one."""
    limit = Path("/proc/sys/user/max_inotify_instances")
    limit.write_text("0")
    hot = base / "hot"
    hot.mkdir()
    watched = started(HotFolder(hot))
    watched.until(lambda: watched.told("limit"))
    drop(hot, "a.pdf")
    assert watched.files(1) == [hot / "a.pdf"]
    assert any("max_user_instances" in trouble.message for trouble in watched.troubles)
    limit.write_text("16")
    watched.until(lambda: watched.told("limit", over=True))
    drop(hot, "b.pdf")
    watched.files(2)
    watched.watcher.stop()


@pytest.mark.parametrize("body", ["unmounted", "lazily_unmounted", "mount_point", "remounted_elsewhere"])
def test_a_share_that_goes_and_comes_back_is_watched_again(body: str, tmp_path: Path) -> None:
    inside("-m", body, tmp_path)


@pytest.mark.parametrize("body", ["few_watches", "no_instance"])
def test_beyond_the_system_s_limits_folders_are_polled_and_the_way_out_is_told(body: str, tmp_path: Path) -> None:
    inside("-U -r", body, tmp_path)
