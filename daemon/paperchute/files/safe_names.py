"""Names that every platform takes: Linux, macOS and Windows, and the shares between them."""

from __future__ import annotations

import re
import unicodedata

NAME_BYTES = 255
"""Longest file name in UTF-8 bytes (ext4, APFS; NTFS counts 255 UTF-16 units, which is never less)."""

_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


def safe_name(text: str) -> str:
    """`text` as one file name: NFC, no separators, control or reserved characters, no trailing dots or spaces.

    Windows' device names get a leading underscore, nothing at all becomes `_`. At most 255 bytes of UTF-8.
    """
    name = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode())
    name = _FORBIDDEN.sub("_", name).rstrip(". ")
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    return shorten(name, "") or "_"


def shorten(stem: str, suffix: str, limit: int = NAME_BYTES) -> str:
    """`stem` cut at a character so that `stem + suffix` takes at most `limit` bytes of UTF-8."""
    room = limit - len(suffix.encode("utf-8", "surrogateescape"))
    if len(stem.encode("utf-8", "surrogateescape")) <= room:
        return stem
    while stem and len(stem.encode("utf-8", "surrogateescape")) > room:
        stem = stem[:-1]
    return stem.rstrip(". ")
