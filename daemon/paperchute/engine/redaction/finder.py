"""What is to go: found in any text, however it is broken, hyphenated, spaced or composed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from paperchute.notation.identifiers import IDENTIFIERS, Span
from paperchute.notation.patterns import compiled

_UNSEEN = re.compile(
    "[\0\x01\x03-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
    "\u0640\u064b-\u0652\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
"""What nobody sees, and signs that Arabic and Hebrew words have or have not: stretches and vowels."""
_BROKEN = "\u0002\ufffe"
"""What PDFium has where a hyphen divides a word at the end of a line."""
_PLAIN = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\u2043", "-") | dict.fromkeys("\u2018\u2019\u02bc", "'")
)
_APOSTROPHES = str.maketrans(dict.fromkeys("`\u00b4\u02b9\u02ca\u02cb\u055a\u201b\u2032\u2035", "'"))
"""What people type for one, and Unicode takes for other signs."""
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_LINE_END = re.compile(r"[ \t]*[\r\n\v\f\x85\u2028\u2029]\s*")
_HYPHENATED = re.compile(r"[-\u00ac][ \t]*[\r\n\v\f\x85\u2028\u2029]\s*")
_WITHIN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
"""A hyphen in a word: a soft one within a line may come as a plain one."""
_SPACED = re.compile(r"(?<![^\W_])\S(?:\s{1,3}\S(?![^\W_])){2,}")
_FEWEST_SPACED = 4
"""Letters of a word that is looked for in spaced ones, where nothing shows where words end."""
_UNPARTED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Letters of scripts that put no spaces between words, or join endings to them."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A text as it is searched: `places` are the ones in the given text that its characters came from."""

    text: str
    places: Sequence[Span]

    def without(self, pattern: re.Pattern[str], instead: str) -> _Form:
        """The text with another one in place of what the pattern finds."""
        parts: list[str] = []
        places: list[Span] = []
        last = 0
        for match in pattern.finditer(self.text):
            parts += [self.text[last : match.start()], instead]
            places += self.places[last : match.start()]
            places += [self.places[match.start()]] * len(instead)
            last = match.end()
        return _Form("".join([*parts, self.text[last:]]), [*places, *self.places[last:]])

    def folded(self) -> _Form:
        """The text without regard to letter case."""
        letters = [_folded(letter) for letter in self.text]
        places = [place for place, letter in zip(self.places, letters, strict=True) for _ in letter]
        return _Form("".join(letters), places)

    def given(self, start: int, end: int) -> Span:
        """Return where a part of it stands in the given text."""
        return self.places[start][0], self.places[end - 1][1]


class Finder:
    """Finds identifiers, patterns of the caller's own, and whole words.

    Raises ValueError of a pattern that cannot be used.
    """

    def __init__(
        self, identifiers: Iterable[str], expressions: Iterable[str], words: Iterable[str], *, match_case: bool = False
    ) -> None:
        self._searches: list[Callable[[str], Iterable[Span]]] = [IDENTIFIERS[name] for name in identifiers]
        self._searches += [_found_by(compiled(f"(?m:{expression})")) for expression in expressions]
        self._match_case = match_case
        plain = [_plain(word).text.strip() for word in words]
        folded = [word if match_case else "".join(map(_folded, word)) for word in plain if word]
        self._words = re.compile("|".join(map(_whole, sorted(folded, key=len, reverse=True)))) if folded else None
        bare = {re.sub(r"\s+", "", word) for word in folded}
        spaced = sorted((re.escape(word) for word in bare if len(word) >= _FEWEST_SPACED), key=len, reverse=True)
        self._spaced = re.compile("|".join(spaced)) if spaced else None

    def find(self, text: str) -> list[Span]:
        """Return where a text has what is looked for, in order; places that touch or overlap are one."""
        plain = _plain(text)
        *forms, unparted = {form.text: form for form in _forms(plain)}.values()
        found = [span for form in (forms or [unparted]) for span in self._in_form(form)]
        if forms:
            found += (span for span in self._in_form(unparted) if _goes_on(text, span, found))
        found += self._words_in((forms or [unparted])[0].without(_WITHIN, ""))
        found += self._in_spaced(plain)
        return _joined(found)

    def _in_form(self, form: _Form) -> Iterator[Span]:
        yield from (form.given(*span) for search in self._searches for span in search(form.text))
        yield from self._words_in(form)

    def _words_in(self, form: _Form) -> Iterator[Span]:
        if self._words is not None:
            cased = form if self._match_case else form.folded()
            yield from (cased.given(*match.span()) for match in self._words.finditer(cased.text))

    def _in_spaced(self, plain: _Form) -> Iterator[Span]:
        """Yield what stands in letters that spaces part from one another."""
        for run in _SPACED.finditer(plain.text):
            part = _Form(run[0], plain.places[run.start() : run.end()])
            words = (
                part.without(re.compile(r"\s{2,3}"), "\v").without(re.compile(" "), "").without(re.compile("\v"), " ")
            )
            close = part.without(re.compile(r"\s+"), "")
            for form in (words, close):
                yield from (form.given(*span) for search in self._searches for span in search(form.text))
            yield from self._words_in(words)
            if self._spaced is not None:
                cased = close if self._match_case else close.folded()
                yield from (cased.given(*match.span()) for match in self._spaced.finditer(cased.text))

    def has(self, text: str) -> bool:
        """Decide whether a text has any of it."""
        return bool(self.find(text))


