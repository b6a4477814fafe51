"""A real HTTP server on loopback that answers what the test tells it to, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """What to answer. `cut`: close the connection after so many bytes of the body; None sends all of it."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None


def envelope(data: Any, code: Any = "200", **more: Any) -> Reply:
    """A processing answer."""
    return Reply(json.dumps({"code": code, "msg": "success", "data": data, **more}).encode())


class Script:
    """`answer(asked)` gives each reply; None hangs up without one."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], Reply | None] = lambda asked: Reply(status=500)
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self._serve(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

            def do_PUT(self) -> None:
                self.do_POST()

            def do_GET(self) -> None:
                self._serve(b"")

            def _serve(self, body: bytes) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, body)
                script.asked.append(asked)
                reply = script.answer(asked)
                if reply is None:
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                self.send_header("Content-Length", str(len(reply.body)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])
                self.close_connection = reply.cut is not None

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def record(self, **changes: Any) -> dict[str, Any]:
        """A record of a success whose result lies at /result."""
        record = {
            "taskId": "t1",
            "downFileName": "a.md",
            "downloadUrl": f"{self.url}/result",
            "convertSize": 4,
            "status": "success",
            "failureCode": None,
            "failureReason": None,
            "fileParameter": '{"password": "hunter2"}',
        }
        return {**record, **changes}


@contextmanager
def scripted() -> Iterator[Script]:
    """A script that is served for the length of the block."""
    script = Script()
    thread = threading.Thread(target=script.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.server.shutdown()
        script.server.server_close()
        thread.join()
