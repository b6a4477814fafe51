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
from paperchute.files.reader import ReaderError, readers
from paperchute.files.reader_line import Said
from paperchute.language import _
from paperchute.rules.model import Rule
from paperchute.rules.sidecar import FileOverrides, Overrides, read_job_file, read_sidecar
from paperchute.rules.stored import rule_from_text, rule_to_text

MOST_BYTES = 16 << 20  # 100,000 rows of 160 characters
MOST_ROWS = 100_000
MOST_COLUMNS = 1_000
MOST_CELLS = 1_000_000  # some 200 MB in memory
_MOST_LINES = 10 * MOST_ROWS  # with the empty ones
_MOST_DIGITS = 300  # of a number: more than a float reaches
_EXACT_DIGITS = 15  # that a float holds of any number

_ROWS_A_LINE = 500  # enough to make JSON quick, few enough to let other threads run between two lines
_DELIMITERS = (",", ";", "\t", "|")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_OFFICE = "cp1252"  # what a spreadsheet writes as plain CSV on a Western Windows
_FIRST_LINE = re.compile(r"\S[^\r\n]*")
_TEXTS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)  # also one without an end: linear


class TableError(PaperchuteError):
    """A list that cannot be used."""


@dataclass(frozen=True)
class Row:
    """One row of a list."""

    number: int
    """From 1."""
    values: Mapping[str, Any]
    """JSON values by column; those of a CSV are texts."""
    place: str
    """Where it stands, such as "line 7", as a spreadsheet numbers the rows of a CSV."""

    @property
    def texts(self) -> dict[str, str]:
        """Its values as they stand in names: texts and numbers, and nothing else."""
        plain = {name: value for name, value in self.values.items() if isinstance(value, str | int | float)}
        return {name: str(value) for name, value in plain.items()}


# ---------- asked of the reader process ----------


def rows_of(name: str, content: bytes) -> tuple[Row, ...]:
    """As `read_rows`, by the reader process. Raises PaperchuteError."""
    _, made = readers.read(name, {"do": "list", "name": name}, content)
    with _as_expected(name):
        return tuple(Row(**row) for line in made.splitlines() for row in json.loads(line))


def overrides_of(name: str, content: bytes, rule: Rule, names: Sequence[str] | None) -> Overrides:
    """As `sidecar.read_job_file`, for the files `names`; without any as `sidecar.read_sidecar`. Raises PaperchuteError.

    What was read is not to be believed where it matters: the reader may be in the hands of who wrote the file.
    """
    request = {"do": "overrides", "name": name, "rule": rule_to_text(rule), "names": names}
    found, _ = readers.read(name, request, content)
    with _as_expected(name):
        operations = [contract().known(step.operation) for step in rule.steps]
        steps = tuple(_accepted(*pair) for pair in zip(operations, found["steps"], strict=True))
        if not set(found["order"]) <= set(names or ()):
            raise ValueError
        files = {
            str(one): FileOverrides(str(pages), str(password)) for one, (pages, password) in found["files"].items()
        }
        return Overrides(steps, tuple(found["order"]), files)


