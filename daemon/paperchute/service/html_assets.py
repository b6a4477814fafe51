"""Pictures, style sheets and fonts that lie beside an HTML file go along within it: a service takes one file a call.

Each becomes a data: address (RFC 2397), which every service reads, ours and remote ones. Only files below the HTML
file's own folder go along; what leads out of it, links included, stays as it is, and so does everything on the web.
"""

from __future__ import annotations

import base64
import codecs
import mimetypes
import re
from collections.abc import Mapping
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from paperchute.files import beneath
from paperchute.files.folder import Folder
from paperchute.files.reader import readers
from paperchute.files.reader_line import Said
from paperchute.language import _

LARGEST_PAGE = 32 << 20
"""Bytes of HTML that is looked through."""

_PARTS = {"html-to-pdf": ("file",), "pdf-generate": ("htmlFile", "templateFile")}
_MOST_BYTES = 20 << 20  # of one neighbour
_MOST_BYTES_TOGETHER = 48 << 20
_DEPTH = 4  # style sheets that import style sheets
_ATTRIBUTES = {
    "img": ("src",),
    "image": ("href", "xlink:href"),
    "input": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "body": ("background",),
    "table": ("background",),
    "td": ("background",),
    "link": ("href",),
}
_NAMING = re.compile(rb"src|href|data|background|url\(|@import", re.IGNORECASE)
"""What stands in every page that names another file."""
_ATTRIBUTE = re.compile(r"""([\s"'/])([a-zA-Z:]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)""")
_CSS_URL = re.compile(r"""url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^"'()\s]+))\s*\)""", re.IGNORECASE)
_CSS_IMPORT = re.compile(r"""(@import\s+)(?:"([^"\n]*)"|'([^'\n]*)')""", re.IGNORECASE)


def may_have_neighbours(operation: str, part: str) -> bool:
    """Decide whether the file of a form part is HTML that can name others."""
    return part in _PARTS.get(operation, ())


def joined(content: bytes, path: Path, root: Path | None, missing: dict[str, str]) -> bytes:
    """As `with_neighbours`, read by the reader process. Raises ReaderError for what is too much for it."""
    if _is_left_alone(content) or _NAMING.search(content) is None:
        return content
    found, made = readers.read(path.name, {"do": "neighbours", "path": str(path), "root": root and str(root)}, content)
    lacks = found.get("missing")
    if isinstance(lacks, dict):
        missing.update({str(name): str(why) for name, why in lacks.items()})
    return made if found.get("changed") else content


def answer_neighbours(request: Mapping[str, Any], content: bytes) -> Said:
    """Within the reader: the page with what lies beside it, if it names any of that, and what it names in vain."""
    missing: dict[str, str] = {}
    root = Path(request["root"]) if request["root"] else None
    made = with_neighbours(content, Path(request["path"]), root, missing)
    return ({"changed": True, "missing": missing}, made) if made != content else ({"missing": missing}, b"")


def with_neighbours(content: bytes, path: Path, root: Path | None, missing: dict[str, str]) -> bytes:
    """The HTML file `path`, read as `content`, with the files beside it taken in; unchanged where it names none.

    root: the hot folder that it lies in; the page's folder is reached from there without following a link. What cannot
    be read is left as it is, and told in `missing`: why, by the name it has in the page. Files in UTF-16 or larger than
    32 MiB are left alone.
    """
    if _is_left_alone(content):
        return content
    try:
        with beneath.holder(root or path.parent, path) as (folder, _name):
            text = content.decode("latin-1")  # any ASCII superset keeps its bytes this way
            return _Reader(text, _Neighbours(folder, missing)).whole().encode("latin-1")
    except OSError as error:
        missing[_("what lies beside it")] = error.strerror or _("it cannot be read")
        return content


def _is_left_alone(content: bytes) -> bool:
    return len(content) > LARGEST_PAGE or content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


