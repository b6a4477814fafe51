"""Pictures of lines to characters: the CTC network of PP-OCR (Graves et al. 2006 for how its output is read)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from paperchute.engine.reading.ocr.models import THREADS, Network, line_reader
from paperchute.engine.reading.ocr.recognised import Pixels


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """What the network that reads lines takes."""

    height: int = 48
    """Pixels: the height it was trained on."""

    narrowest: int = 160
    """Pixels: shorter lines are padded, as it was trained on longer ones."""

    widest: int = 6_400
    """Pixels: longer lines are squeezed; a bound on memory."""

    pixels_a_step: int = 8
    """Its output has one place for so many pixels of its input."""

    remembered: int = 512
    """Lines whose reading is kept for when their picture comes again: a page's longest lines are read to tell its
    script and which way is up before all are read. More than a page of text has."""


READER = ReaderSettings()


_WIDE_SCRIPTS = (
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x2E80, 0x9FFF),  # CJK radicals to ideographs, with kana
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),  # full and half width forms
    (0x20000, 0x3FFFF),
)


_FIRST_WIDE = chr(_WIDE_SCRIPTS[0][0])


ALIKE = frozenset("csvwxzCSVWXZ")
"""Letters whose capitals have their shape, only larger: of one that stands alone the network does not know the case."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one line says.

    places: the middle of each character, as a share of the line's width; scores: its likelihood; swung: that of a swung
    dash in its place, none where the reader does not tell it.
    """

    text: str
    places: NDArray[np.float32]
    scores: NDArray[np.float32]
    swung: NDArray[np.float32] | None = None

    @property
    def confidence(self) -> float:
        """The mean likelihood of its characters, 0 for none."""
        return float(self.scores.mean()) if len(self.scores) else 0.0


@dataclass(frozen=True, slots=True)
class LineReading:
    """The most likely reading, and the most likely one without wide scripts."""

    any: Reading
    narrow: Reading


def is_wide(character: str) -> bool:
    """Decide whether a character is of a script whose characters fill a square: Han, kana, Hangul, full width forms."""
    return character >= _FIRST_WIDE and any(low <= ord(character) <= high for low, high in _WIDE_SCRIPTS)


def is_figure(word: str) -> bool:
    """Decide whether a word holds a digit: an amount, a date, a number of an article or an account."""
    return any(map(str.isdecimal, word))


def read_lines(model: Path, lines: Sequence[Pixels]) -> list[LineReading]:
    """The text of line pictures (RGB, upright), in their order. For one thread; others read for it side by side."""
    reader, known = _reader(model), _known[model]
    looks = [_look(line) for line in lines]
    new = {look: line for look, line in zip(looks, lines, strict=True) if look not in known}
    # One line at a time wastes no width on padding; the longest first keeps all processors busy to the end.
    order = sorted(new, key=lambda look: -new[look].shape[1] / max(new[look].shape[0], 1))
    known.update(zip(order, _workers().map(reader.read, (new[look] for look in order)), strict=True))
    results = [known[look] for look in looks]
    for oldest in list(known)[: -READER.remembered]:
        del known[oldest]
    return results


_known: defaultdict[Path, dict[bytes, LineReading]] = defaultdict(dict)
"""By model: what the lines say that were read last."""


def _look(line: Pixels) -> bytes:
    """The same for the same picture alone."""
    return blake2b(line.tobytes(), digest_size=32, salt=line.shape[1].to_bytes(8, "big")).digest()


class _LineReader:
    def __init__(self, network: Network) -> None:
        self._network = network
        characters = str(network.facts.get("character", "")).splitlines()
        self._characters = ["", *characters, " "]  # the first place means: no new character
        self._is_wide = np.array([any(map(is_wide, c)) for c in self._characters])
        self._swung = self._characters.index("~") if "~" in self._characters else None

    def read(self, line: Pixels) -> LineReading:
        values, share = _prepared(line)
        likely = self._network.run(values)[0]
        best = likely.argmax(axis=1)
        whole = self._decoded(best, likely, share)
        wide = np.flatnonzero(self._is_wide[best])  # most lines have no such place
        if not len(wide):
            return LineReading(whole, whole)
        best[wide] = np.where(self._is_wide, 0, likely[wide]).argmax(axis=1)
        return LineReading(whole, self._decoded(best, likely, share))

    def _decoded(self, best: NDArray[np.int64], likely: NDArray[np.float32], share: float) -> Reading:
        starts = np.flatnonzero((best != 0) & np.concatenate([[True], best[1:] != best[:-1]]))
        text: list[str] = []
        places: list[float] = []
        scores: list[float] = []
        swung: list[float] = []
        for start in starts:
            end = start + 1
            while end < len(best) and best[end] == best[start]:
                end += 1
            character = self._characters[best[start]]
            middle = min(((start + end) / 2) / len(best) / share, 1.0)
            for one in character:
                text.append(one)
                places.append(middle)
                scores.append(float(likely[start:end, best[start]].max()))
                swung.append(0.0 if self._swung is None else float(likely[start:end, self._swung].max()))
        if len(text) == 1 and text[0] in ALIKE:
            cases = [self._characters.index(letter) for letter in (text[0].lower(), text[0].upper())]
            scores = [float(likely[:, cases].sum(axis=1).max())]
        values = (np.array(each, np.float32) for each in (places, scores, swung))
        return Reading("".join(text), *values)


def _prepared(line: Pixels) -> tuple[NDArray[np.float32], float]:
    """The network's input for a line, and which share of its width the line takes."""
    height, width = line.shape[:2]
    wanted = min(max(math.ceil(READER.height * width / max(height, 1)), 1), READER.widest)
    small = cv2.resize(
        line, (wanted, READER.height), interpolation=cv2.INTER_AREA if height > READER.height else cv2.INTER_LINEAR
    )
    padded = max(READER.narrowest, math.ceil(wanted / READER.pixels_a_step) * READER.pixels_a_step)
    values = np.zeros((1, 3, READER.height, padded), np.float32)
    values[0, :, :, :wanted] = cv2.cvtColor(small, cv2.COLOR_RGB2BGR).transpose(2, 0, 1) * np.float32(2 / 255) - 1
    return values, wanted / padded


@cache
def _reader(model: Path) -> _LineReader:
    return _LineReader(line_reader(model))


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, "line-reader")
