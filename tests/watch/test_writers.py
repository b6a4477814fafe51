"""How real programs write: every file is given out once, and whole."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from paperchute.watch.records import HotFolder
from tests.watch.hot import watching

PDF = b"%PDF-1.7\n" + b"x" * 5000 + b"\n%%EOF\n"


@pytest.fixture
def hot_path(tmp_path: Path) -> Path:
    path = tmp_path / "hot"
    path.mkdir()
    return path


def test_a_file_that_was_there_before_the_start_is_taken(hot_path: Path) -> None:
    (hot_path / "a.pdf").write_bytes(PDF)
    with watching(HotFolder(hot_path)) as hot:
        hot.until(lambda: bool(hot.ready))
        hot.rest()
    assert hot.names() == ["a.pdf"]


def test_a_slow_writer_is_waited_for(hot_path: Path) -> None:
    with watching(HotFolder(hot_path)) as hot:
        with (hot_path / "a.txt").open("wb") as file:
            for _ in range(6):
                file.write(b"line\n")
                file.flush()
                time.sleep(0.2)
                hot.collect()
                assert not hot.ready
        hot.until(lambda: bool(hot.ready))
        hot.rest()
    assert hot.content[hot_path / "a.txt"] == b"line\n" * 6
    assert len(hot.ready) == 1


def test_a_pdf_appended_in_several_opens_is_taken_when_it_ends(hot_path: Path) -> None:
    with watching(HotFolder(hot_path)) as hot:
        for start in range(0, len(PDF), 1000):
            with (hot_path / "a.pdf").open("ab") as file:
                file.write(PDF[start : start + 1000])
            time.sleep(0.1)
        hot.until(lambda: bool(hot.ready))
        hot.rest()
    assert hot.content[hot_path / "a.pdf"] == PDF
    assert len(hot.ready) == 1


def test_a_download_is_taken_under_its_final_name_only(hot_path: Path) -> None:
    with watching(HotFolder(hot_path)) as hot:
        (hot_path / "a.pdf").touch()  # Firefox's placeholder
        part = hot_path / "a.pdf.part"
        part.write_bytes(PDF)
        time.sleep(0.4)
        part.rename(hot_path / "a.pdf")
        hot.until(lambda: bool(hot.ready))
        hot.rest()
    assert hot.content == {hot_path / "a.pdf": PDF}
    assert len(hot.ready) == 1


def test_a_hard_link_and_a_file_made_with_its_folder_are_taken(hot_path: Path) -> None:
    source = hot_path.parent / "source.pdf"
    source.write_bytes(PDF)
    with watching(HotFolder(hot_path, recursive=True)) as hot:
        os.link(source, hot_path / "linked.pdf")
        deep = hot_path / "a" / "b" / "c"
        deep.mkdir(parents=True)
        (deep / "deep.pdf").write_bytes(PDF)
        hot.until(lambda: len(hot.ready) == 2)
        hot.rest()
    assert hot.names() == ["deep.pdf", "linked.pdf"]


def test_changed_times_do_not_make_a_file_new_while_it_waits(hot_path: Path) -> None:
    with watching(HotFolder(hot_path, settle=0.5)) as hot:
        path = hot_path / "a.pdf"
        path.write_bytes(PDF)
        os.utime(path, (1, 1))
        hot.until(lambda: bool(hot.ready))
        hot.rest()
    assert len(hot.ready) == 1


def test_a_symlink_is_not_followed(hot_path: Path) -> None:
    secret = hot_path.parent / "secret.pdf"
    secret.write_bytes(PDF)
    with watching(HotFolder(hot_path, recursive=True)) as hot:
        (hot_path / "link.pdf").symlink_to(secret)
        (hot_path / "folder").symlink_to(hot_path.parent, target_is_directory=True)
        (hot_path / "real.pdf").write_bytes(PDF)
        hot.until(lambda: bool(hot.ready))
        hot.rest()
    assert hot.names() == ["real.pdf"]


def test_an_empty_file_is_held_and_then_given_out_to_be_refused(hot_path: Path) -> None:
    with watching(HotFolder(hot_path)) as hot:
        (hot_path / "empty.pdf").touch()
        hot.rest(1.5)
        assert not hot.ready
        assert [w.reason for w in hot.watcher.waiting()] == ["empty"]
        assert not hot.watcher.settled()
        hot.until(lambda: bool(hot.ready))


def test_odd_names_arrive_exactly(hot_path: Path) -> None:
    odd = ["-dash.pdf", "new\nline.pdf", "ü é 漢字 🙂.pdf", "x" * 200 + ".pdf", "a b  c.PDF", "nfd-u\u0308.pdf"]
    raw = os.fsencode(hot_path) + b"/bytes-\xff\xfe.pdf"
    with watching(HotFolder(hot_path)) as hot:
        for name in odd:
            (hot_path / name).write_bytes(PDF)
        Path(os.fsdecode(raw)).write_bytes(PDF)
        hot.until(lambda: len(hot.ready) == len(odd) + 1)
    assert {os.fsencode(r.path) for r in hot.ready} == {os.fsencode(hot_path / n) for n in odd} | {raw}


def test_a_burst_by_several_writers_loses_nothing_and_doubles_nothing(hot_path: Path) -> None:
    outside = hot_path.parent / "outside"
    outside.mkdir()

    def plain(number: int) -> None:
        (hot_path / f"plain {number}.pdf").write_bytes(PDF)

    def rename(number: int) -> None:
        part = outside / f"renamed {number}.pdf"
        part.write_bytes(PDF)
        part.rename(hot_path / part.name)

    def deep(number: int) -> None:
        folder = hot_path / f"folder {number}" / "in"
        folder.mkdir(parents=True)
        (folder / f"deep {number}.pdf").write_bytes(PDF)

    with watching(HotFolder(hot_path, recursive=True)) as hot:
        writers = [
            threading.Thread(target=lambda w=writer: [w(n) for n in range(700)]) for writer in (plain, rename, deep)
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        hot.until(lambda: len(hot.ready) >= 2100, 60)
        hot.rest()
    assert len(hot.ready) == len(set(hot.names())) == 2100


def test_a_set_is_given_out_once_it_is_whole_and_quiet(hot_path: Path) -> None:
    with watching(HotFolder(hot_path, files=False, gather=True)) as hot:
        folder = hot_path / "bundle"
        folder.mkdir()
        for number in (10, 9, 1):
            (folder / f"page {number}.pdf").write_bytes(PDF)
            time.sleep(0.8)
            hot.collect()
            assert not hot.ready
        (hot_path / "loose.pdf").write_bytes(PDF)
        hot.until(lambda: bool(hot.ready))
        hot.rest()
    assert len(hot.ready) == 1
    assert hot.ready[0].is_set
    assert [p.name for p, _ in hot.ready[0].members] == ["page 1.pdf", "page 9.pdf", "page 10.pdf"]


def test_a_set_moved_in_whole_is_taken(hot_path: Path) -> None:
    outside = hot_path.parent / "bundle"
    (outside / "sub").mkdir(parents=True)
    (outside / "a.pdf").write_bytes(PDF)
    (outside / "sub" / "b.pdf").write_bytes(PDF)
    with watching(HotFolder(hot_path, files=False, gather=True)) as hot:
        outside.rename(hot_path / "bundle")
        hot.until(lambda: bool(hot.ready))
    assert [p.name for p, _ in hot.ready[0].members] == ["a.pdf", "b.pdf"]
