"""Fonts that every reader has and documents need not carry (ISO 32000-1, 9.6.2.2), put in so that one carries them.

Helvetica, Times and Courier, and the fonts of Windows and Office, become those carried in `engine/fonts`, drawn to
their widths: each glyph has the width that the document counts on. A font with other widths, or whose letters are not
known, stays as it is.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fontTools import agl, subset
from fontTools.encodings.StandardEncoding import StandardEncoding
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from paperchute.engine.pdf.textlayer.glyphless import to_unicode
from paperchute.engine.pdf.trees import own_parts

_FACES = {
    "Helvetica": "LiberationSans",
    "Arial": "LiberationSans",
    "Times": "LiberationSerif",
    "Courier": "LiberationMono",
    "Calibri": "Carlito",
    "Cambria": "Caladea",
}
_NAME = re.compile(
    rf"(?P<family>{'|'.join(_FACES)})(?:New)?(?:Roman)?(?:PS)?(?:MT)?"
    r"(?:[-,](?:Roman|Regular)?(?P<bold>Bold)?(?P<slanted>Italic|Oblique)?(?:MT)?)?"
)
_PROGRAMS = ("/FontFile", "/FontFile2", "/FontFile3")
_KINDS = {"/Type1", "/MMType1", "/TrueType", "/CIDFontType0", "/CIDFontType2"}
_OF_WINDOWS = ("Arial", "TimesNew", "CourierNew", "Calibri", "Cambria")
"""Not among the standard fonts: what no encoding is given of is not known."""
_CODES = 256
_SYMBOLIC = 0xF000
"""Where the codes of a font with an encoding of its own stand in its table of characters (9.6.6.4)."""
_FIXED, _SERIFS, _SYMBOLS, _SLANTED = 1, 2, 4, 64  # flags of a descriptor (9.8.2)
_WITH_SERIFS = ("LiberationSerif", "Caladea")
_TOLERANCE = 1.0
"""Thousandths of the size by which widths may differ, as PDF/A allows (ISO 19005-2, 6.2.11.5)."""


def embed_standard_fonts(pdf: Pdf) -> dict[str, str]:
    """Embed the fonts that stand for themselves; the names that were used, and of what was put in their place."""
    faces: dict[tuple[str, frozenset[tuple[int, str]]], _Embedded] = {}
    replaced: dict[str, str] = {}
    for font in _bare(pdf):
        if font.Subtype not in (Name.Type1, Name.TrueType):
            continue
        name = _name_of(font)
        face = _face_of(name)
        letters = _letters(font, is_standard=not name.startswith(_OF_WINDOWS))
        if not face or not letters:
            continue
        key = face, frozenset(letters.items())
        if key not in faces:
            faces[key] = _Embedded(pdf, face, letters)
        if faces[key].put_into(font):
            replaced[name] = face
    return replaced


def bare_fonts(pdf: Pdf) -> list[str]:
    """Give the names of the fonts whose programs are not in a document."""
    return sorted({_name_of(font) for font in _bare(pdf)})


def _bare(pdf: Pdf) -> Iterator[Object]:
    for item in list(pdf.objects):
        if isinstance(item, Dictionary | Array | Stream):
            yield from (part for part in own_parts(item) if isinstance(part, Dictionary) and _is_bare(part))


def _is_bare(font: Object) -> bool:
    if font.get(Name.Type) != Name.Font or str(font.get(Name.Subtype, "")) not in _KINDS:
        return False
    descriptor = font.get(Name.FontDescriptor)
    has_program = isinstance(descriptor, Dictionary) and any(key in descriptor for key in _PROGRAMS)
    return not has_program and isinstance(font.get(Name.BaseFont), Name)


def _name_of(font: Object) -> str:
    return str(font.BaseFont)[1:]


def _face_of(name: str) -> str:
    """Give the font of `engine/fonts` with a font's widths, empty for none."""
    found = _NAME.fullmatch(name)
    if found is None:
        return ""
    style = f"{'Bold' if found['bold'] else ''}{'Italic' if found['slanted'] else ''}"
    return f"{_FACES[found['family']]}-{style or 'Regular'}"


def _letters(font: Object, *, is_standard: bool) -> dict[int, str]:
    """Give the letters of a font's codes (9.6.6); none where the font's program alone would say."""
    encoding = font.get(Name.Encoding)
    base = encoding.get(Name.BaseEncoding) if isinstance(encoding, Dictionary) else encoding
    if base is None and not is_standard:
        return {}
    if base in (Name.WinAnsiEncoding, Name.MacRomanEncoding):
        codec = "cp1252" if base == Name.WinAnsiEncoding else "mac_roman"
        letters = {code: bytes([code]).decode(codec, "ignore") for code in range(32, _CODES)}
    elif base in (None, Name.StandardEncoding):
        letters = {code: agl.toUnicode(name) for code, name in enumerate(StandardEncoding)}
    else:
        return {}
    code = 0
    differences = encoding.get(Name.Differences) if isinstance(encoding, Dictionary) else None
    for one in differences if isinstance(differences, Array) else ():
        if isinstance(one, Name):
            letters[code] = agl.toUnicode(str(one)[1:])
            code += 1
        elif isinstance(one, int):
            code = one
    return {code: letter for code, letter in letters.items() if len(letter) == 1 and 0 <= code < _CODES}


