"""How good recognised text is: figures from 0 to 1."""

from __future__ import annotations

import re
from collections import Counter

from rapidfuzz.distance import Levenshtein

from benchmarks.reading.markup import tables, with_html_tables

_WORD = re.compile(r"\w+")
_LEADERS = re.compile(r"(?:[.·…] ?){4,}")
_LIST_MARK = re.compile(r"^\s*[-*+] (?=\S)|[•◦▪●○■]|\x02", re.MULTILINE)
_MARKUP = re.compile(r"<[^>]+>|!\[\]\([^)]*\)|^#+ |^\|?(?: ?-{3,} ?\|)+$|[|*`]|\\(?=[^\w\s])", re.MULTILINE)


def text_scores(truth: str, made: str) -> dict[str, float]:
    """Scores of a page's text, Markdown's marks and rows of dots taken out and white space collapsed in both.

    Bullets are marks too: what a page shows as a dot is a dash in Markdown. So is PDFium's sign of a hyphen that ended
    a line, which some truths have.

    CER: edit distance of characters over the length of the truth, at most 1, less is better; it depends on reading
    order. CER letters: the same over letters and digits only, case dropped. WER: that of words. word F1: of the words
    as a multiset, case and order aside; more is better.
    """
    a, b = _plain(truth), _plain(made)
    return {
        "CER": error_rate(a, b),
        "CER letters": error_rate(_letters(a), _letters(b)),
        "WER": error_rate(a.split(), b.split()),
        "word F1": word_f1(a, b),
    }


def exact_cells(truth: str, made: str) -> float:
    """F1 of the texts of table cells as multisets, wherever they stand: the very same text, white space collapsed."""
    a, b = _cells(truth), _cells(made)
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 1.0


def error_rate(truth: str | list[str], made: str | list[str]) -> float:
    """Edit distance over the length of the truth, at most 1."""
    return min(1.0, Levenshtein.distance(truth, made) / max(1, len(truth)))


def word_f1(truth: str, made: str) -> float:
    """F1 of the words as multisets; 1 when there are none in either."""
    a, b = Counter(_WORD.findall(truth.lower())), Counter(_WORD.findall(made.lower()))
    total = sum(a.values()) + sum(b.values())
    return 2 * sum((a & b).values()) / total if total else 1.0


def _cells(markdown: str) -> Counter[str]:
    trees = tables(with_html_tables(markdown))
    return Counter(cell.text for tree in trees for row in tree.children for cell in row.children if cell.text)


def _plain(text: str) -> str:
    return " ".join(_LEADERS.sub(" ", _MARKUP.sub(" ", _LIST_MARK.sub(" ", text))).split())


def _letters(text: str) -> str:
    """Letters and digits only, case dropped."""
    return "".join(c for c in text.casefold() if c.isalnum())
