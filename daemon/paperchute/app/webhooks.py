"""The receiver of webhooks: a service announces that a task has ended, and the task is asked for.

See docs/contract.md#webhooks.

An announcement is a hint and nothing more: what counts is the answer to the question that follows, so a replayed or
invented one does no harm. Those without the agreed token are refused all the same.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from loguru import logger

from paperchute.errors import PaperchuteError
from paperchute.language import _

_MOST_BYTES = 1 << 16
_MOST_CONNECTIONS = 32  # at the same time: a service sends one short request for each task
_MOST_SECONDS = 10.0  # for a whole request, however busily it is sent
_EVENTS = ("task.finish", "task.overdue")
_SIGNATURE = "ComPDF-Signature"


class Hearer(Protocol):
    """Who is told of announcements, on any thread."""

    def announced(self, task: str, /) -> None:
        """A task is said to have ended."""

    def refused(self) -> None:
        """An announcement came with a wrong token."""


class WebhookReceiver:
    """Listens on one address on a thread of its own."""

    def __init__(
        self,
        address: tuple[str, int],
        token: str,
        hearer: Hearer,
    ) -> None:
        """Raises PaperchuteError when the address is taken."""
        self._token = token.encode()
        self._hearer = hearer
        self._trusted = True  # the latest announcement was; a flood of wrong ones is one line in the log
        try:
            self._server = _Server(address, self._heard)
        except OSError as error:
            raise PaperchuteError(
                _(
                    "The webhook receiver cannot listen on {address} ({reason}).",
                    address=f"{address[0]}:{address[1]}",
                    reason=error.strerror,
                ),
                _("Give another address with `webhook_listen`."),
            ) from error
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, name="webhooks", daemon=True).start()

    def stop(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()

    def _heard(self, signature: str, content: bytes) -> int:
        """The HTTP status for an announcement."""
        try:
            body: Any = json.loads(content)
        except (ValueError, RecursionError):
            return 400
        if not isinstance(body, dict):
            return 400
        given = (signature, body.get("webhookToken"))
        if not all(isinstance(one, str) and hmac.compare_digest(_bytes(one), self._token) for one in given):
            if self._trusted:
                logger.warning("a webhook with a wrong token was refused")
            self._trusted = False
            self._hearer.refused()
            return 403
        self._trusted = True
        if body.get("eventName") in _EVENTS and isinstance(body.get("eventObject"), str):
            self._hearer.announced(body["eventObject"])
        return 200


class _Server(ThreadingHTTPServer):
    """One thread for each connection, and not many of them."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], heard: Callable[[str, bytes], int]) -> None:
        self.heard = heard
        self._free = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """What comes beyond the limit is hung up on; services send an announcement again."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """On the connection's thread, for as long as a request may take."""
        timer = threading.Timer(_MOST_SECONDS, _hang_up, [request])
        timer.daemon = True
        timer.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            timer.cancel()
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Senders that hang up, or send what is no HTTP, are no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _MOST_SECONDS

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if len(length) > len(str(_MOST_BYTES)) or not length.isascii() or not length.isdigit():
            self.send_error(413)
            return
        if int(length) > _MOST_BYTES:
            self.send_error(413)
            return
        content = self.rfile.read(int(length))
        self.send_response(self.server.heard(self.headers.get(_SIGNATURE, ""), content))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def version_string(self) -> str:
        """Nobody need know what this is made of."""
        return "webhooks"

    def log_message(self, *_: object) -> None:
        """The log has what matters."""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _hang_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