@dataclass(frozen=True)
class _Program:
    """A font of `engine/fonts`: what each letter's glyph is called, and how far each glyph advances."""

    content: bytes
    names: Mapping[int, str]
    advances: Mapping[str, float]
    box: tuple[float, ...]
    ascent: float
    descent: float
    capitals: float
    angle: float


@cache
def _program(face: str) -> _Program:
    content = files("paperchute.engine").joinpath("fonts", f"{face}.ttf").read_bytes()
    font = TTFont(io.BytesIO(content), lazy=True)
    head, unit = font["head"], 1000 / font["head"].unitsPerEm
    return _Program(
        content,
        dict(font.getBestCmap()),
        {name: advance * unit for name, (advance, _bearing) in font["hmtx"].metrics.items()},
        tuple(round(edge * unit) for edge in (head.xMin, head.yMin, head.xMax, head.yMax)),
        font["hhea"].ascent * unit,
        font["hhea"].descent * unit,
        font["OS/2"].sCapHeight * unit,
        font["post"].italicAngle,
    )


class _Embedded:
    """One font program in a document, for one encoding."""

    def __init__(self, pdf: Pdf, face: str, letters: Mapping[int, str]) -> None:
        self._pdf = pdf
        program = _program(face)
        self._letters = {code: letter for code, letter in letters.items() if ord(letter) in program.names}
        glyphs = {code: program.names[ord(letter)] for code, letter in self._letters.items()}
        self._widths = {code: program.advances[name] for code, name in glyphs.items()}
        content = _subset(program.content, glyphs)
        tag = "".join(chr(ord("A") + byte % 26) for byte in hashlib.sha256(content).digest()[:6])
        self._name = Name(f"/{tag}+{face}")
        self._descriptor = pdf.make_indirect(
            Dictionary(
                Type=Name.FontDescriptor,
                FontName=self._name,
                Flags=_SYMBOLS
                | (_FIXED if "Mono" in face else _SERIFS if face.startswith(_WITH_SERIFS) else 0)
                | (_SLANTED if program.angle else 0),
                FontBBox=Array(program.box),
                ItalicAngle=round(program.angle),
                Ascent=round(program.ascent),
                Descent=round(program.descent),
                CapHeight=round(program.capitals),
                StemV=140 if "Bold" in face else 80,
                FontFile2=pdf.make_stream(content, Length1=len(content)),
            )
        )
        self._meanings = pdf.make_stream(to_unicode(self._letters, width=1))

    def put_into(self, font: Object) -> bool:
        """Let a font of the document have this program, unless its glyphs are of other widths; whether it does."""
        if not self._fits(font):
            return False
        first, last = min(self._widths), max(self._widths)
        font.Subtype = Name.TrueType
        font.BaseFont = self._name
        font.FontDescriptor = self._descriptor
        font.FirstChar, font.LastChar = first, last
        font.Widths = Array([round(self._widths.get(code, 0), 3) for code in range(first, last + 1)])
        if Name.ToUnicode not in font:
            font.ToUnicode = self._meanings
        if Name.Encoding in font:
            del font.Encoding
        return True

    def _fits(self, font: Object) -> bool:
        stated = font.get(Name.Widths)
        first = font.get(Name.FirstChar, 0)
        if not isinstance(stated, Array) or not isinstance(first, int):
            return True
        return all(
            isinstance(width, String) is False and abs(float(width) - self._widths[first + place]) <= _TOLERANCE
            for place, width in enumerate(stated)
            if first + place in self._widths and width != 0
        )


def _subset(content: bytes, glyphs: Mapping[int, str]) -> bytes:
    """Give a font with these glyphs alone, by their codes."""
    font = TTFont(io.BytesIO(content), lazy=True, recalcTimestamp=False)
    options = subset.Options(
        layout_features=[], name_IDs=[], notdef_outline=True, drop_tables=["GSUB", "GPOS", "GDEF", "kern", "FFTM"]
    )
    chosen = subset.Subsetter(options)
    chosen.populate(glyphs=set(glyphs.values()))
    chosen.subset(font)
    table = CmapSubtable.newSubtable(4)
    table.platformID, table.platEncID, table.language = 3, 0, 0
    table.cmap = {_SYMBOLIC + code: name for code, name in glyphs.items()}
    font["cmap"] = newTable("cmap")
    font["cmap"].tableVersion, font["cmap"].tables = 0, [table]
    written = io.BytesIO()
    font.save(written)
    return written.getvalue()
