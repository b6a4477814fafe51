"""What a document says beside what it shows: comments, property lists, names of its own, data that no reader knows.

Content is text too, and all of it stands in the file: `% drawn for Huber`, `/Draft << /By (Huber) >> DP`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from typing import Any

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.pdf.trees import own_parts
from paperchute.engine.redaction.finder import Finder
from paperchute.engine.redaction.pixels import forget_beside
from paperchute.engine.redaction.places import letters_on

_COMMENT = re.compile(rb"%[^\r\n]*")
_HEAD = re.compile(rb"%(?!%EOF|!)")
_POINTS = ("MP", "DP")
_OPENING = ("BMC", "BDC")
_OF_READERS = ("/Lang", "/MCID", "/Type", "/Subtype", "/BBox", "/Attached", "/Metadata")
_OF_CATALOG = frozenset(
    {
        *("/Type", "/Version", "/Extensions", "/Pages", "/PageLabels", "/Names", "/Dests", "/ViewerPreferences"),
        *("/PageLayout", "/PageMode", "/Outlines", "/Threads", "/OpenAction", "/AA", "/URI", "/AcroForm", "/Metadata"),
        *("/StructTreeRoot", "/MarkInfo", "/Lang", "/OutputIntents", "/OCProperties", "/Perms", "/Legal"),
        *("/Requirements", "/NeedsRendering", "/DSS"),
    }
)
_OF_PAGE = frozenset(
    {
        *("/Type", "/Parent", "/LastModified", "/Resources", "/MediaBox", "/CropBox", "/BleedBox", "/TrimBox"),
        *("/ArtBox", "/BoxColorInfo", "/Contents", "/Rotate", "/Group", "/B", "/Dur", "/Trans", "/Annots", "/AA"),
        *("/StructParents", "/Tabs", "/PresSteps", "/UserUnit", "/VP", "/OutputIntents"),
    }
)
"""What a page or the document as a whole may have (ISO 32000-2, tables 29 and 31) that a reader shows it by."""
_PROPERTIES = frozenset(
    {"/Title", "/Author", "/Subject", "/Keywords", "/Creator", "/Producer", "/CreationDate", "/ModDate", "/Trapped"}
)
_SHOWS = frozenset({"Tj", "TJ", "'", '"'})
_MOST = 4 << 20  # bytes of a stream that is looked through as text


def clean_asides(pdf: Pdf, finder: Finder) -> int:
    """Take out what streams say beside what they show; how often something was that is looked for."""
    places = _clean_properties(pdf, finder) + _rename_tags(pdf, finder)
    for owner, known in ((pdf.Root, _OF_CATALOG), *((page.obj, _OF_PAGE) for page in pdf.pages)):
        for key in set(owner.keys()) - known:
            del owner[key]
    for page in pdf.pages:
        pieces = page.obj.get(Name.Contents)
        held = list(pieces) if isinstance(pieces, Array) else [pieces]
        data = b"\n".join(_bytes(piece) for piece in held)
        if _is_worth_reading(data, finder) and (written := _written(page, finder)) is not None:
            page.obj.Contents = pdf.make_stream(written)
            places += finder.has(data.decode("latin-1")) and not finder.has(written.decode("latin-1"))
    for item in pdf.objects:
        if not isinstance(item, Dictionary | Stream):
            continue
        if item.get(Name.Subtype) in (Name.Image, Name.Form):
            _drop(item, "/Name")  # by which resources called it once (ISO 32000-1, table 89)
        if isinstance(item, Stream):
            places += _clean_stream(item, finder)
        for part in own_parts(item):
            places += _clean_glyphs(pdf, part, finder)
    return places


def _clean_properties(pdf: Pdf, finder: Finder) -> int:
    """Take out properties of the document whose own names have it."""
    info = pdf.trailer.get(Name.Info)
    if not isinstance(info, Dictionary):
        return 0
    gone = [key for key in list(info.keys()) if key not in _PROPERTIES and finder.has(key[1:])]
    for key in gone:
        del info[key]
    return len(gone)


def _rename_tags(pdf: Pdf, finder: Finder) -> int:
    """Give other names to kinds of tags and to classes of their attributes (14.7.3, 14.7.5.3)."""
    root = pdf.Root.get(Name.StructTreeRoot)
    if not isinstance(root, Dictionary):
        return 0
    new: dict[str, Name] = {}

    def name_of(known: object) -> object:
        if not isinstance(known, Name) or not finder.has(str(known)[1:]):
            return known
        return new.setdefault(str(known), Name(f"/Redacted{len(new) + 1}"))

    for key in ("/RoleMap", "/ClassMap"):
        if isinstance(held := root.get(key), Dictionary):
            root[key] = Dictionary({str(name_of(Name(name))): name_of(value) for name, value in held.items()})
    for item in pdf.objects:
        is_tag = isinstance(item, Dictionary) and Name.S in item
        if is_tag and (item.get(Name.Type) == Name.StructElem or Name.P in item or Name.K in item):
            item.S = name_of(item.S)
            if isinstance(item.get(Name.ID), String) and finder.has(str(item.ID)):
                del item.ID
            if Name.C in item:
                item.C = Array(map(name_of, item.C)) if isinstance(item.C, Array) else name_of(item.C)
    return len(new)


def _clean_stream(item: Stream, finder: Finder) -> int:
    if item.get(Name.Subtype) == Name.Form or item.get("/PatternType") == 1:
        return _clean_content(item, finder)
    if item.get(Name.Subtype) == Name.Image:
        forget_beside(item)
        return 0
    data = _bytes(item)
    if b"begincmap" not in data and item.get("/FunctionType") != 4:
        return 0
    if not finder.has(data.decode("latin-1")):
        return 0
    item.write(_COMMENT.sub(b"", data))
    return 1


def _clean_glyphs(pdf: Pdf, font: Object, finder: Finder) -> int:
    """Clean the drawings of a font's glyphs, and give other names to glyphs."""
    glyphs = font.get("/CharProcs")
    if not isinstance(glyphs, Dictionary):
        return 0
    places = sum(_clean_content(glyph, finder) for glyph in glyphs.values() if isinstance(glyph, Stream))
    places += sum(_empty_glyph(pdf, font, glyph, finder) for glyph in glyphs.values() if isinstance(glyph, Stream))
    hits = [key for key in list(glyphs.keys()) if finder.has(key[1:])]
    encoding = font.get(Name.Encoding)
    named = encoding.get(Name.Differences) if isinstance(encoding, Dictionary) else None
    for number, key in enumerate(hits):
        other = Name(f"/redacted{number}")
        glyphs[other] = glyphs[key]
        del glyphs[key]
        for place, name in enumerate(named if isinstance(named, Array) else []):
            if isinstance(name, Name) and str(name) == key:
                named[place] = other  # type: ignore[index]
    return places + len(hits)


