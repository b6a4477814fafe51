"""Calls for the rows of a list: what each takes from its row, where its result goes, and whose fault a refusal is."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath, PurePosixPath
from typing import Any

from paperchute.contract import Value, contract
from paperchute.errors import PaperchuteError
from paperchute.jobs.inputs import Inputs
from paperchute.jobs.lists import Row, is_typed
from paperchute.jobs.model import Job
from paperchute.jobs.work import Request
from paperchute.language import _
from paperchute.notation.columns import KEY, columns_of, told
from paperchute.rules.output import row_place
from paperchute.rules.secrets import OF_ROW, is_of_row
from paperchute.rules.steps import has_row_results
from paperchute.rules.tables import Step
from paperchute.service.model import ServiceError

_DATA = "data"
_DATA_IS_WRONG = "01006"  # what the engine answers where the data is not what the template takes it for
_TEMPLATE_IS_WRONG = "03000"
_OF_THE_ROW = ("bad-parameters", "bad-input", "password", "no-content", "too-big", "permanent")
"""Kinds of refusals that tell something of a row; others are about the service."""


def row_requests(job: Job, inputs: Inputs, *, remote: bool) -> list[tuple[Row, Request]]:
    """The calls that make the rows' results: the values of each fill the template.

    remote: whether the service is another's. Our engine is told, too, what the columns say about how they write
    numbers and dates; another's would not know what to make of it, and learns of no other row. Raises PaperchuteError.
    """
    rows = inputs.rows or ()
    _check_rows(job, inputs.list_name, rows)
    step = job.rule.steps[0]
    secret = _secret_columns(job.rule.steps)
    about = {} if remote else _about(inputs.list_name, rows, secret)
    found = []
    for row in rows:
        given = {**inputs.over(0), **secrets_of(step, row, inputs.list_name)}
        filling = _RowValues(row, given, secret, about)
        found.append((row, Request(0, inputs.files, step.parameters, str(row.number), filling)))
    return found


@contextmanager
def blamed_on(job: Job, list_name: str, row: Row | None) -> Iterator[None]:
    """Whatever the service refuses in the block is said of this row of the list, or of the template, not of the rule.

    row: None for a call that is of no row.
    """
    try:
        yield
    except ServiceError as error:
        if row is None or error.kind not in _OF_THE_ROW:
            raise
        place = f"{list_name}, {row.place}"
        what, advice, reason = f"{place}: {error.what}", error.advice, error.reason
        if error.reason and error.code == _DATA_IS_WRONG:
            named = error.reason.startswith(f"{list_name}, ")
            what, reason = error.reason if named else f"{place}: {error.reason}", ""
            advice = _("Correct the list, and try again.")
        elif error.reason and error.code == _TEMPLATE_IS_WRONG:
            template = _template_name(job)
            what = _("{template} does not fit {place}: {reason}", template=template, place=place, reason=error.reason)
            advice, reason = _("Correct the template or the list, and try again."), ""
        raise ServiceError(
            f"{what.rstrip('.')}.",
            advice,
            kind=error.kind,
            code=error.code,
            reason=reason,
            retry_after=error.retry_after,
            answered=error.answered,
            of_task=error.of_task,
            service=error.service,
        ) from error


def secrets_of(step: Step, row: Row | None, list_name: str) -> dict[str, Value]:
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
                    _(
                        "{list}, {place}: the column '{column}' is empty, and the rule takes {parameter} from it.",
                        list=list_name,
                        place=row.place,
                        column=column,
                        parameter=name,
                    ),
                    _("Correct the list, and try again."),
                )
    return found


def place_of(job: Job, row: Row, list_name: str) -> PurePosixPath:
    """Return where a row's result goes below the folder of its list, still without a suffix. Raises PaperchuteError."""
    try:
        return row_place(job.rule, job.relative, row.number, row.texts, now=job.created)
    except KeyError as error:
        column = str(error.args[0]).removeprefix("row.")
        raise PaperchuteError(
            _(
                "{list}, {place}: there is no column '{column}', which `output` names.",
                list=list_name,
                place=row.place,
                column=column,
            ),
            _("Correct the list or the rule."),
        ) from None


def _check_rows(job: Job, list_name: str, rows: Sequence[Row]) -> None:
    """Everything that the rule wants of a row must be there before the first call."""
    for row in rows:
        for step in job.rule.steps:
            secrets_of(step, row, list_name)
        if has_row_results(job.rule):
            place_of(job, row, list_name)


class _RowValues(Mapping[str, Value]):
    """What stands over the rule's values for a row: its secrets, and as data its columns but those that bear secrets.

    The data is written when it is asked for: that of all rows, each with what the columns say, would fill the memory.
    """

    def __init__(self, row: Row, given: Mapping[str, Value], secret: Collection[str], about: Mapping[str, Any]) -> None:
        self._row, self._given, self._secret, self._about = row, given, secret, about

    def __getitem__(self, name: str) -> Value:
        if name != _DATA:
            return self._given[name]
        shown = {column: value for column, value in self._row.values.items() if column not in self._secret}
        if self._about:
            shown[KEY] = {**self._about, "place": self._row.place}
        return json.dumps(shown, ensure_ascii=False)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._given, _DATA: None})

    def __len__(self) -> int:
        return len({**self._given, _DATA: None})


def _about(list_name: str, rows: Sequence[Row], secret: Collection[str]) -> dict[str, Any]:
    columns = columns_of((row.place, row.values) for row in rows)
    shown = {name: told(column) for name, column in columns.items() if name not in secret}
    return {"name": list_name, "typed": is_typed(list_name), "columns": shown}


def _template_name(job: Job) -> str:
    """Return what people call the template: its file, or the rule's own text."""
    given = job.rule.steps[0].parameters.get("templateFile")
    html = [member.path.name for member in job.members if member.path.suffix.lower() in (".html", ".htm")]
    return PurePath(str(given)).name if given else html[0] if html else _("The template")


def _secret_columns(steps: Sequence[Step]) -> set[str]:
    values = (value for step in steps for value in step.parameters.values())
    return {value.removeprefix(OF_ROW) for value in values if isinstance(value, str) and is_of_row(value)}
