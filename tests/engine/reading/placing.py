"""PDFs for tests, written sign by sign: text in any direction, vertical writing, rules."""

from __future__ import annotations

import math
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name

_JAPANESE = "/HeiseiMin-W3"  # one of the fonts that every reader has to know; PDFium has its Unicode values built in
_UNICODE = b"""begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange
1 beginbfrange <0000> <ffff> <0000> endbfrange endcmap"""


class Sheet:
    """One A4 page. Places are points from the top left.

    shapes: False for Japanese in a font whose letters nobody can draw: it says their Unicode values alone.
    """

    def __init__(self, shapes: bool = True) -> None:
        self._shapes = shapes
        self._pdf = pikepdf.new()
        self._pdf.add_blank_page(page_size=(595, 842))
        self._content: list[str] = []

    def put(self, text: str, x: float, y: float, size: float = 11, angle: int = 0, bold: bool = False) -> None:
        """Latin text from (x, y) on, the left end of its baseline, turned clockwise by `angle`."""
        turn = math.radians(-angle)
        sine, cosine = math.sin(turn), math.cos(turn)
        matrix = f"{cosine:.5f} {sine:.5f} {-sine:.5f} {cosine:.5f} {x} {842 - y}"
        self._content.append(f"BT /{'B' if bold else 'R'} {size} Tf {matrix} Tm ({text}) Tj ET")

    def leaping(self, first: str, second: str, x: float, y: float, back: float, size: float = 11) -> None:
        """Two texts in one operator, the second so many points before the end of the first."""
        self._content.append(f"BT /R {size} Tf {x} {842 - y} Td [({first}) {1000 * back / size:.1f} ({second})] TJ ET")

    def across(self, text: str, x: float, y: float, size: float = 11) -> None:
        """Japanese text that reads to the right."""
        self._content.append(f"BT /H {size} Tf {x} {842 - y} Td <{_hex(text)}> Tj ET")

    def named(self, text: str, x: float, y: float, size: float = 11) -> None:
        """Letters from left to right, of which the actual text alone says what they are, as browsers write Arabic."""
        shown = [f"BT /H {size} Tf {x} {842 - y} Td"]
        for number, letter in enumerate(text):
            glyph = _hex(chr(0x3042 + number))
            shown.append(f"/Span <</ActualText <FEFF{_hex(letter)}>>> BDC <{glyph}> Tj EMC {size} 0 Td")
        self._content.append(" ".join([*shown, "ET"]))

    def turned(self, text: str, x: float, y: float, size: float = 11) -> None:
        """The same turned, so that it reads downwards."""
        self._content.append(f"BT /H {size} Tf 0 -1 1 0 {x} {842 - y} Tm <{_hex(text)}> Tj ET")

    def down(self, text: str, x: float, y: float, size: float = 11) -> None:
        """Japanese text that reads downwards from (x, y), the middle of its upper end, in a vertical font."""
        self._content.append(f"BT /V {size} Tf {x} {842 - y} Td <{_hex(text)}> Tj ET")

    def letters(self, text: str, x: float, y: float, size: float = 11, pitch: float = 1.0) -> None:
        """As `down`, but letter by letter in a horizontal font, as most programs write."""
        for number, letter in enumerate(text):
            self.across(letter, x - size / 2, y + (0.88 + pitch * number) * size, size)

    def line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """A rule."""
        self._content.append(f"0.7 w {x1} {842 - y1} m {x2} {842 - y2} l S")

    def grid(self, xs: list[float], ys: list[float]) -> None:
        """A ruled grid."""
        for x in xs:
            self.line(x, ys[0], x, ys[-1])
        for y in ys:
            self.line(xs[0], y, xs[-1], y)

    def square(self, x: float, y: float, side: float = 10) -> None:
        """The edge of a square; (x, y) is its upper left corner."""
        self._content.append(f"0.7 w {x} {842 - y - side} {side} {side} re S")

    def area(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """A light blue area, for what is written on it later."""
        self._content.append(f"q .8 .9 1 rg {x1} {842 - y2} {x2 - x1} {y2 - y1} re f Q")

    def filled(self, x: float, y: float, side: float) -> None:
        """A black square; (x, y) is its upper left corner."""
        self._content.append(f"{x} {842 - y - side} {side} {side} re f")

    def path(self, *points: tuple[float, float]) -> None:
        """An open line with bends."""
        (x, y), *others = points
        bends = " ".join(f"{x} {842 - y} l" for x, y in others)
        self._content.append(f"0.7 w {x} {842 - y} m {bends} S")

    def save(self, path: Path) -> Path:
        """The PDF."""
        page = self._pdf.pages[0].obj
        latin = {
            name: Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(base))
            for name, base in (("/R", "/Helvetica"), ("/B", "/Helvetica-Bold"))
        }
        japanese = {f"/{way}": self._japanese(way) for way in "HV"}
        page.Resources = Dictionary(Font=Dictionary(latin | japanese))
        page.Contents = self._pdf.make_stream("\n".join(self._content).encode())
        self._pdf.save(path)
        return path

    def _japanese(self, way: str) -> Dictionary:
        name = _JAPANESE if self._shapes else "/Unknown"
        descriptor = Dictionary(
            Type=Name.FontDescriptor,
            FontName=Name(name),
            Flags=4,
            FontBBox=Array([0, -120, 1000, 880]),
            ItalicAngle=0,
            Ascent=880,
            Descent=-120,
            CapHeight=700,
            StemV=80,
        )
        own = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType0,
            BaseFont=Name(name),
            CIDSystemInfo=Dictionary(
                Registry=b"Adobe", Ordering=b"Japan1" if self._shapes else b"Identity", Supplement=0
            ),
            FontDescriptor=self._pdf.make_indirect(descriptor),
        )
        font = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type0,
            BaseFont=Name(name),
            Encoding=Name(f"/{'UniJIS-UCS2' if self._shapes else 'Identity'}-{way}"),
            DescendantFonts=Array([self._pdf.make_indirect(own)]),
        )
        if not self._shapes:
            font.ToUnicode = self._pdf.make_stream(_UNICODE)
        return font


def _hex(text: str) -> str:
    return text.encode("utf-16-be").hex()