def _empty_glyph(pdf: Pdf, font: Object, glyph: Stream, finder: Finder) -> int:
    """Have a glyph draw nothing that shows in the letters of other fonts what is looked for."""
    try:
        instructions = list(pikepdf.parse_content_stream(glyph))
        if not any(str(one.operator) in _SHOWS for one in instructions):
            return 0
        sheets, out = pikepdf.new(), BytesIO()
        page = sheets.add_blank_page()
        if Name.Resources in font:
            page.obj.Resources = sheets.copy_foreign(pdf.make_indirect(font.Resources))
        page.obj.Contents = sheets.make_stream(glyph.read_bytes())
        sheets.save(out)
        with closing(pdfium.PdfDocument(out)) as document, closing(document[0]) as sheet:
            if not letters_on(sheet, finder)[0]:
                return 0
        glyph.write(pikepdf.unparse_content_stream(instructions[:1]))  # how far it advances
    except FAULTS:
        return 0
    return 1


def _clean_content(item: Stream, finder: Finder) -> int:
    data = _bytes(item)
    if not _is_worth_reading(data, finder) or (written := _written(item, finder)) is None:
        return 0
    item.write(written)
    return int(finder.has(data.decode("latin-1")) and not finder.has(written.decode("latin-1")))


def _is_worth_reading(data: bytes, finder: Finder) -> bool:
    return _HEAD.search(data) is not None or finder.has(data.decode("latin-1"))


def _written(content: Any, finder: Finder) -> bytes | None:
    """Write content anew, without comments and without what property lists say; None where it cannot be read."""
    try:
        instructions = list(pikepdf.parse_content_stream(content))
        return pikepdf.unparse_content_stream(list(_said_less(instructions, finder)))
    except FAULTS:
        return None


def _said_less(instructions: list[Any], finder: Finder) -> Iterator[Any]:
    for one in instructions:
        operator, operands = str(one.operator), list(one.operands)
        if operator not in (*_POINTS, *_OPENING):
            yield one
            continue
        tag = operands[0] if operands else Name.Span
        is_hit = finder.has(str(tag)[1:]) if isinstance(tag, Name) else True
        if operator in _POINTS and (is_hit or any(_has(value, finder) for value in operands[1:])):
            continue
        operands[:1] = [Name.Span if is_hit else tag]
        if len(operands) > 1 and isinstance(operands[1], Dictionary):
            operands[1] = Dictionary(
                {
                    key: value
                    for key, value in operands[1].items()
                    if key in _OF_READERS or not (finder.has(key[1:]) or _has(value, finder))
                }
            )
        yield operands, one.operator


def _has(value: object, finder: Finder) -> bool:
    """Decide whether a value says what is looked for, or anything below it does."""
    if isinstance(value, Dictionary):
        return any(finder.has(key[1:]) or _has(inner, finder) for key, inner in value.items())
    if isinstance(value, Array):
        return any(_has(inner, finder) for inner in value)
    return isinstance(value, String | Name) and finder.has(str(value).removeprefix("/"))


def _drop(item: Object, key: str) -> None:
    if key in item:
        del item[key]


def _bytes(stream: object) -> bytes:
    try:
        return stream.read_bytes()[:_MOST] if isinstance(stream, Stream) else b""
    except FAULTS:
        return b""
