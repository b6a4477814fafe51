"""Sentences in the language of whom they are for.

The daemon speaks to one person, and `use` says which language that is. The engine answers many, so it works on each
request and each task within `speaking`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from paperchute.language.catalogue import ENGLISH, catalogue, suiting

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")

_of_process = ENGLISH
_of_context: ContextVar[str] = ContextVar("language", default="")


def _(sentence: str, /, **values: object) -> str:
    """A sentence in the language in use, with the values in its places; the English one where it has no translation.

    Call it when the sentence is needed: at the top of a module nobody knows yet who will read it (see `N_`).

    Args:
        sentence: English, written here in the code, with places such as {name}. Never an f-string.
        values: What stands in the places. Text in braces within a value stays as it is.
    """
    return _filled(_translated(sentence, sentence, None), values)


def ngettext(one: str, many: str, n: int, /, **values: object) -> str:
    """The sentence that goes with a number: `one` for 1 in English, the form that belongs to it in another language.

    Args:
        one: English for one thing; the number's place {n} may be left out.
        many: English for another number.
        n: The number; it also stands in the place {n}, if `values` has no other way to write it.
        values: As for `_`.
    """
    return _filled(_translated(one, one if n == 1 else many, n), {"n": n, **values})


def N_(sentence: str, /) -> str:  # noqa: N802 -- gettext's own name, by which tools find the sentence
    """The sentence as it is: marks what is written at the top of a module for the catalogues. `_` translates it."""
    return sentence


def use(tag: str) -> None:
    """Speak this language in the whole process, English where the tag suits none."""
    global _of_process
    _of_process = best([tag])


@contextmanager
def speaking(tag: str) -> Iterator[None]:
    """Speak this language within the block, English where the tag suits none.

    For this thread or asyncio task alone: a thread that is started within the block speaks the language of the process.
    """
    before = _of_context.set(best([tag]))
    try:
        yield
    finally:
        _of_context.reset(before)


def speak(tag: str) -> None:
    """Speak this language from here on, English where the tag suits none; in this thread or asyncio task alone."""
    _of_context.set(best([tag]))


def current() -> str:
    """The tag of the language in use, such as en or zh-Hans."""
    return _name().replace("_", "-")


def best(tags: Iterable[str]) -> str:
    """The language, by its name here, of the first tag that suits one; English where none does."""
    return next(filter(None, map(suiting, tags)), ENGLISH)


def _name() -> str:
    return _of_context.get() or _of_process


def _translated(key: str, english: str, n: int | None) -> str:
    name = _name()
    if name == ENGLISH:
        return english
    known = catalogue(name)
    forms = known.sentences.get(key)
    if forms is None:
        return english
    form = known.form(n) if n is not None else 0
    return forms[form] if form < len(forms) else english


def _filled(sentence: str, values: dict[str, object]) -> str:
    """Put values into their places. By `str.format` a slip in a translation would raise, or reach attributes."""
    return _PLACE.sub(lambda found: str(values.get(found[1], found[0])), sentence) if values else sentence
