"""Which model reads the lines of a page: the built-in one, an added network, or the system's Tesseract."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from paperchute.contract.built_in import MODELS
from paperchute.contract.tesseract import trained
from paperchute.engine import report
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.models import built_in_reader
from paperchute.engine.reading.ocr.options import AUTO, LATIN_ONLY, added_model
from paperchute.engine.reading.ocr.recognised import Pixels
from paperchute.engine.reading.ocr.recognition import LineReading, Reading, is_wide, read_lines
from paperchute.engine.reading.ocr.tesseract import TrainedData, read_line, trained_data
from paperchute.engine.work import Refused
from paperchute.language import _

LineModel = Path | TrainedData
"""What reads lines: the file of a network, or trained data of Tesseract."""


@dataclass(frozen=True, slots=True)
class ScriptSettings:
    """When another model than the built-in one is taken for a page, and which of two readings of a line."""

    sure: float = 0.85
    """The likelihood with which a page is read in the script of a model. Tesseract gives 0.9 and more in its own
    script and 0.4 to 0.85 in others; the built-in network up to 0.97 of the little that it finds in Cyrillic, so how
    full the line is counts as well."""

    own: float = 0.93
    """The likelihood with which Tesseract's data read a page of their own script at least: clean and noisy pages give
    0.95 and more, Greek, Hebrew, Armenian, Georgian and Tamil up to 0.9 in Thai, and Ukrainian as much in Russian."""

    piece: float = 16.0
    """Times its height: so much of a line is read for it, some five words."""


SCRIPTS = ScriptSettings()

_NUMBER = re.compile(r"\d+|[%€$£]", re.ASCII)
_DIGITS = frozenset("0123456789")
_WORD = re.compile(r"\S+")
_LIKE_LATIN = ("CYRILLIC", "GREEK", "ARMENIAN")


def model_for(language: str) -> LineModel | None:
    """Give what reads a language of the contract beside the built-in model, None where nothing is installed for it."""
    return added_model(language) or trained_data(language)


def read(model: LineModel, lines: Sequence[Pixels]) -> list[LineReading]:
    """The text of line pictures (RGB, upright), in their order."""
    if isinstance(model, Path):
        return read_lines(model, lines)
    built_in = read_lines(built_in_reader(), lines)
    return [
        _together(read_line(model, line), own.narrow, line, guessed=model.guessed)
        for line, own in zip(lines, built_in, strict=True)
    ]


def best_model(lines: Sequence[Pixels]) -> tuple[LineModel, float]:
    """The model that reads a sample of lines best, and how sure it is of them, from 0 to 1."""
    first = built_in_reader()
    best: LineModel = first
    sure = _sureness(lines, [reading.any for reading in read_lines(first, lines)])
    if sure >= SCRIPTS.sure:
        return best, sure
    lines = [line[:, : round(SCRIPTS.piece * line.shape[0])] for line in lines[: PRINT.some]]
    tried: set[LineModel] = set()
    for language in MODELS:
        try:
            model = model_for(language)
            if model is None or model in tried:
                continue
            tried.add(model)
            readings = _readings(model, lines)
        except Refused as error:  # nobody has named it, so the others may do
            report.warn(error.reason)
            continue
        found = _sureness(lines, readings)
        if found > sure + PRINT.hair * (best is first):
            best, sure = model, found
    if isinstance(best, TrainedData) and sure < SCRIPTS.own:
        best = replace(best, guessed=True)
    return best, sure


def chosen(readings: Sequence[LineReading], language: str) -> list[Reading]:
    """One reading a line.

    A page without lines of wide script has no single such characters either: where one is read in a Latin line, it is a
    misread sign.
    """
    if language in LATIN_ONLY:
        return [reading.narrow for reading in readings]
    if language != AUTO:
        return [reading.any for reading in readings]
    wide = [_surely_wide(reading.any) for reading in readings]
    if sum(wide) >= PRINT.some:
        return [reading.any for reading in readings]
    return [r.any if sure else r.narrow for r, sure in zip(readings, wide, strict=True)]


def _surely_wide(reading: Reading) -> bool:
    scores = [score for c, score in zip(reading.text, reading.scores, strict=True) if is_wide(c) and c.isalpha()]
    return len(scores) >= 2 and sum(scores) / len(scores) > SCRIPTS.sure


def note_choice(model: LineModel) -> None:
    """Say which language of the contract was taken for a page, where the built-in model was not."""
    for language in MODELS:
        if model in (added_model(language), TrainedData("+".join(trained(language)))):
            report.note(_("Text was recognised with ocrRecognitionLang = {language}.", language=language))
            return


def _readings(model: LineModel, lines: Sequence[Pixels]) -> list[Reading]:
    if isinstance(model, Path):
        return [reading.any for reading in read_lines(model, lines)]
    return [read_line(model, line) for line in lines]


def _fullness(line: Pixels, text: str) -> float:
    """Return how many characters a line has for what its script would have, at most 1."""
    height, width = line.shape[:2]
    letters = sum(1 + is_wide(character) for character in text if not character.isspace())
    return min(float(letters * height / max(width, 1)), 1.0)


def _sureness(lines: Sequence[Pixels], readings: Sequence[Reading]) -> float:
    if not lines:
        return 0.0
    sure = [reading.confidence * _fullness(line, reading.text) for line, reading in zip(lines, readings, strict=True)]
    return sum(sure) / len(sure)


def _together(added: Reading, own: Reading, line: Pixels, *, guessed: bool = False) -> LineReading:
    """A line as Tesseract reads it; Latin words and numbers as the built-in network does where it is surer.

    guessed: what Tesseract's data make of Latin words in a script that is not theirs looks as sure as the rest.
    """
    if own.confidence >= PRINT.nearly and _fullness(line, own.text) == 1 and not _has_own_figures(added, own):
        if added.confidence < SCRIPTS.sure or not any(map(str.isalpha, own.text)):
            return LineReading(own, own)
        if guessed or (_is_all_latin(own) and not _looks_latin(added)):
            return LineReading(own, own)
    reading = _with_numbers(added, own, PRINT.less * line.shape[0] / max(line.shape[1], 1))
    return LineReading(reading, reading)


def _has_own_figures(added: Reading, own: Reading) -> bool:
    """Tell if digits of the script stand where the built-in network reads others: an Arabic five is a Latin nought."""
    return any(
        character.isdecimal()
        and character not in _DIGITS
        and own.text[int(np.abs(own.places - place).argmin())].isdecimal()
        for character, place in zip(added.text, added.places, strict=True)
    )


def _is_all_latin(own: Reading) -> bool:
    """Tell if the built-in network knows every word of a line; of another script it reads a little, or only a space."""
    words = [float(own.scores[word.start() : word.end()].mean()) for word in _WORD.finditer(own.text)]
    return own.text == own.text.strip() and min(words) >= PRINT.surely


def _looks_latin(added: Reading) -> bool:
    """Tell if letters of a line's script have the shapes of Latin ones, which the built-in network would read there."""
    return any(unicodedata.name(character, "").startswith(_LIKE_LATIN) for character in added.text)


def _with_numbers(added: Reading, own: Reading, around: float) -> Reading:
    """Numbers of the script's line as the built-in network reads them, where both say that a number stands there.

    A sign such as % may have been taken for one. Points and commas are the line's own.
    """
    text, places, scores = list(added.text), list(added.places), list(added.scores)
    runs = [match.span() for match in _NUMBER.finditer(added.text)]
    for match in reversed(list(_NUMBER.finditer(own.text))):
        first, last = match.span()
        low, high = float(own.places[first]) - around, float(own.places[last - 1]) + around
        there = [(start, end) for start, end in runs if low <= places[start] and places[end - 1] <= high]
        if len(there) != 1 or float(own.scores[first:last].min()) < PRINT.nearly:
            continue
        start, end = there[0]
        text[start:end] = own.text[first:last]
        places[start:end] = own.places[first:last]
        scores[start:end] = own.scores[first:last]
        runs = [run for run in runs if run[1] <= start]
    return Reading("".join(text), np.array(places, np.float32), np.array(scores, np.float32))
