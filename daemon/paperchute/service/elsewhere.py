"""The way to addresses that a service names: results and uploads that lie elsewhere than the service itself.

The address that was checked is the one connected to (no second name lookup), so a name that changes its meaning in
between leads nowhere.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from paperchute.addresses import is_public, resolve
from paperchute.redaction import printable
from paperchute.service.records import ServiceError

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
        raise ServiceError("The service gave an address that cannot be used.", kind="permanent") from None
    return url


def is_outside(host: str) -> bool:
    """Whether a name leads to addresses of the public internet only, or nowhere from here."""
    try:
        return all(map(is_public, resolve(host, 0)))
    except (OSError, ValueError):
        return True


def inside(host: str) -> ServiceError:
    """The error for an address of this network that a service out in the world has no business with."""
    return ServiceError(f"The service points to {host}, which is an address inside this network.", kind="permanent")


def goes_by_proxy(url: httpx.URL) -> bool:
    """Whether the system's settings have a proxy connect to it, which then knows names that this machine does not."""
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
