"""Which addresses may be reached: one answer for everything that leaves this machine at another's word."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from paperchute.language import _

_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")  # RFC 4291; local prefixes lie outside
_NAT64 = ipaddress.ip_network("64:ff9b::/96")  # RFC 6052: how a network without IPv4 sees all of it


def why_not_fetched(url: str) -> str:
    """Why a text cannot be the web address of something to fetch; empty for http or https, a host, and plain ASCII.

    A name or password in it would be sent to whoever stands behind the host.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 -- raises ValueError for what is not a port
    except ValueError:
        return _("it is not an address")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return _("only http and https addresses can be reached")
    if "@" in parts.netloc or not url.isascii() or not url.isprintable() or " " in url:
        return _("it is not a plain address")
    return ""


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a name. Raises OSError, and ValueError for what cannot be a name."""
    return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def is_public(text: str) -> bool:
    """Whether an IP address is one of the public internet, whatever other address it wraps. Raises ValueError."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = _wrapped(address)
        if inner is not None:
            return inner.is_global and not inner.is_multicast
        return address.is_global and address in _GLOBAL_UNICAST
    return address.is_global and not address.is_multicast


def _wrapped(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that a mapped, 6to4, Teredo or NAT64 address leads to."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
