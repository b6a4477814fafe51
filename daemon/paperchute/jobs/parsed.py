"""Lists and wishes as the reader process reads them: what is asked of it, its answers, and what comes back of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from paperchute.contract import Operation, Value, accept, contract
from paperchute.files.reader import ReaderError, Said, readers
from paperchute.jobs.table import Row, read_rows
from paperchute.rules.model import Rule
from paperchute.rules.sidecar import FileWish, Wishes, read_job_file, read_sidecar
from paperchute.rules.stored import rule_from_text, rule_to_text

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
