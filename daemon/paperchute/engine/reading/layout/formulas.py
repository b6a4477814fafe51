"""Displayed formulas: which lines of a column are one, with its number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine, rows
from paperchute.engine.reading.layout.lists import looks_like_marker
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY

Floats = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]


def named_words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


_PLAIN_SIGNS = frozenset("+<=>|~")
_RELATIONS = frozenset("=<>≤≥≠≈∼≃≅≡∈∉⊂⊆⊃⊇→←↔⇒⇐⇔⟹⟶∝≪≫≺≻↦⊢⊨≜≔≲≳⩽⩾")
_OPERATORS = frozenset("∑∏∫∮√∇∂⋃⋂⨁")
_SEED_SIGN = re.compile(f"[{re.escape(''.join(_RELATIONS | _OPERATORS))}]")
"""What each formula has one of at least."""
_NUMBER = re.compile(r"^[(\[](?:[A-Z]{1,2}[.\-]?)?\d{1,3}(?:[.\-–]\d{1,3}){0,3}[a-z]?['′*]?[)\]]$")
_FIGURE = re.compile(r"^[-+−–]?\d[\d.,]+%?$")
FUNCTIONS = named_words(
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log exp lim sup inf max min arg argmax argmin "
    "det dim ker gcd lcm deg mod Pr Var Cov var cov tr Tr diag rank sgn sign span ln lg Re Im erf softmax Hom End Aut "
    "Gal Spec Ext Tor GL SL SO SU id im div grad curl rot const"
)
_CONNECTIVES = named_words(
    "if otherwise else when where and or for all every any some with subject to such that then so as is in on not "
    "wenn sonst falls für und mit oder wo alle si sinon pour tout et avec où sino para todo y con o"
)


@dataclass(slots=True)
class Formula:
    """The pieces of lines that are one displayed formula, and its number; each of several lines may have one."""

    pieces: list[TextLine]
    numbers: list[TextLine] = field(default_factory=list)
    box: Box = field(init=False)

    def __post_init__(self) -> None:
        self.box = hull(line.box for line in self.pieces)

    @property
    def lines(self) -> list[TextLine]:
        """Its printed lines with their numbers, top to bottom."""
        return rows(self.all)

    @property
    def all(self) -> list[TextLine]:
        """Pieces and numbers."""
        return [*self.pieces, *self.numbers]


def is_mathematical(lines: Sequence[TextLine]) -> bool:
    """Decide whether lines hold signs of mathematics and no ordinary word, as the parts of displayed formulas do."""
    words = [word for line in lines for word in line.words]
    if any(len(word.text) >= TYPOGRAPHY.several and word.text.isalpha() and not word.font.math for word in words):
        return False
    return any(word.font.math or any(map(is_sign, word.text)) for word in words)


def displayed_formulas(lines: Sequence[TextLine]) -> list[Formula]:
    """The displayed formulas among the pieces of lines of one column, top to bottom."""
    if _SEED_SIGN.search("".join([word.text for line in lines for word in line.words])) is None:
        return []  # as on most pages
    seeds = [line for line in lines if _is_seed(line) and not _is_text(line)]
    if not seeds:
        return []
    free = [line for line in lines if not _is_text(line)]
    numbers = [line for line in free if len(line.words) == 1 and _NUMBER.match(line.words[0].text)]
    found = _formulas(free, seeds, numbers)
    boxes = np.array([formula.box for formula in found])
    for number in numbers:
        beside = _beside(number, boxes).nonzero()[0]
        if len(beside):
            middles = (boxes[beside, 1] + boxes[beside, 3]) / 2
            found[beside[np.abs(middles - number.box.center[1]).argmin()]].numbers.append(number)
    page = _Lines(lines)
    return sorted((formula for formula in found if page.displays(formula)), key=lambda formula: formula.box.top)


def _formulas(free: Sequence[TextLine], seeds: Sequence[TextLine], numbers: Sequence[TextLine]) -> list[Formula]:
    """Each seed that is no part of one before with what is of the same formula. free: the pieces that may be."""
    boxes = np.array([line.box for line in free])
    by_top = boxes[:, 1].argsort(kind="stable")
    tops, tallest = boxes[by_top, 1], (boxes[:, 3] - boxes[:, 1]).max()
    of_seeds, of_numbers = {id(line) for line in seeds}, {id(line) for line in numbers}
    is_seed = np.array([id(line) in of_seeds for line in free])
    is_left = np.array([id(line) not in of_numbers for line in free])
    found: list[Formula] = []
    for first in is_seed.nonzero()[0].tolist():
        if not is_left[first]:
            continue
        pieces, box, size = [first], boxes[first], free[first].size
        is_left[first] = False
        while len(pieces) < BOUNDS.beside:
            reach = TYPOGRAPHY.em * size
            start, end = tops.searchsorted((box[1] - reach - tallest, box[3] + reach), "left")
            near = by_top[start:end]
            near = np.sort(near[is_left[near] & _belongs(boxes[near], is_seed[near], box, size)])
            if not len(near):
                break
            pieces += near.tolist()
            is_left[near] = False
            box = np.concatenate((boxes[pieces, :2].min(axis=0), boxes[pieces, 2:].max(axis=0)))
        found.append(Formula([free[piece] for piece in pieces]))
    return found


def is_formal(word: Word) -> bool:
    """Decide whether a word is set in a formula font or holds what only formulas and foreign words have."""
    return word.font.math or not word.text.isascii() or not _PLAIN_SIGNS.isdisjoint(word.text)


def _is_text(line: TextLine) -> bool:
    """Decide whether a piece of a line is text or an item of a list, so that it belongs to no displayed formula."""
    if line.mono or (len(line.words) > 1 and looks_like_marker(line.words[0].text) and not is_formal(line.words[0])):
        return True
    prose = 0
    for word in line.words:
        prose += _is_prose(word)
        if prose > TYPOGRAPHY.pair:  # as in most lines
            return True
    return prose > 0 and _formal_chars(line) < TYPOGRAPHY.half * sum(len(word.text) for word in line.words)


def _is_prose(word: Word) -> bool:
    if word.font.math:
        return False
    text = word.text.strip(".,;:()[]{}'\"“”")
    if not text.isalpha() or text in FUNCTIONS or text in _CONNECTIVES:
        return False
    return len(text) >= TYPOGRAPHY.several or (
        len(text) > 1 and not word.font.italic and text.islower() and not word.glued
    )


def _formal_chars(line: TextLine) -> int:
    return sum(len(w.text) if w.font.math else sum(map(is_sign, w.text)) for w in line.words)


def _is_seed(line: TextLine) -> bool:
    """Decide whether a piece of a line is by itself a formula: a relation between symbols, or large operators."""
    text = "".join([word.text for word in line.words])
    related = not _RELATIONS.isdisjoint(text)
    if not related and _OPERATORS.isdisjoint(text):  # as most lines
        return False
    symbols = any(_is_symbol(word) for word in line.words)
    return symbols and (related or _formal_chars(line) >= TYPOGRAPHY.half * len(text))


def _is_symbol(word: Word) -> bool:
    """Decide whether a word is a variable: a letter in a formula font, in italics or of a formula's alphabet."""
    letters = [c for c in word.text if c.isalpha()]
    return bool(letters) and (word.font.math or word.font.italic or len(letters) == 1 or any(map(is_sign, letters)))


