"""Lists: what their items' markers look like, and those that the document itself says are ones."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine, words_text
from paperchute.engine.reading.layout.marks import Font, ListPlace, PageMarks, Rule, Word
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ListSettings:
    """What looks like a list. Distances are shares of the font size."""

    bullet_above: float = 0.8
    """Of a drawn bullet, above the baseline: as high as capital letters reach. `mattsnotes` changes at 0.7 and at
    1.0."""

    longest_label: int = 12
    """Characters of a tagged marker: `(xxviii).` has nine; whole phrases are none, which some are at 18."""


LISTS = ListSettings()


BULLETS = "•◦▪▫‣·●○■□◆◇➢➤►▶▸✓✔✗✘❖❑❒⬧⧫⬥\uf0b7⁃∙"
BOXES = "☐☑☒"
_DASHES = "-–—−*o§+"
_COUNT = re.compile(r"^\d{1,2}$")
_NUMBER = re.compile(r"^\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5}|[IVX]{1,5})[.)]$")
_DATED = re.compile(r"^(?:[12]?\d|3[01])\. [^\W\d_]{3,12}\.? (?:1[5-9]|20)\d\d\b")  # 16. Februar 2018, 2. Quartal 2019
_NEGATIVE = re.compile(r"^\(\d+\)$")  # as accounts print it
_SIGNS = "-–—−+"  # of a figure, some way before it


@dataclass(frozen=True, slots=True)
class Marker:
    """The marker of a list item: its text, where it and the item's text start, and whether it can be nothing else.

    words: how many words of the line are the marker.
    """

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
    if second.glued and gap < TYPOGRAPHY.touching * line.size:
        return None
    if is_bullet(first.text):
        return Marker(first.text, first.left, second.left, False, True)
    if len(first.text) == 1 and first.text in BOXES:  # several in a line are the answers to one question
        several = any(word.text in BOXES for word in line.words[1:])
        return None if several else Marker(first.text, first.left, second.left, False, False)
    if len(first.text) == 1 and first.text in _DASHES:
        if first.text == "§" and second.text[0].isdigit():  # the number of a section, not a bullet of Wingdings
            return None
        if first.text in _SIGNS and second.text[0] in "0123456789.,€$£¥" and _has_no_letters(line):
            return None
    elif (
        not _NUMBER.match(first.text)
        or _DATED.match(line.text)
        or (_NEGATIVE.match(first.text) and _has_no_letters(line))
    ):
        return None
    ordered = first.text not in _DASHES
    return Marker(first.text, first.left, second.left, ordered, gap > TYPOGRAPHY.half_em * line.size)


def _has_no_letters(line: TextLine) -> bool:
    """Decide whether a line is a row of figures, so that what stands before them belongs to the first."""
    return not any(c.isalpha() for word in line.words for c in word.text)


def is_bullet(text: str) -> bool:
    """Decide whether a word is a bullet."""
    return len(text) == 1 and text in BULLETS


def is_number(text: str) -> bool:
    """Decide whether a marker counts."""
    return bool(_NUMBER.match(text)) or (len(text) > 1 and any(c.isalnum() for c in text))


def looks_like_marker(text: str) -> bool:
    """Decide whether a word can be a marker: a bullet, a dash, a number or letter with its point."""
    return (len(text) == 1 and text in BULLETS + BOXES + _DASHES) or bool(_NUMBER.match(text))


def add_dot_bullets(lines: Sequence[TextLine], marks: PageMarks) -> None:
    """Put a bullet in front of each line that has a drawn dot right before it, at the height of its letters.

    A number in the dot is the item's. The round corners of a frame and the letters of a drawn name are no bullets.
    """
    if not marks.dots or not lines:
        return
    by_row: dict[int, list[TextLine]] = {}
    for line in lines:
        for row in range(int(line.top // BOUNDS.strip), int(line.bottom // BOUNDS.strip) + 1):
            by_row.setdefault(row, []).append(line)
    shapes = np.array([*marks.dots, *(drawing.box for drawing in marks.drawings)]).T
    for dot in marks.dots:
        _x, y = dot.center
        near = [
            line
            for line in by_row.get(int(y // BOUNDS.strip), [])
            if line.baseline - LISTS.bullet_above * line.size < y < line.baseline + TYPOGRAPHY.touching * line.size
            and 0 < line.left - dot.right < TYPOGRAPHY.quads * line.size
            and dot.width < TYPOGRAPHY.wide_space * line.size
        ]
        within = next((o for o in by_row.get(int(y // BOUNDS.strip), []) if _is_numbered(o, dot)), None)
        if within is not None:
            within.number_item()
        elif near and not _is_corner(dot, marks.rules) and not _is_letter(dot, shapes):
            line = min(near, key=lambda line: line.left)
            bullet = Word("•", dot.left, line.top, dot.right, line.bottom, line.baseline, line.size, Font())
            line.begin_with(bullet)


def _is_corner(dot: Box, rules: Sequence[Rule]) -> bool:
    """Decide whether a rule that lies and one that stands both end at a dot."""
    left, top, right, bottom = dot
    reach = TYPOGRAPHY.size_step
    ends = [
        rule.horizontal
        for rule in rules
        for x, y in ((rule.x1, rule.y1), (rule.x2, rule.y2))
        if left - reach <= x <= right + reach and top - reach <= y <= bottom + reach
    ]
    return any(ends) and not all(ends)


def _is_letter(dot: Box, shapes: Floats) -> bool:
    """Decide whether other drawn shapes stand right beside a dot, or what it is a hole in: letters of a name.

    shapes: the sides of all shapes of the page.
    """
    left, top, right, bottom = shapes
    x, y = dot.center
    heights = bottom - top
    holding = (left <= x) & (x <= right) & (top <= y) & (y <= bottom) & (heights < TYPOGRAPHY.few * dot.height)
    own = dot
    if holding.any():
        own = Box(*shapes[:, np.where(holding, (right - left) * heights, -1.0).argmax()].tolist())
    aside = np.maximum(left - own.right, own.left - right)
    level = np.minimum(bottom, own.bottom) > np.maximum(top, own.top)
    return bool(((aside > 0) & (aside < dot.width) & level & (heights < TYPOGRAPHY.few * own.height)).any())


def _is_numbered(line: TextLine, dot: Box) -> bool:
    """Decide whether a line begins with a number that stands in a dot."""
    first = line.words[0]
    return (
        dot.holds(*first.box.center)
        and first.right - first.left < dot.width
        and bool(_COUNT.match(first.text))
        and len(line.words) > 1
    )


@dataclass(slots=True)
class _Item:
    labels: list[Word] = field(default_factory=list)
    rest: list[Word] = field(default_factory=list)
    drawn: bool = False


def keep_credible(words: Sequence[Word], labelled: Collection[int]) -> None:
    """Take their places from the words of lists that do not look like ones.

    That is: without markers (menus and addresses are often tagged so), with whole sentences for markers, with markers
    behind their items, with items in a jumble.

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
            for own, label in ((item.labels, True), (item.rest, False)):
                for word in own:
                    assert word.place is not None
                    if number in wrong:
                        word.place = None
                    elif (word.place.label, word.place.drawn) != (label, item.drawn):
                        word.place = word.place._replace(label=label, drawn=item.drawn)


