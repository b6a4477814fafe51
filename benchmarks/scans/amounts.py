"""`python -m benchmarks.scans.amounts [--pages N] [--unseen] [--misread] [--json FILE]`: amounts misread surely.

Pages full of amounts are made by seed: notations, signs, brackets, leaders, percentages, in tables and in text; faces
with and without serifs and of one width; 100 to 300 dpi; clean, soft, pressed as JPEG, in two colours. For each amount:
right or wrong, and sure or not. Even seeds may be looked at (`--misread` names what was read wrong), odd ones
(`--unseen`) only count.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import pypdfium2
from PIL import Image
from rich.console import Console

from benchmarks.sets import printing, scanning
from benchmarks.watching.tables import Row, table
from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.ocr.page import is_doubtful, see
from paperchute.engine.reading.ocr.recognised import Seen, moved

_FACES = {
    "sans": ("DejaVu Sans", "Nimbus Sans", "Noto Sans", "URW Gothic"),
    "serif": ("Nimbus Roman", "C059", "P052", "Bitstream Charter", "DejaVu Serif"),
    "mono": ("Nimbus Mono PS", "DejaVu Sans Mono", "Latin Modern Mono"),
}
_SIZES = 8.0, 9.0, 10.0, 11.0
_ROWS = 34
_WORDS: tuple[str, ...] = (
    "harbour",
    "dues",
    "wages",
    "repairs",
    "timber",
    "paint",
    "stock",
    "rent",
    "freight",
    "customs",
    "insurance",
)
_WORDS += ("pilot", "crane", "water", "power", "office", "travel", "interest", "bank", "postage", "fuel", "ropes")
_WORDS += ("anchors", "survey", "cleaning", "storage", "training", "tools", "licence", "audit")


@dataclass(frozen=True, slots=True)
class Shape:
    """A way in which amounts are written, and how many of a hundred are."""

    name: str
    share: int
    write: Callable[[Random], str]


def _whole(chance: Random) -> int:
    return chance.randrange(10 ** chance.randint(1, 6))


def _cents(chance: Random, thousands: str, point: str) -> str:
    return f"{_whole(chance):,}".replace(",", thousands) + f"{point}{chance.randrange(100):02}"


def _plain(chance: Random) -> str:
    return _cents(chance, *chance.choice(((",", "."), (".", ","), ("", "."), ("", ","), ("'", "."), (" ", ","))))


def _short(chance: Random) -> str:
    return chance.choice((str(_whole(chance)), f"{chance.randrange(100)}.{chance.randrange(10)}", _plain(chance)))


SHAPES = (
    Shape("plain", 36, _plain),
    Shape("whole", 8, lambda chance: f"{_whole(chance):{chance.choice(('', ',', ','))}}"),
    Shape(
        "currency", 10, lambda chance: chance.choice(("€ {}", "${}", "{} €", "£{}", "{} EUR")).format(_plain(chance))
    ),
    Shape("per cent", 6, lambda chance: f"{chance.randrange(1000) / 10}%"),
    Shape("minus", 14, lambda chance: chance.choice("--–−") + _short(chance)),
    Shape("minus behind", 3, lambda chance: _plain(chance) + "-"),
    Shape("about", 8, lambda chance: "~" + _short(chance)),
    Shape("plus", 5, lambda chance: "+" + _short(chance)),
    Shape("plus minus", 4, lambda chance: "±" + _short(chance)),
    Shape("brackets", 6, lambda chance: f"({_plain(chance)})"),
)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount on a page, in pixels of its picture."""

    text: str
    shape: str
    box: Box


@dataclass(frozen=True, slots=True)
class Page:
    """A picture with its amounts. kind: how it was printed, and what was done to it."""

    picture: Image.Image
    dpi: int
    amounts: list[Amount]
    kind: tuple[str, ...]


def soft(page: Image.Image, chance: Random) -> Image.Image:
    """A scanner's edges and grain."""
    return scanning.noisy(scanning.soft(page, chance.uniform(0.3, 0.9)), chance, 6)


