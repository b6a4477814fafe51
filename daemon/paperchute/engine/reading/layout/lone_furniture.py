"""Furniture that nothing repeats: heads, feet and page numbers that a single page tells by their look."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Rule


@dataclass(frozen=True, slots=True)
class ApartSettings:
    """Which row of a margin is furniture by its own look, on a single page (olmOCR-bench, headers and footers).

    It took the share of facts that hold there from 0.534 to 0.580.
    """

    gap: float = 0.8
    """Of the font size: from the row to the text at least."""

    far: float = 3.0
    """Of the body size: the same for a row that has few other signs."""

    small: float = 0.86
    """Of the body size: of a single short line far off, with no other sign."""

    smaller: float = 0.95
    """Of the body size: of a row in two parts."""

    largest: float = 1.02
    """Of the body size: of any row; rounding of sizes is allowed for."""

    largest_in_three: float = 1.3
    """Of the body size: of a foot in three parts, whose spread says enough."""

    longest_part: int = 40
    """Characters of one of several parts."""

    longest_row: int = 100
    """Characters of a row; longer ones are text."""

    longest_far: int = 60
    """Characters of a line that only its small type and distance tell."""

    flush: float = 0.025
    """Of the text's width: by so much parts may miss its edges."""

    parts_apart: float = 0.08
    """Of the text's width: between three parts."""

    sides_apart: float = 0.3
    """Of the text's width: between two parts; words of a justified line are closer."""

    part_gap: float = 3.0
    """Of the font size: between parts, where the text is narrow."""

    centred: float = 0.04
    """Of the text's width: by so much a part may miss its middle."""

    across: float = 0.8
    """Of the text's width: the rule that parts a head or foot from it."""

    near_rule: float = 2.5
    """Of the font size: from the row to that rule."""

    over_rule: float = 0.3
    """Of the font size: by so much the row may reach over the rule, as descenders do."""

    same_rule: float = 4.0
    """Points: rules no further apart are one, drawn double; others are those of a table."""

    ruled: float = 60.0
    """Points from the row within which rules are looked for."""

    number_size: float = 1.05
    """Of the body size: what a page number, or text in the outermost strip, is set in at most."""

    number_gap: float = 1.5
    """Of the font size: from the text to a lone page number under it."""

    number_width: float = 20.0
    """Of the font size: the least width of text under which a lone number is a page's."""


APART = ApartSettings()


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
    largest = APART.largest_in_three if in_three else APART.largest
    if gap < APART.gap * size or size > largest * body_size or chars > APART.longest_row or _is_sentence(row):
        return False
    left, right = min(o.left for o in others), max(o.right for o in others)
    parts = sorted(row, key=lambda line: line.left)
    ruled = not all(line.bold for line in row) and _is_ruled_off(row, others, rules, right - left, top)
    smaller = size <= APART.smaller * body_size
    if len(parts) == 1:
        return ruled or (
            size <= APART.small * body_size and gap >= APART.far * body_size and chars <= APART.longest_far
        )
    spread = _is_spread(parts, left, right)
    return spread and (ruled or (smaller and len(parts) == 2) or in_three)


def lone_number(lines: Sequence[TextLine], tables: Sequence[Box], body_size: float) -> int | None:
    """The place in `lines` of a page number that is the last line of its page, however high it stands.

    It is centred under the text and far from it.
    """
    if len(lines) < 2:
        return None
    last = max(range(len(lines)), key=lambda n: lines[n].bottom)
    line, others = lines[last], [*lines[:last], *lines[last + 1 :]]
    left, _, right, bottom = hull([*(o.box for o in others), *tables])
    centred = abs(line.left + line.right - left - right) / 2 <= APART.centred * (right - left)
    far = line.top - bottom >= APART.number_gap * line.size
    plain = line.size <= APART.number_size * body_size and bool(_LONE_NUMBER.match(line.text.strip()))
    return last if plain and far and centred and right - left > APART.number_width * line.size else None


def _is_sentence(row: Sequence[TextLine]) -> bool:
    """Whether a row looks like a footnote, or like the end of one that began on the page before."""
    first, last = min(row, key=lambda line: line.left), max(row, key=lambda line: line.left)
    if first.words[0].script == "super" or _NOTE.match(first.text):
        return True
    return len(row) == 1 and (first.text[0].islower() or last.text.rstrip().endswith(_ENDS))


def _is_spread(parts: Sequence[TextLine], left: float, right: float) -> bool:
    """Whether two or three short parts stand at the left and right edges of the text, and in its middle."""
    width = right - left
    apart = APART.parts_apart if len(parts) > 2 else APART.sides_apart
    if len(parts) > 3 or any(line.chars > APART.longest_part for line in parts):
        return False
    if any(b.left - a.right < max(apart * width, APART.part_gap * a.size) for a, b in itertools.pairwise(parts)):
        return False
    middle = len(parts) == 2 or abs(parts[1].left + parts[1].right - left - right) / 2 <= APART.centred * width
    return middle and max(abs(parts[0].left - left), abs(parts[-1].right - right)) <= APART.flush * width


def _is_ruled_off(
    row: Sequence[TextLine], others: Sequence[TextLine], rules: Sequence[Rule], width: float, top: bool
) -> bool:
    """Whether a rule of the text's width lies between a row and the text, right at the row.

    And no second one soon after it, as in a table.
    """
    size = max(line.size for line in row)
    edge = max(line.bottom for line in row) if top else min(line.top for line in row)
    text = min(line.top for line in others) if top else max(line.bottom for line in others)
    distances = sorted(
        distance
        for rule in rules
        if rule.horizontal
        and rule.x2 - rule.x1 >= APART.across * width
        and -APART.over_rule * size <= (distance := (rule.y1 - edge) * (1 if top else -1)) <= APART.ruled
    )
    if not distances or distances[0] > min(APART.near_rule * size, abs(text - edge) + 1):
        return False
    return all(distance - distances[0] <= APART.same_rule for distance in distances)
