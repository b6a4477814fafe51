"""How the generated documents look: heads, addresses, tables, sums and feet in several forms each."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from benchmarks.extraction.documents import CODES, Item, Maker, cents, escaped

_FONTS = ("Liberation Sans", "Liberation Serif", "DejaVu Sans", "Liberation Sans")


def page_of(m: Maker) -> str:
    """The document as HTML, its truth noted in the maker."""
    body = _receipt(m) if m.kind == "receipt" else _letter(m) if m.kind in ("letter", "contract") else _business(m)
    size = m.random.choice((9, 10, 11))
    width = "size: 80mm 220mm; margin: 6mm" if m.kind == "receipt" else "size: A4; margin: 18mm"
    rules = m.random.choice(
        (
            "td,th{border-bottom:1px solid #999}",
            "td,th{border:1px solid #333}",
            "",
            "tr:nth-child(even){background:#eee}",
        )
    )
    return (
        f"<style>@page{{{width}}} body{{font-family:'{m.random.choice(_FONTS)}';font-size:{size}pt}} table{{border-collapse:collapse}}"
        f" .items{{width:100%;margin-top:14pt}} .items td,.items th{{padding:3pt 4pt;text-align:left}} .items .n{{text-align:right}} {rules.replace('td', '.items td').replace(',th', ',.items th').replace('tr:', '.items tr:')}"
        f" .foot{{margin-top:40pt;font-size:{size - 2}pt;color:#444}} .small{{font-size:{size - 3}pt}} h1{{font-size:{size + m.random.choice((3, 6, 9))}pt}}</style>{body}"
    )


def _date(m: Maker, day: date) -> str:
    return m.written(day)


def _note_date(m: Maker, name: str, day: date, shown: list[date]) -> None:
    m.truth[name] = day.isoformat()
    shown.append(day)


def _business(m: Maker) -> str:
    sender, people = m.pick("companies"), m.pick("people")
    recipient = m.random.choice((people, m.random.choice([c for c in m.words["companies"] if c != sender])))
    m.truth |= {"sender": sender, "recipient": recipient}
    shown: list[date] = []
    facts = _facts(m, shown)
    letterhead, foot = _letterhead(m, sender), _foot(m, sender)
    title = escaped(m.pick("kinds", m.kind))
    layout = m.random.randrange(4)
    address = [recipient, *m.address()]
    if layout == 0:  # the address in the window, the facts right of it
        line = (
            f"<div class=small>{escaped(sender)} · {escaped(' · '.join(m.address()))}</div>"
            if m.random.random() < 0.7
            else ""
        )
        block = f"<table width=100%><tr><td valign=top width=55%>{line}{_lines(address)}</td><td valign=top>{_pairs(m, facts)}</td></tr></table>"
        top = f"{letterhead}<div style='height:40pt'></div>{block}<h1>{title}</h1>"
    elif layout == 1:  # a labelled address beside the sender's
        to, own = escaped(m.pick("to")), escaped(m.pick("from"))
        left = f"<b>{own}</b><br>{_lines([sender, *m.address()])}"
        top = f"<h1>{title}</h1>{_pairs(m, facts)}<table width=100% style='margin-top:12pt'><tr><td valign=top width=50%>{left}</td><td valign=top><b>{to}</b><br>{_lines(address)}</td></tr></table>"
    elif layout == 2:  # facts in a row of heads over values
        heads = "".join(f"<th style='padding:2pt 10pt'>{escaped(name.rstrip(':'))}</th>" for name, _ in facts)
        row = "".join(f"<td style='padding:2pt 10pt'>{escaped(value)}</td>" for _, value in facts)
        top = f"{letterhead}<p>{escaped(m.pick('to'))}:<br>{_lines(address)}</p><h1>{title}</h1><table><tr>{heads}</tr><tr>{row}</tr></table>"
    else:  # title right, facts under it
        top = f"<table width=100%><tr><td valign=top>{letterhead}</td><td valign=top align=right><h1>{title}</h1>{_pairs(m, facts, '')}</td></tr></table><p style='margin-top:20pt'><b>{escaped(m.pick('to'))}</b><br>{_lines(address)}</p>"
    text = f"<p>{escaped(m.pick('text'))}</p>" if m.random.random() < 0.6 else ""
    table = "" if m.kind == "reminder" else _statement(m, shown) if m.kind == "statement" else _items(m)
    if m.kind == "reminder":
        table = _reminder(m, shown)
    closing = f"<p>{escaped(m.pick('pay'))}</p>" if m.kind == "invoice" else ""
    _settle(m, shown)
    return top + text + table + closing + foot


def _facts(m: Maker, shown: list[date]) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    if m.kind in m.words["number"] and (m.kind != "reminder" or m.random.random() < 0.3):
        number = m.document_number()
        m.truth["number"] = number
        facts.append((m.pick("number", m.kind), number))
    dated = (m.pick("date" if m.kind == "invoice" else "plain_date"), _date(m, m.day))
    _note_date(m, "date", m.day, shown)
    facts.append(dated)
    if m.random.random() < 0.6:
        facts.append((m.pick("customer"), str(m.random.randrange(1000, 99999))))
    if m.random.random() < 0.3:
        facts.append((m.pick("order"), f"B-{m.random.randrange(100, 9999)}"))
    if m.kind == "credit_note":
        facts.append((m.pick("ref"), m.document_number()))
    if m.kind == "invoice" and m.random.random() < 0.5:
        due = m.day + timedelta(days=m.random.choice((10, 14, 30)))
        _note_date(m, "due", due, shown)
        facts.append((m.pick("due"), _date(m, due)))
    if m.kind in ("invoice", "delivery_note") and m.random.random() < 0.4:
        supplied = m.day - timedelta(days=m.random.randrange(1, 20))
        shown.append(supplied)
        facts.append((m.pick("supply"), _date(m, supplied)))
    if m.random.random() < 0.3:
        m.random.shuffle(facts)
    return facts


def _settle(m: Maker, shown: list[date]) -> None:
    """Dates in figures that nothing orders are right only as `not sure`."""
    slashes = m.language in ("en", "es") and (m.style == "numeric" or (m.language == "es" and m.style == "short"))
    if slashes and all(day.day <= 12 for day in shown) and not m.truth.get("proven"):
        for name in ("date", "due"):
            day = m.truth[name]
            if day and day[5:7] != day[8:10]:
                m.truth[name] = "unsure"
    m.truth.pop("proven", None)


def _pairs(m: Maker, facts: list[tuple[str, str]], colon: str = ":") -> str:
    if m.random.random() < 0.5:
        rows = "".join(
            f"<tr><td>{escaped(n.rstrip(':') + colon)}</td><td style='padding-left:14pt'>{escaped(v)}</td></tr>"
            for n, v in facts
        )
        return f"<table>{rows}</table>"
    return "<br>".join(escaped(f"{n.rstrip(':')}: {v}") for n, v in facts)


def _lines(lines: list[str]) -> str:
    return "<br>".join(map(escaped, lines))


def _letterhead(m: Maker, sender: str) -> str:
    name = (
        f"<span style='font-size:16pt;font-weight:bold'>{escaped(sender)}</span>"
        if m.random.random() < 0.7
        else f"<b>{escaped(sender)}</b>"
    )
    phone = m.pick("phone").format(p=f"0{m.random.randrange(100, 999)} {m.random.randrange(100000, 999999)}")
    return f"<div style='text-align:{m.random.choice(('left', 'right', 'center'))}'>{name}<br>{_lines(m.address())}<br>{escaped(phone)}</div>"


def _foot(m: Maker, sender: str) -> str:
    parts = [f"{sender}, {', '.join(m.address())}"]
    vat = m.words["vats"]
    start, _, rest = vat.partition("{")
    count, _, end = rest.partition("}")
    digits = "".join(str(m.random.randrange(10)) for _ in range(int(count)))
    parts.append(m.pick("vat").format(v=start + digits + end))
    # What proves the order of 03/04/2026: an English document of a British company, a Spanish one of Spain.
    m.truth["proven"] = m.language in ("en", "es")
    if m.random.random() < 0.7:
        iban = m.iban()
        m.truth["iban"] = iban
        spaced = " ".join(iban[n : n + 4] for n in range(0, len(iban), 4)) if m.random.random() < 0.7 else iban
        parts.append(f"{m.pick('iban')} {spaced}")
        if m.random.random() < 0.3:
            parts.append(f"{m.pick('holder')}: {sender}")
    return f"<div class=foot>{'<br>'.join(map(escaped, parts))}</div>"


def _items(m: Maker) -> str:
    items = m.line_items()
    head = m.random.choice(m.words["head"])
    with_place = m.random.random() < 0.4
    delivery = m.kind == "delivery_note"
    head = head[:2] if delivery else head
    m.truth["items"] = [
        [item.text, str(item.quantity), "" if delivery else str(item.price), "" if delivery else str(item.amount)]
        for item in items
    ]
    cells = "".join(f"<th{' class=n' if n else ''}>{escaped(name)}</th>" for n, name in enumerate(head))
    rows = ""
    for number, item in enumerate(items, 1):
        place = f"<td>{number}</td>" if with_place else ""
        more = "" if delivery else f"<td class=n>{m.money(item.price)}</td><td class=n>{m.money(item.amount)}</td>"
        rows += f"<tr>{place}<td>{escaped(item.text)}</td><td class=n>{item.quantity}</td>{more}</tr>"
    table = f"<table class=items><tr>{'<th>Pos.</th>' if with_place else ''}{cells}</tr>{rows}</table>"
    return table if delivery else table + _sums(m, items)


def _sums(m: Maker, items: list[Item]) -> str:
    net = sum((item.amount for item in items), Decimal())
    sign = -1 if m.kind == "credit_note" and m.random.random() < 0.4 else 1
    rows: list[tuple[str, str]] = []
    form = m.random.randrange(6)
    m.truth["currency"] = CODES.get(m.currency, m.currency)
    if form == 0:  # no tax
        m.truth["total"] = str(sign * net)
        rows = [(m.pick("total"), m.money(sign * net, True))]
    else:
        rates = [Decimal(rate) for rate in m.random.sample(m.words["rates"], 2 if form == 1 else 1)]
        shares = [net] if len(rates) == 1 else [items[0].amount, net - items[0].amount]
        pairs = [(rate, cents(share * rate / 100)) for rate, share in zip(rates, shares, strict=True) if share]
        tax = sum((t for _, t in pairs), Decimal())
        rows.append((m.pick("net"), m.money(sign * net)))
        rows += [(m.pick("tax").format(r=_percent(m, rate)), m.money(sign * t)) for rate, t in pairs]
        rows.append((m.pick("total"), m.money(sign * (net + tax), True)))
        m.truth |= {"net": str(sign * net), "tax": str(sign * tax), "total": str(sign * (net + tax))}
        m.truth["tax_rate"] = str(pairs[0][0]) if len(pairs) == 1 else None
    if m.signed == "total" and m.random.random() < 0.3:
        pass
    align = m.random.choice(("right", "left", "right"))
    colon = m.random.choice((":", ""))
    body = "".join(
        f"<tr><td style='padding-right:{m.random.choice((10, 30, 80))}pt'>{escaped(n + colon)}</td><td align=right>{escaped(v)}</td></tr>"
        for n, v in rows
    )
    return f"<table style='margin-top:10pt' align={align}>{body}</table><div style='clear:both'></div>"


def _percent(m: Maker, rate: Decimal) -> str:
    return str(rate).replace(".", m.mark) + m.random.choice((" %", "%"))


def _reminder(m: Maker, shown: list[date]) -> str:
    open_ = Decimal(m.random.randrange(1000, 300000)) / 100
    since = m.day - timedelta(days=40)
    shown.append(since)
    m.truth |= {"total": str(open_), "currency": CODES.get(m.currency, m.currency)}
    due = m.day + timedelta(days=10)
    _note_date(m, "due", due, shown)
    number = m.document_number()
    greeting = escaped(m.pick("greet").format(n="Berg"))
    label = m.words["outstanding"]
    invoice = m.random.choice(m.words["kinds"]["invoice"]).title()
    line = f"{invoice} {number} {m.words['of']} {_date(m, since)}"
    return f"<p>{greeting}</p><p>{escaped(line)}</p><p>{escaped(label)}: {escaped(m.money(open_, True))}<br>{escaped(m.pick('due'))}: {escaped(_date(m, due))}</p><p>{escaped(m.pick('close'))}</p>"


def _statement(m: Maker, shown: list[date]) -> str:
    head = m.words["statement_head"]
    rows = ""
    for _ in range(m.random.randrange(3, 12)):
        day = m.day - timedelta(days=m.random.randrange(1, 28))
        shown.append(day)
        value = Decimal(m.random.randrange(-90000, 90000)) / 100
        rows += f"<tr><td>{_date(m, day)}</td><td>{escaped(m.pick('items'))}</td><td class=n>{escaped(m.money(value))}</td></tr>"
    m.truth["currency"] = CODES.get(m.currency, m.currency) if m.signed == "all" else None
    m.truth["items"] = "any"
    return f"<table class=items><tr>{''.join(f'<th>{escaped(h)}</th>' for h in head)}</tr>{rows}</table>"


def _letter(m: Maker) -> str:
    sender = m.pick("companies")
    recipient = m.random.choice((m.pick("people"), m.random.choice([c for c in m.words["companies"] if c != sender])))
    m.truth |= {"sender": sender, "recipient": recipient, "date": m.day.isoformat()}
    shown = [m.day]
    top = _letterhead(m, sender)
    foot = _foot(m, sender)
    if m.random.random() >= 0.7:
        foot = ""
        m.truth["iban"] = None
        m.truth["proven"] = m.language == "en"  # by the postcodes
    placed = m.words["place"].format(d=_date(m, m.day)) if m.random.random() < 0.6 else _date(m, m.day)
    address = f"<div style='height:36pt'></div><p>{_lines([recipient, *m.address()])}</p>"
    day = f"<p style='text-align:{m.random.choice(('right', 'left'))}'>{escaped(placed)}</p>"
    if m.kind == "contract":
        number = m.document_number()
        m.truth["number"] = number
        subject = f"<h1>{escaped(m.pick('kinds', 'contract'))}</h1><p>{escaped(m.pick('number', 'contract'))}: {escaped(number)}</p>"
        text = "".join(f"<p>§ {n} {escaped(' '.join(m.words['text']))}</p>" for n in range(1, 5))
        _settle(m, shown)
        return top + address + day + subject + text + foot
    subject = f"<p><b>{escaped(m.pick('letter'))}</b></p>"
    text = "".join(f"<p>{escaped(' '.join(m.words['text']))}</p>" for _ in range(m.random.randrange(1, 4)))
    _settle(m, shown)
    return (
        top
        + address
        + day
        + subject
        + f"<p>{escaped(m.pick('greet').format(n='Berg'))}</p>"
        + text
        + f"<p>{escaped(m.pick('close'))}</p><p>{escaped(sender)}</p>"
        + foot
    )


def _receipt(m: Maker) -> str:
    sender = m.pick("companies")
    items = m.line_items()
    total = sum((item.amount for item in items), Decimal())
    rate = Decimal(m.random.choice(m.words["rates"]))
    tax = cents(total * rate / (100 + rate))
    number = m.document_number()
    currency = CODES.get(m.currency, m.currency)
    m.truth |= {
        "sender": sender,
        "date": m.day.isoformat(),
        "number": number,
        "total": str(total),
        "tax": str(tax),
        "tax_rate": str(rate),
        "currency": currency,
        "items": "any",
    }
    rows = "".join(
        f"<tr><td>{escaped(item.text)}</td><td align=right>{m.number(item.amount)}</td></tr>" for item in items
    )
    given = total + Decimal(m.random.randrange(0, 2000)) / 100
    rows += f"<tr><td><b>{escaped(m.pick('total'))}</b></td><td align=right><b>{escaped(m.money(total, True))}</b></td></tr>"
    rows += (
        f"<tr><td>{escaped(m.pick('incl').format(r=_percent(m, rate)))}</td><td align=right>{m.number(tax)}</td></tr>"
    )
    if m.random.random() < 0.5:
        paid = m.words["paid"]
        rows += f"<tr><td>{escaped(paid[0])}</td><td align=right>{m.number(given)}</td></tr><tr><td>{escaped(paid[2])}</td><td align=right>{m.number(given - total)}</td></tr>"
    m.truth["proven"] = m.language == "en"
    _settle(m, [m.day])
    day = f"{m.pick('plain_date')}: {_date(m, m.day)} 14:32"
    return (
        f"<div style='text-align:center'><b style='font-size:14pt'>{escaped(sender)}</b><br>{_lines(m.address())}</div>"
        f"<p><b>{escaped(m.pick('kinds', 'receipt'))}</b></p><p>{escaped(m.pick('number', 'receipt'))}: {escaped(number)}<br>{escaped(day)}</p><table width=100%>{rows}</table>"
    )
