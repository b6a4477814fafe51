"""Recognised pages wait on disk between the two passes over a document: recognising them twice would take too long."""

from __future__ import annotations

import pickle
import tempfile
from typing import BinaryIO, Generic, TypeVar, cast

Item = TypeVar("Item")


class Spool(Generic[Item]):
    """Keeps items under numbers in an unnamed temporary file, which goes with the process. Raises OSError."""

    def __init__(self) -> None:
        # Pickle reads back only what this very process wrote: the file has no name that others could open.
        self._file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 -- lives as long as its owner
        self._places: dict[int, int] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._places

    def put(self, number: int, item: Item) -> None:
        """Keep an item."""
        self._places[number] = self._file.seek(0, 2)
        pickle.dump(item, self._file, pickle.HIGHEST_PROTOCOL)

    def get(self, number: int) -> Item:
        """The item kept under a number; raises KeyError."""
        self._file.seek(self._places[number])
        return cast(Item, pickle.load(self._file))

    def close(self) -> None:
        """Let go of the disk space."""
        self._file.close()
