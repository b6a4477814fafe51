"""Programs write files in many ways; each file is taken once, whole, and none is forgotten."""

from __future__ import annotations

import json
import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.files.identity import key_of
from paperchute.watch import keeper
from paperchute.watch.interface import HotFolder, Ready
from paperchute.watch.watcher import Watcher
from tests.observers import Told
from tests.systems import links
from tests.watch.conftest import LONG, PDF, Watched
from tests.watch.interest import Interest

Watch = Callable[..., Watched]
TEXT = b"".join(b"line %d\n" % number for number in range(40))
linux = pytest.mark.skipif(sys.platform != "linux", reason="a matter of Linux")
KNOWS_WRITERS = sys.platform in ("linux", "win32")
knowing_writers = pytest.mark.skipif(not KNOWS_WRITERS, reason="this system does not say who has a file open")


def parts(data: bytes, count: int = 5) -> list[bytes]:
    step = -(-len(data) // count)
    return [data[at : at + step] for at in range(0, len(data), step)]


def write_slowly(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        for part in parts(data):
            file.write(part)
            time.sleep(0.2)


def append_in_several_opens(path: Path, data: bytes) -> None:
    for part in parts(data):
        with path.open("ab") as file:
            file.write(part)
        time.sleep(0.2)


def rename_from_part(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    write_slowly(part, data)
    part.rename(path)


def fill_what_was_allocated(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        file.truncate(len(data))
        for part in parts(data):
            time.sleep(0.2)
            file.write(part)


def link_from_elsewhere(path: Path, data: bytes) -> None:
    other = path.parent.parent / "other"
    other.write_bytes(data)
    path.hardlink_to(other)


def put_a_placeholder_first(path: Path, data: bytes) -> None:
    path.touch()
    time.sleep(0.6)
    write_slowly(path.with_name("x8Yz.part"), data)
    path.with_name("x8Yz.part").replace(path)


def like_rsync(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.Ab12Cd")
    temporary.write_bytes(data)
    os.utime(temporary, (1e9, 1e9))
    temporary.rename(path)


def copy_from_elsewhere(path: Path, data: bytes) -> None:
    other = path.parent.parent / "other"
    other.write_bytes(data)
    shutil.copy2(other, path)


def download_with_a_control_file(path: Path, data: bytes) -> None:
    control = path.with_name(path.name + ".aria2")
    control.touch()
    path.write_bytes(PDF)  # looks whole, and is not what it will be
    time.sleep(0.2)
    path.write_bytes(data)
    control.unlink()


WRITERS = [
    (rename_from_part, TEXT), (link_from_elsewhere, TEXT), (like_rsync, TEXT), (copy_from_elsewhere, PDF),
    (append_in_several_opens, PDF), (put_a_placeholder_first, PDF), (download_with_a_control_file, PDF + PDF),
    pytest.param(write_slowly, TEXT, marks=knowing_writers),
    pytest.param(write_slowly, PDF, marks=knowing_writers),
    pytest.param(fill_what_was_allocated, TEXT, marks=knowing_writers),
]  # fmt: skip


@pytest.mark.parametrize(("write", "data"), WRITERS)
def test_a_file_is_taken_once_and_whole(
    write: Callable[[Path, bytes], None], data: bytes, hot: Path, watch: Watch
) -> None:
    watched = watch(HotFolder(hot))
    path = hot / "report.bin"
    write(path, data)
    assert watched.files(1) == [path]
    assert watched.bytes[path] == data
    ((member, key),) = watched.readies[0].members
    now = key_of(path)
    assert now is not None
    assert member == path
    assert key == now or (write is copy_from_elsewhere and key.same_bytes_likely(now)), "that one sets the time last"
    again = watched.settled()[1:]
    assert again == ([path] if again and write is copy_from_elsewhere else []), "unless taken before that time was set"


def test_a_control_file_is_heeded_before_the_first_look_has_found_it(
    hot: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, look = keeper.scan, threading.Event()
    monkeypatch.setattr(keeper, "scan", lambda *arguments: (look.wait(LONG), looked(*arguments)))
    control = hot / "film.pdf.aria2"
    control.touch()
    watched = watch(HotFolder(hot))
    time.sleep(0.5)  # armed by now, and held up before its look
    (hot / "film.pdf").write_bytes(PDF)
    time.sleep(0.5)
    assert not watched.take(0.0)
    look.set()
    time.sleep(0.5)
    assert not watched.take(0.0)
    control.unlink()
    assert watched.files(1) == [hot / "film.pdf"]


def test_a_writer_without_marks_that_reopens_is_waited_for_when_the_rule_says_so(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot, settle=1.0))
    append_in_several_opens(hot / "log.txt", TEXT)
    assert watched.files(1) == [hot / "log.txt"]
    assert watched.bytes[hot / "log.txt"] == TEXT


def test_the_wait_is_learned_from_a_file_that_grew_after_it_was_taken(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot))
    first = hot / "first.txt"
    first.write_bytes(TEXT)
    watched.files(1)
    key = watched.readies[0].members[0][1]
    time.sleep(0.8)
    first.write_bytes(TEXT + TEXT)
    watched.watcher.again(first, key)
    watched.files(2)
    assert watched.settled() == [first, first]
    assert watched.bytes[first] == TEXT + TEXT
    append_in_several_opens(hot / "second.txt", TEXT)
    assert watched.settled() == [first, first, hot / "second.txt"]
    assert watched.bytes[hot / "second.txt"] == TEXT


def test_what_was_learned_is_known_after_a_restart(hot: Path, watch: Watch, tmp_path: Path) -> None:
    watched = watch(HotFolder(hot))
    (hot / "first.txt").write_bytes(TEXT)
    watched.files(1)
    watched.watcher.again(hot / "first.txt", gap=0.8)
    watched.until(lambda: bool(watched.watcher.learned()))
    learned = json.loads(json.dumps(watched.watcher.learned()))
    assert learned == {str(hot): {".txt": pytest.approx(1.7)}}
    watched.watcher.stop()

    out: queue.SimpleQueue[Ready] = queue.SimpleQueue()
    interest = Interest(lambda folder, path: path.name == "second.txt")
    again = Watcher([HotFolder(hot)], interest, out, Told(), learned)
    again.start()
    try:
        append_in_several_opens(hot / "second.txt", TEXT)
        record = out.get(timeout=LONG)
        assert record.path.read_bytes() == TEXT, "waited for, as its like was before"
        assert again.learned() == learned
    finally:
        again.stop()


def test_a_file_that_was_away_when_it_was_asked_for_again_is_reported_when_it_is_back(
    hot: Path, tmp_path: Path, watch: Watch
) -> None:
    watched = watch(HotFolder(hot))
    file = hot / "a.pdf"
    file.write_bytes(PDF)
    watched.files(1)
    hot.rename(tmp_path / "elsewhere")
    watched.until(lambda: watched.told("missing"))
    watched.watcher.again(file)
    (tmp_path / "elsewhere").rename(hot)
    assert watched.files(2) == [file, file]
    assert watched.settled() == [file, file], "and once only"


def test_work_that_failed_on_a_changed_file_gets_it_again_but_only_once(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot))
    path = hot / "a.pdf"
    path.write_bytes(PDF)
    watched.files(1)
    watched.watcher.again(path, watched.readies[0].members[0][1])
    assert watched.settled() == [path, path]
    path.write_bytes(PDF + PDF)
    watched.files(3)
    watched.watcher.again(path, watched.readies[0].members[0][1])  # an old state: the new one is reported already
    assert watched.settled() == [path, path, path]


def test_times_changed_after_the_close_never_report_one_state_twice(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot))
    for number in range(20):
        path = hot / f"{number}.pdf"
        path.write_bytes(PDF)
        os.utime(path, (1e9, 1e9))
        path.open("ab").close()
    watched.settled()
    states = [member for ready in watched.readies for member in ready.members]
    assert len(states) == len(set(states))
    assert dict(states) == {path: key_of(path) for path in hot.iterdir()}


def test_a_file_saved_again_is_taken_again(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot))
    path = hot / "a.pdf"
    path.write_bytes(PDF)
    watched.files(1)
    (hot / ".goutputstream-X1").write_bytes(PDF + PDF)
    (hot / ".goutputstream-X1").replace(path)
    assert watched.files(2) == [path, path]
    assert watched.bytes[path] == PDF + PDF
    path.write_bytes(PDF)
    assert watched.files(3) == [path, path, path]
    assert watched.settled() == [path, path, path]


def test_the_same_file_dropped_again_is_taken_again(hot: Path, tmp_path: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot))
    path = hot / "a.pdf"
    path.write_bytes(PDF)
    watched.files(1)
    path.rename(tmp_path / "done.pdf")
    watched.watcher.forget(path)
    watched.settled()
    (tmp_path / "done.pdf").rename(path)
    assert watched.files(2) == [path, path]
    assert watched.readies[0].members == watched.readies[1].members


