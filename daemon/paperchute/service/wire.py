"""Requests to one service and to addresses that it names: its key, its timeouts, and what may be fetched from where."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpcore
import httpx

from paperchute import telemetry
from paperchute.addresses import is_public, resolve
from paperchute.language import _, current
from paperchute.redaction import printable
from paperchute.service import failures
from paperchute.service.exchange import BROKEN, TRANSFER_SECONDS, Incoming, answer_to
from paperchute.service.model import ServiceAddress, ServiceError

_LONGEST_ADDRESS = 8192  # pre-signed addresses have 2,000 characters at most
_TRIED = 4  # addresses of one name


def checked(text: str) -> httpx.URL:
    """A service's address as one. Raises ServiceError unless it is a plain web address."""
    try:
        if len(text) > _LONGEST_ADDRESS or printable(text) != text:
            raise ValueError
        url = httpx.URL(text)
        if url.scheme not in ("http", "https") or not url.host or url.userinfo or not 0 < (url.port or 80) < 1 << 16:
            raise ValueError
    except (httpx.InvalidURL, ValueError):
        raise ServiceError(_("The service gave an address that cannot be used."), kind="permanent") from None
    return url


def is_outside(host: str) -> bool:
    """Decide whether a name leads to addresses of the public internet only, or nowhere from here."""
    try:
        return all(map(is_public, resolve(host, 0)))
    except (OSError, ValueError):
        return True


def inside(host: str) -> ServiceError:
    """The error for an address of this network that a service out in the world has no business with."""
    return ServiceError(
        _("The service points to {host}, which is an address inside this network.", host=host), kind="permanent"
    )


def goes_by_proxy(url: httpx.URL) -> bool:
    """Tell if the system's settings have a proxy connect to it, which then knows names that this machine does not."""
    proxies = urllib.request.getproxies()
    return bool(proxies.get(url.scheme) or proxies.get("all")) and not urllib.request.proxy_bypass(url.host)


def public_client() -> httpx.Client:
    """A client that connects to public addresses and to no others."""
    return httpx.Client(transport=_PublicTransport(), follow_redirects=False)


class _PublicTransport(httpx.HTTPTransport):
    """httpx has no public way to choose the network under its transport; httpcore, which it stands on, has."""

    def __init__(self) -> None:
        super().__init__()
        self._pool.close()
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=64,
            max_keepalive_connections=32,
            keepalive_expiry=5.0,
            network_backend=_PublicNetwork(),
        )


class _PublicNetwork(httpcore.SyncBackend):
    """Connects to the very addresses that were looked at. All must be public, or a name could lead inside by chance."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Raises ServiceError for an address inside, and httpcore's errors."""
        try:
            addresses = resolve(host, port)
        except (OSError, ValueError) as error:
            raise httpcore.ConnectError("the name is not known") from error
        if not addresses or not all(map(is_public, addresses)):
            raise inside(host)
        for address in addresses[:_TRIED]:
            try:
                return super().connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


_REDIRECTS = 3
_PLAIN = {"Accept-Encoding": "identity", "User-Agent": "paperchute"}  # many a guard turns away who gives no name
_MOVED = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Reply:
    """A whole answer. retry_after: seconds the service asked to wait, or None."""

    status: int
    content: bytes
    retry_after: float | None


def _asking() -> dict[str, str]:
    """The headers of a question to the service itself, whose sentences the person may read."""
    trace = telemetry.carried()
    return {**_PLAIN, "Accept-Language": current(), **({telemetry.HEADER: trace} if trace else {})}


_ENGLISH, _CHINESE = "1", "2"  # what the contract's `language` knows


