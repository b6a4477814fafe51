"""The cases, and what a result has."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One report, and what is right. What a case does not name is not looked at.

    source: who reported it of which program. in_turn: texts that the result has, in this order, as often as they stand
    here. never: texts that it has not. told: texts of warnings. bookmarks: of each title the page it leads to, from 1.
    fields: of a form, with their values. labels: of the pages. attachments: their names. sheets: of each page its crop
    box and turn. known: why it is wrong today.
    """

    source: str
    operation: str
    files: list[str]
    in_turn: list[str] = field(default_factory=list)
    never: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    bookmarks: dict[str, int] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)
    sheets: list[list[float]] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    known: str = ""

    @property
    def inputs(self) -> list[Path]:
        """Its files."""
        return [FOLDER / "inputs" / name for name in self.files]

    def wrong(self, result: Path, warnings: Sequence[str] = ()) -> list[str]:
        """What of the right value a result lacks, or has beyond it."""
        text = " ".join(_text(result).split()) if self.in_turn or self.never else ""
        found, at = [], 0
        for wanted in self.in_turn:
            place = text.find(wanted, at)
            if place < 0:
                found.append(wanted)
            else:
                at = place + len(wanted)
        found += [f"not {unwanted}" for unwanted in self.never if unwanted in text]
        found += [f"warning: {said}" for said in self.told if not any(said in warning for warning in warnings)]
        if self.bookmarks:
            led = _bookmarks(result)
            found += [title for title, page in self.bookmarks.items() if led.get(title) != page]
        if self.fields or self.labels or self.attachments or self.sheets:
            found += self._wrong_parts(result)
        return found

    def _wrong_parts(self, result: Path) -> Iterator[str]:
        with pikepdf.open(result) as pdf:
            sheets = [[*map(float, page.cropbox), float(page.obj.get(pikepdf.Name.Rotate, 0))] for page in pdf.pages]
            parts = (
                (self.fields, _fields(pdf)),
                (self.labels, [page.label for page in pdf.pages]),
                (self.attachments, sorted(pdf.attachments)),
                (self.sheets, sheets),
            )
            yield from (f"{has} for {wanted}" for wanted, has in parts if wanted and wanted != has)


def cases() -> list[Case]:
    """All of the table."""
    return [Case(**entry) for entry in tomllib.loads((FOLDER / "cases.toml").read_text("utf-8"))["case"]]


def _text(result: Path) -> str:
    if result.suffix != ".pdf":
        return result.read_text("utf-8").replace("\\", "")
    with pypdfium2.PdfDocument(result) as document:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)


def _bookmarks(result: Path) -> dict[str, int]:
    with pypdfium2.PdfDocument(result) as document:
        items = [(item.get_title(), item.get_dest()) for item in document.get_toc()]
        return {title: target.get_index() + 1 for title, target in items if target is not None}


def _fields(pdf: pikepdf.Pdf) -> dict[str, str]:
    """The values of a form's fields, by their full names."""
    found: dict[str, str] = {}
    form = pdf.Root.get(pikepdf.Name.AcroForm)
    rest = [("", item) for item in form.Fields] if form is not None else []
    while rest:
        above, item = rest.pop()
        name = f"{above}.{item.T}" if above else str(item.T)
        inner = [kid for kid in item.get(pikepdf.Name.Kids, []) if pikepdf.Name.T in kid]
        rest += [(name, kid) for kid in inner]
        if not inner:
            found[name] = str(item.get(pikepdf.Name.V, "")).removeprefix("/")
    return found
