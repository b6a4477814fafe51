"""Markers that count one another up: only so are letters and Roman numbers those of a list, and not initials."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.lists import Marker
from paperchute.engine.reading.layout.numbering import Counted, counted
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

_REFERENCE = re.compile(r"^\[\d{1,3}\]$")
_STEP = re.compile(r"^\d{1,3}:$")
_CLAUSE = re.compile(r"^((?:[1-9]\d{0,2}\.){1,6}[1-9]\d{0,2})(?:\.(?:[^\W\d_].*)?)?$")


class _Place(NamedTuple):
    """Where a marker stands: the number of its line, its left end, that of the text behind it, the font size."""

    line: int
    left: float
    text_left: float
    size: float

    def is_under(self, other: _Place) -> bool:
        """Decide whether two markers, or the texts behind them, begin at the same place."""
        reach = TYPOGRAPHY.half_em * self.size
        return abs(self.left - other.left) < reach or abs(self.text_left - other.text_left) < reach


def in_sequence(lines: Sequence[TextLine], markers: Sequence[Marker | None]) -> set[int]:
    """The numbers of the lines of one column whose markers, of letters or Roman numbers, count one another up."""
    places: list[tuple[str, _Place]] = []
    for number, (line, marker) in enumerate(zip(lines, markers, strict=True)):
        if marker is not None and marker.ordered and not any(map(str.isdigit, marker.text)):
            places.append((marker.text, _Place(number, marker.left, marker.text_left, line.size)))
    return _counting(places) | _at_ends(places, len(lines))


def opening(lines: Sequence[TextLine], markers: Sequence[Marker | None]) -> set[int]:
    """The numbers of the lines of one column that begin a list, since markers of its kind follow where theirs stand.

    Numbers and letters count from their first one, dashes are equal, and what stands between two is set in.
    """
    places = [
        (marker.text, _Place(number, marker.left, marker.text_left, line.size))
        for number, (line, marker) in enumerate(zip(lines, markers, strict=True))
        if marker is not None
    ]
    found = set()
    for (text, place), (following, below) in itertools.pairwise(places):
        between = lines[place.line + 1 : below.line]
        ways = list(counted(text))
        goes_on = any(one.value == 1 and Counted(one.kind, 2) in counted(following) for one in ways)
        is_set_in = all(line.left > place.left + TYPOGRAPHY.half_em * line.size for line in between)
        if (goes_on or (text == following and not ways)) and is_set_in and below.is_under(place):
            found.add(place.line)
    return found


def _at_ends(places: Sequence[tuple[str, _Place]], lines: int) -> set[int]:
    """Markers at a column's ends whose sequence may be in another column; capitals may be the initials of names."""
    found = set()
    for text, place in places:
        ways = [one for one in counted(text) if one.kind not in ("A.", "I.")]
        goes_on = place.line == 0 and any(one.value > 1 for one in ways)
        begins = place.line >= lines - TYPOGRAPHY.short_text and any(one.value == 1 for one in ways)
        if goes_on or begins:
            found.add(place.line)
    return found


def references(lines: Sequence[TextLine]) -> set[int]:
    """The numbers of the lines of one column that begin the entries of a bibliography: `[1]`, `[2]`."""
    return _numbered(lines, _REFERENCE)


def steps(lines: Sequence[TextLine]) -> set[int]:
    """The numbers of the lines of one column that are numbered lines of an algorithm: `1:`, `2:`."""
    return _numbered(lines, _STEP)


def clauses(lines: Sequence[TextLine]) -> set[int]:
    """The numbers of the lines of one column that begin a clause: `2.1` and `2.2`, or `2.1.1` below `2.1`."""
    places: dict[tuple[int, ...], list[_Place]] = defaultdict(list)
    for at, line in enumerate(lines):
        if len(line.words) > 1 and (number := _CLAUSE.match(line.words[0].text)):
            values = tuple(map(int, number[1].split(".")))
            places[values].append(_Place(at, line.left, line.words[1].left, line.size))
    found = set()
    for values, own in places.items():
        *above, last = values
        first = last == 1 and tuple(above) in places
        for place in own:
            beside = [*places.get((*above, last - 1), []), *places.get((*above, last + 1), [])]
            if first or any(abs(other.left - place.left) < TYPOGRAPHY.half_em * place.size for other in beside):
                found.add(place.line)
    return found


def _numbered(lines: Sequence[TextLine], number: re.Pattern[str]) -> set[int]:
    return _counting(
        [
            (line.words[0].text, _Place(at, line.left, line.words[1].left, line.size))
            for at, line in enumerate(lines)
            if len(line.words) > 1 and number.match(line.words[0].text)
        ]
    )


def _counting(places: Iterable[tuple[str, _Place]]) -> set[int]:
    by_count: defaultdict[Counted, list[_Place]] = defaultdict(list)
    for text, place in places:
        for one in counted(text):
            by_count[one].append(place)
    found: set[int] = set()
    for first in sorted(by_count, key=lambda one: one.value):
        for place in by_count[first]:
            run = [place]
            value = first.value
            while below := [
                other
                for other in by_count.get(Counted(first.kind, value + 1), [])
                if other.line > run[-1].line and other.is_under(run[-1])
            ]:
                run.append(below[0])
                value += 1
            names = "A" in first.kind and first.value > 1
            if len(run) >= (TYPOGRAPHY.several if names else 2):
                found.update(place.line for place in run)
    return found