@contextmanager
def _as_expected(name: str) -> Iterator[None]:
    """Raises ReaderError where what was answered has not the shape that the reader gives it."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ReaderError(
            _("{name} is too complicated to be read.", name=name), _("Make it simpler, and try again.")
        ) from error


def _accepted(operation: Operation, values: Mapping[str, Any]) -> dict[str, Value]:
    found = {}
    for name, value in values.items():
        parameter = operation.parameter(name)
        if parameter is None:
            raise KeyError(name)
        found[name] = accept(parameter, value)
    return found


# ---------- what the reader process answers ----------


def answer_list(request: Mapping[str, Any], content: bytes) -> Said:
    """Within the reader: the rows of a list. Raises TableError."""
    rows = [vars(row) for row in read_rows(request["name"], content)]
    lines = (json.dumps(rows[start : start + _ROWS_A_LINE]) for start in range(0, len(rows), _ROWS_A_LINE))
    return {}, "\n".join(lines).encode()


def answer_overrides(request: Mapping[str, Any], content: bytes) -> Said:
    """Within the reader: what a sidecar or job.toml says. Raises OverridesError."""
    name, rule, names = request["name"], rule_from_text(request["rule"]), request["names"]
    overrides = read_sidecar(name, content, rule) if names is None else read_job_file(name, content, rule, names)
    files = {one: (override.pages, override.password) for one, override in overrides.files.items()}
    return {"steps": overrides.steps, "order": overrides.order, "files": files}, b""


def read_rows(name: str, content: bytes) -> tuple[Row, ...]:
    """The rows of the list `name`, by its suffix: `.json` is an array of objects, else the first line names columns.

    Empty lines do not count. CSV may be separated by comma, semicolon, tab or bar, in UTF-8, UTF-16 or Windows-1252.
    Raises TableError.
    """
    if len(content) > MOST_BYTES:
        raise TableError(_("{name} is larger than {most} MB.", name=name, most=MOST_BYTES >> 20), _("Split it."))
    found = _json(name, content) if is_typed(name) else _csv(name, content)
    rows: list[Row] = []
    for place, values in found:
        if len(rows) == MOST_ROWS:
            raise _too_many(_("{name} has more than {most} rows.", name=name, most=f"{MOST_ROWS:,}"))
        rows.append(Row(len(rows) + 1, values, place))
    if not rows:
        raise _refused(_("{name} has no rows.", name=name))
    return tuple(rows)


def is_typed(name: str) -> bool:
    """Decide whether a list of that name has numbers, and not only texts."""
    return PurePath(name).suffix.lower() == ".json"


# ---------- JSON ----------


def _json(name: str, content: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = _parsed(name, content)
    if not isinstance(found, list):
        raise _refused(_("{name} is not a list: write {example}.", name=name, example="[ { ... }, { ... } ]"))
    for number, row in enumerate(found, start=1):
        if not isinstance(row, dict):
            raise _refused(_("{name} has an entry that is not an object: number {number}.", name=name, number=number))
        if len(row) > MOST_COLUMNS:
            raise _too_many(
                _(
                    "{name} has more than {most} values in entry {number}.",
                    name=name,
                    most=f"{MOST_COLUMNS:,}",
                    number=number,
                )
            )
        yield _("entry {number}", number=number), row


def _parsed(name: str, content: bytes) -> Any:
    values = _Values(name)
    try:
        text = content.decode("utf-8-sig")
        bare = _TEXTS.sub("", text)
        if bare.count(",") + bare.count("[") + bare.count("{") > MOST_CELLS:
            raise _too_many(_("{name} has more than {most} values.", name=name, most=f"{MOST_CELLS:,}"))
        return json.loads(
            text,
            parse_constant=values.constant,
            parse_int=values.whole,
            parse_float=values.fraction,
            object_pairs_hook=values.once,
        )
    except json.JSONDecodeError as error:
        raise _refused(
            _(
                "{name} is not JSON: {problem} in line {line}, column {column}.",
                name=name,
                problem=error.msg,
                line=error.lineno,
                column=error.colno,
            )
        ) from None
    except (ValueError, RecursionError):
        raise _refused(_("{name} is not JSON in UTF-8, or is nested too deeply.", name=name)) from None


class _Values:
    """How the JSON of the list `name` becomes values: exactly, or with a TableError that says why not."""

    def __init__(self, name: str) -> None:
        self._name = name

    def constant(self, word: str) -> NoReturn:
        raise TableError(
            _("{name} holds {word}, which is not JSON.", name=self._name, word=word), _("Write null, or a number.")
        )

    def whole(self, digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise _too_many(
                _(
                    "{name} has a number with more than {most} digits ({number}…).",
                    name=self._name,
                    most=_MOST_DIGITS,
                    number=digits[:20],
                )
            )
        return int(digits)

    def fraction(self, digits: str) -> float:
        value = float(digits) if len(digits) <= _MOST_DIGITS else math.inf
        if not math.isfinite(value) or (len(digits) > _EXACT_DIGITS and Decimal(digits) != Decimal(repr(value))):
            shown = digits if len(digits) <= 40 else f"{digits[:40]}…"
            raise TableError(
                _("{name} holds {number}, which cannot be kept exactly as a number.", name=self._name, number=shown),
                _("Write it as a text."),
            )
        return value

    def once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        row = dict(pairs)
        if len(row) < len(pairs):
            raise _refused(
                _(
                    "{name} has {key} twice in one object.",
                    name=self._name,
                    key=_shown(_twice([key for key, value in pairs])),
                )
            )
        return row


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
                raise _too_many(_("{name} has more than {most} lines.", name=name, most=f"{_MOST_LINES:,}"))
            if not any(map(str.strip, row)):
                continue
            if names is None:
                names = _columns(name, row)
                continue
            cells += len(names)
            if cells > MOST_CELLS:
                raise _too_many(
                    _(
                        "{name} has more than {most} cells (its rows times its columns).",
                        name=name,
                        most=f"{MOST_CELLS:,}",
                    )
                )
            if any(map(str.strip, row[len(names) :])):
                raise _refused(_("{name} has more values than columns in line {line}.", name=name, line=line))
            values = [*row, *[""] * (len(names) - len(row))]
            yield (
                _("line {line}", line=line),
                {column: value for column, value in zip(names, values, strict=False) if column},
            )
    except csv.Error as error:
        raise _refused(
            _("{name} is not CSV in line {line}: {problem}.", name=name, line=reader.line_num, problem=error)
        ) from None


def _decoded(name: str, content: bytes) -> str:
    encoding = next((encoding for bom, encoding in _BOMS if content.startswith(bom)), "")
    for candidate in (encoding,) if encoding else ("utf-8", _OFFICE):
        try:
            text = content.decode(candidate)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise _refused(_("{name} is not text.", name=name))


def _delimiter(text: str) -> str:
    """Return what stands most often between the names of the first line that has any."""
    first = _FIRST_LINE.search(text)
    outside = "".join(part for index, part in enumerate(first[0].split('"')) if index % 2 == 0) if first else ""
    return max(_DELIMITERS, key=outside.count)


def _columns(name: str, columns: list[str]) -> list[str]:
    """The columns' names; a column without one is left out."""
    if len(columns) > MOST_COLUMNS:
        raise _too_many(_("{name} has more than {most} columns.", name=name, most=f"{MOST_COLUMNS:,}"))
    names = [column.strip() for column in columns]
    if twice := _twice(list(filter(None, names))):
        raise _refused(_("{name} names the column {column} twice.", name=name, column=_shown(twice)))
    return names


# ---------- what is wrong with a list ----------


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


def _too_many(problem: str) -> TableError:
    return TableError(problem, _("Split the list."))


def _refused(problem: str) -> TableError:
    advice = _("A list is a CSV whose first line names its columns, or JSON: {example}.", example="[ { ... } ]")
    return TableError(problem, advice)
