"""`pattern`: a regular expression over file names, whose named groups serve as placeholders in `output`.

RE2 matches in time linear in the name, whatever the pattern is, so no rule can bring watching to a halt. What it lacks
for that, looking around and backward references, is refused when the rule file is read. RE2's classes know ASCII alone;
here `\\w`, `\\d` and `\\s` stand for the letters, digits and spaces of all scripts, as they do in Python's own `re`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import Any

import re2

_TOKEN = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?|\]|[^\\\[\]]+", re.DOTALL)
_CLASSES = {"w": r"\pL\pM\pN_", "d": r"\p{Nd}", "s": r"\s\p{Z}"}
_ADVICE = {
    "invalid perl operator": "looking around, (?=...) and the like, is not known here",
    "invalid escape sequence": "this escape, or a reference back to a group, is not known here",
    "missing )": "a parenthesis is not closed",
    "unexpected )": "a parenthesis was not opened",
    "missing ]": "a bracket is not closed",
    "no argument for repetition operator": "there is nothing before *, + or ?",
    "invalid repetition size": "it repeats something more than 1,000 times",
    "pattern too large": "it is too large",
    "invalid named capture group": "a group's name must be letters, digits and _",
}


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """The pattern, ready for use: found anywhere in a name, without regard to letter case. Raises ValueError."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    try:
        return re2.compile(_for_all_scripts(unicodedata.normalize("NFC", pattern)), options=options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        what, _, where = said.partition(": ")
        words = next((words for start, words in _ADVICE.items() if said.startswith(start)), what)
        raise ValueError(
            f"is not a pattern that can be used: {words}" + (f", at {where}" if where in pattern else "")
        ) from None


def groups(pattern: str) -> tuple[str, ...]:
    """The names of a valid pattern's groups."""
    return tuple(compiled(pattern).groupindex)


def found(pattern: str, relative: PurePath) -> Mapping[str, str] | None:
    """What the named groups hold for a path relative to its hot folder; None when the pattern is not found in it.

    As with globs, a pattern with a `/` looks at the whole path, any other at the name alone. A group that took no part
    is empty.
    """
    name = "/".join(relative.parts) if "/" in pattern else relative.name
    text = unicodedata.normalize("NFC", name).encode("utf-8", "replace").decode()
    match = compiled(pattern).search(text)
    return None if match is None else {key: value or "" for key, value in match.groupdict().items()}


def _for_all_scripts(pattern: str) -> str:
    inside = False
    parts = []
    for token in _TOKEN.findall(pattern):
        if token.startswith("[") and not inside:
            inside = True
        elif token == "]":
            inside = False
        elif len(token) == 2 and token[0] == "\\" and (members := _CLASSES.get(token[1].lower())):
            if token[1].islower():
                token = members if inside else f"[{members}]"
            elif inside:
                raise ValueError(f"is not a pattern that can be used: {token} cannot stand inside [ ]")
            else:
                token = f"[^{members}]"
        parts.append(token)
    return "".join(parts)
