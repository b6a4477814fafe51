"""What belongs to a document as a whole, joined: attachments, page labels, layers and metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from pikepdf import Array, Dictionary, Name, Object, Pdf, PdfError, Stream, String

from paperchute.engine.pdf.navigation import free_name
from paperchute.engine.pdf.trees import entry, read_numbers, whole, write_numbers


def add_files(mine: dict[bytes, Object], theirs: dict[bytes, Object]) -> None:
    """Take over a source's entries of `/EmbeddedFiles`."""
    for name, spec in theirs.items():
        mine[_free(name, mine)] = spec


def add_associated(pdf: Pdf, theirs: Object | None) -> None:
    """Take over the document's associated files (PDF 2.0, 14.13), such as the data of an invoice."""
    if isinstance(theirs, Array) and len(theirs):
        known = pdf.Root.get("/AF")
        pdf.Root["/AF"] = Array([*(known if isinstance(known, Array) else []), *theirs])


def _free(name: bytes, taken: dict[bytes, Object]) -> bytes:
    """A number before the extension: `data.csv`, `data-2.csv`."""
    if name not in taken:
        return name
    stem, dot, extension = name.rpartition(b".")
    if not stem or name.startswith(b"\xfe\xff"):
        return free_name(name, taken.__contains__)
    number = 2
    while (free := stem + f"-{number}".encode() + dot + extension) in taken:
        number += 1
    return free


@dataclass(frozen=True)
class Label:
    """style: the name of a numbering style such as /D, or None for a prefix alone. number: this page's own."""

    style: str | None
    prefix: str
    number: int


def plain(count: int) -> list[Label]:
    """Return what a document without labels shows: 1, 2, 3, ..."""
    return [Label("/D", "", number + 1) for number in range(count)]


def read(pdf: Pdf) -> list[Label] | None:
    """The label of each page, or None when the document has none."""
    tree = entry(pdf.Root, "/PageLabels")
    if not isinstance(tree, Dictionary):
        return None
    ranges = {start: value for start, value in read_numbers(tree).items() if isinstance(value, Dictionary)}
    labels: list[Label] = []
    style, prefix, first, begun = "/D", "", 1, 0  # type: str | None, str, int, int
    for index in range(len(pdf.pages)):
        found = ranges.get(index)
        if found is not None:
            style = str(found.S) if "/S" in found else None
            prefix = str(found.get(Name.P, ""))
            first, begun = whole(entry(found, "/St"), 1), index
        labels.append(Label(style, prefix, first + index - begun))
    return labels


def write(pdf: Pdf, labels: list[Label] | None) -> None:
    """Give the document these labels, one a page; None removes them."""
    if labels is None:
        if Name.PageLabels in pdf.Root:
            del pdf.Root.PageLabels
        return
    ranges: dict[int, Object] = {}
    before: Label | None = None
    for index, label in enumerate(labels):
        goes_on = (
            before is not None
            and (label.style, label.prefix) == (before.style, before.prefix)
            and (label.style is None or label.number == before.number + 1)
        )
        if not goes_on:
            entry = Dictionary(St=label.number)
            if label.style is not None:
                entry.S = Name(label.style)
            if label.prefix:
                entry.P = String(label.prefix)
            ranges[index] = entry
        before = label
    pdf.Root.PageLabels = write_numbers(pdf, ranges)


def append_layers(pdf: Pdf, other: Object) -> None:
    """Add another document's `/OCProperties`, whose objects are in `pdf` already, to the document's own."""
    mine = pdf.Root.get(Name.OCProperties)
    if not isinstance(mine, Dictionary):
        pdf.Root.OCProperties = other
        return
    if not isinstance(mine.get(Name.D), Dictionary):
        mine.D = Dictionary()
    theirs = other.get(Name.D)
    if not isinstance(theirs, Dictionary):
        theirs = Dictionary()
    _say_states(mine.D, mine)
    _say_states(theirs, other)
    _extend(mine, other, Name.OCGs)
    for key in (Name.Order, Name.ON, Name.OFF, Name.RBGroups, Name.Locked, Name.AS):
        _extend(mine.D, theirs, key)
    if Name.Order not in theirs and Name.Order in mine.D:
        mine.D.Order = Array([*mine.D.Order, *_layers(other)])


def _say_states(view: Object, properties: Object) -> None:
    """Each layer's state said by itself, where one base state spoke for all of a document's layers."""
    if view.get(Name.BaseState) == Name.OFF:
        on = {layer.objgen for layer in view.get(Name.ON, Array()) if isinstance(layer, Dictionary)}
        view.OFF = Array([layer for layer in _layers(properties) if layer.objgen not in on])
    if Name.BaseState in view:
        del view.BaseState


