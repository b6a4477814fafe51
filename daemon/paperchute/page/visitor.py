"""Who asks: from which address, for which host, and whether in the clear. A proxy is believed where it is named."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import Headers

from paperchute.rules.page import Network


@dataclass(frozen=True)
class Visitor:
    """One request's sender, as far as it can be known."""

    address: str
    host: str | None
    """The value of `Host` that its browser sent, in lower case; None where that is not one."""
    is_secure: bool
    """Whether it came by HTTPS."""

    @property
    def origin(self) -> str:
        """The origin that a page of ours has for it."""
        return f"{'https' if self.is_secure else 'http'}://{self.host}"


def visitor(client: str, headers: Headers, proxies: Collection[Network]) -> Visitor:
    """Who sent a request. client: the address at the other end of the connection."""
    hosts = headers.getlist("host")
    if not _is_in(client, proxies):
        return Visitor(client, hosts[0].lower() if len(hosts) == 1 else None, is_secure=False)
    named = _listed(headers, "x-forwarded-host") or hosts
    return Visitor(
        _before(_listed(headers, "x-forwarded-for"), client, proxies),
        named[-1].lower() if named and (len(hosts) == 1 or named is not hosts) else None,
        _listed(headers, "x-forwarded-proto")[-1:] == ["https"],
    )


def is_number(host: str) -> bool:
    """Decide whether a `Host` is an address in numbers, or localhost: a name that somebody rebinds never is."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name == "localhost":
        return True
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return (":" in name) == name.startswith("[")


def _before(chain: list[str], client: str, proxies: Collection[Network]) -> str:
    """The last address of the chain that is no proxy of ours: what stands before it anybody may have written."""
    for address in reversed(chain):
        if not _is_in(address, proxies):
            return address if _known(address) is not None else client
        client = address
    return client


def _is_in(address: str, networks: Collection[Network]) -> bool:
    known = _known(address)
    return known is not None and any(known in network for network in networks)


def _known(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(known, "ipv4_mapped", None) or known


def _listed(headers: Headers, name: str) -> list[str]:
    """The values of a header that may come several times and hold several, in their order."""
    return [part.strip() for value in headers.getlist(name) for part in value.split(",") if part.strip()]
