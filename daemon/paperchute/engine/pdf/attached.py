"""Files that lie in a PDF: read within bounds, for what unpacks to more than it says is made to fill the memory."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator

from pikepdf import Array, Dictionary, Name, Pdf, PdfError, Stream

from paperchute.engine.pdf.trees import read_names

_FAULTS = (PdfError, zlib.error, ValueError, RuntimeError, TypeError, AttributeError)
_MOST = 100
"""Attached files whose names are looked at: a bound on work."""


def attached(pdf: Pdf, names: Collection[str], most_bytes: int) -> Iterator[tuple[str, bytes | None]]:
    """The attached files that have one of some names, in small letters; None for what cannot be read or is longer."""
    try:
        entries = list(read_names(pdf.Root.get(Name.Names, Dictionary()).get(Name.EmbeddedFiles)).items())[:_MOST]
    except _FAULTS:
        return
    for key, spec in entries:
        name = _name(key, spec)
        if name.lower() in names:
            yield name, _content(spec, most_bytes)


def _name(key: bytes, spec: object) -> str:
    """Return what a file is called: its entry in the tree may be any text."""
    try:
        said = spec.get(Name.UF) or spec.get(Name.F) if isinstance(spec, Dictionary) else None
        return str(said) if said is not None else key.decode("latin-1")
    except _FAULTS:
        return ""


def _content(spec: object, most: int) -> bytes | None:
    try:
        files = spec.get(Name.EF) if isinstance(spec, Dictionary) else None
        stream = files.get(Name.F) or files.get(Name.UF) if isinstance(files, Dictionary) else None
        return _unpacked(stream, most) if isinstance(stream, Stream) else None
    except _FAULTS:
        return None


def _unpacked(stream: Stream, most: int) -> bytes | None:
    filters = stream.get(Name.Filter)
    packed = list(filters) if isinstance(filters, Array) else [filters] if filters is not None else []
    data = bytes(stream.read_raw_bytes())
    if packed == [Name.FlateDecode] and stream.get(Name.DecodeParms) is None:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(data, most + 1)
    elif packed:
        return None
    return data if len(data) <= most else None
