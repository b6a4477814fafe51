"""A service on loopback that keeps a ledger: every call that reached it, what it did, and what came of the answer.

Results depend on the operation, its parameters and the inputs alone, so a test knows beforehand what must come out.
Many tests share one server: each has an account of its own, the first part of the path.
"""

from __future__ import annotations

import email.parser
import email.policy
import hashlib
import io
import json
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

from paperchute.contract import contract
from paperchute.notation.columns import KEY

Mood = Literal["good", "cut", "refuse"] | int
"""What becomes of a call: good answers; cut does the work and hangs up without a word; refuse finds the file bad; a
number is an HTTP status that says no."""

_BROKEN_FILE = "02207"  # contract.toml: the file cannot be read


@dataclass(frozen=True)
class Contact:
    """One call as it reached the service whole. `worked`: it was done (and charged) and not just answered again."""

    operation: str
    key: str
    inputs: tuple[str, ...]
    mood: Mood
    worked: bool


def label_of(contact: Contact) -> str:
    """Which call of its job it was: the idempotency key without the job's token and the round."""
    return contact.key.partition("-")[2].rpartition("-")[0]


@dataclass
class Account:
    """One customer. moods: asked for each call, in the order they arrive. keeps_keys: honours idempotency keys.

    slow: seconds that each call takes. pause: seconds in the middle of each download. size: bytes that each result is
    padded to. expiring: how many results are gone when they are first fetched.
    """

    moods: Callable[[], Mood] = lambda: "good"
    keeps_keys: bool = True
    slow: float = 0.0
    pause: float = 0.0
    size: int = 0
    expiring: int = 0
    contacts: list[Contact] = field(default_factory=list)
    downloads: int = 0
    _results: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def work(
        self, operation: str, key: str, inputs: Sequence[bytes], parameters: Mapping[str, str]
    ) -> tuple[Mood, str]:
        """Do a call; its mood and the task that holds its result."""
        mood = self.moods()
        task = hashlib.sha256(f"{operation} {key} {'' if self.keeps_keys else len(self.contacts)}".encode()).hexdigest()
        worked = mood in ("good", "cut") and task not in self._results
        if worked:
            self._results[task] = packed(operation, outputs_of(operation, inputs, parameters, self.size))
        digests = tuple(hashlib.sha256(content).hexdigest() for content in inputs)
        self.contacts.append(Contact(operation, key, digests, mood, worked))
        return mood, task

    def result(self, task: str) -> tuple[str, bytes] | None:
        """Name and bytes of a task's result, None when it has expired."""
        return self._results.get(task)

    def fetch(self, task: str) -> bytes | None:
        """A download."""
        self.downloads += 1
        if self.expiring:
            self.expiring -= 1
            del self._results[task]
        found = self.result(task)
        return found[1] if found else None


def outputs_of(
    operation: str, inputs: Sequence[bytes], parameters: Mapping[str, str], size: int = 0
) -> dict[str, bytes]:
    """The finished files by name; several for operations whose result is an archive."""
    digest = hashlib.sha256(operation.encode())
    for content in inputs:
        digest.update(hashlib.sha256(content).digest())
    digest.update(json.dumps(sorted(_asked(parameters).items())).encode())
    text = digest.hexdigest().encode()
    extension = contract().operations[operation].output_ext
    if extension == "zip":
        if operation != "pdf-split":
            return {
                "1.md": _filled(b"# one of " + text + b"\n", size),
                "images/2.md": _filled(b"# two of " + text + b"\n", size),
            }
        return {
            "1.pdf": _filled(b"%PDF-1.7\none of " + text + b"\n", size) + b"%%EOF\n",
            "images/2.pdf": _filled(b"%PDF-1.7\ntwo of " + text + b"\n", size) + b"%%EOF\n",
        }
    head, end = (b"%PDF-1.7\n", b"%%EOF\n") if extension == "pdf" else (b"# ", b"")
    return {f"result.{extension}": _filled(head + text + b"\n", size) + end}


