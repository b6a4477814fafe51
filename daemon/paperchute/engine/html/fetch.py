"""What documents may fetch: nothing but listed hosts, and those only at public addresses.

The address that was checked is the one that is connected to (no second name lookup), and every redirect is checked
like a first request. Follows design section 9 and the usual advice against server-side request forgery.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from paperchute.engine.work import FetchPolicy

_MOST_BYTES = 32 << 20
_MOST_REDIRECTS = 5
_SECONDS = 15.0
_TOTAL_SECONDS = 60.0

Resolve = Callable[[str, int], list[str]]


class FetchRefused(Exception):
    """An address that may not be fetched, or could not be. The text says why, without any answer's content."""


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name. Raises OSError."""
    return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def fetch(url: str, policy: FetchPolicy, resolver: Resolve = resolve) -> tuple[bytes, str]:
    """(content, content type) of an http or https address that the policy allows. Raises FetchRefused."""
    ends = time.monotonic() + _TOTAL_SECONDS
    for _ in range(_MOST_REDIRECTS + 1):
        content, content_type, onward = _once(url, policy, resolver, ends)
        if onward is None:
            return content, content_type
        try:
            url = urljoin(url, onward)
        except ValueError as error:
            raise FetchRefused("it redirects to no address") from error
    raise FetchRefused("it redirects too often")


def fetch_to(url: str, path: Path, policy: FetchPolicy) -> None:
    """Fetch into a file. Raises FetchRefused."""
    content, _ = fetch(url, policy)
    path.write_bytes(content)


def check_allowed(url: str, policy: FetchPolicy) -> None:
    """Raises FetchRefused unless the address is http or https on a listed host."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise FetchRefused("it is no address") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise FetchRefused("only http and https addresses may be fetched")
    if parts.hostname.lower() not in (host.lower() for host in policy.hosts):
        raise FetchRefused(f"the host {parts.hostname} is not among those that this engine may fetch from")


def _once(url: str, policy: FetchPolicy, resolver: Resolve, ends: float) -> tuple[bytes, str, str | None]:
    check_allowed(url, policy)
    parts = urlsplit(url)
    assert parts.hostname is not None
    secure = parts.scheme == "https"
    try:
        port = parts.port or (443 if secure else 80)
        address = _public_address(parts.hostname, port, resolver)
        connection = _Pinned(parts.hostname, port, address, secure)
        try:
            target = parts.path or "/"
            connection.request("GET", f"{target}?{parts.query}" if parts.query else target)
            response = connection.getresponse()
            if response.status in (301, 302, 303, 307, 308):
                return b"", "", response.getheader("Location") or ""
            if response.status != 200:
                raise FetchRefused(f"it answers with HTTP {response.status}")
            return _read(response, ends), response.getheader("Content-Type") or "", None
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise FetchRefused("it cannot be reached") from error


def _read(response: http.client.HTTPResponse, ends: float) -> bytes:
    content = bytearray()
    while block := response.read(1 << 16):
        content += block
        if len(content) > _MOST_BYTES:
            raise FetchRefused("it is too large")
        if time.monotonic() > ends:
            raise FetchRefused("it is too slow")
    return bytes(content)


def _public_address(host: str, port: int, resolver: Resolve) -> str:
    """One address of the host; all of them must be public, or a name could lead inside by chance."""
    addresses = resolver(host, port)
    if not addresses or not all(_is_public(address) for address in addresses):
        raise FetchRefused(f"the host {host} is not at a public address")
    return addresses[0]


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is not None:
            return inner.is_global and not inner.is_multicast
    return address.is_global and not address.is_multicast


class _Pinned(http.client.HTTPConnection):
    """Connects to the address that was checked, whatever the name means by now."""

    def __init__(self, host: str, port: int, address: str, secure: bool) -> None:
        super().__init__(host, port, timeout=_SECONDS)
        self._address = address
        self._secure = secure

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)
