"""What stands between PlutoBook and the world: it decides over every address that a document names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import plutoprint
from loguru import logger

from paperchute.engine import report
from paperchute.engine.html.fetch import FetchRefused, fetch
from paperchute.engine.html.pictures import Pixels
from paperchute.engine.html.text import charset_of
from paperchute.engine.html.webfonts import plain_sources
from paperchute.engine.work import FetchPolicy, Refused

NO_BASE = "job:///"
"""What relative addresses start from where a document has no address of its own; nothing can be fetched there."""

_MOST_FETCHES = 2_000
_MOST_BYTES = 256 << 20  # of all that is fetched for one document

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
        told = ", ".join(few) + (f", and {more} more" if more else "")
        count = f"{len(self.left_out)} files that the document names are" if len(self.left_out) > 1 else "One file is"
        report.warn(f"{count} left out: {told}.", "部分引用的文件未能获取。")

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
            raise Refused("03000", f"the document asks for more than {_MOST_FETCHES} files", "引用的外部文件过多")
        content, content_type = fetch(url, self._policy)
        self._bytes += len(content)
        if self._bytes > _MOST_BYTES:
            megabytes = _MOST_BYTES >> 20
            raise Refused("03000", f"the document asks for files of more than {megabytes} MB", "引用的外部文件过大")
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
