"""Figures that are drawn: charts, diagrams and logos made of lines and shapes instead of pixels.

What marks one is drawing that no table or underline has: curves and slanted strokes, close together, or the bars of a
chart. Around such a core its frame and axes are gathered, and the few words between them, which are its labels and no
running text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.charts import bar_charts
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.marks import Drawing, PageMarks, Rule, Word, joined_rules

_REACH = 30.0
"""Points between the curves of one drawing."""
_NEAR = 12.0
"""Points between a drawing and what frames it."""
_MOST_FRAME = 12.0
"""How many times as large as its core a frame around a figure may be."""
_LEAST_SIDE = 36.0
_LEAST_STROKES = 6
"""Fewer curves and slants are ornaments, such as a check mark or a bracket."""
_MOST_GROWTH = 2.2
"""How many times as wide or high as its core a figure may become by its frame, axes and labels."""
_MOST_PART = 1.3
_MOST_SIDES = 20
_CORNER = 3.0
_MOST_LABEL_WORDS = 6
_LABEL_REACH = 22.0
_MOST_TEXT = 0.3
"""The share of its area that the words of a figure cover at most; more is text on an ornament."""
_MOST_OF_PAGE = 0.6
"""What is drawn over more of a page with words is its ground, or writing by hand whose text is laid over it."""
_ROW_REACH = 150.0
_MOST_DRAWINGS = 30_000


def take_figures(marks: PageMarks) -> list[tuple[Box, list[Word]]]:
    """The page's drawn figures with their words, which are taken out of the page's words, rules, dots and pictures."""
    found = []
    most = _MOST_OF_PAGE * marks.width * marks.height
    cores = [*_cores(marks.drawings[:_MOST_DRAWINGS]), *bar_charts(marks)]
    cores = [core for core in cores if not _is_text(core, marks.words)]
    for core in _apart(_grown(core, marks) for core in cores):
        box, words = _labelled(core, marks.words)
        if words and box.area > most:
            continue
        taken = {id(word) for word in words}
        marks.words = [word for word in marks.words if id(word) not in taken]
        marks.rules = [rule for rule in marks.rules if not _inside(Box(*rule[:4]), box)]
        marks.dots = [dot for dot in marks.dots if not box.holds(*dot.center)]
        marks.pictures = [picture for picture in marks.pictures if not _inside(picture.box, box)]
        found.append((box, words))
    return found


def _cores(drawings: Sequence[Drawing]) -> list[Box]:
    """Where curves and slants stand close together in a number and size that no ornament has."""
    groups = _together([(drawing.box, drawing.strokes) for drawing in drawings if drawing.strokes], _REACH)
    return [box for box, strokes in groups if strokes >= _LEAST_STROKES and min(box.width, box.height) >= _LEAST_SIDE]


def _together(parts: Iterable[tuple[Box, int]], reach: float) -> list[tuple[Box, int]]:
    """Parts joined while they are near each other, their counts added; sweeps down the page."""
    groups: list[tuple[Box, int]] = []
    for part in sorted(parts, key=lambda p: p[0].top):
        joined = part
        again = True
        while again:
            again = False
            rest = []
            for group in groups:
                if group[0].grown(reach).overlap(joined[0].grown(0.01)) > 0:
                    joined = hull((group[0], joined[0])), group[1] + joined[1]
                    again = True
                else:
                    rest.append(group)
            groups = rest
        groups.append(joined)
    return groups


def _grown(core: Box, marks: PageMarks) -> Box:
    """The core with the rules, areas and pictures that touch it, as far as they are of its own size."""
    most = Box(
        core.left - core.width * (_MOST_GROWTH - 1) / 2 - _NEAR,
        core.top - core.height * (_MOST_GROWTH - 1) / 2 - _NEAR,
        core.right + core.width * (_MOST_GROWTH - 1) / 2 + _NEAR,
        core.bottom + core.height * (_MOST_GROWTH - 1) / 2 + _NEAR,
    )
    areas = [drawing.box for drawing in marks.drawings[:_MOST_DRAWINGS] if not drawing.strokes]
    parts = [Box(*rule[:4]) for rule in marks.rules] + areas + [picture.box for picture in marks.pictures]
    frames = [*areas, *_ruled_frames(core, marks.rules)]
    frames = [frame for frame in frames if _inside(core, frame) and frame.area <= _MOST_FRAME * core.area]
    box = max((f for f in frames if not _is_text(f, marks.words)), key=lambda frame: frame.area, default=core)
    waiting = [part for part in parts if _inside(part, most)]
    grew = True
    while grew:
        grew = False
        rest = []
        for part in waiting:
            if box.grown(_NEAR).holds(*part.center) and _of_size(part, box):
                box = hull((box, part))
                grew = True
            else:
                rest.append(part)
        waiting = rest
    return box


def _of_size(part: Box, box: Box) -> bool:
    """Whether a part is a line, or an area no larger than what it would be part of, as a page's ground is."""
    line = min(part.width, part.height) < 1
    return line or (part.width <= _MOST_PART * box.width and part.height <= _MOST_PART * box.height)