def place_of(line: TextLine) -> ListPlace | None:
    """Return where a line stands in a list; a bullet drawn before it says nothing of that."""
    words = line.words
    place = words[0].place
    return place if place is not None or len(words) == 1 else words[1].place


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
    """Decide whether items look like those of a list."""
    marked = [item for item in items if item.rest and (item.labels or item.drawn)]
    if not marked or len(marked) < TYPOGRAPHY.half * len(items):
        return False
    good = sum(item.drawn or _is_before(item.labels, item.rest[0]) for item in marked)
    steps = [b.rest[0].bottom >= a.rest[0].bottom - 1 for a, b in itertools.pairwise(marked)]
    jumps = len(steps) - sum(steps)  # to the top of the next column
    return good >= TYPOGRAPHY.nearly_all * len(marked) and jumps <= max(1, (1 - TYPOGRAPHY.nearly_all) * len(steps))


def _is_before(labels: Sequence[Word], first: Word) -> bool:
    """Decide whether a marker is short and stands before the first word of its item."""
    box = hull(word.box for word in labels)
    level = min(box.bottom, first.bottom) - max(box.top, first.top) > TYPOGRAPHY.third * min(
        box.height, first.box.height
    )
    before = box.right > first.right if is_rtl(first.text) else box.left < first.left
    return level and before and sum(len(word.text) for word in labels) <= LISTS.longest_label
