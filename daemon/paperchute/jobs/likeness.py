"""Whether two documents are the same by text and picture, as two scans of one paper are, by their fingerprints.

Two scans of a page differ in noise, by some degrees, and in where the page lies. The words of one must stand where
those of the other do, once both lie upon each other, and so must the ink. A digit that differs, and ink that is on
one of them alone, such as a tick or a signature, make it another document.

What the engine says of a file (`document-fingerprint`) is compared in the reader process, in plain Python.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from paperchute.files.reader_line import Said

Likeness = Literal["same", "unsure", "other"]
"""unsure: all that differs may have been read wrong."""

_VERSION = 1
_MOST_PAGES = 200  # of a document: comparing takes 0.1 s a page
_MOST_WORDS = 20_000
_MOST_CELLS = 1_000_000  # of a page: A0 has 250,000

_FAR = 7.0  # points: how far a word may lie off its place, as those at a line's end do where one is read as two
_LEAST_WORDS = 4  # which stand once on both pages, to lay these upon each other
_TURNED, _GROWN = 0.2, 0.1  # how much one may be askew (about 11 degrees) or larger
_ALIKE = 0.9  # of the words, which must be the same ones: else nobody need be asked
_WINDOW = 1  # cells around one, with which its ink is compared
_PALE = 2.5  # of 255, in a window: specks of dust come to 1.5, a thin pencil's tick to 4
_SHARE = 0.2  # of the ink in a window, by which two scans of the same letters differ
_MARGIN = 4  # cells along the edges, which a shadow or the other page's edge may cover


@dataclass(frozen=True)
class _Word:
    text: str
    is_number: bool
    is_sure: bool
    at: complex


@dataclass(frozen=True)
class _Page:
    """A page. ink: row by row, the mean darkness of the cells around each."""

    width: float
    height: float
    words: tuple[_Word, ...]
    columns: int
    rows: int
    ink: Sequence[Sequence[float]]

    @property
    def numbers(self) -> Counter[str]:
        return Counter(word.text for word in self.words if word.is_number)


@dataclass(frozen=True)
class _Document:
    attached: tuple[str, ...]
    pages: tuple[_Page, ...]


def answer_key(_request: Mapping[str, Any], content: bytes) -> Said:
    """Give what a fingerprint and that of a document like it have in common; empty where it tells too little."""
    found = _document(json.loads(content))
    if not any(page.words for page in found.pages):
        return {"key": ""}, b""
    numbers = [sorted(page.numbers.elements()) for page in found.pages]
    if not any(numbers):  # as many a letter: only those that say the same
        numbers = [sorted(word.text for word in page.words) for page in found.pages]
    said = [found.attached, numbers]
    return {"key": hashlib.sha256(json.dumps(said).encode()).hexdigest()}, b""


def answer_likeness(request: Mapping[str, Any], content: bytes) -> Said:
    """Compare two fingerprints, of which the first has so many bytes (`first`)."""
    first = int(request["first"])
    return {"likeness": likeness_of(json.loads(content[:first]), json.loads(content[first:]))}, b""


def likeness_of(raw: Mapping[str, Any], other_raw: Mapping[str, Any]) -> Likeness:
    """Compare two fingerprints. Raises ValueError, TypeError, KeyError for what is none."""
    one, other = _document(raw), _document(other_raw)
    if one.attached != other.attached or len(one.pages) != len(other.pages):
        return "other"
    found = [_compared(*pair) for pair in zip(one.pages, other.pages, strict=True)]
    return "other" if "other" in found else "unsure" if "unsure" in found else "same"


def _compared(one: _Page, other: _Page) -> Likeness:
    if one.numbers != other.numbers:
        return "other"
    if _is_empty(one) and _is_empty(other):
        return "same"
    pairs = _anchors(one, other)
    if len(pairs) < _LEAST_WORDS:
        return "unsure" if Counter(w.text for w in one.words) == Counter(w.text for w in other.words) else "other"
    move = _move(pairs)
    if move is None:
        return "other"
    turn, shift = move
    same = _matched(one, other, turn, shift)
    if same < _ALIKE * max(len(one.words), len(other.words)):
        return "other"
    back = 1 / turn, -shift / turn
    if _has_own_ink(one, other, turn, shift) or _has_own_ink(other, one, *back):
        return "other"
    is_sure = all(word.is_sure for page in (one, other) for word in page.words if word.is_number)
    return "same" if same == len(one.words) == len(other.words) and is_sure else "unsure"


def _is_empty(page: _Page) -> bool:
    return not page.words and all(dark <= _PALE for row in page.ink for dark in row)


def _anchors(one: _Page, other: _Page) -> list[tuple[complex, complex]]:
    """Return where the words are that stand once on both pages."""
    counts = [Counter(word.text for word in page.words) for page in (one, other)]
    places = {word.text: word.at for word in other.words}
    return [(word.at, places[word.text]) for word in one.words if all(count[word.text] == 1 for count in counts)]


def _move(pairs: list[tuple[complex, complex]]) -> tuple[complex, complex] | None:
    """How a page lies on another: turned and scaled by the first number, then shifted; None where it does not.

    pairs: where the same words are on both.
    """
    for _round in range(2):
        if len(pairs) < _LEAST_WORDS:
            return None
        middle, there = (sum(points) / len(pairs) for points in zip(*pairs, strict=True))
        spread = sum(abs(at - middle) ** 2 for at, _to in pairs)
        if not spread:
            return None
        turn = sum((at - middle).conjugate() * (to - there) for at, to in pairs) / spread
        shift = there - turn * middle
        pairs = [(at, to) for at, to in pairs if abs(turn * at + shift - to) <= _FAR]
    askew = min(abs(turn.real), abs(turn.imag))  # beside turns by a quarter, as a sheet may be laid in
    if len(pairs) < _LEAST_WORDS or askew > _TURNED or abs(abs(turn) - 1) > _GROWN:
        return None
    return turn, shift


def _matched(one: _Page, other: _Page, turn: complex, shift: complex) -> int:
    """Return how many words of a page stand on the other in their places, each for one there."""
    free: dict[str, list[complex]] = defaultdict(list)
    for word in other.words:
        free[word.text].append(word.at)
    count = 0
    for word in one.words:
        place = turn * word.at + shift
        near = min(free[word.text], key=lambda at: abs(at - place), default=None)
        if near is not None and abs(near - place) <= _FAR:
            free[word.text].remove(near)
            count += 1
    return count


def _has_own_ink(one: _Page, other: _Page, turn: complex, shift: complex) -> bool:
    """Decide whether anywhere a page has ink, of which the other has none, or much less."""
    totals = [sum(map(sum, page.ink)) / (page.columns * page.rows) for page in (one, other)]
    ratio = min(max(totals[0] / totals[1], 0.5), 2.0) if totals[1] else 1.0
    across, down = one.width / one.columns, one.height / one.rows
    there_across, there_down = other.columns / other.width, other.rows / other.height
    for row in range(_MARGIN, one.rows - _MARGIN):
        for column in range(_MARGIN, one.columns - _MARGIN):
            dark = one.ink[row][column]
            if dark <= _PALE:
                continue
            place = turn * complex((column + 0.5) * across, (row + 0.5) * down) + shift
            found = ratio * _around(other, place.real * there_across - 0.5, place.imag * there_down - 0.5)
            if dark - found > _PALE + _SHARE * dark:
                return True
    return False


def _around(page: _Page, x: float, y: float) -> float:
    """The most darkness within a cell of a place: where text begins and ends, half a cell aside is much paler."""
    return max(_at(page, x + right, y + down) for right in (-0.5, 0.5) for down in (-0.5, 0.5))


def _at(page: _Page, x: float, y: float) -> float:
    """The darkness between four cells."""
    left, top = int(x // 1), int(y // 1)
    if not (0 <= left < page.columns - 1 and 0 <= top < page.rows - 1):
        return 0.0
    over, under, s, t = page.ink[top], page.ink[top + 1], x - left, y - top
    return (1 - t) * ((1 - s) * over[left] + s * over[left + 1]) + t * ((1 - s) * under[left] + s * under[left + 1])


# ---------- what the engine says ----------


def _document(raw: Any) -> _Document:
    """Read a fingerprint; foreign documents stand behind it. Raises ValueError, TypeError, KeyError."""
    if raw["version"] != _VERSION or len(raw["pages"]) > _MOST_PAGES:
        raise ValueError("a fingerprint of another kind")
    return _Document(tuple(sorted(map(str, raw["attached"]))), tuple(_page(page) for page in raw["pages"]))


def _page(raw: Any) -> _Page:
    columns, rows = int(raw["columns"]), int(raw["rows"])
    if not (0 < columns * rows <= _MOST_CELLS and columns > 0 and len(raw["words"]) <= _MOST_WORDS):
        raise ValueError("a page without measure")
    ink = zlib.decompressobj().decompress(base64.b64decode(raw["ink"]), columns * rows)
    if len(ink) != columns * rows:
        raise ValueError("ink is missing")
    words = tuple(_Word(str(text), bool(n), bool(s), complex(float(x), float(y))) for text, n, s, x, y in raw["words"])
    cells = [ink[row * columns : (row + 1) * columns] for row in range(rows)]
    return _Page(float(raw["width"]), float(raw["height"]), words, columns, rows, list(_smoothed(cells)))


def _smoothed(cells: Sequence[bytes]) -> Iterator[list[float]]:
    """The mean of each cell and those around it."""
    rows = [[sum(row[max(at - _WINDOW, 0) : at + _WINDOW + 1]) for at in range(len(row))] for row in cells]
    count = (2 * _WINDOW + 1) ** 2
    for number in range(len(rows)):
        near = rows[max(number - _WINDOW, 0) : number + _WINDOW + 1]
        yield [sum(column) / count for column in zip(*near, strict=True)]
