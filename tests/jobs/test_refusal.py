"""What a disk refuses: others go on where it is about one file, and the sentence names what has to be put right."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.app.tally import Tally
from paperchute.files.sharing import HeldError
from paperchute.jobs.refusal import refusal_of
from paperchute.service.model import Call
from tests.jobs.bench import Bench
from tests.jobs.test_dispatcher import House


def forbidden(*paths: Path, number: int = errno.EACCES) -> OSError:
    error = OSError(number, os.strerror(number), str(paths[0]))
    if len(paths) > 1:
        error.filename2 = str(paths[1])
    return error


@pytest.mark.parametrize("folder", ["hot", "hot/theirs"])
def test_a_file_that_only_its_owner_may_read_holds_up_no_other(tmp_path: Path, folder: str) -> None:
    """Somebody saves scans with mode 0600: everybody else's work in that hot folder waited for it for ever."""
    house, tally = House(tmp_path, workers=1), Tally()
    house.events.subscribers.append(tally)
    (tmp_path / folder).mkdir(parents=True)
    theirs = tmp_path / folder / "theirs.pdf"
    may_be_read: list[bool] = []

    def called(call: Call) -> None:
        if call.files[0][1] == theirs and not may_be_read:
            raise forbidden(theirs)

    house.service.on_call = called
    house.drop("hot", theirs.relative_to(tmp_path / "hot").as_posix(), recursive=True)
    house.dispatcher.start()
    try:
        house.until(lambda: bool(tally.refused_by_disks()))
        house.drop("hot", "mine.pdf", recursive=True)
        house.until((tmp_path / "hot.out" / "mine.md").exists)
        assert [sentence.partition(":")[0] for sentence in tally.refused_by_disks()] == ["theirs.pdf"], "it is told yet"
        may_be_read.append(True)
        house.until_done()
        house.until(lambda: not tally.refused_by_disks())
    finally:
        house.dispatcher.stop(60)


def test_a_full_disk_holds_up_the_whole_folder_so_that_no_call_is_made_for_nothing(tmp_path: Path) -> None:
    house = House(tmp_path, workers=1)

    def called(call: Call) -> None:
        house.order.append(call.files[0][1].name)
        raise forbidden(tmp_path / "hot.out", number=errno.ENOSPC)

    house.service.on_call = called
    house.drop("hot", "a.pdf", "b.pdf")
    house.dispatcher.start()
    try:
        house.until(lambda: len(house.order) > 1)
    finally:
        house.dispatcher.stop(60)
    assert set(house.order) == {"a.pdf"}


def test_a_refused_file_that_is_taken_away_is_told_no_more(tmp_path: Path) -> None:
    house, tally = House(tmp_path, workers=1), Tally()
    house.events.subscribers.append(tally)

    def called(call: Call) -> None:
        raise forbidden(call.files[0][1])

    house.service.on_call = called
    house.drop("hot", "a.pdf")
    house.dispatcher.start()
    try:
        house.until(lambda: bool(tally.refused_by_disks()))
        (tmp_path / "hot" / "a.pdf").unlink()
        house.until_done()
        house.until(lambda: not tally.refused_by_disks())
    finally:
        house.dispatcher.stop(60)


@pytest.mark.parametrize(
    ("error", "kept", "sentence", "alone"),
    [
        (lambda hot, done: forbidden(hot / "a.pdf", done / "a.pdf"), "hot", "may not write to {hot}. Give", False),
        (lambda hot, done: forbidden(hot / "s" / "a.pdf", done / "a.pdf"), "s", "may not write to {hot}/s. Give", True),
        (lambda hot, done: forbidden(hot / "s", done / "s"), "s", "may not write to {hot}/s. Give", True),
        (lambda hot, done: forbidden(hot / "a.pdf", done / "a.pdf"), "done", "may not write to {done}. Give", False),
        (
            lambda hot, done: forbidden(hot / "a.pdf", done / "a.pdf", number=errno.EPERM),
            "",
            "may not move {hot}/a.pdf. Give",
            True,
        ),
        (lambda hot, done: forbidden(done / "new" / "sub"), "done", "may not write to {done}. Give", False),
        (lambda hot, done: forbidden(hot / "a.pdf"), "a.pdf", "may not read {hot}/a.pdf. Give", True),
        (
            lambda hot, done: forbidden(done / ".0.paperchute~", number=errno.ENOSPC),
            "",
            "there is no room left on the disk of {done}.",
            False,
        ),
        (
            lambda hot, done: HeldError(errno.EACCES, "it is open", str(hot / "a.pdf"), None, str(done / "a.pdf")),
            "",
            "{hot}/a.pdf cannot be used (it is open).",
            True,
        ),
    ],
)
def test_the_sentence_names_what_has_to_be_put_right(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    error: Callable[[Path, Path], OSError],
    kept: str,
    sentence: str,
    alone: bool,
) -> None:
    """A move that is refused names both ends, and mostly it is the other one that is not the matter."""
    job = bench.queue(bench.drop())
    done = bench.hot.parent / "hot.done"
    for folder in (done, bench.hot / "s"):
        folder.mkdir()
    (bench.hot / "s" / "a.pdf").write_bytes(b"x")

    def may(path: str | Path, mode: int) -> bool:
        return {"done": "hot.done"}.get(kept, kept) != Path(path).name

    monkeypatch.setattr(os, "access", may)
    found = refusal_of(job, error(bench.hot, done))
    assert sentence.format(hot=bench.hot, done=done) in found.what.replace(os.sep, "/").replace("\\", "/")
    assert (found.pause > 0) is alone
