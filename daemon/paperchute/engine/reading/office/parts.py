"""What a document states, part by part, and what is open while it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from paperchute.engine.document.model import Style


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text in one style. piece: its number, -1 for white space and what is not printed by itself."""

    text: str
    style: Style
    link: str = ""
    piece: int = -1


@dataclass(slots=True)
class Part:
    """A paragraph, heading, list item, code, formula, table or picture.

    level: of a heading from 1, of an item from 0. is_counted: whether the marker is right whatever is printed.
    group: which list an item belongs to. source: the address of a
    picture, empty for a drawing; piece: its own. latex: of a formula that stands by itself.
    """

    kind: Literal["text", "heading", "item", "code", "formula", "table", "image"]
    runs: list[Run] = field(default_factory=list)
    level: int = 0
    marker: str = ""
    is_counted: bool = False
    group: int = 0
    table: GivenTable | None = None
    source: str = ""
    piece: int = -1
    latex: str = ""


@dataclass(slots=True)
class GivenCell:
    """A cell as the file gives it, with the columns and rows that it asks for. is_head: a `th`."""

    parts: list[Part]
    columns: int = 1
    rows: int = 1
    is_head: bool = False


@dataclass(slots=True)
class GivenTable:
    """rows: each with the part of the table it is in, `head`, `body` or `foot`. is_layout: said to be no table."""

    rows: list[tuple[Literal["head", "body", "foot"], list[GivenCell]]] = field(default_factory=list)
    is_layout: bool = False
    section: Literal["head", "body", "foot"] = "body"


@dataclass(slots=True)
class OpenList:
    """An open list. items: with the numbers that they ask for."""

    tag: str
    attributes: Mapping[str, str]
    items: list[tuple[Part, str]] = field(default_factory=list)


@dataclass(slots=True)
class Frame:
    """The body, or a cell: the parts that are done, and the text and lists that are open."""

    parts: list[Part] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    lists: list[OpenList] = field(default_factory=list)
    items: list[Part] = field(default_factory=list)
    pictures: list[Part] = field(default_factory=list)
    heading: int = 0
    is_code: bool = False


@dataclass(slots=True)
class OpenElement:
    """An open element, with what holds again behind it. shown: how its end tag is printed, empty for not at all."""

    tag: str
    shown: str
    style: Style
    link: str
    keeps_space: bool
