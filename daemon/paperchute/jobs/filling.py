"""Calls for the rows of a list: what each takes from its row, and where its result goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from paperchute.contract import Value, contract
from paperchute.errors import PaperchuteError
from paperchute.jobs.material import Material
from paperchute.jobs.records import Job
from paperchute.jobs.table import Row
from paperchute.jobs.work import Request
from paperchute.rules.fanning import has_row_results
from paperchute.rules.model import Step
from paperchute.rules.output import row_place
from paperchute.rules.secrets import OF_ROW, is_of_row


def filling(job: Job, row: Row, material: Material) -> Request:
    """The call that makes one row's result: its values fill the template."""
    step = job.rule.steps[0]
    given = {**material.over(0), **secrets_of(step, row), "data": row.data(_secret_columns(job.rule.steps))}
    return Request(0, material.inputs, step.parameters, str(row.number), given)


def check_rows(job: Job, rows: Sequence[Row]) -> None:
    """Everything that the rule wants of a row must be there before the first call. Raises PaperchuteError."""
    for row in rows:
        for step in job.rule.steps:
            secrets_of(step, row)
        if has_row_results(job.rule):
            place_of(job, row)


def secrets_of(step: Step, row: Row | None) -> dict[str, Value]:
    """The secrets that a step has of a row: `row:COLUMN`. Raises PaperchuteError where the row has none."""
    if row is None:
        return {}
    found: dict[str, Value] = {}
    for name, value in step.parameters.items():
        parameter = contract().known(step.operation).parameter(name)
        if parameter is not None and parameter.is_secret and isinstance(value, str) and is_of_row(value):
            column = value.removeprefix(OF_ROW)
            found[name] = row.texts.get(column, "")
            if not found[name]:
                raise PaperchuteError(
                    f"Row {row.number} has nothing in the column {column!r}, which the rule takes its {name} from.",
                    "Correct the list, and try again.",
                )
    return found


def place_of(job: Job, row: Row) -> PurePosixPath:
    """Where a row's result goes below the folder of its list, still without a suffix. Raises PaperchuteError."""
    try:
        return row_place(job.rule, job.relative, row.number, row.texts, now=job.created)
    except KeyError as error:
        column = str(error.args[0]).removeprefix("row.")
        raise PaperchuteError(
            f"Row {row.number} has no column {column!r}, which `output` names.", "Correct the list or the rule."
        ) from None


def _secret_columns(steps: Sequence[Step]) -> set[str]:
    values = (value for step in steps for value in step.parameters.values())
    return {value.removeprefix(OF_ROW) for value in values if isinstance(value, str) and is_of_row(value)}
