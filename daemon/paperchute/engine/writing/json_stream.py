"""JSON that is too large to be held in memory: lists that grow item by item, long texts from files."""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

_CHUNK = 1 << 18  # bytes; a multiple of 3 would not matter for text, base64 takes its own


def as_json(value: Any) -> str:
    """One value, compact, text as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Spool:
    """Items of a JSON list, written down one after the other beside the result; memory does not grow with them."""

    def __init__(self, path: Path) -> None:
        """`path`: a scratch file. Raises OSError."""
        self._path = path
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self.count = 0

    def add(self, item: Any) -> None:
        """One item more. Raises OSError."""
        self._file.write(("," if self.count else "") + as_json(item))
        self.count += 1

    def move_to(self, out: TextIO) -> None:
        """Write the list into `out` and take the scratch file away. Raises OSError."""
        self._file.close()
        out.write("[")
        for text in _text_of(self._path):
            out.write(text)
        out.write("]")
        self._path.unlink()


def write_text_of(path: Path, out: TextIO) -> None:
    """A text file's content as one JSON string. Raises OSError."""
    out.write('"')
    for text in _text_of(path):
        out.write(json.dumps(text, ensure_ascii=False)[1:-1])
    out.write('"')


def write_base64_of(path: Path, out: TextIO) -> None:
    """A file's bytes as one base64 JSON string. Raises OSError."""
    out.write('"')
    with path.open("rb") as file:
        while chunk := file.read(3 * _CHUNK):
            out.write(base64.b64encode(chunk).decode("ascii"))
    out.write('"')


def _text_of(path: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield decoder.decode(chunk)
