"""A real HTTP service on loopback that answers the contract for one operation, and counts every call it gets."""

from __future__ import annotations

import email.parser
import email.policy
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _QuietServer(ThreadingHTTPServer):
    """Clients that are killed in the middle of a request are no news here."""

    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        return


class CountingService:
    """Answers every process call with Markdown made of the upload's hash. `down` refuses, `slow` seconds delays."""

    def __init__(self, port: int = 0) -> None:
        self.calls: Counter[str] = Counter()
        self.downloads = 0
        self.results: dict[str, bytes] = {}
        self.slow = 0.0
        self.lock = threading.Lock()
        self.server = _QuietServer(("127.0.0.1", port), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def total(self) -> int:
        """How many calls it has got."""
        with self.lock:
            return self.calls.total()

    def result_for(self, content: bytes) -> bytes:
        """What the service makes of a file."""
        return b"# " + hashlib.sha256(content).hexdigest().encode() + b"\n"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self._body()
                content = _file_part(self.headers["Content-Type"], body)
                key = hashlib.sha256(content).hexdigest()
                with service.lock:
                    service.calls[key] += 1
                    service.results[key] = service.result_for(content)
                time.sleep(service.slow)
                record = {
                    "taskId": key,
                    "fileKey": key,
                    "fileName": "x.pdf",
                    "downFileName": "x.md",
                    "downloadUrl": f"{service.url}/download/{key}",
                    "convertSize": len(service.results[key]),
                    "status": "success",
                    "failureCode": None,
                    "failureReason": None,
                }
                self._send(json.dumps({"code": "200", "msg": "success", "data": record}).encode())

            def do_GET(self) -> None:
                if self.path.startswith("/download/"):
                    with service.lock:
                        service.downloads += 1
                    self._send(service.results[self.path.rpartition("/")[2]])
                else:
                    self._send(b'{"code": "200", "msg": "success", "data": {"tenantAsset": []}}')

            def _body(self) -> bytes:
                if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                    return self.rfile.read(int(self.headers["Content-Length"]))
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def _send(self, body: bytes) -> None:
                try:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True  # the daemon was killed while it waited

            def log_message(self, *_: object) -> None:
                return

        return Handler


def _file_part(content_type: str, body: bytes) -> bytes:
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body
    )
    for part in message.iter_parts():
        if part.get_param("name", header="content-disposition") == "file":
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            return content
    raise AssertionError("no file part")


@contextmanager
def counting_service(port: int = 0) -> Iterator[CountingService]:
    """A service that lives for the length of the block. port: 0 for a free one."""
    service = CountingService(port)
    thread = threading.Thread(target=service.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.server.shutdown()
        service.server.server_close()
        thread.join()
