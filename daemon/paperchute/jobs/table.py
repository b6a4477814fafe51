"""A list of rows, as CSV or JSON, for `gather = "rows"`: one result each."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NoReturn

from paperchute.errors import PaperchuteError

MOST_BYTES = 64 << 20
MOST_ROWS = 100_000

_DELIMITERS = (",", ";", "\t", "|")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_OFFICE = "cp1252"  # what a spreadsheet writes as plain CSV on a Western Windows


class TableError(PaperchuteError):
    """A list that cannot be used."""


@dataclass(frozen=True)
class Row:
    """One row. number: from 1. values: JSON values by column; those of a CSV are texts."""

    number: int
    values: Mapping[str, Any]

    @property
    def texts(self) -> dict[str, str]:
        """Its values as they stand in names: texts and numbers, and nothing else."""
        plain = {name: value for name, value in self.values.items() if isinstance(value, str | int | float)}
        return {name: str(value) for name, value in plain.items()}

    def data(self, secret: Collection[str]) -> str:
        """What fills a template: a JSON object, without the columns that bear secrets."""
        shown = {name: value for name, value in self.values.items() if name not in secret}
        return json.dumps(shown, ensure_ascii=False)


def read_rows(name: str, content: bytes) -> tuple[Row, ...]:
    """The rows of the list `name`, by its suffix: `.json` is an array of objects, else the first line names columns.

    Empty lines do not count. CSV may be separated by comma, semicolon, tab or bar, in UTF-8, UTF-16 or Windows-1252.
    Raises TableError.
    """
    values = _json(name, content) if PurePath(name).suffix.lower() == ".json" else _csv(name, content)
    rows = []
    for number, value in enumerate(values, start=1):
        if number > MOST_ROWS:
            raise _refused(name, f"has more than {MOST_ROWS} rows")
        rows.append(Row(number, value))
    if not rows:
        raise _refused(name, "holds no rows")
    return tuple(rows)


def _json(name: str, content: bytes) -> Iterator[Mapping[str, Any]]:
    def refuse_constant(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON")

    try:
        found = json.loads(content.decode("utf-8-sig"), parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        raise _refused(name, f"is no JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except (ValueError, RecursionError):
        raise _refused(name, "is no JSON in UTF-8") from None
    if not isinstance(found, list):
        raise _refused(name, "is no list: write [ { ... }, { ... } ]")
    for number, row in enumerate(found, start=1):
        if not isinstance(row, dict):
            raise _refused(name, f"has an entry that is no object, the {number}. one")
        yield row


def _csv(name: str, content: bytes) -> Iterator[Mapping[str, str]]:
    text = _decoded(name, content)
    delimiter = "\t" if name.lower().endswith(".tsv") else _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = next((row for row in reader if any(map(str.strip, row))), [])
        names = _columns(name, columns)
        for row in reader:
            if not any(map(str.strip, row)):
                continue
            if any(map(str.strip, row[len(columns) :])):
                raise _refused(name, f"has more values than columns in line {reader.line_num}")
            values = [*row, *[""] * (len(columns) - len(row))]
            yield {column: value for column, value in zip(names, values, strict=False) if column}
    except csv.Error as error:
        raise _refused(name, f"is no CSV in line {reader.line_num}: {error}") from None


def _decoded(name: str, content: bytes) -> str:
    encoding = next((encoding for bom, encoding in _BOMS if content.startswith(bom)), "")
    for candidate in (encoding,) if encoding else ("utf-8", _OFFICE):
        try:
            text = content.decode(candidate)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise _refused(name, "is no text")


def _delimiter(text: str) -> str:
    """What stands most often between the names of the first line that has any."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    outside = "".join(part for index, part in enumerate(first.split('"')) if index % 2 == 0)
    return max(_DELIMITERS, key=outside.count)


def _columns(name: str, columns: list[str]) -> list[str]:
    """The columns' names; a column without one is left out."""
    names = [column.strip() for column in columns]
    twice = next((column for column in names if column and names.count(column) > 1), None)
    if twice is not None:
        raise _refused(name, f"names the column {twice!r} twice")
    return names


def _refused(name: str, problem: str) -> TableError:
    return TableError(f"{name} {problem}.", "A list is a CSV whose first line names its columns, or JSON: [ { ... } ].")
