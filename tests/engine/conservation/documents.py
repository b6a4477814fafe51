"""PDFs of which every word is known, drawn by chance: what is written on a page is also noted down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String

WIDTH, HEIGHT = 595.0, 842.0

_TEXT = """harbour quay timber brick winter repair storm ledger account crane pilot vessel cargo lantern signal bridge
the of and to in was with for that which had been from by on at Leith Graz Oslo Turin net due paid open"""
_WORDS = _TEXT.split()
_MARK = re.compile(r"(?<![^\W_])k\d{4}(?!\d)", re.IGNORECASE)

SPELLINGS = ("-{}", "({})", "{}-", "−{}", "{} CR", "- {}")
"""How negative amounts are printed."""

_GROUPS = ((",", "."), (".", ","), (" ", ","), ("'", "."), ("’", "."), ("", "."))
_NARROW = {letter: width for letters, width in (("., ", 0.278), ("'’", 0.19), ("-()", 0.333)) for letter in letters}
_MINUS = 0x81
"""Where the fonts' encoding has the minus sign, which the one of Windows lacks."""


def marks_of(text: str) -> list[str]:
    """The marks of lines in a text, in its order."""
    return [mark.lower() for mark in _MARK.findall(text)]


def octets(text: str) -> bytes:
    """A text as the fonts spell it."""
    return b"".join(bytes([_MINUS]) if c == "−" else c.encode("cp1252") for c in text)


def width_of(text: str, size: float) -> float:
    """About how wide a text of figures is."""
    return size * sum(_NARROW.get(letter, 0.556) for letter in text)


def shown(text: str, x: float, y: float, size: float = 10, font: str = "R", matrix: Sequence[float] = ()) -> bytes:
    """The operators that show a text at (x, y) from the lower left of the page."""
    place = b"%.5f %.5f %.5f %.5f %g %g Tm" % (*matrix, x, y) if matrix else b"%g %g Td" % (x, y)
    return b"BT /%s %g Tf %s <%s> Tj ET" % (font.encode(), size, place, octets(text).hex().encode())


