"""Regular expressions that people write: RE2's, so that no text takes one longer than its length, in any script."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

import re2

from paperchute.language import N_, _

_TOKEN = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?|\]|[^\\\[\]]+", re.DOTALL)
_CLASSES = {"w": r"\pL\pM\pN_", "d": r"\p{Nd}", "s": r"\s\p{Z}"}
_ADVICE = {
    "invalid perl operator": N_("looking around, (?=...) and the like, is not known here"),
    "invalid escape sequence": N_("this escape, or a reference back to a group, is not known here"),
    "missing )": N_("a parenthesis is not closed"),
    "unexpected )": N_("a parenthesis was not opened"),
    "missing ]": N_("a bracket is not closed"),
    "no argument for repetition operator": N_("there is nothing before *, + or ?"),
    "invalid repetition size": N_("it repeats something more than 1,000 times"),
    "pattern too large": N_("it is too large"),
    "invalid named capture group": N_("a group's name must be letters, digits and _"),
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
        what, where = said.partition(": ")[::2]
        words = next((_(words) for start, words in _ADVICE.items() if said.startswith(start)), what)
        if where and where in pattern:
            told = _("is not a pattern that can be used: {words}, at {where}", words=words, where=where)
        else:
            told = _("is not a pattern that can be used: {words}", words=words)
        raise ValueError(told) from None


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
                raise ValueError(_("is not a pattern that can be used: {token} is not allowed inside [ ]", token=token))
            else:
                token = f"[^{members}]"
        parts.append(token)
    return "".join(parts)
