"""What documents may fetch: nothing but listed hosts, and those at public addresses unless the owner of the engine has
named them as inner ones too (design section 9).

A worker has no network: it asks the engine (`engine.tasks.broker`), which checks the address once more and fetches.
"""

from __future__ import annotations

import http.client
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from paperchute.addresses import resolve
from paperchute.engine.outside import (
    REDIRECTS,
    FetchForbidden,
    FetchRefused,
    Resolve,
    check_web_address,
    connected,
)
from paperchute.engine.work import FetchPolicy

__all__ = ["FetchForbidden", "FetchRefused", "ask_others", "check_allowed", "fetch", "fetch_to", "follow"]

Fetched = tuple[bytes, str, str]
"""Content, content type, and the address that redirects have led to."""

_MOST_BYTES = 32 << 20
_MOST_REDIRECTS = 5


_others: list[Callable[[str], Fetched]] = []


def ask_others(others: Callable[[str], Fetched]) -> None:
    """From now on this process connects to nothing itself: `others` fetch what the policy allows."""
    _others[:] = [others]


def fetch(url: str, policy: FetchPolicy, resolver: Resolve = resolve) -> tuple[bytes, str]:
    """(content, content type) of an http or https address that the policy allows. Raises FetchRefused."""
    content, content_type, _ = follow(url, policy, resolver)
    return content, content_type


def follow(url: str, policy: FetchPolicy, resolver: Resolve = resolve) -> Fetched:
    """The same, with the address that redirects have led to. Each is checked like a first request."""
    if _others:
        check_allowed(url, policy)
        return _others[0](url)
    for _ in range(_MOST_REDIRECTS + 1):
        content, content_type, onward = _once(url, policy, resolver)
        if onward is None:
            return content, content_type, url
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
    check_web_address(url)
    host = urlsplit(url).hostname or ""
    if host.lower() not in (known.lower() for known in policy.hosts):
        what = f"the host {host} is not among those that this engine may fetch from"
        raise FetchForbidden(f"{what}; name it in `hosts` of the rule, or with --allow-host")


def _once(url: str, policy: FetchPolicy, resolver: Resolve) -> tuple[bytes, str, str | None]:
    check_allowed(url, policy)
    with connected(url, inner=policy.inner, resolver=resolver) as (connection, target):
        connection.request("GET", target)
        response = connection.getresponse()
        if response.status in REDIRECTS:
            return b"", "", response.getheader("Location") or ""
        if response.status != 200:
            raise FetchRefused(f"it answers with HTTP {response.status}")
        return _read(response), response.getheader("Content-Type") or "", None


def _read(response: http.client.HTTPResponse) -> bytes:
    content = response.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise FetchRefused("it is too large")
    return content
