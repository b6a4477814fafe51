"""Pages of words and tables, printed and scanned: a picture with its text, and a PDF of it with its Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pypdfium2

from benchmarks.sets import hypertext, printing, scanning, truth
from benchmarks.sets.documents import Block, Heading, text
from benchmarks.sets.genres import GENRES
from benchmarks.sets.languages import ENGLISH, FRENCH, GERMAN
from benchmarks.sets.prose import Prose
from benchmarks.sets.reports import TABLE_KINDS
from benchmarks.sets.writing import Sample

_ATTEMPTS = 30
_OF_ONE_PAGE = [genre for genre in GENRES if genre.name in ("letter", "invoice", "contract", "minutes", "newspaper")]
_TABLES = [kind for kind in TABLE_KINDS if kind.name not in ("long", "beside", "word-styles")]


def scanned(number: int, seed: str, place: Path) -> Iterator[Sample]:
    """One page, a table without rules in every other, in the degradation whose turn it is."""
    name, (dpi, degraded) = list(scanning.DEGRADATIONS.items())[number % len(scanning.DEGRADATIONS)]
    pdf = place / "page.pdf"
    label, blocks = _printed(number, seed, pdf)
    document = pypdfium2.PdfDocument(pdf)
    words = document[0].get_textpage().get_text_bounded().replace("\r\n", "\n")
    document.close()
    picture = degraded(scanning.printed(pdf, dpi), Random(f"{seed}/{name}"))
    image = place / "page.png"
    picture.save(image)
    picture.save(pdf, "PDF", resolution=dpi)
    yield Sample((label, name), pdf, truth.markdown(blocks), picture=image, words=words)


def _printed(number: int, seed: str, pdf: Path) -> tuple[str, list[Block]]:
    """What it is and what it says; tried until it fits on one page.

    Raises RuntimeError when nothing does.
    """
    for attempt in range(_ATTEMPTS):
        chance = Random(f"{seed}/{attempt}")
        prose = Prose(chance, ENGLISH if chance.random() < 0.6 else chance.choice((GERMAN, FRENCH)))
        if number % 2:
            kind = _TABLES[number // 2 % len(_TABLES)]
            label, css, columns, look = kind.name, "", 1, "bare"
            blocks: list[Block] = [Heading(prose.title(), 1), text(prose.sentences(2, 5)), kind.make(prose)]
            blocks.append(text(prose.sentences(2, 5)))
        else:
            genre = _OF_ONE_PAGE[number // 2 % len(_OF_ONE_PAGE)]
            label, css, columns, look = genre.name, genre.css, genre.columns, ""
            blocks = genre.make(prose)
        style = replace(hypertext.style(chance, look), columns=columns)
        if attempt:
            style = replace(style, size=9, margin=15)
        printing.ours(hypertext.page(blocks, style, prose.language.code, extra=css), pdf)
        if _pages(pdf) == 1:
            return label, blocks
    raise RuntimeError(f"{label}: no page was short enough")


def _pages(pdf: Path) -> int:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return len(document)
    finally:
        document.close()
