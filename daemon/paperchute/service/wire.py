"""Requests to one service: its key, its timeouts, and what may be fetched from where."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit, urlunsplit

import httpx

from paperchute.service import failures
from paperchute.service.records import ServiceAddress, ServiceError

CONNECT_SECONDS = 10.0
TRANSFER_SECONDS = 120.0  # longest silence while bytes are on their way
_ANSWER_BYTES = 64 << 20  # an envelope is small; a parse result sent as the answer itself may not be
_REDIRECTS = 3
_MOVED = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Reply:
    """A whole answer. retry_after: seconds the service asked to wait, or None."""

    status: int
    content: bytes
    retry_after: float | None


class Wire:
    """Thread-safe; one connection pool for all workers. The key goes to the service itself and nowhere else."""

    def __init__(self, address: ServiceAddress, credentials: Mapping[str, str] | None = None) -> None:
        """credentials: the headers that say who asks; default: the key as x-api-key (contract [auth.processing])."""
        self.address = address
        self._credentials = {"x-api-key": address.key} if credentials is None else credentials
        self.base = address.base_url.rstrip("/")
        where = urlsplit(self.base)
        self._host = where.hostname or ""
        plain = where.scheme == "http"
        self._http = httpx.Client(
            # Making a TLS context takes 13 to 23 ms and a plain http service never needs one; results that lie at
            # another, https address then come over the second client, made when first needed.
            verify=not plain,
            trust_env=self._host not in ("127.0.0.1", "localhost", "::1"),
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=32),
            follow_redirects=False,
        )
        self._elsewhere = None if plain else self._http

    def close(self) -> None:
        """Close all connections."""
        self._http.close()
        if self._elsewhere is not None and self._elsewhere is not self._http:
            self._elsewhere.close()

    def post(
        self, path: str, headers: Mapping[str, str], body: Iterable[bytes], *, deadline: float, read: float
    ) -> Reply:
        """Send a body to the service. deadline: monotonic seconds; read: longest wait for the answer to begin.

        Raises ServiceError: down when nobody answers, lost when the request went out and no answer came.
        """
        request = httpx.Request(
            "POST",
            self.base + path,
            headers={**self._credentials, **headers},
            content=body,
            extensions=_timeouts(read),
        )
        return self._sent(self._http, request, deadline)

    def get(self, path: str, query: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None) -> Reply:
        """Ask the service. Raises ServiceError (down): a question that is not answered can be asked again."""
        request = httpx.Request(
            "GET",
            self.base + path,
            params=query,
            headers={**self._credentials, "Accept-Encoding": "identity", **(headers or {})},
            extensions=_timeouts(30.0),
        )
        try:
            return self._sent(self._http, request, time.monotonic() + TRANSFER_SECONDS)
        except ServiceError as error:
            raise ServiceError(error.what, "It is asked again.", kind="down") from error

    def put(self, url: str, headers: Mapping[str, str], body: Iterable[bytes]) -> Reply:
        """Upload to an address that the service gave, without the key. Raises ServiceError."""
        self._check_address(url)
        request = httpx.Request("PUT", url, headers=headers, content=body, extensions=_timeouts(TRANSFER_SECONDS))
        return self._sent(self._client_for(url), request, time.monotonic() + 24 * 3600.0)

    @contextlib.contextmanager
    def result(self, url: str) -> Iterator[httpx.Response]:
        """The answer to fetching a result, without the key. Redirects are followed where they may lead.

        Raises ServiceError, and httpx.TransportError while the block reads.
        """
        url = self._current(url)
        for _ in range(_REDIRECTS + 1):
            self._check_address(url)
            request = httpx.Request(
                "GET", url, headers={"Accept-Encoding": "identity"}, extensions=_timeouts(TRANSFER_SECONDS)
            )
            with contextlib.closing(self._client_for(url).send(request, stream=True)) as response:
                if response.status_code not in _MOVED or "location" not in response.headers:
                    yield response
                    return
                target = urljoin(url, response.headers["location"])
            if urlsplit(url).scheme == "https" and urlsplit(target).scheme != "https":
                raise ServiceError("The service sends its results over an open line.", kind="permanent")
            url = target
        raise ServiceError("The result is moved on and on.", kind="transient")

    def _sent(self, client: httpx.Client, request: httpx.Request, deadline: float) -> Reply:
        try:
            with contextlib.closing(client.send(request, stream=True)) as response:
                return Reply(response.status_code, _read(response, deadline), failures.retry_after(response.headers))
        except (httpx.TransportError, httpx.StreamError) as error:
            raise failures.from_transport(error, self.base, sent=True) from error

    def _current(self, url: str) -> str:
        """Our own engine may listen on another port by now than when it gave the address."""
        if not self.address.local:
            return url
        here = urlsplit(self.base)
        return urlunsplit((here.scheme, here.netloc, *urlsplit(url)[2:]))

    def _client_for(self, url: str) -> httpx.Client:
        if urlsplit(url).scheme == "http" or self._elsewhere is not None:
            return self._http if self._elsewhere is None else self._elsewhere
        self._elsewhere = httpx.Client(follow_redirects=False)
        return self._elsewhere

    def _check_address(self, url: str) -> None:
        """A service out in the world has no business with addresses inside. Raises ServiceError."""
        where = urlsplit(url)
        host = where.hostname or ""
        if where.scheme not in ("http", "https") or not host:
            raise ServiceError("The service gave an address that is none.", kind="permanent")
        if host != self._host and _is_inside(host) and not _is_inside(self._host):
            raise ServiceError(
                f"The service points to {host}, which is an address inside this network.", kind="permanent"
            )


def _is_inside(host: str) -> bool:
    """Whether a name leads to a private, loopback or link-local address; a name that leads nowhere does not."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return any(not ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_global for entry in found)


def _read(response: httpx.Response, deadline: float) -> bytes:
    content = bytearray()
    for block in response.iter_bytes():
        content += block
        if len(content) > _ANSWER_BYTES:
            raise httpx.StreamError("the answer is too long")
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("the answer never ends")
    return bytes(content)


def _timeouts(read: float) -> dict[str, object]:
    timeout = httpx.Timeout(TRANSFER_SECONDS, connect=CONNECT_SECONDS, read=read)
    return {"timeout": timeout.as_dict()}