def test_a_drop_before_the_old_one_is_forgotten_is_not_lost(hot: Path, tmp_path: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot))
    path = hot / "a.pdf"
    path.write_bytes(PDF)
    watched.files(1)
    path.rename(tmp_path / "done.pdf")
    path.write_bytes(PDF)
    watched.watcher.forget(path)
    assert watched.settled() == [path, path]


@linux
def test_a_file_that_is_linked_in_from_an_unnamed_one_is_taken(hot: Path, watch: Watch) -> None:
    if sys.platform != "linux":
        raise AssertionError("its mark skips it")
    watched = watch(HotFolder(hot))
    try:
        unnamed = os.open(hot, os.O_TMPFILE | os.O_WRONLY)
    except OSError:
        pytest.skip("no unnamed files on this file system")
    os.write(unnamed, TEXT[:50])
    folder = os.open(hot, os.O_RDONLY)  # naming one makes os.link use linkat(2), which follows the link in /proc
    os.link(f"/proc/self/fd/{unnamed}", hot / "a.txt", src_dir_fd=folder, follow_symlinks=True)
    os.close(folder)
    time.sleep(0.6)
    os.write(unnamed, TEXT[50:])
    os.close(unnamed)
    assert watched.files(1) == [hot / "a.txt"]
    assert watched.bytes[hot / "a.txt"] == TEXT


