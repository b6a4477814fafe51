"""Which paragraphs are headings, and of which level."""

from __future__ import annotations

import re

from paperchute.engine.reading.layout.paragraphs import Paragraph
from paperchute.engine.reading.layout.survey import Norms, normal, style_key

_MOST_LINES = 4
_MOST_CHARS = 220
_LONGEST_SENTENCE = 8  # words of a plain heading that ends like a sentence
_NUMBERED = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[A-Z]\.|[IVX]{1,5}\.|§\s?\d+)\s+\S")


def heading_level(paragraph: Paragraph, page: int, norms: Norms) -> int:
    """The outline level of a paragraph on page `page`, from 1; 0 when it is no heading."""
    lines = paragraph.lines
    text = " ".join(line.text for line in lines).strip()
    if not any(c.isalpha() for c in text) or len(lines) > _MOST_LINES or len(text) > _MOST_CHARS or lines[0].mono:
        return 0
    if paragraph.marker is not None and not paragraph.marker.ordered:
        return 0
    said = lines[0].words[-1].level
    if norms.tagged and said is not None and said >= 0:
        return said
    known = norms.outline.get((page, normal(text))) if norms.outline else None
    if known:
        return known
    size, bold = key = style_key(lines[0])
    level = norms.levels.get(key, 0)
    if not level or any(abs(line.size - lines[0].size) > 0.6 for line in lines):
        return 0
    if key in norms.outlined:
        return level if bold or size > 1.09 * norms.body_size else 0
    larger = size > 1.09 * norms.body_size
    if paragraph.marker is not None and not (_NUMBERED.match(text) and (larger or bold)):
        return 0
    if larger:
        sentence = text.endswith((".", ",", ";")) and not _NUMBERED.match(text)
        if sentence and not bold and (size < 1.15 * norms.body_size or len(text.split()) > _LONGEST_SENTENCE):
            return 0
        return level
    if not bold or len(lines) > 2 or len(text) > 120:
        return 0
    return level if _NUMBERED.match(text) or not text.endswith((".", ",", ";", ":")) else 0
