"""What one rule says that is allowed, and hardly ever meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from paperchute.rules.model import Rule
from paperchute.rules.output import placeholders

_VARYING = ("{", "*", "?", "[")
_FIXED = frozenset({"ext", "folder", "folder.name", "rule", "operation"})
"""Placeholders that are the same for all files of one kind."""


def odd_globs(rule: Rule) -> Iterator[tuple[str, str]]:
    """(key, message) for globs that are no globs."""
    for key, globs in (("match", rule.match), ("except", rule.except_)):
        for one in globs:
            if re.search(r",\s*[*.]", one):
                yield key, f'{one!r} is one glob with a comma in it; several are a list: ["*.a", "*.b"]'
            elif one.startswith(".") and not any(letter in one for letter in _VARYING):
                yield key, f"{one!r} is the whole name of a file; for all that end so write *{one}"


def odd_output(rule: Rule) -> Iterator[tuple[str, str]]:
    """(key, message) for a template that gives all results one name, as one that was meant for a folder does."""
    if rule.output and rule.on_conflict != "replace" and set(placeholders(rule.output)) <= _FIXED:
        meant = f"{rule.output.removesuffix('.{ext}')}/{{stem}}.{{ext}}"
        yield "output", f"every result gets this name, but for a number; if it is meant for a folder, write {meant!r}"


def odd_original(rule: Rule, written: str) -> Iterator[tuple[str, str]]:
    """(key, message) for a word that is taken for a folder. written: as it stands in the file."""
    if re.fullmatch(r"\w+", written) and Path(rule.original).is_absolute():
        known = "done | keep | delete | trash"
        yield (
            "original",
            f"{written!r} is taken for the folder {rule.original}; write ./{written} if it is one, or {known}",
        )