def _asked(parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters without what the daemon tells its own engine of a list's columns."""
    asked = dict(parameters)
    if "data" in asked:
        data = json.loads(asked["data"])
        data.pop(KEY, None)
        asked["data"] = json.dumps(data)
    return asked


def packed(operation: str, outputs: Mapping[str, bytes]) -> tuple[str, bytes]:
    """What is sent for these files: the one itself, or an archive."""
    if len(outputs) == 1:
        return next(iter(outputs.items()))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in outputs.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content)
    return "result.zip", buffer.getvalue()


class LedgerService:
    """The server. `accounts` by their name, which is the first part of the path."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self._lock = threading.Lock()
        self.server = _QuietServer(("127.0.0.1", 0), self._handler())

    def open(self, name: str, account: Account) -> str:
        """Add an account; its base URL."""
        self.accounts[name] = account
        return f"http://127.0.0.1:{self.server.server_port}/{name}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # an answer in one piece: in two, Nagle's algorithm makes it wait 40 ms

            def do_POST(self) -> None:
                account, path = self._account()
                inputs, parameters = _parts(self.headers["Content-Type"], self._body())
                operation = contract().operation_at(path)
                assert operation is not None, path
                parameters.pop("language", None)
                with service._lock:
                    mood, task = account.work(operation.id, self.headers["Idempotency-Key"], inputs, parameters)
                time.sleep(account.slow)
                if mood == "cut":
                    self.close_connection = True
                    return
                if isinstance(mood, int):
                    self._send(json.dumps({"code": str(mood), "msg": "busy"}).encode(), mood, {"Retry-After": "0"})
                    return
                self._send(json.dumps(self._envelope(account, mood, task)).encode())

            def _envelope(self, account: Account, mood: Mood, task: str) -> dict[str, object]:
                record: dict[str, object] = {"taskId": task, "status": "success", "failureCode": None}
                if mood == "refuse":
                    record |= {"status": "failed", "failureCode": _BROKEN_FILE, "failureReason": "it is broken"}
                else:
                    name, content = account.result(task) or ("", b"")
                    base = f"http://{self.headers['Host']}{self.path.partition('/v2/')[0]}"
                    record |= {
                        "downFileName": name,
                        "downloadUrl": f"{base}/download/{task}",
                        "convertSize": len(content),
                    }
                return {"code": "200", "msg": "success", "data": record}

            def do_GET(self) -> None:
                account, path = self._account()
                if not path.startswith("/download/"):
                    self._send(b'{"code": "200", "msg": "success", "data": {"tenantAsset": []}}')
                    return
                with service._lock:
                    found = account.fetch(path.rpartition("/")[2])
                self._send(found or b"", 404 if found is None else 200, pause=account.pause)

            def _account(self) -> tuple[Account, str]:
                name, _, rest = self.path.removeprefix("/").partition("/")
                return service.accounts[name], "/" + rest

            def _body(self) -> bytes:
                if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                    return self._exactly(int(self.headers["Content-Length"]))
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self._exactly(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def _exactly(self, size: int) -> bytes:
                content = self.rfile.read(size)
                if len(content) < size:
                    raise ConnectionError("the caller is gone")
                return content

            def _send(
                self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None, pause: float = 0.0
            ) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body[: len(body) // 2])
                if pause:
                    self.wfile.flush()
                    time.sleep(pause)
                self.wfile.write(body[len(body) // 2 :])

            def log_message(self, *_: object) -> None:
                return

        return Handler


@contextmanager
def ledger_service() -> Iterator[LedgerService]:
    """A service that lives for the length of the block."""
    service = LedgerService()
    thread = threading.Thread(target=service.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.server.shutdown()
        service.server.server_close()
        thread.join()


class _QuietServer(ThreadingHTTPServer):
    """Callers that are killed in the middle of a request are no news here."""

    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        return


def _filled(content: bytes, size: int) -> bytes:
    return content + b" " * (size - len(content))


def _parts(content_type: str, body: bytes) -> tuple[list[bytes], dict[str, str]]:
    """The files of a form in their order, and its texts."""
    head = b"Content-Type: " + content_type.encode() + b"\r\n\r\n"
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    files: list[bytes] = []
    texts: dict[str, str] = {}
    for part in message.iter_parts():
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        if part.get_filename() is not None:
            files.append(content)
        else:
            texts[str(part.get_param("name", header="content-disposition"))] = content.decode()
    return files, texts
