"""A set on disk: PDFs, the truth of each, and what `benchmarks.reading` must know of it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pypdfium2

from benchmarks.reading.markup import neutral

_MOST_MISSING = 0.02
"""Words that a line number, a page's end or a formula's letters part."""

Half = Literal["seen", "unseen"]
HALVES: tuple[Half, ...] = ("seen", "unseen")


@dataclass(frozen=True, slots=True)
class Sample:
    """One document: what it is, from where it comes, and its truth."""

    labels: tuple[str, ...]
    pdf: Path
    truth: str
    variant: str = ""
    """`untagged`, when the same document stands in another set with its tags."""
    picture: Path | None = None
    """Of a scan; `words` is then what stands on the page, and the PDF has no text."""
    words: str = ""


Maker = Callable[[int, str, Path], Iterator[Sample]]
"""Number and seed of a document and a folder to work in give one sample or more."""


def _picture(folder: Path, stem: str, picture: Path, words: str) -> None:
    """As `benchmarks.scans` takes pictures; the last part of the name is the kind of scan."""
    for kind in ("images", "truth"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    number, *_, degraded = stem.split("_")
    picture.replace(folder / "images" / f"{number}_{degraded}.png")
    (folder / "truth" / f"{number}_{degraded}.md").write_text(words, "utf-8")


def check(sample: Sample) -> None:
    """Raises RuntimeError when the pages lack words of the truth: what was cut off in printing nobody can read."""
    shown = _letters(_page_text(sample.pdf))
    words = [_letters(word) for word in re.sub(r"<[^>\s][^>]*>", " ", neutral(sample.truth)).split()]
    missing = [word for word in words if word not in shown]
    if len(missing) > len(words) * _MOST_MISSING:
        raise RuntimeError(f"{'_'.join(sample.labels)}: {len(missing)} of {len(words)} words missing, as {missing[:9]}")


def _letters(text: str) -> str:
    text = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in text if letter.isalnum())


def _page_text(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    try:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)
    finally:
        document.close()


def write(out: Path, name: str, half: Half, count: int, maker: Maker, place: Path) -> dict[str, int]:
    """`count` documents of a kind in sets `<name>-<half>`, and `<name>-untagged-<half>`; how many each has got."""
    made: dict[str, int] = {}
    for number in range(count):
        for sample in maker(number, f"{name}/{half}/{number}", place):
            if not sample.picture:
                check(sample)
            folder = out / "-".join(part for part in (name, sample.variant, half) if part)
            for kind in ("pdfs", "truth"):
                (folder / kind).mkdir(parents=True, exist_ok=True)
            stem = "_".join((f"{number:03}", *sample.labels))
            if sample.picture:
                _picture(folder / "scans", stem, sample.picture, sample.words)
            sample.pdf.replace(folder / "pdfs" / f"{stem}.pdf")
            (folder / "truth" / f"{stem}.md").write_text(sample.truth, "utf-8")
            (folder / "set.json").write_text(json.dumps({"kind": name, "half": half}), "utf-8")
            made[folder.name] = made.get(folder.name, 0) + 1
    return made
