"""Where in a TOML file each key and value stands, and what is wrong with its syntax."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import tree_sitter_toml
from tree_sitter import Language, Node, Parser

from paperchute.contract.engine_options import ENGINE_OPTIONS
from paperchute.contract.model import nearest
from paperchute.rules.model import Problem
from paperchute.rules.shape import RULE_KEYS, FileShape, ServiceShape, StepShape
from paperchute.rules.toml_errors import place_of, unclosed, wrong_with

_DEEPEST = 100  # a rule file needs 5: a list of steps, a step, its parameters, a list in them; tomllib takes 300
_MOST_PARTS = 16  # of a dotted key; a rule file needs 3
_LONGEST_WORD = 1000  # outside of quotes; Python refuses to read numbers of more than 4,300 digits

_TOKEN = re.compile(
    r"""
    (?P<text>
        \"{3}(?:[^"\\]|\\.|\"(?!\"\"))*+(?:\"{3,5}|\Z)
      | '{3}(?:[^']|'(?!''))*+(?:'{3,5}|\Z)
      | "(?:[^"\\\n]|\\[^\n])*+"?
      | '[^'\n]*+'?
    )
    | \#[^\n]*+
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    | (?P<end>[\n,=])
    | (?P<dot>\.)
    | (?P<word>[^"'\#\[\]{}\n,=.\s]++)
    """,
    re.VERBOSE | re.DOTALL,
)


def exceeded(text: str) -> tuple[int, str] | None:
    """(where, in characters from 0; what) is more than a person writes; None: nothing."""
    depth = dots = 0
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                depth, dots = depth + 1, 0
            case "close":
                depth, dots = max(0, depth - 1), 0
            case "end":
                dots = 0
            case "dot":
                dots += 1
            case "word" if len(token[0]) > _LONGEST_WORD:
                return token.start(), f"a word or number of more than {_LONGEST_WORD:,} letters cannot be read"
        if depth > _DEEPEST:
            return token.start(), "values are nested too deeply"
        if dots >= _MOST_PARTS:
            return token.start(), f"a key has at most {_MOST_PARTS} parts"
    return None


Place = tuple[int, int]
KeyPath = tuple[str | int, ...]

_KEY_NODES = ("bare_key", "quoted_key", "dotted_key")


class Places:
    """Line and column, both 1-based (columns in characters), of every key path of a valid TOML text."""

    def __init__(self, text: str) -> None:
        source = text.encode()
        self._lines = source.split(b"\n")
        self.headers: list[tuple[KeyPath, int]] = []
        """Each table's header in the order of the file: the table's key path, and its line."""
        self._keys: dict[KeyPath, Place] = {}
        self._arrays: dict[KeyPath, int] = {}
        tree = Parser(Language(tree_sitter_toml.language())).parse(source)
        for node in tree.root_node.children:
            self._top(node)

    def of(self, path: KeyPath) -> Place:
        """The place of `path`, or of the nearest thing around it that is written in the file."""
        while path:
            if path in self._keys:
                return self._keys[path]
            path = path[:-1]
        return (1, 1)

    def _top(self, node: Node) -> None:
        if node.type == "pair":
            self._pair(node, ())
        elif node.type in ("table", "table_array_element"):
            name = next(child for child in node.children if child.type in _KEY_NODES)
            path = self._path(name, is_array=node.type == "table_array_element")
            self._keys.setdefault(path, self._place(node))
            if node.type == "table_array_element":
                self._keys.setdefault(path[:-1], self._place(node))
            self.headers.append((path, self._place(node)[0]))
            for child in node.children:
                if child.type == "pair":
                    self._pair(child, path)

    def _path(self, name: Node, *, is_array: bool) -> KeyPath:
        """The key path of a table's header; names of arrays of tables stand for their latest element."""
        path: KeyPath = ()
        parts = list(_parts(name))
        for index, part in enumerate(parts):
            path = (*path, part)
            if is_array and index == len(parts) - 1:
                number = self._arrays.get(path, -1) + 1
                self._arrays[path] = number
                return (*path, number)
            if path in self._arrays:
                path = (*path, self._arrays[path])
        return path

    def _pair(self, node: Node, base: KeyPath) -> None:
        key, value = node.children[0], node.children[-1]
        path = (*base, *_parts(key))
        for length in range(len(base) + 1, len(path) + 1):
            self._keys.setdefault(path[:length], self._place(key))
        self._value(value, path)

    def _value(self, node: Node, path: KeyPath) -> None:
        if node.type == "inline_table":
            for child in node.children:
                if child.type == "pair":
                    self._pair(child, path)
        elif node.type == "array":
            items = [child for child in node.children if child.is_named and child.type != "comment"]
            for index, item in enumerate(items):
                self._keys[(*path, index)] = self._place(item)
                self._value(item, (*path, index))

    def _place(self, node: Node) -> Place:
        row, column = node.start_point.row, node.start_point.column
        return row + 1, len(self._lines[row][:column].decode("utf-8", "replace")) + 1


def _parts(key: Node) -> Iterator[str]:
    if key.type == "dotted_key":
        for child in key.children:
            if child.type in _KEY_NODES:
                yield from _parts(child)
        return
    text = (key.text or b"").decode()
    if key.type == "quoted_key":
        text = str(tomllib.loads(f"x = {text}")["x"])
    yield text


_PART = re.compile(
    r"""
    (?P<long>\"{3}|'{3})
    | (?P<text>"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?)
    | (?P<comment>\#[^\n]*)
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    | (?P<feed>\n)
    | [^"'\#\[\]{}\n]+
    """,
    re.VERBOSE,
)
_HEADER_LINE = re.compile(
    r"[ \t]*\[\[?[ \t]*(?!(?:true|false|inf|nan)[ \t]*\])[A-Za-z_][\w.\- \t]*+\]{0,2}+[ \t]*+(?:#[^\n]*+)?(?=\n|\Z)"
)
_PAIR = re.compile(
    r"[ \t]*[A-Za-z_][\w-]*(?:[ \t]*\.[ \t]*[\w-]+)*[ \t]*(?:[=:\"'{\[]|(?<=[ \t])(?:[+-]?\d|(?:true|false)\b))"
)
"""A pair, or what should be one."""
_ENDS = {'"""': re.compile(r'\\.|"{3,5}', re.DOTALL), "'''": re.compile(r"'{3,5}")}
_BLANK = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*")


@dataclass(frozen=True)
class Statement:
    """One header or pair: text[start:end], without the line feed behind it.

    unclosed: where a bracket or the quotes of a long text open that are never closed.
    """

    start: int
    end: int
    unclosed: int | None = None


def statements(text: str) -> Iterator[Statement]:
    """Everything in a TOML text but blank lines and comments, in order."""
    at = 0
    while True:
        at = _past(_BLANK, text, at)
        if at >= len(text):
            return
        if text[at] == "#":  # a comment in the last line
            return
        found = _statement(text, at)
        yield found
        at = found.end + 1


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _statement(text: str, start: int) -> Statement:
    if text[start] == "[":
        return Statement(start, _line_end(text, start))
    opened: list[int] = []
    at = start
    last = ""  # the latest character that means something
    while match := _PART.match(text, at):
        at = match.end()
        if match["long"]:
            end = _long_end(text, match)
            if end is None:
                return Statement(start, _next_header(text, at), match.start())
            at, last = end, '"'
        elif match["open"]:
            opened.append(match.start())
            last = match[0]
        elif match["close"]:
            del opened[-1:]
            last = match[0]
        elif match["feed"]:
            if not opened:
                return Statement(start, match.start())
            if _begins_anew(text, at, text[opened[-1]], last):
                return Statement(start, match.start(), opened[-1])
        elif not match["comment"]:
            last = match[0].rstrip()[-1:] or last
    return Statement(start, len(text), opened[-1] if opened else None)


def _begins_anew(text: str, at: int, bracket: str, last: str) -> bool:
    """Whether the line at `at` is a statement of its own, so that the bracket before it was forgotten to be closed."""
    if _HEADER_LINE.match(text, at):
        return True
    goes_on = bracket == "{" and last in "{,"  # a table over several lines, which is wrong in another way
    return not goes_on and _PAIR.match(text, at) is not None


def _long_end(text: str, opening: re.Match[str]) -> int | None:
    for match in _ENDS[opening[0]].finditer(text, opening.end()):
        if not match[0].startswith("\\"):
            return match.end()
    return None


def _next_header(text: str, at: int) -> int:
    """The end of the line before the next header."""
    end = _line_end(text, at)
    while end < len(text) and not _HEADER_LINE.match(text, end + 1):
        end = _line_end(text, end + 1)
    return end


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


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
    (): list(FileShape.model_fields),
    ("rule",): RULE_KEYS,
    ("defaults",): RULE_KEYS,
    ("service",): list(ServiceShape.model_fields),
    ("engine",): [option.name for option in ENGINE_OPTIONS],
    ("rule", "steps"): list(StepShape.model_fields),
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
    if (wrong := exceeded(text)) is not None:
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
