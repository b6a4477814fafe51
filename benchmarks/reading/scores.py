"""How good Markdown made from a PDF is: figures from 0 to 1, more is better.

They are defined as those of opendataloader-bench, in own code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from statistics import fmean

from rapidfuzz.distance import Indel, Levenshtein

from benchmarks.reading.markup import TABLE, grid, headings, plain, squeezed, tables, with_html_tables
from benchmarks.reading.trees import Node, similarity

_SAME_HEADING = 0.8


def markdown_scores(truth: str, made: str) -> dict[str, float]:
    """The scores that the true Markdown defines; those of tables and headings are absent where it has none.

    text: 1 - indel distance / (sum of lengths) of the whole Markdown; it depends on reading order.
    plain: the same without any markup.
    tables: tree edit distance similarity (TEDS) of all tables under one root, text, spans and all.
    structure: the same without the cells' texts.
    headings: tree edit distance similarity of the flat tree of headings and what stands between them (MHS).
    headings F1: headings found, those alike by 80 % counting as the same.
    false tables: 1 when no table was made of a document without one.
    overall: the mean of those of text, tables and headings that there are.
    """
    true, got = with_html_tables(truth), with_html_tables(made)
    scores = {"text": _alike(squeezed(true), squeezed(got)), "plain": _alike(plain(true), plain(got))}
    true_tables, got_tables = tables(true), tables(got)
    if true_tables:
        a, b = Node("root", children=true_tables), Node("root", children=got_tables)
        scores["tables"] = similarity(a, b) if got_tables else 0.0
        scores["structure"] = similarity(a, b, with_text=False) if got_tables else 0.0
    else:
        scores["no false tables"] = float(not TABLE.search(got))
    (true_tree, true_heads), (got_tree, got_heads) = headings(true), headings(got)
    if true_heads:
        scores["headings"] = similarity(true_tree, got_tree) if got_heads else 0.0
        scores["headings F1"] = 2 * _matched(true_heads, got_heads) / (len(true_heads) + len(got_heads))
    scores["overall"] = fmean(scores[name] for name in ("text", "tables", "headings") if name in scores)
    return scores


def cell_scores(truth: str, made: str) -> dict[str, float]:
    """Table structure as the ICDAR 2013 table competition measures it: neighbours of cells.

    Each cell with text makes a relation with its nearest neighbour that has text, to the right and below. Relations of
    a document are compared as multisets; case, spaces and punctuation do not count.
    """
    true, got = _relations(truth), _relations(made)
    common = sum((true & got).values())
    recall = common / (sum(true.values()) or 1)
    precision = common / (sum(got.values()) or 1)
    f1 = 2 * recall * precision / (recall + precision) if common else 0.0
    return {"cell recall": recall, "cell precision": precision, "cell F1": f1}


def means(documents: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Each score's mean over the documents that have it."""
    names = dict.fromkeys(name for scores in documents.values() for name in scores)
    return {name: fmean(s[name] for s in documents.values() if name in s) for name in names}


def _alike(a: str, b: str) -> float:
    return Indel.normalized_similarity(a, b) if a or b else 1.0


def _matched(truth: list[str], made: list[str]) -> int:
    """How many true headings have one of their own among the made ones."""
    free = dict(enumerate(text.lower() for text in made))
    count = 0
    for text in truth:
        alike = {n: Levenshtein.normalized_similarity(text.lower(), other) for n, other in free.items()}
        best = max(alike, key=lambda n: alike[n], default=None)
        if best is not None and alike[best] >= _SAME_HEADING:
            del free[best]
            count += 1
    return count


def _relations(markdown: str) -> Counter[tuple[str, str, str]]:
    found: Counter[tuple[str, str, str]] = Counter()
    for table in tables(with_html_tables(markdown)):
        places = {at: (number, _letters(text)) for at, (number, text) in grid(table).items()}
        rows, columns = max(r for r, _ in places) + 1, max(c for _, c in places) + 1
        seen = set()
        for (r, c), (number, text) in places.items():
            ways = {"right": [(r, k) for k in range(c + 1, columns)], "below": [(k, c) for k in range(r + 1, rows)]}
            for way, steps in ways.items() if text else ():
                other = next((o for at in steps if (o := places.get(at)) and o[1] and o[0] != number), None)
                if other and (number, other[0], way) not in seen:
                    seen.add((number, other[0], way))
                    found[text, other[1], way] += 1
    return found


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower()) or re.sub(r"\s+", "", text)
