"""What typefaces say over a whole document: headings that only their font tells, and text that is typed throughout."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from paperchute.engine.reading.layout.levels import Face, HeadingClass
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Font
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


class Typeface(NamedTuple):
    """A font in one size, by halves of a point."""

    font: str
    size: float


def single_font(line: TextLine) -> Font | None:
    """The font of a line that begins and ends in it; none of one that begins with a formula's."""
    font = line.words[0].font
    return font if font is line.words[-1].font and not font.math else None


def stands_over(line: TextLine, text: TextLine) -> bool:
    """Decide whether a line stands close above one of text in another font, and both begin at about one height."""
    return (
        text.chars >= TYPOGRAPHY.cell_chars
        and text.words[-1].font.name != line.words[-1].font.name
        and line.size >= TYPOGRAPHY.smaller * text.size
        and 0 < text.baseline - line.baseline < TYPOGRAPHY.quads * line.size
        and abs(text.left - line.left) < TYPOGRAPHY.quads * line.size
    )


def _is_under_title(line: TextLine, above: Sequence[TextLine | None]) -> bool:
    """Decide whether a line stands close under a title."""
    near = [
        other
        for other in above
        if other is not None
        and 0 < line.baseline - other.baseline < TYPOGRAPHY.quads * line.size
        and other.left < line.right
        and line.left < other.right
    ]
    return any(other.bold or other.size > TYPOGRAPHY.larger * line.size for other in near)


@dataclass(slots=True)
class TypefaceSurvey:
    """Takes in lines that are neither bold nor in capitals, then tells the typefaces of headings."""

    _lines: Counter[Typeface] = field(default_factory=Counter)
    _over: defaultdict[Typeface, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """What lines over text say: names of who speaks, which stand again and again, are no headings."""
    _classes: dict[Typeface, dict[HeadingClass, None]] = field(default_factory=dict)

    def add(
        self,
        line: TextLine,
        above: Sequence[TextLine | None],
        following: Sequence[TextLine | None],
        heading: HeadingClass,
    ) -> None:
        """Take in a line. above, following: the lines before and after it; heading: its class, were it one."""
        if heading.face.bold or heading.face.look not in ("", "italic"):
            return
        font = single_font(line)
        if font is None:
            return
        typeface = Typeface(font.name, heading.face.size)
        self._lines[typeface] += 1
        if line.chars > TYPOGRAPHY.line_chars or line.words[0].text[0].islower():
            return
        if heading.face.look and (line.words[-1].text.endswith(_NO_TITLE) or _is_under_title(line, above)):
            return
        if any(text is not None and stands_over(line, text) for text in following):
            self._over[typeface][line.text] += 1
            self._classes.setdefault(typeface, {})[_of_typeface(heading)] = None

    def found(self, body: Face, larger: float) -> dict[Typeface, list[HeadingClass]]:
        """The typefaces of headings no larger than `larger` times the text, and the classes of headings in each."""
        return {
            typeface: list(classes)
            for typeface, classes in self._classes.items()
            if (over := self._over[typeface]).total() >= max(TYPOGRAPHY.pair, TYPOGRAPHY.half * self._lines[typeface])
            and len(over) >= TYPOGRAPHY.nearly_all * over.total()
            and typeface.size <= larger * body.size
        }


def _of_typeface(heading: HeadingClass) -> HeadingClass:
    """The class of headings that only their font tells; italics are a look already."""
    return heading if heading.face.look else heading._replace(face=heading.face._replace(look="typeface"))


_NO_TITLE = (".", ",", ";", ":")
"""Ends of an instruction (`Answer all questions.`) or of words that lead to what follows, as italics often are."""


@dataclass(slots=True)
class TypewriterSurvey:
    """Takes in all lines, then tells whether typewriter type is that of a text, as of letters and bank statements."""

    _chars: int = 0
    _plain: int = 0
    _lines: int = 0
    _running: int = 0
    _baseline: float = 0.0
    _faces: set[bool] = field(default_factory=set)
    """Whether lines are bold: a typewriter has one face, and bold names in a play are no headings."""

    def add(self, line: TextLine) -> None:
        """Take in a line, or a piece of one."""
        self._chars += line.chars
        if not line.mono:
            return
        self._faces |= {line.bold}
        self._plain += sum(len(word.text) for word in line.words if _PLAIN.fullmatch(word.text))
        self._lines += 1
        beside = abs(line.baseline - self._baseline) < TYPOGRAPHY.rounding
        first = line.words[len(line.words) > 1 and line.words[0].text.isdecimal()]  # behind the number of its line
        self._running += beside or (line.chars >= TYPOGRAPHY.running_chars and first.text[0].islower())
        self._baseline = line.baseline

    def is_text(self) -> bool:
        """Decide whether the document is typed: words and numbers in sentences that go on, or in columns.

        A program has signs and names of its own, and the lines of a log each begin anew.
        """
        if len(self._faces) != 1:
            return False
        return self._plain > (1 - TYPOGRAPHY.tenth) * self._chars and self._running > TYPOGRAPHY.fifth * self._lines


_PLAIN = re.compile(r"[(\"'„“‚‘*]*[^\W_]+(?:[-'’.,:/][^\W_]+)*%?[.,;:?!)\"'”“’*]*|[-–—_=.]+")
"""Words, numbers, dates and rows of dashes as people type them."""
