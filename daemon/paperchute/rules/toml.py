"""TOML texts: how they are decoded, how complicated they may be, and where in them each key and value stands.

tomllib reads values but forgets places, so a syntax tree helps.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter_toml
from tree_sitter import Language, Node, Parser

from paperchute.language import _
from paperchute.rules import toml_errors
from paperchute.rules.problems import KeyPath, Problem

Place = tuple[int, int]

_DEEPEST = 100  # a rule file needs 5: a list of steps, a step, its parameters, a list in them; tomllib takes 300
_MOST_PARTS = 16  # of a dotted key; a rule file needs 3
_LONGEST_WORD = 1000  # outside of quotes; Python refuses to read numbers of more than 4,300 digits

TOKEN = re.compile(
    r"""
    (?P<long>\"{3}(?:[^"\\]|\\.|\"(?!\"\"))*+\"{3,5}|'{3}(?:[^']|'(?!''))*+'{3,5})
    | (?P<endless>(?:\"{3}|'{3}).*+)
    | (?P<text>"(?:[^"\\\n]|\\[^\n])*+"?|'[^'\n]*+'?)
    | (?P<comment>\#[^\n]*+)
    | (?P<open>[\[{])
    | (?P<close>[\]}])
    | (?P<feed>\n)
    | (?P<end>[,=])
    | (?P<dot>\.)
    | (?P<word>[^"'\#\[\]{}\n,=.\s]++)
    """,
    re.VERBOSE | re.DOTALL,
)


def decoded(content: bytes) -> str | Problem:
    """The text of a file, with line feeds alone between lines, or why it cannot be read."""
    if (
        content[:2] in (b"\xff\xfe", b"\xfe\xff")
        or max(content[::2].count(0), content[1::2].count(0)) > len(content) // 4
    ):
        return Problem(1, 1, _(toml_errors.UTF_16))
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        start = content.rfind(b"\n", 0, error.start) + 1
        column = len(content[start : error.start].decode("utf-8-sig")) + 1
        return Problem(content.count(b"\n", 0, start) + 1, column, _(toml_errors.NOT_UTF_8))


def exceeded(text: str) -> tuple[int, str] | None:
    """(where, in characters from 0; what) is more than a person writes; None: nothing. One pass, whatever stands there.

    tomllib has no limits of its own: 100,000 dots in one key take 4 GB, and brackets within brackets end its recursion.
    """
    depth = dots = 0
    for token in TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                depth, dots = depth + 1, 0
            case "close":
                depth, dots = max(0, depth - 1), 0
            case "feed" | "end":
                dots = 0
            case "dot":
                dots += 1
            case "word" if len(token[0]) > _LONGEST_WORD:
                most = f"{_LONGEST_WORD:,}"
                return token.start(), _("a word or number of more than {most} letters cannot be read", most=most)
        if depth > _DEEPEST:
            return token.start(), _("values are nested too deeply")
        if dots >= _MOST_PARTS:
            return token.start(), _("a key has at most {most} parts", most=_MOST_PARTS)
    return None


# Places

_KEY_NODES = ("bare_key", "quoted_key", "dotted_key")
TABLE_NODES = ("table", "table_array_element")


class Statement(NamedTuple):
    """One header or pair of a valid text."""

    path: KeyPath
    """What it gives: of a header the table."""
    line: int
    """In which it begins, from 1."""
    header: str = ""
    """Of a header `table` or `table_array_element`."""


class Places:
    """Line and column, both 1-based (columns in characters), of every key path of a valid TOML text."""

    def __init__(self, text: str) -> None:
        source = text.encode()
        self._lines = source.split(b"\n")
        self.statements: list[Statement] = []
        """Everything in the text but comments, in its order."""
        self._keys: dict[KeyPath, Place] = {}
        self._arrays: dict[KeyPath, int] = {}
        for node in syntax_tree(source).children:
            self._top(node)

    @property
    def headers(self) -> list[tuple[KeyPath, int]]:
        """Each table's header in the order of the file: the table's key path, and its line."""
        return [(statement.path, statement.line) for statement in self.statements if statement.header]

    def of(self, path: KeyPath) -> Place:
        """The place of `path`, or of the nearest thing around it that is written in the file."""
        while path:
            if path in self._keys:
                return self._keys[path]
            path = path[:-1]
        return (1, 1)

    def _top(self, node: Node) -> None:
        if node.type == "pair":
            self._statement(node, ())
        elif node.type in TABLE_NODES:
            name = next(child for child in node.children if child.type in _KEY_NODES)
            path = self._path(name, is_array=node.type == "table_array_element")
            self._keys.setdefault(path, self._place(node))
            if node.type == "table_array_element":
                self._keys.setdefault(path[:-1], self._place(node))
            self.statements.append(Statement(path, self._place(node)[0], node.type))
            for child in node.children:
                if child.type == "pair":
                    self._statement(child, path)

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

    def _statement(self, node: Node, base: KeyPath) -> None:
        self.statements.append(Statement((*base, *_parts(node.children[0])), self._place(node)[0]))
        self._pair(node, base)

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


def syntax_tree(source: bytes) -> Node:
    """The syntax tree of a TOML text in UTF-8, with error nodes where it is not valid."""
    return Parser(Language(tree_sitter_toml.language())).parse(source).root_node


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
