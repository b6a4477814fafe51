"""Figures that are drawn: charts, diagrams and logos made of lines and shapes instead of pixels.

What marks one is drawing that no table or underline has: curves and slanted strokes, close together, or the bars of a
chart. Around such a core its frame and axes are gathered, and the few words between them, which are its labels and no
running text. So are the words over a picture with a figure's caption.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.charts import bar_charts, is_value, with_legend
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.marks import Drawing, PageMarks, Rule, Word, joined_rules
from paperchute.engine.reading.layout.phrases import is_figure_caption
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class FigureSettings:
    """What is a drawn figure. Lengths are points where nothing else is said."""

    near: float = 12.0
    """Between a drawing and what frames it. `eu-011` changes at 22, `eu-015` and `eu-027` at 3."""

    most_growth: float = 2.2
    """How many times as wide or high as its core a figure may become by its frame, axes and labels. `eu-027` changes at
    1.8."""


FIGURES = FigureSettings()


def without_figures(marks: PageMarks) -> tuple[PageMarks, list[tuple[Box, list[Word]]]]:
    """The marks outside of the page's drawn figures, and these with their words."""
    found = []
    boxes, marks = drawn_figures(marks), replace(marks)
    for core in boxes:
        box, words = _labelled(core, marks.words)
        if words and _is_ground(box, marks):
            continue
        marks.words = _without(marks.words, words)
        marks.rules = [rule for rule in marks.rules if not _inside(Box(*rule[:4]), box)]
        marks.dots = [dot for dot in marks.dots if not box.holds(*dot.center)]
        marks.pictures = [picture for picture in marks.pictures if not _inside(picture.box, box)]
        found.append((box, words))
    return marks, found


def without_labels(marks: PageMarks) -> tuple[PageMarks, list[list[Word]]]:
    """The marks without the upright words over each picture with a caption, and these."""
    upright = [word for word in marks.words if word.angle == 0]
    captions: list[TextLine] | None = None
    found = []
    for picture in marks.pictures:
        words = [word for word in upright if picture.box.holds(*word.box.center)]
        if not words:
            continue
        if captions is None:
            captions = [line for line in segments(upright) if is_figure_caption(line.text)]
        if not _has_caption(picture.box, captions) or is_text(picture.box, words):
            continue
        upright = _without(upright, words)
        found.append(words)
    return replace(marks, words=_without(marks.words, [word for words in found for word in words])), found


def _without(words: Sequence[Word], taken: Iterable[Word]) -> list[Word]:
    own = set(map(id, taken))
    return [word for word in words if id(word) not in own]


def _has_caption(box: Box, captions: Sequence[TextLine]) -> bool:
    """Decide whether a caption begins right under or over a box."""
    return any(
        max(line.top - box.bottom, box.top - line.bottom) < TYPOGRAPHY.quads * line.size
        and line.left < box.right
        and line.right > box.left
        and not box.holds(*line.box.center)
        for line in captions
    )


def drawn_figures(marks: PageMarks) -> list[Box]:
    """Return where the page's drawn figures are, without the labels around them; looked for once."""
    if marks.figures is None:
        groups = joined_strokes(marks.drawings[: BOUNDS.marks], TYPOGRAPHY.label_reach)
        cores = [*(box for box, strokes in groups if _is_core(box, strokes)), *bar_charts(marks)]
        cores = [core for core in cores if not is_text(core, marks.words)]
        cores += [plot for box, strokes in groups if not _is_core(box, strokes) for plot in _scaled_plot(box, marks)]
        marks.figures = _apart(with_legend(_grown(core, marks), marks) for core in cores)
    return marks.figures


def labels_of_figures(lines: Sequence[TextLine], marks: PageMarks) -> set[int]:
    """The ids of the lines that stand in drawn figures, or were recognised in pictures."""
    figures = [box for box in drawn_figures(marks) if not _is_ground(box, marks)]
    pictured = marks.has_pictured
    return {
        id(line)
        for line in lines
        if (pictured and line.words[0].confidence < 1) or any(box.holds(*line.box.center) for box in figures)
    }


def _is_ground(figure: Box, marks: PageMarks) -> bool:
    """Decide whether what is drawn fills so much of the page that words on it are the page's own."""
    return figure.area > TYPOGRAPHY.most * marks.width * marks.height


