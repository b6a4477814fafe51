"""All that is wrong with the syntax of a rule file, and what can be read of it all the same.

Each statement is read by itself; what is broken is told and blanked, so that lines stay where they are. A header that
says well enough what it means is mended, so that what stands below it is checked too.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from paperchute.contract.engine_options import ENGINE_OPTIONS
from paperchute.contract.model import nearest
from paperchute.rules import limits
from paperchute.rules.locate import KeyPath, Places
from paperchute.rules.model import RULE_KEYS, Step
from paperchute.rules.problems import Problem
from paperchute.rules.settings import FileKeys, ServiceKeys
from paperchute.rules.statements import Statement, statements
from paperchute.rules.syntax import place_of, unclosed, wrong_with

MOST_PROBLEMS = 50
"""That are told of one file; more are read by nobody at once."""
_MOST_CHARACTERS = 8 << 20  # that are read in all, since a file is read anew for each key that is given twice
MORE = "there may be more that is wrong from here on; put right what stands above first"
_SINGLE = re.compile(r"\[\s*rule\s*\]\s*(?:#.*)?")
_HEADER = re.compile(r"\[*\s*([\w-]+(?:\s*\.\s*[\w-]+)*)")
_KEY = re.compile(r"\s*([\w-]+(?:\s*\.\s*[\w-]+)*)")
_LISTED = ("rule", "rule.steps")
_TABLES = ("service", "engine", "defaults", "rule")
_KEYS: dict[KeyPath, Sequence[str]] = {
    (): list(FileKeys.model_fields),
    ("rule",): RULE_KEYS,
    ("defaults",): RULE_KEYS,
    ("service",): list(ServiceKeys.model_fields),
    ("engine",): [option.name for option in ENGINE_OPTIONS],
    ("rule", "steps"): list(Step.model_fields),
}


@dataclass(frozen=True)
class Recovered:
    """What a text holds. raw: as tomllib gives it; None when there is so much wrong that the rest tells nothing.

    problems: of its syntax. broken: key paths that are written there and could not be read, so that nobody says that
    they are missing.
    """

    raw: dict[str, Any] | None
    places: Places
    problems: tuple[Problem, ...] = ()
    broken: frozenset[KeyPath] = frozenset()


def recovered(text: str) -> Recovered:
    """Read a rule file's text, whatever is wrong with it."""
    if (wrong := limits.exceeded(text)) is not None:
        return Recovered(None, Places(""), (_problem(text, *wrong),))
    try:
        raw = tomllib.loads(text)
    except ValueError:
        return _Recovery(text).finish()
    return _Recovery(text).finish() if isinstance(raw.get("rule"), dict) else Recovered(raw, Places(text))


class _TooMuchError(Exception):
    """More is wrong than anybody reads at once."""


