"""Stacks from a feeder, made by seed, with what should become of each page: what `benchmarks.scans.stacks` measures on.

Separator sheets at four turns part letters and invoices in three languages, with photos and sparse pages among them.
Both sides are scanned: backs are blank, with the front shining through and what scanners add, or written on.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
from tests.engine.operations.stacks import SIZE, SPARSE, blank, scanned, sparse, stack, with_back
from tests.engine.operations.test_splitting_stacks import sheet

_PROSE = {
    "ENGLISH": "The harbour office wrote about the delivery of timber and asked whether the crane may stay until"
    " Friday because the second ship waits outside and nobody has signed for the bricks yet",
    "GERMAN": "Das Hafenamt schrieb wegen der Lieferung von Holz und fragte ob der Kran bis Freitag bleiben darf weil"
    " das zweite Schiff draussen wartet und noch niemand die Ziegel quittiert hat",
    "FRENCH": "Le bureau du port a demande si la grue peut rester sur le quai jusqu au vendredi parce que le second"
    " navire attend dehors et que personne n a encore signe pour les briques",
}
_INVOICE = {
    "ENGLISH": ("Invoice", "Oak boards planed", "Carriage to the site", "Total amount due"),
    "GERMAN": ("Rechnung", "Eichenbretter gehobelt", "Anlieferung zur Baustelle", "Gesamtbetrag"),
    "FRENCH": ("Facture", "Planches de chene", "Transport au chantier", "Montant total"),
}
_SHARE_OF_SHEETS = 0.15
"""Of the pages: 30 of 200."""


@dataclass(frozen=True)
class Made:
    """A page as it was scanned.

    kind: sheet, back (of a sheet or a page, and blank), text, photo or sparse; turn: clockwise, in degrees, as it was
    laid in; skew: degrees; words: what is printed on it; clean: without all that.
    """

    kind: str
    turn: int
    skew: float
    words: tuple[str, ...]
    clean: PIL.Image.Image


@dataclass
class Stack:
    """A stack as a PDF. parts: of each document the numbers of its pages, from 0, blank backs among them."""

    path: Path
    pages: list[Made] = field(default_factory=list)
    parts: list[list[int]] = field(default_factory=list)


def made(folder: Path, seed: int, count: int) -> Stack:
    """Make a stack of about so many pages, an even number."""
    chance, found, scans = random.Random(seed), Stack(folder / "stack.pdf"), list[PIL.Image.Image]()
    sheets = max(round(count * _SHARE_OF_SHEETS), 1)
    plain = count // 2 - sheets

    def put(front: Made, back: Made | None = None) -> list[int]:
        worn, shines = chance.random() < 0.3, chance.uniform(0.05, 0.3)
        behind = back or Made("back", -front.turn % 360, -front.skew, (), blank())
        for page, other in ((front, behind), (behind, front)):
            shown = with_back(page.clean, other.clean, shines) if page is behind or back else page.clean
            scans.append(scanned(shown, chance, turn=page.turn, skew=page.skew, worn=worn))
            found.pages.append(page)
        return [len(scans) - 2, len(scans) - 1]

    for number in range(sheets):
        turn = (0, 90, 180, 270)[number % 4]
        put(Made("sheet", turn, chance.uniform(-3, 3), (), sheet(folder)))
        here = plain * (number + 1) // sheets - plain * number // sheets
        found.parts.append([])
        for _sheet in range(max(here, 1)):
            turn, skew = chance.choice((0, 0, 0, 90, 180, 270)), chance.uniform(-3, 3)
            back = _page(chance, -turn % 360, -skew) if chance.random() < 0.3 else None
            found.parts[-1] += put(_page(chance, turn, skew), back)
    stack(found.path, *scans)
    with pikepdf.open(found.path, allow_overwriting_input=True) as pdf:
        for index, page in enumerate(pdf.pages):
            page.obj.Number = index  # a key of ours, which goes with the page wherever it goes
        pdf.save(found.path)
    return found


def _page(chance: random.Random, turn: int, skew: float) -> Made:
    language, kind = chance.choice(list(_PROSE)), chance.random()
    if kind < 0.45:
        return Made("text", turn, skew, *_letter(chance, language))
    if kind < 0.8:
        return Made("text", turn, skew, *_invoice(chance, language))
    if kind < 0.9:
        return Made("photo", turn, skew, (), _photo(chance))
    return Made("sparse", turn, skew, (), sparse(chance.choice(SPARSE)))


def _letter(chance: random.Random, language: str) -> tuple[tuple[str, ...], PIL.Image.Image]:
    words = _PROSE[language].split()
    return _printed([" ".join(chance.choice(words) for _ in range(10)) for _ in range(chance.randrange(8, 26))])


def _invoice(chance: random.Random, language: str) -> tuple[tuple[str, ...], PIL.Image.Image]:
    title, goods, carriage, total = _INVOICE[language]
    lines = [f"{title} RE-{chance.randrange(10000, 99999)}", "", f"{chance.randrange(1, 28):02}.11.2026", ""]
    lines += [f"{goods} {chance.randrange(1, 90)} x {chance.randrange(100, 9999) / 100:.2f}" for _ in range(6)]
    lines += [
        f"{carriage} {chance.randrange(1000, 9999) / 100:.2f}",
        f"{total} {chance.randrange(10**4, 10**6) / 100:.2f}",
    ]
    return _printed([*lines, "", " ".join(_PROSE[language].split()[:12])])


def _printed(lines: list[str]) -> tuple[tuple[str, ...], PIL.Image.Image]:
    page, font = blank(), PIL.ImageFont.load_default(26)
    for number, line in enumerate(lines):
        PIL.ImageDraw.Draw(page).text((140, 200 + 52 * number), line, 30, font)
    return tuple(" ".join(lines).split()), page


def _photo(chance: random.Random) -> PIL.Image.Image:
    page, noise = blank(), np.random.default_rng(chance.randrange(1 << 30))
    blobs = PIL.Image.fromarray(noise.integers(20, 230, (9, 12)).astype(np.uint8))
    page.paste(blobs.resize((900, 700), PIL.Image.Resampling.BICUBIC), ((SIZE[0] - 900) // 2, 500))
    return page