def _belongs(boxes: Floats, is_seed: Truths, box: Floats, size: float) -> Truths:
    """Return which boxes of pieces are near enough to that of a formula to be of it."""
    left, top, right, bottom = boxes.T
    aside = np.maximum(left - box[2], box[0] - right)
    apart = np.maximum(top - box[3], box[1] - bottom)
    below: Truths = (aside < 0) & ((apart < TYPOGRAPHY.wide_space * size) | (is_seed & (apart < TYPOGRAPHY.em * size)))
    belongs: Truths = np.where(apart < 0, aside < TYPOGRAPHY.quads * size, below)
    return belongs


def _beside(number: TextLine, boxes: Floats) -> Truths:
    """Return which boxes of formulas a number stands beside."""
    left, top, right, bottom = boxes.T
    middle = number.box.center[1]
    beside: Truths = (top <= middle) & (middle <= bottom) & ((number.left >= right) | (number.right <= left))
    return beside


class _Lines:
    """The pieces of lines of one column, as formulas among them see them."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._lines = lines
        self._places = {id(line): place for place, line in enumerate(lines)}
        self._middles = np.array([line.box.center[1] for line in lines])
        self._bottoms = np.array([line.bottom for line in lines])
        self._left = min(line.left for line in lines)

    def displays(self, formula: Formula) -> bool:
        """Decide whether a formula stands by itself: no text beside it, and not as the last line of a paragraph."""
        if sum(line.chars for line in formula.pieces) < TYPOGRAPHY.several:
            return False
        # Large brackets hang far below where their letters would stand.
        box = hull(line.box for line in formula.pieces if any(c.isalnum() for c in line.text))
        size = formula.pieces[0].size
        inside = TYPOGRAPHY.same_baseline * size
        others = np.ones(len(self._lines), dtype=bool)
        others[[self._places[id(line)] for line in formula.all]] = False
        if (others & (box.top + inside < self._middles) & (self._middles < box.bottom - inside)).any():
            return False
        figures = sum(len(line.words) == 1 and bool(_FIGURE.match(line.words[0].text)) for line in formula.pieces)
        if figures >= TYPOGRAPHY.several and figures > TYPOGRAPHY.third * len(formula.pieces):
            return False
        upper = (others & (self._middles < box.center[1])).nonzero()[0]
        if formula.numbers or not len(upper):
            return True
        above = self._lines[upper[self._bottoms[upper].argmax()]]
        if box.top - above.bottom > TYPOGRAPHY.wide_space * size:
            return True
        # That of an item's text as well.
        begins = [self._left, above.left, above.words[min(1, len(above.words) - 1)].left]
        return all(abs(box.left - x) > TYPOGRAPHY.wide_space * size for x in begins)


def is_sign(character: str) -> bool:
    """Decide whether a character is a mathematical sign, a mathematical letter or a Greek one."""
    return (
        unicodedata.category(character) == "Sm"
        or "\U0001d400" <= character <= "\U0001d7ff"
        or "\u0370" <= character <= "\u03ff"
    )
