"""Traces for OpenTelemetry, where its environment variables ask for them; else nothing is imported and nothing is done.

Spans tell operations, ids, states and durations. Names of files, addresses, parameters and secrets have no place there.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from paperchute.language import _
from paperchute.redaction import in_use
from paperchute.sandbox import take

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

Kind = Literal["internal", "server", "client"]
HEADER = "traceparent"
"""The header of W3C Trace Context; also where texts that are kept name the span that they belong to."""

_NOTED = frozenset({"operation", "task", "run", "attempt", "code", "outcome", "status", "tries", "event"})
"""What a span may tell, as `paperchute.NAME`."""
_LONGEST = 64  # characters of a value, and of a header that is one
_SECRETS = ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")
"""Headers of the exporter, which often hold a key: no process that reads documents is to find them here."""
_taken: dict[str, str] = {}
_provider: TracerProvider | None = None


class TelemetryError(Exception):
    """Traces are asked for and cannot be had."""


def is_wanted(variables: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment asks for traces."""
    if variables.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    exporter = variables.get("OTEL_TRACES_EXPORTER", "")
    places = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    return exporter != "none" and bool(exporter or any(variables.get(name) for name in places))


def own_variables() -> dict[str, str]:
    """What another process of ours needs to be part of the same traces."""
    told = {name: value for name, value in os.environ.items() if name.startswith("OTEL_")}
    return {**told, **_taken} if is_wanted() else {}


def set_up(service: str) -> None:
    """Begin, where the environment asks for it. service: our name, unless it gives one. Raises TelemetryError."""
    if not is_wanted():
        return
    for name in _SECRETS:
        if told := take(name):
            _taken[name] = told
            for pair in told.split(","):
                in_use(pair.partition("=")[2].strip(), lasting=True)
    os.environ.update(_taken)  # for as long as it takes to read them
    try:
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

        exporter: SpanExporter
        match os.environ.get("OTEL_TRACES_EXPORTER") or "otlp":
            case "otlp":
                exporter = _otlp()
            case "console":
                exporter = ConsoleSpanExporter(out=sys.stderr)
            case other:
                raise TelemetryError(_("OTEL_TRACES_EXPORTER is otlp, console or none, not {name}", name=other))
    except ImportError as error:
        raise TelemetryError(
            _("install paperchute[telemetry] for traces ({name} is missing)", name=error.name)
        ) from error
    finally:
        for name in _taken:
            os.environ.pop(name, None)
    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    begin(BatchSpanProcessor(exporter), "" if is_named else service)


def _otlp() -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    names = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    protocol = next((value for name in names if (value := os.environ.get(name))), "http/protobuf")
    if protocol != "http/protobuf":
        raise TelemetryError(_("traces go by http/protobuf, not {name}", name=protocol))
    return OTLPSpanExporter()


def begin(processor: SpanProcessor, service: str = "") -> None:
    """Give all spans to `processor`. service: our name, where the environment does not say it."""
    global _provider
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    named = Resource.create({"service.name": service}) if service else None
    _provider = TracerProvider(resource=named, shutdown_on_exit=False)
    _provider.add_span_processor(processor)


def end() -> None:
    """Send what is still to be sent, and do nothing from now on."""
    global _provider
    provider, _provider = _provider, None
    if provider is not None:
        provider.shutdown()


@contextmanager
def span(name: str, kind: Kind = "internal", parent: str | None = None, **facts: object) -> Iterator[None]:
    """What happens within is a span, below the current one or that of a `parent` from elsewhere. facts: see `note`."""
    if _provider is None:
        yield
        return
    from opentelemetry.trace import SpanKind

    tracer, place = _provider.get_tracer("paperchute"), None if parent is None else _place(parent)
    with tracer.start_as_current_span(
        name, place, SpanKind[kind.upper()], record_exception=False, set_status_on_exception=False
    ):
        note(**facts)
        yield


def past(name: str, seconds: float, **facts: object) -> None:
    """A span that ends now, and began `seconds` ago."""
    if _provider is not None:
        now = time.time_ns()
        made = _provider.get_tracer("paperchute").start_span(name, start_time=now - int(seconds * 1e9))
        made.set_attributes(_shown(facts))
        made.end(now)


def note(**facts: object) -> None:
    """Facts of the current span. Those that spans do not tell are left out."""
    if _provider is not None:
        from opentelemetry.trace import get_current_span

        get_current_span().set_attributes(_shown(facts))


@contextmanager
def following(parent: str) -> Iterator[None]:
    """Within, spans belong below one of another process, as `carried` told it there; empty for none."""
    if _provider is None or not parent:
        yield
        return
    from opentelemetry.context import attach, detach

    token = attach(_place(parent))
    try:
        yield
    finally:
        detach(token)


def carried() -> str:
    """The current span as a `traceparent`, for whoever goes on with it elsewhere; empty where there is none."""
    if _provider is None:
        return ""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get(HEADER, "")


def trace_id() -> str:
    """Of the current trace, for lines of a log; empty where there is none."""
    return carried()[3:35]


def _place(parent: str) -> Context:
    """What is no traceparent begins a new trace."""
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({HEADER: parent[:_LONGEST]}, Context())


def _shown(facts: Mapping[str, object]) -> dict[str, str | int]:
    kept = {name: value for name, value in facts.items() if name in _NOTED and value not in ("", None)}
    return {
        f"paperchute.{name}": value if isinstance(value, int) else str(value)[:_LONGEST] for name, value in kept.items()
    }
