"""Office files printed by LibreOffice, in a real worker behind its fence; what breaks it the next printer has."""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from paperchute.contract import libreoffice
from paperchute.contract.kinds import kind_of
from paperchute.contract.typesetters import typesetter
from paperchute.engine.metrics import Metrics
from paperchute.engine.settings import Limits
from paperchute.engine.tasks.pool import Pool
from paperchute.engine.tasks.process import Result, WorkerProcess
from paperchute.engine.work import Source, Work
from tests.engine.hostile.families import MULTIPLIED
from tests.engine.operations.papers import words
from tests.engine.operations.test_printing import document

pytestmark = pytest.mark.skipif(libreoffice.shared_library() is None, reason="LibreOffice is not installed")

_PATIENCE = 240.0  # seconds: the end of a hang, not a measure


def work(path: Path, folder: Path, operation: str = "") -> Work:
    folder.mkdir()
    operation = operation or f"{path.suffix[1:]}-to-pdf"
    return Work(operation, (Source("file", path, path.name, kind_of(path)),), {}, folder)


@pytest.fixture(name="worker", scope="module")
def _worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerProcess]:
    worker = WorkerProcess(Limits(), tmp_path_factory.mktemp("worker") / "place")
    yield worker
    worker.end()


def printed(worker: WorkerProcess, path: Path, folder: Path) -> Result:
    return worker.run(work(path, folder), lambda done, total: None)


@pytest.mark.parametrize("kind", ["docx", "xlsx", "pptx", "rtf"])
def test_each_kind_is_printed_and_the_record_says_by_whom(worker: WorkerProcess, kind: str, tmp_path: Path) -> None:
    result = printed(worker, document(tmp_path / f"port.{kind}", "Leith"), tmp_path / "out")
    assert result.notes == (f"port.{kind} was printed by LibreOffice.",)
    assert result.warnings == ()
    assert "Leith" in " ".join(words(result.outputs[0]))


def test_what_it_does_not_open_is_said_and_tried_otherwise(worker: WorkerProcess, tmp_path: Path) -> None:
    path = document(tmp_path / "port.docx", "Leith")
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(tmp_path / "odd.docx", "w") as odd:
        for entry in whole.infolist():
            content = whole.read(entry)
            odd.writestr(entry, content[:-40] if entry.filename == "word/document.xml" else content)
    result = printed(worker, tmp_path / "odd.docx", tmp_path / "out")
    assert result.code == "02207", "and the engine's own reading finds it damaged"
    assert printed(worker, path, tmp_path / "next").notes, "another document is none the worse for it"


def test_a_document_reaches_no_network_and_no_file(worker: WorkerProcess, tmp_path: Path) -> None:
    asked: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    secret = tmp_path / "secret.txt"
    secret.write_text("Portobello", "utf-8")
    fields = "".join(
        rf'{{\field{{\*\fldinst {{{kind} "{address}" \\d}}}}{{\fldrslt {{}}}}}}\par '
        for kind, address in (
            ("INCLUDEPICTURE", f"http://127.0.0.1:{server.server_port}/a.png"),
            ("INCLUDETEXT", f"http://127.0.0.1:{server.server_port}/b.txt"),
            ("INCLUDETEXT", str(secret)),
        )
    )
    path = tmp_path / "calls.rtf"
    path.write_text(rf"{{\rtf1\ansi Leith\par {fields}}}", "ascii")
    result = printed(worker, path, tmp_path / "out")
    server.shutdown()
    server.server_close()
    assert asked == []
    text = " ".join(words(result.outputs[0]))
    assert "Leith" in text
    assert "Portobello" not in text


class Shop:
    """A pool of one worker, and what came of its tasks."""

    def __init__(self, folder: Path) -> None:
        self.pool = Pool(1, Limits(), folder, Metrics())
        self.results: list[Result] = []
        self.ended = threading.Event()

    def submit(self, task: Work) -> None:
        self.ended.clear()
        self.pool.submit("task", task, lambda: None, self._take, is_quick=False)

    def _take(self, result: Result) -> None:
        self.results.append(result)
        self.ended.set()