def joined_strokes(drawings: Sequence[Drawing], reach: float) -> list[tuple[Box, int]]:
    """Give where curves and slants stand close together, and how many they are. reach: between those of one drawing."""
    return _together([(drawing.box, drawing.strokes) for drawing in drawings if drawing.strokes], reach)


def _is_core(box: Box, strokes: int) -> bool:
    """Decide whether curves and slants are of a number and size that no ornament has."""
    return strokes >= TYPOGRAPHY.few and min(box.width, box.height) >= TYPOGRAPHY.figure_side


def _scaled_plot(box: Box, marks: PageMarks) -> list[Box]:
    """The field of a chart that a few slants, or flat ones, go through, where numbers stand along its side."""
    if box.width < TYPOGRAPHY.figure_side or is_text(box, marks.words):
        return []
    for plot in _plots(box, marks):
        scale = Box(
            plot.left - TYPOGRAPHY.label_reach, plot.top - FIGURES.near, plot.left + 1, plot.bottom + FIGURES.near
        )
        ticks = [word for word in marks.words if word.angle == 0 and scale.holds(*word.box.center) and is_value(word)]
        if len(ticks) >= TYPOGRAPHY.several and plot.height >= TYPOGRAPHY.figure_side:
            return [plot]
    return []


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
        core.left - core.width * (FIGURES.most_growth - 1) / 2 - FIGURES.near,
        core.top - core.height * (FIGURES.most_growth - 1) / 2 - FIGURES.near,
        core.right + core.width * (FIGURES.most_growth - 1) / 2 + FIGURES.near,
        core.bottom + core.height * (FIGURES.most_growth - 1) / 2 + FIGURES.near,
    )
    areas = [drawing.box for drawing in marks.drawings[: BOUNDS.marks] if not drawing.strokes]
    parts = [Box(*rule[:4]) for rule in marks.rules] + areas + [picture.box for picture in marks.pictures]
    frames = [*areas, *_ruled_frames(core, marks.rules), *_plots(core, marks)]
    frames = [frame for frame in frames if _inside(core, frame)]
    box = max((f for f in frames if not is_text(f, marks.words)), key=lambda frame: frame.area, default=core)
    waiting = [part for part in parts if _inside(part, most)]
    grew = True
    while grew:
        grew = False
        rest = []
        for part in waiting:
            if box.grown(FIGURES.near).holds(*part.center) and _of_size(part, box):
                box = hull((box, part))
                grew = True
            else:
                rest.append(part)
        waiting = rest
    return box


def _of_size(part: Box, box: Box) -> bool:
    """Decide whether a part is a line, or an area no larger than what it would be part of, as a page's ground is."""
    line = min(part.width, part.height) < 1
    return line or (
        part.width <= TYPOGRAPHY.plainly_larger * box.width and part.height <= TYPOGRAPHY.plainly_larger * box.height
    )


def _ruled_frames(core: Box, rules: Sequence[Rule]) -> list[Box]:
    """Rectangles of four rules around a core."""
    flat, tall = joined_rules(rules)
    across = [rule for rule in flat if rule.x1 <= core.left + 1 and rule.x2 >= core.right - 1]
    above = [rule for rule in across if rule.y1 <= core.top + 1][-BOUNDS.tried :]
    below = [rule for rule in across if rule.y1 >= core.bottom - 1][: BOUNDS.tried]
    found = [Box(top.x1, top.y1, top.x2, bottom.y1) for top in above for bottom in below if _same_ends(top, bottom)]
    return [box for box in found if all(_stands(x, box, tall) for x in (box.left, box.right))]


