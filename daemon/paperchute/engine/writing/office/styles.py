"""What running text looks like, and the styles of a written document, learnt from what they are first used for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from paperchute.engine.document.model import Facts, Page, Style
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.fonts import MONO, SANS, family, natural_pitch
from paperchute.engine.writing.office.leading import pitch_of, size_of
from paperchute.engine.writing.office.paragraphs import PLACES
from paperchute.engine.writing.office.parts import Paragraph


@dataclass(frozen=True, slots=True)
class LookSettings:
    """What looks may be, and those of styles that nothing shows.

    Chosen by eye where nothing else is said; 30 % less or more changes none of 42 sample documents where no figure is
    given.
    """

    sizes: tuple[float, float] = (4.0, 96.0)
    """Points: running text below cannot be read, and above is a poster's."""

    headings: tuple[float, ...] = (2.0, 1.7, 1.4, 1.2, 1.1, 1.0, 1.0)
    """Times the size of running text: the title and headings of level 1 to 6 that the document does not have."""


LOOKS = LookSettings()


@dataclass(frozen=True, slots=True)
class Looks:
    """Font family and size of running text, and from line to line as a multiple of that size."""

    family: str
    size: float
    pitch: float

    @classmethod
    def of(cls, facts: Facts, page: Page | None) -> Looks:
        """page: the first one, if any."""
        families: Counter[str] = Counter()
        sizes: Counter[float] = Counter()
        pitches = []
        for block in page.blocks if page is not None else ():
            if block.kind not in ("text", "list", "footnote"):
                continue
            for line in block.all_lines:
                for span in line.spans:
                    if not span.style.mono:
                        families[family(span.style.font)] += len(span.text)
            if size := size_of(block.all_lines):
                sizes[size] += sum(len(line.text) for line in block.all_lines)
            stretches = [block.lines, *(item.lines for item in block.items)]
            pitches += [pitch for stretch in stretches if len(stretch) > 1 and (pitch := pitch_of(stretch))]
        del families[""]
        name = families.most_common(1)[0][0] if families else SANS
        size = facts.body_size or (sizes.most_common(1)[0][0] if sizes else PLACES.usual_size)
        least, most = LOOKS.sizes
        # Lines set closer than single overlap, and wider than double they were counted with a paragraph's own space.
        pitch = min(max(median(pitches), 1.0), 2.0) if pitches else natural_pitch(name)
        return cls(name, round(min(max(size, least), most) * 2) / 2, pitch)


HEADINGS: Final = 6
"""Levels of headings; HTML and the reader have as many."""


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
        usual = Style(True, size=self.body.size * LOOKS.headings[level], font=self.body.font)
        return self._headings.get(level, usual)

    @property
    def code(self) -> Style:
        """Of program text."""
        return Style(mono=True, size=self.body.size, font=MONO)

    @property
    def note(self) -> Style:
        """Of footnotes."""
        return small(self.body)

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


def small(look: Style) -> Style:
    """The look of footnotes to text of a look, in half points."""
    size = round(2 * TYPOGRAPHY.nearly_all * look.size) / 2
    return Style(size=max(size, LOOKS.sizes[0]), font=look.font)


def level_of(paragraph: Paragraph) -> int:
    """The level of a heading, 0 for the title."""
    return 0 if paragraph.kind == "title" else min(max(paragraph.level, 1), HEADINGS)
