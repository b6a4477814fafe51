"""The text of a result, for the index of what was done.

What must be parsed for it is read in the reader process, since anybody's text is in it. Nothing is parsed in a file
that is text already: that is decoded where it is wanted.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from paperchute.app.seen_text import seen_text
from paperchute.files.reader_line import Said

MOST_CHARACTERS = 400_000
"""Of one result: a book of 200 pages."""
_MOST_PAGES = 300
_MOST_XML = 64 << 20
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def answer_text(request: Mapping[str, Any], content: bytes) -> Said:
    """The text of the file `name`; empty for one that has none, or none that can be got without a password."""
    read = READ.get(PurePath(request["name"]).suffix.lower(), _nothing)
    return {"text": read(content)[:MOST_CHARACTERS]}, b""


def plain_text(content: bytes) -> str:
    """The text of a file that is nothing else (`PLAIN`)."""
    return content.decode("utf-8-sig", "replace")[:MOST_CHARACTERS]


def _html(content: bytes) -> str:
    return seen_text(content.decode("utf-8-sig", "replace"))


def _pdf(content: bytes) -> str:
    import pypdfium2  # the daemon, which decodes what is text already, has no use for it

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError:
        return ""
    parts, left = [], MOST_CHARACTERS
    try:
        for number in range(min(len(document), _MOST_PAGES)):
            text = document[number].get_textpage().get_text_bounded()
            parts.append(text)
            left -= len(text)
            if left <= 0:
                break
    except pypdfium2.PdfiumError:
        pass  # what was read before the broken page is better than nothing
    finally:
        document.close()
    return "\n".join(parts)


def _docx(content: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open("word/document.xml") as part:
            root = ElementTree.fromstring(part.read(_MOST_XML))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError):
        return ""
    paragraphs = ("".join(text.text or "" for text in line.iter(f"{_WORD}t")) for line in root.iter(f"{_WORD}p"))
    return "\n".join(paragraphs)


def _nothing(_content: bytes) -> str:
    return ""


PLAIN = (".md", ".txt", ".csv")
"""The suffixes of results that are text."""
READ: Mapping[str, Callable[[bytes], str]] = {".html": _html, ".pdf": _pdf, ".docx": _docx}
"""What gets the text out of others, by the suffix, which says what was made."""
