"""The client of one service: synchronous calls, results, and whether it is there at all."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx

from paperchute.contract import Operation, contract, kind_of
from paperchute.contract.kinds import canonical, matches_extension
from paperchute.files import placing
from paperchute.files.names import safe_name, shorten
from paperchute.service import failures
from paperchute.service.reading import Outcome, masked, read_answer
from paperchute.service.records import Answer, Call, Fetched, InputChangedError, ServiceAddress, ServiceError
from paperchute.service.unpack import unpack
from paperchute.service.upload import Form

_CONNECT_SECONDS = 10.0
_TRANSFER_SECONDS = 120.0  # longest silence while bytes are on their way
_FIRST_POLL_LOCAL, _FIRST_POLL_REMOTE, _LAST_POLL = 1.0, 3.0, 30.0  # contract.toml [limits] poll_min_seconds
_ANSWER_BYTES = 64 << 20  # an envelope is small; a parse result sent as the answer itself may not be


class ServiceClient:
    """Thread-safe; one connection pool for all workers. The key goes to the service itself and nowhere else."""

    def __init__(self, address: ServiceAddress) -> None:
        self._base = address.base_url.rstrip("/")
        self._key = address.key
        self._local = address.local
        loopback = urlsplit(self._base).hostname in ("127.0.0.1", "localhost", "::1")
        plain = urlsplit(self._base).scheme == "http"
        self._http = httpx.Client(
            # Making a TLS context takes 13 to 23 ms and a plain http service never needs one; results that lie at
            # another, https address then come over the second client, made when first needed.
            verify=not plain,
            trust_env=not loopback,
            timeout=httpx.Timeout(_TRANSFER_SECONDS, connect=_CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=32, max_keepalive_connections=32),
            follow_redirects=False,
        )
        self._results = self._http if not plain else None

    @property
    def repeatable(self) -> bool:
        """Whether asking again with the same idempotency key cannot cost twice."""
        return self._local

    def close(self) -> None:
        """Close all connections."""
        self._http.close()
        if self._results is not None and self._results is not self._http:
            self._results.close()

    def check(self) -> None:
        """Ask whether the service is there and takes the key. Raises ServiceError (down, auth, ...)."""
        outcome, status, wait = self._get("/v2/asset/info", {})
        if status == 401 or outcome.code == "401":
            raise failures.from_outcome(outcome, "", status, wait)
        if status >= 500:
            raise ServiceError(f"The service at {self._base} answers with HTTP {status}.", kind="down")

    def call(self, call: Call) -> Answer:
        """Have one operation done. Raises ServiceError, InputChangedError, and OSError for unreadable inputs."""
        operation = contract().operations[call.operation]
        name = call.files[0][1].name if call.files else call.operation
        deadline = time.monotonic() + call.timeout
        with Form(call, operation.parameter("language") is not None) as form:
            status, content, wait = self._post(operation, form, call)
            hashes = form.hashes
        outcome = read_answer(status, content)
        if outcome.kind == "pending":
            outcome, status, wait, content = self._poll(outcome, deadline, status, content)
        if outcome.kind != "done":
            raise failures.from_outcome(outcome, name, status, wait)
        return Answer(
            task_id=outcome.task_id,
            download_url=outcome.download_url,
            file_name=outcome.file_name,
            size=outcome.size,
            hashes=hashes,
            raw=content.decode() if outcome.body else masked(content),
        )

    def fetch(self, answer: Answer, operation: str, place: Path) -> Fetched:
        """Fetch a result to `place`, checked for size and kind; several outputs come unpacked, as a folder there.

        What was at `place` is replaced. Raises ServiceError: kind task when it has expired, lost when the connection
        broke, transient when it is not what was promised. Raises OSError. After an error nothing is at `place`.
        """
        known = contract().operations[operation]
        placing.remove(place)
        try:
            if answer.download_url:
                self._fetch(answer, place)
            else:
                place.write_text(answer.raw, "utf-8")
            kind = kind_of(place)
            if kind == "zip":
                return self._unpacked(place)
            name = self._name(answer.file_name, known, kind)
            return Fetched(name, (name,))
        except BaseException:
            placing.remove(place)
            raise

    def download(self, answer: Answer, operation: str, folder: Path) -> list[Path]:
        """Fetch a result into `folder`; the paths of its files, in order. Raises like `fetch`."""
        place = folder / placing.temporary_name(secrets.token_hex(6))
        fetched = self.fetch(answer, operation, place)
        if fetched.name:
            return [place.replace(folder / fetched.name)]
        files = []
        for name in fetched.files:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            files.append((place / name).replace(target))
        placing.remove(place)
        return files

    # ---------- requests ----------

    def _post(self, operation: Operation, form: Form, call: Call) -> tuple[int, bytes, float | None]:
        timeout = httpx.Timeout(_TRANSFER_SECONDS, connect=_CONNECT_SECONDS, read=call.timeout)
        started = False
        try:
            request = httpx.Request(
                "POST",
                self._base + operation.path,
                headers={"x-api-key": self._key, "Idempotency-Key": call.idempotency_key, **form.headers},
                content=form,
                extensions={"timeout": timeout.as_dict()},
            )
            started = True
            response = self._http.send(request, stream=True)
            try:
                content = _read(response)
            finally:
                response.close()
        except InputChangedError:
            raise
        except (httpx.TransportError, httpx.StreamError) as error:
            raise failures.from_transport(error, self._base, sent=started) from error
        return response.status_code, content, failures.retry_after(response.headers)

    def _get(self, path: str, query: dict[str, str]) -> tuple[Outcome, int, float | None]:
        try:
            response = self._http.get(self._base + path, params=query, headers={"x-api-key": self._key}, timeout=30.0)
        except httpx.TransportError as error:
            raise failures.from_transport(error, self._base, sent=False) from error
        self._polled = response.content
        return (
            read_answer(response.status_code, response.content),
            response.status_code,
            failures.retry_after(response.headers),
        )

    def _poll(
        self, outcome: Outcome, deadline: float, status: int, content: bytes
    ) -> tuple[Outcome, int, float | None, bytes]:
        """Ask for a task until it has ended (contract section 4). Raises ServiceError(lost) at the deadline."""
        pause = _FIRST_POLL_LOCAL if self._local else _FIRST_POLL_REMOTE
        wait: float | None = None
        while outcome.kind == "pending":
            if time.monotonic() + pause > deadline:
                word = f" Its last word was {outcome.reason!r}." if outcome.reason else ""
                raise ServiceError(f"The service did not finish in time.{word}", kind="lost")
            time.sleep(pause)
            pause = min(_LAST_POLL, pause * 1.5)
            try:
                response = self._http.get(
                    self._base + "/v2/task/taskInfo",
                    params={"taskId": outcome.task_id, "language": "1"},
                    headers={"x-api-key": self._key},
                )
            except httpx.TransportError:
                continue  # the task goes on without us; ask again until the deadline
            found = read_answer(response.status_code, response.content)
            if found.kind == "refused" and response.status_code in contract().retry_http:
                continue
            outcome, status, content = found, response.status_code, response.content
            wait = failures.retry_after(response.headers)
        return outcome, status, wait, content

    # ---------- results ----------

    def _fetch(self, answer: Answer, temporary: Path) -> None:
        try:
            request = httpx.Request(
                "GET",
                self._current(answer.download_url),
                headers={"Accept-Encoding": "identity"},
                extensions={"timeout": httpx.Timeout(_TRANSFER_SECONDS, connect=_CONNECT_SECONDS).as_dict()},
            )
            with contextlib.closing(self._result_client().send(request, stream=True)) as response:
                if response.status_code in (403, 404, 410):
                    raise ServiceError(
                        "The service no longer has the result.", "Try the job again.", kind="task", code="05004"
                    )
                if response.status_code != 200:
                    kind = "transient" if response.status_code in contract().retry_http else "permanent"
                    raise ServiceError(f"The result cannot be fetched (HTTP {response.status_code}).", kind=kind)
                with temporary.open("wb") as file:
                    for block in response.iter_bytes(1 << 18):
                        file.write(block)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise failures.from_transport(error, self._base, sent=False) from error
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise ServiceError("The result broke off while it was fetched.", kind="transient") from error
        size = temporary.stat().st_size
        if answer.size is not None and size != answer.size:
            raise ServiceError(
                f"The result came with {size} bytes, and the service announced {answer.size}.", kind="transient"
            )

    def _result_client(self) -> httpx.Client:
        if self._results is None:
            self._results = httpx.Client(timeout=httpx.Timeout(_TRANSFER_SECONDS, connect=_CONNECT_SECONDS))
        return self._results

    def _current(self, url: str) -> str:
        """Our own engine may listen on another port by now than when it gave the address."""
        if not self._local:
            return url
        here = urlsplit(self._base)
        return urlunsplit((here.scheme, here.netloc, *urlsplit(url)[2:]))

    @staticmethod
    def _unpacked(place: Path) -> Fetched:
        """Unpack the archive at `place`: to a folder there, or where it holds a single file to that file."""
        archive = placing.archive_of(place)
        place.replace(archive)
        try:
            place.mkdir()
            files = unpack(archive, place)
            if len(files) > 1:
                return Fetched("", tuple(file.relative_to(place).as_posix() for file in files))
            alone = files[0].replace(archive)
            placing.remove(place)
            alone.replace(place)
            return Fetched(files[0].name, (files[0].name,))
        finally:
            placing.remove(archive)

    @staticmethod
    def _name(announced: str, operation: Operation, kind: str) -> str:
        """The result's name, its suffix as its content is. Raises ServiceError for content that cannot be right."""
        name = shorten(safe_name(announced or f"result.{operation.output_ext}"), "")
        allowed = {canonical(operation.output_ext), *map(canonical, operation.input_ext)}
        if not any(matches_extension(kind, extension) for extension in allowed):
            raise ServiceError(
                f"The service sent a result of kind {kind}, where {operation.output_ext} was due.", kind="transient"
            )
        stem, dot, suffix = name.rpartition(".")
        if dot and matches_extension(kind, suffix):
            return name
        extension = operation.output_ext if matches_extension(kind, operation.output_ext) else kind
        return shorten(stem or name, f".{extension}")


def _read(response: httpx.Response) -> bytes:
    content = b""
    blocks: Iterator[bytes] = response.iter_bytes()
    for block in blocks:
        content += block
        if len(content) > _ANSWER_BYTES:
            raise httpx.StreamError("the answer is too long")
    return content
