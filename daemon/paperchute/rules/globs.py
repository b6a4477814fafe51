"""What can be said of globs without any file: whether one takes all that another takes, or certainly nothing of it."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePath, PurePosixPath

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
    """fnmatch compiles stars to atomic groups, so no name takes it exponential time."""
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
