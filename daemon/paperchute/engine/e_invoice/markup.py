"""XML that strangers wrote, read within bounds: without document types, entities or network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paperchute.language import _

MOST_BYTES = 8 << 20
"""Of an invoice's XML: some ten thousand lines; a bound on work."""


def content_of(path: Path) -> bytes | None:
    """The content of a file; None for one that is longer than MOST_BYTES."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    return content if len(content) <= MOST_BYTES else None


def parsed(content: bytes) -> Any:
    """The root element of an XML document; None for what is none, or brings a document type.

    A document type may hold entities, and no invoice has one.
    """
    from lxml import etree  # a worker that reads no such data never loads it

    try:
        root = _root(content)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return None if _has_type(root) else root


def why_unread(content: bytes | None) -> str:
    """Say why `parsed` gives nothing for the content of a file, as a sentence without an end; empty where it does.

    None is the content of a file that is longer than MOST_BYTES.
    """
    from lxml import etree

    if content is None:
        return _(
            "it is over {size} MiB, the most that is read; files attached within it make it that long, "
            "and can be sent beside it",
            size=MOST_BYTES >> 20,
        )
    if not content.strip():
        return _("it is empty")
    try:
        return _("it has a document type, which no invoice needs") if _has_type(_root(content)) else ""
    except etree.XMLSyntaxError as error:
        fault: Any = error  # lxml's types do not know all that it has
        return _fault(content, fault.code, *fault.position)
    except ValueError:
        return _("it is no XML")


def _root(content: bytes) -> Any:
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(content, parser)


def _has_type(root: Any) -> bool:
    return root.getroottree().docinfo.internalDTD is not None


def _fault(content: bytes, code: int, line: int, column: int) -> str:
    """Return what is wrong with XML, by libxml2's code and place, both counted from 1."""
    from lxml.etree import ErrorTypes

    if code in (ErrorTypes.ERR_INVALID_CHAR, ErrorTypes.ERR_INVALID_ENCODING, ErrorTypes.I18N_CONV_FAILED):
        return _("line {line} of it has characters that its encoding does not have", line=line)
    if code in (ErrorTypes.ERR_UNKNOWN_ENCODING, ErrorTypes.ERR_UNSUPPORTED_ENCODING):
        return _("it is written in an encoding that nobody here knows")
    lines = content.split(b"\n")
    at_end = line >= len(lines) and column >= len(lines[-1].decode("utf-8", "replace"))
    if code == ErrorTypes.ERR_DOCUMENT_EMPTY and not (at_end and content.lstrip().startswith(b"<")):
        return _("it is no XML")
    # These two are said of what stands there and should not.
    if at_end and code not in (ErrorTypes.ERR_DOCUMENT_END, ErrorTypes.ERR_TAG_NAME_MISMATCH):
        return _("it breaks off: its end is missing")
    return _("line {line} of it is no XML as it should be", line=line)
