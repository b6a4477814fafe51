"""Web fonts in WOFF2: PlutoBook reads them, but passes over every source that calls itself `format("woff2")`."""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email import policy
from email.errors import MessageError
from email.message import Message
from email.parser import BytesParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import plutoprint
from loguru import logger

from paperchute.addresses import resolve
from paperchute.engine import report
from paperchute.engine.html.encoding import charset_of, decode
from paperchute.engine.html.preprocess import Pixels
from paperchute.engine.outside import (
    REDIRECTS,
    FetchForbidden,
    FetchRefused,
    Resolve,
    check_web_address,
    connected,
)
from paperchute.engine.work import FetchPolicy, Refused
from paperchute.language import _, ngettext

_STYLE = re.compile(r"(<style\b[^>]*>)(.*?)(</style)", re.IGNORECASE | re.DOTALL)
_FACE = re.compile(r"@font-face\s*\{[^}]*\}", re.IGNORECASE)
_HINT = re.compile(r"\bformat\(\s*[\"']?woff2(?:-variations)?[\"']?\s*\)(?:\s*tech\([^)]*\))?", re.IGNORECASE)


def plain_sources(css: str) -> str:
    """The style sheet without what its fonts in WOFF2 say of their format (css-fonts-4, 4.3.3)."""
    if "woff2" not in css.lower():
        return css
    return _FACE.sub(lambda face: _HINT.sub("", face[0]), css)


def plain_sources_in(html: str) -> str:
    """The same for the style elements of a document; what only looks like CSS elsewhere stays."""
    if "woff2" not in html.lower():
        return html
    return _STYLE.sub(lambda style: style[1] + plain_sources(style[2]) + style[3], html)


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

_MOST_FETCHES = 2_000
_MOST_BYTES_FOR_DOCUMENT = 256 << 20  # of all that is fetched for one document

_FEW = 5  # what is left out is named so far; a warning is one line
_LONGEST_SHOWN = 60
_LONGEST_NAMED, _LONGEST_TOGETHER = 150, 430  # characters; the client takes 500 of a warning

_NOTHING = plutoprint.ResourceData(b"", "text/plain", "")


@dataclass(frozen=True)
class Resource:
    """A file that came with the document."""

    content: bytes
    kind: str
    charset: str = ""


class Fetcher(plutoprint.ResourceFetcher):
    """Gives out the files that came with the document, and what the policy allows; nothing else.

    What may not or cannot be fetched is left out. left_out: why, by address. refusal: set once the document asks for
    more than one document may; from then on everything is left out, and whoever renders should give up. PlutoBook asks
    for every address but data: ones, which it reads itself.
    """

    def __init__(self, policy: FetchPolicy, files: Mapping[str, Resource], pixels: Pixels) -> None:
        """files: by the address that the document gives them. pixels: counts the pictures that are given out."""
        super().__init__()
        self.refusal: Refused | None = None
        self.left_out: dict[str, str] = {}
        self._policy = policy
        self._files = files
        self._pixels = pixels
        self._counted: set[str] = set()  # a document that is laid out again asks again
        self._fetches = 0
        self._bytes = 0

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        """Called by PlutoBook."""
        try:
            if self.refusal is None:
                return self._given(url)
        except (FetchRefused, plutoprint.Error, ValueError) as error:
            logger.info("a resource was left out: {}", error)
            self.left_out[url] = "it did not come with the document" if url.startswith(NO_BASE) else str(error)
        except Refused as error:
            self.refusal = error
        return _NOTHING

    def tell(self) -> None:
        """Warn of what was left out: the first few by name, and how many there are."""
        if not self.left_out:
            return
        few: list[str] = []
        for url, why in [*self.left_out.items()][:_FEW]:
            few.append(f"{_shown(url)} ({why})"[:_LONGEST_NAMED])
            if sum(map(len, few)) > _LONGEST_TOGETHER - _LONGEST_NAMED:
                break
        more = len(self.left_out) - len(few)
        told = ", ".join(few)
        if more:
            told = _("{files}, and {n} more", files=told, n=more)
        report.warn(
            ngettext(
                "{n} file that the document names was left out: {files}.",
                "{n} files that the document names were left out: {files}.",
                len(self.left_out),
                files=told,
            )
        )

    def _given(self, url: str) -> plutoprint.ResourceData:
        found = self._files.get(url) or self._fetched(url)
        if url not in self._counted:
            self._counted.add(url)
            self._pixels.count(found.content)
        content = found.content
        if found.kind == "text/css":
            content = plain_sources(content.decode("latin-1")).encode(
                "latin-1"
            )  # whatever it is in, it keeps its bytes
        return plutoprint.ResourceData(content, found.kind, found.charset)

    def _fetched(self, url: str) -> Resource:
        self._fetches += 1
        if self._fetches > _MOST_FETCHES:
            raise Refused("03000", _("the document asks for more than {most} files", most=_MOST_FETCHES))
        content, content_type = fetch(url, self._policy)
        self._bytes += len(content)
        if self._bytes > _MOST_BYTES_FOR_DOCUMENT:
            megabytes = _MOST_BYTES_FOR_DOCUMENT >> 20
            raise Refused(
                "03000",
                _("the files that the document asks for are larger than {megabytes} MB in total", megabytes=megabytes),
            )
        return Resource(content, content_type.partition(";")[0].strip(), charset_of(content_type) or "utf-8")


def _shown(url: str) -> str:
    """An address for people: without its query, which may hold a key, and at most so long."""
    if url.startswith(NO_BASE):
        plain = unquote(url.removeprefix(NO_BASE).partition("?")[0].partition("#")[0])
    else:
        try:
            plain = urlsplit(url)._replace(query="", fragment="").geturl()
        except ValueError:
            plain = url.partition("?")[0]
    plain = "".join(letter for letter in plain if letter.isprintable())
    return plain if len(plain) <= _LONGEST_SHOWN else "..." + plain[-_LONGEST_SHOWN:]


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
