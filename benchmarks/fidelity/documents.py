"""Ten kinds of documents of offices, made by seed and printed by us, so that any machine has the same."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from benchmarks.sets import findings, forms, genres, hypertext, papers, printing, schedules, sheets, truth
from benchmarks.sets.documents import Block, Heading, Listing, Paragraph, Table, cells, text
from benchmarks.sets.hypertext import Style
from benchmarks.sets.languages import ENGLISH, FRENCH, GERMAN
from benchmarks.sets.prose import Prose
from benchmarks.sets.statements import amount
from paperchute.engine.fonts import use_carried_fonts


@dataclass(frozen=True, slots=True)
class Made:
    """A document: its page of HTML, and what it says.

    truth: in Markdown, in reading order, without what stands in the margins. running: that, without page numbers.
    pages: how many it begins on purpose; 0 where the text just flows on. items: of its lists.
    """

    kind: str
    page: str
    truth: str
    running: str = ""
    pages: int = 0
    items: tuple[str, ...] = ()

    def print(self, target: Path) -> Path:
        """Print it as a PDF."""
        use_carried_fonts()
        printing.ours(self.page, target)
        return target


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a kind says, and how it is set. foot: it stands at the foot of its pages; `number` counts them beside it."""

    make: Callable[[Prose], list[Block]]
    css: str = ""
    columns: int = 1
    foot: bool = False
    number: bool = False
    begins: bool = False
    """Each second heading begins a page."""


_PLAIN = "body {font-family: serif; font-size: 11pt} h1 {font-size: 18pt} h2 {font-size: 14pt} h3 {font-size: 12pt}"
_SLIDES = "@page {size: 254mm 143mm; margin: 12mm 16mm} h2 {break-before: page; font-size: 22pt} body {font-size: 14pt}"
_NOTICES = "h2 {font-size: 11pt} h2 + p {margin-top: 2pt} .flow > h2, body > h2:nth-of-type(n+2) {break-before: page}"


def _contract(prose: Prose) -> list[Block]:
    """Numbered headings, and numbered lists under them."""
    made: list[Block] = [Heading(prose.title(), 1), text(f"{prose.name()}, {prose.date()}")]
    for number, heading in enumerate(prose.headings(prose.chance.randint(3, 5)), 1):
        made += [Heading(f"{number}. {heading}", 2), text(prose.sentences(1, 3))]
        made.append(Listing(tuple(prose.sentence() for _ in range(prose.chance.randint(2, 5))), ordered=True))
    return made


def _letter(prose: Prose) -> list[Block]:
    return [block for block in genres.letter(prose)[:12] if isinstance(block, Paragraph)]


def _notices(prose: Prose) -> list[Block]:
    """Notices of a few lines, each on a page of its own."""
    made: list[Block] = [Heading(prose.title(), 1)]
    for heading in prose.headings(3):
        made += [Heading(heading, 2), text(prose.sentences(1, 3)), text(prose.sentences(1, 2))]
    return made


def _pricelist(prose: Prose) -> list[Block]:
    made: list[Block] = [Heading(prose.title(), 1)]
    for heading in prose.headings(2):
        made += [Heading(heading, 2), text(prose.sentence()), replace(schedules.prices(prose), caption="")]
    return made


def _report(prose: Prose) -> list[Block]:
    made: list[Block] = [Heading(prose.title(), 1)]
    for heading in prose.headings(3):
        made += [
            Heading(heading, 2),
            text(prose.sentences(2, 5)),
            findings.spanning(prose),
            text(prose.sentences(1, 3)),
        ]
    return made


def _thesis(prose: Prose) -> list[Block]:
    made: list[Block] = [Heading(prose.title(), 1)]
    for number, heading in enumerate(prose.headings(3), 1):
        made.append(Heading(f"{number} {heading}", 2))
        for part, name in enumerate(prose.headings(2), 1):
            made += [Heading(f"{number}.{part} {name}", 3), papers.paragraph(prose), papers.paragraph(prose)]
    return made


_KINDS = {
    "letter": _Kind(_letter, "p {margin: 0 0 6pt}", foot=True),
    "contract": _Kind(_contract, foot=True, number=True),
    "newsletter": _Kind(genres.newspaper, "h2 {font-size: 125%; margin: 6pt 0 2pt} p {margin: 0 0 4pt}", 2, foot=True),
    "invoice": _Kind(genres.invoice, "p {margin: 0 0 2pt} table {margin: 16pt 0}", foot=True),
    "notices": _Kind(_notices, _NOTICES, foot=True, begins=True),
    "slides": _Kind(genres.slides, _SLIDES, begins=True),
    "report": _Kind(_report, foot=True, number=True),
    "pricelist": _Kind(_pricelist),
    "thesis": _Kind(_thesis, foot=True, number=True),
}


