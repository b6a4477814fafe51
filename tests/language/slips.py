"""What is wrong with a catalogue: sentences missing or left over, and translations that do not keep what they must."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from gettext import c2py

from babel.messages import Catalog
from babel.messages.catalog import Message
from babel.messages.pofile import read_po

KEPT = (
    ("places", re.compile(r"\{[^{}]*\}?")),
    ("text in backquotes", re.compile(r"`[^`]*`")),
    ("options and addresses", re.compile(r"(?<!\w)--\w[\w-]*|\bhttps?://[^\s,;:。，；：）)]+")),
)
"""What a translation takes over letter by letter."""


def found(raw: bytes, language: str, code: Catalog) -> list[str]:
    """The slips of a .po file, a line each. code: the sentences that it has to hold."""
    text = raw.decode("utf-8")
    held = read_po(io.BytesIO(raw), locale=language, abort_invalid=True)
    return [
        *_of_file(text),
        *_of_sentences(code, held),
        *(slip for message in held if message.id for slip in _of_translation(message, held)),
    ]


def _of_file(text: str) -> Iterator[str]:
    if "#~" in text:
        yield "holds obsolete sentences (#~)"
    if re.search(r"^#,.*\bfuzzy\b", text, re.MULTILINE):
        yield "holds guesses that nobody has looked at (fuzzy)"
    if re.search(r"^msgctxt\b", text, re.MULTILINE):
        yield "holds contexts (msgctxt), which are not read"
    ids = re.findall(r"^msgid[ \t]+((?:\".*\"\s*)+)", text, re.MULTILINE)
    for sentence in sorted({one for one in ids if ids.count(one) > 1}):
        yield f"holds twice: {sentence.strip()}"


def _of_sentences(code: Catalog, held: Catalog) -> Iterator[str]:
    expected, there = ({message.id for message in catalogue if message.id} for catalogue in (code, held))
    for sentence in sorted(expected - there, key=str):
        yield f"lacks: {sentence!r}"
    for sentence in sorted(there - expected, key=str):
        yield f"is not in the code: {sentence!r}"


def _of_translation(message: Message, held: Catalog) -> Iterator[str]:
    if isinstance(message.id, str):
        yield from _of_pair(message.id, str(message.string or ""))
        return
    forms = tuple(message.string or ())
    given = sum(map(bool, forms))
    if len(forms) != held.num_plurals or given != held.num_plurals:
        yield f"has {given} of {held.num_plurals} plural forms: {message.id[0]!r}"
        return
    form_of = c2py(held.plural_expr)
    numbers = Counter(map(form_of, range(1, 200)))
    for number, form in enumerate(forms):
        yield from _of_pair(tuple(message.id), form)
        english = message.id[0 if number == form_of(1) else 1]
        if numbers[number] > 1 and "{n}" in english and "{n}" not in form:
            yield f"does not say how many: {message.id!r} is {form!r}"


def _of_pair(english: str | tuple[str, ...], translation: str) -> Iterator[str]:
    """The slips of one translation, of a sentence or of a sentence's forms for one and for many."""
    if not translation:
        yield f"has no translation: {english!r}"
        return
    forms = (english,) if isinstance(english, str) else english
    for what, kept in KEPT:
        if all(_kept(kept, form, forms) != _kept(kept, translation, forms) for form in forms):
            yield f"other {what}: {english!r} is {translation!r}"
    if all(_blanks(form) != _blanks(translation) for form in forms):
        yield f"other line ends or spaces: {english!r} is {translation!r}"


def _kept(kept: re.Pattern[str], text: str, forms: tuple[str, ...]) -> list[str]:
    """What has to be the same; the number of things is judged by itself where there are plural forms."""
    return sorted(one for one in kept.findall(text) if one != "{n}" or len(forms) == 1)


def _blanks(text: str) -> tuple[str, str, int]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :], text.count("\n")
