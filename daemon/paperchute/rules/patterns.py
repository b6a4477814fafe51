"""What names are held against: globs (`match`, `except` and their like) and the regular expression of `pattern`."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath, PurePosixPath
from typing import Any

import re2

from paperchute.language import N_, _

_SPECIAL = re.compile(r"[*?\[]")
_STANDS_FOR = ("", "\ue000", "\ue000\ue001\ue002")
"""What a star may stand for; the characters are in no one's glob (Unicode's private use area)."""


def glob(relative: PurePath, pattern: str) -> bool:
    """Whether a path fits a glob. Without a slash the glob is for the name alone; `**` is any number of folders."""
    wanted = folded(pattern).strip("/").split("/")
    parts = folded("/".join(relative.parts)).split("/")
    if len(wanted) == 1 and wanted[0] != "**":
        parts = parts[-1:]
    return _fits(parts, wanted)


def _fits(parts: list[str], wanted: list[str]) -> bool:
    """Row by row, so that its cost is parts times pattern, however many `**` there are."""
    row = [True] + [False] * len(parts)
    for part in wanted:
        if part == "**":
            reached = False
            row = [reached := reached or cell for cell in row]
        else:
            fits = _segment(part)
            row = [False] + [row[i] and fits.fullmatch(parts[i]) is not None for i in range(len(parts))]
    return row[-1]


@lru_cache(maxsize=512)
def _segment(pattern: str) -> re.Pattern[str]:
    """`fnmatch` compiles stars to atomic groups, so no name takes it exponential time."""
    return re.compile(fnmatch.translate(pattern))


def folded(text: str) -> str:
    """A name, or a part of one, as it is compared: the same on every platform."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.replace("\\", "/")).casefold())


def covers(wide: str, narrow: str) -> bool:
    """Whether `wide` takes every name that `narrow` takes. False also where that cannot be told."""
    if _plain(wide) == _plain(narrow):
        return True
    if "?" in wide or "[" in wide or "[" in narrow or "/" in narrow or "**" in narrow:
        return False
    return all(glob(PurePosixPath(f"x{_sample(narrow, stars)}"[1:] or "x"), wide) for stars in _STANDS_FOR)


def all_covered(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """Whether each glob of `narrow` is covered by one of `wide`."""
    return all(any(covers(one, other) for one in wide) for other in narrow)


def suffix_of(pattern: str) -> str | None:
    """The extension that all names a glob takes have, without its dot and in lower case; None when it is open."""
    name = _plain(pattern).rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return extension if dot and stem and not _SPECIAL.search(extension) else None


def takes_suffix(patterns: Sequence[str], extension: str) -> bool | None:
    """Whether names of this extension are taken: True all of them, False none, None some."""
    if any(covers(pattern, f"*.{extension}") for pattern in patterns):
        return True
    if all((suffix := suffix_of(pattern)) is not None and suffix != extension for pattern in patterns):
        return False
    return None


def _sample(pattern: str, stars: str) -> str:
    return pattern.replace("*", stars).replace("?", "\ue003")


def _plain(pattern: str) -> str:
    return unicodedata.normalize("NFC", pattern.replace("\\", "/").casefold()).strip("/")


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
                raise ValueError(_("is not a pattern that can be used: {token} is not allowed inside [ ]", token=token))
            else:
                token = f"[^{members}]"
        parts.append(token)
    return "".join(parts)
