"""PDFs and pieces of work for the tests of the page operations."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
from pikepdf import Array, Dictionary, Name, OutlineItem, String

from paperchute.contract import kind_of
from paperchute.engine.operations import implementation
from paperchute.engine.work import FetchPolicy, Source, Work


def paper(path: Path, *words: str, outline: bool = False) -> Path:
    """A PDF with one page a word, each showing its word; with `outline`, an item a page."""
    pdf = pikepdf.new()
    for word in words:
        page = pdf.add_blank_page(page_size=(200, 100))
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        page.Resources = Dictionary(Font=Dictionary(F1=pdf.make_indirect(font)))
        page.Contents = pdf.make_stream(f"BT /F1 20 Tf 20 40 Td ({word}) Tj ET".encode())
    if outline:
        with pdf.open_outline() as tree:
            tree.root.extend(OutlineItem(f"To {word}", number) for number, word in enumerate(words))
    pdf.save(path)
    return path


def with_link(path: Path, on: int, to: int) -> Path:
    """A link from one page of a PDF to another."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        note = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Link,
            Rect=Array([0, 0, 50, 50]),
            Dest=Array([pdf.pages[to].obj, Name.Fit]),
        )
        pdf.pages[on].obj.Annots = Array([pdf.make_indirect(note)])
        pdf.save(path)
    return path


def with_field(path: Path, name: str) -> Path:
    """A text field on the first page."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        field = pdf.make_indirect(
            Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String(name), Rect=Array([0, 0, 50, 20]))
        )
        field.P = pdf.pages[0].obj
        pdf.pages[0].obj.Annots = Array([field])
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]), DA=String("/Helv 0 Tf"))
        pdf.save(path)
    return path


def words(path: Path, password: str | None = None) -> list[str]:
    """The text of each page, by a reader that is not the one which wrote it."""
    document = pypdfium2.PdfDocument(path, password=password)
    try:
        return [page.get_textpage().get_text_bounded().strip() for page in document]
    finally:
        document.close()


def locked(path: Path, user: str = "", owner: str = "o", revision: int = 6, deny: tuple[str, ...] = ()) -> Path:
    """A PDF locked in place; deny: what its readers may not do, as pikepdf names it, and nothing else."""
    allowed = {right: right not in deny for right in pikepdf.Permissions._fields}
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        lock = pikepdf.Encryption(
            user=user,
            owner=owner,
            R=revision,  # type: ignore[arg-type]
            aes=revision > 3,
            metadata=revision > 3,
            allow=pikepdf.Permissions(**allowed),
        )
        pdf.save(path, encryption=lock)
    return path


def done(
    operation: str, folder: Path, *sources: Path, part: str = "file", protection: str = "keep", **parameters: Any
) -> Path:
    """Check and run an operation; its one output, which qpdf finds sound where it is installed."""
    asked = replace(work(operation, folder, *sources, part=part, **parameters), protection=protection)  # type: ignore[arg-type]
    (output,) = implementation(operation).run(asked)
    if shutil.which("qpdf") and opens(output):
        found = subprocess.run(["qpdf", "--check", str(output)], capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stdout + found.stderr
    return output


def opens(path: Path, password: str = "") -> bool:
    """Whether a PDF opens with a password, or without any."""
    try:
        with pikepdf.open(path, password=password):
            return True
    except pikepdf.PasswordError:
        return False


def work(operation: str, folder: Path, *sources: Path, part: str = "file", **parameters: Any) -> Work:
    """Checked work on these files."""
    place = folder / "work"
    place.mkdir(exist_ok=True)
    files = tuple(Source(part, path, path.name, kind_of(path)) for path in sources)
    found = Work(operation, files, parameters, place, FetchPolicy())
    implementation(operation).check(found)
    return found
