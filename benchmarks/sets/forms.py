"""Bills and forms of offices: labels over values, tables one under the other, parts beside each other, calendars."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.sets import sheets, truth
from benchmarks.sets.documents import Table, cells
from benchmarks.sets.prose import Prose
from benchmarks.sets.sheets import Sheet, beside, heading, lines_of, words_of
from benchmarks.sets.statements import amount
from benchmarks.sets.writing import Sample

_BOXES = words_of(
    "Invoice no.|Invoice date|Customer no.|Order no.|Your reference|Due date|Contact|Delivery date|Project|VAT no."
)
_GOODS = words_of(
    "Desk lamp|Copy paper A4|Installation|Travel|Toner black|Cable 5 m|Chair|Service hour|Licence, 1 year"
)
_METERS = words_of("Electricity|Gas|Water|Heat|Feed-in|Night tariff")
_COSTS = words_of("Energy price|Base price|Metering|Grid charge|Levy|Concession fee|Electricity tax|Discount")
_TRAVEL = words_of("Passenger|From|To|Flight|Date|Gate|Boarding time|Seat|Class|Booking code|Ticket no.|Baggage")
_PLANS = words_of("Basic|Team|Business|Starter|Premium|Family")
_JOBS = words_of("Project manager|Bookkeeper|Data analyst|Head of sales|Nurse|Engineer|Clerk|Teacher")
_DAYS = {
    "en": words_of("Mon|Tue|Wed|Thu|Fri|Sat|Sun"),
    "de": words_of("Mo|Di|Mi|Do|Fr|Sa|So"),
    "fr": words_of("lun.|mar.|mer.|jeu.|ven.|sam.|dim."),
}
_EVENTS = words_of("Audit|Stand-up|Board|Holiday|Fire drill|Training|Payroll")


def boxes(prose: Prose) -> Sheet:
    """An invoice with a line of boxes, labels in small type over their values, above the items and their sums."""
    chance = prose.chance
    title = f"Invoice {chance.randint(1000, 9999)}"
    names = chance.sample(_BOXES, chance.randint(3, 5))
    facts = [(name, _fact(prose, name)) for name in names]
    items = _items(prose, chance.randint(2, 6))
    body = heading(title, 1) + _over(prose, [facts]) + _grid(prose, items, "rrr")
    last = prose.sentences(1, 2)
    said = (f"# {title}", _values_under([facts]), truth.table(Table(tuple(map(cells, items)))), last)
    return Sheet(f"{body}<p>{html.escape(last)}</p>", said)


def bill(prose: Prose) -> Sheet:
    """A bill for energy: readings, costs and instalments in tables one under the other, each under its heading."""
    chance = prose.chance
    title = prose.title()
    readings = [("Meter", "Number", "Old", "New", "Used")]
    for name in chance.sample(_METERS, chance.randint(2, 4)):
        old, used = chance.randint(1000, 60_000), chance.randint(100, 4000)
        readings.append((name, str(chance.randint(10**6, 10**7)), str(old), str(old + used), str(used)))
    costs = [("Item", "Quantity", "Price", "Amount")]
    for name in chance.sample(_COSTS, chance.randint(3, 6)):
        costs.append((name, f"{chance.randint(1, 4000)} kWh", _money(prose, 0.1, 20), _money(prose, 1, 900)))
    due = [("Due on", "Amount"), *((prose.date(), _money(prose, 30, 200)) for _ in range(chance.randint(2, 5)))]
    parts, said = [heading(title, 1)], [f"# {title}"]
    headed = chance.random() < 0.6
    for name, rows, aligns in (("Readings", readings, "rrrr"), ("Costs", costs, "rrr"), ("Instalments", due, "r")):
        if headed:
            parts.append(heading(name, 2))
            said.append(f"## {name}")
        parts.append(_grid(prose, rows, aligns))
        said.append(truth.table(Table(tuple(map(cells, rows)))))
    return Sheet("".join(parts), tuple(said))


def payment(prose: Prose) -> Sheet:
    """A letter with a slip below: the receipt beside the part for payment, labels in small type over their values."""
    chance = prose.chance
    creditor, debtor = ([prose.name(), *_address(prose)] for _ in range(2))
    groups = " ".join(str(chance.randint(1000, 9999)) for _ in range(4))
    account = f"CH{chance.randint(10, 99)} {groups} {chance.randint(0, 9)}"
    reference = " ".join(str(chance.randint(10_000, 99_999)) for _ in range(5))
    sums = [
        ("Currency", "CHF"),
        ("Amount", f"{chance.randint(1, 9)} {chance.randint(100, 999)}.{chance.randint(10, 99)}"),
    ]
    facts = [("Account / Payable to", [account, *creditor]), ("Reference", [reference]), ("Payable by", debtor)]
    more = [("Additional information", [f"Order {chance.randint(1000, 9999)}, {prose.phrase()}"])]
    letter = prose.sentences(2, 4)
    receipt = f'<div style="width:52mm"><b>Receipt</b>{_stacked(facts)}{_over_plain(sums)}</div>'
    square = '<div style="width:30mm;height:30mm;background:#000;margin:4mm 0"></div>'
    left = f'<div style="width:42mm"><b>Payment part</b>{square}{_over_plain(sums)}</div>'
    right = f'<div style="flex:1">{_stacked([*facts[:2], *more, facts[2]])}</div>'
    said = [letter, "Receipt", *_labelled(facts), _values_under([sums]), "Payment part", _values_under([sums])]
    said += _labelled([*facts[:2], *more, facts[2]])
    return Sheet(f"<p>{html.escape(letter)}</p>" + beside([receipt, left, right]), tuple(said))


def boarding(prose: Prose) -> Sheet:
    """A pass: rows of labels in small type over values in bold."""
    chance = prose.chance
    title = prose.phrase()
    names = chance.sample(_TRAVEL, 12)
    wide = chance.randint(3, 4)
    rows = [[(name, _fact(prose, name)) for name in names[n : n + wide]] for n in range(0, 3 * wide, wide)]
    last = prose.sentence()
    body = f"{heading(title, 1)}{_over(prose, rows)}<p>{html.escape(last)}</p>"
    return Sheet(body, (f"# {title}", _values_under(rows), last))


def career(prose: Prose) -> Sheet:
    """A life's stations: dates in a column beside entries of several lines."""
    chance = prose.chance
    name = prose.name()
    parts, said = [heading(name, 1)], [f"# {name}"]
    for title in chance.sample(("Experience", "Education", "Volunteering", "Languages"), 3):
        parts.append(heading(title, 2))
        said.append(f"## {title}")
        year = chance.randint(2012, 2024)
        for _ in range(chance.randint(2, 4)):
            since = year - chance.randint(1, 3)
            when, year = f"{since} – {year}", since
            job = f"{chance.choice(_JOBS)}, {prose.phrase()}"
            text = prose.sentences(1, 2)
            parts.append(
                f'<div style="display:flex;margin-bottom:5pt"><div style="width:32mm">{when}</div>'
                f'<div style="flex:1"><b>{html.escape(job)}</b><br>{html.escape(text)}</div></div>'
            )
            said.append(f"{when} {job} {text}")
    return Sheet("".join(parts), tuple(said))


