"""A document's headings as a tree, and its printed tables of contents."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block

_ENTRY = re.compile(r"\S.*?(?:[.·…‥_]{2,}|(?:\s[.·]){3,}|\s{2,}|\t|\s)\s*(\d{1,4}|[ivxlc]{1,6})$")
_LED = re.compile(r"[.·…‥]{3,}|(?:\s[.·]){3,}|\t\s*(?:\d{1,4}|[ivxlc]{1,6})$")


@dataclass(frozen=True, slots=True)
class ContentsSettings:
    """When lines are a printed table of contents.

    Chosen by eye; 30 % less or more changes none of 42 sample documents, few of which have one.
    """

    fewest: int = 3
    """Lines with a page number at their end; fewer are found in any text."""

    entries: float = 0.6
    """Of all lines, that end so: long titles take two lines, and parts of a book have no number."""


CONTENTS = ContentsSettings()


class Leveled(Protocol):
    """A heading of a certain level, from 1."""

    @property
    def level(self) -> int:
        """The level."""


Heading = TypeVar("Heading", bound=Leveled)
Node = TypeVar("Node")


def nested(headings: Sequence[Heading], make: Callable[[Heading, list[Node]], Node]) -> list[Node]:
    """The headings as a tree: each is made into a node with those under it. Gaps in the levels do not matter."""
    root: list[Node] = []
    below: list[tuple[int, Heading | None, list[Node]]] = [(0, None, root)]

    def close(level: int) -> None:
        while below[-1][0] >= level:
            _, heading, children = below.pop()
            assert heading is not None
            below[-1][2].append(make(heading, children))

    for heading in headings:
        close(max(heading.level, 1))
        below.append((max(heading.level, 1), heading, []))
    close(1)
    return root


def is_contents(block: Block) -> bool:
    """Decide whether a block is a printed table of contents: lines that end in page numbers which never fall."""
    lines = _printed(block)
    entries = [match for line in lines if (match := _ENTRY.match(line))]
    if len(entries) < max(CONTENTS.fewest, CONTENTS.entries * len(lines)):
        return False
    numbers = [int(match[1]) for match in entries if match[1].isdigit()]
    rising = all(a <= b for a, b in itertools.pairwise(numbers))
    led = sum(bool(_LED.search(line)) for line in lines)
    return rising and (
        led >= 0.5 * len(lines) or (block.table is None and block.kind != "text" and len(set(numbers)) > 1)
    )


def _printed(block: Block) -> list[str]:
    """The block's lines; a table's rows and a list's items count as lines."""
    if block.table is not None:
        rows: dict[int, list[str]] = {}
        for cell in block.table.cells:
            rows.setdefault(cell.row, []).append(flowed_text(cell.lines))
        return [text for cells in rows.values() if (text := "  ".join(filter(None, cells)).strip())]
    if block.items:
        return [f"{item.marker} {flowed_text(item.lines)}".strip() for item in block.items]
    return [text for line in block.lines if (text := line.text.strip())]