def _kill_while_it_prints(worker: WorkerProcess, printer: str = libreoffice.NAME) -> None:
    deadline = time.monotonic() + _PATIENCE
    while worker._loading != printer:
        assert time.monotonic() < deadline, "it never printed"
        time.sleep(0.0005)
    os.kill(worker.pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="it is used on Linux alone")
@pytest.mark.parametrize(
    ("choice", "kind"), [("auto", "docx"), ("auto", "pptx"), ("auto", "xlsx"), ("libreoffice", "docx")]
)
def test_a_document_that_breaks_it_is_printed_by_the_next(
    choice: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(libreoffice.CHOICE_VARIABLE, choice)
    born: list[WorkerProcess] = []
    start = WorkerProcess.__init__

    def watched(self: WorkerProcess, limits: Limits, folder: Path) -> None:
        start(self, limits, folder)
        if not born:
            threading.Thread(target=_kill_while_it_prints, args=(self,), daemon=True).start()
        born.append(self)

    monkeypatch.setattr(WorkerProcess, "__init__", watched)
    shop = Shop(tmp_path / "pool")
    try:
        shop.submit(work(document(tmp_path / f"port.{kind}", "Leith"), tmp_path / "out"))
        assert shop.ended.wait(_PATIENCE)
    finally:
        shop.pool.stop()
    (result,) = shop.results
    assert len(born) > 1
    told = f"LibreOffice does not print port.{kind}: it broke on the file."
    if choice == "libreoffice":
        assert (result.code, result.reason, result.outputs) == ("02210", told, ())
    else:
        assert told in result.warnings
        by_whom = f"printed by {typesetter(kind)}" if typesetter(kind) else "laid out by the engine"
        assert any(by_whom in text for text in (*result.warnings, *result.notes)), "the next in line"
        assert "Leith" in " ".join(words(result.outputs[0]))


@pytest.mark.skipif(sys.platform != "linux", reason="it is used on Linux alone")
@pytest.mark.skipif(not typesetter("docx"), reason="dxpdf is not installed")
def test_a_document_that_breaks_one_printer_after_the_other_is_laid_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(libreoffice.CHOICE_VARIABLE, "auto")
    printers = iter((libreoffice.NAME, typesetter("docx")))
    start = WorkerProcess.__init__

    def watched(self: WorkerProcess, limits: Limits, folder: Path) -> None:
        start(self, limits, folder)
        if printer := next(printers, ""):
            threading.Thread(target=_kill_while_it_prints, args=(self, printer), daemon=True).start()

    monkeypatch.setattr(WorkerProcess, "__init__", watched)
    shop = Shop(tmp_path / "pool")
    try:
        shop.submit(work(document(tmp_path / "port.docx", "Leith"), tmp_path / "out"))
        assert shop.ended.wait(_PATIENCE)
    finally:
        shop.pool.stop()
    (result,) = shop.results
    assert result.notes == ("dxpdf does not print port.docx: it broke on the file.",)
    assert any("laid out by the engine" in text for text in result.warnings)
    assert "Leith" in " ".join(words(result.outputs[0]))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it is used on Linux alone")
@pytest.mark.skipif(not typesetter("docx"), reason="dxpdf is not installed")
def test_what_grows_beyond_measure_in_a_library_is_laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(libreoffice.CHOICE_VARIABLE, "auto")
    _operation, size, made = MULTIPLIED["one note"]
    (tmp_path / "notes.docx").write_bytes(made(size, random.Random(1)))
    shop = Shop(tmp_path / "pool")
    try:
        shop.submit(replace(work(tmp_path / "notes.docx", tmp_path / "out"), broken=libreoffice.NAME))
        assert shop.ended.wait(_PATIENCE)
    finally:
        shop.pool.stop()
    (result,) = shop.results
    assert result.notes == ("dxpdf does not print notes.docx: it broke on the file.",)
    assert [path.name for path in result.outputs] == ["notes.pdf"]


def test_the_engine_alone_prints_where_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(libreoffice.CHOICE_VARIABLE, "built-in")
    worker = WorkerProcess(Limits(), tmp_path / "place")
    try:
        result = printed(worker, document(tmp_path / "port.docx", "Leith"), tmp_path / "out")
    finally:
        worker.end()
    assert result.notes == ()
    assert re.search("laid out by the engine", " ".join(result.warnings))
