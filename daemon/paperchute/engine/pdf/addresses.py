"""Where links of a PDF may lead: to the web, to a person, or to a PDF that lies beside. By a list of what may stay.

Readers pass over control characters and blanks, undo percent signs and know several encodings of text, so an address is
judged as each of them could read it.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

from pikepdf import Dictionary, Name, Stream, String

SCHEMES = frozenset({"http", "https", "ftp", "mailto", "tel", "sms"})
_SENDING = frozenset({"http", "https", "mailto"})
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"www\.[^/?#]*:\d+(?:[/?#]|$)", re.IGNORECASE)  # written without its scheme
_HEAD = re.compile(r"[/?#]")
_MARKS = {b"\xfe\xff": "utf-16", b"\xff\xfe": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
_MOST_LAYERS = 8  # of percent signs; more are no address
_FILE_NAMES = (Name.F, Name.UF, Name.DOS, Name.Mac, Name.Unix)


def leads_to_web(address: object) -> bool:
    """Whether a link may stay: one of `SCHEMES`, or relative to the place where the PDF is read."""
    return isinstance(address, String | str) and all(_is_safe(text) for text in _readings(address))


def takes_forms(target: object) -> bool:
    """Whether a form may be sent there (ISO 32000-1, 12.7.5.2): a file specification that is an address of the web."""
    names = _names(target)
    return bool(names) and all(
        isinstance(name, String)
        and leads_to_web(name)
        and all(_scheme(_seen(text)) in _SENDING for text in _readings(name))
        for name in names
    )


def is_beside(file: object) -> bool:
    """Whether a file specification (ISO 32000-1, 7.11) names a file by a path that starts from the PDF's folder."""
    if isinstance(file, Dictionary | Stream) and Name.FS in file:
        return False
    names = _names(file)
    return bool(names) and all(isinstance(name, String) and all(map(_is_near, _readings(name))) for name in names)


def _names(file: object) -> list[object]:
    """What a file specification says, however it is written."""
    if isinstance(file, Dictionary | Stream):
        return [file[key] for key in _FILE_NAMES if key in file]
    return [file]


def _readings(text: String | str) -> list[str]:
    """A text as it is meant, and as a reader takes it that knows no encodings."""
    if isinstance(text, str):
        return [text]
    raw = bytes(text)
    for mark, encoding in _MARKS.items():
        if raw.startswith(mark):
            return [raw.decode(encoding, "replace")]
    return [str(text), raw.decode("latin-1")]


def _is_safe(text: str) -> bool:
    seen = _seen(text)
    scheme = _scheme(seen)
    if scheme == "mailto" and re.search(r"[?&]attach", _undone(seen) or "?attach", re.IGNORECASE):
        return False  # some programs put a file of their user's into the mail
    if scheme:
        return scheme in SCHEMES or _HOST_AND_PORT.match(seen) is not None
    plain = _undone(seen)
    return plain is not None and not plain.startswith("/") and "\\" not in plain and ":" not in _HEAD.split(plain)[0]


def _is_near(text: str) -> bool:
    plain = _undone(_seen(text))
    return plain is not None and plain != "" and not plain.startswith("/") and not set(plain) & {"\\", ":"}


def _scheme(seen: str) -> str:
    found = _SCHEME.match(seen)
    return found[1].lower() if found else ""


def _seen(text: str) -> str:
    """Without what readers pass over, letters of full width as plain ones."""
    if text.isascii() and text.isprintable() and " " not in text:
        return text
    plain = unicodedata.normalize("NFKC", text)
    return "".join(letter for letter in plain if unicodedata.category(letter)[0] not in "CZ")


def _undone(seen: str) -> str | None:
    """Percent signs undone until there are no more; None where there is no end of them."""
    for _ in range(_MOST_LAYERS):
        plain = _seen(unquote(seen))
        if plain == seen:
            return plain
        seen = plain
    return None