class Document:
    """Pages as they are written, and the words on them. Each line has a word of its own, which tells the order.

    ordered: the lines are to come out as they were written. again: some words are shown more than once. counted:
    numbers of notes, which Word counts anew.
    """

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.pdf = pikepdf.new()
        self.said: list[str] = []
        self.amounts: list[str] = []
        self.counted: list[str] = []
        self.ordered = True
        self.again = False
        self.size: float = chance.choice((8, 9, 10, 11, 12))
        self._marks = 0
        self._groups = chance.choice(_GROUPS)
        names = {"R": "Helvetica", "B": "Helvetica-Bold", "M": "Courier", "I": "Times-Italic"}
        encoding = Dictionary(
            Type=Name.Encoding, BaseEncoding=Name.WinAnsiEncoding, Differences=Array([_MINUS, Name.minus])
        )
        self.fonts = Dictionary(
            {
                f"/{name}": self.pdf.make_indirect(
                    Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{base}"), Encoding=encoding)
                )
                for name, base in names.items()
            }
        )

    def note(self, text: str) -> str:
        """Remember a text that is about to be shown."""
        self.said.append(text)
        return text

    def line(self, fewest: int = 4, most: int = 8) -> str:
        """A few words and the line's own."""
        self._marks += 1
        chosen = [self.chance.choice(_WORDS) for _ in range(self.chance.randint(fewest, most))]
        return self.note(" ".join([*chosen, f"k{self._marks:04}"]))

    def amount(self, negative: str = "") -> str:
        """An amount in the document's own notation. negative: how it is spelled when it is; empty: it is not."""
        thousands, decimals = self._groups
        whole, cents = self.chance.randint(100, 99999), self.chance.randint(0, 99)
        text = f"{whole:,}".replace(",", thousands) + f"{decimals}{cents:02}"
        text = negative.format(text) if negative else text
        self.amounts.append(text)
        return self.note(text)

    def form(self, content: Sequence[bytes], box: Sequence[float], **resources: Any) -> Any:
        """Content that pages can show again and again."""
        made = self.pdf.make_stream(b"\n".join(content))
        own = Dictionary(Font=self.fonts, **resources)
        made.update(Dictionary(Type=Name.XObject, Subtype=Name.Form, BBox=Array(box), Resources=own))
        return self.pdf.make_indirect(made)

    def page(
        self,
        content: Sequence[bytes],
        width: float = WIDTH,
        height: float = HEIGHT,
        objects: Any = None,
        **entries: Any,
    ) -> Any:
        """A page with content; entries: of the page's dictionary."""
        page = self.pdf.add_blank_page(page_size=(max(width, 3), max(height, 3)))
        page.obj.MediaBox = Array([0, 0, width, height])
        page.obj.Resources = Dictionary(Font=self.fonts)
        if objects is not None:
            page.obj.Resources.XObject = Dictionary(objects)
        page.obj.Contents = self.pdf.make_stream(b"\n".join(content))
        for name, value in entries.items():
            page.obj[f"/{name}"] = value
        return page.obj

    def script(self, letters: str, wide: float = 0.6) -> str:
        """The name of a font for other letters, all of one width; `spelled` writes with it."""
        name = f"S{len(self.fonts)}"
        pairs = "".join(f"<{n + 1:04x}> <{c.encode('utf-16-be').hex()}>\n" for n, c in enumerate(letters))
        unicode = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def "
            f"1 begincodespacerange <0000> <ffff> endcodespacerange {len(letters)} beginbfchar\n"
            f"{pairs}endbfchar endcmap end end"
        )
        base = Name("/Song")
        descriptor = Dictionary(Type=Name.FontDescriptor, FontName=base, Flags=4, Ascent=880, Descent=-120)
        descriptor.FontBBox, descriptor.ItalicAngle = Array([0, -120, 1000, 880]), 0
        descriptor.CapHeight, descriptor.StemV = 700, 80
        system = Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0)
        descendant = Dictionary(Type=Name.Font, Subtype=Name.CIDFontType0, BaseFont=base, CIDSystemInfo=system)
        descendant.DW, descendant.FontDescriptor = round(1000 * wide), self.pdf.make_indirect(descriptor)
        font = Dictionary(Type=Name.Font, Subtype=Name.Type0, BaseFont=base, Encoding=Name("/Identity-H"))
        font.DescendantFonts = Array([self.pdf.make_indirect(descendant)])
        font.ToUnicode = self.pdf.make_stream(unicode.encode())
        self.fonts[f"/{name}"] = self.pdf.make_indirect(font)
        return name

    def save(self, path: Path) -> Path:
        """Write it, now and then as few do: encrypted against copying, for the web, with objects in streams."""
        how = self.chance.random()
        given: dict[str, Any] = {}
        if how < 0.08:
            given["encryption"] = pikepdf.Encryption(owner="o", user="", allow=pikepdf.Permissions(extract=False))
        elif how < 0.16:
            given["linearize"] = True
        elif how < 0.3:
            given["object_stream_mode"] = pikepdf.ObjectStreamMode.generate
        self.pdf.save(path, **given)
        return path


def spelled(letters: str, font: str, text: str, x: float, y: float, size: float) -> bytes:
    """The operators that show a text in a font made by `Document.script`."""
    codes = "".join(f"{letters.index(c) + 1:04x}" for c in text)
    return b"BT /%s %g Tf %g %g Td <%s> Tj ET" % (font.encode(), size, x, y, codes.encode())


def lines(
    document: Document,
    content: list[bytes],
    count: int,
    x: float = 60,
    y: float = 780,
    words: tuple[int, int] = (4, 8),
    size: float = 0,
    bottom: float = 40,
) -> float:
    """Write lines under each other while there is room; where the next one would stand."""
    size = size or document.size
    for _ in range(count):
        if y < bottom:
            break
        content.append(shown(document.line(*words), x, y, size))
        y -= 1.3 * size
    return y
