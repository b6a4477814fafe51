"""Lines read by the system's Tesseract, through the C interface of its library (capi.h, versions 4.1 and 5).

The library is loaded into the worker, as PDFium and the networks are, so it reads inside of the same fence: it gets
pixels that were decoded before, starts no program, and opens no file but its trained data.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np

from paperchute.contract.tesseract import data_folder, shared_library, told_unfit, trained, unfit
from paperchute.engine import report
from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.recognised import CROPS, Pixels, pixels
from paperchute.engine.reading.ocr.recognition import Reading
from paperchute.engine.work import Refused
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class TesseractSettings:
    """How lines are shown to Tesseract."""

    least_height: int = 40
    """Pixels: lower lines are enlarged to it. Its networks see 36 to 48."""

    most_height: int = 96
    """Pixels: higher lines are made smaller to it; a bound on time, which grows with the square of the height."""

    margin: int = 10
    """Pixels of paper around a line, as its documentation advises."""


TESSERACT = TesseractSettings()

_ONE_LINE = 7  # PageSegMode of publictypes.h
_LINE, _WORD, _SYMBOL = 2, 3, 4  # PageIteratorLevel
_SARA_AM = ("\u0e4d\u0e32", "\u0e33")  # in Thai one letter, which it gives in two parts
_SPACELESS = frozenset({"kor", "tha"})  # of these its words are a letter or two; its text of a line has the spaces
_MARGINS = (TESSERACT.margin, TESSERACT.margin, TESSERACT.margin, TESSERACT.margin)


@dataclass(frozen=True, slots=True)
class TrainedData:
    """Trained data of Tesseract that read together, as its interface names them: `rus+ukr`.

    guessed: whether they were taken for a page though they surely know no more of it than others do.
    """

    names: str
    guessed: bool = field(default=False, compare=False)


def trained_data(language: str) -> TrainedData | None:
    """What reads a language of the contract, None where it is not installed. Raises Refused 190005 if it is unfit."""
    if trouble := unfit(language):
        raise Refused("190005", trouble)
    names = trained(language)
    return TrainedData("+".join(names)) if names else None


def read_line(data: TrainedData, line: Pixels) -> Reading:
    """The text of a line's picture (RGB, upright). Raises Refused 190005 for trained data that cannot be loaded."""
    return _reader(data).read(line)


@dataclass(frozen=True, slots=True)
class _Symbol:
    """A letter with its marks. middle: in pixels of the line; score: 0 to 1; parted: after a space."""

    text: str
    middle: float
    score: float
    parted: bool


class _Reader:
    def __init__(self, names: str) -> None:
        folder = data_folder()
        self._library = _library()
        self._lock = threading.Lock()
        self._handle = self._library.TessBaseAPICreate()
        with report.loading(names):  # damaged data makes it end the process, some not before it reads
            if self._library.TessBaseAPIInit3(self._handle, os.fsencode(folder or ""), names.encode()) != 0:
                raise Refused("190005", told_unfit(names))
            self._set(names)
            self.read(_trial())

    def _set(self, names: str) -> None:
        self._is_spaceless = not _SPACELESS.isdisjoint(names.split("+"))
        self._library.TessBaseAPISetVariable(self._handle, b"debug_file", os.devnull.encode())
        if self._is_spaceless:
            self._library.TessBaseAPISetVariable(self._handle, b"preserve_interword_spaces", b"1")
        self._library.TessBaseAPISetPageSegMode(self._handle, _ONE_LINE)

    def read(self, line: Pixels) -> Reading:
        height, width = line.shape[:2]
        wanted = min(max(height, TESSERACT.least_height), TESSERACT.most_height)
        if wanted != height:
            size = min(max(1, round(width * wanted / height)), CROPS.longest), wanted
            better = cv2.INTER_CUBIC if wanted > height else cv2.INTER_AREA
            line = pixels(cv2.resize(line, size, interpolation=better))
        line = pixels(cv2.copyMakeBorder(_on_white(line), *_MARGINS, cv2.BORDER_REPLICATE))
        with self._lock:
            symbols, text = self._seen(line)
        if self._is_spaceless:
            symbols = _spaced(symbols, text)
        return _reading(_visual(symbols), line.shape[1] - 2 * TESSERACT.margin)

    def _seen(self, line: Pixels) -> tuple[list[_Symbol], str]:
        """The letters as one reads them, and the text of the line."""
        height, width = line.shape[:2]
        shown = line.tobytes()
        self._library.TessBaseAPISetImage(self._handle, shown, width, height, 1, width)
        self._library.TessBaseAPISetSourceResolution(self._handle, round(PRINT.fine))
        if self._library.TessBaseAPIRecognize(self._handle, None) != 0:
            return [], ""
        found = self._library.TessBaseAPIGetIterator(self._handle)
        if not found:
            return [], ""
        try:
            text = self._text(found, _LINE)  # while it stands at the line's beginning
            return list(self._symbols(found)), text
        finally:
            self._library.TessResultIteratorDelete(found)

    def _symbols(self, found: int) -> Iterator[_Symbol]:
        places = self._library.TessResultIteratorGetPageIterator(found)
        edges = [ctypes.c_int() for _ in range(4)]
        while True:
            text = self._text(found, _SYMBOL).strip()
            if text and self._library.TessPageIteratorBoundingBox(places, _SYMBOL, *map(ctypes.byref, edges)):
                sure = sum(self._library.TessResultIteratorConfidence(found, level) for level in (_SYMBOL, _WORD))
                left, right = (edges[n].value - TESSERACT.margin for n in (0, 2))
                parted = bool(self._library.TessPageIteratorIsAtBeginningOf(places, _WORD))
                yield _Symbol(text, (left + right) / 2, min(max(sure / 200, 0.0), 1.0), parted)
            if not self._library.TessResultIteratorNext(found, _SYMBOL):
                return

    def _text(self, found: int, level: int) -> str:
        pointer = self._library.TessResultIteratorGetUTF8Text(found, level)
        if not pointer:
            return ""
        try:
            return ctypes.string_at(pointer).decode("utf-8", "replace")
        finally:
            self._library.TessDeleteText(pointer)


