"""What whoever may write to a hot folder puts in the place of a file between two looks at it is never read."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.contract import kind_of
from paperchute.files.identity import hash_of, key_of, opened
from paperchute.service.model import Call, InputChangedError
from paperchute.service.upload import Form
from paperchute.watch.end_marks import end_mark

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links and pipes")


def without_waiting(look: Callable[[], object], pipe: Path) -> None:
    """Run what must not wait for a pipe."""
    ended = threading.Event()

    def run() -> None:
        with contextlib.suppress(OSError, InputChangedError):
            look()
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    waited = not ended.wait(10)
    if waited:  # let it go
        os.close(os.open(pipe, os.O_RDWR))
    assert not waited


@pytest.mark.parametrize("name", ["end_mark", "hash_of", "kind_of", "Form"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(name: str, tmp_path: Path) -> None:
    """One thread judges for all hot folders, and a few make all calls."""
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF")
    key = key_of(path)
    assert key is not None
    path.unlink()
    os.mkfifo(path)
    looks: dict[str, Callable[[], object]] = {
        "end_mark": lambda: end_mark(str(path), 4),
        "hash_of": lambda: hash_of(path),
        "kind_of": lambda: kind_of(path),
        "Form": lambda: Form(Call("pdf-to-html", (("file", path),), {}, "k", keys={path: key})).__enter__(),
    }
    without_waiting(looks[name], path)


@pytest.mark.parametrize("thing", ["link", "pipe", "folder", "another file", "nothing"])
def test_only_the_file_itself_is_opened(thing: str, tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"mine")
    other.write_bytes(b"same")
    key = key_of(path)
    with opened(path, key) as file:
        assert file.read() == b"mine"
    path.rename(tmp_path / "aside")
    match thing:
        case "link":
            path.symlink_to(tmp_path / "aside")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "another file":
            other.rename(path)
    with pytest.raises(FileNotFoundError):
        opened(path, key)
