"""A list of rows, as CSV or JSON, for `gather = "rows"`: one result each.

Anybody who may write into a hot folder may write a list, so reading one takes time and memory in proportion to its
size, and all of it is bounded before it is built.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath
from typing import Any, NoReturn

from paperchute.errors import PaperchuteError

MOST_BYTES = 16 << 20  # 100,000 rows of 160 characters
MOST_ROWS = 100_000
MOST_COLUMNS = 1_000
MOST_CELLS = 1_000_000  # some 200 MB in memory
_MOST_LINES = 10 * MOST_ROWS  # with the empty ones
_MOST_DIGITS = 300  # of a number: more than a float reaches
_EXACT_DIGITS = 15  # that a float holds of any number

_DELIMITERS = (",", ";", "\t", "|")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_OFFICE = "cp1252"  # what a spreadsheet writes as plain CSV on a Western Windows
_FIRST_LINE = re.compile(r"\S[^\r\n]*")
_TEXTS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)  # also one without an end: linear


class TableError(PaperchuteError):
    """A list that cannot be used."""


@dataclass(frozen=True)
class Row:
    """One row. number: from 1. values: JSON values by column; those of a CSV are texts. place: where it stands, such as
    "line 7", as a spreadsheet numbers the rows of a CSV."""

    number: int
    values: Mapping[str, Any]
    place: str

    @property
    def texts(self) -> dict[str, str]:
        """Its values as they stand in names: texts and numbers, and nothing else."""
        plain = {name: value for name, value in self.values.items() if isinstance(value, str | int | float)}
        return {name: str(value) for name, value in plain.items()}


def read_rows(name: str, content: bytes) -> tuple[Row, ...]:
    """The rows of the list `name`, by its suffix: `.json` is an array of objects, else the first line names columns.

    Empty lines do not count. CSV may be separated by comma, semicolon, tab or bar, in UTF-8, UTF-16 or Windows-1252.
    Raises TableError.
    """
    if len(content) > MOST_BYTES:
        raise TableError(f"{name} is larger than {MOST_BYTES >> 20} MB.", "Split it.")
    found = _json(name, content) if is_typed(name) else _csv(name, content)
    rows: list[Row] = []
    for place, values in found:
        if len(rows) == MOST_ROWS:
            raise _too_many(name, f"{MOST_ROWS:,} rows")
        rows.append(Row(len(rows) + 1, values, place))
    if not rows:
        raise _refused(name, "holds no rows")
    return tuple(rows)


def is_typed(name: str) -> bool:
    """Whether a list of that name has numbers, and not only texts."""
    return PurePath(name).suffix.lower() == ".json"


# ---------- JSON ----------


def _json(name: str, content: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = _parsed(name, content)
    if not isinstance(found, list):
        raise _refused(name, "is not a list: write [ { ... }, { ... } ]")
    for number, row in enumerate(found, start=1):
        if not isinstance(row, dict):
            raise _refused(name, f"has an entry that is not an object, number {number}")
        if len(row) > MOST_COLUMNS:
            raise _too_many(name, f"{MOST_COLUMNS:,} values in entry {number}")
        yield f"entry {number}", row


def _parsed(name: str, content: bytes) -> Any:
    def refuse_constant(word: str) -> NoReturn:
        raise TableError(f"{name} holds {word}, which is not JSON.", "Write null, or a number.")

    def whole(digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise _too_many(name, f"{_MOST_DIGITS} digits in a number ({digits[:20]}…)")
        return int(digits)

    def fraction(digits: str) -> float:
        value = float(digits) if len(digits) <= _MOST_DIGITS else math.inf
        if not math.isfinite(value) or (len(digits) > _EXACT_DIGITS and Decimal(digits) != Decimal(repr(value))):
            shown = digits if len(digits) <= 40 else f"{digits[:40]}…"
            raise TableError(f"{name} holds {shown}, which a number cannot hold exactly.", "Write it as a text.")
        return value

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        row = dict(pairs)
        if len(row) < len(pairs):
            raise _refused(name, f"names {_shown(_twice([key for key, _ in pairs]))} twice in one object")
        return row

    try:
        text = content.decode("utf-8-sig")
        bare = _TEXTS.sub("", text)
        if bare.count(",") + bare.count("[") + bare.count("{") > MOST_CELLS:
            raise _too_many(name, f"{MOST_CELLS:,} values")
        return json.loads(
            text, parse_constant=refuse_constant, parse_int=whole, parse_float=fraction, object_pairs_hook=once
        )
    except json.JSONDecodeError as error:
        raise _refused(name, f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except (ValueError, RecursionError):
        raise _refused(name, "is not JSON in UTF-8, or is nested too deeply") from None


# ---------- CSV ----------


def _csv(name: str, content: bytes) -> Iterator[tuple[str, Mapping[str, str]]]:
    text = _decoded(name, content)
    delimiter = "\t" if name.lower().endswith(".tsv") else _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] | None = None
    cells = 0
    try:
        for line, row in enumerate(reader, start=1):
            if line > _MOST_LINES:
                raise _too_many(name, f"{_MOST_LINES:,} lines")
            if not any(map(str.strip, row)):
                continue
            if names is None:
                names = _columns(name, row)
                continue
            cells += len(names)
            if cells > MOST_CELLS:
                raise _too_many(name, f"{MOST_CELLS:,} cells, its rows times its columns")
            if any(map(str.strip, row[len(names) :])):
                raise _refused(name, f"has more values than columns in line {line}")
            values = [*row, *[""] * (len(names) - len(row))]
            yield f"line {line}", {column: value for column, value in zip(names, values, strict=False) if column}
    except csv.Error as error:
        raise _refused(name, f"is not CSV in line {reader.line_num}: {error}") from None


def _decoded(name: str, content: bytes) -> str:
    encoding = next((encoding for bom, encoding in _BOMS if content.startswith(bom)), "")
    for candidate in (encoding,) if encoding else ("utf-8", _OFFICE):
        try:
            text = content.decode(candidate)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise _refused(name, "is not text")


def _delimiter(text: str) -> str:
    """What stands most often between the names of the first line that has any."""
    first = _FIRST_LINE.search(text)
    outside = "".join(part for index, part in enumerate(first[0].split('"')) if index % 2 == 0) if first else ""
    return max(_DELIMITERS, key=outside.count)


def _columns(name: str, columns: list[str]) -> list[str]:
    """The columns' names; a column without one is left out."""
    if len(columns) > MOST_COLUMNS:
        raise _too_many(name, f"{MOST_COLUMNS:,} columns")
    names = [column.strip() for column in columns]
    if twice := _twice(list(filter(None, names))):
        raise _refused(name, f"names the column {_shown(twice)} twice")
    return names


def _twice(names: list[str]) -> str:
    """The first name that comes twice, or nothing."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "…")


def _too_many(name: str, what: str) -> TableError:
    return TableError(f"{name} has more than {what}.", "Split the list.")


def _refused(name: str, problem: str) -> TableError:
    return TableError(f"{name} {problem}.", "A list is a CSV whose first line names its columns, or JSON: [ { ... } ].")
