"""What the styles of a written document look like, learnt from what they are first used for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from paperchute.engine.document.model import Style
from paperchute.engine.writing.office.fonts import MONO, family
from paperchute.engine.writing.office.parts import Paragraph

HEADINGS: Final = 6
_USUAL_SIZES: Final = {0: 2.0, 1: 1.7, 2: 1.4, 3: 1.2, 4: 1.1, 5: 1.0, 6: 1.0}


@dataclass(slots=True)
class StyleBook:
    """The look of each style, so that runs need say only what differs.

    body: the look of running text; fonts are families here. A heading style takes the look of the first heading of its
    level.
    """

    body: Style
    _headings: dict[int, Style] = field(default_factory=dict)

    def look_of(self, paragraph: Paragraph) -> Style:
        """The look that a paragraph's style gives."""
        match paragraph.kind:
            case "heading" | "title":
                level = level_of(paragraph)
                return self._headings.setdefault(level, self._main_look(paragraph, level))
            case "code":
                return self.code
            case "footnote":
                return self.note
            case _:
                return self.body

    def heading(self, level: int) -> Style:
        """Of headings from level 1, and of the title, level 0."""
        usual = Style(True, size=self.body.size * _USUAL_SIZES[level], font=self.body.font)
        return self._headings.get(level, usual)

    @property
    def code(self) -> Style:
        """Of program text."""
        return Style(mono=True, size=self.body.size, font=MONO)

    @property
    def note(self) -> Style:
        """Of footnotes."""
        return Style(size=max(round(self.body.size * 1.6) / 2, 5.0), font=self.body.font)

    def _main_look(self, paragraph: Paragraph, level: int) -> Style:
        """The look of most of a heading's text."""
        weights: dict[Style, int] = {}
        for run in paragraph.runs:
            style = run.style
            look = Style(style.bold, style.italic, False, style.size, family(style.font) or self.body.font)
            weights[look] = weights.get(look, 0) + len(run.text)
        if not weights:
            return self.heading(level)
        look = max(weights, key=lambda known: weights[known])
        return look if look.size else Style(look.bold, look.italic, False, self.body.size, look.font)


def level_of(paragraph: Paragraph) -> int:
    """The level of a heading, 0 for the title."""
    return 0 if paragraph.kind == "title" else min(max(paragraph.level, 1), HEADINGS)