class _Recovery:
    """One broken text on its way to what can be read of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._good = text  # what is left to be read, as long as `text`, but for mended headers
        self._parts = list(statements(text))
        self._problems: list[Problem] = []
        self._lost: list[tuple[int, KeyPath]] = []  # (line, the key's own parts) of what was blanked

    @cached_property
    def _firsts(self) -> list[int]:
        """The first line of each statement, from 0."""
        ends = [at for at, letter in enumerate(self._text) if letter == "\n"]
        return [bisect_right(ends, part.start) for part in self._parts]

    def finish(self) -> Recovered:
        raw = None
        try:
            self._each()
            raw = self._together()
        except _TooMuchError:
            self._good = ""
        places = Places(self._good)
        return Recovered(raw, places, tuple(self._problems), self._broken(places))

    def _each(self) -> None:
        """Leave out every statement that is broken in itself."""
        kept: list[str] = []
        done = 0
        skipping = False  # what stands below a header that could not be read
        for part in self._parts:
            content = self._text[part.start : part.end]
            is_header = content.startswith("[")
            skipping = skipping and not is_header
            if not skipping and not self._is_wrong(part, content):
                continue
            instead = _mended(content) if is_header else ""
            if is_header:
                skipping = not instead
            elif not skipping:
                self._lose(part)
            kept += [self._text[done : part.start], instead or _blank(content)]
            done = part.end
        self._good = "".join([*kept, self._text[done:]])

    def _is_wrong(self, part: Statement, content: str) -> bool:
        """Whether a statement is broken in itself; it is told."""
        if part.unclosed is not None:
            self._say(part.unclosed, unclosed(self._text[part.unclosed]))
        elif _SINGLE.fullmatch(content):
            self._say(part.start, "rules are written as [[rule]], with double brackets")
        elif (found := wrong_with(content)) is not None:
            self._say(part.start + found[0], found[1])
        else:
            return False
        return True

    def _together(self) -> dict[str, Any]:
        """What the text holds without what contradicts something before it, which is told and left out."""
        left = _MOST_CHARACTERS
        while True:
            try:
                return tomllib.loads(self._good)
            except tomllib.TOMLDecodeError as error:
                at, message = place_of(error, self._good)
            self._leave_out(self._good.count("\n", 0, at), message)
            left -= len(self._good)
            if left < 0:
                self._say(len(self._text), MORE)
                raise _TooMuchError

    def _leave_out(self, line: int, message: str) -> None:
        """Leave out what contradicts something before it. line: in which that was noticed, from 0."""
        lines = self._good.split("\n")
        if lines[line].lstrip().startswith("#"):
            before = sum(len(one) + 1 for one in self._text.split("\n")[:line])
            self._say(before, f"this remark cannot be read: {message}")
            lines[line] = ""
            self._good = "\n".join(lines)
            return
        firsts = self._firsts
        number = bisect_right(firsts, line) - 1
        while number > 0 and not lines[firsts[number]].strip():  # it is noticed behind it, and blanks do no harm
            number -= 1
        last = number + 1
        header = lines[firsts[number]]
        if header.lstrip().startswith("["):
            while last < len(firsts) and not lines[firsts[last]].startswith("["):
                last += 1
            self._say(self._parts[number].start, _header_twice(lines, firsts[:number], header, message))
        else:
            self._say(self._parts[number].start, _key_twice(lines, firsts[: number + 1]))
            self._lose(self._parts[number])
        end = firsts[last] if last < len(firsts) else len(lines)
        lines[firsts[number] : end] = [""] * (end - firsts[number])
        self._good = "\n".join(lines)

    def _lose(self, part: Statement) -> None:
        line = self._text.count("\n", 0, part.start) + 1
        self._lost.append((line, _key_of(self._text[part.start : part.end])))

    def _broken(self, places: Places) -> frozenset[KeyPath]:
        """The key paths of what was lost, each below the header above it."""
        lines = [line for _, line in places.headers]
        found = set()
        for line, key in self._lost:
            number = bisect_right(lines, line) - 1
            table: KeyPath = places.headers[number][0] if number >= 0 else ()
            found.add((*table, *_meant(table, key)))
        return frozenset(found)

    def _say(self, at: int, message: str) -> None:
        if len(self._problems) > MOST_PROBLEMS:
            raise _TooMuchError
        if len(self._problems) == MOST_PROBLEMS:
            message = MORE
        self._problems.append(_problem(self._text, at, message))


def _problem(text: str, at: int, message: str) -> Problem:
    return Problem(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), message)


def _blank(content: str) -> str:
    return re.sub(r"[^\n]", " ", content)


def _mended(header: str) -> str:
    """A broken header as it was meant; empty when that cannot be told."""
    match = _HEADER.match(header)
    name = re.sub(r"\s", "", match[1]) if match else ""
    if name in _LISTED:
        return f"[[{name}]]"
    return f"[{name}]" if name.split(".")[0] in _TABLES else ""


def _header_twice(lines: Sequence[str], firsts: Sequence[int], header: str, message: str) -> str:
    """What to say of a header whose name is given above; firsts: the first lines of the statements before it."""
    match = _HEADER.match(header.strip())
    name = re.sub(r"\s", "", match[1]) if match else "this"
    for line in reversed(firsts):
        if lines[line].startswith("["):
            break
        if _key_of(lines[line])[:1] == (name.rpartition(".")[2],):
            return f"`{name.rpartition('.')[2]}` stands in line {line + 1} already; put it all in one place"
    if "twice" in message:
        return f"[{name}] stands in the file already; put its keys together under one header"
    return f"{name} is given above in another way; put it all in one place"


def _key_twice(lines: Sequence[str], firsts: Sequence[int]) -> str:
    """What to say of the last of several statements, which repeats a key; firsts: their first lines."""
    key = _key_of(lines[firsts[-1]])
    name = ".".join(str(part) for part in key)
    for line in reversed(firsts[:-1]):
        if lines[line].startswith("["):
            break
        if _key_of(lines[line])[:1] == key[:1]:
            return f"`{name}` stands in line {line + 1} already, unless a [[rule]] is missing between them"
    return f"`{name}` is given above already"


def _key_of(statement: str) -> KeyPath:
    match = _KEY.match(statement)
    return tuple(part.strip() for part in match[1].split(".")) if match else ()


def _meant(table: KeyPath, key: KeyPath) -> KeyPath:
    """The key with its first part spelled as it must be."""
    known = _KEYS.get(tuple(part for part in table if isinstance(part, str)), ())
    return (nearest(str(key[0]), list(known)) or key[0], *key[1:]) if key else key