class _Neighbours:
    """The files that may go along, and how many bytes are left for them."""

    def __init__(self, folder: Folder, missing: dict[str, str]) -> None:
        self._folder = folder
        self._base = folder.path.resolve()
        self._missing = missing
        self._left = _MOST_BYTES_TOGETHER

    def address(self, named: str, here: Path | None = None, depth: int = 0) -> str | None:
        """The data: address of a file that HTML, or CSS in the folder `here`, names; None where it stays as it is."""
        found = self._file(named, here or self._base)
        if found is None or depth > _DEPTH:
            return None
        most = min(_MOST_BYTES, self._left)
        try:
            content = self._read(found, most)
        except OSError as error:
            self._missing[named] = error.strerror or _("it cannot be read")
            return None
        if len(content) > most:
            self._missing[named] = _("it is too large to go along")
            return None
        self._left -= len(content)
        kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
        if kind == "text/css":
            content = self.css(content.decode("latin-1"), found.parent, depth + 1).encode("latin-1")
        return f"data:{kind};base64,{base64.b64encode(content).decode()}"

    def css(self, text: str, here: Path | None = None, depth: int = 0) -> str:
        """A style sheet with its neighbours taken in."""

        def url(found: re.Match[str]) -> str:
            address = self.address(next(filter(None, found.groups()), ""), here, depth)
            return found[0] if address is None else f"url({address})"

        def imported(found: re.Match[str]) -> str:
            address = self.address(found[2] or found[3] or "", here, depth)
            return found[0] if address is None else f'{found[1]}"{address}"'

        return _CSS_IMPORT.sub(imported, _CSS_URL.sub(url, text))

    def _read(self, path: Path, most: int) -> bytes:
        """The file's bytes, at most one more than `most`; by now there may be a link on the way. Raises OSError."""
        *above, name = path.relative_to(self._base).parts
        with self._folder.below(above) as folder, folder.open(name) as file:
            return file.read(most + 1)

    def _file(self, named: str, here: Path) -> Path | None:
        try:
            parts = urlsplit(named.strip())
            if parts.scheme or parts.netloc or not parts.path or parts.path.startswith(("/", "\\")):
                return None
            name = unquote(parts.path.encode("latin-1").decode("utf-8", "replace"))
            found = (here / name).resolve()
            if not found.is_relative_to(self._base):
                self._missing[named] = _("it is not below the page's folder")
            elif found.is_file():
                return found
            else:
                self._missing[named] = _("it is not there")
        except (OSError, ValueError):
            self._missing[named] = _("it is not the name of a file")
        return None


class _Reader(HTMLParser):
    """Goes through a document and puts data: addresses where it names neighbours; all else stays to the byte."""

    def __init__(self, text: str, neighbours: _Neighbours) -> None:
        super().__init__(convert_charrefs=True)
        self._text = text
        self._neighbours = neighbours
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self._edits: list[tuple[int, int, str]] = []
        self._in_style = False

    def whole(self) -> str:
        """The document with all edits made."""
        self.feed(self._text)
        self.close()
        pieces, last = [], 0
        for start, end, text in self._edits:
            pieces += [self._text[last:start], text]
            last = end
        return "".join([*pieces, self._text[last:]])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        self._in_style = tag == "style"
        names = _ATTRIBUTES.get(tag, ())
        if tag == "link" and "stylesheet" not in (dict(attrs).get("rel") or "").lower().split():
            names = ()
        source = self.get_starttag_text() or ""
        start = self._position()
        for found in _ATTRIBUTE.finditer(source):
            name, value = found[2].lower(), found[4]
            plain = unescape(value.strip("\"'"))
            if name in names:
                new = self._neighbours.address(plain)
            elif name == "style" and "url(" in plain.lower():
                new = self._neighbours.css(plain).replace("&", "&amp;").replace('"', "&quot;")
                new = None if new == plain else new
            else:
                continue
            if new is not None:
                self._edits.append((start + found.start(4), start + found.end(4), f'"{new}"'))

    def handle_endtag(self, tag: str) -> None:
        """See HTMLParser."""
        self._in_style = False

    def handle_data(self, data: str) -> None:
        """See HTMLParser."""
        start = self._position()
        if self._in_style and self._text.startswith(data, start):
            new = self._neighbours.css(data)
            if new != data:
                self._edits.append((start, start + len(data), new))

    def _position(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column
