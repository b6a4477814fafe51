"""Names of the parts of a document: a template's `{stem}`, `{part:02}`, `{pages}`, `{code}` and `{code.KEY}`.

The daemon's rules and the engine's `partName` read templates alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from paperchute.language import _

CODE = "code"
STEM, PART, PAGES = "stem", "part", "pages"
_PLACEHOLDER = re.compile(r"\{([^{}:]*)(?::([^{}]*))?\}")
_NUMBER_FORMAT = re.compile(r"0?[1-9]?[0-9]")
_LONGEST = 100
"""Characters of a code's text in a name."""


def is_of_part(name: str) -> bool:
    """Decide whether a placeholder differs from part to part of a document."""
    return name in (PART, CODE) or name.startswith(f"{CODE}.")


def check_template(template: str) -> None:
    """Raise ValueError, with what is wrong, for a template that names no file."""
    for match in _PLACEHOLDER.finditer(template):
        name, form = match[1], match[2]
        if name not in (STEM, PAGES) and not (is_of_part(name) and name != f"{CODE}."):
            known = "{stem} {part:02} {pages} {code} {code.KEY}"
            raise ValueError(_("there is no placeholder {place}; there are {places}", place=match[0], places=known))
        if form is not None and not (name == PART and _NUMBER_FORMAT.fullmatch(form)):
            raise ValueError(_("{place} cannot be filled in; write {examples}", place=match[0], examples="{part:02}"))
    rest = _PLACEHOLDER.sub("", template)
    if "{" in rest or "}" in rest:
        raise ValueError(_("a brace is not closed"))
    if re.search(r"[/\\]", rest):
        raise ValueError(_("takes a plain name, without folders"))


def filled(template: str, values: Mapping[str, str], number: int) -> tuple[str, list[str]]:
    """Fill a checked template; the name, not yet made safe for files, and the placeholders that have no value.

    Args:
        template: As `check_template` lets it through.
        values: Of `stem` and `pages`, and what `values_of_code` gives.
        number: Of the part, from 1.
    """
    lacking = []

    def value(match: re.Match[str]) -> str:
        if match[1] == PART:
            return f"{number:{match[2] or ''}}"
        if match[1].casefold() not in values:
            lacking.append(match[1])
            return _("unknown")
        return values[match[1].casefold()]

    return _PLACEHOLDER.sub(value, template), lacking


def values_of_code(text: str) -> dict[str, str]:
    """Return what a code's text gives for names: all of it, and its entries where it is `key=value` lines or JSON."""
    values = {CODE: text, **{f"{CODE}.{key}".casefold(): value for key, value in _entries(text).items()}}
    plain = {name: " ".join(value.split())[:_LONGEST].strip() for name, value in values.items()}
    return {name: value for name, value in plain.items() if value}


def _entries(text: str) -> dict[str, str]:
    if text.lstrip().startswith("{"):
        try:
            raw = json.loads(text)
        except (ValueError, RecursionError):
            return {}
        return {key: f"{one}" for key, one in raw.items() if isinstance(one, str | int | float)}
    lines = [line.partition("=") for line in text.splitlines() if line.strip()]
    if not all(equals and key.strip() for key, equals, _value in lines):
        return {}
    return {key.strip(): value.strip() for key, _equals, value in lines}
