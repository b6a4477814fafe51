"""What documents say of themselves (ISO 32000-1, 14.3): the first's stands for the whole, the others' for their pages.

A page may have metadata of its own (14.3.2), so that of every further source hangs on the first page taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

from pikepdf import Dictionary, Name, Object, Pdf, PdfError, Stream

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
    info = pdf.trailer.get(Name.Info)
    if not isinstance(info, Dictionary):
        return {}
    return {key: str(info[key])[:10_000] for key in list(info.keys()) if key in _FIELDS}


def claims_of(pdf: Pdf) -> dict[str, str]:
    """The standards, such as PDF/A, that a document's XMP claims to meet, by the names of the claims."""
    stream = pdf.Root.get(Name.Metadata)
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
