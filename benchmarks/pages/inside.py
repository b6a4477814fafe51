"""`python inside.py TOOL TASK PLACE`: one library at work in a process of its own, told what it took as one JSON line.

Runs under the interpreter that has the library, so it imports nothing of ours but where ours is the tool. PLACE holds
`in/` and `out/`. Start-up is aside: libraries are imported and have done a small piece of work before the clock starts.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Job = Callable[[Path, Path], None]
"""Do the task with the files of one folder, results into another."""


def ours(task: str) -> Job:
    """Our operation modules, as a worker calls them."""
    from paperchute.engine.operations import implementation
    from paperchute.engine.work import Source, Work

    def run(operation: str, names: list[Path], out: Path, result: str, part: str = "file", **parameters: Any) -> None:
        sources = tuple(Source(part, path, path.name, "pdf") for path in names)
        order = Work(operation, sources, {**parameters, "outputFileName": result}, out)
        implementation(operation).check(order)
        implementation(operation).run(order)

    def merge(given: Path, out: Path) -> None:
        run("pdf-merge", sorted(given.glob("*.pdf")), out, "merged.pdf")

    def insert(given: Path, out: Path) -> None:
        files = [given / "target.pdf", given / "source.pdf"]
        run("pdf-insert", files, out, "inserted.pdf", actionType="FROM_PDF", index=_middle(given))

    def encrypt(given: Path, out: Path) -> None:
        words = {"userPassword": "user", "ownerPassword": "owner"}
        run("pdf-encrypt", [given / "target.pdf"], out, "encrypted.pdf", algorithm="aes256", **words)

    def split(given: Path, out: Path) -> None:
        run("pdf-split", [given / "target.pdf"], out, "", pages="all")

    def delete(given: Path, out: Path) -> None:
        run("pdf-delete", [given / "target.pdf"], out, "rest.pdf", pages=(given / "index.txt").read_text())

    def compress(given: Path, out: Path) -> None:
        run("pdf-compress", [given / "target.pdf"], out, "small.pdf", level=(given / "level.txt").read_text())

    def html(given: Path, out: Path) -> None:
        run("html-to-pdf", [given / "report.html"], out, "report.pdf")

    def invoices(given: Path, out: Path) -> None:
        template = [given / "template.html"]
        for data in sorted(given.glob("*.json")):
            text = data.read_text("utf-8")
            run("pdf-generate", template, out, f"{data.stem}.pdf", "templateFile", data=text)

    page_operations = {"merge": merge, "insert": insert, "encrypt": encrypt, "split": split, "delete": delete}
    return {**page_operations, "compress": compress, "html": html, "invoices": invoices}[task]


def pypdf(task: str) -> Job:
    """pypdf, as its documentation shows each."""
    from pypdf import PdfReader, PdfWriter

    def merge(given: Path, out: Path) -> None:
        writer = PdfWriter()
        for path in sorted(given.glob("*.pdf")):
            writer.append(path)
        writer.write(out / "merged.pdf")

    def insert(given: Path, out: Path) -> None:
        writer = PdfWriter(clone_from=given / "target.pdf")
        writer.merge(_middle(given) - 1, given / "source.pdf")
        writer.write(out / "inserted.pdf")

    def encrypt(given: Path, out: Path) -> None:
        writer = PdfWriter(clone_from=PdfReader(given / "target.pdf"))
        writer.encrypt("user", "owner", algorithm="AES-256")
        writer.write(out / "encrypted.pdf")

    def split(given: Path, out: Path) -> None:
        for number, page in enumerate(PdfReader(given / "target.pdf").pages, 1):
            writer = PdfWriter()
            writer.add_page(page)
            writer.write(out / f"{number:05}.pdf")

    def delete(given: Path, out: Path) -> None:
        writer = PdfWriter(clone_from=given / "target.pdf")
        writer.remove_page(_middle(given) - 1)
        writer.write(out / "rest.pdf")

    return {"merge": merge, "insert": insert, "encrypt": encrypt, "split": split, "delete": delete}[task]


def pikepdf(task: str) -> Job:
    """pikepdf, as its documentation says that files become smaller: what nobody refers to out, objects packed anew."""
    import pikepdf as library

    def compress(given: Path, out: Path) -> None:
        with library.open(given / "target.pdf") as pdf:
            pdf.remove_unreferenced_resources()
            packed = library.ObjectStreamMode.generate
            pdf.save(out / "small.pdf", object_stream_mode=packed, compress_streams=True, recompress_flate=True)

    return {"compress": compress}[task]


def weasyprint(task: str) -> Job:
    """WeasyPrint, its fonts configured once."""
    from weasyprint import HTML
    from weasyprint.text.fonts import FontConfiguration

    fonts = FontConfiguration()
    return _printed(task, lambda html, output: HTML(string=html).write_pdf(output, font_config=fonts))


def plutoprint(task: str) -> Job:
    """PlutoPrint bare: no checks, no outline, whatever may be fetched is fetched."""
    import plutoprint as library

    def one(html: str, output: Path) -> None:
        book = library.Book(library.PAGE_SIZE_A4)
        book.load_html(html)
        book.write_to_pdf(str(output))

    return _printed(task, one)


def _printed(task: str, one: Callable[[str, Path], Any]) -> Job:
    def html(given: Path, out: Path) -> None:
        one((given / "report.html").read_text("utf-8"), out / "report.pdf")

    def invoices(given: Path, out: Path) -> None:
        template = jinja2.Environment(autoescape=True).from_string((given / "template.html").read_text("utf-8"))
        for data in sorted(given.glob("*.json")):
            one(template.render(json.loads(data.read_text("utf-8"))), out / f"{data.stem}.pdf")

    if task == "invoices":
        import jinja2
    return {"html": html, "invoices": invoices}[task]


def _middle(given: Path) -> int:
    return int((given / "index.txt").read_text())


def _peak_mib() -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def main() -> None:
    """Do a small piece of work, then the task, and tell."""
    tool, task, place = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    job = {"ours": ours, "pypdf": pypdf, "pikepdf": pikepdf, "weasyprint": weasyprint, "plutoprint": plutoprint}[tool](
        task
    )
    job(place / "warm", place / "out")
    cpu, began = time.process_time(), time.perf_counter()
    job(place / "in", place / "out")
    told = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "peak": _peak_mib()}
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
