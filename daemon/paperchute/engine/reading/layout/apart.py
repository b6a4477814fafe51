"""What stands apart in a margin so plainly that it belongs to the page, although it repeats nowhere: on single pages
and in short documents. Where the signs are not strong, text stays text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.records import Rule

_GAP = 0.8
_FAR = 3.0
"""Of the font size: the least distance to the text, and that of what has few other signs."""
_SMALL = 0.86
_SMALLER = 0.95
"""Of the size of running text."""
_LONGEST_PART = 40
_LONGEST_ROW = 100
_LONGEST_FAR = 60
"""Characters."""
_FLUSH = 0.025
_ACROSS = 0.8
_PARTS_APART = 0.08
_SIDES_APART = 0.3
_CENTRED = 0.04
"""Shares of the width of the text."""
_NEAR_RULE = 2.5
_SAME_RULE = 4.0
_RULED = 60.0
_NOTE = re.compile(r"^(?:\W|\d{1,3}[.)]?(?:\s|$)|\[\d)")
_ENDS = (".", "!", "?", "。", "！", "？")
_LONE_NUMBER = re.compile(r"^[-–—]?\s?\d{1,4}\s?[-–—]?$")


def stands_apart(
    row: Sequence[TextLine],
    others: Sequence[TextLine],
    rules: Sequence[Rule],
    tables: Sequence[Box],
    body_size: float,
    top: bool,
) -> bool:
    """Whether the outermost row of a margin is a running head or foot by its own look.

    others: all lines further in; tables: their places, whose words are none of the lines. The row must keep its
    distance, be no larger than the text and no sentence (that may be the end of a footnote), and moreover: be parted
    from the text by a rule of its width; be set in three parts, left, middle and right, at the foot of the page (at its
    head they may be a letter's); in two at the text's edges in smaller type; or be a short line in small type far off.
    """
    if not others or body_size <= 0:
        return False
    size = max(line.size for line in row)
    extent = hull([*(line.box for line in others), *tables])
    gap = extent.top - max(r.bottom for r in row) if top else min(r.top for r in row) - extent.bottom
    chars = sum(line.chars for line in row)
    in_three = len(row) == 3 and not top
    largest = 1.3 if in_three else 1.02
    if gap < _GAP * size or size > largest * body_size or chars > _LONGEST_ROW or _is_sentence(row):
        return False
    left, right = min(o.left for o in others), max(o.right for o in others)
    parts = sorted(row, key=lambda line: line.left)
    ruled = not all(line.bold for line in row) and _is_ruled_off(row, others, rules, right - left, top)
    smaller = size <= _SMALLER * body_size
    if len(parts) == 1:
        return ruled or (size <= _SMALL * body_size and gap >= _FAR * body_size and chars <= _LONGEST_FAR)
    spread = _is_spread(parts, left, right)
    return spread and (ruled or (smaller and len(parts) == 2) or in_three)


def lone_number(lines: Sequence[TextLine], tables: Sequence[Box], body_size: float) -> int | None:
    """The place in `lines` of a page number that is the last line of its page, however high it stands: centred under
    the text and far from it."""
    if len(lines) < 2:
        return None
    last = max(range(len(lines)), key=lambda n: lines[n].bottom)
    line, others = lines[last], [*lines[:last], *lines[last + 1 :]]
    left, _, right, bottom = hull([*(o.box for o in others), *tables])
    centred = abs(line.left + line.right - left - right) / 2 <= _CENTRED * (right - left)
    far = line.top - bottom >= 1.5 * line.size
    plain = line.size <= 1.05 * body_size and bool(_LONE_NUMBER.match(line.text.strip()))
    return last if plain and far and centred and right - left > 20 * line.size else None


def _is_sentence(row: Sequence[TextLine]) -> bool:
    """Whether a row looks like a footnote, or like the end of one that began on the page before."""
    first, last = min(row, key=lambda line: line.left), max(row, key=lambda line: line.left)
    if first.words[0].script == "super" or _NOTE.match(first.text):
        return True
    return len(row) == 1 and (first.text[0].islower() or last.text.rstrip().endswith(_ENDS))


def _is_spread(parts: Sequence[TextLine], left: float, right: float) -> bool:
    """Whether two or three short parts stand at the left and right edges of the text, and in its middle."""
    width = right - left
    apart = _PARTS_APART if len(parts) > 2 else _SIDES_APART
    if len(parts) > 3 or any(line.chars > _LONGEST_PART for line in parts):
        return False
    if any(b.left - a.right < max(apart * width, 3 * a.size) for a, b in itertools.pairwise(parts)):
        return False
    middle = len(parts) == 2 or abs(parts[1].left + parts[1].right - left - right) / 2 <= _CENTRED * width
    return middle and max(abs(parts[0].left - left), abs(parts[-1].right - right)) <= _FLUSH * width


def _is_ruled_off(
    row: Sequence[TextLine], others: Sequence[TextLine], rules: Sequence[Rule], width: float, top: bool
) -> bool:
    """Whether a rule of the text's width lies between a row and the text, right at the row; and no second one soon
    after it, as in a table."""
    size = max(line.size for line in row)
    edge = max(line.bottom for line in row) if top else min(line.top for line in row)
    text = min(line.top for line in others) if top else max(line.bottom for line in others)
    distances = sorted(
        distance
        for rule in rules
        if rule.horizontal
        and rule.x2 - rule.x1 >= _ACROSS * width
        and -0.3 * size <= (distance := (rule.y1 - edge) * (1 if top else -1)) <= _RULED
    )
    if not distances or distances[0] > min(_NEAR_RULE * size, abs(text - edge) + 1):
        return False
    return all(distance - distances[0] <= _SAME_RULE for distance in distances)
