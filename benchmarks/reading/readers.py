"""Runs one reader over PDFs, in a process and an environment of its own.

    PYTHON readers.py NAME LIST OUT

LIST is a JSON list of [PDF, Markdown file to write]; OUT gets the seconds of each (by the clock, and of processors),
errors and the peak of memory. Needs nothing but the reader itself and the standard library, as it runs in the peers'
environment too. One warm process, one document at a time, so that seconds can be compared.
"""

from __future__ import annotations

import html
import importlib
import json
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Reader = Callable[[Path], str]

_SECONDS = 120  # for one document


def ours() -> Reader:
    """This project's pdf-to-markdown, as a worker of the engine runs it."""
    work = importlib.import_module("paperchute.engine.work")
    operation = importlib.import_module("paperchute.engine.operations.pdf_to_markdown")
    importlib.import_module("paperchute.engine.tasks.worker").collect_rarely()
    folder = tempfile.TemporaryDirectory()  # the server's work, which no peer has: for all documents, until the end

    def read(path: Path) -> str:
        source = work.Source("file", path, path.name, "pdf")
        task = work.Work("pdf-to-markdown", (source,), {"isContainImg": False}, Path(folder.name))
        made: list[Path] = operation.run(task)
        return made[0].read_text("utf-8")

    return read


def liteparse() -> Reader:
    """Without its text recognition."""
    parser = importlib.import_module("liteparse").LiteParse(ocr_enabled=False, output_format="markdown", quiet=True)
    return lambda path: str(parser.parse(str(path)).text)


def pdf_inspector() -> Reader:
    """As it comes."""
    module = importlib.import_module("pdf_inspector")
    return lambda path: module.process_pdf(str(path)).markdown or ""


def pdf_oxide() -> Reader:
    """As it comes."""
    module = importlib.import_module("pdf_oxide")
    return lambda path: str(module.PdfDocument(str(path)).to_markdown_all())


def kreuzberg() -> Reader:
    """Markdown, without its cache."""
    module = importlib.import_module("kreuzberg")
    config = module.ExtractionConfig(output_format="markdown", use_cache=False)
    return lambda path: str(module.extract_file_sync(str(path), config=config).content)


def markitdown() -> Reader:
    """As it comes."""
    converter = importlib.import_module("markitdown").MarkItDown()
    return lambda path: str(converter.convert(str(path)).text_content)


def pymupdf4llm() -> Reader:
    """As it comes; AGPL, so a peer to be measured and nothing more."""
    module = importlib.import_module("pymupdf4llm")
    return lambda path: str(module.to_markdown(str(path), show_progress=False))


def opendataloader() -> Reader:
    """Tables as HTML, those without rules too; it needs Java, whose start is in its seconds, but not its memory."""
    module = importlib.import_module("opendataloader_pdf")

    def read(path: Path) -> str:
        with tempfile.TemporaryDirectory() as folder:
            module.convert(
                input_path=str(path),
                output_dir=folder,
                format="markdown",
                markdown_with_html=True,
                table_method="cluster",
                quiet=True,
                image_output="off",
            )
            return "".join(made.read_text("utf-8") for made in Path(folder).glob("*.md"))

    return read


def pdfplumber() -> Reader:
    """Its text and, after each page's, its tables."""
    module = importlib.import_module("pdfplumber")

    def read(path: Path) -> str:
        with module.open(path) as document:
            parts = []
            for page in document.pages:
                parts += [page.extract_text() or "", *map(_as_table, page.extract_tables())]
            return "\n\n".join(parts)

    return read


def pypdfium2() -> Reader:
    """Plain text."""
    module = importlib.import_module("pypdfium2")

    def read(path: Path) -> str:
        document = module.PdfDocument(path)
        try:
            return "\n\n".join(page.get_textpage().get_text_bounded().replace("\r\n", "\n") for page in document)
        finally:
            document.close()

    return read


READERS: dict[str, Callable[[], Reader]] = {
    "ours": ours,
    "liteparse": liteparse,
    "pdf-inspector": pdf_inspector,
    "pdf_oxide": pdf_oxide,
    "kreuzberg": kreuzberg,
    "markitdown": markitdown,
    "pymupdf4llm": pymupdf4llm,
    "opendataloader-pdf": opendataloader,
    "pdfplumber": pdfplumber,
    "pypdfium2": pypdfium2,
}
"""By the name of their package."""


def main() -> None:
    """Read the listed documents; the first is read once more before the clock starts, so that all are warm."""
    name, listed, out = sys.argv[1:4]
    read = READERS[name]()
    tasks = [(Path(source), Path(target)) for source, target in json.loads(Path(listed).read_text("utf-8"))]
    _timed(read, tasks[0][0])
    documents = {}
    for source, target in tasks:
        began = time.process_time()
        text, seconds, error = _timed(read, source)
        documents[str(target)] = {"seconds": seconds, "CPU seconds": time.process_time() - began, "error": error}
        target.write_text(text, "utf-8", "replace")
    report = {"version": "" if name == "ours" else version(name), "peak MiB": _peak_mib(), "documents": documents}
    Path(out).write_text(json.dumps(report), "utf-8")


def _timed(read: Reader, path: Path) -> tuple[str, float, str]:
    """Markdown, seconds and error."""
    signal.signal(signal.SIGALRM, _expired)
    signal.alarm(_SECONDS)
    began = time.perf_counter()
    try:
        text, error = read(path), ""
    except Exception as caught:  # noqa: BLE001 - every way to fail is a result here
        text, error = "", f"{type(caught).__name__}: {caught}"[:200]
    seconds = time.perf_counter() - began
    signal.alarm(0)
    return text, seconds, error


def _expired(*_: Any) -> None:
    raise TimeoutError(f"longer than {_SECONDS} s")


def _peak_mib() -> float:
    """The most resident memory so far (VmHWM, proc_pid_status(5))."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return round(int(found[1]) / 1024, 1) if found else 0.0


def _as_table(rows: list[list[str | None]]) -> str:
    cells = ("".join(f"<td>{html.escape(' '.join((cell or '').split()))}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


if __name__ == "__main__":
    main()
