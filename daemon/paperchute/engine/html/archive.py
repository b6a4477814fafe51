"""A page saved with its pictures as one file: MHTML (RFC 2557), as browsers and mail programs write it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email import policy
from email.errors import MessageError
from email.message import Message
from email.parser import BytesParser
from urllib.parse import urljoin

from paperchute.engine.html.fetcher import Resource
from paperchute.engine.html.text import decode
from paperchute.engine.work import Refused

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
        raise Refused("02207", "the MHTML file holds no page", "MHTML 文件中没有网页")
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
