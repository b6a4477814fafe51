"""Fingerprints of made pages, as the engine gives them: words at their places, and ink beneath them."""

from __future__ import annotations

import base64
import cmath
import json
import math
import random
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

WIDTH, HEIGHT, COLUMNS, ROWS = 595.0, 842.0, 105, 149
_CELL = WIDTH / COLUMNS
LETTER = (
    *("Harbour", "Timber", "asks", "for", "640.00", "of", "RE-20417", "until", "14.11.2026"),
    *("and", "thanks", "all", "who", "wait", "beside", "their", "ship"),
)


def placed(texts: Sequence[str], seed: int = 1) -> list[tuple[str, complex]]:
    """Words in lines of five, where they stand on the page that lies straight."""
    chance = random.Random(seed)
    return [
        (text, complex(80 + 90 * (number % 5) + chance.uniform(0, 20), 120 + 40 * (number // 5)))
        for number, text in enumerate(texts)
    ]


def page(
    words: Iterable[tuple[str, complex]], *, turn: complex = 1, shift: complex = 0, ticks: Iterable[complex] = ()
) -> dict[str, Any]:
    """A page whose words are turned and shifted; ticks: where somebody has made one, on the page that lies straight."""
    middle, said = complex(WIDTH, HEIGHT) / 2, list(words)
    found, cells = [], bytearray(COLUMNS * ROWS)

    def move(at: complex) -> complex:
        return middle + turn * (at - middle) + shift

    for text, at in said:
        place = move(at)
        found.append([text, any(map(str.isdigit, text)), True, place.real, place.imag])
    for at in (*(at for _text, at in said), *ticks):
        for across in range(-24, 25):
            for down in range(-6, 7):
                place = move(at + complex(across / 2, down / 2))
                column, row = int(place.real / _CELL), int(place.imag / _CELL)
                if 0 <= column < COLUMNS and 0 <= row < ROWS:
                    cells[row * COLUMNS + column] = min(cells[row * COLUMNS + column] + 1, 120)
    ink = base64.b64encode(zlib.compress(bytes(cells))).decode()
    return {"words": found, "width": WIDTH, "height": HEIGHT, "columns": COLUMNS, "rows": ROWS, "ink": ink}


def document(*pages: dict[str, Any], attached: Sequence[str] = ()) -> dict[str, Any]:
    """A fingerprint of such pages."""
    return {"version": 1, "attached": list(attached), "pages": list(pages)}


def scan_of(texts: Sequence[str], *, degrees: float = 0, shift: complex = 0, ticks: Iterable[complex] = ()) -> bytes:
    """The fingerprint of one page as a scanner gives it."""
    turn = cmath.rect(1, math.radians(degrees))
    return json.dumps(document(page(placed(texts), turn=turn, shift=shift, ticks=ticks))).encode()
