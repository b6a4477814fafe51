"""What must not be reached: servers on loopback that note every connection, and a file that nobody may read."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pikepdf

SECRET = "canary words that must not leave this file"


class Canary:
    """asked: the paths of all requests that came. onward: where requests for /redirect... are sent."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.onward = ""
        self.port = 0

    @property
    def url(self) -> str:
        """Where it sits."""
        return f"http://127.0.0.1:{self.port}"


class _Server(ThreadingHTTPServer):
    def __init__(self, canary: Canary, address: str, port: int, family: socket.AddressFamily) -> None:
        self.address_family = family
        super().__init__((address, port), _Handler)
        self.canary = canary


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, _Server)
        canary = self.server.canary
        canary.asked.append(self.path)
        redirected = self.path.startswith("/redirect") and canary.onward
        self.send_response(302 if redirected else 200)
        if redirected:
            self.send_header("Location", canary.onward)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(SECRET.encode())

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def listening() -> Iterator[Canary]:
    """A canary on both loopback addresses, as far as there are two, under one port."""
    canary = Canary()
    servers = [_Server(canary, "127.0.0.1", 0, socket.AF_INET)]
    canary.port = servers[0].server_port
    with contextlib.suppress(OSError):
        servers.append(_Server(canary, "::1", canary.port, socket.AF_INET6))
    threads = [threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield canary
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            server.server_close()
            thread.join()


def everything_in(path: Path) -> bytes:
    """All that a PDF holds: its bytes, and its streams unpacked."""
    with pikepdf.open(path) as pdf:
        streams = [item.read_bytes() for item in pdf.objects if isinstance(item, pikepdf.Stream) and _readable(item)]
        names = [str(name) for name in pdf.attachments]
    return b"\n".join([path.read_bytes(), *streams, "\n".join(names).encode()])


def _readable(stream: pikepdf.Stream) -> bool:
    return stream.get("/Filter") != pikepdf.Name.DCTDecode
