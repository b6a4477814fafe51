"""Facts about single pages, in the rule format of olmOCR-bench, checked by own code.

Of its kinds `math` is left out, as the original compares rendered formulas.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from benchmarks.reading.markup import grid, tables, with_html_tables

Fact = dict[str, Any]

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚", "'"),
        **dict.fromkeys("“”„", '"'),
        **dict.fromkeys("–—‑‒−", "-"),
        "µ": "μ",
        "ﬁ": "fi",
        "ﬂ": "fl",
    }
    | {"\u00ad": ""}
)


def holds(fact: Fact, markdown: str) -> bool | None:
    """Whether a fact holds for a page's Markdown; None for kinds that are not checked.

    present and absent: a text occurs with at most `max_diffs` edits, `first_n` and `last_n` limiting it to an end of
    the page. order: one text before another. table: a cell whose neighbours or headings have the given texts.
    baseline: the page is not empty and does not repeat itself without end.
    """
    kind, edits = fact["type"], int(fact.get("max_diffs", 0))
    if kind == "math":
        return None
    if kind == "table":
        return _in_table(fact, markdown, edits)
    text = _normal(markdown)
    if kind == "baseline":
        if "max_length" in fact:
            return len(text) <= int(fact["max_length"])
        return bool(text) and not re.search(r"(.{3,40}?)\1{30,}", text)
    if kind == "order":
        before, after = _places(_normal(fact["before"]), text, edits), _places(_normal(fact["after"]), text, edits)
        return bool(before and after) and min(before) < max(after)
    wanted = _normal(fact["text"])
    if not fact.get("case_sensitive", kind == "present"):
        wanted, text = wanted.lower(), text.lower()
    if fact.get("first_n") or fact.get("last_n"):
        first = text[: fact["first_n"]] if fact.get("first_n") else ""
        text = f"{first} {text[-fact['last_n'] :] if fact.get('last_n') else ''}"
    return bool(_places(wanted, text, edits)) is (kind == "present")


def _in_table(fact: Fact, markdown: str, edits: int) -> bool:
    for table in tables(with_html_tables(markdown)):
        places = {at: _normal(text) for at, (_, text) in grid(table).items()}
        for (r, c), text in places.items():
            if not _close(fact["cell"], text, edits):
                continue
            near = {
                "up": [(r - 1, c)],
                "down": [(r + 1, c)],
                "left": [(r, c - 1)],
                "right": [(r, c + 1)],
                "top_heading": [(n, c) for n in range(r)],
                "left_heading": [(r, n) for n in range(c)],
            }
            if all(any(_close(fact[k], places.get(at, ""), edits) for at in near[k]) for k in near if fact.get(k)):
                return True
    return False


def _close(wanted: str, text: str, edits: int) -> bool:
    wanted = _normal(wanted)
    return bool(text) and fuzz.ratio(wanted, text) / 100 >= max(0.5, 1 - edits / max(1, len(wanted)))


def _places(wanted: str, text: str, edits: int) -> list[int]:
    """Where a text occurs with at most `edits` edits."""
    if edits == 0:
        return [match.start() for match in re.finditer(re.escape(wanted), text)]
    hit = fuzz.partial_ratio_alignment(wanted, text)
    if hit is None or Levenshtein.distance(wanted, text[hit.dest_start : hit.dest_end]) > edits:
        return []
    return [hit.dest_start]


def _normal(text: str) -> str:
    text = re.sub(r"<br\s*/?>", " ", text)
    text = re.sub(r"(\*\*|__)(.*?)\1", r"\2", text)
    text = re.sub(r"(?<!\w)([*_])(.+?)\1(?!\w)", r"\2", text)
    return unicodedata.normalize("NFC", " ".join(text.split())).translate(_PLAIN)
