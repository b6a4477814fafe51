"""Files that another program has open: waited for on Windows, and named at last."""

from __future__ import annotations

import contextlib
import errno
import stat
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PIL import Image

from paperchute.app import reader_worker, thumbnails
from paperchute.app.pdf_files import open_pdf
from paperchute.errors import PaperchuteError
from paperchute.files import beneath, placement, sharing
from paperchute.files.identity import opened
from paperchute.files.sharing import when_free
from paperchute.service.upload import parts_for
from tests.journeys.documents import write_pdf

windows = pytest.mark.skipif(sys.platform != "win32", reason="other systems do not mind")


class Clock:
    """Time passes by sleeping alone."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(sharing, "time", clock)
    return clock


class Refused(PermissionError):
    """As Windows raises it; elsewhere OSError knows no `winerror`."""

    def __init__(self, code: int | None) -> None:
        super().__init__(errno.EACCES, "refused", "a.pdf")
        self.code = code

    @property
    def winerror(self) -> int | None:  # type: ignore[override, unused-ignore]
        return self.code


def refusing(code: int | None, times: int) -> list[PermissionError]:
    return [Refused(code) for _ in range(times)]


def acting(errors: list[PermissionError]) -> str:
    if errors:
        raise errors.pop()
    return "done"


@pytest.mark.parametrize(("code", "times"), [(32, 20), (33, 20), (5, 5)])
def test_what_is_let_go_of_is_done(code: int, times: int, clock: Clock) -> None:
    errors = refusing(code, times)
    assert when_free(lambda: acting(errors)) == "done"
    assert 0 < clock.now < 10


@pytest.mark.parametrize("code", [32, 33])
def test_what_stays_open_is_said(code: int, clock: Clock) -> None:
    errors = refusing(code, 1000)
    with pytest.raises(PermissionError, match="it is open in another program") as caught:
        when_free(lambda: acting(errors))
    assert caught.value.filename == "a.pdf"
    assert 10 <= clock.now < 11


def test_a_missing_right_is_no_open_file(clock: Clock) -> None:
    errors = refusing(5, 1000)
    with pytest.raises(PermissionError, match="refused"):
        when_free(lambda: acting(errors))
    assert 2 <= clock.now < 3


@pytest.mark.parametrize("code", [None, 2, 183])
def test_anything_else_is_raised_at_once(code: int | None, clock: Clock) -> None:
    errors = refusing(code, 1)
    with pytest.raises(PermissionError):
        when_free(lambda: acting(errors))
    assert clock.now == 0


@windows
def test_a_file_that_is_read_is_placed_once_the_reader_is_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "a.pdf", tmp_path / "b.pdf"
    source.write_bytes(b"new")
    reader = source.open("rb")
    monkeypatch.setattr(time, "sleep", lambda seconds: reader.close())
    assert placement.place_new(source, target)
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("kind", ["unlink", "remove"])
def test_a_file_marked_as_read_only_is_removed(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"x")
    path.chmod(stat.S_IREAD)
    with beneath.opened(tmp_path) as folder:
        getattr(folder, kind)("a.pdf")
    assert not path.exists()


@pytest.mark.parametrize("way", ["opened", "in its folder", "by its path", "PDFium"])
def test_whoever_saves_renames_or_deletes_a_file_is_not_hindered_by_our_reading_it(way: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    write_pdf(path, "Text")
    with contextlib.ExitStack() as held:
        match way:
            case "opened":
                held.enter_context(opened(path))
            case "in its folder":
                held.enter_context(beneath.reading(path, tmp_path))
            case "by its path":
                held.enter_context(beneath.reading(path, None))
            case "PDFium":
                held.callback(open_pdf(path).close)
        with path.open("ab") as file:
            file.write(b"more")
        path.rename(tmp_path / "b.pdf")
        (tmp_path / "b.pdf").unlink()


@pytest.mark.parametrize("name", ["a.pdf", "a.png", "a.zip", "a.txt"])
def test_whoever_renames_a_file_is_not_hindered_by_our_looking_what_it_is(name: str, tmp_path: Path) -> None:
    path = make(tmp_path / name)
    asked = [
        lambda at: reader_worker.answer({"path": str(at), "want": ["kind", "pages", "text", "unread"]}),
        lambda at: thumbnails.answer_thumbnail({"path": str(at), "side": 64}, b""),
        lambda at: parts_for("pdf-generate", [at], {"template": "<p>{{ a }}</p>"}),
    ]
    for ask in asked:
        done = threading.Event()
        asking = threading.Thread(target=keep_asking, args=(ask, (path, path.with_name(f"b-{name}")), done))
        asking.start()
        try:
            for _ in range(100):
                path.rename(path.with_name(f"b-{name}"))
                path.with_name(f"b-{name}").rename(path)
        finally:
            done.set()
            asking.join()


def make(path: Path) -> Path:
    match path.suffix:
        case ".pdf":
            write_pdf(path, "Text")
        case ".png":
            Image.new("RGB", (400, 400)).save(path)
        case ".zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("a.txt", "x" * 1000)
        case _:
            path.write_text("plain text\n" * 1000, "utf-8")
    return path


def keep_asking(ask: Callable[[Path], object], paths: Sequence[Path], done: threading.Event) -> None:
    while not done.is_set():
        for path in paths:
            with contextlib.suppress(OSError, PaperchuteError):
                ask(path)


def test_a_pdf_that_is_open_beside_others_is_read_as_any(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    write_pdf(path, "Text")
    assert reader_worker.answer({"path": str(path), "want": ["kind", "pages"]}) == {"kind": "pdf", "pages": 1}
