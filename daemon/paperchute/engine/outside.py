"""The way out of this machine: connections to addresses that were checked, and to nothing else.

The address that was checked is the one that is connected to (no second name lookup), so a name that changes its
meaning in between leads nowhere. Follows the usual advice against server-side request forgery.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from paperchute.addresses import is_public, resolve, why_not_fetched
from paperchute.engine.work import Refused
from paperchute.language import _

_MOST_REDIRECTS = 5
_SECONDS = 15.0  # one step: connecting, or a piece of the answer
_TOTAL_SECONDS = 60.0
_BLOCK = 1 << 16

REDIRECTS = (301, 302, 303, 307, 308)
Resolve = Callable[[str, int], list[str]]


class FetchRefused(Exception):
    """An address that may not be reached, or could not be. The text says why, without any answer's content."""


class FetchForbidden(FetchRefused):
    """An address that may not be reached: another try comes to the same."""


def check_web_address(url: str) -> None:
    """Raises FetchRefused unless the text is an http or https address with a host, and no name or password in it."""
    if why := why_not_fetched(url):
        raise FetchRefused(why)


@contextmanager
def connected(
    url: str, *, inner: Collection[str] = (), resolver: Resolve = resolve, seconds: float = _TOTAL_SECONDS
) -> Iterator[tuple[http.client.HTTPConnection, str]]:
    """A connection to the host of a checked web address, and the target to ask it for; cut off after `seconds`.

    inner: host names that may lie at private, loopback or link-local addresses. Raises FetchRefused for any failure.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    secure = parts.scheme == "https"
    try:
        port = parts.port or (443 if secure else 80)
        address = _address(host, port, resolver, open_inside=host in inner)
        connection = _Pinned(host, port, address, secure)
        try:
            with _cut_off(connection, seconds):
                target = parts.path or "/"
                yield connection, f"{target}?{parts.query}" if parts.query else target
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise FetchRefused(_("it cannot be reached")) from error


def download(
    url: str,
    path: Path,
    most: int,
    *,
    inner: Collection[str] = (),
    room: Callable[[int], None] = lambda size: None,
    resolver: Resolve = resolve,
) -> int:
    """Fetch an http or https address into a new file of at most `most` bytes; its size.

    room: called with the number of bytes before they are written, to refuse them. Every redirect is checked like the
    first address. Raises FetchRefused, what `room` raises, and Refused (01003) for the file.
    """
    ends = time.monotonic() + _TOTAL_SECONDS
    for _hop in range(_MOST_REDIRECTS + 1):
        check_web_address(url)
        left = max(0.0, ends - time.monotonic())
        with connected(url, inner=inner, resolver=resolver, seconds=left) as (connection, target):
            connection.request("GET", target, headers={"Accept": "*/*"})
            response = connection.getresponse()
            if response.status not in REDIRECTS:
                if response.status != 200:
                    raise FetchRefused(_("it answers with HTTP {status}", status=response.status))
                return _kept(response, path, most, room)
            onward = response.getheader("Location") or ""
        try:
            url = urljoin(url, onward)
        except ValueError as error:
            raise FetchRefused(_("it redirects to something that is not an address")) from error
    raise FetchRefused(_("it redirects too often"))


def post_json(url: str, body: bytes, headers: dict[str, str], *, inner: Collection[str] = ()) -> None:
    """POST a JSON text. Any 2xx is success; redirects are not followed. Raises FetchRefused."""
    check_web_address(url)
    with connected(url, inner=inner, seconds=_SECONDS) as (connection, target):
        connection.request("POST", target, body, {"Content-Type": "application/json", **headers})
        status = connection.getresponse().status
    if not 200 <= status < 300:
        raise FetchRefused(_("it answers with HTTP {status}", status=status))


def _kept(response: http.client.HTTPResponse, path: Path, most: int, room: Callable[[int], None]) -> int:
    size = 0
    with path.open("xb") as file:
        while block := response.read(_BLOCK):
            size += len(block)
            if size > most:
                raise FetchRefused(_("it is larger than {most} bytes", most=most))
            room(len(block))
            try:
                file.write(block)
                file.flush()  # a full disk is to show here, not as the other end's fault
            except OSError as error:
                raise Refused("01003", _("the file could not be stored: {reason}", reason=error.strerror)) from error
    if response.length:  # the other end closed before it had sent what it announced
        raise FetchRefused(_("it ended too early"))
    return size


def _address(host: str, port: int, resolver: Resolve, *, open_inside: bool) -> str:
    """One address of the host; all of them must be public, or a name could lead inside by chance."""
    addresses = resolver(host, port)
    if not addresses or not (open_inside or all(is_public(address) for address in addresses)):
        raise FetchForbidden(_("the host {host} is not at a public address", host=host))
    return addresses[0]


@contextmanager
def _cut_off(connection: _Pinned, seconds: float) -> Iterator[None]:
    """End the connection after `seconds`, however busily the other end keeps it alive."""
    timer = threading.Timer(seconds, connection.cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if connection.was_cut:  # http.client takes that for a regular end of headers, and of a body without a length
        raise TimeoutError


class _Pinned(http.client.HTTPConnection):
    """Connects to the address that was checked, whatever the name means by now."""

    def __init__(self, host: str, port: int, address: str, secure: bool) -> None:
        super().__init__(host, port, timeout=_SECONDS)
        self._address = address
        self._secure = secure
        self.was_cut = False

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)

    def cut(self) -> None:
        """End the connection, on any thread."""
        self.was_cut = True
        with contextlib.suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)
