"""`[page]`: where the page lets in from other machines, by a password."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import Field

from paperchute.language import _
from paperchute.rules.keys import Table
from paperchute.rules.secrets import FORMS, anchored, is_reference
from paperchute.rules.values import Several, Text, Whole, is_host

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_HASH = re.compile(r"scrypt:[A-Za-z0-9_-]{64}")
_LISTEN = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<four>[0-9.]+)):(?P<port>[0-9]{1,5})")
_NAME = re.compile(r"(?P<host>[^:]+)(?::(?P<port>[0-9]{1,5}))?")


class PageKeys(Table):
    """`[page]`."""

    listen: Text | None = Field(
        None,
        description="Address and port on which the page asks for a password and lets in from other machines, such as "
        '"0.0.0.0:8765" or "[::]:8765". Left out: it is there for this machine alone.',
    )
    port: Annotated[Whole, Field(ge=1024, le=65_535)] | None = Field(
        None,
        description="Port of the page on this machine itself, at 127.0.0.1, so that its address stays the same. Left "
        "out: another one after each start, which no other user of the machine can take beforehand.",
    )
    password: Text | None = Field(
        None,
        description="Where the page's password is, like api_key, or the hash that `paperchute open --new-password` "
        "prints.",
    )
    hosts: Several | None = Field(
        None,
        description="Names by which browsers may call it, such as nas.local. Addresses in numbers, and localhost, "
        "are always answered.",
    )
    proxies: Several | None = Field(
        None,
        description="Addresses or networks of the reverse proxies in front of it, such as 172.17.0.0/16: what they say "
        "in X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto is believed, and nobody else.",
    )

    rules: bool = Field(
        False,
        description="Whether rules can be changed there, too. Even then they name no folder, file, secret or address "
        "that the rule file does not name already. Left out: there they can only be looked at.",
    )

    def address(self) -> tuple[str, int]:
        """Return what `listen` says. Raises ValueError."""
        found = _LISTEN.fullmatch(self.listen or "")
        if found is None or not 0 < int(found["port"]) < 65_536:
            raise ValueError(self.listen)
        return str(ipaddress.ip_address(found["six"] or found["four"])), int(found["port"])

    def networks(self) -> tuple[Network, ...]:
        """Return what `proxies` says. Raises ValueError."""
        return tuple(ipaddress.ip_network(one, strict=False) for one in self.proxies or ())

    def references(self) -> list[str]:
        """Return where secrets are."""
        return [self.password] if self.password and is_reference(self.password) else []

    def anchored(self, home: Path) -> PageKeys:
        """With an absolute path in the reference. home: what a relative one starts from."""
        return self.model_copy(update={"password": anchored(self.password, home)}) if self.password else self


def is_hash(text: str) -> bool:
    """Decide whether it is the hash of a password, as `page.password` makes it."""
    return _HASH.fullmatch(text) is not None


def is_open(keys: PageKeys) -> bool:
    """Decide whether other machines can reach it."""
    return keys.listen is not None and not ipaddress.ip_address(keys.address()[0]).is_loopback


def page_problems(keys: PageKeys) -> Iterator[tuple[str, str]]:
    """(key, message) for what is wrong in [page] beyond types."""
    if keys.listen is not None:
        try:
            keys.address()
        except ValueError:
            yield "listen", _("it takes an address in numbers and a port, such as {example}", example="0.0.0.0:8765")
        if keys.password is None:
            yield (
                "listen",
                _(
                    "`password` is missing, and without one anybody could come in; write where it is kept: {forms}",
                    forms=_(FORMS),
                ),
            )
    for key in ("password", "hosts", "proxies", "rules"):
        if getattr(keys, key) and keys.listen is None:
            yield key, _("`{key}` is missing", key="listen")
    if keys.port is not None and (keys.listen or "").endswith(f":{keys.port}"):
        yield "port", _("`{key}` has this port already", key="listen")
    if keys.password is not None and not is_reference(keys.password) and not is_hash(keys.password):
        yield (
            "password",
            _("the secret itself must not be written here; write where it is kept: {forms}", forms=_(FORMS)),
        )
    for name in keys.hosts or ():
        found = _NAME.fullmatch(name)
        if found is None or not is_host(found["host"]):
            yield "hosts", _("{host} is not the name of a host", host=repr(name))
    for place in keys.proxies or ():
        try:
            ipaddress.ip_network(place, strict=False)
        except ValueError:
            yield "proxies", _("{place} is neither an address in numbers nor a network", place=repr(place))


def page_warning(keys: PageKeys) -> str:
    """Return what looks like a mistake in [page]; empty when nothing does. keys: without problems."""
    if not is_open(keys) or keys.proxies:
        return ""
    return _(
        "the page at {address} is plain HTTP: whoever can listen in on that network reads its password and your "
        "documents. Put a reverse proxy with HTTPS in front of it and name its address in `proxies`, or reach it by a "
        "tunnel",
        address=keys.listen,
    )
