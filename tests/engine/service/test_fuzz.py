"""Whatever is sent to any route that the description names, the engine answers as described.

No fault, no answer that it does not describe, nothing told of this machine, and nothing that hangs. Needs schemathesis,
which the development requirements bring.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from paperchute.engine.http.openapi import description
from tests.engine.service.running import HTML, KEY, PDF, ROOT, RunningEngine

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
pytestmark = pytest.mark.slow

_SECONDS = 120.0
_SAMPLES = {"pdf": PDF, "html": HTML, "jpg": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(32)}
_FUZZ = settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEngine]:
    """An engine with the product's own operations."""
    flags = ("--max-file", "1000000", "--max-text", "1000000", "--task-seconds", "20")
    with RunningEngine(tmp_path_factory.mktemp("fuzzed"), *flags, workers=2, real=True) as running:
        yield running


def _operations(pattern: str = "") -> list[Any]:
    """What the description names, of paths that hold `pattern`."""
    schema = schemathesis.openapi.from_dict(description("/server"))
    found = [result.ok() for result in schema.get_all_operations()]
    return [operation for operation in found if pattern in operation.path]


def _check(case: Any, engine: RunningEngine) -> None:
    headers = {"x-api-key": KEY, "Authorization": f"Bearer {KEY}"}
    answer = case.call(base_url=engine.base_url, headers=headers, timeout=_SECONDS)
    checks = schemathesis.checks
    case.validate_response(
        answer,
        checks=[
            checks.not_a_server_error,
            checks.status_code_conformance,
            checks.content_type_conformance,
            checks.response_schema_conformance,
        ],
    )
    for secret in (str(engine.state), str(ROOT), sys.prefix, "Traceback", 'File "'):
        assert secret not in answer.text, answer.text


@pytest.mark.parametrize("operation", _operations(), ids=lambda operation: operation.label)
@given(st.data())
@_FUZZ
def test_nothing_that_is_sent_makes_the_engine_stumble(
    fuzzed: RunningEngine, operation: Any, data: st.DataObject
) -> None:
    _check(data.draw(operation.as_strategy()), fuzzed)


@pytest.mark.parametrize("operation", _operations("/process"), ids=lambda operation: operation.label)
@given(st.data())
@_FUZZ
def test_nor_where_every_operation_takes_what_its_form_allows(
    every: RunningEngine, operation: Any, data: st.DataObject
) -> None:
    case = data.draw(operation.as_strategy())
    sample = _SAMPLES.get(next(iter(operation.definition.raw["x-input"]), ""))
    if sample is not None and isinstance(case.body, dict) and "file" in case.body:
        several = isinstance(case.body["file"], list)
        case.body = {**case.body, "file": [sample] * len(case.body["file"]) if several else sample}
    _check(case, every)


def test_it_still_serves_and_has_logged_no_fault(fuzzed: RunningEngine) -> None:
    assert fuzzed.client.get("/health").status_code == 200
    assert fuzzed.html("still here").status_code == 200
    assert "a fault while answering" not in fuzzed.log_file.read_text("utf-8")
