"""Files that hold the address of a web page: `.url` of Windows, `.webloc` of macOS, `.desktop` of Linux desktops.

Anybody may have put one into a hot folder: little is read of it, and only http and https addresses count.
"""

from __future__ import annotations

import plistlib
from pathlib import PurePath
from urllib.parse import quote, urlsplit

LINKS = (".url", ".webloc", ".desktop")
"""What their names end in."""

MOST_BYTES = 64 << 10
"""Of such a file. Real ones have a few hundred; a browser's icon within may be some thousands."""

_LONGEST = 2_000  # characters of an address: what servers and proxies take at least is near it
_KEPT = "!#$%&'()*+,/:;=?@[]~"  # what quoting leaves: RFC 3986 reserved marks, and what is quoted already


def is_link(name: PurePath) -> bool:
    """Decide whether a file is called like one that holds an address."""
    return name.suffix.lower() in LINKS


def address_in(name: PurePath, content: bytes) -> str:
    """The address in such a file, as plain ASCII; empty where there is none that can be used."""
    if len(content) > MOST_BYTES:
        return ""
    if name.suffix.lower() == ".webloc":
        return _plain(_of_plist(content))
    text = _decoded(content)
    if name.suffix.lower() == ".desktop":
        entry = _section(text, "desktop entry")
        return _plain(entry.get("url", "")) if entry.get("type", "").lower() == "link" else ""
    wide = _section(text, "internetshortcut.w").get("url", "")
    return _plain(_wide(wide)) or _plain(_section(text, "internetshortcut").get("url", ""))


def _decoded(content: bytes) -> str:
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _section(text: str, name: str) -> dict[str, str]:
    """The keys of one section, in lower case; of a key that comes twice the first counts."""
    found: dict[str, str] = {}
    inside = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            inside = line.lower() == f"[{name}]"
        elif inside and "=" in line:
            key, _, value = line.partition("=")
            found.setdefault(key.strip().lower(), value.strip())
    return found


def _wide(text: str) -> str:
    """A value of the section for addresses that are no ASCII: UTF-7, as Windows writes it."""
    try:
        return text.encode("ascii").decode("utf-7")
    except ValueError:
        return ""


def _of_plist(content: bytes) -> str:
    try:
        found = plistlib.loads(content)
    except Exception:  # noqa: BLE001 -- whatever a foreign file does to the parser, it is no address
        return ""
    url = found.get("URL") if isinstance(found, dict) else None
    return url if isinstance(url, str) else ""


def _plain(text: str) -> str:
    """An address as it goes over the wire; empty for anything but a web address without name and password."""
    text = text.strip().strip('"')
    if not text or len(text) > _LONGEST or not text.isprintable():
        return ""
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").encode("idna").decode("ascii") if parts.hostname else ""
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme.lower() not in ("http", "https") or not host or "@" in parts.netloc:
        return ""
    host = f"[{host}]" if ":" in host else host
    place = host if port is None else f"{host}:{port}"
    plain = parts._replace(scheme=parts.scheme.lower(), netloc=place, fragment="").geturl()
    return quote(plain, safe=_KEPT)
