"""Texts as their grammar has them read: addresses with their codes undone, marked up text without its marks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote, unquote_plus

_LINKS = ("/URI", "/F", "/UF", "/Base", "/JS")
_MARKED_UP = ("/RC", "/RV")
_CODE = re.compile("%[0-9A-Fa-f]{2}")
_TAG = re.compile("<[^<>]*>")
_IN_ASCII = re.compile(r"\bxn--[a-z0-9-]{1,59}", re.IGNORECASE)
"""A part of a host's name in the letters that the net has (RFC 5891)."""
_COMMENT = re.compile("<!--(?:(?!<!--|-->).)*-->", re.DOTALL)


def readings(key: object, text: str) -> Iterator[str]:
    """A text that stands under a key (of a dictionary of a PDF), in every way that it can be read."""
    yield text
    is_link = key in _LINKS
    if is_link and _IN_ASCII.search(text):
        yield _IN_ASCII.sub(_spelled, text)
    if _CODE.search(text) or (is_link and "+" in text):
        for encoding in ("utf-8", "latin-1"):
            for undo in (unquote, unquote_plus) if is_link else (unquote,):
                once = undo(text, encoding)
                yield once
                yield undo(once, encoding)  # an address within an address
    if key in _MARKED_UP:
        bare = _COMMENT.sub("", text)
        for mark in ("", " ", "\n"):
            yield html.unescape(_TAG.sub(mark, bare))


def _spelled(part: re.Match[str]) -> str:
    try:
        return part[0].encode().decode("idna")
    except UnicodeError:
        return part[0]
