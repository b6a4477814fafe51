"""What can be read of a TOML text that somebody wrote, and all that is wrong with its syntax.

tomllib is the judge of what is valid. The first mistake that it finds is told, the statement that holds it is blanked,
so that lines stay where they are, and reading goes on behind it. Where that statement begins, the syntax tree says:
what stands before a mistake is valid but for the one statement that may still be open, and that is its error node.
What is never closed ends where the next statement can be seen; of the lines between nothing is said but that they are
not checked.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from paperchute.contract.engine_options import ENGINE_OPTIONS
from paperchute.contract.operations import nearest
from paperchute.language import N_, _
from paperchute.rules import toml_errors
from paperchute.rules.language_model import ModelKeys
from paperchute.rules.model import RULE_KEYS
from paperchute.rules.notify import NotifyKeys
from paperchute.rules.page import PageKeys
from paperchute.rules.problems import KeyPath, Problem
from paperchute.rules.settings import FileKeys, ServiceKeys
from paperchute.rules.tables import Step
from paperchute.rules.toml import TABLE_NODES, TOKEN, Places, exceeded, syntax_tree

MOST_PROBLEMS = 50
"""That are told of one file; more are read by nobody at once."""
MORE = N_("there may be more mistakes from here on; correct the ones above first")
_MOST_CHARACTERS = 8 << 20  # that are judged in all, since a file is judged anew for each key that is given twice

_KEYS: dict[KeyPath, Sequence[str]] = {
    (): list(FileKeys.model_fields),
    ("rule",): RULE_KEYS,
    ("defaults",): RULE_KEYS,
    ("service",): list(ServiceKeys.model_fields),
    ("services",): (),
    ("notify",): list(NotifyKeys.model_fields),
    ("model",): list(ModelKeys.model_fields),
    ("page",): list(PageKeys.model_fields),
    ("engine",): [option.name for option in ENGINE_OPTIONS],
    ("rule", "steps"): list(Step.model_fields),
}
_TABLES = ("service", "services", "engine", "notify", "model", "page", "defaults", "rule")
_LISTS = ("rule", "rule.steps")
_UNREAD = "-unread-"  # stands for a table whose header cannot be read

_HEADER = re.compile(
    r"[ \t]*(?:\[\[?[ \t]*(?!(?:true|false|inf|nan)[ \t]*\])[A-Za-z_][\w.\- \t]*+\]{0,2}+[ \t]*+(?:#[^\n]*+)?(?=\n|\Z)"
    rf"|\[[^\w\"'\n]*(?:{'|'.join(_TABLES)})\b"
    rf"|(?:rule|(?:{'|'.join(_TABLES)})(?:\.[\w-]+)?[ \t]*\]{{1,2}})[ \t]*+(?:#[^\n]*+)?(?=\n|\Z))"
)
"""A header, or what should be one."""
_HEADER_NAME = re.compile(r"\W*([\w-]+(?:\s*\.\s*[\w-]+)*)")
_PAIR = re.compile(r"[ \t]*[A-Za-z_][\w-]*+(?:[ \t]*\.[ \t]*[\w-]+)*+[ \t]*=")
_LIKE_PAIR = re.compile(
    rf"[ \t]*(?:(?:{'|'.join(sorted({key for keys in _KEYS.values() for key in keys}))})[ \t]+[^ \t,]"
    r"|[A-Za-z_][\w-]*+[ \t]*(?:[:\"'{\[]|(?<=[ \t])(?:[+-]?\d|(?:true|false)\b)))"
)
"""What may be meant as a pair: a key with another sign, or a value, behind it."""
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_KEY_PART = re.compile(r"([^\W\d][\w -]*?)\s*[=:.]|^[^\w=:]*([\w-]+)")
_CLOSING = re.compile(r"[\s\]},]*(?:#|$)")
_REMARK = re.compile(r"\s*(?://|;|/\*|--)")


@dataclass(frozen=True)
class Document:
    """What a text holds."""

    raw: dict[str, Any] | None
    """The values; None when there is so much wrong that the rest tells nothing."""
    places: Places
    problems: tuple[Problem, ...] = ()
    """What is wrong with its syntax, in the order in which it was found."""
    broken: frozenset[KeyPath] = frozenset()
    """Key paths that may be written there and could not be read, so that nobody says that they are missing."""


def read(text: str) -> Document:
    """Read a text with line feeds alone between its lines, whatever is wrong with it."""
    if (wrong := exceeded(text)) is not None:
        return Document(None, Places(""), (_problem(text, *wrong),))
    try:
        raw = tomllib.loads(text)
    except ValueError:
        return _Recovery(text).document()
    return _Recovery(text).document() if isinstance(raw.get("rule"), dict) else Document(raw, Places(text))


class _TooMuchError(Exception):
    """More is wrong than anybody reads at once."""


class _Recovery:
    """One broken text on its way to what can be read of it."""

    def __init__(self, text: str) -> None:
        self._rows = text.split("\n")
        self._problems: list[Problem] = []
        self._lost: list[tuple[int, str]] = []  # (row, key) of what was blanked; an empty key stands for all
        self._known_broken: set[KeyPath] = set()
        self._unsure = False  # whether what was blanked may have been any table

    def document(self) -> Document:
        """Return what is left, and all that is wrong."""
        try:
            self._leave_out_broken()
            self._mend_single()
            raw = self._leave_out_twice()
        except _TooMuchError:
            return Document(None, Places(""), tuple(self._problems))
        raw.pop(_UNREAD, None)
        places = Places("\n".join(self._rows))
        return Document(raw, places, tuple(self._problems), frozenset(self._broken(places)))

    def _leave_out_broken(self) -> None:
        """Leave out every statement that is broken in itself, whatever stands elsewhere."""
        done = 0  # rows before it are well, or were told
        twice = 0
        while (error := _mistake(self._rows[done:])) is not None:
            row, column, message = done + error[0], *error[1:]
            if message.startswith("Cannot "):  # for what contradicts something else is told later
                start = self._start(done, row)
                done = start if start > done else row + 1
                twice += 1
                if twice > 2 * MOST_PROBLEMS:  # so many will be told that nothing else will be
                    self._lose(done, len(self._rows), everything=True)
            elif self._rows[row].lstrip().startswith("#"):
                self._say(row, column, _(toml_errors.UNREADABLE))
                self._rows[row] = ""
                done = row + 1
            else:
                done = self._leave_out(self._start(done, row), row, column, message)

    def _start(self, done: int, row: int) -> int:
        """The row in which the statement begins that is noticed to be broken in `row`; `done`: where one begins."""
        node: Node | None = syntax_tree("\n".join(self._rows[done:row]).encode())
        if node is None or not node.has_error:
            return row
        while node is not None and (node.type == "document" or node.type in TABLE_NODES):
            node = next((child for child in node.children if child.has_error or child.is_missing), None)
        return row if node is None else done + node.start_point.row

    def _leave_out(self, first: int, row: int, column: int, message: str) -> int:
        """Tell and leave out the statement that begins in `first`; the row behind it."""
        if self._rows[first].lstrip().startswith("[") or _HEADER.match(self._rows[first]):
            self._mend(first, column, message)
            return first + 1
        text = "\n".join(self._rows[first:])
        end, opening = _extent(text)
        behind = first + text.count("\n", 0, end) + 1
        if behind <= row and opening is None:  # it is noticed behind its end, or the tree takes for broken what is well
            again = _mistake(self._rows[first:behind])
            if again is None:
                return self._leave_out(row, row, column, message)
            row, column, message = first + again[0], *again[1:]
        while behind > first + 1 and self._rows[behind - 1].lstrip()[:1] in ("", "#"):
            behind -= 1
        told, column, words = row, column, ""
        if opening is None or (row < behind and toml_errors.is_endless(message)):
            at = sum(len(one) + 1 for one in self._rows[first:row]) + column
            words = toml_errors.words(message, text[:end], at)
        else:
            told = first + text.count("\n", 0, opening)
            column = opening - (text.rfind("\n", 0, opening) + 1)
            words = toml_errors.unclosed(text[opening : opening + 3])
        others = [one for one in range(first, behind) if one != told]
        if opening is None and _CLOSING.match(self._rows[behind - 1]):
            others = others[:-1]
        if others:
            words = toml_errors.with_unchecked(words, others[0] + 1, others[-1] + 1)
        self._say(told, column, words)
        if opening is not None and behind > first + 1:
            self._lost.append((first, ""))
        self._lose(first, behind, everything=opening is not None and text[opening] not in "[{")
        return behind

    def _lose(self, first: int, behind: int, *, everything: bool) -> None:
        """Blank the rows, and remember what may have stood there."""
        if everything:
            self._unsure = True
            self._lost.append((first, ""))
        self._lost += [(row, key) for row in range(first, behind) for key in _keys_of(self._rows[row])]
        self._rows[first:behind] = [""] * (behind - first)

    def _mend(self, row: int, column: int, message: str) -> None:
        """Tell a broken header; as it was meant, where that can be told, it stands in the text from now on."""
        match = _HEADER_NAME.match(self._rows[row])
        name = re.sub(r"\s", "", match[1]) if match else ""
        if name in _LISTS or name.split(".")[0] in _TABLES:
            mended = f"[[{name}]]" if name in _LISTS else f"[{name}]"
            words = toml_errors.odd_sign(self._rows[row][column:]) or toml_errors.header(mended)
        else:
            mended = f"[{_UNREAD}.{row}]"
            words = toml_errors.words(message, self._rows[row], column)
            self._unsure = True
        self._say(row, column, words)
        self._lost += [(row, key) for key in _keys_of(self._rows[row])]
        self._rows[row] = mended

    def _mend_single(self) -> None:
        """Tell each [rule] that should be [[rule]]."""
        for path, line, header in Places("\n".join(self._rows)).statements:
            if header == "table" and path[:1] == ("rule",) and all(isinstance(part, int) for part in path[1:]):
                self._say(line - 1, _indent(self._rows[line - 1]), _(toml_errors.SINGLE))
                self._rows[line - 1] = "[[rule]]"

    def _leave_out_twice(self) -> dict[str, Any]:
        """The values, without what contradicts something before it, which is told and left out."""
        places = Places("\n".join(self._rows))
        left = _MOST_CHARACTERS
        while (error := _mistake(self._rows)) is not None:
            row, message = error[0], error[2]
            left -= sum(map(len, self._rows))
            if left < 0 or not message.startswith("Cannot "):
                self._say(row, 0, _(MORE))
                raise _TooMuchError
            self._leave_out_second(places, row)
        return tomllib.loads("\n".join([*self._rows, ""]))  # as in `_mistake`, where a final \r is half a line end

    def _leave_out_second(self, places: Places, row: int) -> None:
        """Leave out what contradicts something before it, as is noticed in `row`."""
        statements = places.statements
        number = bisect_right(statements, row + 1, key=lambda statement: statement.line) - 1
        while number > 0 and not self._rows[statements[number].line - 1].strip():
            number -= 1
        path, line, header = statements[number]
        behind = number + 1
        while header and behind < len(statements) and not statements[behind].header:
            behind += 1
        firsts = (places.of(path[:length])[0] for length in range(len(path), 0, -1))
        before = next((first for first in firsts if first < line), line)
        name = ".".join(part for part in path if isinstance(part, str)) if header else str(path[-1])
        words = toml_errors.twice(name, before, may_lack_rule=not header and path[:1] == ("rule",))
        self._say(line - 1, _indent(self._rows[line - 1]), words)
        self._known_broken |= {statement.path for statement in statements[number:behind]}
        end = statements[behind].line - 1 if behind < len(statements) else len(self._rows)
        self._rows[line - 1 : end] = [""] * (end - line + 1)

    def _broken(self, places: Places) -> Iterator[KeyPath]:
        """The key paths of what was lost, each below the header above it."""
        yield from self._known_broken
        headers = [((), 0), *places.headers]
        for row, key in self._lost:
            table = headers[bisect_right(headers, row + 1, key=lambda header: header[1]) - 1][0]
            known = list(_KEYS.get(tuple(part for part in table if isinstance(part, str)), ()))
            yield from ((*table, one) for one in ((key, nearest(key, known) or key) if key else known))
            if not key:
                yield table
        for name in _TABLES if self._unsure else ():
            yield (name,)
            for key in _KEYS[(name,)]:
                yield (name, key)

    def _say(self, row: int, column: int, message: str) -> None:
        if len(self._problems) > MOST_PROBLEMS:
            raise _TooMuchError
        if len(self._problems) == MOST_PROBLEMS:
            message = _(MORE)
        self._problems.append(Problem(row + 1, column + 1, message))


def _mistake(rows: Sequence[str]) -> tuple[int, int, str] | None:
    """(row, column, tomllib's sentence) of the first mistake, from 0; None: there is none."""
    text = "\n".join([*rows, ""])
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        numbers = [int(number) - 1 for number in re.findall(r"\d+", place)]
        if message == toml_errors.NO_SINGLE_QUOTE:  # it looks for one in all that follows
            at = next(token.end() for token in TOKEN.finditer(text) if re.fullmatch("'[^']*", token[0]))
            numbers = [text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1]
        row, column = numbers or (len(rows) - 1, len(rows[-1]))
        return min(row, len(rows) - 1), column, message
    return None


def _extent(text: str) -> tuple[int, int | None]:
    """(where the broken statement at the start of `text` ends; where something opens in it that is never closed).

    What is open ends before a line that can only be a statement of its own: inside brackets no line of TOML 1.0 can
    look like a header or begin with a key.
    """
    opened: list[int] = []
    perhaps: tuple[int, int] | None = None  # where it ends, and what is open, if it is not closed after all
    last = ""  # the latest character that means something
    for token in TOKEN.finditer(text):
        match token.lastgroup:
            case "endless":
                return len(text), token.start()
            case "open":
                opened.append(token.start())
            case "close" if opened and text[opened[-1]] + token[0] in ("[]", "{}"):
                opened.pop()
            case "feed" if not opened:
                return token.start(), None
            case "feed" if _HEADER.match(text, token.end()):
                return perhaps or (token.start(), opened[-1])
            case "feed" if text[opened[-1]] != "{" or last not in "{,":  # else it is a table over several lines
                if _PAIR.match(text, token.end()):
                    return perhaps or (token.start(), opened[-1])
                if perhaps is None and _LIKE_PAIR.match(text, token.end()):
                    perhaps = (token.start(), opened[-1])
        if token.lastgroup not in ("feed", "comment"):
            last = token[0][-1]
    return perhaps or (len(text), opened[-1]) if opened else (len(text), None)


def _keys_of(row: str) -> set[str]:
    """Return what may be keys in a broken line."""
    if _REMARK.match(row):
        return set()
    found = [match[1] or match[2] for match in _KEY_PART.finditer(_QUOTED.sub("", row))]
    return {key for one in found for key in (re.sub(r"\W+", "_", one), one.rpartition(" ")[2])} or {""}


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _problem(text: str, at: int, message: str) -> Problem:
    return Problem(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), message)
