"""A page's text as it stands, without an analysis of its layout."""

from __future__ import annotations

import itertools

from paperchute.engine.document.geometry import Quad, hull
from paperchute.engine.document.model import Block
from paperchute.engine.reading.layout.blocks import Placed, lines_of, picture_of
from paperchute.engine.reading.layout.directions import turned_lines
from paperchute.engine.reading.layout.hyphens import Hyphens
from paperchute.engine.reading.layout.lines import rows, segments
from paperchute.engine.reading.layout.marks import PageMarks
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def plain_blocks(marks: PageMarks, hyphens: Hyphens) -> list[Placed]:
    """Text blocks, parted where the distance of lines grows, and the pictures at their height."""
    lines = rows(segments([word for word in marks.words if word.angle == 0]))
    turned = turned_lines([word for word in marks.words if word.angle != 0])
    groups = [[line] for line in lines[:1]]
    for before, line in itertools.pairwise(lines):
        if line.baseline - before.baseline > TYPOGRAPHY.tight_line * max(line.size, before.size):
            groups.append([])
        groups[-1].append(line)
    placed = [
        Placed(Block("text", Quad.of(hull(line.box for line in group)), lines_of(group, hyphens)))
        for group in (*groups, *([line] for line in turned))
    ]
    placed += [picture_of(picture, marks) for picture in marks.pictures]
    return sorted(placed, key=lambda item: item.block.quad.y1)
