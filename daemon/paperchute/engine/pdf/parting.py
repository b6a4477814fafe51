"""One document as a document a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from paperchute.engine.pdf.joining import Joiner
from paperchute.engine.pdf.opening import open_pdf


def parted(whole: Path, chosen: Sequence[int]) -> list[Path]:
    """A file for each page of `whole`, which goes; chosen: the pages' indices in the source, which name the files."""
    paths = page_names(whole, chosen)
    for place, path in enumerate(paths):
        with open_pdf(whole, whole.name) as pdf:
            joiner = Joiner()
            taken = joiner.take(pdf, [place], whole.name)
            joiner.save(path, taken.pages, taken.shown)
    whole.unlink()
    return list(dict.fromkeys(paths))


def page_names(whole: Path, chosen: Sequence[int]) -> list[Path]:
    """`report-01.pdf`, ...: the file's name with each page's number in the source."""
    digits = len(str(max(chosen) + 1))
    return [whole.with_name(f"{whole.stem}-{index + 1:0{digits}}{whole.suffix}") for index in chosen]
