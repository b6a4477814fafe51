"""A server that speaks as OpenAI-compatible ones do, or otherwise where its test says so."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Lie = Callable[[BaseHTTPRequestHandler], None]


class ModelServer:
    """Keeps what it is asked, and answers what its test has it answer."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, str], bytes]] = []
        self.lie: Lie = lambda one: answered(one, b"{}")
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked.append(({name.lower(): value for name, value in self.headers.items()}, body))
                outer.lie(self)

            def log_message(self, *_args: Any) -> None:
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answers(self, fields: Mapping[str, Any]) -> None:
        """Have it give these values."""
        text = json.dumps({"choices": [{"message": {"content": json.dumps(fields)}}]})
        self.lie = lambda one: answered(one, text.encode())


def answered(one: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    """Answer a request."""
    one.send_response(status)
    for name, value in headers.items():
        one.send_header(name, value)
    one.send_header("Content-Length", str(len(body)))
    one.end_headers()
    one.wfile.write(body)
