"""Joining more files than a service takes in one call: in rounds, each of which joins what the one before left.

The public documents name five for pdf-merge (contract section 14, error 04008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TOO_MANY = "04008"  # contract.toml: too many files to merge


@dataclass(frozen=True)
class Piece:
    """Something to be joined: a file of the step, or what an earlier round has made of several in a row.

    first, last: which of the step's files it holds, from 1. pages, password: of a file; an earlier round has used
    them up.
    """

    path: Path
    first: int
    last: int
    pages: str = ""
    password: str = ""

    @property
    def is_joined(self) -> bool:
        """Whether an earlier round has made it."""
        return self.first != self.last


def groups(pieces: Sequence[Piece], limit: int) -> list[tuple[Piece, ...]]:
    """The next round: neighbours in groups of at most `limit`. A group of one needs no call."""
    return [tuple(pieces[start : start + limit]) for start in range(0, len(pieces), limit)]


def name_of(group: Sequence[Piece]) -> str:
    """The part's name: which files it joins. The same whatever the limit, so a recorded answer stays of use."""
    return f"{group[0].first}-{group[-1].last}"
