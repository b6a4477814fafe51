"""Codes whose check digits fail: one of their characters was misread, however sure the network is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.ocr.recognised import SeenWord
from paperchute.notation.check_digits import broken_codes


def with_broken_codes(words: Sequence[SeenWord]) -> list[SeenWord]:
    """The words of a line, those unsure that make a code whose check digits fail."""
    ends = list(accumulate(len(word.text) + 1 for word in words))
    broken: set[int] = set()
    for start, end in broken_codes(" ".join(word.text for word in words)):
        broken.update(range(bisect_right(ends, start), bisect_right(ends, end - 1) + 1))
    return [
        replace(word, confidence=min(word.confidence, PRINT.half)) if number in broken else word
        for number, word in enumerate(words)
    ]
