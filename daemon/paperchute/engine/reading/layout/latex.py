"""Displayed formulas in LaTeX, where it can be told surely: lines of signs with raised and lowered ones.

Fractions, roots, limits above and below, matrices and accents are not told, nor signs that are not in the list below:
such a formula stays text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from paperchute.engine.reading.layout.formulas import FUNCTIONS, Formula, named_words
from paperchute.engine.reading.layout.marks import Rule, Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


def _named(text: str) -> dict[str, str]:
    """Signs and their LaTeX, one after the other."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_PLAIN = "+=<>/,.;:!()[]|'*-0123456789"
_SIGNS = dict(zip(_PLAIN, _PLAIN, strict=True)) | _named(
    r"""
    − - ∗ * ′ ' ∣ | { \{ } \} ∥ \| ‖ \| · \cdot ⋅ \cdot × \times ± \pm ∓ \mp ÷ \div ◦ \circ ≤ \le ≥ \ge ≠ \neq
    ≈ \approx ∼ \sim ≃ \simeq ≡ \equiv ≪ \ll ≫ \gg ∝ \propto ∈ \in ∉ \notin ⊂ \subset ⊆ \subseteq ∪ \cup ∩ \cap
    ∅ \emptyset ∀ \forall ∃ \exists ∞ \infty → \to ← \leftarrow ↔ \leftrightarrow ⇒ \Rightarrow ⇔ \Leftrightarrow
    ∂ \partial ∇ \nabla ⊗ \otimes ⊕ \oplus ⊥ \perp ⊤ \top ∧ \wedge ∨ \vee ¬ \neg … \dots ⋯ \cdots ℓ \ell ħ \hbar
    α \alpha β \beta γ \gamma δ \delta ε \varepsilon ζ \zeta η \eta θ \theta ι \iota κ \kappa λ \lambda μ \mu
    ν \nu ξ \xi π \pi ρ \rho σ \sigma τ \tau υ \upsilon φ \varphi χ \chi ψ \psi ω \omega ϵ \epsilon
    ϑ \vartheta ϕ \phi ϱ \varrho ϖ \varpi ς \varsigma Γ \Gamma Δ \Delta Θ \Theta Λ \Lambda Ξ \Xi Π \Pi Σ \Sigma
    Υ \Upsilon Φ \Phi Ψ \Psi Ω \Omega
    """
)
_COMMANDS = named_words(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd inf ker lg lim ln log max min sec sin sinh sup "
    "tan tanh Pr"
)
_NUMBER = re.compile(r"^\(([^()]+)\)$")
_SIGNS_FONT = re.compile(r"^(?:cm|lm)(?:b?sy)", re.IGNORECASE)
_BLACKBOARD_FONT = re.compile(r"^msbm", re.IGNORECASE)
_EXTENSIBLE_FONT = re.compile(r"ex\d*$", re.IGNORECASE)


def latex_of(formula: Formula, rules: Sequence[Rule]) -> str:
    """The formula in LaTeX, empty where it cannot be told surely. rules: those of the page."""
    if any(rule.horizontal and formula.box.holds((rule.x1 + rule.x2) / 2, rule.y1) for rule in rules):
        return ""
    words = [word for piece in formula.pieces for word in piece.words]
    rows = _rows(words) if all(word.confidence == 1 for word in words) else []  # what was recognised is never sure
    made = [_row(row) for row in rows] or [""]
    tags = _tags(formula, rows)
    if not all(made) or tags is None:
        return ""
    if len(made) == 1:
        return made[0] + tags[0]
    name = "align" if any(tags) else "aligned"
    lines = " \\\\\n".join(_aligned(text) + tag for text, tag in zip(made, tags, strict=True))
    return f"\\begin{{{name}}}\n{lines}\n\\end{{{name}}}"


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """The words by line, indices with the line they belong to; empty where that is not sure."""
    size = max(word.size for word in words)
    large = sorted((w for w in words if w.size >= TYPOGRAPHY.plainly_smaller * size), key=lambda word: word.baseline)
    rows: list[list[Word]] = []
    for word in large:
        if rows and word.baseline - rows[-1][0].baseline <= TYPOGRAPHY.touching * size:
            rows[-1].append(word)
        elif rows and word.baseline - rows[-1][0].baseline < TYPOGRAPHY.em * size:
            return []
        else:
            rows.append([word])
    baselines = [row[0].baseline for row in rows]
    own = {id(word) for word in large}
    for word in words:
        if id(word) not in own:
            near = min(range(len(rows)), key=lambda n: abs(baselines[n] - word.baseline))
            if abs(baselines[near] - word.baseline) > TYPOGRAPHY.half_em * size:
                return []
            rows[near].append(word)
    return [sorted(row, key=lambda word: word.left) for row in rows]


