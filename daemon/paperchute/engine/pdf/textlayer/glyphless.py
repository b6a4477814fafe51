"""A font without shapes: every character has one glyph of no area, and a ToUnicode map says which character it is."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream

_HEAD = """/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<{low}> <{high}>
endcodespacerange
"""
_TAIL = "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
_BLOCK = 100  # the most lines that one bfchar section may have


def to_unicode(meanings: Mapping[int, str], width: int = 2) -> bytes:
    """The map as a stream's content. meanings: text by code; width: bytes of a code."""
    digits = 2 * width
    lines = [
        f"<{code:0{digits}X}> <{text.encode('utf-16-be').hex().upper()}>" for code, text in sorted(meanings.items())
    ]
    parts = [_HEAD.format(low="0" * digits, high="F" * digits)]
    for start in range(0, len(lines), _BLOCK):
        block = lines[start : start + _BLOCK]
        parts.append(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar\n")
    return ("".join(parts) + _TAIL).encode("ascii")


ADVANCE = 500
ASCENT, DESCENT = 780, -220
"""Of a thousand to the font size, as layout measures lines."""

_UNITS = 1000
_NAME = Name("/PaperchuteGlyphless")
_FIRST_FREE = 0xE000  # private use: never recognised as such, so free for characters beyond two bytes
_MOST_CODES = 0x10000


class Glyphless:
    """The font of one document. `encode` gives the bytes to show; `finish` writes down what was used."""

    def __init__(self, pdf: Pdf) -> None:
        self._codes: dict[str, int] = {}
        self._next = _FIRST_FREE
        self._pdf = pdf
        self._font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type0))

    @property
    def font(self) -> Object:
        """For the resources of pages."""
        return self._font

    def encode(self, text: str) -> bytes:
        """The codes of a text; characters that no code is left for are left out."""
        return b"".join(struct.pack(">H", code) for c in text if (code := self._code(c)) is not None)

    def finish(self) -> None:
        """Fill the font in; nothing may be encoded afterwards."""
        pdf, font = self._pdf, self._font
        file = pdf.make_stream(_font_file())
        file.Length1 = len(_font_file())
        descriptor = Dictionary(
            Type=Name.FontDescriptor,
            FontName=_NAME,
            Flags=4,
            FontBBox=[0, DESCENT, ADVANCE, ASCENT],
            ItalicAngle=0,
            Ascent=ASCENT,
            Descent=DESCENT,
            CapHeight=715,
            StemV=80,
            FontFile2=file,
        )
        inner = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType2,
            BaseFont=_NAME,
            CIDSystemInfo=Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
            FontDescriptor=pdf.make_indirect(descriptor),
            DW=ADVANCE,
            CIDToGIDMap=_stream(pdf, struct.pack(">H", 1) * _MOST_CODES),
        )
        font.BaseFont = _NAME
        font.Encoding = Name("/Identity-H")
        font.DescendantFonts = Array([pdf.make_indirect(inner)])
        font.ToUnicode = _stream(pdf, to_unicode({code: c for c, code in self._codes.items()}))

    def _code(self, character: str) -> int | None:
        known = self._codes.get(character)
        if known is not None:
            return known
        code = ord(character)
        if code >= _FIRST_FREE and not 0xF900 <= code <= 0xFFEF:
            if self._next > 0xF8FF:
                return None
            code, self._next = self._next, self._next + 1
        self._codes[character] = code
        return code


def _stream(pdf: Pdf, data: bytes) -> Stream:
    return pdf.make_stream(data)


def _font_file() -> bytes:
    """A TrueType font with an empty glyph and one without area (OpenType 1.9: the tables ISO 32000-1, 9.9 asks for).

    The second is a stroke there and back over the height of a line: nothing to paint, but an extent, by which readers
    show what is marked.
    """
    rise = ASCENT - DESCENT
    points = struct.pack(">BBBhhhhhh", 1, 1, 1, 0, ADVANCE, -ADVANCE, DESCENT, rise, -rise)
    glyph = struct.pack(">hhhhhHH", 1, 0, DESCENT, ADVANCE, ASCENT, 2, 0) + points
    glyph += b"\0" * (-len(glyph) % 4)
    tables = {
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh",
            0x10000,
            0x10000,
            0,
            0x5F0F3CF5,
            0,
            _UNITS,
            0,
            0,
            0,
            DESCENT,
            ADVANCE,
            ASCENT,
            0,
            8,
            2,
            0,
            0,
        ),
        b"hhea": struct.pack(">IhhhHhhhhhhhhhhhH", 0x10000, ASCENT, DESCENT, 0, ADVANCE, 0, 0, 0, 1, 0, 0, *[0] * 5, 1),
        b"maxp": struct.pack(">IH13H", 0x10000, 2, 3, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        b"hmtx": struct.pack(">Hhh", ADVANCE, 0, 0),
        b"loca": struct.pack(">HHH", 0, 0, len(glyph) // 2),
        b"glyf": glyph,
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, 0, 0, 0, 0, 0, 0, 0),
    }
    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    offset = 12 + 16 * count
    directory, body = b"", b""
    for tag, data in sorted(tables.items()):
        padded = data + b"\0" * (-len(data) % 4)
        directory += struct.pack(">4sIII", tag, _checksum(padded), offset + len(body), len(data))
        body += padded
    search = struct.pack(">IHHHH", 0x10000, count, power * 16, power.bit_length() - 1, count * 16 - power * 16)
    whole = bytearray(search + directory + body)
    head = whole.index(struct.pack(">I", 0x5F0F3CF5)) - 4
    struct.pack_into(">I", whole, head, (0xB1B0AFBA - _checksum(bytes(whole))) & 0xFFFFFFFF)
    return bytes(whole)


def _checksum(data: bytes) -> int:
    padded = data + b"\0" * (-len(data) % 4)
    return int(sum(struct.unpack(f">{len(padded) // 4}I", padded))) & 0xFFFFFFFF
