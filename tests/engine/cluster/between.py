"""A server that stands between engines and their storage, counts what goes through, and gets in the way where told."""

from __future__ import annotations

import http.client
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.engine.cluster.servers import free_port, s3_environment

_OWN = {"connection", "transfer-encoding", "content-length", "keep-alive", "date", "server"}


class Between:
    """Hands each request on to the storage.

    slow: seconds that each waits; fails: whether the storage errs, by the number of the request, and error: how; cuts:
    whether an object that is asked for comes short, as if it were no longer, by the number of those.
    """

    def __init__(self, storage: str) -> None:
        self.storage = urlsplit(storage)
        self.slow = 0.0
        self.fails: Callable[[int], bool] = lambda number: False
        self.error = (500, "InternalError")
        self.cuts: Callable[[int], bool] = lambda number: False
        self.calls: Counter[str] = Counter()
        """By method, and `signed METHOD` of those who came with a link and no key."""
        self.bytes: Counter[str] = Counter()
        """Of bodies, both ways, likewise."""
        self.asked = self.read = 0
        self.lock = threading.Lock()
        self.port = free_port()
        self.come_back()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def environment(self) -> dict[str, str]:
        return s3_environment(self.url)

    def go_away(self) -> None:
        """Nobody is there: connections are refused."""
        self.away = True
        self._server.shutdown()
        self._server.server_close()

    def come_back(self) -> None:
        self.away = False
        handler = type("Handler", (_Handler,), {"between": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    between: Between
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _pass(self) -> None:
        between = self.between
        if between.away:  # on a connection that was there before
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        what = self.command if "Authorization" in self.headers else f"signed {self.command}"
        with between.lock:
            between.asked += 1
            number = between.asked
            between.calls[what] += 1
        time.sleep(between.slow)
        if between.fails(number):
            status, code = between.error
            self._answer(status, {}, f"<Error><Code>{code}</Code></Error>".encode())
            return
        there = http.client.HTTPConnection(between.storage.hostname or "", between.storage.port, timeout=60)
        kept = {name: value for name, value in self.headers.items() if name.lower() not in _OWN}
        there.request(self.command, self.path, body, {**kept, "Content-Length": str(len(body))})
        answer = there.getresponse()
        found = answer.read()
        there.close()
        with between.lock:
            between.bytes[what] += len(body) + len(found)
        headers = {name: value for name, value in answer.getheaders() if name.lower() not in _OWN}
        if self.command == "GET" and answer.status in (200, 206) and "list-type" not in self.path:
            with between.lock:
                between.read += 1
                number = between.read
            if between.cuts(number):
                found = found[: len(found) // 2]
        self._answer(answer.status, headers, found, answer.headers.get("Content-Length", "0"))

    def _answer(self, status: int, headers: dict[str, str], body: bytes, length: str = "0") -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", length if self.command == "HEAD" else str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = _pass  # noqa: N815 -- as http.server wants them

    def log_message(self, *_: object) -> None:
        """Be quiet."""
