"""What is there is asked by name, which keeps nobody from deleting it."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.files.presence import is_folder, is_there
from tests.systems import links


def test_what_is_there_is_told_from_what_is_not(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.pdf", tmp_path / "sub"
    file.write_bytes(b"x")
    folder.mkdir()
    assert is_there(file)
    assert not is_folder(file)
    assert is_there(folder)
    assert is_folder(folder)
    for nothing in (tmp_path / "b.pdf", tmp_path / "no" / "b.pdf", file / "b.pdf", tmp_path / ("x" * 300)):
        assert not is_there(nothing), nothing
        assert not is_folder(nothing), nothing


@links
def test_a_link_that_leads_nowhere_is_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert is_there(tmp_path / "link")
    assert not is_folder(tmp_path / "link")


@pytest.mark.skipif(sys.platform != "win32", reason="other systems do not mind")
@pytest.mark.parametrize("asked", [is_folder, is_there])
def test_whoever_deletes_a_folder_is_not_hindered_by_our_question_what_is_in_it(
    asked: Callable[[Path], bool], tmp_path: Path
) -> None:
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            asked(tmp_path / "sub" / "b.pdf")

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for _ in range(500):
            (tmp_path / "sub").mkdir()
            (tmp_path / "sub" / "b.pdf").write_bytes(b"x")
            shutil.rmtree(tmp_path / "sub")  # "not empty" while somebody holds the deleted file
    finally:
        done.set()
        asking.join()
