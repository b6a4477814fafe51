"""Tagged PDFs for tests, written by hand (ISO 32000-1, 14.7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name


class Tagged:
    """One page of text and its structure; `put` writes text at a place, inside of the structure or outside."""

    def __init__(self) -> None:
        self._pdf = pikepdf.new()
        self._pdf.add_blank_page()
        self._page = self._pdf.pages[0].obj
        self._content: list[str] = []
        self._owners: list[Dictionary] = []

    def put(self, text: str, x: float, y: float, bold: bool = False, size: float = 11) -> int:
        """Write text at (x, y) from the top left; the number of its marked content."""
        self._owners.append(Dictionary())
        number = len(self._owners) - 1
        self._content.append(f"/P <</MCID {number}>> BDC {self._shown(text, x, y, bold, size)} EMC")
        return number

    def artifact(self, text: str, x: float, y: float) -> None:
        """Write text that is no part of the structure."""
        self._content.append(f"/Artifact BMC {self._shown(text, x, y, False)} EMC")

    def grid(self, xs: list[float], ys: list[float]) -> None:
        """A ruled grid, which is no part of the structure."""
        ends = [(x, ys[0], x, ys[-1]) for x in xs] + [(xs[0], y, xs[-1], y) for y in ys]
        lines = " ".join(f"{a} {792 - b} m {c} {792 - d} l S" for a, b, c, d in ends)
        self._content.append(f"/Artifact BMC 0.7 w {lines} EMC")

    def element(self, kind: str, *inside: Dictionary | int, **attributes: Any) -> Dictionary:
        """An element of other elements or marked contents."""
        made = self._pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name(f"/{kind}"), Pg=self._page, K=Array()))
        if attributes:
            made.A = Dictionary(O=Name.Table, **attributes)
        for part in inside:
            made.K.append(part)
            if isinstance(part, int):
                self._owners[part] = made
            else:
                part.P = made
        return made

    def save(self, path: Path, *elements: Dictionary) -> Path:
        """The PDF with the elements as its structure."""
        root = self._pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        document = self.element("Document", *elements)
        document.P = root
        root.K = Array([document])
        root.ParentTree = self._pdf.make_indirect(Dictionary(Nums=[0, Array(self._owners)]))
        self._pdf.Root.StructTreeRoot = root
        self._pdf.Root.MarkInfo = Dictionary(Marked=True)
        fonts = {
            name: Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(base))
            for name, base in (("/R", "/Helvetica"), ("/B", "/Helvetica-Bold"))
        }
        self._page.Resources = Dictionary(Font=Dictionary(fonts))
        self._page.StructParents = 0
        self._page.Contents = self._pdf.make_stream("\n".join(self._content).encode())
        self._pdf.save(path)
        return path

    @staticmethod
    def _shown(text: str, x: float, y: float, bold: bool, size: float = 11) -> str:
        return f"BT /{'B' if bold else 'R'} {size} Tf {x} {792 - y} Td ({text}) Tj ET"
