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
from paperchute.jobs import material
from paperchute.jobs.work import Work
from paperchute.rules.model import Step
from paperchute.service.neighbours import with_neighbours
from paperchute.service.records import Call, InputChangedError
from paperchute.service.upload import Form
from paperchute.watch.end_marks import end_mark
from tests.jobs.bench import Bench

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links and pipes")


def test_a_list_swapped_for_a_link_and_back_is_not_read_through_it(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "salaries.csv"
    secret.write_text("name\nOf nobody's business\n")
    table = bench.drop("list.csv", b"name\nPublic\n")
    job = bench.queue(table, gather="rows", steps=(Step("pdf-generate", {"template": "<p>"}),), match=("*.csv",))
    is_same = material.is_same

    def back(path: Path, *more: object) -> bool:
        table.unlink()
        (tmp_path / "aside").rename(table)
        return is_same(path, *more)  # type: ignore[arg-type]

    table.rename(tmp_path / "aside")
    table.symlink_to(secret)
    monkeypatch.setattr(material, "is_same", back)
    with pytest.raises(InputChangedError):
        material.material_of(Work(job))


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
        "Form": lambda: Form(Call("pdf-to-html", (("file", path),), {}, "k", keys={path: key}), False).__enter__(),
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


def test_a_page_s_neighbours_are_those_of_the_page_that_was_opened(tmp_path: Path) -> None:
    """Its folder is swapped for a link to one where a file of the same name lies."""
    page = b"<img src='pic.png'>"
    for name in ("sub", "private"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.html").write_bytes(page)
    (tmp_path / "private" / "pic.png").write_bytes(b"secret")
    path = tmp_path / "sub" / "page.html"
    key = key_of(path)
    (tmp_path / "sub").rename(tmp_path / "aside")
    (tmp_path / "sub").symlink_to("private")
    with pytest.raises(FileNotFoundError):
        with_neighbours(page, path, key=key)


def test_a_neighbour_is_not_reached_through_a_link_that_appears(tmp_path: Path) -> None:
    for name in ("hot", "private"):
        (tmp_path / name).mkdir()
    (tmp_path / "private" / "pic.png").write_bytes(b"secret")
    (tmp_path / "hot" / "page.html").write_bytes(b"x")
    (tmp_path / "hot" / "sub").symlink_to(tmp_path / "private")
    missing: dict[str, str] = {}
    page = b"<img src='sub/pic.png'>"
    assert with_neighbours(page, tmp_path / "hot" / "page.html", missing) == page
    assert list(missing) == ["sub/pic.png"]