def _plots(core: Box, marks: PageMarks) -> list[Box]:
    """The fields of rules of one length behind a core that goes through most of them, with no words in their rows."""
    found = []
    for across, rules in zip((True, False), joined_rules(marks.rules), strict=True):
        groups: list[list[Rule]] = []
        for rule in sorted(rules, key=lambda rule: rule.x1 if across else rule.y1):
            last = groups[-1][-1] if groups else None
            if last is not None and (_same_ends(last, rule) if across else _same_height(last, rule)):
                groups[-1].append(rule)
            else:
                groups.append([rule])
        for group in groups:
            box = hull(Box(*rule[:4]) for rule in group)
            part = core.width / box.width if across and box.width else core.height / box.height if box.height else 0.0
            if len(group) < TYPOGRAPHY.several or part < TYPOGRAPHY.half or box.overlap(core) <= 0:
                continue
            texts = [
                w for w in marks.words if box.holds(*w.box.center) and not is_value(w) and not core.holds(*w.box.center)
            ]
            if len(texts) < len(group) - 1:
                found.append(hull([box, core]))
    return found


def _same_height(one: Rule, other: Rule) -> bool:
    return abs(one.y1 - other.y1) < TYPOGRAPHY.frame and abs(one.y2 - other.y2) < TYPOGRAPHY.frame


def _same_ends(one: Rule, other: Rule) -> bool:
    return abs(one.x1 - other.x1) < TYPOGRAPHY.frame and abs(one.x2 - other.x2) < TYPOGRAPHY.frame


def _stands(x: float, box: Box, tall: Sequence[Rule]) -> bool:
    return any(
        abs(rule.x1 - x) < TYPOGRAPHY.frame
        and rule.y1 < box.top + TYPOGRAPHY.frame
        and rule.y2 > box.bottom - TYPOGRAPHY.frame
        for rule in tall
    )


def _apart(boxes: Iterable[Box]) -> list[Box]:
    """Figures that overlap are one."""
    return [box for box, _ in _together(((box, 1) for box in boxes), 0.0)]


def _labelled(box: Box, words: Sequence[Word]) -> tuple[Box, list[Word]]:
    """The figure with the words in it and the short ones along its edges, such as the numbers of an axis."""
    inside = [word for word in words if box.holds(*word.box.center)]
    taken = {id(word) for word in inside}
    near = box.grown(TYPOGRAPHY.label_reach)
    beside = [word for word in words if id(word) not in taken and _inside(word.box, near)]
    labels = [word for word in beside if word.angle != 0]
    upright = [word for word in words if word.angle == 0 and id(word) not in taken]
    for line in segments(upright):
        near = box.grown(max(TYPOGRAPHY.label_reach, TYPOGRAPHY.next_line * line.size))
        if _is_label(line, box, near) and not _goes_on(line, box, upright):
            labels += line.words
    return hull([box, *(word.box for word in labels)]), inside + labels


def _is_label(line: TextLine, box: Box, near: Box) -> bool:
    """Tell whether a line beside a figure belongs to its axes: short, whole within reach, and beside, not under, it."""
    if len(line.words) > TYPOGRAPHY.phrase:
        return False
    number = all(map(is_value, line.words))
    level = box.top <= line.box.center[1] <= box.bottom
    if number and level and near.left <= line.right and line.left <= near.right:
        return True  # however long it is: it ends at the axis
    return _inside(line.box, near) and (number or (level and line.box.width <= TYPOGRAPHY.half * box.width))


def _goes_on(line: TextLine, box: Box, words: Sequence[Word]) -> bool:
    """Decide whether words stand further out in the row of a line beside a figure: then it is a table's or a text's."""
    row = [word for word in words if word.top < line.box.center[1] < word.bottom]
    left, right = min(line.box.left, box.left), max(line.box.right, box.right)
    return any(
        left - TYPOGRAPHY.row_reach < word.right <= left or right <= word.left < right + TYPOGRAPHY.row_reach
        for word in row
    )


def is_text(core: Box, words: Sequence[Word]) -> bool:
    """Tell if a core or picture is an ornament behind text: words cover too much of it, or its lines are long ones."""
    inside = [word for word in words if core.holds(*word.box.center)]
    if sum(word.box.area for word in inside) > TYPOGRAPHY.third * core.area:
        return True
    long = [
        line for line in segments([word for word in inside if word.angle == 0]) if len(line.words) > TYPOGRAPHY.phrase
    ]
    return len(long) >= TYPOGRAPHY.several


def _inside(part: Box, box: Box) -> bool:
    return (
        box.left - 1 <= part.left
        and part.right <= box.right + 1
        and box.top - 1 <= part.top
        and part.bottom <= box.bottom + 1
    )