def _layers(properties: Object) -> list[Object]:
    found = properties.get(Name.OCGs)
    return [layer for layer in found if isinstance(layer, Dictionary)] if isinstance(found, Array) else []


def _extend(mine: Object, other: Object, key: Name) -> None:
    more = other.get(key)
    if isinstance(more, Array):
        known = mine.get(key)
        mine[key] = Array([*(known if isinstance(known, Array) else []), *more])


_CLAIMS = re.compile(r"\{http://www\.(?:aiim|npes)\.org/pdf(?:a|ua|x|e|vt)/ns/id/\}")
_FIELDS = {
    "/Title": "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>{}</rdf:li></rdf:Alt></dc:title>",
    "/Author": "<dc:creator><rdf:Seq><rdf:li>{}</rdf:li></rdf:Seq></dc:creator>",
    "/Subject": "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>{}</rdf:li></rdf:Alt></dc:description>",
    "/Keywords": "<pdf:Keywords>{}</pdf:Keywords>",
    "/Creator": "<xmp:CreatorTool>{}</xmp:CreatorTool>",
    "/Producer": "<pdf:Producer>{}</pdf:Producer>",
    "/CreationDate": "<xmp:CreateDate>{}</xmp:CreateDate>",
    "/ModDate": "<xmp:ModifyDate>{}</xmp:ModifyDate>",
}
_PACKET = (
    "<?xpacket begin='\ufeff' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>"
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about=''"
    " xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:pdf='http://ns.adobe.com/pdf/1.3/'"
    " xmlns:xmp='http://ns.adobe.com/xap/1.0/'>{}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='r'?>"
)
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:(Z)|([+-]\d\d)'?(\d\d)'?)?")


def keep_on_page(pdf: Pdf, page: Object, stream: Object | None, info: dict[str, str]) -> None:
    """Hang a source's metadata on a page: its XMP stream, copied into `pdf` already, else what its `/Info` says."""
    if Name.Metadata in page:
        return
    if isinstance(stream, Stream):
        page.Metadata = stream
        return
    said = "".join(_FIELDS[key].format(escape(_value(key, text))) for key, text in info.items() if key in _FIELDS)
    if said:
        page.Metadata = pdf.make_stream(_PACKET.format(said).encode(), Type=Name.Metadata, Subtype=Name.XML)


def info_of(pdf: Pdf) -> dict[str, str]:
    """The texts of a document's `/Info`."""
    info = entry(pdf.trailer, "/Info")
    if not isinstance(info, Dictionary):
        return {}
    return {key: str(info[key])[:10_000] for key in list(info.keys()) if key in _FIELDS}


def claims_of(pdf: Pdf) -> dict[str, str]:
    """The standards, such as PDF/A, that a document's XMP claims to meet, by the names of the claims."""
    stream = entry(pdf.Root, "/Metadata")
    try:
        if not isinstance(stream, Stream) or b"/ns/id/" not in stream.read_bytes():
            return {}
        return {key: str(value) for key, value in pdf.open_metadata(strict=False).items() if _CLAIMS.match(key)}
    except PdfError:
        return {}  # metadata that nobody can read claims nothing


def drop_claims(pdf: Pdf, claims: Iterable[str]) -> None:
    """Take claims out of the document's XMP: the pages of several documents meet a standard only if all do."""
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False, strict=False) as described:
        for key in claims:
            del described[key]


_DESCRIBED = {
    "title": ("/Title", "dc:title"),
    "author": ("/Author", "dc:creator"),
    "subject": ("/Subject", "dc:description"),
    "keywords": ("/Keywords", "pdf:Keywords"),
}


def set_described(pdf: Pdf, said: Mapping[str, str]) -> None:
    """Set a document's title, author, subject and keywords in its `/Info` and in its XMP, which say the same then."""
    texts = {name: _value("", text) for name, text in said.items()}
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False, strict=False) as described:
        for name, text in texts.items():
            described[_DESCRIBED[name][1]] = [text] if name == "author" else text
    for name, text in texts.items():
        pdf.docinfo[Name(_DESCRIBED[name][0])] = String(text)


def _value(key: str, text: str) -> str:
    if not key.endswith("Date"):
        return "".join(letter for letter in text if letter >= " " or letter in "\t\n")
    found = _DATE.match(text)
    if not found:
        return text
    year, month, day, hour, minute, second, zulu, zone, zone_minutes = found.groups()
    when = "-".join(part for part in (year, month, day) if part)
    if hour and day:
        offset = "Z" if zulu else f"{zone}:{zone_minutes}" if zone else ""
        when += f"T{hour}:{minute}:{second or '00'}{offset}"
    return when
