"""One request and its answer, straight on httpcore.

httpx chooses the way (proxies, certificates), and what it does around an exchange beyond that (cookies, logins,
redirects, its own records of both) counts for nothing here; it takes as long as the exchange itself.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator, Mapping

import httpcore
import httpx

from paperchute.baton import baton
from paperchute.language import _
from paperchute.service.model import ServiceError

CONNECT_SECONDS = 10.0
TRANSFER_SECONDS = 120.0  # longest silence while bytes are on their way
_ANSWER_BYTES = 64 << 20  # an envelope is small; a parse result sent as the answer itself may not be
_BLOCK = 1 << 18
_WAITS = (
    "http11.receive_response_headers",
    *(f"{way}.{stage}" for way in ("connection", "proxy", "socks") for stage in ("connect_tcp", "start_tls")),
)
"""The stages of an exchange, as httpcore calls them, in which nothing is to be done but to wait."""
_WAITS_BEGIN = frozenset(f"{stage}.started" for stage in _WAITS)
_WAITS_END = frozenset(f"{stage}.{end}" for stage in _WAITS for end in ("complete", "failed"))


class ContentError(Exception):
    """The content of an answer is too long, or is not what its header says."""


BROKEN = (
    *(httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError),
    *(httpcore.UnsupportedProtocol, ContentError),
)
"""What is raised when no whole answer comes."""


class Incoming:
    """An answer, its content still to be read. To be closed."""

    def __init__(self, response: httpcore.Response) -> None:
        self.status = response.status
        self._headers = response.headers
        self._stream = response.stream

    def header(self, name: str) -> str:
        """The values of a header, joined; empty for none. name: in lower case."""
        wanted = name.encode()
        values = [value for key, value in self._headers if key.lower() == wanted]
        try:
            return b", ".join(values).decode()
        except UnicodeDecodeError:
            return b", ".join(values).decode("latin-1")

    def blocks(self) -> Iterator[bytes]:
        """The content, decoded in small pieces however much is packed into a few bytes.

        Nobody was asked to pack anything, but a web server in between may be set to. Raises one of `BROKEN`.
        """
        assert isinstance(self._stream, Iterable)
        packing = self.header("content-encoding").strip().lower()
        if packing in ("", "identity"):
            yield from self._stream  # as it comes in: a size would have it wait for slow senders
            return
        if packing not in ("gzip", "x-gzip", "deflate"):
            raise ContentError(_("packed as {packing}", packing=repr(packing[:20])))
        unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # zlib's and gzip's head are told apart by themselves
        try:
            for packed in self._stream:
                while packed:
                    yield unpacker.decompress(packed, _BLOCK)
                    packed = unpacker.unconsumed_tail
            yield unpacker.flush()
        except zlib.error as error:
            raise ContentError(_("it is not what its header says")) from error
        if not unpacker.eof:
            raise ContentError(_("it is cut off"))

    def content(self, deadline: float) -> bytes:
        """All of it. deadline: in monotonic seconds. Raises one of `BROKEN`."""
        content = bytearray()
        for block in self.blocks():
            content += block
            if len(content) > _ANSWER_BYTES:
                raise ContentError(_("the answer is too long"))
            if time.monotonic() > deadline:
                raise httpcore.ReadTimeout(_("the answer never ends"))
        return bytes(content)

    def close(self) -> None:
        """Give the connection back, or close it where the content was not read to its end."""
        if hasattr(self._stream, "close"):
            self._stream.close()


def answer_to(
    client: httpx.Client,
    method: str,
    url: httpx.URL,
    headers: Mapping[str, str],
    content: Iterable[bytes] = (),
    *,
    read: float,
) -> Incoming:
    """Send a request. headers: with the length of the content, if any. read: longest wait for the answer, in seconds.

    Raises one of `BROKEN`, ValueError for what cannot be sent, and ServiceError once the client is closed. httpx has no
    public way to ask which proxy an address is to be reached by, nor for the connections under a transport.
    """
    if client.is_closed:
        raise ServiceError(_("The service is not running."), _("It is restarted automatically."), kind="down")
    transport = client._transport_for_url(url)
    assert isinstance(transport, httpx.HTTPTransport)
    raw = [(b"Host", url.netloc), *((name.encode("ascii"), value.encode("ascii")) for name, value in headers.items())]
    timeouts = {"connect": CONNECT_SECONDS, "read": read, "write": TRANSFER_SECONDS, "pool": TRANSFER_SECONDS}
    target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    extensions = {"timeout": timeouts, "trace": _heard}
    request = httpcore.Request(method, target, headers=raw, content=content, extensions=extensions)
    return Incoming(transport._pool.handle_request(request))


def _heard(event: str, _told: object) -> None:
    """Called by httpcore at each stage of an exchange: others may work while the service thinks."""
    if event in _WAITS_BEGIN:
        baton.hand_on()
    elif event in _WAITS_END:
        baton.take_again()
