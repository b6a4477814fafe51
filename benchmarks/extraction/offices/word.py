"""A document's parts as a Word file, for LibreOffice to print: letterheads in the header, tables, tabulators."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import docx
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Mm, Pt

from benchmarks.extraction.offices.content import Content

_FONTS = ("Carlito", "Liberation Serif", "Liberation Sans", "DejaVu Serif")
_STYLES = ("Table Grid", "Light List Accent 1", "Light Shading", "Normal Table")
_LEFT, _CENTRE, _RIGHT = WD_ALIGN_PARAGRAPH.LEFT, WD_ALIGN_PARAGRAPH.CENTER, WD_ALIGN_PARAGRAPH.RIGHT


def write(made: Content, target: Path) -> None:
    """The document, in a look that its seed draws."""
    chance = random.Random(f"word {made.seed}")
    file = docx.Document()
    section = file.sections[0]
    is_letter = made.language == "en" and chance.random() < 0.5
    section.page_width, section.page_height = (Mm(216), Mm(279)) if is_letter else (Mm(210), Mm(297))
    section.left_margin = section.right_margin = Mm(chance.choice((20, 25)))
    if made.kind == "receipt":
        section.page_width, section.page_height = Mm(82), Mm(200)
        section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Mm(5)
    normal = file.styles["Normal"]
    normal.font.name, normal.font.size = chance.choice(_FONTS), Pt(chance.choice((9, 10, 11)))
    normal.paragraph_format.space_after = Pt(2)
    _letterhead(file, section, made, chance)
    if made.kind != "receipt":
        file.add_paragraph("\n")
        for line in made.recipient:
            file.add_paragraph(line)
        file.add_paragraph("")
    _named(file, made, chance)
    _text(file, made, chance)
    if made.kind != "receipt":
        section.footer.paragraphs[0].text = "  ·  ".join([*made.foot, *made.contact])
        section.footer.paragraphs[0].runs[0].font.size = Pt(7)
    file.save(str(target))


def _letterhead(file: Any, section: Any, made: Content, chance: random.Random) -> None:
    in_header = chance.random() < 0.6 and made.kind != "receipt"
    side = _CENTRE if made.kind == "receipt" else chance.choice((_LEFT, _CENTRE, _RIGHT))
    lines = [made.sender, *made.address, *made.contact]
    for number, line in enumerate(lines):
        place = section.header if in_header else file
        paragraph = place.add_paragraph(line)
        paragraph.alignment = side
        if number == 0:
            paragraph.runs[0].font.size = Pt(chance.choice((12, 15, 18)))
            paragraph.runs[0].bold = chance.random() < 0.6


def _named(file: Any, made: Content, chance: random.Random) -> None:
    """The day, the title and the facts, before or behind each other."""
    above = chance.random() < 0.5

    def facts() -> None:
        form = chance.choice(("rows", "columns", "lines")) if made.facts else ""
        if form == "lines":
            for name, value in made.facts:
                file.add_paragraph(f"{name}:\t{value}").paragraph_format.tab_stops.add_tab_stop(Mm(50))
        elif form:
            size = (len(made.facts), 2) if form == "rows" else (2, len(made.facts))
            grid = file.add_table(*size)
            for n, pair in enumerate(made.facts):
                for m, text in enumerate(pair):
                    grid.cell(*((n, m) if form == "rows" else (m, n))).text = text
            file.add_paragraph("")

    if made.day and made.kind != "receipt":
        file.add_paragraph(made.day).alignment = chance.choice((_LEFT, _RIGHT))
    if above:
        facts()
    if made.kind == "letter":
        file.add_paragraph().add_run(made.title).bold = True
    elif made.title:
        file.add_heading(made.title, level=chance.choice((1, 2)))
    if not above:
        facts()
    if made.day and made.kind == "receipt":
        file.add_paragraph(made.day)


def _text(file: Any, made: Content, chance: random.Random) -> None:
    for text in ([made.greeting] if made.greeting else []) + made.paragraphs:
        file.add_paragraph(text)
    if made.rows:
        rows = [made.head, *made.rows] if made.head else made.rows
        grid = file.add_table(len(rows), len(rows[0]))
        grid.style = file.styles[chance.choice(_STYLES)]
        for n, row in enumerate(rows):
            for m, cell in enumerate(row):
                grid.cell(n, m).text = cell
                grid.cell(n, m).paragraphs[0].alignment = _RIGHT if m == len(row) - 1 else _LEFT
    width = 70 if made.kind == "receipt" else 160
    for name, value in made.sums:
        paragraph = file.add_paragraph()
        paragraph.add_run(f"{name}\t{value}").bold = chance.random() < 0.5
        paragraph.paragraph_format.tab_stops.add_tab_stop(Mm(width), 2)
    for text in made.after:
        file.add_paragraph(text)
    if made.closing:
        for line in (made.closing, "", made.sender):
            file.add_paragraph(line)
