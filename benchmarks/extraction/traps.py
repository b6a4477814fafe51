"""Documents in which something looks like a field and is none, made by a seed with what is true of them.

A weight below `Total`, the payer's IBAN, the year's column of a payslip, a boarding pass's `From`: a field that the
truth lacks is wrong where it is told as sure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal

from benchmarks.extraction.documents import CODES, Item, Made, Maker, cents, escaped
from benchmarks.extraction.wording import WORDING

_STYLE = (
    "<style>@page{{size:A4;margin:18mm}} body{{font-family:'{font}';font-size:{size}pt}} .n{{text-align:right}}"
    " td,th{{padding:2pt {gap}pt 2pt 0;text-align:left;vertical-align:top}} h1{{font-size:{head}pt}}"
    " .label{{font-size:7pt}}</style>{body}"
)
Rows = Sequence[Sequence[str]]


def trap(seed: int, languages: Sequence[str]) -> Made:
    """The document of a seed."""
    maker = Maker(seed, [one for one in languages if "traps" in WORDING[one]])
    shape = list(_SHAPES)[seed // 2 % len(_SHAPES)]
    maker.truth |= {"kind": "any", "date": "any"}
    body = _SHAPES[shape](maker, _Words(maker))
    pick = maker.random.choice
    page = _STYLE.format(
        font=pick(("Liberation Sans", "Liberation Serif", "DejaVu Sans")),
        size=pick((9, 10, 11)),
        gap=pick((14, 24, 40)),
        head=pick((14, 18)),
        body=body,
    )
    return Made(seed, page, maker.truth)


class _Words:
    """What the documents of a language call things."""

    def __init__(self, maker: Maker) -> None:
        self.table: dict[str, str | list[str]] = maker.words["traps"]

    def one(self, name: str) -> str:
        value = self.table[name]
        assert isinstance(value, str)
        return value

    def of(self, name: str) -> list[str]:
        value = self.table[name]
        assert isinstance(value, list)
        return value


def _table(rows: Rows) -> str:
    cells = (
        "".join(f"<td{' class=n' if n else ''}>{escaped(cell)}</td>" for n, cell in enumerate(row)) for row in rows
    )
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _invoice(m: Maker, *, kind: str = "invoice") -> str:
    """The head of an invoice, with number, date, sender and recipient."""
    sender, recipient = m.random.sample(m.words["companies"], 2)
    number = m.document_number()
    m.truth |= {"kind": kind, "sender": sender, "recipient": recipient, "number": number}
    head = f"<b style='font-size:15pt'>{escaped(sender)}</b><br>{'<br>'.join(map(escaped, m.address()))}"
    to = f"<p>{escaped(m.pick('to').rstrip(':'))}:<br>{'<br>'.join(map(escaped, (recipient, *m.address())))}</p>"
    title = f"<h1>{escaped(m.pick('kinds', kind))}</h1>"
    facts = [[m.pick("number", kind) + ":", number], [m.pick("plain_date") + ":", m.written(m.day)]]
    return head + to + title + _table(facts)


def _lines(m: Maker, items: Sequence[Item]) -> str:
    head = m.random.choice(m.words["head"])
    m.truth["items"] = [[item.text, str(item.quantity), str(item.price), str(item.amount)] for item in items]
    rows = [[item.text, str(item.quantity), m.number(item.price), m.number(item.amount)] for item in items]
    return _table([head, *rows])


def _sum(items: Sequence[Item]) -> Decimal:
    return sum((item.amount for item in items), Decimal())


def _total(m: Maker, total: Decimal) -> list[str]:
    m.truth |= {"total": str(total), "currency": CODES.get(m.currency, m.currency)}
    m.signed = "all"
    return [m.pick("total"), m.money(total, True)]


def _measured(m: Maker, w: _Words) -> str:
    body, items = _invoice(m), m.line_items()
    weight = m.number(Decimal(m.random.randrange(100, 90000)) / 100)
    label = m.random.choice(w.of("weight"))
    rows = [[label, f"{weight} kg"], [w.one("hours"), m.number(Decimal(m.random.randrange(100, 9900)) / 100)]]
    m.random.shuffle(rows)
    rows = rows[: m.random.choice((1, 2))]
    if m.random.random() < 0.5:
        rows.append(_total(m, _sum(items)))
        return body + _lines(m, items) + _table(rows)
    return body + _table(rows)


def _reduced(m: Maker, w: _Words) -> str:
    """A discount or shipping between the lines and the tax; the net is not printed."""
    body, items = _invoice(m), m.line_items()
    lines = _sum(items)
    kind = m.random.choice(("shipping", "discount"))
    aside = cents(lines / 20) + 1 if kind == "discount" else Decimal("7.90")
    net = lines - aside if kind == "discount" else lines + aside
    rate = Decimal(m.random.choice(m.words["rates"]))
    tax = cents(net * rate / 100)
    m.truth |= {"tax": str(tax), "tax_rate": str(rate)}
    sign = "-" if kind == "discount" else ""
    printed = [[m.words["subtotal"][0] if "subtotal" in m.words else m.pick("net"), m.number(lines)]]
    printed += [
        [w.one(kind), sign + m.number(aside)],
        [m.pick("tax").format(r=f"{rate} %".replace(".", m.mark)), m.number(tax)],
    ]
    return body + _lines(m, items) + _table([*printed, _total(m, net + tax)])


def _rest(m: Maker, w: _Words) -> str:
    body, items = _invoice(m), m.line_items()
    net = _sum(items)
    rate = Decimal(m.random.choice(m.words["rates"]))
    tax = cents(net * rate / 100)
    paid = cents((net + tax) / 3)
    m.truth |= {"net": str(net), "tax": str(tax), "tax_rate": str(rate)}
    rows = [[m.pick("net"), m.number(net)], [m.pick("tax").format(r=f"{rate} %".replace(".", m.mark)), m.number(tax)]]
    rows += [_total(m, net + tax), [w.one("deposit"), "-" + m.number(paid)], [w.one("rest"), m.money(net + tax - paid)]]
    return body + _lines(m, items) + _table(rows)


def _currencies(m: Maker, _w: _Words) -> str:
    body, items = _invoice(m), m.line_items()
    total = _total(m, _sum(items))
    other = f"{m.number(cents(_sum(items) * Decimal('1.083')))} USD"
    m.truth["currency"] = "any"
    rows = m.random.choice(([[total[0], f"{total[1]} ({other})"]], [[*total, f"({other})"]]))
    return body + _lines(m, items) + _table(rows)


def _pages(m: Maker, w: _Words) -> str:
    """Lines over two pages, with what is carried over."""
    body = _invoice(m)
    items = m.line_items() + [Item(f"{m.pick('items')} {n}", n, Decimal("2.40")) for n in range(3, 6)]
    first, second = items[: len(items) // 2], items[len(items) // 2 :]
    carried = m.number(_sum(first))
    total = _total(m, _sum(items))
    one = _lines(m, first) + _table([[w.one("carried"), carried]])
    two = _table([[w.one("brought"), carried]]) + _lines(m, second)
    m.truth["items"] = "any"
    return f"{body}{one}<div style='break-before:page'></div>{two}{_table([total])}"


def _rates(m: Maker, _w: _Words) -> str:
    """A table of two rates with their sums."""
    body, items = _invoice(m), [*m.line_items(), Item("X 200", 2, Decimal("12.50"))]
    rates = m.random.sample(m.words["rates"], 2)
    nets = [items[0].amount, _sum(items[1:])]
    taxes = [cents(net * Decimal(rate) / 100) for net, rate in zip(nets, rates, strict=True)]
    rows = [
        [f"{rate} %".replace(".", m.mark), *map(m.number, (net, tax, net + tax))]
        for rate, net, tax in zip(rates, nets, taxes, strict=True)
    ]
    m.truth |= {"net": str(sum(nets)), "tax": str(sum(taxes))}
    sums = _table([["%", m.pick("net"), m.pick("tax").format(r="").strip(" ()@"), m.pick("total")], *rows])
    return body + _lines(m, items) + sums + _table([_total(m, sum([*nets, *taxes], Decimal()))])


def _debit(m: Maker, w: _Words) -> str:
    return _account(m, w.one("debit"), "invoice")


def _refund(m: Maker, w: _Words) -> str:
    return _account(m, w.one("refund"), "credit_note")


def _account(m: Maker, sentence: str, kind: str) -> str:
    """The account of the one who gets the document, beside the sender's or alone."""
    body, items = _invoice(m, kind=kind), m.line_items()
    m.truth["iban"] = "unsure"
    own = f"<p>{escaped(m.pick('iban').rstrip(':'))}: {m.iban()}</p>" if m.random.random() < 0.3 else ""
    rows = _table([_total(m, _sum(items))])
    return f"{body}{_lines(m, items)}{rows}<p>{escaped(sentence.format(i=m.iban()))}</p>{own}"


