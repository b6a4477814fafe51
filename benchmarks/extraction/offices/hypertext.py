"""A document's parts as a page of HTML, for Chromium to print: six looks of markup as programs for invoices have it."""

from __future__ import annotations

import html
import random
from collections.abc import Iterable

from benchmarks.extraction.offices.content import Content, Facts

_FONTS = ("DejaVu Sans", "Noto Sans", "Nimbus Roman", "Liberation Sans", "DejaVu Serif", "Noto Serif")


def page(made: Content) -> str:
    """The document, in a look that its seed draws."""
    chance = random.Random(f"hypertext {made.seed}")
    if made.kind == "receipt":
        return _strip(made, chance)
    body, style = chance.choice((_window, _flex, _sidebar, _centred, _cards, _typeset))(made, chance)
    size = chance.choice((9, 10, 10.5, 11))
    paper = "letter" if made.language == "en" and chance.random() < 0.5 else "A4"
    return (
        f"<!doctype html><meta charset=utf-8><style>@page{{size:{paper};margin:0}}*{{box-sizing:border-box}}"
        f"body{{margin:0;font:{size}pt '{chance.choice(_FONTS)}'}}.page{{position:relative;padding:18mm 20mm;min-height:260mm}}"
        f"dl{{display:grid;grid-template-columns:auto auto;gap:2px 18px;margin:0}}dd{{margin:0}}"
        f"table{{width:100%;border-collapse:collapse;margin:14px 0}}td,th{{padding:4px 6px;text-align:left}}"
        f"td:last-child,th:last-child{{text-align:right}}footer{{margin-top:40px;font-size:{size - 2.5}pt;color:#555}}{style}"
        f"</style><div class=page>{body}</div>"
    )


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"<div>{html.escape(line)}</div>" for line in lines)


def _facts(facts: Facts, colon: bool) -> str:
    mark = ":" if colon else ""
    pairs = "".join(f"<dt>{html.escape(name)}{mark}</dt><dd>{html.escape(value)}</dd>" for name, value in facts)
    return f"<dl>{pairs}</dl>" if facts else ""


def _heads_over(facts: Facts) -> str:
    """Facts as a row of labels over a row of values."""
    if not facts:
        return ""
    cells = "".join(f"<div><small>{html.escape(n)}</small><div>{html.escape(v)}</div></div>" for n, v in facts)
    return f"<div style='display:flex;gap:26px;margin:12px 0'>{cells}</div>"


def _middle(made: Content, chance: random.Random, titled: bool = True) -> str:
    size = chance.choice((13, 16, 20))
    is_subject = made.kind == "letter"
    title = (
        f"<p><b>{html.escape(made.title)}</b></p>"
        if is_subject
        else f"<h1 style='font-size:{size}pt'>{html.escape(made.title)}</h1>"
    )
    text = title if titled else ""
    text += f"<p>{html.escape(made.greeting)}</p>" if made.greeting else ""
    text += "".join(f"<p>{html.escape(one)}</p>" for one in made.paragraphs)
    if made.rows:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in made.head)
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in made.rows)
        text += f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{rows}</tbody></table>"
    sums = "".join(
        f"<div style='display:flex;justify-content:space-between'><span>{html.escape(n)}</span><b>{html.escape(v)}</b></div>"
        for n, v in made.sums
    )
    side = chance.choice(("margin-left:55%", "margin-left:45%", "width:50%"))
    text += f"<div style='{side}'>{sums}</div>" if sums else ""
    text += "".join(f"<p>{html.escape(one)}</p>" for one in made.after)
    closing = f"<p>{html.escape(made.closing)}</p><p style='margin-top:24px'>{html.escape(made.sender)}</p>"
    return text + (closing if made.closing else "")


def _window(made: Content, chance: random.Random) -> tuple[str, str]:
    """DIN 5008: the address in the window, the facts beside it, the firm's data in the foot."""
    small = " · ".join([made.sender, *made.address])
    top = chance.choice(("right", "left", "center"))
    day = f"<p style='text-align:right'>{html.escape(made.day)}</p>" if made.day else ""
    info = f"<div style='position:absolute;left:125mm;top:50mm'>{_facts(made.facts, chance.random() < 0.5)}</div>"
    to = f"<div style='position:absolute;left:25mm;top:45mm'><div style='font-size:6.5pt;text-decoration:underline'>{html.escape(small)}</div><div style='margin-top:4mm'>{_lines(made.recipient)}</div></div>"
    head = f"<div style='text-align:{top};font-size:17pt'>{html.escape(made.sender)}</div>"
    foot = (
        f"<footer style='position:absolute;bottom:8mm'>{html.escape(' | '.join([*made.foot, *made.contact]))}</footer>"
    )
    return (
        f"{head}{to if made.recipient else ''}{info}<div style='height:68mm'></div>{day}{_middle(made, chance)}{foot}",
        "",
    )


