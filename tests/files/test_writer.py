from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from paperchute.files.open_files import ignore_lease_signal, probe_lease, writer_open

linux = pytest.mark.skipif(sys.platform != "linux", reason="read leases are Linux's")
not_macos = pytest.mark.skipif(sys.platform == "darwin", reason="it has no such question")


@pytest.fixture(autouse=True)
def _survive() -> None:
    ignore_lease_signal()


@not_macos
def test_a_file_open_for_writing_in_another_process_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    if sys.platform == "linux" and not probe_lease(tmp_path):
        pytest.skip("this file system gives no leases")
    writer = subprocess.Popen(
        [sys.executable, "-c", "import sys; f = open(sys.argv[1], 'w'); print(flush=True); sys.stdin.read()", path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert writer.stdout is not None
    writer.stdout.readline()
    assert writer_open(path) is True
    writer.communicate()
    assert writer_open(path) is False


@not_macos
def test_readers_are_no_writers(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"x")
    with path.open("rb"):
        assert writer_open(path) in (False, None)


def test_what_cannot_be_asked_is_unknown_not_an_error(tmp_path: Path) -> None:
    assert writer_open(tmp_path / "missing") is None
    assert probe_lease(tmp_path / "missing") is False
    (tmp_path / "link").symlink_to(tmp_path / "missing")
    assert writer_open(tmp_path / "link") is None


def test_the_probe_leaves_nothing_behind(tmp_path: Path) -> None:
    probe_lease(tmp_path)
    assert list(tmp_path.iterdir()) == []


@linux
def test_a_writer_that_meets_our_lease_does_not_kill_us() -> None:
    assert signal.getsignal(signal.SIGIO) is signal.SIG_IGN


@linux
def test_a_probe_leaves_nothing_behind_nor_what_a_kill_left_of_an_earlier_one(tmp_path: Path) -> None:
    (tmp_path / ".probe.paperchute~").write_bytes(b"?")
    probe_lease(tmp_path)
    assert list(tmp_path.iterdir()) == []
