"""HTML to PDF by PlutoBook, with our own fetcher between it and the world."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

import plutoprint
from loguru import logger

from paperchute.engine.html.fetch import FetchRefused, fetch
from paperchute.engine.work import FetchPolicy, Refused

A4 = (595.0, 842.0)
"""Width and height in points, as contract section 12 rounds them."""

_MOST_PAGES = 20_000
_META_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)""", re.IGNORECASE)
_NO_BASE = "job:///"  # what a relative address resolves to leads nowhere


@dataclass(frozen=True)
class Paper:
    """Page size in points, for pages whose style sheet says nothing else."""

    width: float = A4[0]
    height: float = A4[1]


def render(html: str, output: Path, policy: FetchPolicy, *, base: str = "", paper: Paper | None = None) -> None:
    """Write the PDF of `html` to `output`. base: what relative addresses start from.

    Resources that may not be fetched are left out, and the log says which. Raises Refused (02210) when the document
    cannot be laid out.
    """
    sheet = paper or Paper()
    size = plutoprint.PageSize(sheet.width, sheet.height)
    book = plutoprint.Book(size, plutoprint.PAGE_MARGINS_NORMAL)
    book.custom_resource_fetcher = _Fetcher(policy)
    try:
        book.load_html(html, base_url=base or _NO_BASE)
        if book.get_page_count() > _MOST_PAGES:
            raise Refused("100105", f"the document would have more than {_MOST_PAGES} pages", "页数超出限制")
        book.write_to_pdf(str(output))
    except plutoprint.Error as error:
        raise Refused("02210", "the document could not be laid out") from error
    if not output.is_file() or output.stat().st_size == 0:
        raise Refused("02210", "the document has no pages")


def decode(content: bytes) -> str:
    """The text of an HTML file: by its byte order mark, else its meta element, else UTF-8 (WHATWG HTML 13.2.3.2)."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace")
    found = _META_CHARSET.search(content[:4096])
    if found:
        try:
            return content.decode(found[1].decode("ascii"), "replace")
        except LookupError:
            pass
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("windows-1252", "replace")


class _Fetcher(plutoprint.ResourceFetcher):
    """Decides over every address a document names."""

    def __init__(self, policy: FetchPolicy) -> None:
        super().__init__()
        self._policy = policy

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        if url.lower().startswith("data:"):
            return plutoprint.default_resource_fetcher.fetch_url(url)
        try:
            content, content_type = fetch(url, self._policy)
        except FetchRefused as error:
            logger.info("a resource was left out: {}", error)
            return plutoprint.ResourceData(b"", "text/plain", "")
        kind, _, options = content_type.partition(";")
        charset = options.partition("charset=")[2].strip(" \"'") or "utf-8"
        return plutoprint.ResourceData(content, kind.strip(), charset)
