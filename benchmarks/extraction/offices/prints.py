"""The documents of a half as PDFs, each by the program that its seed draws."""

from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.extraction.offices.content import COUNT, Content, content
from benchmarks.extraction.offices.hypertext import page
from benchmarks.extraction.offices.open_document import flat
from benchmarks.extraction.offices.word import write
from benchmarks.sets.printing import BROWSER, OFFICE

_SECONDS = 900
_SUFFIXES = ("html", "html", "docx", "fodt")


def offices(unseen: bool, folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The documents of one half with their truth; those that lie in the folder already are not printed again."""
    contents = {path: made for made in map(content, range(int(unseen), 2 * COUNT, 2)) for path in [_path(folder, made)]}
    folder.mkdir(parents=True, exist_ok=True)
    missing = {path: made for path, made in contents.items() if not path.exists()}
    suffixes = {path: random.Random(f"program {made.seed}").choice(_SUFFIXES) for path, made in missing.items()}
    _by_browser({path: page(missing[path]) for path, suffix in suffixes.items() if suffix == "html"})
    with tempfile.TemporaryDirectory() as place:
        for path, suffix in suffixes.items():
            source = Path(place, f"{path.stem}.{suffix}")
            if suffix == "docx":
                write(missing[path], source)
            elif suffix == "fodt":
                source.write_text(flat(missing[path]), "utf-8")
        _by_office(Path(place), folder)
    for path, made in contents.items():
        yield path, made.truth


def _path(folder: Path, made: Content) -> Path:
    return folder / f"{made.seed}-{made.language}-{made.kind}.pdf"


def _by_browser(pages: Mapping[Path, str]) -> None:
    """Pages of HTML printed by one Chromium."""
    if not pages:
        return
    with sync_playwright() as driver:
        program = driver.chromium.launch(executable_path=shutil.which(BROWSER), args=["--no-sandbox"])
        tab = program.new_page()
        for path, text in pages.items():
            tab.set_content(text)
            tab.pdf(path=str(path), prefer_css_page_size=True)
        program.close()


def _by_office(sources: Path, folder: Path) -> None:
    """Files printed by one LibreOffice."""
    waiting = sorted(sources.iterdir())
    if waiting:
        profile = f"-env:UserInstallation={Path(sources, 'profile').as_uri()}"
        command = [OFFICE, profile, "--headless", "--norestore", "--convert-to", "pdf", "--outdir", str(folder)]
        subprocess.run([*command, *map(str, waiting)], capture_output=True, timeout=_SECONDS, check=True)
