"""Visible text in fonts that every reader has or finds a substitute for; nothing is embedded.

Words of Western European letters are set in Helvetica, one of the standard 14 fonts (ISO 32000-1, 9.6.2.2); Chinese,
Japanese and Korean in the fonts of their character collections (9.7.5.2); other letters in a font with Helvetica's name
and an encoding of its own, which readers replace by one that has them.
"""

from __future__ import annotations

import ctypes
from functools import cache

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from pikepdf import Array, Dictionary, Name, Object, Pdf

from paperchute.engine.pdf.textlayer.content import LayerWord, number, numbers, text_matrix
from paperchute.engine.pdf.textlayer.glyphless import to_unicode
from paperchute.engine.reading.ocr.recognition import is_wide
from paperchute.engine.reading.pdf.view import Matrix

_COLLECTIONS = {
    "korean": ("HYSMyeongJo-Medium", "UniKS-UTF16-H", "Korea1"),
    "japanese": ("HeiseiMin-W3", "UniJIS-UTF16-H", "Japan1"),
    "chinese": ("STSong-Light", "UniGB-UTF16-H", "GB1"),
}
_OTHER_ADVANCE = 556
_FIRST_CODE, _LAST_CODE = 33, 255


class VisibleFonts:
    """The fonts of one document that visible text needs."""

    def __init__(self, pdf: Pdf) -> None:
        self._pdf = pdf
        self._fonts: dict[str, Object] = {}
        self._others: list[dict[str, int]] = []

    def word(self, word: LayerWord, to_user: Matrix) -> tuple[Object, str]:
        """The font of a word and the operators that show it as wide as its ink; `{font}` stands for the font's name."""
        font, codes, natural = self._encoded(word.text, word.bold)
        scale = 100 * word.length / max(natural / 1000 * word.size, 0.01)
        matrix = text_matrix(word, to_user)
        colour = numbers(*word.ink)
        shown = f"/{{font}} {number(word.size)} Tf {number(scale)} Tz <{codes.hex().upper()}> Tj"
        if word.gap > 0:
            space, width = self._space(font)
            shown += f" {number(100 * word.gap / (width / 1000 * word.size))} Tz <{space.hex().upper()}> Tj"
        return font, f"{colour} rg {matrix} {shown}"

    def finish(self) -> None:
        """Write down the encodings that grew."""
        for place, codes in enumerate(self._others):
            font = self._fonts[f"other{place}"]
            ordered = sorted(codes.items(), key=lambda item: item[1])
            names = [Name(f"/uni{ord(c):04X}" if ord(c) < 0x10000 else f"/u{ord(c):X}") for c, _ in ordered]
            font.Encoding = Dictionary(Type=Name.Encoding, Differences=Array([_FIRST_CODE, *names]))
            font.FirstChar, font.LastChar = _FIRST_CODE, _FIRST_CODE + len(ordered) - 1
            font.Widths = Array([_OTHER_ADVANCE] * len(ordered))
            font.ToUnicode = self._pdf.make_stream(to_unicode({code: c for c, code in ordered}, width=1))

    def _encoded(self, text: str, bold: bool) -> tuple[Object, bytes, float]:
        """Font, codes and natural width in thousandths of the size."""
        if any(map(is_wide, text)):
            collection = _collection(text)
            codes = text.encode("utf-16-be")
            return self._wide(collection), codes, sum(1000 if is_wide(c) else 500 for c in text)
        try:
            codes = text.encode("cp1252")
        except UnicodeEncodeError:
            font, codes = self._other(text)
            return font, codes, _OTHER_ADVANCE * len(codes)
        name = "Helvetica-Bold" if bold else "Helvetica"
        return self._standard(name), codes, sum(_advance(name, c) for c in text)

    def _space(self, font: Object) -> tuple[bytes, float]:
        """The code of a space in a font, and its width in thousandths of the size."""
        if font.get(Name.Subtype) == Name.Type0:
            return " ".encode("utf-16-be"), 500
        if font.get(Name.Subtype) == Name.Type1:
            return b" ", _advance("Helvetica", " ")
        other = next(n for n in range(len(self._others)) if self._fonts[f"other{n}"] == font)
        return bytes([self._others[other].setdefault(" ", _FIRST_CODE + len(self._others[other]))]), _OTHER_ADVANCE

    def _standard(self, name: str) -> Object:
        if name not in self._fonts:
            font = Dictionary(
                Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/" + name), Encoding=Name.WinAnsiEncoding
            )
            self._fonts[name] = self._pdf.make_indirect(font)
        return self._fonts[name]

    def _wide(self, collection: str) -> Object:
        if collection not in self._fonts:
            name, cmap, ordering = _COLLECTIONS[collection]
            inner = Dictionary(
                Type=Name.Font,
                Subtype=Name.CIDFontType0,
                BaseFont=Name("/" + name),
                CIDSystemInfo=Dictionary(Registry=b"Adobe", Ordering=ordering.encode(), Supplement=2),
                FontDescriptor=self._pdf.make_indirect(_descriptor(name)),
                DW=1000,
                W=Array([1, Array([500] * 94)]),
            )
            font = Dictionary(
                Type=Name.Font,
                Subtype=Name.Type0,
                BaseFont=Name(f"/{name}-{cmap}"),
                Encoding=Name("/" + cmap),
                DescendantFonts=Array([self._pdf.make_indirect(inner)]),
            )
            self._fonts[collection] = self._pdf.make_indirect(font)
        return self._fonts[collection]

    def _other(self, text: str) -> tuple[Object, bytes]:
        """A font with room for all of a word's characters."""
        wanted = {*text, " "}
        room = _LAST_CODE - _FIRST_CODE + 1
        place = next((n for n, codes in enumerate(self._others) if len(codes.keys() | wanted) <= room), None)
        if place is None:
            place = len(self._others)
            self._others.append({})
            font = Dictionary(
                Type=Name.Font,
                Subtype=Name.TrueType,
                BaseFont=Name.Helvetica,
                FontDescriptor=self._pdf.make_indirect(_descriptor("Helvetica")),
            )
            self._fonts[f"other{place}"] = self._pdf.make_indirect(font)
        codes = self._others[place]
        for character in text:
            codes.setdefault(character, _FIRST_CODE + len(codes))
        return self._fonts[f"other{place}"], bytes(codes[c] for c in text)


def _collection(text: str) -> str:
    if any("\uac00" <= c <= "\ud7ff" or "\u1100" <= c <= "\u11ff" for c in text):
        return "korean"
    return "japanese" if any("\u3040" <= c <= "\u30ff" for c in text) else "chinese"


def _descriptor(name: str) -> Dictionary:
    return Dictionary(
        Type=Name.FontDescriptor,
        FontName=Name("/" + name),
        Flags=32 if name == "Helvetica" else 4,
        FontBBox=[-100, -250, 1100, 950],
        ItalicAngle=0,
        Ascent=880,
        Descent=-120,
        CapHeight=740,
        StemV=80,
    )


@cache
def _advance(font: str, character: str) -> float:
    """The width of a character of a standard font, in thousandths of the size."""
    width = ctypes.c_float()
    if pdfium_c.FPDFFont_GetGlyphWidth(_measured(font), ord(character), 1000.0, width) and width.value > 0:
        return width.value
    return float(_OTHER_ADVANCE)


@cache
def _measured(font: str) -> object:
    return pdfium_c.FPDFText_LoadStandardFont(_scratch(), font.encode())


@cache
def _scratch() -> pdfium.PdfDocument:
    return pdfium.PdfDocument.new()
