"""Words that documents print around their text, by language: `page`, `of`, `table`, `figure`, `continued`.

A file a language (`sv.toml`), each with the words of every kind that it has. A kind is what all languages call it
together, as a page rarely says which language it is in.

- page: before a page's number; page_after: behind it. `p.` has its full stop, since a `p` alone says nothing.
- of: between it and the number of pages; total: before that number where it comes first.
- table, figure: what a caption begins with; a full stop may follow.
- continued: what says that a table goes on here.
- annex: what the title of a part begins with that belongs to a document, and may count its pages by itself.
- months: twelve texts with the names of a month, long and short, as dates have them.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, cast

Kind = Literal["page", "page_after", "of", "total", "table", "figure", "continued", "annex", "months"]


@cache
def words() -> dict[str, dict[Kind, list[str]]]:
    """The words of every language, by its code (ISO 639-1)."""
    found = (file for file in files(__name__).iterdir() if file.name.endswith(".toml"))
    return {
        file.name.removesuffix(".toml"): cast("dict[Kind, list[str]]", tomllib.loads(file.read_text("utf-8")))
        for file in found
    }


@cache
def one_of(*kinds: Kind) -> str:
    """A pattern for a word of these kinds in any language, in small letters, not as the beginning of a longer one.

    Chinese and Japanese have no spaces, so there a word may be followed by another.
    """
    every = {word for table in words().values() for kind in kinds for word in table.get(kind, ())}
    ordered = sorted(every, key=lambda word: (-len(word), word))
    spaced = [re.escape(word) for word in ordered if word < _FIRST_EAST_ASIAN]
    unspaced = [re.escape(word) for word in ordered if word >= _FIRST_EAST_ASIAN]
    return "(?:" + "|".join([f"(?:{'|'.join(spaced)})(?![^\\W\\d_])"] * bool(spaced) + unspaced) + ")"


@cache
def months(language: str = "") -> Mapping[str, int]:
    """Give the numbers of months by their names in small letters, of one language or all.

    Of all, a name of three plain letters counts that several have: `pro`, `out` and `led` are words elsewhere.
    """
    tables = [words()[language]] if language else list(words().values())
    names = [
        (name, number)
        for table in tables
        for number, texts in enumerate(table.get("months", ()), 1)
        for name in texts.split()
    ]
    known = Counter(names)
    is_sure = {name for name, number in names if language or len(name.encode()) > _SHORT or known[name, number] > 1}
    return {name: number for name, number in names if name in is_sure}


_SHORT = 3  # letters of ASCII
_FIRST_EAST_ASIAN = "\u2e80"
