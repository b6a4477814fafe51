"""Lists: what their items' markers look like, and those that the document itself says are ones."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine, is_rtl, words_text
from paperchute.engine.reading.layout.marks import Font, ListPlace, Word

_BULLETS = "•◦▪▫‣·●○■□◆◇➢➤►▶▸✓✔❖\uf0b7⁃∙"
_DASHES = "-–—*o§+"
_NUMBER = re.compile(r"^\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5}|[IVX]{1,5})[.)]$")


@dataclass(frozen=True, slots=True)
class Marker:
    """The marker of a list item: its text, where it and the item's text start, and whether it can be nothing else.
    words: how many words of the line are the marker."""

    text: str
    left: float
    text_left: float
    ordered: bool
    sure: bool
    words: int = 1


def marker_of(line: TextLine) -> Marker | None:
    """The list marker a line starts with, or None."""
    if len(line.words) < 2 or line.rtl:
        return None
    first, second = line.words[0], line.words[1]
    gap = second.left - first.right
    if second.glued and gap < 0.15 * line.size:
        return None
    if len(first.text) == 1 and first.text in _BULLETS:
        return Marker(first.text, first.left, second.left, False, True)
    if len(first.text) == 1 and first.text in _DASHES:
        return Marker(first.text, first.left, second.left, False, gap > 0.35 * line.size)
    if _NUMBER.match(first.text):
        return Marker(first.text, first.left, second.left, True, gap > 0.5 * line.size)
    return None


def is_number(text: str) -> bool:
    """Whether a marker counts."""
    return bool(_NUMBER.match(text)) or (len(text) > 1 and any(c.isalnum() for c in text))


def looks_like_marker(text: str) -> bool:
    """Whether a word can be a marker: a bullet, a dash, a number or letter with its point."""
    return (len(text) == 1 and text in _BULLETS + _DASHES) or bool(_NUMBER.match(text))


def add_dot_bullets(lines: Sequence[TextLine], dots: Sequence[Box]) -> None:
    """Put a bullet in front of each line that has a drawn dot right before it, at the height of its letters."""
    if not dots or not lines:
        return
    by_row: dict[int, list[TextLine]] = {}
    for line in lines:
        for row in range(int(line.top // 10), int(line.bottom // 10) + 1):
            by_row.setdefault(row, []).append(line)
    for dot in dots:
        _x, y = dot.center
        near = [
            line
            for line in by_row.get(int(y // 10), [])
            if line.baseline - 0.8 * line.size < y < line.baseline + 0.05 * line.size
            and 0 < line.left - dot.right < 3 * line.size
            and dot.width < 0.75 * line.size
        ]
        if near:
            line = min(near, key=lambda line: line.left)
            bullet = Word("•", dot.left, line.top, dot.right, line.bottom, line.baseline, line.size, Font())
            line.words.insert(0, bullet)
            line.left = dot.left


_LONGEST_LABEL = 12  # characters
_LABELLED = 0.5
_RIGHT = 0.9
"""The shares of items that must have a marker, and of markers and items that must stand where such ones do."""


@dataclass(slots=True)
class _Item:
    labels: list[Word] = field(default_factory=list)
    rest: list[Word] = field(default_factory=list)
    drawn: bool = False


def keep_credible(words: Sequence[Word], labelled: Collection[int]) -> None:
    """Take their places from the words of lists that do not look like ones: without markers (menus and addresses are
    often tagged so), with whole sentences for markers, with markers behind their items, with items in a jumble.

    labelled: the items that have a marker, which may be drawn. A marker that is not tagged as one is told by its look.
    """
    lists: dict[int, dict[int, _Item]] = {}
    for word in words:
        if word.place is not None:
            item = lists.setdefault(word.place.list, {}).setdefault(word.place.item, _Item())
            (item.labels if word.place.label else item.rest).append(word)
    wrong = set()
    for number, items in lists.items():
        for which, item in items.items():
            if (
                not item.labels
                and which not in labelled
                and len(item.rest) > 1
                and looks_like_marker(item.rest[0].text)
            ):
                item.labels.append(item.rest.pop(0))
            item.drawn = not item.labels and which in labelled
        if not _is_credible(list(items.values())):
            wrong.add(number)
    for number, items in lists.items():
        for item in items.values():
            for word, label in [*((w, True) for w in item.labels), *((w, False) for w in item.rest)]:
                assert word.place is not None
                word.place = None if number in wrong else word.place._replace(label=label, drawn=item.drawn)


def place_of(line: TextLine) -> ListPlace | None:
    """Where a line stands in a list; a bullet drawn before it says nothing of that."""
    return next((word.place for word in line.words[:2] if word.place is not None), None)


def item_marker(line: TextLine) -> Marker | None:
    """The marker of the item that a line of a tagged list begins with, None when it goes on with one."""
    count = sum(1 for _ in itertools.takewhile(_is_label, line.words))
    if not count or count == len(line.words):
        first = line.words[0]
        drawn = first.place is not None and first.place.drawn
        return Marker("•", first.left, first.left, False, sure=True, words=0) if drawn else marker_of(line)
    labels, rest = line.words[:count], line.words[count]
    return Marker(words_text(labels), labels[0].left, rest.left, is_number(words_text(labels)), sure=True, words=count)


def _is_label(word: Word) -> bool:
    return word.place is not None and word.place.label


def _is_credible(items: Sequence[_Item]) -> bool:
    """Whether items look like those of a list."""
    marked = [item for item in items if item.rest and (item.labels or item.drawn)]
    if not marked or len(marked) < _LABELLED * len(items):
        return False
    good = sum(item.drawn or _is_before(item.labels, item.rest[0]) for item in marked)
    steps = [b.rest[0].bottom >= a.rest[0].bottom - 1 for a, b in itertools.pairwise(marked)]
    jumps = len(steps) - sum(steps)  # to the top of the next column
    return good >= _RIGHT * len(marked) and jumps <= max(1, (1 - _RIGHT) * len(steps))


def _is_before(labels: Sequence[Word], first: Word) -> bool:
    """Whether a marker is short and stands before the first word of its item."""
    box = hull(word.box for word in labels)
    level = min(box.bottom, first.bottom) - max(box.top, first.top) > 0.3 * min(box.height, first.box.height)
    before = box.right > first.right if is_rtl(first.text) else box.left < first.left
    return level and before and sum(len(word.text) for word in labels) <= _LONGEST_LABEL
