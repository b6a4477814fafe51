"""Every parameter of every operation of the contract: what it allows reaches the operation.

However it is spelled, ordered and cut into pieces; what it does not allow is refused with 03000 and the list of what it
allows.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from paperchute.contract import Operation, Parameter, contract
from tests.engine.service.generated import (
    BOUNDARY,
    Sent,
    body,
    defaults,
    files_of,
    in_pieces,
    requests,
    values,
)
from tests.engine.service.running import RunningEngine, refusal_of, told_by

_OPERATIONS = list(contract().operations.values())
_BY_ID = pytest.mark.parametrize("operation", _OPERATIONS, ids=lambda operation: operation.id)
_QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


def _send(engine: RunningEngine, operation: Operation, sent: Sent, piece: int = 0) -> httpx.Response:
    content = body(sent.parts)
    return engine.client.post(
        operation.path,
        content=in_pieces(content, piece) if piece else content,
        headers={"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"},
        params=sent.query,
    )


def _needed(operation: Operation) -> dict[str, str]:
    """Texts for what the operation requires, so that one other parameter can be looked at alone."""
    texts = {}
    for parameter in operation.parameters:
        is_needed = parameter.required or parameter.name in operation.one_of[:1]
        if is_needed and parameter.type != "file":
            known = {"integer": "1", "number": "1"}.get(parameter.type, "{}" if parameter.format == "json" else "1")
            texts[parameter.name] = str(parameter.values[0]) if parameter.values else known
    return texts


def _with(operation: Operation, texts: dict[str, str]) -> Sent:
    files = [("file", f'; filename="{name}"', content) for name, content in files_of(operation)]
    return Sent([*files, *((name, "", text.encode()) for name, text in (_needed(operation) | texts).items())])


@_BY_ID
@given(st.data())
@settings(max_examples=8, deadline=None, suppress_health_check=_QUIET)
def test_any_allowed_request_reaches_the_operation(
    every: RunningEngine, operation: Operation, data: st.DataObject
) -> None:
    sent = data.draw(requests(operation))
    told = told_by(_send(every, operation, sent, data.draw(st.sampled_from([0, 13, 1000]))))
    assert told["parameters"] == sent.expected
    assert [source["name"] for source in told["sources"]] == [name for name, _ in files_of(operation)]


@_BY_ID
def test_every_listed_value_reaches_the_operation(every: RunningEngine, operation: Operation) -> None:
    listed = [p for p in operation.parameters if p.values]
    for number in range(max((len(p.values) for p in listed), default=0)):
        chosen = {p.name: p.values[number % len(p.values)] for p in listed}
        told = told_by(_send(every, operation, _with(operation, {name: str(v) for name, v in chosen.items()})))
        assert {name: told["parameters"][name] for name in chosen} == chosen


@_BY_ID
def test_absent_is_the_default_and_empty_is_absent(every: RunningEngine, operation: Operation) -> None:
    needed = _needed(operation)
    empty = {p.name: "" for p in operation.parameters if p.type != "file" and p.name not in needed}
    for texts in ({}, empty):
        told = told_by(_send(every, operation, _with(operation, texts)))["parameters"]
        assert {name: value for name, value in told.items() if name not in needed} == {
            name: value for name, value in defaults(operation).items() if name not in needed
        }


@_BY_ID
@given(st.data())
@settings(max_examples=4, deadline=None, suppress_health_check=_QUIET)
def test_any_other_value_is_refused_and_the_list_is_told(
    every: RunningEngine, operation: Operation, data: st.DataObject
) -> None:
    for parameter in operation.parameters:
        wrong = data.draw(_wrong(parameter))
        if wrong is None:
            continue
        answer = _send(every, operation, _with(operation, {parameter.name: wrong}))
        assert refusal_of(answer) == (400, "01006" if parameter.format == "json" else "03000")
        message = answer.json()["msg"]
        assert parameter.name in message
        told = message.partition(", not ")[0].lower()
        assert all(str(value).lower() in told for value in parameter.values), message


@_BY_ID
def test_what_is_required_is_asked_for_by_name(every: RunningEngine, operation: Operation) -> None:
    for name in _needed(operation):
        sent = _with(operation, {})
        sent.parts = [part for part in sent.parts if part[0] != name]
        answer = _send(every, operation, sent)
        assert refusal_of(answer) == (400, "03000")
        assert name in answer.json()["msg"]
    file = operation.parameter("file")
    if file is not None and file.required:
        sent = _with(operation, {})
        sent.parts = [part for part in sent.parts if part[0] != "file"]
        assert refusal_of(_send(every, operation, sent)) == (400, "01005")


def _wrong(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Texts that the parameter does not take; None where it takes any, as `language` does."""
    if parameter.name == "language":
        return st.none()
    if parameter.values:
        return st.text(st.characters(codec="utf-8", categories=["L", "P", "S"]), min_size=1).filter(
            lambda text: not _means_something(parameter, text)
        )
    if parameter.type in ("integer", "number"):
        return st.sampled_from(["one", "1;2", "0x10", "nan", "--1", "1e", "½"])
    if parameter.format in ("page-list", "page-list[]"):
        return st.sampled_from(["0", "5-3", "1-", "a", "1,,2", "-1", "1-2-3"])
    if parameter.format == "json":
        return st.sampled_from(["{", "[1,]", "'a'"])
    if parameter.format == "url":
        return st.sampled_from(["file:///x", "ftp://x", "x", "http//x"])
    return st.none()


def _means_something(parameter: Parameter, text: str) -> bool:
    words = {*map(str, parameter.values), *(parameter.value_aliases or {})}
    words |= {"yes", "no", "on", "off", "true", "false", "0", "1"}
    return text.strip().lower() in {word.lower() for word in words} or not text.strip()


@given(st.sampled_from(_OPERATIONS), st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=_QUIET)
def test_the_submitted_parameters_come_back_without_passwords(
    every: RunningEngine, operation: Operation, data: st.DataObject
) -> None:
    secrets = [p for p in operation.parameters if p.is_secret and p.type == "string"]
    assume(secrets)
    texts = {p.name: f"hunter2-{data.draw(values(p))[1]}" for p in secrets}
    answer = _send(every, operation, _with(operation, texts))
    assert told_by(answer)["parameters"].items() >= texts.items()
    assert "hunter2" not in answer.text