def _row(row: Sequence[Word]) -> str:
    """One line; empty where a sign of it cannot be told, or an index is not right behind what it belongs to."""
    size = max(word.size for word in row)
    baseline = next(word.baseline for word in row if word.size == size)
    found: list[str] = []
    right = 0.0
    for small, group in itertools.groupby(row, key=lambda word: word.size < TYPOGRAPHY.plainly_smaller * size):
        own = list(group)
        if not small:
            found.append(_text(own))
            right = max(word.right for word in own)
        elif not found or own[0].left - right > TYPOGRAPHY.same_baseline * size or not _is_even(own):
            return ""
        else:
            raised = [word for word in own if word.baseline < baseline]
            lowered = [word for word in own if word.baseline >= baseline]
            texts = [_text(lowered), _text(raised)]
            if any(part and not text for part, text in zip((lowered, raised), texts, strict=True)):
                return ""
            found += [f"{sign}{{{text}}}" for sign, text in zip("_^", texts, strict=True) if text]
    if not all(found):
        return ""
    return re.sub(r" +(?=[_^,.;])", "", " ".join(found))


def _is_even(words: Sequence[Word]) -> bool:
    """Decide whether indices are of one size, so that none is an index of an index."""
    sizes = [word.size for word in words]
    return max(sizes) - min(sizes) <= TYPOGRAPHY.hardly * max(sizes)


def _text(words: Sequence[Word]) -> str:
    """Signs beside each other; empty where one of them cannot be told."""
    parts = [_part(word) for word in words]
    return " ".join(parts) if all(parts) else ""


def _part(word: Word) -> str:
    text, font = word.text, word.font
    if _EXTENSIBLE_FONT.search(font.name):
        return ""
    bare = text.strip(".,;:()[]=")
    letters = sum(map(str.isalpha, text))
    if not font.math and letters > (2 if font.italic else 1):
        if not (bare.isascii() and bare.isalpha()):
            return ""
        before, after = text.split(bare)
        return f"{before}{_named_word(bare, font.italic)}{after}"
    parts = [_sign(character, word) for character in text]
    return " ".join(parts) if all(parts) else ""


def _named_word(word: str, italic: bool) -> str:
    if italic:
        return f"\\mathit{{{word}}}"
    if word in _COMMANDS:
        return f"\\{word}"
    return f"\\mathrm{{{word}}}" if word in FUNCTIONS else f"\\text{{ {word} }}"


def _sign(character: str, word: Word) -> str:
    if not (character.isascii() and character.isalpha()):
        return _SIGNS.get(character, "")
    if _BLACKBOARD_FONT.match(word.font.name):
        return f"\\mathbb{{{character}}}"
    if _SIGNS_FONT.match(word.font.name):
        return f"\\mathcal{{{character}}}" if character.isupper() else ""
    if word.font.bold:
        return f"\\mathbf{{{character}}}"
    if word.font.math or word.font.italic:
        return character
    return f"\\mathrm{{{character}}}"


def _tags(formula: Formula, rows: Sequence[Sequence[Word]]) -> list[str] | None:
    """The number of each line as a tag, empty where it has none; None where that is not sure."""
    tags = [""] * len(rows)
    for line in formula.numbers:
        number = _NUMBER.match(line.text)
        beside = [
            n for n, row in enumerate(rows) if abs(row[0].baseline - line.baseline) < TYPOGRAPHY.half_em * line.size
        ]
        if number is None or len(beside) != 1 or tags[beside[0]]:
            return None
        tags[beside[0]] = f" \\tag{{{number[1]}}}"
    return tags


def _aligned(text: str) -> str:
    """A line with the place marked under which the others begin: its first sign of relation."""
    return re.sub(r"(?<![{_^])(=|\\le\b|\\ge\b|<|>|\\in\b|\\to\b|\\approx\b|\\sim\b)", r"& \1", text, count=1)
