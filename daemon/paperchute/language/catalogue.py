"""One language's file of sentences, and which of the files suits a language tag.

The `.po` files are read as they are, without a compiled form that could be older than they: 1,500 sentences take 10 ms,
where Babel's own reader, with its import, takes 70. Tests compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from gettext import c2py
from pathlib import Path

ENGLISH = "en"
FOLDER = Path(__file__).parent

_QUOTED = r'((?:[ \t]*".*"[ \t]*\n)+)'
_ENTRY = re.compile(
    rf"^msgid[ \t]+{_QUOTED}(?:msgid_plural[ \t]+{_QUOTED})?((?:msgstr(?:\[\d\])?[ \t]+{_QUOTED})+)", re.MULTILINE
)
_TRANSLATED = re.compile(rf"^msgstr(?:\[\d\])?[ \t]+{_QUOTED}", re.MULTILINE)
_LINE_END = re.compile(r'"[ \t]*\n[ \t]*"')
_ESCAPED = re.compile(r"\\(.)")
_MEANT = {"n": "\n", "t": "\t", "r": "\r"}
_PLURAL_FORMS = re.compile(r"^Plural-Forms:.*\bplural=([^;\n]+)", re.MULTILINE)

_TRADITIONAL = {"tw", "hk", "mo"}
"""Regions that write Chinese in traditional characters where a tag does not name the script (CLDR, likely subtags)."""


@dataclass(frozen=True)
class Catalogue:
    """The sentences of one language."""

    sentences: dict[str, tuple[str, ...]]
    """By the English sentence (of two, the one for a single thing): the translation, or one for each plural form.
    What has not been translated is missing."""
    form: Callable[[int], int]
    """Which plural form goes with a number, as the file's Plural-Forms says."""


def read(text: str) -> Catalogue:
    """The catalogue that the text of a .po file describes.

    Raises:
        ValueError: Its Plural-Forms is not an expression of C.
    """
    sentences = {}
    for found in _ENTRY.finditer(text + "\n"):
        forms = tuple(_unquoted(form) for form in _TRANSLATED.findall(found[3]))
        if all(forms):
            sentences[_unquoted(found[1])] = forms
    header = sentences.pop("", ("",))[0]
    plural = _PLURAL_FORMS.search(header)
    return Catalogue(sentences, c2py(plural[1] if plural else "n != 1"))


@cache
def catalogue(name: str) -> Catalogue:
    """The catalogue of a language by the name of its file, such as zh_Hans. Raises OSError where there is none."""
    return read((FOLDER / f"{name}.po").read_text(encoding="utf-8"))


@cache
def languages() -> tuple[str, ...]:
    """The names of all languages: English, and each for which there is a file."""
    return (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.po")))


def suiting(tag: str) -> str:
    """The language that a speaker of `tag` (de, de-AT, zh_CN.UTF-8) reads best; empty where there is none.

    The same language as written elsewhere will do (a Brazilian file for Portuguese), in another script it will not.
    """
    wanted = _subtags(tag)
    known = {name: _subtags(name) for name in languages()}
    for name, (language, script, region) in known.items():
        if (language, script) == wanted[:2] and region in ("", wanted[2]):
            return name
    return next((name for name, has in known.items() if has[:2] == wanted[:2]), "")


def _subtags(tag: str) -> tuple[str, str, str]:
    """Language, script and region in small letters, empty where the tag does not say; for Chinese there is a script."""
    plain = re.split(r"[.@]", tag.strip().lower().replace("_", "-"))[0]
    language, *others = plain.split("-")
    script = next((part for part in others if len(part) == 4 and part.isalpha()), "")
    region = next((part for part in others if len(part) == 2 or part.isdigit()), "")
    if language == "zh" and not script:
        script = "hant" if region in _TRADITIONAL else "hans"
    return language, script, region


def _unquoted(lines: str) -> str:
    joined = _LINE_END.sub("", lines.strip())[1:-1]
    return _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), joined) if "\\" in joined else joined