def _ruled_frames(core: Box, rules: Sequence[Rule]) -> list[Box]:
    """Rectangles of four rules around a core."""
    flat, tall = joined_rules(rules)
    across = [rule for rule in flat if rule.x1 <= core.left + 1 and rule.x2 >= core.right - 1]
    above = [rule for rule in across if rule.y1 <= core.top + 1][-_MOST_SIDES:]
    below = [rule for rule in across if rule.y1 >= core.bottom - 1][:_MOST_SIDES]
    found = [Box(top.x1, top.y1, top.x2, bottom.y1) for top in above for bottom in below if _same_ends(top, bottom)]
    return [box for box in found if all(_stands(x, box, tall) for x in (box.left, box.right))]


def _same_ends(one: Rule, other: Rule) -> bool:
    return abs(one.x1 - other.x1) < _CORNER and abs(one.x2 - other.x2) < _CORNER


def _stands(x: float, box: Box, tall: Sequence[Rule]) -> bool:
    return any(
        abs(rule.x1 - x) < _CORNER and rule.y1 < box.top + _CORNER and rule.y2 > box.bottom - _CORNER for rule in tall
    )


def _apart(boxes: Iterable[Box]) -> list[Box]:
    """Figures that overlap are one."""
    return [box for box, _ in _together(((box, 1) for box in boxes), 0.0)]


def _labelled(box: Box, words: Sequence[Word]) -> tuple[Box, list[Word]]:
    """The figure with the words in it and the short ones along its edges, such as the numbers of an axis."""
    inside = [word for word in words if box.holds(*word.box.center)]
    taken = {id(word) for word in inside}
    near = box.grown(_LABEL_REACH)
    beside = [word for word in words if id(word) not in taken and _inside(word.box, near)]
    labels = [word for word in beside if word.angle != 0]
    upright = [word for word in words if word.angle == 0 and id(word) not in taken]
    for line in segments(upright):
        if _is_label(line, box, near) and not _goes_on(line, box, upright):
            labels += line.words
    return hull([box, *(word.box for word in labels)]), inside + labels


def _is_label(line: TextLine, box: Box, near: Box) -> bool:
    """Whether a line beside a figure belongs to its axes: short, whole within reach, and beside, not under, it."""
    if len(line.words) > _MOST_LABEL_WORDS or not _inside(line.box, near):
        return False
    number = all(any(letter.isdigit() for letter in word.text) and len(word.text) <= 8 for word in line.words)
    level = box.top <= line.box.center[1] <= box.bottom
    return number or (level and line.box.width <= 0.5 * box.width)


def _goes_on(line: TextLine, box: Box, words: Sequence[Word]) -> bool:
    """Whether words stand further out in the row of a line beside a figure: then it is a table's or a text's."""
    row = [word for word in words if word.top < line.box.center[1] < word.bottom]
    left, right = min(line.box.left, box.left), max(line.box.right, box.right)
    return any(left - _ROW_REACH < word.right <= left or right <= word.left < right + _ROW_REACH for word in row)


def _is_text(core: Box, words: Sequence[Word]) -> bool:
    """Whether a core is an ornament behind text: words cover too much of it, or its lines are long ones."""
    inside = [word for word in words if core.holds(*word.box.center)]
    if sum(word.box.area for word in inside) > _MOST_TEXT * core.area:
        return True
    long = [line for line in segments([word for word in inside if word.angle == 0]) if len(line.words) > 8]
    return len(long) >= 3


def _inside(part: Box, box: Box) -> bool:
    return (
        box.left - 1 <= part.left
        and part.right <= box.right + 1
        and box.top - 1 <= part.top
        and part.bottom <= box.bottom + 1
    )
