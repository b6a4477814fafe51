"""Lists that the document itself says are ones."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from paperchute.engine.document.geometry import hull
from paperchute.engine.reading.layout.lines import TextLine, is_rtl, words_text
from paperchute.engine.reading.layout.markers import Marker, is_number, looks_like_marker, marker_of
from paperchute.engine.reading.layout.records import ListPlace, Word

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