def calendar(prose: Prose) -> Sheet:
    """A month: weeks as rows, what is to be done under the numbers of days."""
    chance = prose.chance
    title = f"{chance.choice(prose.language.months)} {chance.randint(2020, 2027)}"
    first, count = chance.randint(0, 6), chance.randint(28, 31)
    days = [""] * first + [str(n) for n in range(1, count + 1)]
    days += [""] * (-len(days) % 7)
    events = {n: chance.choice(_EVENTS) for n in range(len(days)) if days[n] and chance.random() < 0.2}
    shown = ""
    rows = [cells(_DAYS[prose.language.code])]
    for start in range(0, len(days), 7):
        week = range(start, start + 7)
        shown += "<tr>" + "".join(f"<td>{days[n]}<br>{events.get(n, '')}</td>" for n in week) + "</tr>"
        rows.append(cells(f"{days[n]} {events.get(n, '')}".strip() for n in week))
    heads = "".join(f"<th>{name}</th>" for name in _DAYS[prose.language.code])
    border = chance.choice(("", "border:1px solid #888", "border-top:1px solid #888"))
    style = f"<style>.month td {{{border};height:16mm}}</style>"
    body = f'{heading(title, 1)}{style}<table class="labels month"><tr>{heads}</tr>{shown}</table>'
    return Sheet(body, (f"# {title}", truth.table(Table(tuple(rows)))))


def cards(prose: Prose) -> Sheet:
    """Plans beside each other: name, price, what is in it, for whom."""
    chance = prose.chance
    title = prose.title()
    parts, said = [], [f"# {title}"]
    frame = chance.choice(("", ";border:1px solid #999;padding:4mm", ";background:#eee;padding:4mm"))
    centred = chance.choice(("", ";text-align:center"))
    for plan in chance.sample(_PLANS, 3):
        price = f"{_money(prose, 5, 90)} € / month"
        points = [prose.phrase() for _ in range(chance.randint(3, 6))]
        text = f"For {chance.randint(2, 90)} users"
        inner = "".join(f"<div>{html.escape(point)}</div>" for point in points)
        parts.append(
            f'<div style="flex:1{frame}{centred}"><h2>{plan}</h2><p><b>{price}</b></p>{inner}<p>{text}</p></div>'
        )
        said += [f"## {plan}", price, " ".join(points), text]
    return Sheet(heading(title, 1) + beside(parts), tuple(said))


