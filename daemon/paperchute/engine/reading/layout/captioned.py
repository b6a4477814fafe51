"""Words that are printed over a picture with a figure's caption: they are its labels, and no text of the page."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.figures import is_text
from paperchute.engine.reading.layout.lines import TextLine, segments
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.phrases import is_figure_caption
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def take_labels(marks: PageMarks) -> list[list[Word]]:
    """The upright words over each picture with a caption, which are taken out of the page's words."""
    if not marks.pictures:
        return []
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
        taken = {id(word) for word in words}
        upright = [word for word in upright if id(word) not in taken]
        marks.words = [word for word in marks.words if id(word) not in taken]
        marks.labels += words
        found.append(words)
    return found


def _has_caption(box: Box, captions: Sequence[TextLine]) -> bool:
    """Whether a caption begins right under or over a box."""
    return any(
        max(line.top - box.bottom, box.top - line.bottom) < TYPOGRAPHY.quads * line.size
        and line.left < box.right
        and line.right > box.left
        and not box.holds(*line.box.center)
        for line in captions
    )