class Wire:
    """Thread-safe; one connection pool for all workers. The key goes to the service itself and nowhere else."""

    def __init__(self, address: ServiceAddress, credentials: Mapping[str, str] | None = None) -> None:
        """credentials: the headers that say who asks; default: the key as x-api-key (contract [auth.processing])."""
        self.address = address
        self._credentials = {"x-api-key": address.key} if credentials is None else credentials
        self.base = address.base_url.rstrip("/")
        self._own = httpx.URL(self.base)
        self._lock = threading.Lock()
        self._anywhere: httpx.Client | None = None
        self._public: httpx.Client | None = None
        self._http = httpx.Client(
            # Making a TLS context takes 13 to 23 ms and a plain http service never needs one.
            verify=self._own.scheme != "http",
            trust_env=self._own.host not in ("127.0.0.1", "localhost", "::1"),
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=32),
            follow_redirects=False,
        )

    @property
    def language(self) -> dict[str, str]:
        """The contract's `language`, in which a service words its refusals.

        Our engine is not sent any: it speaks more languages than these two, and goes by Accept-Language.
        """
        if self.address.local:
            return {}
        return {"language": _CHINESE if current() == "zh-Hans" else _ENGLISH}

    def close(self) -> None:
        """Close all connections."""
        for client in (self._http, self._anywhere, self._public):
            if client is not None:
                client.close()

    def post(
        self, path: str, headers: Mapping[str, str], body: Iterable[bytes], *, deadline: float, read: float
    ) -> Reply:
        """Send a body to the service. deadline: monotonic seconds; read: longest wait for the answer to begin.

        Raises ServiceError: down when nobody answers, lost when the request went out and no answer came.
        """
        headers = {**self._credentials, **_asking(), **headers}
        return self._sent(self._http, "POST", _parsed(self.base + path), headers, body, deadline, read=read)

    def get(self, path: str, query: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None) -> Reply:
        """Ask the service. Raises ServiceError (down): a question that is not answered can be asked again."""
        try:
            return self.begin(path, query, headers)
        except ServiceError as error:
            raise ServiceError(error.what, _("It will be asked again."), kind="down") from error

    def begin(
        self, path: str, query: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Have something begin by a GET. Raises ServiceError as `post`: lost where it may have begun."""
        url = httpx.URL(self.base + path, params=query)
        headers = {**self._credentials, **_asking(), **(headers or {})}
        return self._sent(self._http, "GET", url, headers, (), time.monotonic() + TRANSFER_SECONDS, read=30.0)

    def put(self, text: str, headers: Mapping[str, str], body: Iterable[bytes]) -> Reply:
        """Upload to an address that the service gave, without the key. Raises ServiceError: nothing is charged yet."""
        url = self._allowed(checked(text))
        deadline = time.monotonic() + 24 * 3600.0
        try:
            return self._sent(self._client_for(url), "PUT", url, headers, body, deadline, read=TRANSFER_SECONDS)
        except ServiceError as error:
            if error.kind not in ("down", "lost") or (error.kind == "down" and self._is_own(url)):
                raise
            cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
            raise failures.unreachable(cause, url.host, _("The place for the upload")) from error

    @contextlib.contextmanager
    def result(self, text: str) -> Iterator[Incoming]:
        """The answer to fetching a result, without the key. Redirects are followed where they may lead.

        Raises ServiceError, and one of `exchange.BROKEN` while the block reads.
        """
        url = self._current(checked(text))
        for _hop in range(_REDIRECTS + 1):
            self._allowed(url)
            with contextlib.closing(self._begun(url)) as response:
                location = response.header("location") if response.status in _MOVED else ""
                if not location:
                    yield response
                    return
                target = checked(_joined(url, location))
            if url.scheme == "https" and target.scheme != "https":
                raise ServiceError(_("The service sends its results over an unencrypted connection."), kind="permanent")
            url = target
        raise ServiceError(_("The result is redirected too often."), kind="transient")

    def _begun(self, url: httpx.URL) -> Incoming:
        try:
            return answer_to(self._client_for(url), "GET", url, _PLAIN, read=TRANSFER_SECONDS)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            if self._is_own(url):
                raise failures.from_transport(error, self.base, sent=False) from error
            raise failures.unreachable(error, url.host, _("The place of the result")) from error
        except ValueError as error:  # a name that no name server could be asked for
            raise ServiceError(_("The service gave an address that cannot be used."), kind="permanent") from error

    def _sent(
        self,
        client: httpx.Client,
        method: str,
        url: httpx.URL,
        headers: Mapping[str, str],
        body: Iterable[bytes],
        deadline: float,
        *,
        read: float,
    ) -> Reply:
        try:
            with contextlib.closing(answer_to(client, method, url, headers, body, read=read)) as answer:
                return Reply(
                    answer.status, answer.content(deadline), failures.retry_after(answer.header("retry-after"))
                )
        except BROKEN as error:
            raise failures.from_transport(error, self.base, sent=True) from error

    def _current(self, url: httpx.URL) -> httpx.URL:
        """Our own engine may listen on another port by now than when it gave the address."""
        if not self.address.local:
            return url
        return url.copy_with(scheme=self._own.scheme, host=self._own.host, port=self._own.port)

    def _is_own(self, url: httpx.URL) -> bool:
        return (url.scheme, url.host, url.port) == (self._own.scheme, self._own.host, self._own.port)

    def _client_for(self, url: httpx.URL) -> httpx.Client:
        """The client that may connect to it: one for the service itself, and one for what it points to."""
        if self._is_own(url) or (url.scheme == self._own.scheme == "http" and self._leads_inside):
            return self._http
        with self._lock:
            if self._leads_inside or goes_by_proxy(url):
                if self._anywhere is None:
                    self._anywhere = httpx.Client(follow_redirects=False)
                return self._anywhere
            if self._public is None:
                self._public = public_client()
            return self._public

    @cached_property
    def _leads_inside(self) -> bool:
        """Whether the service is inside this network itself, and so may point to what is.

        Found out once: a service out in the world could change what its own name means.
        """
        return not is_outside(self._own.host)

    def _allowed(self, url: httpx.URL) -> httpx.URL:
        """Raises ServiceError: a service out in the world has no business with addresses inside."""
        if not self._is_own(url) and not self._leads_inside and not is_outside(url.host):
            raise inside(url.host)
        return url


@functools.lru_cache(64)
def _parsed(address: str) -> httpx.URL:
    """An address of the service, of which there are as many as operations."""
    return httpx.URL(address)


def _joined(url: httpx.URL, location: str) -> str:
    try:
        return str(url.join(location))
    except (httpx.InvalidURL, ValueError):
        return ""