@links
def test_links_are_never_taken(hot: Path, tmp_path: Path, watch: Watch) -> None:
    (tmp_path / "secret.pdf").write_bytes(PDF)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.pdf").write_bytes(PDF)
    watched = watch(HotFolder(hot, recursive=True))
    (hot / "link.pdf").symlink_to(tmp_path / "secret.pdf")
    (hot / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (hot / "real.pdf").write_bytes(PDF)
    assert watched.files(1) == [hot / "real.pdf"]
    assert watched.settled() == [hot / "real.pdf"]


def test_pipes_and_temporary_files_are_never_taken(hot: Path, watch: Watch) -> None:
    watched = watch(HotFolder(hot, recursive=True))
    if sys.platform != "win32":
        os.mkfifo(hot / "pipe.pdf")
    (hot / "a.pdf.part").write_bytes(PDF)
    (hot / "safari.download").mkdir()
    (hot / "safari.download" / "a.pdf").write_bytes(PDF)
    (hot / ".out.paperchute~").write_bytes(PDF)
    (hot / "real.pdf").write_bytes(PDF)
    assert watched.files(1) == [hot / "real.pdf"]
    assert watched.settled() == [hot / "real.pdf"]


NAMES = [
    "two\nlines.pdf", "-rf.pdf", " space .pdf", "ünï – çödé 文書.pdf", "🗂️.pdf", "quote's \"x\".pdf",
    "bytes \udcff\udcfe.pdf", "$(reboot).pdf", "%s{}.pdf", "x" * 251 + ".pdf",
]  # fmt: skip
if sys.platform != "linux":  # these systems, or their disks, take no such names; Windows takes whole paths of 259 only
    NAMES = [name for name in NAMES if not {"\n", '"', "\udcff"} & set(name) and len(name) < 100]


@pytest.mark.parametrize("before", [True, False])
def test_any_name_a_file_can_have_is_reported_as_it_is(before: bool, hot: Path, watch: Watch) -> None:
    for name in NAMES if before else []:
        (hot / name).write_bytes(PDF)
    watched = watch(HotFolder(hot))
    for name in [] if before else NAMES:
        (hot / name).write_bytes(PDF)
    assert sorted(watched.files(len(NAMES))) == sorted(hot / name for name in NAMES)


@pytest.mark.slow
def test_what_waits_is_shown_with_its_reason_and_cut_files_are_given_out_in_the_end(hot: Path, watch: Watch) -> None:
    (hot / "empty.txt").touch()
    (hot / "cut.pdf").write_bytes(PDF[:100])
    (hot / "film.pdf").write_bytes(PDF)
    (hot / "film.pdf.aria2").touch()
    watched = watch(HotFolder(hot))
    with (hot / "open.pdf").open("wb") as file:
        file.write(PDF)
        file.flush()
        watched.until(lambda: len(watched.watcher.waiting()) >= (4 if KNOWS_WRITERS else 3))
        reasons = {wait.path.name: wait.reason for wait in watched.watcher.waiting()}
        assert reasons.items() >= {"empty.txt": "empty", "cut.pdf": "incomplete", "film.pdf": "companion"}.items()
        assert not KNOWS_WRITERS or reasons["open.pdf"] == "open"
    waiting = watched.watcher.until_settled(3 * 20.0)
    assert {wait.path.name: wait.reason for wait in waiting} == {"film.pdf": "companion", "empty.txt": "empty"}
    assert sorted(watched.files(2)) == [hot / "cut.pdf", hot / "open.pdf"]
    (hot / "film.pdf.aria2").unlink()
    (hot / "empty.txt").write_bytes(TEXT)
    assert sorted(watched.files(4)[2:]) == [hot / "empty.txt", hot / "film.pdf"]
    assert watched.watcher.waiting() == []
