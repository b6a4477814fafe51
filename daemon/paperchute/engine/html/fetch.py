"""HTML documents with what came along, and what is fetched for them from the addresses that the policy allows."""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from email import policy
from email.errors import MessageError
from email.message import Message
from email.parser import BytesParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from paperchute.addresses import resolve
from paperchute.engine.html.encoding import decode
from paperchute.engine.outside import (
    REDIRECTS,
    FetchForbidden,
    FetchRefused,
    Resolve,
    check_web_address,
    connected,
)
from paperchute.engine.work import FetchPolicy, Refused
from paperchute.language import _

__all__ = ["FetchForbidden", "FetchRefused", "ask_others", "check_allowed", "fetch", "fetch_to", "follow"]

Fetched = tuple[bytes, str, str]
"""Content, content type, and the address that redirects have led to."""

_MOST_BYTES_FOR_ADDRESS = 32 << 20
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
    for _hop in range(_MOST_REDIRECTS + 1):
        content, content_type, onward = _once(url, policy, resolver)
        if onward is None:
            return content, content_type, url
        try:
            url = urljoin(url, onward)
        except ValueError as error:
            raise FetchRefused(_("it redirects to something that is not an address")) from error
    raise FetchRefused(_("it redirects too often"))


def fetch_to(url: str, path: Path, policy: FetchPolicy) -> None:
    """Fetch into a file. Raises FetchRefused."""
    content, _ = fetch(url, policy)
    path.write_bytes(content)


def check_allowed(url: str, policy: FetchPolicy) -> None:
    """Raises FetchRefused unless the address is http or https on a listed host."""
    check_web_address(url)
    host = urlsplit(url).hostname or ""
    if host.lower() not in (known.lower() for known in policy.hosts):
        raise FetchForbidden(
            _(
                "this engine may not fetch from the host {host}; name it in `hosts` of the rule, or with --allow-host",
                host=host,
            )
        )


def _once(url: str, policy: FetchPolicy, resolver: Resolve) -> tuple[bytes, str, str | None]:
    check_allowed(url, policy)
    with connected(url, inner=policy.inner, resolver=resolver) as (connection, target):
        connection.request("GET", target)
        response = connection.getresponse()
        if response.status in REDIRECTS:
            return b"", "", response.getheader("Location") or ""
        if response.status != 200:
            raise FetchRefused(_("it answers with HTTP {status}", status=response.status))
        return _read(response), response.getheader("Content-Type") or "", None


def _read(response: http.client.HTTPResponse) -> bytes:
    content = response.read(_MOST_BYTES_FOR_ADDRESS + 1)
    if len(content) > _MOST_BYTES_FOR_ADDRESS:
        raise FetchRefused(_("it is too large"))
    return content


NO_BASE = "job:///"
"""What relative addresses start from where a document has no address of its own; nothing can be fetched there."""


@dataclass(frozen=True)
class Resource:
    """A file that came with the document."""

    content: bytes
    kind: str
    charset: str = ""


_HEADER = re.compile(rb"\s*(?:[A-Za-z0-9-]{1,60}:[^\n]*\r?\n|[ \t][^\n]*\r?\n){1,40}")
_RELATED = re.compile(rb"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True)
class Page:
    """An HTML document. base: what its relative addresses start from. files: what came along, by full address."""

    html: str
    base: str = ""
    files: dict[str, Resource] = field(default_factory=dict)


def page_from(content: bytes) -> Page:
    """The page of an HTML or MHTML file. Raises Refused (02207) for an MHTML file without a page."""
    head = _HEADER.match(content[:8192])
    if head is None or not _RELATED.search(head[0]):
        return Page(decode(content))
    try:
        message = BytesParser(policy=policy.compat32).parsebytes(content)
        parts = [part for part in message.walk() if not part.is_multipart()]
    except (MessageError, RecursionError, ValueError, LookupError):
        parts = []
    root = _root(parts, str(message.get_param("start", "") or "")) if parts else None
    if root is None:
        raise Refused("02207", _("the MHTML file contains no page"))
    base = _location(root)
    files = {}
    for part in parts:
        resource = Resource(_bytes(part), part.get_content_type(), part.get_content_charset() or "")
        if _location(part):
            files[urljoin(base, _location(part))] = resource
        if part["Content-ID"]:
            files["cid:" + str(part["Content-ID"]).strip(" <>\r\n\t")] = resource
    return Page(decode(_bytes(root), root.get_content_charset() or ""), base, files)


def _root(parts: list[Message], start: str) -> Message | None:
    """The part that `start` names, else the first that is a page (RFC 2387 section 3.2)."""
    pages = [part for part in parts if part.get_content_type() in _HTML]
    named = [part for part in pages if start and str(part["Content-ID"]).strip() == start.strip()]
    return next(iter(named or pages), None)


def _location(part: Message) -> str:
    return re.sub(r"\s+", "", str(part["Content-Location"] or ""))


def _bytes(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""
