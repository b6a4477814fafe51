"""What PlutoBook gets to see of the world while it lays a document out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

import plutoprint
from loguru import logger

from paperchute.engine import report
from paperchute.engine.html.encoding import charset_of
from paperchute.engine.html.fetch import NO_BASE, FetchRefused, Resource, fetch
from paperchute.engine.html.pictures import Pixels, drawable, kind_of
from paperchute.engine.work import FetchPolicy, Refused
from paperchute.language import _, ngettext

# PlutoBook reads web fonts in WOFF2, but passes over every source that calls itself `format("woff2")`.
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


_MOST_FETCHES = 2_000
_MOST_BYTES_FOR_DOCUMENT = 256 << 20  # of all that is fetched for one document

_FEW = 5  # what is left out is named so far; a warning is one line
LONGEST_SHOWN = 60
_LONGEST_NAMED, _LONGEST_TOGETHER = 150, 430  # characters; the client takes 500 of a warning

NO_PICTURE = "it is a picture that cannot be drawn"
_NOTHING = plutoprint.ResourceData(b"", "text/plain", "")


class Fetcher(plutoprint.ResourceFetcher):
    """Gives out the files that came with the document, and what the policy allows; nothing else.

    What may not or cannot be fetched is left out. left_out: why, by address. refusal: set once the document asks for
    more than one document may; from then on everything is left out, and whoever renders should give up. styles: those
    given out. PlutoBook asks for every address but data: ones, which it reads itself.
    """

    def __init__(self, policy: FetchPolicy, files: Mapping[str, Resource], pixels: Pixels) -> None:
        """files: by the address that the document gives them. pixels: counts the pictures that are given out."""
        super().__init__()
        self.refusal: Refused | None = None
        self.left_out: dict[str, str] = {}
        self.styles: list[str] = []
        self._policy = policy
        self._files = dict(files)
        self.pixels = pixels
        self._counted: set[str] = set()  # a document that is laid out again asks again
        self._made: dict[str, bytes] = {}  # pictures in a form that is drawn
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

    def style_sheet(self, url: str) -> str:
        """The style sheet at an address, which PlutoBook is given as well when it asks; empty where it gets none."""
        try:
            found = self._files.get(url) or self._fetched(url)
        except (FetchRefused, ValueError):
            return ""  # said when PlutoBook asks
        except Refused as error:
            self.refusal = error
            return ""
        self._files[url] = found
        return found.content.decode(found.charset or "utf-8", "replace") if found.kind == "text/css" else ""

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
            self.pixels.count(found.content)
        if found.kind == "text/css":  # whatever it is in, it keeps its bytes
            styles = self.pixels.inline(plain_sources(found.content.decode("latin-1")))
            self.styles.append(styles)
            return plutoprint.ResourceData(styles.encode("latin-1"), found.kind, found.charset)
        made = self._made.get(url) or drawable(found.content, found.kind)
        if made is None:
            self.left_out[url] = NO_PICTURE
            return _NOTHING
        if made is found.content:
            return plutoprint.ResourceData(made, found.kind, found.charset)
        self._made[url] = made
        return plutoprint.ResourceData(made, kind_of(made), found.charset)

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
    return plain if len(plain) <= LONGEST_SHOWN else "..." + plain[-LONGEST_SHOWN:]
