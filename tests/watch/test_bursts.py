"""Thousands of files at once: none lost, none twice, also when the system drops events."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.watch.interface import HotFolder
from tests.watch.conftest import LONG, PDF, Watched

WRITER = """
import os, sys
how, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = b"%PDF-1.7\\n%%EOF\\n"
for number in range(count):
    path = f"{folder}/{how}{number}.pdf"
    if how == "deep":
        os.makedirs(f"{folder}/{number // 5}/a/b", exist_ok=True)
        path = f"{folder}/{number // 5}/a/b/{number}.pdf"
    temporary = path + ".part" if how == "rename" else path
    with open(temporary, "wb", buffering=0) as file:
        file.write(data[:8])
        file.write(data[8:])
    if how == "rename":
        os.rename(temporary, path)
"""

LISTENER = """
import queue, sys
from pathlib import Path
from types import SimpleNamespace
from paperchute.watch.interface import HotFolder, Ready
from paperchute.watch.watcher import Watcher
out = queue.SimpleQueue()
interest = SimpleNamespace(wanted=lambda folder, path: True)
observer = SimpleNamespace(publish=out.put)
watcher = Watcher([HotFolder(Path(sys.argv[1]), recursive=True)], interest, out, observer)
watcher.start()
watcher.until_settled()
while (record := out.get()):
    line = record.path.name if isinstance(record, Ready) else f"{record.kind} {record.over}"
    print(line, flush=True)
"""


def writer(how: str, folder: Path, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, how, folder, str(count)])


def test_a_burst_from_several_writers_is_taken_whole_and_once(hot: Path, watch: Callable[..., Watched]) -> None:
    watched = watch(HotFolder(hot, recursive=True))
    writers = [writer(how, hot, 1500) for how in ("plain", "rename", "deep")]
    watched.files(4500)
    assert [each.wait(LONG) for each in writers] == [0, 0, 0]
    assert Counter(watched.settled()) == Counter(path for path in hot.rglob("*.pdf"))


def test_files_that_were_there_before_the_start_are_taken(hot: Path, watch: Callable[..., Watched]) -> None:
    assert writer("deep", hot, 1000).wait(LONG) == 0
    watched = watch(HotFolder(hot, recursive=True))
    assert sorted(watched.files(1000)) == sorted(hot.rglob("*.pdf"))
    assert len(watched.settled()) == 1000


def test_sub_folders_are_left_alone_unless_the_rule_wants_them(hot: Path, watch: Callable[..., Watched]) -> None:
    (hot / "before").mkdir()
    (hot / "before" / "a.pdf").write_bytes(PDF)
    watched = watch(HotFolder(hot))
    (hot / "after").mkdir()
    (hot / "after" / "a.pdf").write_bytes(PDF)
    (hot / "top.pdf").write_bytes(PDF)
    assert watched.files(1) == [hot / "top.pdf"]
    assert watched.settled() == [hot / "top.pdf"]


def _queue_length() -> int:
    limit = Path("/proc/sys/fs/inotify/max_queued_events")
    return int(limit.read_text()) if sys.platform == "linux" and limit.exists() else 0


@pytest.mark.skipif(not 0 < _queue_length() <= 20_000, reason="the system's event queue is not Linux's, or too long")
def test_nothing_is_lost_when_the_watcher_sleeps_while_the_event_queue_overflows(hot: Path) -> None:
    listener = subprocess.Popen(
        [sys.executable, "-c", LISTENER, hot],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": "daemon"},
        text=True,
    )
    assert listener.stdout is not None
    hang = threading.Timer(4 * LONG, listener.kill)
    hang.start()
    try:
        (hot / "first.pdf").write_bytes(PDF)
        assert listener.stdout.readline() == "first.pdf\n"
        listener.send_signal(signal.SIGSTOP)
        flood = writer("plain", hot, _queue_length() // 2 + 200)
        assert flood.wait(LONG) == 0
        assert writer("deep", hot, 500).wait(LONG) == 0  # folders nobody has heard of
        listener.send_signal(signal.SIGCONT)
        expected = {path.name for path in hot.rglob("*.pdf")} - {"first.pdf"}
        told: list[str] = []
        got: list[str] = []
        while len(got) < len(expected) or len(told) < 2:
            line = listener.stdout.readline().rstrip("\n")
            assert line, (told, len(got), len(expected))
            (told if line.startswith("overflow") else got).append(line)
        (hot / "0" / "a" / "b" / "late.pdf").write_bytes(PDF)  # watched from now on, not only looked through
        assert listener.stdout.readline() == "late.pdf\n"
    finally:
        hang.cancel()
        listener.kill()
        listener.wait()
    assert told == ["overflow False", "overflow True"]
    assert Counter(got) == Counter(expected)
