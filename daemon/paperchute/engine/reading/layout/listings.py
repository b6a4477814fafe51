"""Listings with numbered lines: small numbers that count on, in front of typewriter type."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.reading.layout.lines import TextLine, rows
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def numbered_listings(segments: Sequence[TextLine]) -> list[list[TextLine]]:
    """The runs of a column's lines that are numbered lines of code; a run ends where text stands between.

    Numbers count on over such text. Empty lines of code are numbers alone, and the rest of a line that did not fit has
    none.
    """
    if not any(line.words[0].text.isdigit() for line in segments) or not any(
        line.words[-1].font.mono for line in segments
    ):
        return []  # as on most pages
    lines = rows(segments)
    found: list[list[TextLine]] = []
    chain: list[int] = []
    last = -1
    for n, line in enumerate(lines):
        if chain and chain[-1] == n - 1 and _is_rest(line, lines[n - 1]):
            chain.append(n)
        if not _may_be(line):
            continue
        number = int(line.words[0].text)
        if chain and number != last + 1:
            found += _runs(lines, chain)
            chain = []
        chain.append(n)
        last = number
    return found + _runs(lines, chain)


def _may_be(line: TextLine) -> bool:
    """Decide whether a line is a number alone, or one in front of nothing but larger typewriter type."""
    first, *rest = line.words
    if not first.text.isdigit() or len(first.text) > TYPOGRAPHY.few or first.font.mono:
        return False
    return all(word.font.mono for word in rest) and all(
        first.size <= TYPOGRAPHY.smaller * word.size for word in rest[:1]
    )


def _is_rest(line: TextLine, above: TextLine) -> bool:
    """Tell if a line is what did not fit on the one above: typewriter type without a number, right under its code."""
    size = line.size
    code = [word for word in above.words if word.font.mono]
    return (
        all(word.font.mono for word in line.words)
        and bool(code)
        and line.left > code[0].left - TYPOGRAPHY.half_em * size
        and line.baseline - above.baseline < TYPOGRAPHY.next_line * size
    )


def _runs(lines: Sequence[TextLine], chain: list[int]) -> list[list[TextLine]]:
    """The lines of a chain of numbers, those that follow each other together; none where it is too short."""
    if sum(len(lines[n].words) > 1 and _may_be(lines[n]) for n in chain) < TYPOGRAPHY.several:
        return []
    runs: list[list[TextLine]] = []
    for before, n in zip([-1, *chain], chain, strict=False):
        if runs and n == before + 1:
            runs[-1].append(lines[n])
        else:
            runs.append([lines[n]])
    return runs