def _fact(prose: Prose, name: str) -> str:
    chance = prose.chance
    if "date" in name.lower():
        return prose.date()
    if name in ("Contact", "Passenger"):
        return prose.name()
    if name == "Boarding time":
        return f"{chance.randint(0, 23)}:{chance.randint(10, 59)}"
    if name in ("From", "To", "Project", "Class"):
        return prose.phrase()
    return f"{chance.choice('ABKRX')}{chance.randint(10, 99_999)}"


def _money(prose: Prose, least: float, most: float) -> str:
    return amount(prose.chance.uniform(least, most), prose.language.code, 2)


def _address(prose: Prose) -> list[str]:
    return [f"{prose.phrase()} {prose.chance.randint(1, 99)}", f"{prose.chance.randint(1000, 9999)} Ashbourne"]


def _items(prose: Prose, count: int) -> list[tuple[str, ...]]:
    """Goods with their prices, sums below that have a label alone."""
    chance = prose.chance
    rows: list[tuple[str, ...]] = [("Description", "Quantity", "Price", "Amount")]
    net = 0.0
    for name in chance.sample(_GOODS, count):
        number, price = chance.randint(1, 20), round(chance.uniform(1, 300), 2)
        net += number * price
        rows.append((name, str(number), *(amount(v, prose.language.code, 2) for v in (price, number * price))))
    for name, value in (("Net", net), ("VAT 19 %", 0.19 * net), ("Total", 1.19 * net)):
        rows.append((name, "", "", amount(value, prose.language.code, 2)))
    return rows


def _grid(prose: Prose, rows: Sequence[Sequence[str]], aligns: str) -> str:
    """A table over the width of the page; figures right."""
    rule = prose.chance.choice(("", "", "border-bottom:1px solid #bbb"))
    strong = prose.chance.random() < 0.5
    shown = ""
    for number, row in enumerate(rows):
        shown += "<tr>"
        for text, align in zip(row, "l" + aligns, strict=True):
            right = "text-align:right;" if align == "r" else ""
            said = f"<b>{html.escape(text)}</b>" if strong and not number else html.escape(text)
            shown += f'<td style="{right}{rule}">{said}</td>'
        shown += "</tr>"
    return f'<table style="width:100%;margin:4mm 0">{shown}</table>'


def _over(prose: Prose, rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Labels in small type over their values: in boxes, without any, or as two rows of a table."""
    chance = prose.chance
    form = chance.choice(("boxes", "plain", "plain", "table"))
    bold = "font-weight:bold;" if chance.random() < 0.5 else ""
    made = ""
    for row in rows:
        if form == "table":
            small = "".join(f'<td style="font-size:75%">{html.escape(name)}</td>' for name, _ in row)
            large = "".join(f'<td style="{bold}">{html.escape(value)}</td>' for _, value in row)
            made += f'<table style="width:100%;table-layout:fixed"><tr>{small}</tr><tr>{large}</tr></table>'
            continue
        box = "border:1px solid #777;padding:2pt 4pt;" if form == "boxes" else "padding:2pt 0;"
        inner = "".join(
            f'<div style="flex:1;{box}"><div style="font-size:75%">{html.escape(name)}</div>'
            f'<div style="{bold}">{html.escape(value)}</div></div>'
            for name, value in row
        )
        made += f'<div style="display:flex;margin:3mm 0">{inner}</div>'
    return made


def _over_plain(facts: Sequence[tuple[str, str]]) -> str:
    inner = "".join(
        f'<div style="width:20mm"><div style="font-size:70%"><b>{name}</b></div><div>{value}</div></div>'
        for name, value in facts
    )
    return f'<div style="display:flex;margin:2mm 0">{inner}</div>'


def _stacked(facts: Sequence[tuple[str, Sequence[str]]]) -> str:
    return "".join(
        f'<div style="margin:2mm 0"><div style="font-size:70%"><b>{name}</b></div>{lines_of(values)}</div>'
        for name, values in facts
    )


def _labelled(facts: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    return [f"{name} {' '.join(values)}" for name, values in facts]


def _values_under(rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """A table whose rows are labels and values in turn."""
    said = [cells(entry[n] for entry in row) for row in rows for n in range(2)]
    return truth.table(Table(tuple(said)))


FORMS: dict[str, Callable[[Prose], Sheet]] = {
    "boxes": boxes,
    "bill": bill,
    "payment": payment,
    "boarding": boarding,
    "career": career,
    "calendar": calendar,
    "cards": cards,
}


def printed(number: int, seed: str, place: Path) -> Iterator[Sample]:
    """One form of the kind whose turn it is, by a browser or by us."""
    yield from sheets.printed_of(FORMS, number, seed, place)