def two_colours(page: Image.Image, chance: Random) -> Image.Image:
    """A fax that was fed in straight."""
    values = np.asarray(scanning.noisy(page, chance, 14), np.float64)
    return Image.fromarray(np.where(values > chance.randint(120, 170), 255, 0).astype(np.uint8))


_SPOILT: dict[str, tuple[tuple[int, ...], scanning.Degradation]] = {
    "clean": ((100, 150, 200, 300), scanning.clean),
    "soft": ((100, 150, 200, 300), soft),
    "jpeg": ((120, 150, 200), scanning.jpeg),
    "fax": ((200, 200, 300), two_colours),
}


def page_of(seed: int, folder: Path) -> Page:
    """The page of a seed."""
    chance = Random(f"amounts/{seed}")
    face = list(_FACES)[seed // 2 % len(_FACES)]
    name = list(_SPOILT)[seed // 2 // len(_FACES) % len(_SPOILT)]
    resolutions, spoilt = _SPOILT[name]
    dpi, size = chance.choice(resolutions), chance.choice(_SIZES)
    shapes = chance.choices(SHAPES, [shape.share for shape in SHAPES], k=2 * _ROWS)
    written = [(shape.name, shape.write(chance)) for shape in shapes]
    in_text = chance.random() < 0.3
    leaders = chance.random() < 0.3
    pdf = folder / f"{seed}.pdf"
    rows = [_row(chance, [text for _, text in written[2 * n : 2 * n + 2]], in_text, leaders) for n in range(_ROWS)]
    style = f"font:{size}pt '{chance.choice(_FACES[face])}';margin:12mm"
    style += ";line-height:1.35" if in_text else ""
    body = "".join(rows) if in_text else f"<table style='width:100%'>{''.join(rows)}</table>"
    sheet = "td{padding:1.2pt 4pt}td+td{text-align:right}p{margin:1pt}@page{margin:8mm}"
    printing.ours(f'<style>{sheet}</style><body style="{style}">{body}</body>', pdf)
    picture = spoilt(scanning.printed(pdf, dpi), chance)
    return Page(picture, dpi, list(_amounts(pdf, written, dpi)), (face, name, f"{dpi} dpi", f"{size:.0f} pt"))


def _row(chance: Random, amounts: Sequence[str], in_text: bool, leaders: bool) -> str:
    one, other = map(html.escape, amounts)
    words = " ".join(chance.sample(_WORDS, 2))
    if in_text:
        more = " ".join(chance.sample(_WORDS, 3))
        return f"<p>{words} {one} {more} {other} {chance.choice(_WORDS)}.</p>"
    if leaders:
        one = chance.choice((".", ". ", "…")) * chance.randint(4, 14) + chance.choice(("", " ")) + one
    return f"<tr><td>{words}</td><td>{one}</td><td>{other}</td></tr>"


def _amounts(pdf: Path, written: Sequence[tuple[str, str]], dpi: int) -> Iterator[Amount]:
    """Where the amounts stand on the first page, in their order. Raises ValueError for one that is not there."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        height, textpage = document[0].get_height(), document[0].get_textpage()
        characters = [textpage.get_text_range(n, 1) or " " for n in range(textpage.count_chars())]
        said = "".join(character[0] for character in characters)
        start = 0
        for shape, text in written:
            pattern = r"\s*".join("[-\x02\xad\u2010\ufffe]" if c == "-" else re.escape(c) for c in text if c != " ")
            match = re.compile(pattern).search(said, start)
            if match is None:
                raise ValueError(f"{text} is not on the page")
            start = match.end()
            inked = [n for n in range(match.start(), match.end()) if not said[n].isspace()]
            boxes = np.array([textpage.get_charbox(n) for n in inked])
            left, bottom, right, top = boxes[:, 0].min(), boxes[:, 1].min(), boxes[:, 2].max(), boxes[:, 3].max()
            yield Amount(text, shape, Box(*(float(v) * dpi / 72 for v in (left, height - top, right, height - bottom))))
    finally:
        document.close()


@dataclass(frozen=True, slots=True)
class Judged:
    """An amount and what was read at its place."""

    amount: Amount
    said: str
    sure: bool

    @property
    def right(self) -> bool:
        """Whether it says what is written, however it is spaced and whichever dash stands for its minus."""
        return _plainly(self.said) == _plainly(self.amount.text)

    @property
    def outcome(self) -> str:
        """The column in which it counts."""
        return f"{'right' if self.right else 'wrong'}, {'sure' if self.sure else 'unsure'}"


def judged(page: Page, seen: Seen) -> Iterator[Judged]:
    """What was read of each amount."""
    places = [(word, _back(seen, word.box)) for word in seen.words]
    for amount in page.amounts:
        y = (amount.box.top + amount.box.bottom) / 2
        reach = 0.4 * (amount.box.bottom - amount.box.top)
        own = [
            (box.left, word)
            for word, box in places
            if box.top - reach < y < box.bottom + reach
            and min(box.right, amount.box.right + reach) - max(box.left, amount.box.left - reach)
            > 0.4 * min(box.right - box.left, amount.box.right - amount.box.left)
        ]
        words = [word for _, word in sorted(own, key=lambda pair: pair[0])]
        yield Judged(amount, " ".join(word.text for word in words), not any(map(is_doubtful, words)))


def _back(seen: Seen, box: Box) -> Box:
    corners = moved(seen.back, np.array([[box.left, box.top], [box.right, box.bottom]]))
    return Box(*corners.ravel().tolist())


def _plainly(text: str) -> str:
    text = re.sub(r"\s", "", text.replace("…", "..."))
    text = re.sub(r"^[.·•]{2,}", "", text)
    return re.sub(r"[–−—‐]", "-", re.sub(r"[’‘`´]", "'", text))


def measured(seeds: Sequence[int], misread: bool, out: Console) -> tuple[list[Judged], list[Row]]:
    """Every amount of the pages of these seeds; and a row for each page."""
    every: list[Judged] = []
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            page = page_of(seed, Path(folder))
            pixels = np.asarray(page.picture.convert("RGB"), np.uint8)
            began = time.perf_counter()
            seen = see(pixels, AUTO, float(page.dpi))
            seconds = time.perf_counter() - began
            found = list(judged(page, seen))
            every += found
            counts = Counter(one.outcome for one in found)
            rows.append({"page": " ".join((str(seed), *page.kind)), "s": round(seconds, 2), **counts})
            for one in found:
                if misread and not one.right:
                    out.print(f"{rows[-1]['page']}: {one.amount.text!r} as {one.said!r}{'' if one.sure else ' unsure'}")
    return every, rows


def summed(every: Sequence[Judged]) -> list[Row]:
    """A row for each shape, and one for all."""
    rows: list[Row] = []
    for shape in (*(shape.name for shape in SHAPES), "all"):
        own = [one for one in every if shape in (one.amount.shape, "all")]
        counts = Counter(one.outcome for one in own)
        columns = ("right, sure", "right, unsure", "wrong, unsure", "wrong, sure")
        rows.append({"shape": shape, "amounts": len(own), **{column: counts[column] for column in columns}})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scans.amounts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=int, default=48)
    parser.add_argument("--unseen", action="store_true", help="the half that nobody looks at")
    parser.add_argument("--misread", action="store_true", help="name what was read wrong")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    given = parser.parse_args()
    if given.misread and given.unseen:
        sys.exit("of the unseen half only the figures are looked at")
    out = Console(width=200, highlight=False)
    seeds = [2 * number + given.unseen for number in range(given.pages)]
    every, pages = measured(seeds, given.misread, out)
    rows = summed(every)
    out.print(table(f"amounts of {given.pages} pages, {'unseen' if given.unseen else 'seen'}", rows))
    if given.json:
        given.json.write_text(json.dumps({"shapes": rows, "pages": pages}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
