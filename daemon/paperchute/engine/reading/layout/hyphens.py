"""Whether a hyphen at a line's end divides a word or belongs to a compound."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class HyphenSettings:
    """What tells whether a document divides words."""

    usual_share: float = 0.015
    """Breaks for each long line in a document that divides words; others have fewer, at compounds. Seven printed
    READMEs change at 0.05."""

    long_line: int = 25
    """Characters from which a line counts as a long one: only running text is divided. Two printed READMEs change at
    18."""


HYPHENS = HyphenSettings()


DIVIDED = re.compile(r"[^\W\d_][-\u2010]$")
"""What ends in a hyphen, that browsers print as the sign of its own (U+2010) where they divide a word."""

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Hyphens:
    """Decides by the document's own words; where they say nothing, by what it does elsewhere.

    words: those of the document, in small letters. divides: whether the document divides words at all.
    """

    words: Container[str] = frozenset()
    divides: bool = True

    def closes(self, before: str, after: str) -> bool:
        """Decide whether `before-` and `after`, on the next line, are one word without the hyphen."""
        first, second = _last_part(before), _first_part(after)
        if first + second in self.words:
            return True
        return self.divides and f"{first}-{second}" not in self.words


@dataclass(slots=True, eq=False)
class _Words:
    """The different words of texts, in small letters; told apart when one is looked for, as in few documents."""

    _known: set[str] = field(default_factory=set)
    _texts: list[str] = field(default_factory=list)
    _waiting: int = 0

    def add(self, text: str) -> None:
        """Take in the words of a page."""
        self._texts.append(text)
        self._waiting += len(text)
        if self._waiting > BOUNDS.pairs:
            self._tell_apart()

    def __contains__(self, word: object) -> bool:
        self._tell_apart()
        return word in self._known

    def _tell_apart(self) -> None:
        for text in self._texts:
            if len(self._known) < BOUNDS.remembered:
                self._known.update(_WORD.findall(text.casefold()))
        self._texts.clear()
        self._waiting = 0


@dataclass(slots=True)
class HyphenSurvey:
    """Gathers words and breaks over the pages, within bounds."""

    _words: _Words = field(default_factory=_Words)
    _breaks: list[tuple[str, str]] = field(default_factory=list)
    _lines: int = 0

    def add(self, lines: Sequence[TextLine]) -> None:
        """Take in the lines of a page, top to bottom."""
        texts: list[str] = []
        for number, line in enumerate(lines):
            last = line.words[-1].text
            ends = len(last) > 2 and DIVIDED.search(last) is not None
            self._lines += line.chars > HYPHENS.long_line
            follows = _below(lines, number) if ends else None
            if follows is not None and follows.words[0].text[0].islower() and len(self._breaks) < BOUNDS.remembered:
                self._breaks.append((_last_part(last[:-1]), _first_part(follows.words[0].text)))
            texts += [word.text for word in (line.words[:-1] if ends else line.words)]
        self._words.add(" ".join(texts))

    def result(self) -> Hyphens:
        """The decisions.

        A document divides words when more of its breaks close to known words than to known compounds, or, if none is
        known, when such breaks are frequent.
        """
        closed = sum(a + b in self._words for a, b in self._breaks)
        kept = sum(f"{a}-{b}" in self._words for a, b in self._breaks)
        often = len(self._breaks) > HYPHENS.usual_share * self._lines
        return Hyphens(self._words, closed > kept or (closed == kept and often))


def _below(lines: Sequence[TextLine], number: int) -> TextLine | None:
    """The next line of the same column."""
    line = lines[number]
    for other in lines[number + 1 : number + 1 + TYPOGRAPHY.short_text]:
        if (
            other.baseline > line.baseline + TYPOGRAPHY.half_em * line.size
            and other.left < line.right
            and other.right > line.left
        ):
            return other
    return None


def _last_part(word: str) -> str:
    parts = _WORD.findall(word.rstrip("-"))
    return parts[-1].casefold() if parts else ""


def _first_part(word: str) -> str:
    parts = _WORD.findall(word)
    return parts[0].casefold() if parts else ""
