"""Lists of rows, as CSV or JSON, and sidecars: what is asked of the reader process, and how it answers.

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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath
from typing import Any, NoReturn

from paperchute.contract import Operation, Value, accept, contract
from paperchute.errors import PaperchuteError
from paperchute.files.reader import ReaderError, Said, readers
from paperchute.rules.model import Rule
from paperchute.rules.sidecar import FileWish, Wishes, read_job_file, read_sidecar
from paperchute.rules.stored import rule_from_text, rule_to_text

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


_ROWS_A_LINE = 500  # enough to make JSON quick, few enough to let other threads run between two lines


def rows_of(name: str, content: bytes) -> tuple[Row, ...]:
    """As `table.read_rows`. Raises PaperchuteError."""
    _, made = readers.read(name, {"do": "list", "name": name}, content)
    with _as_expected(name):
        return tuple(Row(**row) for line in made.splitlines() for row in json.loads(line))


def wishes_of(name: str, content: bytes, rule: Rule, names: Sequence[str] | None) -> Wishes:
    """As `sidecar.read_job_file`, for the files `names`; without any as `sidecar.read_sidecar`. Raises PaperchuteError.

    What was read is not to be believed where it matters: the reader may be in the hands of who wrote the file.
    """
    request = {"do": "wishes", "name": name, "rule": rule_to_text(rule), "names": names}
    found, _ = readers.read(name, request, content)
    with _as_expected(name):
        operations = [contract().known(step.operation) for step in rule.steps]
        steps = tuple(_accepted(*pair) for pair in zip(operations, found["steps"], strict=True))
        if not set(found["order"]) <= set(names or ()):
            raise ValueError
        files = {str(one): FileWish(str(pages), str(password)) for one, (pages, password) in found["files"].items()}
        return Wishes(steps, tuple(found["order"]), files)


def answer_list(request: Mapping[str, Any], content: bytes) -> Said:
    """Within the reader: the rows of a list. Raises TableError."""
    rows = [vars(row) for row in read_rows(request["name"], content)]
    lines = (json.dumps(rows[start : start + _ROWS_A_LINE]) for start in range(0, len(rows), _ROWS_A_LINE))
    return {}, "\n".join(lines).encode()


def answer_wishes(request: Mapping[str, Any], content: bytes) -> Said:
    """Within the reader: what a sidecar or job.toml says. Raises WishesError."""
    name, rule, names = request["name"], rule_from_text(request["rule"]), request["names"]
    wishes = read_sidecar(name, content, rule) if names is None else read_job_file(name, content, rule, names)
    files = {one: (wish.pages, wish.password) for one, wish in wishes.files.items()}
    return {"steps": wishes.steps, "order": wishes.order, "files": files}, b""


@contextmanager
def _as_expected(name: str) -> Iterator[None]:
    """Raises ReaderError where what was answered has not the shape that the reader gives it."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ReaderError(f"{name} is too complicated to be read.", "Make it simpler, and try again.") from error


def _accepted(operation: Operation, values: Mapping[str, Any]) -> dict[str, Value]:
    found = {}
    for name, value in values.items():
        parameter = operation.parameter(name)
        if parameter is None:
            raise KeyError(name)
        found[name] = accept(parameter, value)
    return found
