"""Programs that make PDFs of HTML and office files: Chromium, LibreOffice, and our own html-to-pdf."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

BROWSER = "chromium"
OFFICE = "soffice"
_SECONDS = 180


def browser(page: str, target: Path) -> None:
    """HTML printed by Chromium, with structure tags."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place, "page.html")
        source.write_text(page, "utf-8")
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer")
        _run([BROWSER, *flags, f"--user-data-dir={place}/profile", f"--print-to-pdf={target}", source.as_uri()], target)


def office(source: Path, target: Path) -> None:
    """A Word file or a workbook printed by LibreOffice, with structure tags."""
    writer = "calc" if source.suffix == ".xlsx" else "writer"
    options = json.dumps({"UseTaggedPDF": {"type": "boolean", "value": "true"}})
    with tempfile.TemporaryDirectory() as place:
        made = Path(place, f"{source.stem}.pdf")
        profile = f"-env:UserInstallation={Path(place, 'profile').as_uri()}"
        convert = ["--convert-to", f"pdf:{writer}_pdf_Export:{options}", "--outdir", place, str(source)]
        _run([OFFICE, profile, "--headless", "--norestore", *convert], made)
        target.write_bytes(made.read_bytes())


def ours(page: str, target: Path) -> None:
    """HTML printed by this project."""
    from paperchute.engine.operations import html_to_pdf
    from paperchute.engine.work import Source, Work

    with tempfile.TemporaryDirectory() as place:
        source = Path(place, "page.html")
        source.write_text(page, "utf-8")
        work = Work("html-to-pdf", (Source("file", source, source.name, "html"),), {}, Path(place))
        target.write_bytes(html_to_pdf.run(work)[0].read_bytes())


def _run(command: list[str], made: Path) -> None:
    """Raises RuntimeError when the program makes no file."""
    done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    if not made.is_file():
        raise RuntimeError(f"{command[0]}: {done.stderr.decode('utf-8', 'replace')[-300:]}")