def _monthly(m: Maker, w: _Words) -> str:
    m.truth["currency"] = "any"
    m.signed = "all"
    return _invoice(m) + _table([[w.one("month"), m.money(Decimal("49.90"))]])


def _offer(m: Maker, w: _Words) -> str:
    m.truth |= {"currency": "any", "date": None, "due": None}
    m.signed = "all"
    rows = [[w.one("offer"), m.money(Decimal("199.00"))], [w.one("until").format(d=m.written(m.day))]]
    return f"<h1>{escaped(m.pick('items'))}</h1><p>{escaped(m.pick('text'))}</p>{_table(rows)}"


def _payslip(m: Maker, w: _Words) -> str:
    month, year = Decimal(m.random.randrange(150000, 400000)) / 100, Decimal(m.random.randrange(1500000, 4000000)) / 100
    rows = [["", w.one("this"), w.one("year")], [w.one("gross"), m.number(month), m.number(year)]]
    rows.append([w.one("pay"), m.number(month * 3 / 5), m.number(year * 3 / 5)])
    m.truth["recipient"] = "any"
    return f"<b>{escaped(m.pick('people'))}</b><p>{escaped(m.written(m.day))}</p>{_table(rows)}"


def _statistics(m: Maker, w: _Words) -> str:
    places = m.random.sample(m.words["towns"], 3)
    shares = [Decimal(m.random.randrange(100, 9000)) / 100 for _ in places]
    counts = [m.random.randrange(3, 400) for _ in places]
    rows = [[place, str(count), m.number(share)] for place, count, share in zip(places, counts, shares, strict=True)]
    total = [w.of("weight")[1], str(sum(counts)), m.number(sum(shares, Decimal()))]
    return (
        f"<h1>{escaped(m.pick('letter'))}</h1><p>{escaped(m.pick('text'))}</p>{_table([w.of('region'), *rows, total])}"
    )


