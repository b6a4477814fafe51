"""Formulas of office files (OMML: ECMA-376, 22.1) as MathML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from paperchute.engine.document.formulas import Node
from paperchute.engine.reading.layout.formulas import FUNCTIONS

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_WORD_TEXT = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"
_DEEPEST = 40  # structures inside of each other: a bound on work on hostile files
_PIECE = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|\s+|.", re.DOTALL)


def math_of(formula: Any) -> Node:
    """The MathML of a formula (`m:oMath`). Of what is nested deeper than 40 structures the signs alone are kept."""
    return Node("math", {}, list(_row(formula, 0)))


def _row(element: Any, depth: int) -> Iterator[Node]:
    for child in element:
        if isinstance(child.tag, str):
            yield from _nodes(child, depth)


def _nodes(element: Any, depth: int) -> Iterator[Node]:
    name = _name(element)
    if name.endswith("Pr"):
        return
    if name == "r":
        yield from _leaves("".join(text.text or "" for text in element.iter(f"{MATH}t", _WORD_TEXT)))
    elif depth > _DEEPEST:
        yield from _leaves("".join(text.text or "" for text in element.iter(f"{MATH}t")))
    elif name in _STRUCTURES:
        tag, parts = _STRUCTURES[name]
        yield Node(tag, {}, [_argument(element, part, depth) for part in parts])
    else:
        yield from _special(name, element, depth)


_STRUCTURES = {
    "sSup": ("msup", ("e", "sup")),
    "sSub": ("msub", ("e", "sub")),
    "sSubSup": ("msubsup", ("e", "sub", "sup")),
    "sPre": ("msubsup", ("e", "sub", "sup")),
    "limLow": ("munder", ("e", "lim")),
    "limUpp": ("mover", ("e", "lim")),
}
"""MathML's element and the arguments of those structures that differ in nothing but their names."""


def _special(name: str, element: Any, depth: int) -> Iterator[Node]:
    def argument(part: str) -> Node:
        return _argument(element, part, depth)

    match name:
        case "f":
            bare = {"linethickness": "0"} if _said(element, "type", "") == "noBar" else {}
            yield Node("mfrac", bare, [argument("num"), argument("den")])
        case "rad":
            index = argument("deg")
            is_square = not index.children or _said(element, "degHide", "0") in ("1", "on", "true")
            yield Node("msqrt", {}, [argument("e")]) if is_square else Node("mroot", {}, [argument("e"), index])
        case "nary":
            sign = Node("mo", text=_said(element, "chr", "∫"))
            lower, upper = argument("sub"), argument("sup")
            if lower.children and upper.children:
                yield Node("msubsup", {}, [sign, lower, upper])
            elif lower.children or upper.children:
                yield Node("msub", {}, [sign, lower]) if lower.children else Node("msup", {}, [sign, upper])
            else:
                yield sign
            yield argument("e")
        case "func":
            yield from (argument("fName"), Node("mspace"), argument("e"))
        case "acc" | "bar":
            mark = _said(element, "chr", "\u0302") if name == "acc" else "‾"
            yield Node("mover", {}, [argument("e"), Node("mo", text=mark)])
        case "d":
            yield Node("mo", text=_said(element, "begChr", "("))
            for number, part in enumerate(_named(element, "e")):
                if number:
                    yield Node("mo", text=_said(element, "sepChr", "|"))
                yield Node("mrow", {}, list(_row(part, depth + 1)))
            yield Node("mo", text=_said(element, "endChr", ")"))
        case "m":
            rows = [
                [Node("mtd", {}, list(_row(e, depth + 1))) for e in _named(row, "e")] for row in _named(element, "mr")
            ]
            yield Node("mtable", {}, [Node("mtr", {}, row) for row in rows])
        case "eqArr":
            cells = [Node("mtd", {}, list(_row(e, depth + 1))) for e in _named(element, "e")]
            yield Node("mtable", {}, [Node("mtr", {}, [cell]) for cell in cells])
        case _:
            yield from _row(element, depth + 1)


def _argument(element: Any, part: str, depth: int) -> Node:
    found = next(iter(_named(element, part)), None)
    return Node("mrow", {}, list(_row(found, depth + 1)) if found is not None else [])


def _named(element: Any, part: str) -> list[Any]:
    return list(element.iterfind(f"{MATH}{part}"))


def _said(element: Any, key: str, absent: str) -> str:
    """A property of a structure; `absent` is what the standard takes where it is not there."""
    found = element.find(f"{MATH}{_name(element)}Pr/{MATH}{key}")
    return str(found.get(f"{MATH}val", "")) if found is not None else absent


def _leaves(text: str) -> Iterator[Node]:
    for piece in _PIECE.findall(text):
        if piece.isspace():
            yield Node("mtext", text=piece)
        elif piece[0].isdigit():
            yield Node("mn", text=piece)
        elif piece.isalpha():
            names = [piece] if piece in FUNCTIONS else list(piece)
            yield from (Node("mi", text=name) for name in names)
        else:
            yield Node("mo", text=piece)


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
