"""Stacks of pages that one cannot be sure of: letters without sheets between them, and pages that may be blank."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import PIL.Image
from pikepdf import Dictionary, Name

from tests.engine.operations.stacks import sparse

_NAMES = ("Northwind Shipping Ltd", "Lakeside Water plc", "Sawmill Supplies Inc.", "Alpine Insurance Company Ltd")


def faint() -> PIL.Image.Image:
    """A page that may be blank, or bear a faint line in pencil."""
    return sparse("faint pencil")


def letters(path: Path, *counts: int, numbered: bool = True) -> Path:
    """Letters of so many pages each, one behind the other, with or without page numbers of how many."""
    with pikepdf.new() as pdf:
        for number, count in enumerate(counts):
            name = _NAMES[number % len(_NAMES)]
            for page in range(count):
                lines = [(60, 40, 8, f"Page {page + 1} of {count}")] if numbered else []
                if page == 0:
                    lines += [
                        *(
                            (60, 790, 16, name),
                            (60, 772, 10, f"{number + 1} Harbour Street"),
                            (60, 758, 10, "York YO1 7HH"),
                        ),
                        *(
                            (60, 690, 10, "Ms Erica Lang"),
                            (60, 676, 10, "2 School Lane"),
                            (60, 662, 10, "Leeds LS1 4AP"),
                        ),
                        *((400, 620, 10, "York, 12 March 2026"), (60, 570, 10, "Dear Ms Lang,")),
                    ]
                lines += [
                    (60, 540 - 14 * line, 10, f"we write of delivery {number} on page {page} in line {line} and more")
                    for line in range(30)
                ]
                _add(pdf, lines)
        pdf.save(path)
    return path


def _add(pdf: pikepdf.Pdf, lines: list[tuple[int, int, int, str]]) -> None:
    page = pdf.add_blank_page(page_size=(595, 842))
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    page.Resources = Dictionary(Font=Dictionary(F1=pdf.make_indirect(font)))
    texts = [f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET" for x, y, size, text in lines]
    page.Contents = pdf.make_stream("\n".join(texts).encode())
