"""The receiver of webhooks: a service announces that a task has ended, and the task is asked for (contract section 7).

An announcement is a hint and nothing more: what counts is the answer to the question that follows, so a replayed or
invented one does no harm. Those without the agreed token are refused all the same.
"""

from __future__ import annotations

import hmac
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from loguru import logger

from paperchute.errors import PaperchuteError

_MOST_BYTES = 1 << 16
_EVENTS = ("task.finish", "task.overdue")
_SIGNATURE = "ComPDF-Signature"


class WebhookReceiver:
    """Listens on one address on a thread of its own."""

    def __init__(self, address: tuple[str, int], token: str, on_task: Callable[[str], None]) -> None:
        """on_task: told of a task that is said to have ended. Raises PaperchuteError when the address is taken."""
        receiver = self
        self._token = token
        self._on_task = on_task

        class Handler(BaseHTTPRequestHandler):
            timeout = 10  # seconds: a sender that dawdles is let go

            def do_POST(self) -> None:
                length = self.headers.get("Content-Length", "")
                if not length.isascii() or not length.isdigit() or int(length) > _MOST_BYTES:
                    self.send_error(413)
                    return
                self.send_response(receiver._heard(self.headers.get(_SIGNATURE, ""), self.rfile.read(int(length))))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        try:
            self._server = ThreadingHTTPServer(address, Handler)
        except OSError as error:
            raise PaperchuteError(
                f"The webhook receiver cannot listen on {address[0]}:{address[1]} ({error.strerror}).",
                "Give another address with `webhook_listen`.",
            ) from error
        self._server.daemon_threads = True
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
        for given in (signature, str(body.get("webhookToken", ""))):
            if not hmac.compare_digest(given.encode(), self._token.encode()):
                logger.warning("a webhook with a wrong token was refused")
                return 403
        if body.get("eventName") in _EVENTS and isinstance(body.get("eventObject"), str):
            self._on_task(body["eventObject"])
        return 200
