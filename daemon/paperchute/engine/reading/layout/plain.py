"""A page without layout analysis: its lines from top to bottom, each row read straight across."""

from __future__ import annotations

import itertools

from paperchute.engine.document.geometry import Quad, hull
from paperchute.engine.document.model import Block
from paperchute.engine.reading.layout.blocks import lines_of, picture_of
from paperchute.engine.reading.layout.continuing import Laid
from paperchute.engine.reading.layout.hyphens import Hyphens
from paperchute.engine.reading.layout.lines import rows, segments
from paperchute.engine.reading.layout.records import PageMarks
from paperchute.engine.reading.layout.turning import turned_lines


def plain_blocks(marks: PageMarks, hyphens: Hyphens) -> list[Laid]:
    """Text blocks, parted where the distance of lines grows, and the pictures at their height."""
    lines = rows(segments([word for word in marks.words if word.angle == 0]))
    turned = turned_lines([word for word in marks.words if word.angle != 0])
    groups = [[line] for line in lines[:1]]
    for before, line in itertools.pairwise(lines):
        if line.baseline - before.baseline > 1.6 * max(line.size, before.size):
            groups.append([])
        groups[-1].append(line)
    laid = [
        Laid(Block("text", Quad.of(hull(line.box for line in group)), lines_of(group, hyphens)))
        for group in (*groups, *([line] for line in turned))
    ]
    laid += [picture_of(picture, marks) for picture in marks.pictures]
    return sorted(laid, key=lambda item: item.block.quad.y1)
