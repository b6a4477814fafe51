"""A document's parts as flat OpenDocument text, for LibreOffice to print: frames at fixed places, as templates have."""

from __future__ import annotations

import random
from collections.abc import Sequence
from html import escape

from benchmarks.extraction.offices.content import Content

_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"'
    for name, uri in (
        *(("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("draw", "drawing")),
        *(("fo", "xsl-fo-compatible"), ("svg", "svg-compatible")),
    )
)


def flat(made: Content) -> str:
    """The document as XML, in a look that its seed draws."""
    chance = random.Random(f"open document {made.seed}")
    font, size = (
        chance.choice(("Liberation Sans", "Liberation Serif", "Carlito", "DejaVu Sans")),
        chance.choice((9, 10)),
    )
    is_receipt = made.kind == "receipt"
    paper = ("80mm", "190mm", "5mm") if is_receipt else ("210mm", "297mm", "22mm")
    body = _receipt(made) if is_receipt else _letter(made, chance)
    width = "70mm" if is_receipt else chance.choice(("150mm", "165mm"))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {_SPACES} office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.text"><office:styles><style:default-style '
        f'style:family="paragraph"><style:text-properties style:font-name="{font}" fo:font-family="{font}" fo:font-size="{size}pt"/>'
        '</style:default-style></office:styles><office:automatic-styles><style:page-layout style:name="P"><style:page-layout-properties '
        f'fo:page-width="{paper[0]}" fo:page-height="{paper[1]}" fo:margin="{paper[2]}"/></style:page-layout>'
        + _style("big", f'fo:font-size="{chance.choice((14, 17, 20))}pt" fo:font-weight="bold"')
        + _style("bold", 'fo:font-weight="bold"')
        + _style("small", 'fo:font-size="7pt"')
        + _style("right", "", 'fo:text-align="end"')
        + _style("body", "", 'fo:margin-bottom="2mm"')
        + f'<style:style style:name="sum" style:family="paragraph"><style:paragraph-properties><style:tab-stops><style:tab-stop style:position="{width}" style:type="right"/></style:tab-stops></style:paragraph-properties></style:style>'
        '<style:style style:name="bare" style:family="graphic"><style:graphic-properties style:wrap="run-through" draw:stroke="none" fo:border="none" fo:padding="0mm" style:vertical-pos="from-top" style:vertical-rel="page" style:horizontal-pos="from-left" style:horizontal-rel="page"/></style:style>'
        '</office:automatic-styles><office:master-styles><style:master-page style:name="Standard" style:page-layout-name="P"/></office:master-styles>'
        f"<office:body><office:text>{body}</office:text></office:body></office:document>"
    )


def _style(name: str, text: str, paragraph: str = "") -> str:
    return f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties {paragraph}/><style:text-properties {text}/></style:style>'


def _p(text: str, style: str = "body") -> str:
    parts = "<text:tab/>".join(map(escape, text.split("\t")))
    return f'<text:p text:style-name="{style}">{parts}</text:p>'


def _frame(lines: Sequence[str], left: int, top: int, width: int, first: str = "", rest: str = "plain") -> str:
    """Lines in a frame at a place in millimetres."""
    text = "".join(_p(line, first if first and n == 0 else rest) for n, line in enumerate(lines))
    return (
        f'<draw:frame draw:style-name="bare" text:anchor-type="page" text:anchor-page-number="1" svg:x="{left}mm" svg:y="{top}mm" svg:width="{width}mm">'
        f'<draw:text-box fo:min-height="4mm">{text}</draw:text-box></draw:frame>'
    )


def _letter(made: Content, chance: random.Random) -> str:
    left = chance.choice((25, 120))
    frames = _frame([made.sender, *made.address, *made.contact], left, 12, 80, "big")
    if made.recipient:
        at = 110 if made.language == "fr" else 25
        line = ", ".join([made.sender, *made.address])
        frames += _frame([line, *made.recipient], at, 47, 80, "small")
    frames += _frame([" – ".join(made.foot)], 22, 283, 165, rest="small")
    facts = [f"{name}\t{value}" if chance.random() < 0.5 else f"{name}: {value}" for name, value in made.facts]
    if made.facts and chance.random() < 0.5:
        frames += _frame(facts, 125 if made.language != "fr" else 25, 74, 65)
        facts = []
    text = "".join(_p("") for _ in range(17))
    text += _p(made.day, chance.choice(("right", "body"))) if made.day else ""
    text += _p(made.title, "bold" if made.kind == "letter" else "big") + "".join(map(_p, facts))
    text += _p(made.greeting) if made.greeting else ""
    text += "".join(map(_p, made.paragraphs)) + _table(made)
    text += "".join(_p(f"{name}\t{value}", "sum") for name, value in made.sums) + "".join(map(_p, made.after))
    return frames + text + (_p(made.closing) + _p("") + _p(made.sender) if made.closing else "")


def _table(made: Content) -> str:
    rows = [made.head, *made.rows] if made.head else made.rows
    cells = (
        "<table:table-row>"
        + "".join(
            f"<table:table-cell>{_p(c, 'right' if n == len(row) - 1 else 'plain')}</table:table-cell>"
            for n, c in enumerate(row)
        )
        + "</table:table-row>"
        for row in rows
    )
    columns = f'<table:table-column table:number-columns-repeated="{len(rows[0])}"/>' if rows else ""
    return f'<table:table table:name="T">{columns}{"".join(cells)}</table:table>' if rows else ""


def _receipt(made: Content) -> str:
    head = "".join(map(_p, [made.sender, *made.address, made.contact[0], made.title]))
    rows = "".join(_p("\t".join(row), "sum") for row in made.rows)
    return (
        head
        + rows
        + "".join(_p("\t".join(pair), "sum") for pair in made.sums)
        + "".join(map(_p, [made.day, *made.foot, *made.after]))
    )