def _flex(made: Content, chance: random.Random) -> tuple[str, str]:
    """The firm on the left, title and facts on the right, as web shops print."""
    right = f"<h1>{html.escape(made.title)}</h1>{_facts(made.facts, True)}{_lines([made.day] if made.day else [])}"
    left = f"<strong style='font-size:14pt'>{html.escape(made.sender)}</strong>{_lines([*made.address, *made.contact])}"
    top = f"<div style='display:flex;justify-content:space-between'><div>{left}</div><div>{right}</div></div>"
    to = f"<section style='margin:10mm 0'>{_lines(made.recipient)}</section>"
    return top + to + _middle(made, chance, titled=made.kind == "letter") + f"<footer>{_lines(made.foot)}</footer>", ""


def _sidebar(made: Content, chance: random.Random) -> tuple[str, str]:
    """A column at the right with the firm's data."""
    side = f"<aside><b>{html.escape(made.sender)}</b>{_lines([*made.address, '', *made.contact, '', *made.foot[3:]])}</aside>"
    to = f"<div style='margin:22mm 0 10mm'>{_lines(made.recipient)}</div>"
    head = f"<div style='font-size:18pt;color:#246'>{html.escape(made.sender)}</div>"
    main = head + to + _heads_over(made.facts) + _lines([made.day] if made.day else []) + _middle(made, chance)
    return (
        f"<main style='width:120mm'>{main}</main>{side}",
        "aside{position:absolute;right:12mm;top:40mm;width:38mm;font-size:7.5pt}",
    )


def _centred(made: Content, chance: random.Random) -> tuple[str, str]:
    """A centred letterhead over a rule."""
    own = " – ".join(made.address)
    head = f"<div style='text-align:center;border-bottom:1px solid'><div style='font-size:15pt;font-variant:small-caps'>{html.escape(made.sender)}</div><div>{html.escape(own)}</div><div>{html.escape(' – '.join(made.contact))}</div></div>"
    to = f"<div style='margin:12mm 0 8mm'>{_lines(made.recipient)}</div>"
    day = f"<p style='text-align:right'>{html.escape(made.day)}</p>" if made.day else ""
    return head + to + day + _heads_over(made.facts) + _middle(made, chance), ""


def _cards(made: Content, chance: random.Random) -> tuple[str, str]:
    """Boxes side by side, as bootstrap's templates have them."""
    parts = [_lines([made.sender, *made.address, *made.contact]), _lines(made.recipient), _facts(made.facts, True)]
    parts[2] += _lines([made.day] if made.day else [])
    cards = "".join(f"<div class=card>{part}</div>" for part in parts if part)
    title = f"<h1>{html.escape(made.title)}</h1>" if made.kind != "letter" else ""
    style = ".card{border:1px solid #ccc;padding:8px;flex:1}.row{display:flex;gap:10px;margin-bottom:16px}"
    return (
        f"{title}<div class=row>{cards}</div>{_middle(made, chance, titled=made.kind == 'letter')}<footer>{_lines(made.foot)}</footer>",
        style,
    )


def _typeset(made: Content, chance: random.Random) -> tuple[str, str]:
    """As letters of LaTeX look: the sender at the right above, justified text."""
    own = f"<div style='margin-left:95mm'>{_lines([made.sender, *made.address, *made.contact])}</div>"
    day = f"<div style='margin-left:95mm;margin-top:8mm'>{html.escape(made.day)}</div>" if made.day else ""
    to = f"<div style='margin-top:12mm'>{_lines(made.recipient)}</div>"
    facts = "".join(f"<p>{html.escape(name)}: {html.escape(value)}</p>" for name, value in made.facts)
    return own + to + day + facts + _middle(made, chance), "p{text-align:justify}.page{padding:24mm 30mm}"


def _strip(made: Content, chance: random.Random) -> str:
    """A receipt on a roll of paper."""
    rows = "".join(
        f"<div class=r><span>{html.escape(r[0])}</span><span>{html.escape(r[1])}</span></div>" for r in made.rows
    )
    sums = "".join(f"<div class=r><b>{html.escape(n)}</b><b>{html.escape(v)}</b></div>" for n, v in made.sums)
    head = _lines([made.sender, *made.address, made.contact[0], *([made.title] if made.title else [])])
    day, foot = _lines([made.day]), _lines([*made.foot, *made.after])
    order = (head, day, rows, sums, foot) if chance.random() < 0.5 else (head, rows, sums, day, foot)
    font = chance.choice(("DejaVu Sans Mono", "Noto Sans", "Nimbus Mono PS"))
    return (
        "<!doctype html><meta charset=utf-8><style>@page{size:80mm 180mm;margin:5mm}"
        f"body{{margin:0;font:9pt '{font}';text-align:center}}.r{{display:flex;justify-content:space-between}}</style>"
        + "<hr>".join(order)
    )