def _boarding(m: Maker, w: _Words) -> str:
    start, end = m.random.sample(m.words["towns"], 2)
    labels = [w.one("from"), w.one("to"), w.one("flight"), m.pick("plain_date"), w.one("seat")]
    values = [start, end, "XY 4711", m.written(m.day), "12A"]
    if m.random.random() < 0.5:
        rows = _table([[f"{label}:", value] for label, value in zip(labels, values, strict=True)])
    else:
        rows = "".join(
            f"<td><span class=label>{escaped(label)}</span><br>{escaped(value)}</td>"
            for label, value in zip(labels, values, strict=True)
        )
        rows = f"<table><tr>{rows}</tr></table>"
    m.truth["number"] = "any"
    return f"<h1>{escaped(w.one('card'))}</h1><p>{escaped(m.pick('people'))}</p>{rows}"


def _life(m: Maker, w: _Words) -> str:
    """A person's career: days of another kind, and companies that sent nothing."""
    m.truth |= {"date": None, "sender": None}
    days = [m.day - timedelta(days=n) for n in (900, 400, 9000)]
    body = f"<h1>{escaped(m.pick('people'))}</h1><p>{escaped(w.one('born'))}: {escaped(m.written(days[2]))}</p>"
    for company, day in zip(m.random.sample(m.words["companies"], 2), days, strict=False):
        body += f"<p><b>{escaped(company)}</b><br>{escaped(w.one('joined'))} {escaped(m.written(day))}</p>"
    return body


def _slip(m: Maker, w: _Words) -> str:
    receipt, part, to, by, currency, amount = w.of("slip")
    payee, payer = m.pick("companies"), m.pick("people")
    m.truth |= {"iban": m.iban(), "sender": payee, "recipient": payer, "currency": "any", "total": "any", "date": None}
    account = [m.truth["iban"], payee, *m.address()]
    money = m.number(Decimal(m.random.randrange(1000, 300000)) / 100)
    parts = [
        f"<b>{escaped(title)}</b><p><b class=label>{escaped(to)}</b><br>{'<br>'.join(map(escaped, account))}</p>"
        f"<p><b class=label>{escaped(by)}</b><br>{'<br>'.join(map(escaped, (payer, *m.address())))}</p>"
        + _table([[currency, amount], [CODES.get(m.currency, m.currency), money]])
        for title in (receipt, part)
    ]
    return f"<table><tr>{''.join(f'<td>{one}</td>' for one in parts)}</tr></table>"


def _open_items(m: Maker, w: _Words) -> str:
    m.truth |= {"date": None, "total": "any", "items": "any", "currency": "any", "recipient": None, "due": None}
    rows = [
        [
            m.pick("companies"),
            m.document_number(),
            m.written(m.day - timedelta(days=n)),
            m.number(Decimal(n * 317) / 100),
        ]
        for n in range(5, 5 + m.random.randrange(2, 9))
    ]
    return f"<h1>{escaped(w.one('open'))}</h1>{_table([w.of('list'), *rows])}"


def _period(m: Maker, w: _Words) -> str:
    start, end = w.of("period")
    m.truth |= {"date": None, "items": "any"}
    first: date = m.day.replace(day=1)
    rows = [[f"{start}:", m.written(first)], [f"{end}:", m.written(m.day)]]
    return f"<h1>{escaped(m.pick('kinds', 'statement'))}</h1>{_table(rows)}<p>{escaped(m.pick('text'))}</p>"


_SHAPES: dict[str, Callable[[Maker, _Words], str]] = {
    one.__name__: one
    for one in (
        *(_measured, _reduced, _rest, _currencies, _pages, _rates, _debit, _refund, _monthly, _offer, _payslip),
        *(_statistics, _boarding, _life, _slip, _open_items, _period),
    )
}
