"""Where in a TOML file each key and value stands. tomllib reads values but forgets places, so a syntax tree helps."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import tree_sitter_toml
from tree_sitter import Language, Node, Parser

Place = tuple[int, int]
KeyPath = tuple[str | int, ...]

_KEYS = ("bare_key", "quoted_key", "dotted_key")


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
            name = next(child for child in node.children if child.type in _KEYS)
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
            if child.type in _KEYS:
                yield from _parts(child)
        return
    text = (key.text or b"").decode()
    if key.type == "quoted_key":
        text = str(tomllib.loads(f"x = {text}")["x"])
    yield text
