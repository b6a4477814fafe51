"""Documents of many pages for tests, written line by line, and the words that readers see of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pikepdf
from pikepdf import Dictionary, Name

HEIGHT = 842
"""Of a page of A4, in points."""


@dataclass(frozen=True)
class Said:
    """A line of text: its left end and baseline in points from the top left of the page, size and font."""

    text: str
    x: float
    y: float
    size: float = 11
    font: str = "R"


def written(path: Path, pages: Sequence[Sequence[Said]], width: float = 595) -> Path:
    """A PDF with the lines of each page; fonts are R, B (bold), S (with serifs) and M (typewriter)."""
    pdf = pikepdf.new()
    fonts = Dictionary(
        {
            f"/{name}": Dictionary(
                Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{base}"), Encoding=Name.WinAnsiEncoding
            )
            for name, base in (("R", "Helvetica"), ("B", "Helvetica-Bold"), ("S", "Times-Roman"), ("M", "Courier"))
        }
    )
    for lines in pages:
        page = pdf.add_blank_page(page_size=(width, HEIGHT))
        page.obj.Resources = Dictionary(Font=fonts)
        page.obj.Contents = pdf.make_stream(b"\n".join(map(_operators, lines)))
    pdf.save(path)
    return path


def words_of(text: str) -> Counter[str]:
    """Words and how often they stand there; signs alone are none."""
    return Counter(re.findall(r"\w+", text))


def _operators(line: Said) -> bytes:
    text = line.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252")
    return b"BT /%s %g Tf %g %g Td (%s) Tj ET" % (line.font.encode(), line.size, line.x, HEIGHT - line.y, text)
