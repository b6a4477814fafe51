"""What differs between two documents: runs of words that were replaced, removed, inserted or moved, and pictures."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal, TypeVar

import numpy as np

from paperchute.engine.comparison.text import Picture, Place, Text, Token

_MOST_CELLS = 4_000_000
"""Words of one side times words of the other that are compared one by one: a bound on time. Longer runs without a word
that stands once on both sides count as replaced."""
_SAME_PICTURE = 6.0  # levels of grey of 255, on average: what saving a picture anew changes
_MOVED_WORDS = 4
"""Of text that stands elsewhere unchanged: shorter runs stand in many places by chance."""
Kind = Literal["replaced", "removed", "inserted", "moved"]
Item = TypeVar("Item", bound=Hashable)
Range = tuple[int, int]


@dataclass(frozen=True)
class Side:
    """What a difference is in one of the documents."""

    text: str = ""
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Difference:
    """One difference. Of what was removed `compared` is empty, of what was inserted `base`."""

    kind: Kind
    base: Side
    compared: Side
    is_picture: bool = False


def differences(base: Text, compared: Text) -> list[Difference]:
    """List what differs, in reading order of the base: words first, then running heads and feet, then pictures."""
    return [
        *_of_words(base.tokens, compared.tokens),
        *_of_words(base.margins, compared.margins),
        *_of_pictures(base.pictures, compared.pictures),
    ]


def _of_words(base: Sequence[Token], compared: Sequence[Token]) -> Iterator[Difference]:
    moved = _moved(base, compared, _changes(base, compared))
    for mine, theirs in moved:
        yield Difference("moved", _side(base[slice(*mine)]), _side(compared[slice(*theirs)]))
    base = _without(base, [mine for mine, _ in moved])
    compared = _without(compared, [theirs for _, theirs in moved])
    for mine, theirs in _changes(base, compared):
        here, there = _side(base[slice(*mine)]), _side(compared[slice(*theirs)])
        kind: Kind = "replaced" if here.places and there.places else "removed" if here.places else "inserted"
        yield Difference(kind, here, there)


def _side(tokens: Sequence[Token]) -> Side:
    return Side(" ".join(token.text for token in tokens), tuple(place for token in tokens for place in token.places))


def _changes(base: Sequence[Token], compared: Sequence[Token]) -> list[tuple[Range, Range]]:
    """Ranges of both sides that are not the same, in order.

    Few words between two long changes that are the same by chance, as "the" in a sentence that was rewritten, go along.
    """
    found: list[tuple[Range, Range]] = []
    for mine, theirs in sorted(_changed([token.text for token in base], [token.text for token in compared])):
        if found:
            (first, last), (other_first, other_last) = found[-1]
            before = max(last - first, other_last - other_first)
            after = max(mine[1] - mine[0], theirs[1] - theirs[0])
            if 2 * (mine[0] - last) <= min(before, after):
                found[-1] = (first, mine[1]), (other_first, theirs[1])
                continue
        found.append((mine, theirs))
    return found


def _changed(base: Sequence[Item], other: Sequence[Item]) -> Iterator[tuple[Range, Range]]:
    """(range of the base, range of the other) of what is not the same, one of them possibly empty.

    Words that stand once on both sides hold the documents together; what lies between is compared word by word.
    """
    waiting = [((0, len(base)), (0, len(other)))]
    while waiting:
        (first, last), (other_first, other_last) = waiting.pop()
        while first < last and other_first < other_last and base[first] == other[other_first]:
            first, other_first = first + 1, other_first + 1
        while first < last and other_first < other_last and base[last - 1] == other[other_last - 1]:
            last, other_last = last - 1, other_last - 1
        if first == last or other_first == other_last:
            if first < last or other_first < other_last:
                yield (first, last), (other_first, other_last)
            continue
        if (last - first) * (other_last - other_first) <= _MOST_CELLS:
            matcher = SequenceMatcher(None, base[first:last], other[other_first:other_last], autojunk=False)
            for tag, a, b, c, d in matcher.get_opcodes():
                if tag != "equal":
                    yield (first + a, first + b), (other_first + c, other_first + d)
            continue
        anchors = _anchors(base, other, (first, last), (other_first, other_last))
        if not anchors:
            yield (first, last), (other_first, other_last)
            continue
        edges = [(first, other_first), *((a + 1, b + 1) for a, b in anchors)]
        ends = [*anchors, (last, other_last)]
        waiting += reversed([((a, c), (b, d)) for (a, b), (c, d) in zip(edges, ends, strict=True)])


def _anchors(base: Sequence[Item], other: Sequence[Item], mine: Range, theirs: Range) -> list[tuple[int, int]]:
    """The longest row of items that stand once on both sides, in the order of both (patience sorting)."""
    counts = Counter(base[slice(*mine)])
    there = Counter(other[slice(*theirs)])
    places = {other[n]: n for n in range(*theirs) if there[other[n]] == 1}
    pairs = [(n, places[base[n]]) for n in range(*mine) if counts[base[n]] == 1 and base[n] in places]
    return _rising(pairs)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest row of pairs whose second values rise."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, value) in enumerate(pairs):
        at = bisect_left(tops, value)
        before.append(ends[at - 1] if at else -1)
        if at == len(tops):
            tops.append(value)
            ends.append(number)
        else:
            tops[at], ends[at] = value, number
    row: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


def _moved(
    base: Sequence[Token], compared: Sequence[Token], changes: Sequence[tuple[Range, Range]]
) -> list[tuple[Range, Range]]:
    """Paragraphs, or what of them changed, that are gone from one place and stand word for word in another."""
    here = _pieces(base, [mine for mine, _ in changes])
    there = _pieces(compared, [theirs for _, theirs in changes])
    return [(mine, there[words]) for words, mine in here.items() if words in there]


def _pieces(tokens: Sequence[Token], ranges: Sequence[Range]) -> dict[tuple[str, ...], Range]:
    """Return what of each paragraph lies within a range, by its words: pieces of some words that are there once."""
    found: dict[tuple[str, ...], Range] = {}
    twice = set()
    for start, last in ranges:
        at = start
        for _paragraph, group in groupby(tokens[start:last], lambda token: token.paragraph):
            words = tuple(token.text for token in group)
            twice.update([words] if words in found else [])
            if len(words) >= _MOVED_WORDS:
                found[words] = at, at + len(words)
            at += len(words)
    return {words: own for words, own in found.items() if words not in twice}


def _without(tokens: Sequence[Token], ranges: Sequence[Range]) -> list[Token]:
    is_left = np.ones(len(tokens), np.bool_)
    for first, last in ranges:
        is_left[first:last] = False
    return list(itertools.compress(tokens, is_left))


def _of_pictures(base: Sequence[Picture], compared: Sequence[Picture]) -> Iterator[Difference]:
    """Pictures that one side alone has: neither the same to the pixel nor alike on the other."""
    here, there = list(base), list(compared)
    for picture in base:
        same = next((n for n, other in enumerate(there) if other.thumbnail == picture.thumbnail), None)
        if same is not None:
            here.remove(picture)
            del there[same]
    looks = np.array([np.frombuffer(other.thumbnail, np.uint8) for other in there], np.int16)
    is_left = np.ones(len(there), np.bool_)
    for picture in here:
        if is_left.any():
            apart = np.abs(looks - np.frombuffer(picture.thumbnail, np.uint8)).mean(axis=1) + 256.0 * ~is_left
            nearest = int(apart.argmin())
            if apart[nearest] <= _SAME_PICTURE:
                is_left[nearest] = False
                continue
        yield Difference("removed", Side(places=(picture.place,)), Side(), is_picture=True)
    for picture in itertools.compress(there, is_left):
        yield Difference("inserted", Side(), Side(places=(picture.place,)), is_picture=True)