def _trial() -> Pixels:
    """A line with some letters on it."""
    paper = np.full((TESSERACT.least_height, 200, 3), 255, np.uint8)
    return pixels(cv2.putText(paper, "Page 12", (10, 30), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 0), 2))


def _on_white(line: Pixels) -> Pixels:
    """The line in grey as if its paper were evenly white.

    Tesseract parts ink from paper by one level: of seven scripts with a shadow across, Arabic lost a tenth to it.
    """
    grey = np.asarray(cv2.cvtColor(line, cv2.COLOR_RGB2GRAY))
    side = line.shape[0] | 1
    paper = cv2.morphologyEx(cv2.GaussianBlur(grey, (0, 0), 1.0), cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    paper = cv2.GaussianBlur(paper, (0, 0), PRINT.part * side)
    even = grey.astype(np.float32) * 255 / np.maximum(paper, 1)
    return pixels(np.clip(even, 0, 255).astype(np.uint8))


def _spaced(symbols: list[_Symbol], line: str) -> list[_Symbol]:
    """The symbols with the spaces of the whole line's text, where it has the same letters."""
    letters = re.sub(r"\s", "", line)
    if letters != "".join(symbol.text for symbol in symbols):
        return symbols
    after_space, count = set(), 0
    for character in line.strip():
        if character.isspace():
            after_space.add(count)
        else:
            count += 1
    spaced, count = [], 0
    for symbol in symbols:
        spaced.append(replace(symbol, parted=count in after_space))
        count += len(symbol.text)
    return spaced


def _visual(symbols: list[_Symbol]) -> list[_Symbol]:
    """The symbols from left to right; Tesseract gives them as one reads them."""
    if not any(is_rtl(symbol.text) for symbol in symbols):
        return symbols
    words: list[list[_Symbol]] = []
    for symbol in symbols:
        if symbol.parted or not words:
            words.append([])
        words[-1].append(symbol)
    result: list[_Symbol] = []
    for word in sorted(words, key=lambda word: min(symbol.middle for symbol in word)):
        for number, symbol in enumerate(sorted(word, key=lambda symbol: symbol.middle)):
            # Its marks before the letter, as whoever turns the word round turns them, too.
            text = symbol.text[::-1] if is_rtl(symbol.text) else symbol.text
            result.append(replace(symbol, text=text, parted=number == 0))
    return result


def _reading(symbols: list[_Symbol], width: int) -> Reading:
    """As the networks give it: each character at its place in the line."""
    text: list[str] = []
    places: list[float] = []
    scores: list[float] = []
    for number, symbol in enumerate(symbols):
        letters = " " * (symbol.parted and number > 0) + symbol.text
        if "".join(text[-1:]) + letters == _SARA_AM[0]:
            text[-1] = _SARA_AM[1]
            continue
        text += letters
        places += [min(max(symbol.middle / max(width, 1), 0.0), 1.0)] * len(letters)
        scores += [symbol.score] * len(letters)
    return Reading("".join(text), np.array(places, np.float32), np.array(scores, np.float32))


_NUMBER, _POINTER, _TEXT = ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p
_INTERFACE: dict[str, tuple[type | None, list[type]]] = {
    "TessBaseAPICreate": (_POINTER, []),
    "TessBaseAPIInit3": (_NUMBER, [_POINTER, _TEXT, _TEXT]),
    "TessBaseAPISetVariable": (_NUMBER, [_POINTER, _TEXT, _TEXT]),
    "TessBaseAPISetPageSegMode": (None, [_POINTER, _NUMBER]),
    "TessBaseAPISetImage": (None, [_POINTER, _TEXT, *[_NUMBER] * 4]),
    "TessBaseAPISetSourceResolution": (None, [_POINTER, _NUMBER]),
    "TessBaseAPIRecognize": (_NUMBER, [_POINTER, _POINTER]),
    "TessBaseAPIGetIterator": (_POINTER, [_POINTER]),
    "TessResultIteratorDelete": (None, [_POINTER]),
    "TessResultIteratorGetPageIterator": (_POINTER, [_POINTER]),
    "TessResultIteratorNext": (_NUMBER, [_POINTER, _NUMBER]),
    "TessResultIteratorGetUTF8Text": (_POINTER, [_POINTER, _NUMBER]),
    "TessResultIteratorConfidence": (ctypes.c_float, [_POINTER, _NUMBER]),
    "TessDeleteText": (None, [_POINTER]),
    "TessPageIteratorBoundingBox": (_NUMBER, [_POINTER, _NUMBER, *[ctypes.POINTER(_NUMBER)] * 4]),
    "TessPageIteratorIsAtBeginningOf": (_NUMBER, [_POINTER, _NUMBER]),
}
"""What each function of it that is used gives and takes."""


@cache
def _library() -> ctypes.CDLL:
    place = shared_library()
    os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # its threads share one line, and wait for each other by spinning
    try:
        loaded = ctypes.CDLL(str(place))
        for name, (gives, takes) in _INTERFACE.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = gives, takes
    except (OSError, AttributeError) as error:
        raise Refused("190005", _("Tesseract's library {name} cannot be loaded.", name=str(place))) from error
    return loaded


@cache
def _reader(data: TrainedData) -> _Reader:
    return _Reader(data.names)
