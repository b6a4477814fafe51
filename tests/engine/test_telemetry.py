"""One trace has a call, its waiting, its run and its webhooks, wherever they happen, and nothing of the documents."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st

from paperchute import telemetry
from paperchute.engine.http.server import Engine
from paperchute.engine.settings import Settings
from paperchute.engine.tasks.alone import Alone
from paperchute.engine.tasks.task import Order, StoredFile, order_from_text, order_to_text
from tests.engine.cluster.servers import until
from tests.engine.service.outer import Outer

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
"""The example of W3C's recommendation."""


@pytest.fixture
def recorded() -> Iterator[Any]:
    sdk = pytest.importorskip("opentelemetry.sdk.trace.export", reason="paperchute[telemetry] is not installed")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter").InMemorySpanExporter()
    telemetry.begin(sdk.SimpleSpanProcessor(memory))
    yield memory
    telemetry.end()


def test_where_nobody_asks_nothing_is_imported_and_nothing_carried() -> None:
    code = (
        "import sys; from paperchute import telemetry as t; t.set_up('x')\n"
        "with t.span('a', parent='b', operation='c'), t.following('d'): t.past('e', 1.0); t.note(code='f')\n"
        "assert t.carried() == t.trace_id() == ''; t.end()\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, False),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, False),
        ({"OTEL_SERVICE_NAME": "papers"}, False),
    ],
)
def test_the_standard_variables_decide(variables: dict[str, str], wanted: bool) -> None:
    assert telemetry.is_wanted(variables) is wanted


@pytest.mark.parametrize(
    ("name", "value"), [("OTEL_TRACES_EXPORTER", "zipkin"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]
)
def test_what_cannot_be_done_is_said_at_the_start(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv(name, value)
    with pytest.raises(telemetry.TelemetryError, match=value):
        telemetry.set_up("x")


@given(st.text(max_size=80))
def test_whatever_a_caller_sends_as_its_trace_begins_a_new_one(text: str) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    telemetry.begin(export.SimpleSpanProcessor(sdk.InMemorySpanExporter()))
    try:
        with telemetry.span("call", "server", text):
            assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-9a-f]", telemetry.carried())
    finally:
        telemetry.end()


def test_an_order_carries_its_trace_only_where_there_is_one() -> None:
    order = Order("r", "t", "pdf-merge", "a", (StoredFile("file", "k", "a", "pdf"),), {}, "{}", 1, "en")
    assert "trace" not in json.loads(order_to_text(order))  # which an engine of before traces could not read
    for one in (order, replace(order, trace=PARENT)):
        assert order_from_text(order_to_text(one)) == one


@contextlib.contextmanager
def _serving(engine: Engine) -> Iterator[str]:
    """The engine on a thread of this process, where its spans can be had."""
    server = uvicorn.Server(uvicorn.Config(engine.app, log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(60.0)


def test_a_call_its_waiting_its_run_and_its_webhooks_are_one_trace(recorded: Any, tmp_path: Path) -> None:
    with Outer() as outer:
        inner = frozenset({"127.0.0.1"})
        settings = Settings(tmp_path, "key", inner, outer.url + "/all", "hidden token", workers=1)
        with _serving(Engine(settings, Alone(settings), loopback=True)) as url:
            answer = httpx.post(
                f"{url}/v2/process/html/pdf",
                files={"file": ("my secret name.html", b"<!doctype html><p>words of mine")},
                data={"parameter": json.dumps({"title": "a title of mine"})},
                headers={"x-api-key": "key", "traceparent": PARENT},
                timeout=60.0,
            )
            assert answer.json()["code"] == "200", answer.text
            until(lambda: "task.finish" in outer.events())
    telemetry.end()
    spans = {span.name: span for span in recorded.get_finished_spans()}
    call = spans["POST /v2/process/{source}/{target}"]
    assert {f"{span.context.trace_id:032x}" for span in spans.values()} == {PARENT.split("-")[1]}
    assert f"{call.parent.span_id:016x}" == PARENT.split("-")[2]
    assert set(spans) == {call.name, "wait", "run", "webhook"}
    for name in ("wait", "run", "webhook"):
        assert spans[name].parent.span_id == call.context.span_id
    assert spans["wait"].end_time <= spans["run"].start_time < spans["run"].end_time <= call.end_time
    assert call.attributes["paperchute.operation"] == spans["run"].attributes["paperchute.operation"] == "html-to-pdf"
    told = " ".join(span.to_json() for span in recorded.get_finished_spans())
    assert not [word for word in ("secret name", "of mine", "hidden", "127.0.0.1", str(tmp_path)) if word in told]
    for headers, body in outer.letters:
        assert headers["traceparent"].split("-")[1] == PARENT.split("-")[1]
        assert "traceparent" not in body
