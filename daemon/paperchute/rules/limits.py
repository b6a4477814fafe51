"""How complicated a TOML text may be: said before anything reads it, in one pass whatever stands there.

tomllib has no limits of its own: 100,000 dots in one key take 4 GB, and brackets within brackets end its recursion.
"""

from __future__ import annotations

import re

_DEEPEST = 100  # a rule file needs 5: a list of steps, a step, its parameters, a list in them; tomllib takes 300
_MOST_PARTS = 16  # of a dotted key; a rule file needs 3
_LONGEST_WORD = 1000  # outside of quotes; Python refuses to read numbers of more than 4,300 digits

_TOKEN = re.compile(
    r"""
    (?P<text>
        \"{3}(?:[^"\\]|\\.|\"(?!\"\"))*+(?:\"{3,5}|\Z)
      | '{3}(?:[^']|'(?!''))*+(?:'{3,5}|\Z)
      | "(?:[^"\\\n]|\\[^\n])*+"?
      | '[^'\n]*+'?
    )
    | \#[^\n]*+
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    | (?P<end>[\n,=])
    | (?P<dot>\.)
    | (?P<word>[^"'\#\[\]{}\n,=.\s]++)
    """,
    re.VERBOSE | re.DOTALL,
)


def exceeded(text: str) -> tuple[int, str] | None:
    """(where, in characters from 0; what) is more than a person writes; None: nothing."""
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                depth, dots = depth + 1, 0
            case "close":
                depth, dots = max(0, depth - 1), 0
            case "end":
                dots = 0
            case "dot":
                dots += 1
            case "word" if len(token[0]) > _LONGEST_WORD:
                return token.start(), f"a word or number of more than {_LONGEST_WORD:,} letters cannot be read"
        if depth > _DEEPEST:
            return token.start(), "values are nested too deeply"
        if dots >= _MOST_PARTS:
            return token.start(), f"a key has at most {_MOST_PARTS} parts"
    return None
