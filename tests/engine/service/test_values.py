"""Every parameter of the contract, for the operations that are there: what it allows passes, what it does not is
refused with 03000 and the list of what it allows."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from paperchute.contract import Operation, Parameter, contract
from tests.engine.service.running import HTML, PDF, RunningEngine, refusal_of, told_by

_IDS = ("pdf-merge", "pdf-insert", "pdf-encrypt", "pdf-generate", "html-to-pdf", "pdf-to-markdown", "document-parsing")
_NEEDED: dict[str, dict[str, str]] = {"pdf-insert": {"actionType": "BLANK", "index": "1"}}
_OPERATIONS = [contract().operations[id_] for id_ in _IDS]
_WITH_LISTS = [(o, p) for o in _OPERATIONS for p in o.parameters if p.values]
_FREE = [(o, p) for o in _OPERATIONS for p in o.parameters if p.type in ("integer", "number") and not p.values]
_SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _files(operation: Operation) -> list[tuple[str, str, bytes]]:
    one = ("file", "a.html", HTML) if operation.id == "html-to-pdf" else ("file", "a.pdf", PDF)
    return [one] * (operation.min_files if operation.takes_file_part else 0)


def _send(engine: RunningEngine, operation: Operation, parameter: Parameter, text: str) -> Any:
    data = {**_NEEDED.get(operation.id, {}), parameter.name: text}
    return engine.post(operation.path.removeprefix("/v2/process/"), *_files(operation), data=data)


@given(st.sampled_from(_WITH_LISTS), st.data())
@_SETTINGS
def test_every_listed_value_reaches_the_operation(
    engine: RunningEngine, which: tuple[Operation, Parameter], data: st.DataObject
) -> None:
    operation, parameter = which
    value = data.draw(st.sampled_from(parameter.values))
    spellings = [str(value), str(value).lower(), str(value).upper()]
    if parameter.is_flag or parameter.type == "boolean":
        spellings += [str(int(value)), str(bool(value)).lower()]
    told = told_by(_send(engine, operation, parameter, data.draw(st.sampled_from(spellings))))
    assert told["parameters"][parameter.name] == value


@given(st.sampled_from(_WITH_LISTS), st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1))
@_SETTINGS
def test_any_other_value_is_refused_and_the_list_is_told(
    engine: RunningEngine, which: tuple[Operation, Parameter], text: str
) -> None:
    operation, parameter = which
    listed = {str(value).lower() for value in (*parameter.values, *(parameter.value_aliases or {}))}
    assume(text.lower() not in listed | {"0", "1", "true", "false", "yes", "no", "on", "off"})
    assume(not (parameter.type == "integer" and text.isdecimal()))
    answer = _send(engine, operation, parameter, text)
    assert refusal_of(answer) == (400, "03000")
    message = answer.json()["msg"]
    assert parameter.name in message
    assert all(str(value).lower() in message.lower() for value in parameter.values)


@given(st.sampled_from(_FREE), st.integers(1, 10_000))
@_SETTINGS
def test_numbers_arrive_as_numbers(engine: RunningEngine, which: tuple[Operation, Parameter], number: int) -> None:
    operation, parameter = which
    assert told_by(_send(engine, operation, parameter, str(number)))["parameters"][parameter.name] == number