def _career(prose: Prose) -> Made:
    """A life's stations, and a grid of skills with dots for how well."""
    sheet = forms.career(prose)
    names = findings.different(prose, 8)
    marks = [
        "".join("●" if n < level else "○" for n in range(5)) for level in (prose.chance.randint(1, 5) for _ in names)
    ]
    table = Table(
        tuple(cells((names[n], marks[n], names[n + 1], marks[n + 1])) for n in range(0, 8, 2)), heads=0, aligns="llll"
    )
    rows = "".join(f"<tr>{''.join(f'<td>{html.escape(cell.text)}</td>' for cell in row)}</tr>" for row in table.rows)
    body = f"{sheet.body}<h2>Skills</h2><table class='skills'>{rows}</table>"
    style = "<style>.skills td {padding: 2pt 12pt 2pt 0}</style>"
    said = (*sheet.truth, "## Skills", truth.table(table))
    return Made("cv", _page(style + body, "en"), "\n\n".join(said) + "\n")


def _form(prose: Prose) -> Made:
    sheet = prose.chance.choice((forms.boxes, forms.bill, sheets.payslip))(prose)
    return Made("form", _page(sheet.body, "en"), "\n\n".join(sheet.truth) + "\n")


def _page(body: str, language: str) -> str:
    css = f"@page {{size: A4; margin: 20mm}} {_PLAIN} body {{margin: 0}} td {{vertical-align: top; padding: 2px 8px}}"
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><style>{css}</style><body>{body}</body></html>'
    )


def made(number: int) -> Made:
    """Make document `number`; the kinds take turns."""
    names = (*_KINDS, "cv", "form")
    name = names[number % len(names)]
    chance = Random(f"fidelity/{number}")
    prose = Prose(chance, ENGLISH if name in ("cv", "form") else chance.choice((ENGLISH, ENGLISH, GERMAN, FRENCH)))
    if name not in _KINDS:
        return (_career if name == "cv" else _form)(prose)
    kind = _KINDS[name]
    blocks = kind.make(prose)
    foot = (
        f"{prose.name()} Ltd - {prose.phrase()} {chance.randint(10, 99)} - {amount(1234.5, 'en', 2)}"
        if kind.foot
        else ""
    )
    css = _PLAIN + kind.css
    if foot:
        font = "font-size: 7.5pt; font-family: sans-serif"
        css += f'@page {{@bottom-left {{content: "{foot}"; {font}}}}}'
        if kind.number:
            css += f"@page {{@bottom-right {{content: counter(page); {font}}}}}"
    style = Style(chance.choice(hypertext.LOOKS), size=11, columns=kind.columns)
    page = hypertext.page(blocks, style, prose.language.code, "", css)
    begins = sum(isinstance(block, Heading) and block.level == 2 for block in blocks) if kind.begins else 0
    if name == "slides":
        begins += 1  # that of the title
    items = tuple(item for block in blocks if isinstance(block, Listing) for item in block.items)
    return Made(name, page, truth.markdown(blocks), foot, begins, items)


def photograph(width: int = 421, height: int = 430) -> bytes:
    """A picture of shades and shapes of all sizes without any letter, as JPEG."""
    import io

    import numpy as np
    from PIL import Image, ImageDraw, ImageFilter

    chance = np.random.default_rng(1)
    shades = np.zeros((height, width, 3))
    for step in range(1, 8):
        grid = Image.fromarray((255 * chance.random((2**step, 2**step, 3))).astype(np.uint8))
        shades += np.asarray(grid.resize((width, height), Image.Resampling.BICUBIC), float) * 0.6**step
    shades = 255 * (shades - shades.min()) / np.ptp(shades)
    picture = Image.fromarray(shades.astype(np.uint8))
    draw = ImageDraw.Draw(picture)
    for left, top, wide, high, *colour in chance.integers(0, (width, height, 90, 90, 255, 255, 255), (60, 7)).tolist():
        draw.ellipse((left, top, left + wide, top + high), tuple(colour))
    buffer = io.BytesIO()
    picture.filter(ImageFilter.GaussianBlur(1)).save(buffer, "JPEG", quality=85)
    return buffer.getvalue()
