"""Documents of daily life, printed by a browser, by LibreOffice and by us; with structure tags and without."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from benchmarks.sets import hypertext, office, printing, truth
from benchmarks.sets.documents import Heading
from benchmarks.sets.genres import GENRES
from benchmarks.sets.languages import ENGLISH, FRENCH, GERMAN
from benchmarks.sets.prose import Prose
from benchmarks.sets.reports import with_and_without_tags
from benchmarks.sets.writing import Sample


def printed(number: int, seed: str, place: Path) -> Iterator[Sample]:
    """One document of the genre whose turn it is."""
    genre = GENRES[number % len(GENRES)]
    producers = ("browser", "writer", "ours") if genre.office else ("browser", "browser", "ours")
    producer = producers[(number // len(GENRES) + number) % len(producers)]
    chance = Random(seed)
    prose = Prose(chance, ENGLISH if chance.random() < 0.6 else chance.choice((GERMAN, FRENCH)))
    blocks = genre.make(prose)
    pdf = place / "print.pdf"
    style = replace(hypertext.style(chance), columns=genre.columns)
    if producer == "writer":
        source = place / "print.docx"
        office.word(blocks, style.look, chance, source)
        printing.office(source, pdf)
    else:
        title = blocks[0].text if isinstance(blocks[0], Heading) else ""
        extra = _running(title) if genre.running and title and chance.random() < 0.5 else ""
        page = hypertext.page(blocks, style, prose.language.code, title, extra + genre.css)
        (printing.browser if producer == "browser" else printing.ours)(page, pdf)
    yield from with_and_without_tags((genre.name, producer), pdf, truth.markdown(blocks))


def _running(title: str) -> str:
    """CSS for the title above and the number below each page."""
    words = html.escape(title[:60], quote=False).replace('"', "")
    font = "font-size: 8pt; font-family: sans-serif"
    return (
        f'@page {{@top-left {{content: "{words}"; {font}}} @bottom-center {{content: counter(page); {font}}}}}'
        "@page :first {@top-left {content: none}}"
    )
