"""Programs that read page pictures, each as a function from a picture to text; run in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Reader = Callable[[Path], str]


def ours() -> Reader:
    """Paperchute's engine: the document model as Markdown."""
    from paperchute.contract import kind_of
    from paperchute.engine.operations import pdf_to_markdown
    from paperchute.engine.work import Source, Work

    def read(picture: Path) -> str:
        with tempfile.TemporaryDirectory() as folder:
            source = Source("file", picture, picture.name, kind_of(picture))
            parameters = {"enableOcr": 1, "isContainImg": 0, "containPageBackgroundImage": 0}
            (made, *_) = pdf_to_markdown.run(Work("pdf-to-markdown", (source,), parameters, Path(folder)))
            return made.read_text("utf-8")

    return read


def tesseract() -> Reader:
    """Tesseract's command, English, as installed."""

    def read(picture: Path) -> str:
        return _output(["tesseract", str(picture), "-", "-l", "eng"])

    return read


def ocrmypdf() -> Reader:
    """OCRmyPDF with Tesseract, straightening and turning pages; the text from the PDF that it makes."""

    def read(picture: Path) -> str:
        with with_text_layer(picture) as made:
            return _output(["pdftotext", str(made), "-"])

    return read


@contextmanager
def with_text_layer(picture: Path) -> Iterator[Path]:
    """A picture as a PDF that OCRmyPDF laid text into; gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made.pdf"
        options = ["--image-dpi", "200", "--deskew", "--rotate-pages", "--output-type", "pdf", "--optimize", "0"]
        _output(["ocrmypdf", "--quiet", *options, str(picture), str(made)])
        yield made


def rapidocr() -> Reader:
    """RapidOCR with its own pipeline and defaults, lines as they come."""
    from rapidocr import RapidOCR

    engine = RapidOCR(params={"Global.log_level": "critical"})

    def read(picture: Path) -> str:
        return "\n".join(getattr(engine(str(picture)), "txts", None) or ())

    return read


READERS: dict[str, Callable[[], Reader]] = {
    "ours": ours,
    "tesseract": tesseract,
    "ocrmypdf": ocrmypdf,
    "rapidocr": rapidocr,
}


def _output(command: list[str]) -> str:
    """What a command prints. However this is left, what the command has started ends with it."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as started:
        try:
            said, complaint = started.communicate()
        except BaseException:
            os.killpg(started.pid, signal.SIGKILL)
            raise
    if started.returncode:
        raise RuntimeError(f"{command[0]} ended with {started.returncode}: {complaint[-300:]}")
    return said
