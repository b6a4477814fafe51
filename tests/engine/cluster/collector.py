"""A collector of OpenTelemetry traces, as far as engines ask for one."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector:
    """Keeps what it is sent: (trace id, name of the span, name of the service)."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, str, str]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.take(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Be quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def take(self, body: bytes) -> None:
        for one in ExportTraceServiceRequest.FromString(body).resource_spans:
            (service,) = [a.value.string_value for a in one.resource.attributes if a.key == "service.name"]
            self.spans += [(span.trace_id.hex(), span.name, service) for s in one.scope_spans for span in s.spans]

    def environment(self) -> dict[str, str]:
        url = f"http://127.0.0.1:{self._server.server_port}"
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "100"}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