def _found_by(pattern: object) -> Callable[[str], Iterable[Span]]:
    def search(text: str) -> Iterator[Span]:
        return (match.span() for match in pattern.finditer(text) if match.end() > match.start())  # type: ignore[attr-defined]

    return search


def _whole(word: str) -> str:
    before = "" if _UNPARTED.match(word[0]) or not word[0].isalnum() else r"(?<![^\W_])"
    after = "" if _UNPARTED.match(word[-1]) or not word[-1].isalnum() else r"(?![^\W_])"
    return before + r"\s{1,3}".join(map(_letters, word.split())) + after


def _letters(part: str) -> str:
    """Letters one by one; where a script puts no spaces between words, people put some into names to fill a line."""
    gaps = (r"\s{0,3}" if _UNPARTED.match(one) and _UNPARTED.match(next_) else "" for one, next_ in pairwise(part))
    return "".join(re.escape(one) + gap for one, gap in zip(part, (*gaps, ""), strict=True))


def _folded(letter: str) -> str:
    """A letter without regard to case, whatever the language: Turkish dots its i, Greek capitals have no accents."""
    folded = letter.casefold().replace("\u0307", "").replace("\u0131", "i")
    if _GREEK.match(folded):
        parts = unicodedata.normalize("NFD", folded)
        folded = "".join(one for one in parts if not unicodedata.combining(one) or one == "\u0308")
    return folded


def _plain(text: str) -> _Form:
    """A text in Unicode's composed form, with plain hyphens, and without what nobody sees."""
    letters: list[str] = []
    places: list[Span] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        letter = "-\n" if text[at] in _BROKEN else _UNSEEN.sub("", text[at:end])
        letter = unicodedata.normalize("NFKC", letter.translate(_APOSTROPHES)).translate(_PLAIN)
        letters.append(letter)
        places += [(at, end)] * len(letter)
        at = end
    return _Form("".join(letters), places)


def _forms(plain: _Form) -> Iterator[_Form]:
    """A text as it may go on over the ends of its lines: parted by a space, divided by a hyphen, or not parted."""
    spaced = re.compile(r"[^\S\r\n\v\f\x85\u2028\u2029]+")
    yield plain.without(_LINE_END, " ").without(re.compile(r"\s+"), " ")
    lines = plain.without(spaced, " ")
    yield lines
    yield lines.without(_HYPHENATED, "").without(_LINE_END, " ")
    yield lines.without(_LINE_END, "")


def _goes_on(text: str, span: Span, found: Iterable[Span]) -> bool:
    """Tell if what is found over the ends of lines goes on there: `write to`, and an address below, is none longer."""
    part = text[slice(*span)]
    ends = list(re.finditer(r"(\S)[ \t]*[\r\n\v\f]\s*(\S)", part))
    if not ends or any(not (end[1].isalnum() and end[2].isalnum()) for end in ends):
        return True
    return not any(span[0] <= start and end <= span[1] for start, end in found)


def _joined(spans: Iterable[Span]) -> list[Span]:
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result
