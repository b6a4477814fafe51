"""The text of an HTML file: which encoding its bytes are in."""

from __future__ import annotations

import codecs
import re

_META_CHARSET = re.compile(rb"""<meta[^>]{1,1000}charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{1,100})""", re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decode(content: bytes, charset: str = "") -> str:
    """By the byte order mark, else `charset` (of a header), else the meta element, else UTF-8 (WHATWG HTML 13.2.3.2).

    Bytes that are no text in that encoding become U+FFFD.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace")
    found = _META_CHARSET.search(content[:4096])
    for name in (charset, found[1].decode("ascii") if found else ""):
        try:
            if name:
                return content.decode(name, "replace")
        except LookupError:  # no such encoding, or one that is not of text
            continue
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("windows-1252", "replace")


def charset_of(content_type: str) -> str:
    """The charset of a Content-Type header, empty where it has none."""
    return content_type.lower().partition("charset=")[2].partition(";")[0].strip(" \"'")


def storable(text: str) -> str:
    """Without what no HTML document can hold: NUL (WHATWG HTML 13.2.5.1) and halves of surrogate pairs, both U+FFFD."""
    text = text.replace("\0", "\ufffd")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _has_surrogates(text) else text


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
