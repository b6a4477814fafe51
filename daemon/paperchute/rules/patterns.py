"""What names are held against: globs (`match`, `except` and their like) and the regular expression of `pattern`."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath, PurePosixPath

from paperchute.files.names import is_hidden
from paperchute.notation.patterns import compiled

_SPECIAL = re.compile(r"[*?\[]")
_STANDS_FOR = ("", "\ue000", "\ue000\ue001\ue002")
"""What a star may stand for; the characters are in no one's glob (Unicode's private use area)."""


def glob(relative: PurePath, pattern: str, *, hidden: bool = True) -> bool:
    """Decide whether a path fits a glob. Without a slash it is for the name alone; `**` is any number of folders.

    hidden: off, hidden names and folders fit only where the glob has a part for them that begins with a dot.
    """
    wanted = folded(pattern).strip("/").split("/")
    parts = folded("/".join(relative.parts)).split("/")
    if len(wanted) == 1 and wanted[0] != "**":
        if not hidden and any(map(is_hidden, parts[:-1])):
            return False
        parts = parts[-1:]
    return _fits(parts, wanted, hidden)


def names_hidden_folders(pattern: str) -> bool:
    """Decide whether a glob has a part for a hidden folder."""
    return any(map(is_hidden, _plain(pattern).split("/")[:-1]))


def _fits(parts: list[str], wanted: list[str], hidden: bool) -> bool:
    """Row by row, so that its cost is parts times pattern, however many `**` there are."""
    row = [True] + [False] * len(parts)
    for part in wanted:
        if part == "**":
            reached = row[0]
            row = [
                reached,
                *(
                    reached := (reached and (hidden or not is_hidden(at))) or cell
                    for at, cell in zip(parts, row[1:], strict=True)
                ),
            ]
        else:
            fits = _segment(part)
            said = hidden or is_hidden(part)
            row = [False] + [
                row[i] and (said or not is_hidden(at)) and fits.fullmatch(at) is not None for i, at in enumerate(parts)
            ]
    return row[-1]


@lru_cache(maxsize=512)
def _segment(pattern: str) -> re.Pattern[str]:
    """`fnmatch` compiles stars to atomic groups, so no name takes it exponential time."""
    return re.compile(fnmatch.translate(pattern))


def folded(text: str) -> str:
    """A name, or a part of one, as it is compared: the same on every platform."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text.replace("\\", "/")).casefold())


def covers(wide: str, narrow: str) -> bool:
    """Decide whether `wide` takes every name that `narrow` takes. False also where that cannot be told."""
    if _plain(wide) == _plain(narrow):
        return True
    if "?" in wide or "[" in wide or "[" in narrow or "/" in narrow or "**" in narrow:
        return False
    shown = not is_hidden(narrow)  # then the samples that begin with a dot are not taken by it either
    return all(
        glob(PurePosixPath(f"x{_sample(narrow, stars)}"[1:] or "x"), wide, hidden=shown) for stars in _STANDS_FOR
    )


def all_covered(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """Decide whether each glob of `narrow` is covered by one of `wide`."""
    return all(any(covers(one, other) for one in wide) for other in narrow)


def suffix_of(pattern: str) -> str | None:
    """The extension that all names a glob takes have, without its dot and in lower case; None when it is open."""
    name = _plain(pattern).rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return extension if dot and stem and not _SPECIAL.search(extension) else None


def takes_suffix(patterns: Sequence[str], extension: str) -> bool | None:
    """Return whether names of this extension are taken: True all of them, False none, None some."""
    if any(covers(pattern, f"*.{extension}") for pattern in patterns):
        return True
    if all((suffix := suffix_of(pattern)) is not None and suffix != extension for pattern in patterns):
        return False
    return None


def _sample(pattern: str, stars: str) -> str:
    return pattern.replace("*", stars).replace("?", "\ue003")


def _plain(pattern: str) -> str:
    return unicodedata.normalize("NFC", pattern.replace("\\", "/").casefold()).strip("/")


def groups(pattern: str) -> tuple[str, ...]:
    """The names of a valid pattern's groups."""
    return tuple(compiled(pattern).groupindex)


def found(pattern: str, relative: PurePath) -> Mapping[str, str] | None:
    """Give what the named groups hold for a path relative to its hot folder; None when the pattern is not found in it.

    As with globs, a pattern with a `/` looks at the whole path, any other at the name alone. A group that took no part
    is empty.
    """
    name = "/".join(relative.parts) if "/" in pattern else relative.name
    text = unicodedata.normalize("NFC", name).encode("utf-8", "replace").decode()
    match = compiled(pattern).search(text)
    return None if match is None else {key: value or "" for key, value in match.groupdict().items()}
